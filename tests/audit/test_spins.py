"""The audit of spins: whole evenings at a Roulette table agree; a changed number, predecessor or draw is found."""

from __future__ import annotations

from msgspec.structs import replace

from firmware.audit.auditor import Auditor, Beginning
from firmware.audit.items import Finding, When
from firmware.audit.snapshot import read_snapshot
from firmware.core.effects import Effect, RoundSettled
from firmware.core.events import Event
from firmware.core.shown import SpunShown
from firmware.core.state import initial_state
from firmware.core.step import step
from tests.core.roulette_table import B2B, RouletteTable

Entry = tuple[Event, tuple[Effect, ...]]
"""As the journal has it."""


def evening() -> RouletteTable:
    """A number from a person, one between the rounds, a void spin, a doubt, a number that came twice."""
    t = RouletteTable().opened()
    t.round("17", 1)
    t.bet(1, 3)
    t.no_spin()
    t.number("17")
    t.drawn("250")
    t.finish()
    t.bet(2)
    t.floor("ENTER NUMBER", "NUMBER 19-27", "NUMBER 20?")
    t.finish()
    t.bet(2)
    t.doubt("20", "26")
    t.confirm()
    t.drawn("10")
    t.finish()
    t.bet(4)
    t.wheel_closes()
    t.call()
    t.floor("VOID ROUND")
    t.finish()
    t.number("9")
    t.wheel_opens()
    t.round("9", 5)
    t.drawn("25")
    return t


def entries(t: RouletteTable) -> list[Entry]:
    state, out = initial_state(t.rules), []
    for event in t.events:
        state, effects = step(t.rules, state, event)
        out.append((event, effects))
    return out


def audited(t: RouletteTable, told: list[Entry]) -> list[str]:
    auditor = Auditor()
    opening = read_snapshot("{}")
    found = auditor.segment(_when(0), t.rules, opening, Beginning(known=False, new_table=True, begun=None))
    for number, (event, effects) in enumerate(told, start=1):
        found += auditor.entry(_when(number), event, effects)
    return [item.what for item in found if isinstance(item, Finding)]


def _when(seq: int) -> When:
    return When(seq=seq, wall_ns=0, trusted=True)


def changed(told: list[Entry], **values: object) -> list[Entry]:
    """The settlement of the round that won, changed."""
    out = []
    for event, effects in told:
        new = tuple(
            replace(effect, shown=replace(effect.shown, **values))
            if isinstance(effect, RoundSettled)
            and isinstance(effect.shown, SpunShown)
            and effect.shown.drawn_odds == 250
            else effect
            for effect in effects
        )
        out.append((event, new))
    return out


def test_an_evening_agrees() -> None:
    t = evening()
    assert {w.wager for w in t.state.wagers} == {B2B}
    assert audited(t, entries(t)) == []


def test_a_number_that_nobody_told_is_found() -> None:
    t = evening()
    assert "Number hand settled" in audited(t, changed(entries(t), number="18", drawn_odds=None))


def test_another_predecessor_is_found() -> None:
    t = evening()
    assert "previous number" in audited(t, changed(entries(t), previous="18"))


def test_other_odds_than_were_drawn_are_found() -> None:
    t = evening()
    assert "odds drawn" in audited(t, changed(entries(t), drawn_odds=1000))
