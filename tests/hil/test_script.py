"""What a session asks of its people."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from hil.dealer import Hands
from hil.layout import layout_of
from hil.script import BLOCK, CHIPS_MOST, Happening, happenings, plans
from tests.hil.played import TABLE

LAYOUT = layout_of(TABLE, Path("/run/x"))


def test_every_happening_comes_once_in_every_block() -> None:
    for seed in range(20):
        rounds = list(islice(plans(LAYOUT, seed), 3 * BLOCK))
        for block in range(3):
            found = Counter(plan.happening for plan in rounds[block * BLOCK : (block + 1) * BLOCK])
            assert all(found[happening] == 1 for happening in happenings(LAYOUT))


def test_the_same_seed_plays_the_same_and_another_another() -> None:
    first, again, other = (list(islice(plans(LAYOUT, seed), 40)) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_every_plan_can_be_played() -> None:
    for plan in islice(plans(LAYOUT, 11), 500):
        assert 1 <= len(plan.chips) <= CHIPS_MOST + 1
        assert len(set(plan.chips)) == len(plan.chips)
        match plan.happening:
            case Happening.LATE_CHIP | Happening.STUCK_SENSOR:
                assert plan.odd_one is not None and plan.odd_one not in plan.chips
            case Happening.CHIP_REMOVED | Happening.MISCOUNT | Happening.METER_WON | Happening.RARE_HAND:
                assert plan.odd_one in plan.chips
            case Happening.NOTHING | Happening.MISDEAL | Happening.EXPOSED_CARD:
                assert plan.odd_one is None


def test_each_meter_is_won_in_turn() -> None:
    won = [plan.cards for plan in islice(plans(LAYOUT, 1), 3 * BLOCK) if plan.happening is Happening.METER_WON]
    kings = [sum(card[0] == "K" for card in cards) for cards in won]
    assert kings == [1, 1, 2], "minor, major, mega"
    player_has_king = ["K" in cards[0] + cards[2] for cards in won]
    assert player_has_king == [True, False, True]


@pytest.mark.parametrize(
    ("player", "banker", "winner", "player_pair", "banker_pair"),
    [
        ("9S KD", "2C 3H", "player", False, False),
        ("TS TD", "AC AH", "banker", True, True),
        ("8S KD", "8C KH", "tie", False, False),
        ("KS QD 7H", "9C 9H", "banker", False, True),
    ],
)
def test_the_readers_own_result(player: str, banker: str, winner: str, player_pair: bool, banker_pair: bool) -> None:
    said = Hands(player.split(), banker.split()).result()
    assert said == {"winner": winner, "player_pair": player_pair, "banker_pair": banker_pair}


BLACKJACK = layout_of(TABLE.with_name("blackjack.toml"), Path("/run/x"))


def test_who_bets_at_a_blackjack_table_has_a_blackjack_wager() -> None:
    seen = set()
    for plan in islice(plans(BLACKJACK, 5), 300):
        seats = {spot.position for spot in plan.chips if spot.wager == "blackjack"}
        assert {spot.position for spot in plan.chips} == seats
        assert plan.odd_one is None or plan.odd_one.position in seats
        assert len(plan.cards) in (0, 2 * len(seats) + 2)
        seen.add(plan.happening)
    assert seen == {*happenings(BLACKJACK), Happening.NOTHING}
    assert Happening.EXPOSED_CARD in seen and Happening.EXPOSED_CARD not in happenings(LAYOUT)


def test_each_meter_of_a_blackjack_table_is_won_in_turn() -> None:
    won = [plan for plan in islice(plans(BLACKJACK, 1), 6 * BLOCK) if plan.happening is Happening.METER_WON]
    assert [plan.odd_one.wager.split("_")[0] for plan in won if plan.odd_one] == [
        "blazing", "royal", "blazing", "21", "blazing", "21",
    ]  # fmt: skip


ROULETTE = layout_of(TABLE.with_name("roulette.toml"), Path("/run/x"))


def test_at_a_wheel_happens_what_can_happen_there() -> None:
    seen = {plan.happening for plan in islice(plans(ROULETTE, 5), 8 * BLOCK)}
    assert {Happening.SAME_NUMBER, Happening.NO_SPIN, Happening.NUMBERS_DIFFER, Happening.WHEEL_CLOSES} <= seen
    assert not seen & {Happening.METER_WON, Happening.RARE_HAND, Happening.EXPOSED_CARD}
    assert Happening.WHEEL_CLOSES not in happenings(LAYOUT)
