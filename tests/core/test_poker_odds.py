"""Odds of the poker wagers: the reductions against plain enumeration of short decks, and published figures."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import pytest

from firmware.core.cards import Card, Rank, Suit
from firmware.core.poker import HandRank, best_hand
from firmware.core.readings import ALLOWED, RECOMMENDED, Readings
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.poker_round import PokerRound
from firmware.core.wagers.ultimate_pairs import CRISS_CROSS_ULTIMATE_PAIRS, HOLDEM_ULTIMATE_PAIRS
from firmware.core.wagers.ultimate_texas_holdem import BAD_BEAT, PLAY_THE_BOARD, TRIPS
from firmware.core.wagers.wager import Seat, Table, Wager
from firmware.odds import bad_beat_counts
from firmware.odds.bad_beat import BeatenHands, count_beaten
from firmware.odds.poker import VIEWS, count_beaten_hands, count_over
from firmware.odds.poker_deals import POSITION, Ranks, deck_of, hand_classes
from firmware.odds.report import odds_reports, percent_text
from firmware.odds.wager_odds import WagerOdds
from firmware.settings.paytables import load_catalogue

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
BEATEN = BeatenHands(Counter(bad_beat_counts.BEATEN), bad_beat_counts.TIED)

WHEEL = (Rank.ACE, Rank.TWO, Rank.THREE, Rank.FOUR, Rank.FIVE, Rank.KING)  # K-A-2 must not run
ROYAL = (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN)
GAPS = (Rank.TEN, Rank.NINE, Rank.TWO, Rank.ACE)  # no straight, no flush; the pairs at the border of "10s or better"


def _seat(wager: Wager[PokerRound], game: str = "ultimate_texas_holdem", readings: Readings = RECOMMENDED) -> Seat:
    """At any of the wager's paytables: none of these wagers looks at it."""
    return Seat(POSITION, Table(1), CATALOGUE.paytables(game, wager.name)[0], readings)


# --- the reductions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ranks", "size"), [(WHEEL, 5), (WHEEL, 6), (ROYAL, 7), (GAPS, 7)])
def test_classes_of_hands_are_all_hands(ranks: Ranks, size: int) -> None:
    plain = Counter(best_hand(hand) for hand in combinations(deck_of(ranks), size))
    by_class: Counter[int] = Counter()
    for ways, hand in hand_classes(ranks, size):
        assert len(set(hand)) == size
        by_class[best_hand(hand)] += ways
    assert by_class == plain


def _boards(ranks: Ranks) -> Iterator[tuple[int, PokerRound]]:
    for board in combinations(deck_of(ranks), 5):
        yield 1, PokerRound(board, {})


def _own_hands(ranks: Ranks) -> Iterator[tuple[int, PokerRound]]:
    """Every seven cards once: which of them are the position's own decides nothing."""
    for seven in combinations(deck_of(ranks), 7):
        yield 1, PokerRound(seven[:5], {POSITION: seven[5:]})


def _own_and_dealer(ranks: Ranks) -> Iterator[tuple[int, PokerRound]]:
    deck = deck_of(ranks)
    for own in combinations(deck, 2):
        for dealer in combinations([card for card in deck if card not in own], 2):
            yield 1, PokerRound((), {POSITION: own}, dealer=dealer)


def _own(ranks: Ranks) -> Iterator[tuple[int, PokerRound]]:
    for own in combinations(deck_of(ranks), 2):
        yield 1, PokerRound((), {POSITION: own})


PLAIN = {
    TRIPS: _own_hands,
    PLAY_THE_BOARD: _boards,
    HOLDEM_ULTIMATE_PAIRS: _own_and_dealer,
    CRISS_CROSS_ULTIMATE_PAIRS: _own,
}


@pytest.mark.parametrize("ranks", [WHEEL, ROYAL, GAPS], ids=["wheel", "royal", "gaps"])
@pytest.mark.parametrize("wager", PLAIN, ids=lambda wager: wager.name)
def test_reduced_enumeration_equals_plain_enumeration(wager: Wager[PokerRound], ranks: Ranks) -> None:
    if wager is TRIPS and ranks is WHEEL:
        ranks = WHEEL[:5]  # of six ranks 346,104 hands are too many for every run
    seat = _seat(wager)
    plain = count_over(wager, seat, PLAIN[wager](ranks))
    assert count_over(wager, seat, VIEWS[wager](ranks)) == plain
    assert len(plain) > 2


def _every_round(ranks: Ranks, suits: int) -> Iterator[tuple[int, PokerRound]]:
    deck = [Card(rank, suit) for rank in ranks for suit in list(Suit)[:suits]]
    for board in combinations(deck, 5):
        rest = [card for card in deck if card not in board]
        for own in combinations(rest, 2):
            for dealer in combinations([card for card in rest if card not in own], 2):
                yield 1, PokerRound(board, {POSITION: own}, dealer=dealer)


@pytest.mark.parametrize(
    ("ranks", "suits"),
    [
        (WHEEL, 2),  # straights, flushes and straight flushes against each other
        (GAPS[:3], 4),  # three and four of a kind, full houses
        (ROYAL[:2] + GAPS[1:3], 3),
    ],
    ids=["two suits", "four suits", "three suits"],
)
@pytest.mark.parametrize("reading", ALLOWED["W1"])
def test_beaten_hands_of_a_short_deck_equal_plain_enumeration(ranks: Ranks, suits: int, reading: str) -> None:
    """12 cards, 166,320 deals, one by one through the wager function, by both readings of W1."""
    readings = Readings.choose({"W1": reading})
    plain = count_over(BAD_BEAT, _seat(BAD_BEAT, readings=readings), _every_round(ranks, suits))
    found = count_beaten(ranks, suits)
    assert found.deals == comb(12, 5) * comb(7, 2) * comb(5, 2) == plain.total()
    assert count_beaten_hands(found.beaten, found.tied, readings) == plain
    assert len(plain) > 1


@pytest.mark.timeout(900)
def test_the_checked_in_counts_are_what_the_command_prints() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firmware.odds.bad_beat"], cwd=ROOT, capture_output=True, check=True, timeout=900
    )
    assert done.stderr == b""
    assert done.stdout == Path(bad_beat_counts.__file__).read_bytes()


def test_every_wager_is_counted() -> None:
    counted = {wager.name for wager in VIEWS} | {BAD_BEAT.name}
    for game in ("ultimate_texas_holdem", "criss_cross_poker"):
        assert {wager.name for wager in GAMES[game].wagers} <= counted


# --- figures that others have published -------------------------------------------------------------------------------


def _one(wager: str, paytable: str, game: str = "ultimate_texas_holdem") -> WagerOdds:
    (odds,) = odds_reports(CATALOGUE, game=game, wager=wager, paytable=paytable)
    assert isinstance(odds, WagerOdds)
    return odds


def test_beaten_hands_as_published() -> None:
    """Discount Gambling, "Bad Beat Bonus @ Ultimate Texas Hold'Em", June 8, 2012: the frequencies of the two-way wager,
    which pays by the losing hand on either side."""
    assert {rank: 2 * count for rank, count in bad_beat_counts.BEATEN.items()} == {
        HandRank.ROYAL_FLUSH: 0,
        HandRank.STRAIGHT_FLUSH: 10_300_592,
        HandRank.FOUR_OF_A_KIND: 471_040_512,
        HandRank.FULL_HOUSE: 8_435_225_376,
        HandRank.FLUSH: 19_434_208_592,
        HandRank.STRAIGHT: 18_271_076_976,
        HandRank.THREE_OF_A_KIND: 64_049_759_448,
        HandRank.TWO_PAIR: 399_099_149_640,
        HandRank.PAIR: 1_366_512_556_968,
        HandRank.HIGH_CARD: 791_967_420_480,
    }
    assert bad_beat_counts.TIED == 113_130_263_816
    assert BEATEN.deals == 2_781_381_002_400 == comb(52, 5) * comb(47, 2) * comb(45, 2)


def test_the_edge_of_bad_beat() -> None:
    """The same page has 14.7868% for a table that pays 7,500 where table C pays 2,500, and is the same elsewhere."""
    odds = _one("bad_beat", "C")
    published = odds.house_edge - 5_000 * odds.lines[0].probability
    assert odds.lines[0].line.name == "straight_flush"
    assert f"{float(published):.6f}" == "0.147868"
    assert percent_text(odds.house_edge) == "16.64"


@pytest.mark.parametrize(
    ("paytable", "percent"),
    [
        ("A", "0.90"),
        ("B", "1.90"),
        ("C", "3.50"),  # Wizard of Odds, "Florida Variant of Trips Bet": 3.50% for 50-40-30-8-7-4-3
        ("D", "6.18"),
        ("E", "4.50"),
    ],
)
def test_the_edges_of_trips(paytable: str, percent: str) -> None:
    assert percent_text(_one("trips", paytable).house_edge) == percent


@pytest.mark.parametrize("paytable", "ABCDE")
def test_trips_by_the_published_count_of_seven_card_hands(paytable: str) -> None:
    hands = comb(52, 7)
    assert [line.probability for line in _one("trips", paytable).lines] == [
        Fraction(count, hands) for count in (4_324, 37_260, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620)
    ]


@pytest.mark.parametrize(("paytable", "percent"), [("A", "3.11"), ("B", "5.22"), ("C", "7.18")])
def test_play_the_board_by_the_published_count_of_five_card_hands(paytable: str, percent: str) -> None:
    """Of the 13 ranks of a pair, 84,480 hands each, five are tens or better."""
    odds = _one("play_the_board", paytable)
    hands = comb(52, 5)
    counts = (4, 36, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 5 * 84_480)
    assert [line.probability for line in odds.lines] == [Fraction(count, hands) for count in counts]
    assert percent_text(odds.house_edge) == percent


PAIRS = {
    "four_aces": 0,
    "red_aces": 0,
    "aces": 6,
    "ace_king_suited": 4,
    "ace_queen_or_jack_suited": 2 * 4,
    "ace_king": 12,
    "kings_queens_or_jacks": 3 * 6,
    "ace_queen_or_jack": 2 * 12,
    "pair_10s_or_less": 9 * 6,
}
"""Of 1,326 hands of two cards."""


PAIRS_EDGES = {"A": "8.90", "B": "4.52", "C": "4.68", "D": "4.90", "E": "6.79", "F": "8.54"}


@pytest.mark.parametrize(
    ("game", "paytable"),
    [("ultimate_texas_holdem", paytable) for paytable in "ABCDEF"]
    + [("criss_cross_poker", paytable) for paytable in "ABCDE"],
)
def test_ultimate_pairs_by_hand(game: str, paytable: str) -> None:
    odds = _one("ultimate_pairs", paytable, game)
    expected = {line: Fraction(count, comb(52, 2)) for line, count in PAIRS.items()}
    if paytable in "CD":  # the hearts and diamonds aces have a row of their own
        expected |= {"red_aces": Fraction(1, comb(52, 2)), "aces": Fraction(5, comb(52, 2))}
    if paytable == "F":  # all four aces, the dealer with the two that are left
        four = Fraction(1, comb(52, 4))
        expected |= {"four_aces": four, "aces": expected["aces"] - four}
    if game == "criss_cross_poker":
        del expected["four_aces"]
    assert {one.line.name: one.probability for one in odds.lines} == expected
    assert percent_text(odds.house_edge) == PAIRS_EDGES[paytable]
