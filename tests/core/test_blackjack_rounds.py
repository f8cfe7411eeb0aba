"""Whole rounds of Blackjack: settlement's properties over any round, seeds and reserves, validation, and what is
refused."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware.core.cards import DECK, Card, Suit
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import MICRO_PER_CENT, floor_to_cents
from firmware.core.readings import ALLOWED, Readings
from firmware.core.settlement import settle
from firmware.core.settlement_data import Offer, Result, RoundToSettle, SettledRound
from firmware.core.wagers.blackjack import BLACKJACK
from firmware.core.wagers.initial_cards import Cards, InitialCards
from firmware.core.wagers.wager import PlacedWager, Stage, Table
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
NAMES = tuple(wager.name for wager in BLACKJACK.wagers)
THREE_CARDS = "21_plus_3_progressive"
ROYAL = "royal_match_progressive"
SEVENS = "blazing_7s_multi_progressive"


def cards(text: str) -> Cards:
    return tuple(Card.parse(card) for card in text.split())


# --- whole rounds -----------------------------------------------------------------------------------------------------

METERS = {
    "21_plus_3": 12_345_678_901,
    "royal_match": 58_211_359_999,
    "blazing_7s.mega": 14_211_110_000,
    "blazing_7s.major": 6_322_220_001,
    "blazing_7s.minor": 3_433_330_000,
}


def _round(dealer: str, hands: dict[int, str], *wagers: PlacedWager, **paytables: str) -> RoundToSettle[InitialCards]:
    chosen = {THREE_CARDS: "1", ROYAL: "A", "kings_bounty": "B", "blazing_7s": "A", SEVENS: "B", **paytables}
    return RoundToSettle(
        game=BLACKJACK,
        table=Table(6, declared_suit=Suit.SPADES),
        offered={name: Offer(paytable) for name, paytable in chosen.items()},
        wagers=wagers,
        dealt=InitialCards(cards(dealer), {position: cards(hand) for position, hand in hands.items()}),
        meters=METERS,
    )


_LIKELY = [Card.parse(face) for face in ("7D", "7S", "7H", "KS", "QS", "KH", "QH", "AS")]


@st.composite
def rounds(draw: st.DrawFn) -> RoundToSettle[InitialCards]:
    """Any round of eight decks, the cards that win the meters more often than chance gives them."""
    positions = draw(st.lists(st.integers(1, 7), unique=True, min_size=1))
    card = st.sampled_from(_LIKELY) | st.sampled_from(DECK)
    dealt = draw(
        st.lists(card, min_size=2 * len(positions) + 2, max_size=2 * len(positions) + 2).filter(
            lambda found: max(Counter(found).values()) <= 8
        )
    )
    hands = {position: tuple(dealt[2 * index + 2 : 2 * index + 4]) for index, position in enumerate(positions)}
    spots = draw(st.lists(st.tuples(st.sampled_from(positions), st.sampled_from(NAMES)), unique=True, max_size=20))
    amounts = st.integers(min_value=0, max_value=10**12)
    names = {
        text.wager: [table.name for table in text.paytables] for text in CATALOGUE.texts if text.game == "blackjack"
    }
    return RoundToSettle(
        game=BLACKJACK,
        table=Table(8, declared_suit=draw(st.sampled_from(list(Suit)))),
        offered={
            wager: Offer(draw(st.sampled_from(tables)), draw(st.none() | st.integers(1, 10_000)))
            for wager, tables in names.items()
        },
        wagers=tuple(PlacedWager(position, name, draw(st.integers(1, 10_000))) for position, name in spots),
        dealt=InitialCards(tuple(dealt[:2]), hands),
        meters={meter: draw(amounts) for meter in METERS},
        reserves=draw(st.none() | st.fixed_dictionaries(dict.fromkeys(METERS, amounts))),
        readings=Readings.choose(draw(st.fixed_dictionaries({k: st.sampled_from(v) for k, v in ALLOWED.items()}))),
    )


@settings(max_examples=200, deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(round_: RoundToSettle[InitialCards], random: Any) -> None:
    shuffled = list(round_.wagers)
    random.shuffle(shuffled)
    hands = dict(reversed(list(round_.dealt.positions.items())))
    turned = replace(round_, wagers=tuple(shuffled), dealt=InitialCards(round_.dealt.dealer, hands))
    assert settle(turned, CATALOGUE) == settle(round_, CATALOGUE)


@settings(max_examples=200, deadline=None)
@given(rounds())
def test_the_stage_of_the_upcard_is_a_part_of_the_whole(round_: RoundToSettle[InitialCards]) -> None:
    upcard_only = replace(round_, dealt=InitialCards(round_.dealt.dealer[:1], round_.dealt.positions))
    initial = settle(upcard_only, CATALOGUE, Stage.INITIAL)
    final = settle(round_, CATALOGUE, Stage.FINAL)
    whole = settle(round_, CATALOGUE)
    assert Counter(initial.settlements) + Counter(final.settlements) == Counter(whole.settlements)
    assert initial.envy == () and final.envy == whole.envy
    for meter, before in round_.meters.items():
        changes = (initial.meters_after[meter] - before) + (final.meters_after[meter] - before)
        assert whole.meters_after[meter] - before == changes


@settings(max_examples=300, deadline=None)
@given(rounds())
def test_money_is_conserved(round_: RoundToSettle[InitialCards]) -> None:
    """What the winners of a meter are paid is what it held to the cent; what it returns to comes from its reserve and
    the house, and nothing of the reserve is lost."""
    settled = settle(replace(round_, readings=replace(round_.readings, X4="equal")), CATALOGUE)
    paid: Counter[str] = Counter()
    for one in settled.settlements:
        assert one.award_cents >= 0
        if one.meter is not None:
            paid[one.meter] += one.award_cents
            assert one.validation and one.stake_returned_cents == 0
    for meter, before in round_.meters.items():
        after = settled.meters_after[meter]
        won = [one for one in settled.settlements if one.meter == meter]
        if not won:
            assert after == before
            continue
        assert paid[meter] == floor_to_cents(before)
        if settled.reserves_after is not None:
            reserve, left = (round_.reserves or {})[meter], settled.reserves_after[meter]
            assert 0 <= left <= reserve
            assert reserve - left <= after - before % MICRO_PER_CENT


@settings(max_examples=200, deadline=None)
@given(rounds())
def test_envy_is_paid_for_every_other_crown(round_: RoundToSettle[InitialCards]) -> None:
    settled = settle(round_, CATALOGUE)
    stakes = {placed.position: placed.cents for placed in round_.wagers if placed.wager == ROYAL}
    crowns = [one.position for one in settled.settlements if one.line == "crown_treasure"]
    owed = {(to, cause, 500 * stakes[to]) for to in stakes for cause in crowns if to != cause}
    assert len(owed) == len(settled.envy)
    assert {(one.position, one.because_of, one.award_cents) for one in settled.envy} == owed


# --- seeds and reserves -----------------------------------------------------------------------------------------------


def _after(
    paytable: str, decks: int, cents: int = 500, denomination: int | None = None, **changes: Any
) -> tuple[int, int | None]:
    """The 21+3 meter and its reserve after position 1 won it."""
    round_ = replace(
        _round("AS 5D", {1: "AS AS"}, PlacedWager(1, THREE_CARDS, cents)),
        table=Table(decks, declared_suit=Suit.SPADES),
        offered={THREE_CARDS: Offer(paytable, denomination)},
        meters={"21_plus_3": 12_345_678_901},
        **changes,
    )
    settled: SettledRound = settle(round_, CATALOGUE)
    assert settled.settlements[0].award_cents == 1_234_567
    reserves = settled.reserves_after
    return settled.meters_after["21_plus_3"], None if reserves is None else reserves["21_plus_3"]


FRACTION = 8_901  # what of the meter is less than a cent
DOLLAR = 1_000_000


@pytest.mark.parametrize(
    ("paytable", "decks", "seed_dollars"),
    [("1", 3, 10_000), ("1", 4, 10_000), ("1", 8, 10_000), ("2", 3, 15_000), ("2", 4, 10_000), ("2", 8, 10_000),
     ("3", 4, 10_000), ("4", 4, 10_000), ("5", 8, 10_000), ("6", 6, 10_000)],
)  # fmt: skip
def test_seeds_in_wagers(paytable: str, decks: int, seed_dollars: int) -> None:
    assert _after(paytable, decks) == (seed_dollars * DOLLAR + FRACTION, None)
    assert _after(paytable, decks, denomination=100) == (seed_dollars // 5 * DOLLAR + FRACTION, None)


@pytest.mark.parametrize(("paytable", "decks", "in_dollars"), [("3", 4, True), ("4", 4, True), ("5", 4, True),
    ("6", 4, True), ("1", 4, False), ("2", 3, False)])  # fmt: skip
def test_g6_by_the_other_reading(paytable: str, decks: int, in_dollars: bool) -> None:
    by_wagers = _after(paytable, decks)
    by_dollars = _after(paytable, decks, readings=Readings.choose({"G6": "dollars"}))
    assert (by_dollars == (2_000 * DOLLAR + FRACTION, None)) is in_dollars
    assert (by_dollars == by_wagers) is not in_dollars


@pytest.mark.parametrize(("paytable", "decks"), [("3", 3), *((str(table), 6) for table in range(7, 12))])
def test_a_seed_that_is_not_printed_is_the_reserve(paytable: str, decks: int) -> None:
    held = 4_250 * DOLLAR + 7
    assert _after(paytable, decks, reserves={"21_plus_3": held}) == (held + FRACTION, 0)
    assert _after(paytable, decks) == (FRACTION, None)
    filed = {"21_plus_3": 5_000 * DOLLAR}
    assert _after(paytable, decks, seeds=filed, reserves={"21_plus_3": held}) == (5_000 * DOLLAR + FRACTION, 0)
    with pytest.raises(SettlementError) as raised:
        _after(paytable, decks, reserves={"royal_match": held})
    assert raised.value.code is ErrorCode.MISSING_FIELD


def test_a_reserve_pays_first_and_the_rest_stays() -> None:
    seed = 10_000 * DOLLAR
    for held, reseed, left in ((0, seed, 0), (seed - 1, seed, 0), (seed, seed, 0), (seed + 5, seed, 5)):
        assert _after("4", 6, reserves={"21_plus_3": held}) == (reseed + FRACTION, left)
    most = Readings.choose({"X17": "max"})
    assert _after("4", 6, reserves={"21_plus_3": seed + 5}, readings=most) == (seed + 5 + FRACTION, 0)


def test_each_meter_of_the_sevens_returns_to_its_own_seed() -> None:
    wagers = [PlacedWager(position, SEVENS, 100 * position) for position in (1, 2, 3)]
    for up, hands, won in (
        ("7D", {1: "7D 7D", 2: "7H 7H", 3: "7D 8C"}, {"mega": 2_000, "minor": 500}),
        ("7S", {1: "7S 7S", 2: "7C 7S", 3: "7D 8C"}, {"major": 1_000, "minor": 500}),
    ):
        settled = settle(_round(f"{up} KS", hands, *wagers), CATALOGUE)
        for level in ("mega", "major", "minor"):
            meter = f"blazing_7s.{level}"
            reseed = won[level] * DOLLAR + METERS[meter] % MICRO_PER_CENT if level in won else METERS[meter]
            assert settled.meters_after[meter] == reseed


def test_what_the_floorperson_validates() -> None:
    """Over 200 for 1 in a progressive wager and every award of a meter; a wager without a meter never."""
    found: dict[tuple[str, str, str], bool] = {}
    for text in (text for text in CATALOGUE.texts if text.game == "blackjack"):
        for table in text.paytables:
            for dealer, hand in (("AH 5D", "AH AH"), ("2S 5D", "2S 2S"), ("7S 5D", "7H 7C"), ("7D 5D", "7D 7D"),
                                 ("AD KD", "KS KS"), ("KD QD", "KS QS"), ("2D 5D", "KS QS")):  # fmt: skip
                round_ = _round(dealer, {1: hand}, PlacedWager(1, text.wager, 500), **{text.wager: table.name})
                one = settle(round_, CATALOGUE).settlements[0]
                if one.line is not None:
                    found[text.wager, table.name, one.line] = one.validation
    held = {key for key, validated in found.items() if validated}
    assert held == {
        *((THREE_CARDS, str(table), "suited_top_trips") for table in range(1, 12)),
        (ROYAL, "A", "crown_treasure"),
        (SEVENS, "A", "three_7s_diamonds"),
        (SEVENS, "B", "three_7s_diamonds"),
        (SEVENS, "A", "three_7s"),  # 400 to 1
        (SEVENS, "B", "three_7s"),  # 200 to 1 is 201 for 1 (X21)
    }
    assert found["blazing_7s", "A", "three_7s_diamonds"] is False
    assert found["kings_bounty", "B", "king_of_spades_pair_and_dealer_blackjack"] is False
    assert found[THREE_CARDS, "10", "suited_trips"] is False  # 200 for 1 is not over 200 for 1


def test_a_flush_that_prints_loss_loses() -> None:
    for table in range(1, 12):
        round_ = _round("2C 5D", {1: "7C 9C"}, PlacedWager(1, THREE_CARDS, 500), **{THREE_CARDS: str(table)})
        one = settle(round_, CATALOGUE).settlements[0]
        lost = table in (10, 11)
        assert (one.result, one.line) == ((Result.LOSE, None) if lost else (Result.WIN, "flush"))


# --- what is refused --------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "id": "b1",
    "game": "blackjack",
    "table": {"decks": 6, "declared_suit": "S"},
    "offered": {THREE_CARDS: {"paytable": "4"}, ROYAL: {"paytable": "A"}, "kings_bounty": {"paytable": "B"}},
    "meters": {"21_plus_3": "12345.670000", "royal_match": "58211.350000"},
    "wagers": [
        {"position": 1, "wager": THREE_CARDS, "cents": 500},
        {"position": 2, "wager": ROYAL, "cents": 500},
        {"position": 2, "wager": "kings_bounty", "cents": 500},
    ],
    "outcome": {"dealer": ["5D", "6C"], "positions": {"1": ["KS", "5H"], "2": ["2S", "5H"], "7": ["TC", "TD"]}},
}


def _code(changed: dict[str, Any]) -> str | None:
    """The code with the values at these paths ("table.decks") set, None where the line settles; `...` takes a key
    away."""
    line = copy.deepcopy(GOOD)
    for path, value in changed.items():
        place: Any = line
        *steps, last = path.split(".") if not path.startswith("meters.") else ("meters", path[len("meters.") :])
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place[step]
        key = int(last) if isinstance(place, list) else last
        if value is ...:
            del place[key]
        else:
            place[key] = value
    answer = json.loads(settle_line(json.dumps(line).encode(), CATALOGUE)[0])
    return answer["error"]["code"] if "error" in answer else None


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, None),
        ({"table.decks": ...}, "missing_field"),
        ({"table.declared_suit": ...}, "missing_field"),
        ({"table.declared_suit": ..., "wagers": []}, None),  # nobody's wager needs it
        ({"table.declared_suit": "s"}, "bad_table"),
        ({"table.declared_suit": None}, "bad_table"),
        ({"table.wheel": "single_zero"}, "unknown_field"),
        ({"table.personal_combinations": {}}, "unknown_field"),
        ({"table.decks": 0}, "bad_table"),
        ({"table.decks": 3}, "bad_table"),  # tables 4 to 11 need four decks or more
        ({"table.decks": 4}, None),
        ({"table.decks": 8}, None),
        ({"table.decks": 9}, "bad_table"),
        ({f"offered.{THREE_CARDS}.paytable": "1", "table.decks": 3}, None),
        ({f"offered.{THREE_CARDS}.paytable": "1", "table.decks": 2}, "bad_table"),
        ({f"offered.{THREE_CARDS}.paytable": "12"}, "unknown_paytable"),
        ({f"offered.{THREE_CARDS}.paytable": 4}, "unknown_paytable"),
        ({"offered.kings_bounty.paytable": "A"}, "unknown_paytable"),
        ({"offered.tie": {"paytable": "-"}}, "unknown_wager"),
        ({"offered.blazing_7s_baccarat": {"paytable": "A"}}, "unknown_wager"),
        ({"offered.kings_bounty": ...}, "not_offered"),
        ({"wagers.0.wager": "blazing_7s"}, "not_offered"),
        ({"wagers.0.wager": "tie"}, "unknown_wager"),
        ({"wagers.0.position": 3}, "bad_wager"),  # no cards there
        ({"wagers.2.wager": ROYAL}, "bad_wager"),  # twice
        ({"wagers.0.cents": 0}, "bad_wager"),
        ({"wagers.0.number": 7}, "unknown_field"),
        ({"outcome.dealer": ...}, "missing_field"),
        ({"outcome.positions": ...}, "missing_field"),
        ({"outcome.upcard": "5D"}, "unknown_field"),
        ({"outcome.dealer": ["5D"]}, "bad_outcome"),
        ({"outcome.dealer": []}, "bad_outcome"),
        ({"outcome.dealer": ["5D", "6C", "7C"]}, "bad_outcome"),
        ({"outcome.dealer": "5D"}, "bad_outcome"),
        ({"outcome.dealer.1": "1D"}, "bad_card"),
        ({"outcome.dealer.1": None}, "bad_card"),
        ({"outcome.positions": []}, "bad_outcome"),
        ({"outcome.positions": {}}, "bad_wager"),
        ({"outcome.positions.7": ["TC"]}, "bad_outcome"),  # also a position without a wager
        ({"outcome.positions.7": ["TC", "TD", "2C"]}, "bad_outcome"),
        ({"outcome.positions.7": None}, "bad_outcome"),
        ({"outcome.positions.0": ["TC", "TD"]}, "bad_outcome"),
        ({"outcome.positions.01": ["TC", "TD"]}, "bad_outcome"),
        ({"outcome.positions.x": ["TC", "TD"]}, "bad_outcome"),
        ({"outcome.positions.7": ["TC", "XX"]}, "bad_card"),
        ({"table.decks": 4, "outcome.positions.7": ["5H", "5H"]}, None),
        ({"table.decks": 4, "outcome.dealer": ["5H", "6C"], "outcome.positions.7": ["5H", "5H"]}, "impossible_cards"),
        ({"meters": {}}, "missing_meter"),
        ({"meters.21_plus_3": ...}, "missing_meter"),
        ({"meters.21_plus_3": "1.0"}, "bad_table"),
        ({"meters.blazing_7s": "1.000000"}, "unknown_field"),
        ({"meters.blazing_7s.mega": "1.000000"}, None),  # a meter of the game that no wager plays for
        ({"readings": {"Y1": "neither"}}, "unknown_reading"),
        ({"readings": {"Y3": "same", "Q2": "out", "G6": "dollars", "Y1": "none"}}, None),
        ({"date": "2024-03-22"}, "unknown_paytable"),
        ({"date": "2024-03-23"}, None),
        ({"date": "2026-03-22"}, None),
        ({"date": "2026-03-23"}, "unknown_paytable"),
    ],
)
def test_refusals(changed: dict[str, Any], code: str | None) -> None:
    assert _code(changed) == code


def test_the_hole_card_may_be_unknown_at_the_stage_of_the_upcard_alone() -> None:
    round_ = _round("7D", {1: "7D 7D"}, PlacedWager(1, "blazing_7s", 500))
    assert [one.line for one in settle(round_, CATALOGUE, Stage.INITIAL).settlements] == ["three_7s_diamonds"]
    for stage in (Stage.FINAL, Stage.ALL):
        with pytest.raises(SettlementError) as raised:
            settle(round_, CATALOGUE, stage)
        assert raised.value.code is ErrorCode.BAD_OUTCOME
    none = _round("", {1: "7D 7D"}, PlacedWager(1, "blazing_7s", 500))
    with pytest.raises(SettlementError):
        settle(none, CATALOGUE, Stage.INITIAL)
