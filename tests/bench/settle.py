"""Rounds a second of `tabled settle` and of its parts: python -m tests.bench.settle [rounds]

Baccarat and Blackjack, seven positions with four wagers each, dealt from shuffled shoes of a fixed seed. Rates are by
processor time of one core, so that other work on the machine counts as little as it can; the command's also by the
clock, its start included both times. An empty pass of each JSON library, which reads the line and writes the answer
with nothing between, stands beside them, so that figures of two machines can be compared.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar

from msgspec.json import decode, encode

from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import DECK, Card
from firmware.core.settlement import settle
from firmware.interfaces.round_json import read_round
from firmware.interfaces.settle_lines import settle_line
from firmware.interfaces.strict_json import parse_object
from firmware.settings.paytables import load_catalogue

POSITIONS = range(1, 8)
TARGET_MIB = 64

Item = TypeVar("Item")


@dataclass(frozen=True)
class Kind:
    """A game as it is measured: its table, the paytables of its four wagers, its meters and how it is dealt."""

    game: str
    target_rounds: int
    table: dict[str, object]
    wagers: dict[str, str]
    meters: dict[str, str]
    deal: Callable[[list[Card]], dict[str, object]]


def deal_baccarat(shoe: list[Card]) -> dict[str, object]:
    dealt: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
    while (due := next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])) is not None:
        dealt[due] += (shoe.pop(),)
    return {hand.value: [str(card) for card in cards] for hand, cards in dealt.items()}


def deal_blackjack(shoe: list[Card]) -> dict[str, object]:
    def two() -> list[str]:
        return [str(shoe.pop()), str(shoe.pop())]

    return {"dealer": two(), "positions": {str(position): two() for position in POSITIONS}}


KINDS = (
    Kind(
        "baccarat",
        6_000,
        {"decks": 8},
        {"player": "-", "lucky_six": "-", "perfect_pairs_player": "A", "heavenly_9_progressive": "-"},
        {"heavenly_9": "12345.678901"},
        deal_baccarat,
    ),
    Kind(
        "blackjack",
        4_000,
        {"decks": 8, "declared_suit": "S"},
        {"21_plus_3_progressive": "1", "royal_match_progressive": "A", "kings_bounty": "B", "blazing_7s": "A"},
        {"21_plus_3": "12345.678901", "royal_match": "2345.678901"},
        deal_blackjack,
    ),
)


def recorded(kind: Kind, count: int) -> list[bytes]:
    """Lines of `count` rounds, each dealt from a fresh shoe of eight decks."""
    shuffle = random.Random(1)
    lines = []
    for number in range(count):
        line = {
            "id": str(number),
            "game": kind.game,
            "table": kind.table,
            "offered": {wager: {"paytable": paytable} for wager, paytable in kind.wagers.items()},
            "meters": kind.meters,
            "wagers": [
                {"position": position, "wager": wager, "cents": 500} for position in POSITIONS for wager in kind.wagers
            ],
            "outcome": kind.deal(shuffle.sample(DECK * 8, 16)),
        }
        lines.append(json.dumps(line).encode())
    return lines


def rate(work: Callable[[Item], object], items: Sequence[Item]) -> str:
    """Items a second of processor time, the best of three passes."""
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for item in items:
            work(item)
        best = max(best, len(items) / (time.process_time() - start))
    return f"{best:9,.0f} rounds/s"


def command(lines: Sequence[bytes], kind: Kind) -> None:
    """The whole command, standard input to standard output, its start included; the best of three runs."""
    runs = [run(b"".join(line + b"\n" for line in lines), len(lines)) for _ in range(3)]
    spent, wall, memory_kib = min(one[0] for one in runs), min(one[1] for one in runs), max(one[2] for one in runs)
    print(f"  the command                  {len(lines) / spent:9,.0f} rounds/s (target {kind.target_rounds:,})")
    print(f"  the command, by the clock    {len(lines) / wall:9,.0f} rounds/s, load {os.getloadavg()[0]:.1f}")
    print(f"  its largest resident size    {memory_kib / 1024:9,.1f} MiB (target {TARGET_MIB})", flush=True)


def run(content: bytes, count: int) -> tuple[float, float, int]:
    """Seconds of processor time, seconds by the clock and the largest resident size in KiB of one run."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "firmware.cli", "settle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        feeding = threading.Thread(target=feed, args=(process.stdin, content))
        feeding.start()
        answers = sum(1 for _ in islice(process.stdout, count))
        feeding.join()
        memory_kib = peak_kib(process.pid)  # while it lives: what wait() tells counts the time before exec as well
        process.stdin.close()
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == 0 and answers == count, (process.returncode, answers)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, memory_kib


def feed(target: IO[bytes], content: bytes) -> None:
    target.write(content)
    target.flush()


def peak_kib(pid: int) -> int:
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1])


def measure(kind: Kind, count: int) -> None:
    """Print the figures of one game."""
    catalogue = load_catalogue()
    lines = recorded(kind, count)
    few = lines[:2_000]
    rounds = [read_round(parse_object(line)) for line in few]
    print(f"settle, {kind.game}: {count:,} rounds of {len(POSITIONS) * len(kind.wagers)} wagers, processor time")
    answers = [json.loads(settle_line(line, catalogue)[0]) for line in few]
    both = list(zip(few, answers, strict=True))
    print(f"  standard library's JSON pass {rate(lambda one: (json.loads(one[0]), json.dumps(one[1])), both)}")
    print(f"  msgspec's JSON pass          {rate(lambda one: (decode(one[0]), encode(one[1])), both)}")
    print(f"  settlement without JSON      {rate(lambda one: settle(one, catalogue), rounds)}")
    print(f"  line to line, in one process {rate(lambda line: settle_line(line, catalogue), few)}")
    command(lines, kind)


def main(count: int) -> None:
    """Print the figures of both games."""
    for kind in KINDS:
        measure(kind, count)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
