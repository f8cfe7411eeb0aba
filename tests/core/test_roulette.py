"""Roulette: every way in which a round can be wrong, the readings in both settings, streaks, and properties."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.money import MICRO_PER_CENT, floor_to_cents
from firmware.core.readings import ALLOWED, RECOMMENDED, Readings
from firmware.core.roulette_wheel import POCKETS, Wheel, pockets_of
from firmware.core.settlement import settle
from firmware.core.settlement_data import Offer, Result, RoundToSettle
from firmware.core.wagers.roulette import ROULETTE
from firmware.core.wagers.roulette_up import ended_streak
from firmware.core.wagers.spun import Spun
from firmware.core.wagers.wager import PlacedWager, Table
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
PAYTABLES = {
    "b2b_roulette": "-",
    "blazing_7s_roulette": "3",
    "roulette_up": "B",
    "roulette_up_progressive": "1",
    "roulette_x_straight": "A",
}


def _answer(
    wagers: list[dict[str, Any]], outcome: dict[str, Any], *, wheel: str = "double_zero", **more: Any
) -> dict[str, Any]:
    """The command's answer; `more` replaces top-level keys, and `paytables` single paytables on offer."""
    paytables = {**PAYTABLES, **more.pop("paytables", {})}
    line = {
        "id": "r",
        "game": "roulette",
        "table": {"wheel": wheel},
        "offered": {name: {"paytable": paytable} for name, paytable in paytables.items()},
        "meters": {"roulette_up": "63218.450000"},
        "wagers": wagers,
        "outcome": outcome,
        **more,
    }
    answer, _ = settle_line(json.dumps(line).encode(), CATALOGUE)
    parsed: dict[str, Any] = json.loads(answer)
    return parsed


def _on(wager: str, position: int = 1, cents: int = 500, **more: Any) -> dict[str, Any]:
    return {"position": position, "wager": wager, "cents": cents, **more}


def _code(answer: dict[str, Any]) -> str:
    assert "error" in answer, answer
    assert len(answer["error"]["message"]) > 20
    return str(answer["error"]["code"])


def _one(answer: dict[str, Any]) -> dict[str, Any]:
    assert "settlements" in answer, answer
    (one,) = answer["settlements"]
    assert isinstance(one, dict)
    return one


B2B, BLAZING, UP, UPP = (_on(name) for name in list(PAYTABLES)[:4])
X = _on("roulette_x_straight", number=17)
LIT = {"17": 50, "4": 100}


# --- wrong rounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wagers", "outcome", "code"),
    [
        # spins
        ([B2B], {"previous": 5}, "missing_field"),
        ([B2B], {"previous": 5, "spins": []}, "bad_outcome"),
        ([UP], {"spins": []}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": 17}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": [37]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": [-1]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": ["17"]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": ["0"]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": [17.0]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": [True]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": [None]}, "bad_outcome"),
        ([B2B], {"previous": 5, "spins": [1, 2]}, "bad_outcome"),
        ([B2B, UP], {"previous": 5, "spins": [1, 2]}, "bad_outcome"),
        ([X, UP], {"spins": [1, 2], "multipliers": LIT}, "bad_outcome"),
        ([UP], {"spins": [4, 9], "rolls": []}, "unknown_field"),
        # after the last streak has ended
        ([UP], {"spins": [4, 4, 9]}, "bad_outcome"),
        ([UP], {"spins": [36, 1]}, "bad_outcome"),
        ([UP], {"spins": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "bad_outcome"),
        ([UP, UPP], {"spins": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, "bad_outcome"),
        # B2B
        ([B2B], {"spins": [17]}, "missing_field"),
        ([B2B], {"previous": None, "spins": [17]}, "bad_wager"),
        ([B2B], {"previous": "none", "spins": [17]}, "bad_outcome"),
        ([B2B], {"previous": 17, "spins": [17]}, "missing_field"),
        ([B2B], {"previous": 17, "spins": [17], "drawn_odds": 75}, "bad_outcome"),
        ([B2B], {"previous": 17, "spins": [18], "drawn_odds": 75}, "bad_outcome"),
        ([UP], {"spins": [18], "drawn_odds": 75}, "bad_outcome"),
        ([B2B], {"previous": 17, "spins": [17], "drawn_odds": "1000"}, "bad_outcome"),
        ([B2B], {"previous": 17, "spins": [17], "drawn_odds": None}, "bad_outcome"),
        ([B2B], {"previous": 17, "spins": [17], "drawn_odds": True}, "bad_outcome"),
        # Blazing 7's
        ([BLAZING], {"spins": [7]}, "missing_field"),
        ([BLAZING], {"spins": [7], "bonus_balls": []}, "bad_outcome"),
        ([BLAZING], {"spins": [7], "bonus_balls": [1, 2]}, "bad_outcome"),
        ([BLAZING], {"spins": [7], "bonus_balls": [1, 2, 3, 4]}, "bad_outcome"),
        ([BLAZING], {"spins": [7], "bonus_balls": [1, 2, 1]}, "bad_outcome"),
        ([BLAZING], {"spins": [7], "bonus_balls": [1, 2, 38]}, "bad_outcome"),
        ([BLAZING], {"spins": [8], "bonus_balls": [1, 2, 3]}, "bad_outcome"),
        ([BLAZING], {"spins": [7], "bonus_balls": None}, "bad_outcome"),
        # Roulette X
        ([X], {"spins": [17]}, "missing_field"),
        ([X], {"spins": [17], "multipliers": {}}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": {"17": 50}}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": dict.fromkeys("123456", 50)}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": {"1": 50, "2": 99}}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": {"1": 50, "2": "50"}}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": {"1": 50, "37": 50}}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": {"1": 50, "017": 50}}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": [[1, 50], [2, 50]]}, "bad_outcome"),
        ([UP], {"spins": [17], "multipliers": {"1": 50}}, "bad_outcome"),
        ([_on("roulette_x_straight")], {"spins": [17], "multipliers": LIT}, "missing_field"),
        ([{**X, "number": 37}], {"spins": [17], "multipliers": LIT}, "bad_wager"),
        ([{**X, "number": "17"}], {"spins": [17], "multipliers": LIT}, "bad_wager"),
        ([{**X, "number": None}], {"spins": [17], "multipliers": LIT}, "bad_wager"),
        ([X, X], {"spins": [17], "multipliers": LIT}, "bad_wager"),
        ([X, {**X, "cents": 100}], {"spins": [17], "multipliers": LIT}, "bad_wager"),
        ([{**B2B, "number": 17}], {"previous": 5, "spins": [17]}, "unknown_field"),
        # any wager
        ([UP, {**UP, "cents": 100}], {"spins": [17]}, "bad_wager"),
        ([{**UP, "cents": 0}], {"spins": [17]}, "bad_wager"),
        ([_on("hot_roller")], {"spins": [17]}, "unknown_wager"),
    ],
)
def test_wrong_rounds(wagers: list[dict[str, Any]], outcome: dict[str, Any], code: str) -> None:
    assert _code(_answer(wagers, outcome)) == code


@pytest.mark.parametrize(
    ("wagers", "outcome", "code"),
    [
        ([UP], {"spins": ["00"]}, "bad_outcome"),
        ([UP], {"previous": "00", "spins": [1]}, "bad_outcome"),
        ([BLAZING], {"spins": [7], "bonus_balls": [1, "00", 2]}, "bad_outcome"),
        ([X], {"spins": [17], "multipliers": {"00": 50, "1": 50}}, "bad_outcome"),
        ([{**X, "number": "00"}], {"spins": [17], "multipliers": LIT}, "bad_wager"),
    ],
)
def test_a_single_zero_wheel_has_no_double_zero(
    wagers: list[dict[str, Any]], outcome: dict[str, Any], code: str
) -> None:
    assert _code(_answer(wagers, outcome, wheel="single_zero")) == code
    assert "settlements" in _answer(wagers, outcome)


def test_tables_and_offers() -> None:
    spun = {"spins": [17], "multipliers": LIT}
    assert _code(_answer([X], spun, table={})) == "missing_field"
    assert _code(_answer([X], spun, table={"wheel": "triple_zero"})) == "bad_table"
    assert _code(_answer([X], spun, table={"wheel": None})) == "bad_table"
    assert _code(_answer([X], spun, table={"wheel": "double_zero", "decks": 8})) == "unknown_field"
    assert _code(_answer([X], spun, wheel="single_zero", paytables={"roulette_x_straight": "B"})) == "bad_table"
    assert (
        _code(_answer([X], {"spins": [17], "multipliers": {"1": 500, "2": 50}}, paytables={"roulette_x_straight": "B"}))
        == "bad_outcome"
    )
    for wager, paytable in (("b2b_roulette", "A"), ("blazing_7s_roulette", "5"), ("roulette_up", "F"),
                            ("roulette_up_progressive", "8"), ("roulette_x_straight", "C")):  # fmt: skip
        assert _code(_answer([], {"spins": [17]}, paytables={wager: paytable})) == "unknown_paytable"
    assert _code(_answer([UPP], {"spins": [1]}, meters={})) == "missing_meter"
    assert _code(_answer([UPP], {"spins": [1]}, meters={"roulette_up": "1.0"})) == "bad_table"
    assert _code(_answer([UP], {"spins": [1]}, meters={"royal_9.mega": "1.000000"})) == "unknown_field"
    assert _code(_answer([UP], {"spins": [1]}, date="2023-01-01")) == "unknown_paytable"


# --- what is settled --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("odds", [1000, 500, 250, 100, 50, 25, 10])
def test_b2b_pays_what_was_drawn(odds: int) -> None:
    one = _one(_answer([B2B], {"previous": "00", "spins": ["00"], "drawn_odds": odds}))
    assert (one["line"], one["award_cents"], one["stake_returned_cents"]) == ("same_number", 500 * odds, 500)
    assert one["validation"] is False  # no progressive wager
    lost = _one(_answer([B2B], {"previous": 0, "spins": ["00"], "drawn_odds": odds}))
    assert (lost["result"], lost["line"], lost["award_cents"]) == ("lose", None, 0)


@pytest.mark.parametrize(
    ("balls", "line"),
    [
        ([7, 17, 27], "all_three"),
        ([27, 17, 36], "two_of_three"),
        ([7, 27, 1], "two_of_three"),
        ([7, 1, 3], "one_of_three"),
        ([17, 2, 4], "one_of_three"),
        ([1, 3, 36], "one_color"),
        ([2, 13, 35], "one_color"),
        ([1, 2, 3], "other"),
        ([0, 2, 4], "other"),
        ([0, "00", 1], "other"),
    ],
)
def test_the_bonus_round_by_its_balls(balls: list[int | str], line: str) -> None:
    for trigger in (7, 17, 27):
        for paytable, pays in (("3", {"all_three": 1000, "one_color": 11, "other": 6}),
                               ("2", {"all_three": 299, "one_color": 7, "other": 7})):  # fmt: skip
            one = _one(
                _answer([BLAZING], {"spins": [trigger], "bonus_balls": balls}, paytables={BLAZING["wager"]: paytable})
            )
            expected = "other" if (paytable, line) == ("2", "one_color") else line
            odds = {"two_of_three": 100, "one_of_three": 17, **pays}[line]
            assert (one["line"], one["award_cents"]) == (expected, 500 * odds)


def test_the_colours_of_a_wheel() -> None:
    """Eighteen red, eighteen black; on the double zero wheel, clockwise, they take turns from zero to zero."""
    colours = {name: POCKETS[name].colour for name in POCKETS}
    assert colours["0"] is colours["00"] is None
    for colour in ("red", "black"):
        assert sum(one == colour for one in colours.values()) == 18
    order = [28, 9, 26, 30, 11, 7, 20, 32, 17, 5, 22, 34, 15, 3, 24, 36, 13, 1]
    opposite = [27, 10, 25, 29, 12, 8, 19, 31, 18, 6, 21, 33, 16, 4, 23, 35, 14, 2]
    for half, first in ((order, "black"), (opposite, "red")):
        second = {"red": "black", "black": "red"}[first]
        assert [colours[str(number)] for number in half] == [first, second] * 9


def _names(*spins: int | str) -> tuple[Any, ...]:
    return tuple(POCKETS[str(spin)] for spin in spins)


@pytest.mark.parametrize(
    ("spins", "longest", "counts", "not_"),
    [
        ((36,), 8, 1, 1),  # U2: the starting number is in the 1 box
        ((35, 36), 8, 2, 1),
        ((1, 2, 36), 8, 3, 2),
        ((1, 2, 3, 4, 5, 6, 7, 36), 8, 8, 7),
        ((1, 2, 3, 4, 5, 6, 7, 8), 8, 8, 8),
        ((1, 2, 3, 4, 5, 6, 7, 8), 9, None, None),
        ((1, 2, 3, 4, 5, 6, 7, 8, 36), 9, 9, 8),
        ((0, "00", 1), 8, None, None),
        (("00", 0), 8, 1, 1),
        ((1, "00"), 8, 1, 1),
        ((0, 0), 8, 1, 1),
        ((5, 9, 9), 8, 2, 2),
        ((5, 9, 8, 10), 8, 2, 2),  # what comes after the end changes nothing
        ((), 8, None, None),
    ],
)
def test_streaks(spins: tuple[int | str, ...], longest: int, counts: int | None, not_: int | None) -> None:
    assert ended_streak(_names(*spins), longest, RECOMMENDED) == counts
    assert ended_streak(_names(*spins), longest, Readings(U1="not")) == not_


def test_a_36_that_does_not_count_is_settled_one_lower() -> None:
    spins = {"spins": [1, 2, 3, 4, 5, 6, 7, 8, 36]}
    won = _answer([UPP], spins)
    assert _one(won)["line"] == "streak_9"
    lower = _answer([UPP], spins, readings={"U1": "not"})
    one = _one(lower)
    assert (one["line"], one["award_cents"], one["validation"]) == ("streak_8", 1_500_000, True)  # 3,000 for 1
    assert lower["meters_after"] == {"roulette_up": "63218.450000"}
    assert _one(_answer([UP], {"spins": [35, 36]}, readings={"U1": "not"}))["result"] == "lose"


@pytest.mark.parametrize(("paytable", "line", "result"), [("A", None, "lose"), ("B", "streak_2", "push"),
                                                          ("E", "streak_2", "push"), ("D", None, "lose")])  # fmt: skip
def test_loss_and_push_as_printed(paytable: str, line: str | None, result: str) -> None:
    one = _one(_answer([UP], {"spins": [5, 9, 1]}, paytables={"roulette_up": paytable}))
    assert (one["result"], one["line"]) == (result, line)
    assert (one["award_cents"], one["stake_returned_cents"]) == (0, 500 if result == "push" else 0)


def test_a_row_of_nine_that_a_table_has_not_ends_the_streak_at_eight() -> None:
    eight = {"spins": [1, 5, 10, 13, 19, 25, 29, 34]}
    for paytable, line in (("3", None), ("4", "streak_8"), ("7", "streak_8")):
        one = _one(_answer([UPP], eight, paytables={"roulette_up_progressive": paytable}))
        assert one["line"] == line
        assert one["result"] == ("win" if line else "pending")


@pytest.mark.parametrize(
    ("paytable", "spins", "validated"),
    [("1", [1, 2, 3, 4, 5, 6, 1], True), ("2", [1, 2, 3, 4, 5, 6, 1], False), ("7", [1, 2, 3, 4, 5, 6, 7, 1], True)],
)
def test_over_200_for_one_is_validated(paytable: str, spins: list[int], validated: bool) -> None:
    """250, 200 and 450 for 1 (X21)."""
    one = _one(_answer([UPP], {"spins": spins}, paytables={"roulette_up_progressive": paytable}))
    assert (one["result"], one["from"], one["validation"]) == ("win", "table_inventory", validated)


NINE = {"spins": [0, "00", 3, 8, 16, 20, 23, 31, 33]}


def test_the_reseed_of_a_won_meter() -> None:
    def after(**more: Any) -> tuple[Any, Any]:
        answer = _answer([UPP, _on("roulette_up_progressive", 2, 100)], NINE, **more)
        return answer["meters_after"]["roulette_up"], answer.get("reserves_after", {}).get("roulette_up")

    assert after() == ("10000.000000", None)  # 10,000 times the smallest wager on the meter
    large = {"roulette_up": "40000.000000"}
    assert after(reserves=large) == ("10000.000000", "30000.000000")
    assert after(reserves=large, readings={"X17": "max"}) == ("40000.000000", "0.000000")
    assert after(reserves={"roulette_up": "1.500000"}) == ("10000.000000", "0.000000")
    assert after(seeds={"roulette_up": "7.000000"}) == ("7.000000", None)
    offered = {"roulette_up_progressive": {"paytable": "1", "denomination_cents": 500}}
    assert after(offered=offered) == ("50000.000000", None)


def test_a_shared_meter_by_both_readings() -> None:
    wagers = [_on("roulette_up_progressive", position) for position in (1, 2, 3)]
    equal = _answer(wagers, NINE, meters={"roulette_up": "100.008765"})
    assert [(one["position"], one["award_cents"]) for one in equal["settlements"]] == [(3, 3334), (2, 3333), (1, 3333)]
    assert equal["meters_after"]["roulette_up"] == "50000.008765"
    each = _answer(wagers, NINE, meters={"roulette_up": "100.008765"}, readings={"X4": "each"})
    assert {one["award_cents"] for one in each["settlements"]} == {10_000}


def test_several_numbers_at_one_position_are_several_wagers() -> None:
    wagers = [{**X, "number": number} for number in (36, 17, "00", 0, 4)]
    answer = _answer(wagers, {"spins": [17], "multipliers": LIT})
    assert [(one["number"], one["result"]) for one in answer["settlements"]] == [
        (0, "lose"),
        ("00", "lose"),
        (4, "lose"),
        (36, "lose"),
        (17, "win"),
    ]
    assert answer["settlements"][-1]["line"] == "multiplier"


def test_settlements_stand_in_the_order_of_the_dealer() -> None:
    wagers = [UP, B2B, BLAZING, X, _on("b2b_roulette", 9), {**X, "position": 9, "number": 18}]
    outcome = {
        "previous": 17,
        "spins": [17],
        "drawn_odds": 25,
        "bonus_balls": [1, 2, 3],
        "multipliers": {"4": 50, "5": 50},
    }
    answer = _answer(wagers, outcome)
    assert [(one["position"], one["wager"], one["result"]) for one in answer["settlements"]] == [
        (9, "roulette_x_straight", "lose"),
        (9, "b2b_roulette", "win"),
        (1, "b2b_roulette", "win"),
        (1, "blazing_7s_roulette", "win"),
        (1, "roulette_up", "pending"),
        (1, "roulette_x_straight", "win"),
    ]
    reversed_ = _answer(wagers[::-1], outcome)
    assert reversed_ == answer


# --- any round --------------------------------------------------------------------------------------------------------


@st.composite
def rounds(draw: st.DrawFn) -> RoundToSettle[Spun]:
    """Any round of one spin with any wagers, or any part of a streak with Roulette Up wagers."""
    wheel = draw(st.sampled_from(Wheel))
    pocket = st.sampled_from(pockets_of(wheel))
    readings = Readings.choose(draw(st.fixed_dictionaries({k: st.sampled_from(v) for k, v in ALLOWED.items()})))
    paytables = {
        **PAYTABLES,
        "roulette_up": draw(st.sampled_from("ABCDE")),
        "roulette_up_progressive": draw(st.sampled_from("1234567")),
        "blazing_7s_roulette": draw(st.sampled_from("1234")),
    }
    streak = draw(st.booleans())
    names = ["roulette_up", "roulette_up_progressive"] if streak else list(PAYTABLES)
    spots = draw(st.lists(st.tuples(st.integers(1, 7), st.sampled_from(names)), unique=True, min_size=1, max_size=12))
    wagers = tuple(
        PlacedWager(position, name, draw(st.integers(1, 10_000)), draw(pocket) if "straight" in name else None)
        for position, name in spots
    )
    spins = tuple(sorted(draw(st.sets(pocket, min_size=1, max_size=9)))) if streak else (draw(pocket),)
    if streak:
        tops = {"roulette_up": 8, "roulette_up_progressive": 9 if paytables["roulette_up_progressive"] < "4" else 8}
        spins += (spins[0],)
        longest = max(tops[placed.wager] for placed in wagers)
        used = next(n for n in range(1, len(spins) + 1) if ended_streak(spins[:n], longest, readings) is not None)
        spins = spins[: draw(st.integers(1, used))]
    sevens = spins[0].name in ("7", "17", "27")
    return RoundToSettle(
        game=ROULETTE,
        table=Table(wheel=wheel),
        offered={name: Offer(paytable) for name, paytable in paytables.items()},
        wagers=wagers,
        dealt=Spun(
            spins,
            previous=draw(pocket | st.just(spins[0])),
            drawn_odds=draw(st.sampled_from([1000, 500, 250, 100, 50, 25, 10])),
            bonus_balls=tuple(draw(st.lists(pocket, unique=True, min_size=3, max_size=3))) if sevens else None,
            multipliers=draw(st.dictionaries(pocket, st.sampled_from([50, 100, 250, 500]), min_size=2, max_size=5)),
        ),
        meters={"roulette_up": draw(st.integers(0, 10**12))},
        readings=readings,
    )


@settings(max_examples=400, deadline=None)
@given(rounds())
def test_every_round_lands_on_one_result_and_money_is_conserved(round_: RoundToSettle[Spun]) -> None:
    settled = settle(round_, CATALOGUE)
    stakes = {(placed.position, placed.wager): placed.cents for placed in round_.wagers}
    assert {(one.position, one.wager) for one in settled.settlements} == set(stakes)
    assert len(settled.settlements) == len(stakes)
    keys = [
        (one.result is not Result.LOSE, -one.position, list(PAYTABLES).index(one.wager)) for one in settled.settlements
    ]
    assert keys == sorted(keys)
    from_meter = 0
    for one in settled.settlements:
        if one.result in (Result.LOSE, Result.PENDING):
            assert (one.award_cents, one.stake_returned_cents, one.line, one.source) == (0, 0, None, None)
        else:
            assert one.line is not None
        from_meter += one.award_cents if one.meter else 0
    before, after = round_.meters["roulette_up"], settled.meters_after["roulette_up"]
    winners = [one for one in settled.settlements if one.meter]
    if not winners:
        assert after == before
    elif round_.readings.X4 == "equal":
        assert from_meter == floor_to_cents(before)
        assert after % MICRO_PER_CENT == before % MICRO_PER_CENT
