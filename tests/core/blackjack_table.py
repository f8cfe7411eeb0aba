"""A Blackjack table in memory, for tests of the core."""

from __future__ import annotations

from firmware.core import events as ev
from firmware.core.rounds.blackjack import round_of
from firmware.core.rules import MeterRule, OfferRule, ReaderRule, SpotRule, TableRules
from tests.core.table import Table, rules

SEAT = "blackjack"
TWENTY_ONE, ROYAL = "21_plus_3_progressive", "royal_match_progressive"
BOUNTY, SEVENS, MULTI = "kings_bounty", "blazing_7s", "blazing_7s_multi_progressive"
WAGERS = {TWENTY_ONE: ("1", 500), ROYAL: ("A", 500), BOUNTY: ("B", 500), SEVENS: ("A", 500), MULTI: ("A", 500)}
SHOE = ReaderRule(result=False)


def blackjack_rules(positions: int = 7, **changes: object) -> TableRules:
    values: dict[str, object] = {
        "game": "blackjack",
        "decks": 6,
        "offers": tuple(OfferRule(w, t, True, "progressive" in w, cents) for w, (t, cents) in WAGERS.items()),
        "spots": (
            *(SpotRule(p, SEAT, 0) for p in range(1, positions + 1)),
            *(SpotRule(p, w, cents) for w, (_, cents) in WAGERS.items() for p in range(1, positions + 1)),
        ),
        "meters": (
            MeterRule("21_plus_3", TWENTY_ONE, 10_000_000_000, 170_000, 0, 10_000_000_000),
            MeterRule("royal_match", ROYAL, 50_000_000_000, 150_000, 0, 50_000_000_000),
            MeterRule("blazing_7s.mega", MULTI, 50_000_000_000, 80_000, 0, 50_000_000_000),
            MeterRule("blazing_7s.major", MULTI, 10_000_000_000, 80_000, 0, 10_000_000_000),
            MeterRule("blazing_7s.minor", MULTI, 5_000_000_000, 80_000, 0, 5_000_000_000),
        ),
        "combinations": (),
        "declared_suit": "S",
        "dealt_in_by": SEAT,
        "reader": SHOE,
    }
    return rules(positions, **{**values, **changes})


class BlackjackTable(Table):
    def __init__(self, table_rules: TableRules | None = None) -> None:
        super().__init__(table_rules or blackjack_rules())

    def opened(self) -> BlackjackTable:
        super().opened()
        return self

    def bet(self, *wagers: tuple[int, str], seats: tuple[int, ...] | None = None) -> BlackjackTable:
        """The Blackjack wager of every position that has another one, or of `seats`; then lock-out and the count."""
        for position in sorted({p for p, _ in wagers}) if seats is None else seats:
            self.place(position, SEAT)
        for position, wager in wagers:
            self.place(position, wager)
        self.lock()
        if self.state.phase == "counting":
            self.confirm()
        return self

    def scan(self, cards: str) -> None:
        """In the order in which they leave the shoe."""
        for card in cards.split():
            self.do(ev.CardScanned(card, self.tick(500), "00"))

    def hands(self) -> dict[str, str]:
        game = round_of(self.state)
        dealt = {f"p{hand.position}": hand.cards for hand in game.hands} | {"dealer": game.dealer}
        return {name: " ".join(one.card for one in cards) for name, cards in dealt.items()}
