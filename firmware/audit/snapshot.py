"""Of a state's text, what the audit reads: the meters to compare, and what a file begins with that continues another.

Rules: read by the names in the text, apart from the classes that wrote it; what else stands there is passed over.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from firmware.audit.ledger import Amounts, Ledger
from firmware.audit.tallies import Tally
from firmware.audit.wagers import Standing
from firmware.core.effects import SettlementShown
from firmware.core.rules import MeterRule
from firmware.core.settlement_data import PaidBy, Result
from firmware.core.shown import Rows
from firmware.core.state import AwardStatus
from firmware.core.wagers.wager import Stage


class _Increment(Struct):
    meter: str
    shown_micro: int
    reserve_micro: int
    hidden_micro: int = 0
    overflow_micro: int = 0
    won: bool = False

    def amounts(self) -> Amounts:
        return Amounts(self.shown_micro, self.reserve_micro, self.hidden_micro, self.overflow_micro)


class _Wager(Struct):
    position: int
    wager: str
    cents: int
    increments: list[_Increment] = []

    def standing(self) -> Standing:
        given = {i.meter: i.amounts() for i in self.increments}
        return Standing(self.cents, given=given, won={i.meter for i in self.increments if i.won})


class _Award(Struct):
    id: int
    position: int
    wager: str
    line: str
    meter: str | None
    cents: int
    paid_by: PaidBy
    section: str
    because_of: int | None = None
    slip: int | None = None
    status: AwardStatus = AwardStatus.LOCKED


class _Card(Struct):
    card: str


class _Hand(Struct):
    position: int
    cards: list[_Card] = []


class _Game(Struct):
    """What a game keeps of a round; each has some of these."""

    player: list[_Card] = []
    banker: list[_Card] = []
    dealer: list[_Card] = []
    hands: list[_Hand] = []
    number: str | None = None
    previous: str | None = None
    draw: int | None = None
    drawn_odds: int | None = None
    exposed: bool = False  # the dealer's second card lies open

    def rows(self) -> Rows:
        """Each hand and its cards, by the names that they have where they are shown."""
        named = {"Player": self.player, "Banker": self.banker, "Dealer": self.dealer}
        named |= {str(hand.position): hand.cards for hand in self.hands}
        number = () if self.number is None else (("Number", (self.number,)),)
        return number + tuple((name, tuple(one.card for one in cards)) for name, cards in named.items() if cards)

    def lying_open(self) -> tuple[str, ...]:
        """The cards that everybody sees."""
        rows = ((cards[:1] if name == "Dealer" and not self.exposed else cards) for name, cards in self.rows())
        return tuple(card for cards in rows for card in cards)


class _Stake(Struct):
    micro: int


class _Mystery(Struct):
    meter: str
    batch: list[_Stake] = []
    round: int = 0
    reason: str = ""


class _Wheel(Struct):
    last: str | None = None


class _Outcome(Struct):
    position: int
    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    meter: str | None

    def shown(self) -> SettlementShown:
        return SettlementShown(
            self.position, self.wager, self.result, self.line, self.award_cents, self.stake_returned_cents, self.meter
        )


class Snapshot(Struct):
    """Of a state's text, what the audit compares, and what a file that continues another begins with."""

    meters: list[Ledger] = []
    tallies: list[Tally] = []
    parameters: list[MeterRule] = []
    wagers: list[_Wager] = []
    awards: list[_Award] = []
    next_award: int = 1
    next_slip: int = 1
    round: int = 0
    held_over: str | None = None
    game: _Game | None = None
    settled: list[Stage] = []
    outcomes: list[_Outcome] = []
    mystery: _Mystery | None = None
    wheel: _Wheel | None = None

    def before(self) -> str | None:
        """The last valid number before the round under way."""
        if self.game is not None and self.game.number is not None:
            return self.game.previous
        return None if self.wheel is None else self.wheel.last


_decode_snapshot = msgspec.json.Decoder(Snapshot).decode


def read_snapshot(text: str) -> Snapshot:
    """Raises msgspec.DecodeError for a text that is no state's."""
    return _decode_snapshot(text)
