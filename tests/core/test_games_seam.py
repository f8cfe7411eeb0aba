"""What every game stands on, tried with a game of this test's own: verdicts, rows and seeds of every kind,
limits of paytables, envy bonuses, straight wagers, weights.

What a round of it shows is the verdict itself, by wager and, where the wager is judged at each position, by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace as replace_struct

from firmware.core.cards import Suit
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.pays import (
    DrawnToOne,
    ForOne,
    FromReserve,
    Pay,
    SeedAmount,
    TimesOrDollars,
    TimesWager,
    ToOne,
    Unpaid,
    WholeMeter,
)
from firmware.core.paytables import Catalogue, EnvyLine, Line, Paytable, Seed, WagerText
from firmware.core.readings import Readings
from firmware.core.roulette_wheel import POCKETS, Pocket, Wheel, pockets_of
from firmware.core.settlement import settle
from firmware.core.settlement_data import InterimAward, Offer, Result, RoundToSettle, SettledRound, Settlement, Source
from firmware.core.wagers.wager import (
    LOST,
    PENDING,
    Game,
    Interim,
    Lost,
    Pending,
    PlacedWager,
    Play,
    Pushed,
    Seat,
    Stage,
    Table,
    TableKey,
    Verdict,
    Wager,
    Won,
)
from firmware.interfaces.round_json import write_round
from firmware.odds.verdicts import Chances, Distribution, Setup
from firmware.odds.wager_odds import wager_odds
from firmware.odds.weights import WeightsError, read_weights

Shown = Mapping[int, Verdict]


def _judge(dealt: Shown, seat: Seat) -> Verdict:
    return dealt[seat.position]


def _on_number(dealt: Shown, seat: Seat) -> Verdict:
    return Won(("top",)) if seat.number == POCKETS["17"] else LOST


def _anything_goes(_play: Play[Shown]) -> None:
    return None


LINES = ("top", "middle", "low")
SEATED = Wager("seated", Stage.FINAL, LINES, _judge, per_position=True)
WORKING = Wager("working", Stage.FINAL, LINES, _judge, per_position=True, interim=True)
STRAIGHT = Wager("straight", Stage.FINAL, LINES, _on_number, on_number=True)
SUITED = Wager("suited", Stage.FINAL, LINES, _judge, per_position=True, needs=frozenset({TableKey.DECLARED_SUIT}))
GAME: Game[Shown] = Game(
    "test",
    (SEATED, WORKING, STRAIGHT, SUITED),
    _anything_goes,
    takes=frozenset({TableKey.DECKS, TableKey.WHEEL, TableKey.DECLARED_SUIT}),
)


def _paytable(*pays: Pay, **more: object) -> Paytable:
    lines = tuple(Line(name, pay, "1(a)", name) for name, pay in zip(LINES, pays, strict=True))
    return replace(Paytable("x", "1(a)", (Line("none", Unpaid.LOSS, "", ""),)), lines=lines, **more)  # type: ignore[arg-type]


def _catalogue(paytable: Paytable) -> Catalogue:
    return Catalogue(
        WagerText("test", wager.name, "1", "", "2021-01-01", None, None, (paytable,)) for wager in GAME.wagers
    )


def _settle(
    paytable: Paytable,
    dealt: Shown,
    *wagers: PlacedWager,
    table: Table | None = None,
    meters: Mapping[str, int] | None = None,
    seeds: Mapping[str, int] | None = None,
    reserves: Mapping[str, int] | None = None,
    denomination_cents: int | None = None,
    **readings: str,
) -> SettledRound:
    return settle(
        RoundToSettle(
            game=GAME,
            table=table or Table(8),
            offered={wager.name: Offer("x", denomination_cents) for wager in GAME.wagers},
            wagers=wagers,
            dealt=dealt,
            meters=meters or {},
            seeds=seeds or {},
            reserves=reserves,
            readings=Readings.choose(dict(readings)),
        ),
        _catalogue(paytable),
    )


def _one(paytable: Paytable, verdict: Verdict, wager: str = "seated", cents: int = 500) -> Settlement:
    (one,) = _settle(paytable, {1: verdict}, PlacedWager(1, wager, cents)).settlements
    return one


def _code(*arguments: object, **more: object) -> ErrorCode:
    with pytest.raises(SettlementError) as raised:
        _settle(*arguments, **more)  # type: ignore[arg-type]
    return raised.value.code


# --- verdicts and rows ------------------------------------------------------------------------------------------------

PLAIN = _paytable(ToOne(30, 1), ForOne(5, 1), ToOne(1, 1))
ROWS = _paytable(Unpaid.NOT_IN_TABLE, Unpaid.PUSH, Unpaid.LOSS)


@pytest.mark.parametrize(
    ("paytable", "verdict", "result", "line", "award", "returned"),
    [
        (PLAIN, Lost(), Result.LOSE, None, 0, 0),
        (PLAIN, Pushed(), Result.PUSH, None, 0, 500),
        (PLAIN, Pushed("low"), Result.PUSH, "low", 0, 500),
        (PLAIN, PENDING, Result.PENDING, None, 0, 0),
        (PLAIN, Won(("top",)), Result.WIN, "top", 15_000, 500),
        (PLAIN, Won(("middle",)), Result.WIN, "middle", 2_500, 0),
        (PLAIN, Won(("low", "top")), Result.WIN, "low", 500, 500),  # the first that the paytable has, whatever it pays
        (PLAIN, Won(("low", "top"), by_amount=True), Result.WIN, "top", 15_000, 500),
        (ROWS, Won(("top",)), Result.LOSE, None, 0, 0),
        (ROWS, Won(("top", "middle")), Result.PUSH, "middle", 0, 500),
        (ROWS, Won(("top", "low")), Result.LOSE, None, 0, 0),
    ],
)
def test_every_verdict_on_every_row(
    paytable: Paytable, verdict: Verdict, result: Result, line: str | None, award: int, returned: int
) -> None:
    one = _one(paytable, verdict)
    assert (one.result, one.line, one.award_cents, one.stake_returned_cents) == (result, line, award, returned)
    assert one.source is (Source.TABLE_INVENTORY if result is Result.WIN else None)
    assert (one.meter, one.validation, one.interim, one.section) == (None, False, None, "1(a)")


DRAWN = _paytable(DrawnToOne((1000, 500, 10)), DrawnToOne((15,), or_more=True), ToOne(1, 1))


@pytest.mark.parametrize(("line", "odds"), [("top", 1000), ("top", 10), ("middle", 15), ("middle", 8_000)])
def test_drawn_odds(line: str, odds: int) -> None:
    one = _one(DRAWN, Won((line,), odds=odds))
    assert (one.award_cents, one.stake_returned_cents) == (500 * odds, 500)


@pytest.mark.parametrize(("line", "odds"), [("top", 250), ("middle", 14), ("top", None), ("low", 5)])
def test_drawn_odds_that_the_table_does_not_have_are_a_fault_of_the_program(line: str, odds: int | None) -> None:
    with pytest.raises(ValueError, match="to 1"):
        _one(DRAWN, Won((line,), odds=odds))


@pytest.mark.parametrize("made", [Lost, Pending])
def test_payments_while_a_wager_works(made: type[Lost] | type[Pending]) -> None:
    one = _one(PLAIN, made((Interim("middle", True), Interim("middle", False))), "working")
    assert one.interim == (InterimAward("middle", 2_500), InterimAward("middle", 0))
    assert one.award_cents == 0
    assert _one(PLAIN, LOST, "working").interim == ()


def test_lines_of_the_answer() -> None:
    settled = _settle(
        PLAIN,
        {1: Lost((Interim("middle", True),))},
        PlacedWager(1, "working", 500),
        PlacedWager(1, "straight", 500, POCKETS["17"]),
        table=Table(wheel=Wheel.DOUBLE_ZERO),
    )
    lost, won = msgspec.json.decode(write_round("r", settled))["settlements"]
    assert lost["interim"] == [{"line": "middle", "award_cents": 2_500}] and "number" not in lost
    assert won["number"] == 17 and "interim" not in won


# --- straight wagers --------------------------------------------------------------------------------------------------


def test_several_numbers_of_a_position_are_several_wagers_in_the_order_of_the_wheel() -> None:
    numbers = ("5", "00", "17", "0", "1")
    wagers = [PlacedWager(2, "straight", 100, POCKETS[number]) for number in numbers]
    settled = _settle(PLAIN, {}, *wagers)
    assert [one.number.value for one in settled.settlements if one.number] == [0, "00", 1, 5, 17]
    assert [one.result for one in settled.settlements] == [Result.LOSE] * 4 + [Result.WIN]
    assert settled == _settle(PLAIN, {}, *reversed(wagers))


def test_a_straight_wager_has_a_number_and_no_number_twice() -> None:
    placed = PlacedWager(1, "straight", 100, POCKETS["5"])
    assert _code(PLAIN, {}, placed, placed) is ErrorCode.BAD_WAGER
    assert _code(PLAIN, {}, replace_struct(placed, number=None)) is ErrorCode.MISSING_FIELD


def test_pockets() -> None:
    assert [Pocket.parse(value) for value in (0, "00", 36)] == [POCKETS["0"], POCKETS["00"], POCKETS["36"]]
    assert [Pocket.parse(value) for value in (37, -1, "0", "17", True, 1.0, None, "000")] == [None] * 8
    assert POCKETS["0"] < POCKETS["00"] < POCKETS["1"] < POCKETS["36"]
    assert [len(pockets_of(wheel)) for wheel in (Wheel.SINGLE_ZERO, Wheel.DOUBLE_ZERO)] == [37, 38]
    assert POCKETS["00"] not in pockets_of(Wheel.SINGLE_ZERO)


# --- what a paytable asks of the table --------------------------------------------------------------------------------


@pytest.mark.parametrize(("decks", "good"), [(2, False), (3, True), (8, True), (9, False)])
def test_decks_of_a_paytable(decks: int, good: bool) -> None:
    paytable = replace(PLAIN, least_decks=3, most_decks=8)
    if good:
        _settle(paytable, {1: LOST}, PlacedWager(1, "seated", 5), table=Table(decks))
    else:
        assert _code(paytable, {1: LOST}, table=Table(decks)) is ErrorCode.BAD_TABLE


def test_wheels_of_a_paytable() -> None:
    paytable = replace(PLAIN, wheels=(Wheel.DOUBLE_ZERO,))
    _settle(paytable, {}, table=Table(wheel=Wheel.DOUBLE_ZERO))
    assert _code(paytable, {}, table=Table(wheel=Wheel.SINGLE_ZERO)) is ErrorCode.BAD_TABLE


def test_least_wager_of_a_paytable() -> None:
    paytable = replace(PLAIN, least_cents=500)
    _settle(paytable, {1: LOST}, PlacedWager(1, "seated", 500))
    assert _code(paytable, {1: LOST}, PlacedWager(1, "seated", 499)) is ErrorCode.BAD_WAGER


def test_a_table_that_does_not_state_what_a_wager_needs() -> None:
    assert _code(PLAIN, {1: LOST}, PlacedWager(1, "suited", 500)) is ErrorCode.MISSING_FIELD
    _settle(PLAIN, {1: LOST}, PlacedWager(1, "seated", 500))


# --- meters -----------------------------------------------------------------------------------------------------------

_SUITED_TABLE = Table(8, declared_suit=Suit.SPADES)

METERS = {"pot": 12_345_678_901}


def _progressive(*amounts: SeedAmount | Seed, **more: object) -> Paytable:
    seeds = tuple(one if isinstance(one, Seed) else Seed("pot", one, "1(b)") for one in amounts)
    return _paytable(WholeMeter("pot"), WholeMeter("pot"), ToOne(1, 1), seeds=seeds, **more)


def _reseed(paytable: Paytable, **more: object) -> int:
    wagers = (PlacedWager(1, "seated", 500), PlacedWager(2, "seated", 100))
    settled = _settle(paytable, {1: Won(("top",)), 2: LOST}, *wagers, meters=METERS, **more)  # type: ignore[arg-type]
    return settled.meters_after["pot"] - 8_901  # the fraction of a cent stays in the meter


def test_a_seed_in_wagers_multiplies_the_denomination_or_the_smallest_wager_on_the_meter() -> None:
    paytable = _progressive(TimesWager(2_000))
    assert _reseed(paytable) == 2_000_000_000  # the loser's $1 counts: it is on the meter too
    assert _reseed(paytable, denomination_cents=500) == 10_000_000_000
    assert _reseed(paytable, seeds={"pot": 7_000_000}) == 7_000_000


def test_a_seed_printed_in_dollars_under_a_heading_of_wagers() -> None:
    paytable = _progressive(TimesOrDollars(2_000))
    assert _reseed(paytable, denomination_cents=500) == 10_000_000_000
    assert _reseed(paytable, denomination_cents=500, G6="dollars") == 2_000_000_000


def test_a_seed_that_is_not_printed_is_the_reserve() -> None:
    paytable = _progressive(FromReserve.BALANCE)
    assert _reseed(paytable) == 0  # the round says nothing of reserves: they count as empty (decision 0080)
    assert _reseed(paytable, seeds={"pot": 7_000_000}) == 7_000_000
    won = {1: Won(("top",))}
    placed = PlacedWager(1, "seated", 500)
    settled = _settle(paytable, won, placed, meters=METERS, reserves={"pot": 4_000_000})
    assert (settled.meters_after, settled.reserves_after) == ({"pot": 4_008_901}, {"pot": 0})
    assert _code(paytable, won, placed, meters=METERS, reserves={}) is ErrorCode.MISSING_FIELD
    assert _code(paytable, {1: LOST}, placed, meters=METERS, reserves={}) is ErrorCode.MISSING_FIELD


def test_seeds_by_decks() -> None:
    three = Seed("pot", TimesWager(3_000), "1(b)", least_decks=3, most_decks=3)
    more = Seed("pot", TimesWager(2_000), "1(b)", least_decks=4)
    paytable = _progressive(three, more, least_decks=3, most_decks=8)
    assert [_reseed(paytable, table=Table(decks)) for decks in (3, 4, 8)] == [3_000_000_000, *[2_000_000_000] * 2]
    with pytest.raises(ValueError, match="for 4 decks"):
        _progressive(three, replace_struct(more, least_decks=5), least_decks=3, most_decks=8)
    with pytest.raises(ValueError, match="for 3 decks"):
        _progressive(three, replace_struct(more, least_decks=3), least_decks=3, most_decks=8)


def test_two_lines_of_one_meter_are_one_meter() -> None:
    """G5, X4: winners of different lines that pay the same meter share it."""
    paytable = _progressive(TimesWager(2_000))
    assert paytable.meters == ("pot",)
    dealt = {1: Won(("top",)), 2: Won(("middle",))}
    settled = _settle(paytable, dealt, PlacedWager(1, "seated", 500), PlacedWager(2, "seated", 100), meters=METERS)
    assert [one.award_cents for one in settled.settlements] == [617_284, 617_283]


# --- envy -------------------------------------------------------------------------------------------------------------


def test_envy_is_paid_to_every_other_wager_for_every_winner() -> None:
    """X25, Y6: none for the own hand; a winner beside another gets the other's; odds without the stake (Y9)."""
    paytable = _progressive(TimesWager(10_000), envy=(EnvyLine("top", ToOne(500, 1), "1(k)"),))
    dealt = {1: LOST, 2: Won(("top",)), 3: Won(("low",)), 5: Won(("top",))}
    wagers = [PlacedWager(position, "seated", 100 * position) for position in dealt]
    settled = _settle(paytable, dealt, *wagers, PlacedWager(3, "suited", 100), meters=METERS, table=_SUITED_TABLE)
    assert [(one.position, one.award_cents, one.because_of) for one in settled.envy] == [
        (5, 250_000, 2),
        (3, 150_000, 5),
        (3, 150_000, 2),
        (2, 100_000, 5),
        (1, 50_000, 5),
        (1, 50_000, 2),
    ]
    assert {(one.wager, one.section) for one in settled.envy} == {("seated", "1(k)")}
    assert sum(one.award_cents for one in settled.settlements if one.meter) == 1_234_567


def test_an_envy_bonus_is_for_a_line_of_the_paytable() -> None:
    with pytest.raises(ValueError, match="envy"):
        replace(PLAIN, envy=(EnvyLine("crown", ToOne(500, 1), "1(k)"),))


# --- texts ------------------------------------------------------------------------------------------------------------


def test_a_text_that_only_adds_paytables_leaves_the_others_in_force() -> None:
    first = WagerText("test", "seated", "1a", "", "2020-01-01", None, None, (replace(PLAIN, name="A"),))
    added = WagerText("test", "seated", "1b", "", "2024-01-01", "2026-01-01", None, (PLAIN,), adds_to="1a")
    catalogue = Catalogue([added, first])
    assert [table.name for table in catalogue.paytables("test", "seated")] == ["A", "x"]
    assert [table.name for table in catalogue.paytables("test", "seated", "2023-01-01")] == ["A"]
    assert [table.name for table in catalogue.paytables("test", "seated", "2024-01-01")] == ["A", "x"]
    assert [table.name for table in catalogue.paytables("test", "seated", "2026-01-01")] == ["A"]
    replacing = Catalogue([replace_struct(added, adds_to=None), first])
    assert [table.name for table in replacing.paytables("test", "seated")] == ["x"]
    with pytest.raises(SettlementError, match="has no paytable 'Z'; there is A, x"):
        catalogue.paytable("test", "seated", "Z")


# --- odds and weights -------------------------------------------------------------------------------------------------


def test_chances_sum_to_one() -> None:
    with pytest.raises(ValueError, match="not to 1"):
        Chances({LOST: Fraction(1, 2)})
    half = Fraction(1, 2)
    assert Chances.weighted([(half, LOST), (half, LOST)]).of == {LOST: 1}
    assert Chances.counted({LOST: 3, PENDING: 1}).of == {LOST: Fraction(3, 4), PENDING: Fraction(1, 4)}


def test_odds_of_drawn_and_unpaid_rows() -> None:
    """Half of the rounds lose; of the rest a drawn 10 or 500, a row that pushes and one that loses, alike."""
    eighth = Fraction(1, 8)
    paytable = _paytable(DrawnToOne((500, 10)), Unpaid.PUSH, Unpaid.LOSS)
    verdicts = (Won(("top",), odds=500), Won(("top",), odds=10), Won(("middle",)), Won(("low",)))
    odds = wager_odds(
        "seated", "test", paytable, Setup(), Chances({LOST: 4 * eighth} | dict.fromkeys(verdicts, eighth))
    )
    assert [line.probability for line in odds.lines] == [2 * eighth, 0, 0]
    assert (odds.lose, odds.push) == (5 * eighth, eighth)
    assert odds.house_edge == 1 - eighth - eighth * 501 - eighth * 11
    with pytest.raises(ValueError, match="undecided"):
        wager_odds("seated", "test", paytable, Setup(), Chances({PENDING: Fraction(1)}))


def test_break_even_of_a_meter_and_of_one_without_a_printed_seed() -> None:
    chances = Chances({LOST: Fraction(99, 100), Won(("top",)): Fraction(1, 200), Won(("middle",)): Fraction(1, 200)})
    odds = wager_odds("seated", "test", _progressive(TimesWager(50)), Setup(decks=8), chances)
    assert odds.meters is not None
    assert odds.house_edge == 1
    assert odds.meters.break_even_micro == 100 * 1_000_000  # a hundred times the stake, of a dollar (decision 0093)
    assert odds.meters.seed_house_edge == Fraction(1, 2)
    unprinted = wager_odds("seated", "test", _progressive(FromReserve.BALANCE), Setup(decks=8), chances).meters
    assert unprinted is not None
    assert (unprinted.break_even_micro, unprinted.seed_house_edge) == (100 * 1_000_000, None)


KNOWN = {"draw": Distribution("draw", ("10", "20"), frozenset({"30"}))}


def test_weights(tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text('[weights."draw"]\n10 = "1/2"\n20 = "1/4"\n30 = "2/8"\n')
    assert read_weights(file, KNOWN) == {"draw": {"10": Fraction(1, 2), "20": Fraction(1, 4), "30": Fraction(1, 4)}}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('[weights.draw]\n10 = "1/2"\n20 = "1/3"\n', "sum to 5/6"),
        ('[weights.draw]\n10 = "1/1"\n', "20: missing"),
        ('[weights.draw]\n10 = "1/2"\n20 = "1/4"\n40 = "1/4"\n', "40: the regulation does not list"),
        ('[weights.draw]\n10 = "1/1"\n20 = "0/1"\n', "above zero"),
        ('[weights.draw]\n10 = "1/1"\n20 = "-1/2"\n', "above zero"),
        ('[weights.draw]\n10 = "0.5"\n20 = "1/2"\n', "fraction"),
        ("[weights.draw]\n10 = 0.5\n20 = 0.5\n", "expected tables"),
        ('[weights.drow]\n10 = "1/1"\n', "no such distribution; there is draw"),
        ("[table]\n", "expected tables"),
        ("[weights", "expected tables"),
    ],
)
def test_wrong_weights_are_refused_with_their_place(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "weights.toml"
    file.write_text(content)
    with pytest.raises(WeightsError, match=told) as raised:
        read_weights(file, KNOWN)
    assert str(file) in str(raised.value)


def test_no_file_of_weights(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="No such file"):
        read_weights(tmp_path / "none.toml", KNOWN)
