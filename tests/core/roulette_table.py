"""A Roulette table in memory, for tests of the core."""

from __future__ import annotations

from fractions import Fraction

from firmware.core import events as ev
from firmware.core import wheel_events as wheel
from firmware.core.chances import pick_of
from firmware.core.draw_events import Drawn
from firmware.core.effects import Draw
from firmware.core.rules import OfferRule, SpotRule, TableRules
from firmware.core.wheel_events import NumberRead
from tests.core.table import Phase, Table, rules

B2B = "b2b_roulette"
ODDS = ("1000", "500", "250", "100", "50", "25", "10")


def roulette_rules(positions: int = 7, **changes: object) -> TableRules:
    values: dict[str, object] = {
        "game": "roulette",
        "decks": 0,
        "wheel": "double_zero",
        "offers": (OfferRule(B2B, "-", True, False, 500),),
        "spots": tuple(SpotRule(p, B2B, 500) for p in range(1, positions + 1)),
        "meters": (),
        "combinations": (),
        "devices": ("lines", "wheel", "board"),
        "card_readers": (),
        "wheels": ("wheel",),
        "picks": (pick_of(B2B, {odds: Fraction(1, 7) for odds in ODDS}),),
    }
    return rules(positions, **{**values, **changes})


class RouletteTable(Table):
    def __init__(self, table_rules: TableRules | None = None, **changes: object) -> None:
        super().__init__(table_rules or roulette_rules(**changes))  # type: ignore[arg-type]
        self.spin = 0

    def opened(self) -> RouletteTable:
        self.start()
        self.floor("OPEN TABLE")
        assert self.state.phase is Phase.BETTING, self.state.phase
        return self

    def bet(self, *positions: int) -> RouletteTable:
        for position in positions:
            self.place(position, B2B)
        self.lock()
        return self

    def number(self, pocket: str, device: str = "wheel", spin: int | None = None) -> None:
        """Told by the wheel: another spin, unless one is named."""
        self.spin = self.spin + 1 if spin is None else spin
        self.do(NumberRead(device, pocket, ("line", "status"), self.spin, self.tick(20_000), "00"))

    def doubt(self, *pockets: str, doubt: str = "sources_differ", spin: int | None = None) -> None:
        self.spin = self.spin + 1 if spin is None else spin
        self.do(wheel.NumberInDoubt("wheel", doubt, pockets, self.spin, self.tick(20_000), "00"))

    def no_spin(self, reason: str = "wrong_way", ball_lost: bool = False) -> None:
        self.do(wheel.SpinVoided("wheel", reason, ball_lost, self.spin, self.tick(5_000), "00"))

    def wheel_closes(self, heard_ms: int = 500) -> int:
        """The wheel says no more bets; it was last heard `heard_ms` before."""
        at_ns = self.tick(1)
        self.do(wheel.WheelMoved("wheel", "no_more_bets", True, at_ns - heard_ms * 1_000_000, at_ns, None, "00"))
        return at_ns

    def wheel_opens(self) -> None:
        self.do(wheel.WheelMoved("wheel", "place_bets", False, self.now_ns, self.tick(500), None, "00"))

    def drawn(self, odds: str) -> None:
        """The generator's answer to the last question."""
        question = self.saw(Draw)[-1]
        assert isinstance(question, Draw)
        self.do(Drawn(question.draw, (odds,), self.tick()))

    def round(self, pocket: str, *positions: int) -> None:
        """A whole round, cleared."""
        self.bet(*positions)
        self.number(pocket)
        self.finish()

    def finish(self) -> None:
        for spot in self.state.spots:
            if spot.chip is not None:
                self.lift(spot.position, spot.wager)
        self.clear()

    def power_cut(self) -> None:
        """The same boot's end, and a new one with the same chips on the layout."""
        covered = [(s.position, s.wager) for s in self.state.spots if s.chip is not None]
        self.start(f"boot-{self.now_ns}", covered)

    def settled(self) -> dict[int, tuple[str, int]]:
        return {o.position: (o.result.value, o.award_cents) for o in self.state.outcomes}


__all__ = ["B2B", "ODDS", "Phase", "RouletteTable", "ev", "roulette_rules", "wheel"]
