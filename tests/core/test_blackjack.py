"""Blackjack's side wagers, row by row beside the regulation, and every reading that they take."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.cards import DECK, Card, Suit
from firmware.core.readings import ALLOWED, Readings
from firmware.core.wagers.blackjack import BLACKJACK
from firmware.core.wagers.initial_cards import Cards, InitialCards
from firmware.core.wagers.wager import Lost, Seat, Table, Won
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
THREE_CARDS = "21_plus_3_progressive"
ROYAL = "royal_match_progressive"
SEVENS = "blazing_7s_multi_progressive"


def cards(text: str) -> Cards:
    return tuple(Card.parse(card) for card in text.split())


def _line(wager: str, hand: str, dealer: str, paytable: str, suit: Suit = Suit.SPADES, **readings: str) -> str | None:
    """The line that one hand hits beside the dealer's cards; None where it loses."""
    seat = Seat(
        4,
        Table(8, declared_suit=suit),
        CATALOGUE.paytable("blackjack", wager, paytable),
        Readings.choose(dict(readings)),
    )
    judge = BLACKJACK.by_name[wager][1].judge
    verdict = judge(InitialCards(cards(dealer), {4: cards(hand)}), seat)
    turned = judge(InitialCards(cards(dealer), {4: cards(hand)[::-1]}), seat)
    assert verdict == turned  # no wager asks which of the two came first
    if isinstance(verdict, Lost):
        return None
    assert isinstance(verdict, Won) and len(verdict.lines) == 1
    return verdict.lines[0]


# --- § 633b.17 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "up", "line"),
    [
        ("AS AS", "AS", "declared_suit_top_trips"),
        ("KS KS", "KS", "declared_suit_top_trips"),
        ("KD KD", "KD", "suited_top_trips"),
        ("QS QS", "QS", "suited_trips"),
        ("2C 2C", "2C", "suited_trips"),
        ("AS AS", "AH", "trips"),
        ("2S 2C", "2D", "trips"),
        ("AH 2H", "3H", "straight_flush"),
        ("QH AH", "KH", "straight_flush"),
        ("9H JH", "TH", "straight_flush"),
        ("AH 2H", "3S", "straight"),
        ("KC AD", "QD", "straight"),
        ("JC TD", "9D", "straight"),
        ("KC AC", "2C", "flush"),  # no straight goes round the ace (G2)
        ("KC AD", "2C", None),
        ("AC QC", "2C", "flush"),
        ("2C 2C", "3C", "flush"),  # a pair in one suit is no straight
        ("2C 2C", "4C", "flush"),
        ("2S 4C", "2D", None),
        ("2S 4C", "6D", None),
        ("TS JC", "KD", None),
    ],
)
def test_21_plus_3(hand: str, up: str, line: str | None) -> None:
    assert _line(THREE_CARDS, hand, f"{up} 5D", "1") == line
    assert _line(THREE_CARDS, hand, up, "1") == line  # the hole card is not looked at (G1)


@pytest.mark.parametrize(("tables", "ranks"), [("1 4 7 10", "AK"), ("2 5 8", "AKQ"), ("3 6 9 11", "A")])
def test_the_ranks_of_the_first_rows_and_the_declared_suit(tables: str, ranks: str) -> None:
    for table in tables.split():
        for rank in "A23456789TJQK":
            hand, up = f"{rank}H {rank}H", f"{rank}H"
            named = rank in ranks
            declared = _line(THREE_CARDS, hand, up, table, Suit.HEARTS)
            assert declared == ("declared_suit_top_trips" if named else "suited_trips")
            assert _line(THREE_CARDS, hand, up, table) == ("suited_top_trips" if named else "suited_trips")


# --- § 633b.18 --------------------------------------------------------------------------------------------------------

ROYAL_HANDS: list[tuple[str, str, str | None]] = [
    ("KS QS", "KH QH", "crown_treasure"),
    ("KS QS", "QS KS", "crown_treasure"),
    ("KS QS", "KH QD", "royal_match"),
    ("KS QS", "KH KH", "royal_match"),
    ("KS QS", "AS KS", "royal_match"),
    ("KS QH", "KS QS", None),
    ("KS KS", "KS QS", None),
    ("QD JD", "KS QS", "two_card_straight_flush"),
    ("AD 2D", "KS QS", "two_card_straight_flush"),
    ("AD KD", "KS QS", "two_card_straight_flush"),
    ("9D TD", "2C 2C", "two_card_straight_flush"),
    ("AD 3D", "2C 2C", None),
    ("KD 2D", "2C 2C", None),
    ("KD JD", "2C 2C", None),
    ("5D 6H", "2C 2C", None),
    ("5D 5D", "2C 2C", None),
]


@pytest.mark.parametrize(("hand", "dealer", "line"), ROYAL_HANDS)
def test_royal_match(hand: str, dealer: str, line: str | None) -> None:
    assert _line(ROYAL, hand, dealer, "A") == line


@pytest.mark.parametrize(
    ("reading", "low", "high"),
    [("both", True, True), ("low", True, False), ("high", False, True), ("none", False, False)],
)
def test_y1_at_which_end_an_ace_stands(reading: str, low: bool, high: bool) -> None:
    found = [_line(ROYAL, hand, "2C 2C", "A", Y1=reading) is not None for hand in ("AH 2H", "AH KH", "2H 3H", "KH QH")]
    assert found == [low, high, True, True]


def test_y3_whether_the_dealers_suit_must_be_the_same() -> None:
    assert _line(ROYAL, "KS QS", "KH QH", "A", Y3="same") == "royal_match"
    assert _line(ROYAL, "KS QS", "KS QS", "A", Y3="same") == "crown_treasure"


# --- § 633b.19 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "dealer", "line"),
    [
        ("KS KS", "AD TD", "king_of_spades_pair_and_dealer_blackjack"),
        ("KS KS", "KD AD", "king_of_spades_pair_and_dealer_blackjack"),
        ("KS KS", "AD 9D", "king_of_spades_pair"),
        ("KS KS", "AD AD", "king_of_spades_pair"),
        ("KS KS", "TD JD", "king_of_spades_pair"),
        ("KH KH", "AD KD", "suited_kings"),
        ("KH KS", "AD KD", "pair_of_kings"),
        ("QS QS", "AD KD", "suited_queens_jacks_or_10s"),
        ("JC JC", "2D KD", "suited_queens_jacks_or_10s"),
        ("TD TD", "2D KD", "suited_queens_jacks_or_10s"),
        ("TD KD", "2D KD", "suited_20"),
        ("KS QS", "2D KD", "suited_20"),
        ("AS 9S", "2D KD", "suited_20"),
        ("AS 9H", "2D KD", "any_20"),
        ("QS QH", "2D KD", "any_20"),
        ("TS KH", "2D KD", "any_20"),
        ("AS AS", "2D KD", None),
        ("AS KS", "2D KD", None),
        ("9S 9S", "2D KD", None),
        ("9S TS", "2D KD", None),
        ("AS 8S", "2D KD", None),
    ],
)
def test_kings_bounty(hand: str, dealer: str, line: str | None) -> None:
    assert _line("kings_bounty", hand, dealer, "B") == line


def test_q2_whether_an_ace_and_a_nine_are_a_20() -> None:
    hands = ("AS 9S", "AS 9H", "TS QS", "TS QH")
    assert [_line("kings_bounty", hand, "2D 3D", "B", Q2="out") for hand in hands] == [
        None,
        None,
        "suited_20",
        "any_20",
    ]


# --- §§ 633b.20, 633b.21 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wager", "paytable"), [("blazing_7s", "A"), (SEVENS, "A"), (SEVENS, "B")])
@pytest.mark.parametrize(
    ("hand", "up", "line"),
    [
        ("7D 7D", "7D", "three_7s_diamonds"),
        ("7S 7S", "7S", "three_7s_same_suit"),
        ("7H 7H", "7H", "three_7s_same_suit"),
        ("7H 7D", "7D", "three_7s_same_color"),
        ("7S 7S", "7C", "three_7s_same_color"),
        ("7S 7S", "7H", "three_7s"),
        ("7S 7H", "7D", "three_7s"),
        ("7S 7H", "8D", "two_7s"),
        ("7D 7D", "6D", "two_7s"),
        ("7S 8H", "7D", "one_7"),  # O2
        ("7S 8H", "2D", "one_7"),
        ("8S 8H", "7D", None),
        ("AS KH", "2D", None),
    ],
)
def test_sevens(wager: str, paytable: str, hand: str, up: str, line: str | None) -> None:
    assert _line(wager, hand, f"{up} 7D", paytable) == line
    assert _line(wager, hand, up, paytable) == line  # a seven in the hole is not looked at


# --- every deal, once -------------------------------------------------------------------------------------------------


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from(DECK), min_size=4, max_size=4),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in ALLOWED.items()}),
    st.sampled_from(list(Suit)),
)
def test_every_deal_lands_on_one_line_of_the_table_or_loses(
    deal: list[Card], readings: dict[str, str], suit: Suit
) -> None:
    hand, dealer = (" ".join(map(str, two)) for two in (deal[:2], deal[2:]))
    for text in (text for text in CATALOGUE.texts if text.game == "blackjack"):
        for table in text.paytables:
            line = _line(text.wager, hand, dealer, table.name, suit, **readings)
            assert line is None or line in table.by_line
