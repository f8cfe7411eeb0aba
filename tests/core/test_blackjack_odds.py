"""The odds of Blackjack's side wagers: the views against plain enumeration, figures that others have published, and
every line counted by hand."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.cards import DECK, Card, Suit
from firmware.core.paytables import Paytable
from firmware.core.readings import ALLOWED, RECOMMENDED, Readings
from firmware.core.wagers.blackjack import BLACKJACK
from firmware.core.wagers.initial_cards import InitialCards
from firmware.core.wagers.wager import Seat, Table, Wager, Won
from firmware.odds.blackjack import POSITION, VIEWS, count, count_over, outcomes
from firmware.odds.deals import decks_of
from firmware.odds.report import odds_reports, percent_text
from firmware.odds.verdicts import Setup
from firmware.odds.wager_odds import WagerOdds
from firmware.settings.paytables import load_catalogue

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
DECKS = range(3, 9)
REPORTS = [one for one in odds_reports(CATALOGUE, game="blackjack") if isinstance(one, WagerOdds)]
ODDS = {(one.wager, one.paytable.name, one.setup.decks): one for one in REPORTS}

THREE_CARDS = "21_plus_3_progressive"
ROYAL = "royal_match_progressive"
SEVENS = "blazing_7s_multi_progressive"


def _offers() -> Iterator[tuple[Wager[InitialCards], Paytable]]:
    for wager in BLACKJACK.wagers:
        for paytable in CATALOGUE.paytables("blackjack", wager.name):
            yield wager, paytable


def _chances(wager: str, paytable: str, decks: int) -> dict[str, Fraction]:
    return {one.line.name: one.probability for one in ODDS[wager, paytable, decks].lines}


# --- the views --------------------------------------------------------------------------------------------------------


def _assert_views_hide_nothing(cards: tuple[Card, ...], suit: Suit, readings: Readings) -> None:
    """Every order of the cards, dealt to the position, up, to the position and into the hole, is equally likely."""
    plain = [
        InitialCards((order[1], order[3]), {POSITION: (order[0], order[2])})
        for order in itertools.permutations(cards, 4)
    ]
    for wager, paytable in _offers():
        seat = Seat(POSITION, Table(8, declared_suit=suit), paytable, readings)
        by_order = count_over(wager, seat, ((1, dealt) for dealt in plain))
        assert count_over(wager, seat, outcomes(VIEWS[wager.name], cards)) == by_order, (wager.name, paytable.name)


@pytest.mark.parametrize(
    "shoe",
    [
        "KS QS KS QS KH QH AS 2S",  # Crown Treasures of one and of two suits
        "KS KS AS TD JC 9C KH KS",  # two kings of spades with and without a dealer's Blackjack
        "7D 7D 7D 7H 7H 7H 7S 7C",
        "7D 7D 7S 7S 7S 8D 7C 2H",
        "AS AS AS 2S 3S QS KS AH",
        "KH KH KH QH QH QH AH JH",
        "9S TS JS 9S TH JH 9D AD",
        "AC 9C AC 9H TC TC KC KD",
    ],
)
def test_reduced_enumeration_equals_plain_enumeration(shoe: str) -> None:
    _assert_views_hide_nothing(tuple(map(Card.parse, shoe.split())), Suit.SPADES, RECOMMENDED)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(DECK) | st.sampled_from([c for c in DECK if c.rank in "7KQA"]), min_size=7, max_size=7),
    st.sampled_from(list(Suit)),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in ALLOWED.items()}),
)
def test_reduced_equals_plain_on_any_short_shoe(cards: list[Card], suit: Suit, readings: dict[str, str]) -> None:
    _assert_views_hide_nothing(tuple(cards), suit, Readings.choose(readings))


def test_every_wager_has_a_view() -> None:
    assert set(VIEWS) == {wager.name for wager in BLACKJACK.wagers}


def test_a_count_that_is_kept_is_the_count_of_every_paytable_that_shares_it() -> None:
    for wager, paytable in _offers():
        seat = Seat(POSITION, Table(4, declared_suit=Suit.SPADES), paytable)
        fresh = count_over(wager, seat, outcomes(VIEWS[wager.name], decks_of(4)))
        assert count(wager, paytable, Setup(decks=4), {}) == fresh


@pytest.mark.parametrize("suit", list(Suit))
def test_any_declared_suit_gives_the_same_odds(suit: Suit) -> None:
    wager = BLACKJACK.by_name[THREE_CARDS][1]
    paytable = CATALOGUE.paytable("blackjack", THREE_CARDS, "1")
    seat = Seat(POSITION, Table(3, declared_suit=suit), paytable)
    assert count_over(wager, seat, outcomes(VIEWS[wager.name], decks_of(3))) == count(wager, paytable, Setup(3), {})


@pytest.mark.parametrize("decks", DECKS)
def test_the_count_of_all_deals(decks: int) -> None:
    size = 52 * decks
    three = size * (size - 1) * (size - 2)
    for view in VIEWS.values():
        total = sum(ways for ways, _ in outcomes(view, decks_of(decks)))
        assert total == (three if view.upcard_only else three * (size - 3))


# --- figures that others have published -------------------------------------------------------------------------------


def test_what_is_reported() -> None:
    assert set(ODDS) == {
        *((THREE_CARDS, str(table), decks) for table in range(1, 12) for decks in DECKS if table < 4 or decks > 3),
        *((ROYAL, "A", decks) for decks in DECKS),
        *(("kings_bounty", "B", decks) for decks in DECKS),
        *(("blazing_7s", "A", decks) for decks in DECKS),
        *((SEVENS, table, decks) for table in "AB" for decks in DECKS),
    }
    for odds in REPORTS:
        assert sum((one.probability for one in odds.lines), odds.lose + odds.push) == 1


def test_crown_treasure_of_six_decks() -> None:
    """1 in 121,328 (published for six decks, any two suits: reading Y3)."""
    assert round(1 / _chances(ROYAL, "A", 6)["crown_treasure"]) == 121_328


def test_the_declared_suit_of_table_7_with_eight_decks() -> None:
    """1 in 106,359, so that 4% of each wager gathers a reserve of about 4,250 wagers a hit (reading X16)."""
    one_in = 1 / _chances(THREE_CARDS, "7", 8)["declared_suit_top_trips"]
    assert round(one_in) == 106_359
    assert round(one_in * Fraction(4, 100), -1) == 4_250


def test_any_three_card_hand_of_six_decks() -> None:
    """The game of which this is a variation pays 9 to 1 for every hand: an edge of 3.24% with six decks (published by
    the Wizard of Odds, "21+3")."""
    win = sum(_chances(THREE_CARDS, "1", 6).values(), Fraction())
    assert percent_text(1 - 10 * win) == "3.24"


@pytest.mark.parametrize(("y1", "to_one", "percent"), [("both", 1, "80.5"), ("both", 0, "76.6"), ("low", 1, "77.2"),
    ("high", 1, "77.2")])  # fmt: skip
def test_the_return_of_royal_match(y1: str, to_one: int, percent: str) -> None:
    """Six decks: 80.5% with odds "to 1", 76.6% as if "for 1" (reading X2); 77.2% with an ace at one end (Y1): the
    meter at its seed, and the 15% that every wager adds to it."""
    wager = BLACKJACK.by_name[ROYAL][1]
    seat = Seat(POSITION, Table(6), CATALOGUE.paytable("blackjack", ROYAL, "A"), Readings.choose({"Y1": y1}))
    chances = count_over(wager, seat, outcomes(VIEWS[ROYAL], decks_of(6))).of
    pays = {"crown_treasure": 10_000, "royal_match": 60 + to_one, "two_card_straight_flush": 10 + to_one}
    returned = Fraction(15, 100) + sum(
        chance * pays[verdict.lines[0]] for verdict, chance in chances.items() if isinstance(verdict, Won)
    )
    assert f"{float(returned) * 100:.1f}" == percent
    seed_edge = ODDS[ROYAL, "A", 6].meters
    if (y1, to_one) == ("both", 1):
        assert seed_edge is not None and seed_edge.seed_house_edge == Fraction(115, 100) - returned


def test_kings_bounty_of_six_decks() -> None:
    """Table B 5.1%, the vendor's table (9, 6 and 4 to 1 on the last three rows) 23.2% (reading Q5)."""
    odds = ODDS["kings_bounty", "B", 6]
    assert f"{float(odds.house_edge) * 100:.1f}" == "5.1"
    vendor = dict(zip((one.line.name for one in odds.lines), (1000, 100, 30, 20, 9, 6, 4), strict=True))
    returned = sum(one.probability * (vendor[one.line.name] + 1) for one in odds.lines)
    assert f"{float(1 - returned) * 100:.1f}" == "23.2"


# --- every line by hand -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "named"), [("1", 2), ("2", 3), ("3", 1)])
@pytest.mark.parametrize("n", DECKS)
def test_21_plus_3_by_hand(n: int, table: str, named: int) -> None:
    size = 52 * n
    face = n * (n - 1) * (n - 2)  # ordered threes of one face
    straight_flushes = 12 * 6 * 4 * n**3
    by_hand = {
        "declared_suit_top_trips": named * face,
        "suited_top_trips": 3 * named * face,
        "suited_trips": 4 * (13 - named) * face,
        "straight_flush": straight_flushes,
        "trips": 13 * 4 * n * (4 * n - 1) * (4 * n - 2) - 52 * face,
        "straight": 12 * 6 * (4 * n) ** 3 - straight_flushes,
        "flush": 4 * 13 * n * (13 * n - 1) * (13 * n - 2) - straight_flushes - 52 * face,
    }
    deals = size * (size - 1) * (size - 2)
    assert _chances(THREE_CARDS, table, n) == {line: Fraction(ways, deals) for line, ways in by_hand.items()}


@pytest.mark.parametrize("n", DECKS)
def test_royal_match_by_hand(n: int) -> None:
    size = 52 * n
    hands = size * (size - 1)
    royal = Fraction(4 * 2 * n * n, hands)
    dealers = Fraction(2 * (n - 1) ** 2 + 3 * 2 * n * n, (size - 2) * (size - 3))
    assert _chances(ROYAL, "A", n) == {
        "crown_treasure": royal * dealers,
        "royal_match": royal * (1 - dealers),
        "two_card_straight_flush": Fraction(12 * 4 * 2 * n * n, hands),
    }


@pytest.mark.parametrize("n", DECKS)
def test_kings_bounty_by_hand(n: int) -> None:
    size = 52 * n
    hands = size * (size - 1)
    spades = Fraction(n * (n - 1), hands)
    blackjack = Fraction(2 * 4 * n * (16 * n - 2), (size - 2) * (size - 3))
    twenties = Fraction(16 * n * (16 * n - 1) + 2 * 4 * n * 4 * n, hands)
    better = {
        "king_of_spades_pair_and_dealer_blackjack": spades * blackjack,
        "king_of_spades_pair": spades * (1 - blackjack),
        "suited_kings": 3 * spades,
        "suited_queens_jacks_or_10s": 12 * spades,
        "suited_20": Fraction(4 * (6 + 1) * 2 * n * n, hands),
        "pair_of_kings": Fraction(4 * n * (4 * n - 1) - 4 * n * (n - 1), hands),
    }
    assert _chances("kings_bounty", "B", n) == {**better, "any_20": twenties - sum(better.values())}


@pytest.mark.parametrize("n", DECKS)
def test_sevens_by_hand(n: int) -> None:
    size = 52 * n
    deals = size * (size - 1) * (size - 2)
    face = n * (n - 1) * (n - 2)
    one_colour = 2 * 2 * n * (2 * n - 1) * (2 * n - 2)
    three = 4 * n * (4 * n - 1) * (4 * n - 2)
    by_hand = {
        "three_7s_diamonds": face,
        "three_7s_same_suit": 3 * face,
        "three_7s_same_color": one_colour - 4 * face,
        "three_7s": three - one_colour,
        "two_7s": 4 * n * (4 * n - 1) * 48 * n,
        "one_7": 2 * 4 * n * 48 * n * (size - 2),
    }
    expected = {line: Fraction(ways, deals) for line, ways in by_hand.items()}
    assert _chances("blazing_7s", "A", n) == expected
    assert _chances(SEVENS, "A", n) == _chances(SEVENS, "B", n) == expected


def test_the_meters() -> None:
    """At the seeds of one wager: Mega 2,000, Major 1,000 and Minor 500 wagers are part of the return; a meter without
    a printed seed has no edge at seed, and still a break-even."""
    odds = ODDS[SEVENS, "A", 6]
    chances = _chances(SEVENS, "A", 6)
    seeds = {"three_7s_diamonds": 2_000, "three_7s_same_suit": 1_000, "three_7s_same_color": 500}
    assert odds.meters is not None and odds.meters.meter == "blazing_7s.mega"
    assert odds.meters.seed_house_edge == odds.house_edge - sum(chances[line] * seeds[line] for line in seeds)
    unprinted = ODDS[THREE_CARDS, "7", 6].meters
    assert unprinted is not None and unprinted.seed_house_edge is None and unprinted.break_even_micro is not None


def test_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firmware.cli", "odds", "--json", "--game", "blackjack", "--wager", ROYAL],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    objects = json.loads(done.stdout)
    assert [one["decks"] for one in objects] == list(DECKS)
    for one in objects:
        assert one["section"] == "633b.18(i)"
        assert one["assumes"]["other_positions_with_the_wager"] == 0
        assert [line["pays"] for line in one["lines"]] == ["100% of royal_match", "60 to 1", "10 to 1"]
