"""A playing card: rank and suit, read from and written as two characters ("TH" is the ten of hearts).

Rules:
* There are exactly 52 `Card` values; `Card.parse` returns the one instance of each, so equal cards are the same object.
* A card has no point value of its own: every game counts differently (baccarat's count stands in `baccarat.py`).
* An ordinary card is of one of two colours; the colour follows from the suit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from firmware.core.errors import ErrorCode, SettlementError


class Rank(StrEnum):
    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"

    __hash__ = str.__hash__  # equal texts, equal hashes; an enumeration's own is that of the name, worked out in Python


class Colour(StrEnum):
    RED = "red"
    BLACK = "black"


class Suit(StrEnum):
    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"

    __hash__ = str.__hash__  # as of a rank

    @property
    def colour(self) -> Colour:
        return Colour.RED if self in (Suit.HEARTS, Suit.DIAMONDS) else Colour.BLACK


@dataclass(frozen=True, slots=True)
class Card:
    """One of the 52 faces. Several decks hold several cards of one face; they are equal."""

    rank: Rank
    suit: Suit
    text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.rank.value + self.suit.value)

    @staticmethod
    def parse(text: str) -> Card:
        """The card that `text` names, e.g. "TH". Raises `SettlementError` (`bad_card`) for anything else."""
        card = CARDS.get(text)
        if card is None:
            raise SettlementError(
                ErrorCode.BAD_CARD,
                f"{text!r} is no card; expected a rank of A 2 3 4 5 6 7 8 9 T J Q K and a suit of S H D C, e.g. 'TH'",
            )
        return card

    def __hash__(self) -> int:
        return hash(self.text)  # a text keeps its hash; that of both fields would be worked out each time

    def __str__(self) -> str:
        return self.text


DECK: tuple[Card, ...] = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
"""One deck: 52 cards, by suit, then by rank."""

CARDS: dict[str, Card] = {str(card): card for card in DECK}
"""Every card by its two characters."""


def show_cards(cards: tuple[Card, ...]) -> str:
    """The cards as people write them in a row: "KS 9H"."""
    return " ".join(str(card) for card in cards)


def check_copies(dealt: Collection[Card], decks: int | None) -> None:
    """Refuse a face that was dealt more often than the decks hold it (`impossible_cards`); `decks` None holds none."""
    held = decks or 0
    if held and len(set(dealt)) == len(dealt):
        return  # no face twice: the usual round, without counting
    for card, copies in Counter(dealt).items():
        if copies > held:
            raise SettlementError(
                ErrorCode.IMPOSSIBLE_CARDS,
                f"outcome: {card} was dealt {copies} times; {held} deck(s) hold it {held} time(s)",
            )
