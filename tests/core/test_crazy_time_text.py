"""Crazy Time: the wheel, the paytable and every range against the text, where it stands beside the project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware.core.wagers import cash_hunt, coin_flip, crazy_time_world, pachinko
from firmware.core.wagers.crazy_time import CRAZY_TIME
from firmware.core.wagers.crazy_time_wheel import MULTIPLIERS, WHEEL, Segment
from firmware.core.wagers.multiplier_board import FIFTY, BoardRule
from tests.core.crazy_time_lines import (
    CATALOGUE,
)

REGULATION = Path(__file__).parents[3] / "shared" / "regulations" / "54-pa-b-1537.txt"


def _section(number: str) -> str:
    if not REGULATION.is_file():
        pytest.skip("the text of the regulation (54-pa-b-1537.txt) is not beside the project")
    text = re.sub("[\u00a0\u2000-\u200a]", " ", REGULATION.read_text(encoding="utf-8"))
    found = re.search(rf"^§ {re.escape(number)}\. .*?(?=^§ |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[0]


PRINTED = {
    "1": Segment.NUMBER_1,
    "2": Segment.NUMBER_2,
    "5": Segment.NUMBER_5,
    "10": Segment.NUMBER_10,
    "Coin Flip": Segment.COIN_FLIP,
    "Cash Hunt": Segment.CASH_HUNT,
    "Pachinko": Segment.PACHINKO,
    "Crazy Time World": Segment.CRAZY_TIME_WORLD,
}


def test_the_wheel_against_the_text() -> None:
    body = _section("690.1")
    order = re.search(r"in the following order: (.*?)\.$", body, re.MULTILINE)
    assert order is not None
    assert tuple(PRINTED[name.removesuffix(" bonus game")] for name in order[1].split(", ")) == WHEEL
    counted = re.findall(r"([0-9]+) sections? containing the (?:number )?([A-Za-z]+(?: [A-Z][a-z]+)*|[0-9]+)", body)
    assert {PRINTED[name]: int(count) for count, name in counted} == {one: WHEEL.count(one) for one in Segment}
    assert "divided into 54 equally spaced sections" in body and len(WHEEL) == 54


def test_the_counts_of_the_wheel() -> None:
    """D1: 21, 13, 7, 4, 4, 2, 2 and 1."""
    assert [WHEEL.count(one) for one in Segment] == [21, 13, 7, 4, 4, 2, 2, 1]


def test_paytable_against_the_text() -> None:
    rows = re.findall(r"^\| (.+?) \| ([0-9]+ to 1) \|$", _section("690.4"), re.MULTILINE)
    ours = []
    for wager in CRAZY_TIME.wagers:
        (table,) = CATALOGUE.paytables("crazy_time", wager.name)
        ours.append((table.lines[0].printed, str(table.lines[0].pay).removesuffix(" or more")))
    assert rows == ours


def test_top_slot_against_the_text() -> None:
    listed = re.search(r"multipliers consisting of ([0-9, ]+) and ([0-9]+)\.", _section("690.3"))
    assert listed is not None
    assert (*map(int, listed[1].split(", ")), int(listed[2])) == MULTIPLIERS


@pytest.mark.parametrize(
    ("number", "size", "rule"),
    [
        ("690.6", "a board containing ([0-9]+) multipliers", cash_hunt.BOARD),
        ("690.7", "above ([0-9]+) landing spots", pachinko.SLOTS),
        ("690.8", "comprised of ([0-9]+) sections", crazy_time_world.SECTIONS),
    ],
)
def test_boards_against_the_text(number: str, size: str, rule: BoardRule) -> None:
    body = _section(number)
    printed = re.search(r"(?:may range|ranging) from ([0-9]+)× to ([0-9]+)×", body)
    places = re.search(size, body)
    assert printed is not None and places is not None
    assert (int(places[1]), int(printed[1]), int(printed[2])) == (rule.size, rule.least, rule.most)
    assert rule.double == ("''Double'' may be displayed in one" in body)
    assert rule.section.startswith(number)


def test_rescues_and_fifty_against_the_text() -> None:
    coin, drop, world = (_section(number) for number in ("690.5", "690.7", "690.8"))
    least, most = map(int, re.findall(r"may range from ([0-9]+)× to ([0-9]+)×", coin)[0])
    assert (least, most) == (coin_flip.LEAST, coin_flip.MOST)
    assert set(map(int, re.findall(r"small multiplier was ([0-9])× or ([0-9])×", coin)[0])) == coin_flip.RESCUED
    assert [str(coin_flip.BIG_OVER)] == re.findall(r"big multiplier was greater than ([0-9]+)×", coin)
    rescued = re.findall(r"comes to rest on a ([0-9])×, ([0-9])× or ([0-9])× multiplier", drop)[0]
    assert set(map(int, rescued)) == pachinko.RESCUED
    for body in (drop, world):
        assert re.findall(r"replaced (?:with|by a) ([0-9]+)×", body)[0] == str(FIFTY)
    assert "at least two sections of the wheel between clappers" in world
    assert crazy_time_world.LEAST_STEP == 3
