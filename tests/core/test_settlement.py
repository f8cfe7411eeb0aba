"""Settlement as a whole: its properties over any round, and the rules that the public vectors do not reach."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import DECK, Card
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import MICRO_PER_CENT, floor_to_cents
from firmware.core.pays import (
    Dollars,
    ForOne,
    Paid,
    ToOne,
    WholeMeter,
)
from firmware.core.paytables import Catalogue, Line, Paytable, Seed, WagerText
from firmware.core.readings import ALLOWED, RECOMMENDED, Readings
from firmware.core.settlement import needs_validation, reseed_from, seed_micro, settle
from firmware.core.settlement_data import Offer, Result, RoundToSettle, SettledRound, Source
from firmware.core.wagers.baccarat import BACCARAT
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.midibaccarat import MIDIBACCARAT
from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import (
    Game,
    PlacedWager,
    Play,
    Seat,
    Stage,
    Table,
    Verdict,
    Wager,
    Won,
)
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
COMBINATIONS = {
    position: frozenset(map(Card.parse, pair.split()))
    for position, pair in enumerate(("KS 9H", "KD 9C", "KH 9H", "KC 9S", "KS 9S", "KH 9D", "KC 9D"), start=1)
}
METERS = {"royal_9.mega": 50_000_000_000, "royal_9.major": 712_345_678, "royal_9.minor": 450_000_000}
NAMES = tuple(wager.name for wager in MINIBACCARAT.wagers)


def hand(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(card) for card in text.split())


def _round(player: str, banker: str, *wagers: PlacedWager) -> RoundToSettle[TwoHands]:
    return RoundToSettle(
        game=MINIBACCARAT,
        table=Table(8, COMBINATIONS),
        offered={
            **{name: Offer("-") for name in NAMES},
            "perfect_pairs_player": Offer("A"),
            "perfect_pairs_banker": Offer("B"),
            "royal_9_progressive": Offer("5"),
        },
        wagers=wagers,
        dealt=TwoHands(hand(player), hand(banker)),
        meters=METERS,
    )


def _royal(position: int) -> PlacedWager:
    return PlacedWager(position, "royal_9_progressive", 500)


GAMES_OF_TWO_HANDS = (MINIBACCARAT, MIDIBACCARAT, BACCARAT)


@st.composite
def rounds(draw: st.DrawFn) -> RoundToSettle[TwoHands]:
    """Any round that can be played, kings and nines more often than chance gives them."""
    game = draw(st.sampled_from(GAMES_OF_TWO_HANDS))
    paytables = {wager.name: draw(st.sampled_from(CATALOGUE.paytables(game.name, wager.name))) for wager in game.wagers}
    meters = [meter for paytable in paytables.values() for meter in paytable.meters]
    likely = [card for card in DECK if card.rank in ("K", "9")]
    cards = iter(draw(st.lists(st.sampled_from(DECK) | st.sampled_from(likely), min_size=6, max_size=6)))
    dealt: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
    while (due := next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])) is not None:
        dealt[due] += (next(cards),)
    spots = draw(st.lists(st.tuples(st.integers(1, 7), st.sampled_from(sorted(paytables))), unique=True, max_size=20))
    placed = tuple(
        PlacedWager(
            position,
            name,
            paytables[name].denomination_cents or draw(st.integers(paytables[name].least_cents, 10_000)),
        )
        for position, name in spots
    )
    amounts = st.integers(min_value=0, max_value=10**12)
    return RoundToSettle(
        game=game,
        table=Table(8, COMBINATIONS),
        offered={name: Offer(paytable.name) for name, paytable in paytables.items()},
        wagers=placed,
        dealt=TwoHands(dealt[Hand.PLAYER], dealt[Hand.BANKER]),
        meters={meter: draw(amounts) for meter in meters},
        reserves=draw(st.none() | st.fixed_dictionaries(dict.fromkeys(meters, amounts))),
        readings=Readings.choose(draw(st.fixed_dictionaries({k: st.sampled_from(v) for k, v in ALLOWED.items()}))),
    )


@settings(max_examples=300, deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(round_: RoundToSettle[TwoHands], random: object) -> None:
    shuffled = list(round_.wagers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    offered = dict(reversed(list(round_.offered.items())))
    assert settle(replace(round_, wagers=tuple(shuffled), offered=offered), CATALOGUE) == settle(round_, CATALOGUE)


@settings(max_examples=300, deadline=None)
@given(rounds())
def test_the_two_stages_are_parts_of_the_whole(round_: RoundToSettle[TwoHands]) -> None:
    four = replace(round_, dealt=TwoHands(round_.dealt.player[:2], round_.dealt.banker[:2]))
    initial = settle(four, CATALOGUE, Stage.INITIAL)
    assert initial == settle(round_, CATALOGUE, Stage.INITIAL)
    final = settle(round_, CATALOGUE, Stage.FINAL)
    whole = settle(round_, CATALOGUE)
    assert Counter(initial.settlements) + Counter(final.settlements) == Counter(whole.settlements)
    assert _keeps_order(initial, whole) and _keeps_order(final, whole)
    for meter, before in round_.meters.items():
        changes = (initial.meters_after[meter] - before) + (final.meters_after[meter] - before)
        assert whole.meters_after[meter] - before == changes


def _keeps_order(part: SettledRound, whole: SettledRound) -> bool:
    rest = iter(whole.settlements)
    return all(one in rest for one in part.settlements)


@settings(max_examples=500, deadline=None)
@given(rounds())
def test_money_is_conserved_and_never_negative(round_: RoundToSettle[TwoHands]) -> None:
    settled = settle(round_, CATALOGUE)
    stakes = {(placed.position, placed.wager): placed.cents for placed in round_.wagers}
    assert len(settled.settlements) == len(stakes)
    paid: Counter[str] = Counter()
    for one in settled.settlements:
        stake = stakes.pop((one.position, one.wager))
        assert one.award_cents >= 0
        assert one.stake_returned_cents in (0, stake)
        if one.result is Result.LOSE:
            assert (one.award_cents, one.stake_returned_cents, one.line, one.source) == (0, 0, None, None)
        if one.result is Result.PUSH:
            assert (one.award_cents, one.stake_returned_cents, one.source) == (0, stake, None)
        assert (one.meter is not None) == (one.source is Source.METER)
        if one.meter is not None:
            paid[one.meter] += one.award_cents
            assert one.validation
    for meter, before in round_.meters.items():
        after = settled.meters_after[meter]
        if meter not in paid:
            assert after == before
            continue
        winners = sum(one.meter == meter for one in settled.settlements)
        assert paid[meter] == floor_to_cents(before) * (winners if round_.readings.X4 == "each" else 1)
        seed = _printed_seed(round_, meter)
        reserve = (round_.reserves or {}).get(meter, 0)
        value = max(seed, reserve) if round_.readings.X17 == "max" else seed
        assert after == value + before % MICRO_PER_CENT
        if settled.reserves_after is not None:
            assert 0 <= settled.reserves_after[meter] == reserve - min(reserve, value)
    assert (settled.reserves_after is None) == (round_.reserves is None)


def _printed_seed(round_: RoundToSettle[TwoHands], meter: str) -> int:
    for wager, offer in round_.offered.items():
        paytable = CATALOGUE.paytable(round_.game.name, wager, offer.paytable)
        if meter in paytable.meters:
            return seed_micro(paytable.seed(meter, 8).amount, 500, RECOMMENDED) or 0
    raise AssertionError(meter)


@settings(max_examples=200, deadline=None)
@given(rounds())
def test_losers_first_then_from_the_highest_position_in_the_order_of_the_game(round_: RoundToSettle[TwoHands]) -> None:
    settled = settle(round_, CATALOGUE).settlements
    keys = [(one.result is not Result.LOSE, -one.position, round_.game.by_name[one.wager][0]) for one in settled]
    assert keys == sorted(keys)


def test_the_final_stage_needs_the_third_cards_and_the_initial_does_not() -> None:
    four = _round("2S 3S", "2H 3H", PlacedWager(1, "player_pair", 100), PlacedWager(1, "tie", 100))
    assert [one.wager for one in settle(four, CATALOGUE, Stage.INITIAL).settlements] == ["player_pair"]
    for stage in (Stage.FINAL, Stage.ALL):
        with pytest.raises(SettlementError) as raised:
            settle(four, CATALOGUE, stage)
        assert raised.value.code is ErrorCode.IMPOSSIBLE_CARDS


def test_r7_by_setting_and_to_the_cent() -> None:
    """Position 3's suited Major beside a suited Royal 9: Suited Tie is $1,500."""

    def line(major_micro: int, reading: str) -> str | None:
        round_ = replace(
            _round("JC 9C", "KH 9H", _royal(3)),
            meters={**METERS, "royal_9.major": major_micro},
            readings=Readings.choose({"R7": reading}),
        )
        return settle(round_, CATALOGUE).settlements[0].line

    assert line(1_499_999_999, "highest") == "suited_royal_9_tie"
    assert line(1_500_000_000, "highest") == "major_jackpot"  # equal: the row that stands higher
    assert line(1_500_009_999, "highest") == "major_jackpot"
    assert line(1_000_000_000, "table") == "major_jackpot"


def test_readings_of_the_commission_free_game() -> None:
    def result(wager: str, **readings: str) -> Result:
        round_ = replace(
            _round("6H KD", "6C QS", PlacedWager(1, wager, 1_000)), readings=Readings.choose(dict(readings))
        )
        return settle(round_, CATALOGUE).settlements[0].result

    assert [result(wager) for wager in ("lucky_six", "player", "banker", "tie")] == [
        Result.LOSE,
        Result.PUSH,
        Result.PUSH,
        Result.WIN,
    ]
    assert result("lucky_six", C1="push") is Result.PUSH
    assert result("player", C3="lose") is result("banker", C3="lose") is Result.LOSE


def test_half_a_cent_by_setting() -> None:
    def award(reading: str) -> int:
        round_ = replace(
            _round("2H 3D TH", "KC 6S", PlacedWager(1, "banker", 25)), readings=Readings.choose({"C2": reading})
        )
        return settle(round_, CATALOGUE).settlements[0].award_cents

    assert (award("up"), award("down")) == (13, 12)


@pytest.mark.parametrize(
    ("seed", "reserve", "reading", "reseed", "left"),
    [(450, 0, "seed", 450, 0), (450, 100, "seed", 450, 0), (450, 450, "seed", 450, 0), (450, 700, "seed", 450, 250),
     (450, 100, "max", 450, 0), (450, 700, "max", 700, 0)],
)  # fmt: skip
def test_a_reseed_is_drawn_from_the_reserve_first(
    seed: int, reserve: int, reading: str, reseed: int, left: int
) -> None:
    assert reseed_from(seed, reserve, Readings.choose({"X17": reading})) == (reseed, left)


def test_a_filed_seed_above_the_minimum_is_the_reseed() -> None:
    round_ = replace(_round("KS 9H", "4D 2C", _royal(1)), seeds={"royal_9.minor": 600_000_000})
    assert settle(round_, CATALOGUE).meters_after["royal_9.minor"] == 600_000_000


PROGRESSIVE = Paytable(
    "x", "0", (Line("m", WholeMeter("pot"), "0", "m"),), (Seed("pot", Dollars(1_000), "0"),), denomination_cents=500
)


@pytest.mark.parametrize(
    ("pay", "held"),
    [(ToOne(200, 1), True), (ToOne(199, 1), False), (ToOne(399, 2), True), (ForOne(200, 1), False),
     (ForOne(201, 1), True), (Dollars(100_000), False), (Dollars(100_001), True), (WholeMeter("pot"), True)],
)  # fmt: skip
def test_what_the_floorperson_validates(pay: Paid, held: bool) -> None:
    assert needs_validation(pay, PROGRESSIVE, 500) is held
    plain = dataclasses.replace(PROGRESSIVE, lines=(Line("x", ToOne(1, 1), "0", "x"),), seeds=())
    assert not needs_validation(pay, plain, 500)


# --- a game of this test's own: one wager that everybody wins, so that a meter is shared ------------------------------


def _everybody_wins(_dealt: str, _seat: Seat) -> Verdict:
    return Won(("m",))


def _anything_goes(_play: Play[str]) -> None:
    return None


SHARING: Game[str] = Game("sharing", (Wager("all", Stage.FINAL, ("m",), _everybody_wins),), _anything_goes)
SHARING_CATALOGUE = Catalogue([WagerText("sharing", "all", "0", "", "2021-01-01", None, None, (PROGRESSIVE,))])


def _shared(positions: list[int], pot: int, readings: Readings = RECOMMENDED) -> SettledRound:
    wagers = tuple(PlacedWager(position, "all", 500) for position in positions)
    return settle(
        RoundToSettle(SHARING, Table(1), {"all": Offer("x")}, wagers, "", meters={"pot": pot}, readings=readings),
        SHARING_CATALOGUE,
    )


@given(st.sets(st.integers(1, 30), min_size=1).map(sorted), st.integers(0, 10**13))
def test_a_shared_meter_is_split_equally_and_to_the_last_cent(positions: list[int], pot: int) -> None:
    settled = _shared(positions, pot)
    awards = [one.award_cents for one in settled.settlements]
    assert sum(awards) == floor_to_cents(pot)
    assert max(awards) - min(awards) <= 1
    assert awards == sorted(awards, reverse=True)  # cents left over go to the first in settlement order
    assert [one.position for one in settled.settlements] == sorted(positions, reverse=True)
    assert settled.meters_after["pot"] == 10_000_000 + pot % MICRO_PER_CENT


def test_by_the_other_reading_every_winner_gets_the_whole_meter() -> None:
    settled = _shared([1, 2, 3], 1_000_009_999, Readings.choose({"X4": "each"}))
    assert [one.award_cents for one in settled.settlements] == [100_000] * 3


# --- readings of the baccarat wagers ----------------------------------------------------------------------------------


def _baccarat(player: str, banker: str, wager: str, paytable: str, **readings: str) -> tuple[Result, str | None, int]:
    round_ = RoundToSettle(
        game=BACCARAT,
        table=Table(8),
        offered={wager: Offer(paytable)},
        wagers=(PlacedWager(1, wager, 500),),
        dealt=TwoHands(hand(player), hand(banker)),
        meters={"heavenly_9": 20_000_000_000},
        readings=Readings.choose(dict(readings)),
    )
    (one,) = settle(round_, CATALOGUE).settlements
    return one.result, one.line, one.award_cents


LOSES = (Result.LOSE, None, 0)


@pytest.mark.parametrize(
    ("player", "banker", "wager", "paytable", "readings", "expected"),
    [
        # H2: spades against hearts, each hand of one suit; hearts against diamonds, one colour by either reading
        ("AS 2S 6S", "AH AH 7H", "heavenly_9_progressive", "-", {}, (Result.WIN, "tie", 30_000)),
        (
            "AS 2S 6S",
            "AH AH 7H",
            "heavenly_9_progressive",
            "-",
            {"H2": "each"},
            (Result.WIN, "tie_same_suit", 2_000_000),
        ),
        ("AD 2D 6D", "AH AH 7H", "heavenly_9_progressive", "-", {}, (Result.WIN, "tie_same_color", 149_500)),
        ("AH 2H 6H", "AH AH 7H", "heavenly_9_progressive", "-", {}, (Result.WIN, "tie_same_suit", 2_000_000)),
        (
            "AD 2H 6D",
            "AS AC 7S",
            "heavenly_9_progressive",
            "-",
            {"H2": "each"},
            (Result.WIN, "tie_same_color", 149_500),
        ),
        # H1: eight against eight with three cards each; H4: the three-card nine of either hand, the Banker's first
        ("AS 2S 5S", "AH AH 6H", "heavenly_9_progressive", "-", {}, LOSES),
        ("2S 2S 5S", "AH AH 6H", "heavenly_9_progressive", "-", {}, (Result.WIN, "player_9", 4_000)),
        ("AS 2S 5S", "AH AH 7H", "heavenly_9_progressive", "-", {}, (Result.WIN, "banker_9", 4_500)),
        ("9S KS", "2S 3S", "heavenly_9_progressive", "-", {}, LOSES),  # two cards
        # T2, T3
        ("3S 4S", "2H AH 4H", "blazing_7s_baccarat", "B", {}, LOSES),
        ("3S 4S", "2H AH 4H", "blazing_7s_baccarat", "B", {"T2": "two_card"}, (Result.WIN, "two_card", 25_000)),
        ("3S 4S", "2H 5H", "blazing_7s_baccarat", "A", {}, LOSES),
        ("3S 4S", "2H 5H", "blazing_7s_baccarat", "A", {"T3": "push"}, (Result.PUSH, "two_card", 0)),
        ("3S 4S", "2H 5H", "blazing_7s_baccarat", "B", {"T3": "push"}, (Result.WIN, "two_card", 25_000)),
        ("3S 4S", "2H 4H", "blazing_7s_baccarat", "A", {"T3": "push"}, LOSES),  # seven against six
        # T4, and with it T2
        ("3S 4S", "2H 5H", "cover_all", "A", {}, LOSES),
        ("3S 4S", "2H 5H", "cover_all", "A", {"T3": "push"}, LOSES),
        ("3S 4S", "2H 5H", "cover_all", "A", {"T4": "win"}, (Result.WIN, "cover_all", 3_000)),
        ("3S 4S", "2H 5H", "cover_all", "B", {}, (Result.WIN, "cover_all", 3_000)),
        ("3S 4S", "2H AH 4H", "cover_all", "B", {"T4": "win"}, LOSES),
        # T6: a Banker three-card seven that does not win; a Player three-card eight against eight
        ("8S KS", "3S 4S", "fortune_7", "A", {}, LOSES),
        ("AS 2S 4S", "AH 2H 4H", "fortune_7", "A", {}, LOSES),
        ("AS 2S 3S", "AH 2H 4H", "fortune_7", "A", {}, (Result.WIN, "fortune_7", 20_000)),
        ("AS 2S 5S", "AH 3H 4H", "golden_8", "A", {}, LOSES),
        ("AS 2S 5S", "AH 2H 4H", "golden_8", "A", {}, (Result.WIN, "golden_8", 12_500)),
        ("2S 2S 5S", "AH AH 7H", "heavenly_9", "A", {}, (Result.WIN, "both", 37_500)),
        # N1-N3
        ("9D 9S", "2S 3S", "lucky_nines", "A", {}, (Result.WIN, "two_nines", 2_500)),
        ("9D KS", "2S 3S", "lucky_nines", "A", {}, (Result.WIN, "one_nine_diamonds", 1_000)),
        ("9D 9D", "9D 9D", "lucky_nines", "A", {}, (Result.WIN, "four_nines", 250_000)),
        ("9D 9D", "9S KS", "lucky_nines", "A", {}, (Result.WIN, "three_nines", 10_000)),
    ],
)
def test_readings_of_baccarat(
    player: str,
    banker: str,
    wager: str,
    paytable: str,
    readings: dict[str, str],
    expected: tuple[Result, str | None, int],
) -> None:
    assert _baccarat(player, banker, wager, paytable, **readings) == expected


# --- values that can't be made wrong ----------------------------------------------------------------------------------


def test_a_paytable_that_contradicts_itself_is_refused() -> None:
    line = PROGRESSIVE.lines[0]
    with pytest.raises(ValueError, match="twice"):
        dataclasses.replace(PROGRESSIVE, lines=(line, line))
    with pytest.raises(ValueError, match="one seed"):
        dataclasses.replace(PROGRESSIVE, seeds=())
    with pytest.raises(ValueError, match="denomination"):
        dataclasses.replace(PROGRESSIVE, lines=(line, Line("d", Dollars(5), "0", "d")), denomination_cents=None)


def test_every_line_that_a_wager_can_hit_stands_in_every_paytable_and_no_other() -> None:
    for text in CATALOGUE.texts:
        _, wager = GAMES[text.game].by_name[text.wager]
        for table in text.paytables:
            assert tuple(table.by_line) == wager.lines


def test_frozen() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        settle(_round("KS 9H", "4D 2C"), CATALOGUE).envy = ()  # type: ignore[misc]
