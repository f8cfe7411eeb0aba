"""Rounds a second of `tabled settle` and of its parts: python -m tests.bench.settle [rounds]

Baccarat, seven positions with four wagers each, dealt from shuffled shoes of a fixed seed. Rates are by processor time
of one core; the command's rate is by the clock, its start included. The standard library's JSON pass over the same
lines stands beside them, so that figures of two machines can be compared.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import DECK, Card
from firmware.core.settlement import settle
from firmware.interfaces.round_json import read_round
from firmware.interfaces.settle_lines import settle_line
from firmware.interfaces.strict_json import parse_object
from firmware.settings.paytables import load_catalogue

WAGERS = {"player": "-", "lucky_six": "-", "perfect_pairs_player": "A", "heavenly_9_progressive": "-"}
POSITIONS = range(1, 8)

Item = TypeVar("Item")


def round_line(number: int, shoe: list[Card]) -> bytes:
    """One recorded round, dealt from the shoe."""
    dealt: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
    while (due := next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])) is not None:
        dealt[due] += (shoe.pop(),)
    return json.dumps(
        {
            "id": str(number),
            "game": "baccarat",
            "table": {"decks": 8},
            "offered": {wager: {"paytable": paytable} for wager, paytable in WAGERS.items()},
            "meters": {"heavenly_9": "12345.678901"},
            "wagers": [
                {"position": position, "wager": wager, "cents": 500} for position in POSITIONS for wager in WAGERS
            ],
            "outcome": {hand.value: [str(card) for card in cards] for hand, cards in dealt.items()},
        }
    ).encode()


def rate(work: Callable[[Item], object], items: Sequence[Item]) -> float:
    """Items a second of processor time, the best of three passes."""
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for item in items:
            work(item)
        best = max(best, len(items) / (time.process_time() - start))
    return best


def main(count: int) -> None:
    """Print the figures."""
    shuffle = random.Random(1)
    lines = []
    for number in range(count):
        shoe = list(DECK * 8)
        shuffle.shuffle(shoe)
        lines.append(round_line(number, shoe))
    catalogue = load_catalogue()
    rounds = [read_round(parse_object(line)) for line in lines]
    print(f"standard library's JSON pass {rate(lambda line: json.dumps(json.loads(line)), lines):9,.0f} rounds/s")
    print(f"settlement without JSON      {rate(lambda one: settle(one, catalogue), rounds):9,.0f} rounds/s")
    print(f"line to line, in one process {rate(lambda line: settle_line(line, catalogue), lines):9,.0f} rounds/s")
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "firmware.cli", "settle"],
        input=b"\n".join(lines) + b"\n",
        stdout=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert done.returncode == 0
    print(f"the command, by the clock    {count / (time.monotonic() - start):9,.0f} rounds/s")
    print(f"its largest resident size    {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:9,.1f} MiB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000)
