"""Lines of Crazy Time rounds for its tests: one wager on every spot, a good bonus game for every segment."""

from __future__ import annotations

import copy
import json
from typing import Any

from firmware.core.wagers.crazy_time import CRAZY_TIME
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
NAMES = [wager.name for wager in CRAZY_TIME.wagers]
LEAST = {
    "number_1": 1,
    "number_2": 2,
    "number_5": 5,
    "number_10": 10,
    "coin_flip": 2,
    "cash_hunt": 5,
    "pachinko": 2,
    "crazy_time_world": 15,
}

BOARD = [5] * 100 + [10, 25, 50, 75, 100, 250, 499, 500]
SLOTS = [10, 5, 2, 8, 15, 3, 25, 7, "double", 4, 50, 6, 100, 9, 20, 400]
WORLD = [400, *[15] * 10, 25, *[15] * 19, "double", *[15] * 31, 50]  # Double on section 32
BONUS: dict[str, Any] = {
    "coin_flip": {"red": 3, "blue": 25, "landed": "red", "rescue": None},
    "cash_hunt": {"board": BOARD, "picks": {"1": 100}},
    "pachinko": {"slots": SLOTS, "drops": [7], "rescue_after": None},
    "crazy_time_world": {
        "wheel": WORLD,
        "picks": {"1": "left"},
        "spins": [{"left": 12, "middle": 40, "right": 55}],
    },
}


CLAPPERS = ["left", "middle", "right"]


def make_line(segment: str, bonus: object = None, multiplier: int = 1, **readings: str) -> dict[str, Any]:
    """A round with one wager of $5 on every spot at position 1; a multiplier above 1 is the segment's own."""
    return {
        "id": "r1",
        "game": "crazy_time",
        "table": {},
        "offered": {name: {"paytable": "-"} for name in NAMES},
        "readings": readings,
        "wagers": [{"position": 1, "wager": name, "cents": 500} for name in NAMES],
        "outcome": {
            "segment": segment,
            "top_slot": {"option": segment, "multiplier": multiplier, "aligned": True},
            "bonus": copy.deepcopy(BONUS.get(segment)) if bonus is None else bonus,
        },
    }


def answer_of(line: dict[str, Any]) -> dict[str, Any]:
    answer, settled = settle_line(json.dumps(line).encode(), CATALOGUE)
    parsed: dict[str, Any] = json.loads(answer)
    assert settled == ("error" not in parsed)
    return parsed


def code_of(line: dict[str, Any]) -> str:
    answer = answer_of(line)
    assert "error" in answer, answer
    assert len(answer["error"]["message"]) > 20
    return str(answer["error"]["code"])


def odds_of(line: dict[str, Any], position: int = 1) -> int:
    """The odds to 1 at which the segment's wager at a position was paid; every other wager there lost."""
    answer = answer_of(line)
    assert "settlements" in answer, answer
    segment = line["outcome"]["segment"]
    won = [one for one in answer["settlements"] if one["position"] == position and one["result"] == "win"]
    assert [(one["wager"], one["line"], one["stake_returned_cents"]) for one in won] == [(segment, segment, 500)]
    assert (won[0]["from"], won[0]["meter"], won[0]["validation"]) == ("table_inventory", None, False)
    assert won[0]["section"] == "690.4(a)"
    odds, rest = divmod(won[0]["award_cents"], 500)
    assert rest == 0
    return int(odds)
