"""A Midibaccarat table in memory with the real generator beside it, whose randomness is scripted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from firmware.app.generator import Generator
from firmware.app.key_file import SecretKey
from firmware.core import awards
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.effects import Effect
from firmware.core.rules import TableRules
from firmware.core.state import Meter, MysteryBonus
from firmware.settings.load import load
from firmware.settings.paytables import load_catalogue
from firmware.settings.rules import to_rules
from tests.core.table import Table

TABLES = Path(__file__).parents[2] / "config" / "tables"
ROYAL = "royal_9_progressive"
CENT = 10_000
DOLLAR = 1_000_000
LEAST = 100 * DOLLAR
STEP = 250_000
"""What a Royal 9 wager of $5 adds at 5 %."""

KEY = SecretKey(bytes(range(32)))


@cache
def midi_rules() -> TableRules:
    return to_rules(load(TABLES / "midibaccarat.toml"), load_catalogue("midibaccarat"))


class Script:
    """Random bytes such that the triggers come out as wanted, in micro-dollars above the least."""

    def __init__(self, triggers: Iterable[int]) -> None:
        self._triggers: Iterator[int] = iter(triggers)
        self._filler = 0

    def __call__(self, count: int) -> bytes:
        if count == 3:  # 2,750,000 values: 22 bits, the upper ones of three bytes
            return (next(self._triggers) << 2).to_bytes(3, "big")
        self._filler += 1
        return self._filler.to_bytes(count, "big")


class MysteryTable(Table):
    """While `answering`, the generator answers every question as soon as it is asked."""

    def __init__(self, triggers: Iterable[int] = (), key: SecretKey | None = KEY) -> None:
        super().__init__(midi_rules())
        self.source = Script(triggers)
        self.answering = True
        self.unanswered: list[Effect] = []
        self.use(key)

    def use(self, key: SecretKey | None) -> None:
        self.generator = Generator(self.rules.table_id, key, self.source)

    def do(self, event: ev.Event) -> tuple[Effect, ...]:
        effects = super().do(event)
        if self.answering:
            self._answer(effects)
        else:
            self.unanswered += [e for e in effects if isinstance(e, fx.Question)]
        return effects

    def _answer(self, effects: Iterable[Effect]) -> None:
        for answer in self.generator.answers(effects, self.state):
            self.do(answer)

    def answer(self) -> None:
        """What was asked meanwhile is answered now, and from here on."""
        self.answering, waiting = True, self.unanswered
        self.unanswered = []
        self._answer(waiting)

    # --- play -------------------------------------------------------------------------------------------------------

    def bet(self, *positions: int) -> None:
        """Royal 9 chips in this order, and lock-out."""
        for position in positions:
            self.place(position, ROYAL)
        self.lock()

    def round(self, *positions: int) -> None:
        """A round whose cards win nothing: from the chips to the cleared table. Awards are paid."""
        self.bet(*positions)
        if positions:
            self.confirm()
        self.pay_awards()
        self.finish()

    def pay_awards(self) -> None:
        """Everything that the display asks for while awards are open, also in a void round."""
        while awards.any_open(self.state):
            self.see_to_one()

    def finish(self) -> None:
        self.deal("2C 5D", "2D 4C")
        self.result("player")
        self.sweep()
        self.clear()

    def sweep(self) -> None:
        for spot in self.state.spots:
            if spot.chip is not None:
                self.lift(spot.position, spot.wager)

    # --- what is seen -----------------------------------------------------------------------------------------------

    @property
    def bonus(self) -> MysteryBonus:
        assert self.state.mystery is not None
        return self.state.mystery

    @property
    def mystery(self) -> Meter:
        return next(m for m in self.state.meters if m.name == "mystery")

    def won(self) -> list[tuple[int, int]]:
        """Position and cents of every award of the bonus, in order."""
        locked = [e for e in self.effects if isinstance(e, fx.AwardLocked)]
        return [(e.position, e.cents) for e in locked if e.line == "must_hit_by"]

    def asked(self) -> list[fx.TestTrigger]:
        return [e for e in self.effects if isinstance(e, fx.TestTrigger) and e.steps]
