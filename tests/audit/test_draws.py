"""`tabled journal draws`: what contradicts itself about a draw is found, and named by its entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from firmware.audit.draws import DrawAudit
from firmware.core import draw_events as answers
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.chances import Pick, Share
from firmware.core.effects import Effect
from firmware.core.events import Event
from firmware.journal.errors import JournalDamaged
from firmware.journal.records import Entry
from tests.core.mystery_table import LEAST, STEP, MysteryTable

Played = list[Entry[Event, Effect]]


class RecordedTable(MysteryTable):
    """Keeps what a journal would hold."""

    def __init__(self, triggers: Sequence[int]) -> None:
        self.entries: Played = []
        super().__init__(triggers)

    def do(self, event: Event) -> tuple[Effect, ...]:
        answering, self.answering = self.answering, False
        effects = super().do(event)
        self.entries.append(Entry(len(self.entries) + 1, 0, 0, event, effects, None))
        self.answering = answering
        if answering:
            self.unanswered.clear()
            self._answer(effects)
        return effects


def played() -> Played:
    """Trigger 1 is tested once in vain and then hit, trigger 2 is tested."""
    t = RecordedTable([2 * STEP, 9 * STEP])
    t.opened()
    t.round(1, 2)
    t.round(3, 4)
    t.round(5)
    return t.entries


def judged(entries: Played, table: str = "MD-SIM") -> list[str]:
    audit = DrawAudit()
    lines = [line for entry in entries for line in audit.take(entry, table)]
    return [*lines, *audit.end()]


def test_what_is_right() -> None:
    hit, secret, summed = judged(played())
    assert "trigger 1 of mystery: 100.500000, in the range from 100.000000 to below 102.750000" in hit
    assert "position 3 won $100.75" in hit
    assert "trigger 2 of mystery: secret since entry" in secret
    assert "asked 2 times" in secret
    assert summed == "in order: 2 triggers drawn, 1 revealed as committed to; 0 public draws"


def changed(kind: type[Event], change: Callable[[Event], Event], nth: int = 0) -> Played:
    entries = played()
    places = [n for n, entry in enumerate(entries) if isinstance(entry.event, kind)]
    entry = entries[places[nth]]
    entries[places[nth]] = replace(entry, event=change(entry.event))
    return entries


def with_effects(change: Callable[[Effect], Effect | None]) -> Played:
    out = []
    for entry in played():
        effects = tuple(e for e in map(change, entry.effects) if e is not None)
        out.append(replace(entry, effects=effects))
    return out


def set_to(**values: object) -> Callable[[Event], Event]:
    return lambda event: replace(event, **values)


def of(kind: type[Effect], **values: object) -> Callable[[Effect], Effect | None]:
    """Change the effects of a kind; without values leave them out."""
    return lambda e: e if not isinstance(e, kind) else replace(e, **values) if values else None


TAMPERED: list[tuple[str, Callable[[], Played], str]] = [
    ("another trigger", lambda: changed(answers.TriggerHit, set_to(trigger_micro=LEAST)), "is not what entry"),
    ("another nonce", lambda: changed(answers.TriggerHit, set_to(nonce="00" * 32)), "is not what entry"),
    ("another commitment", lambda: changed(answers.TriggerDrawn, set_to(commitment="00" * 32)), "is not what entry"),
    ("another winner", lambda: changed(answers.TriggerHit, set_to(index=1)), "contribution 2 is not the first above"),
    ("another amount", lambda: with_effects(of(fx.AwardLocked, cents=10_076)), "awarded was $100.76"),
    ("no award", lambda: with_effects(of(fx.AwardLocked)), "awarded was nothing"),
    ("other contributions", lambda: with_effects(of(fx.TestTrigger, steps=(STEP,))), "other contributions than"),
    ("another meter", lambda: with_effects(of(fx.TestTrigger, from_micro=LEAST)), "that was not asked for"),
    ("no question", lambda: with_effects(of(fx.TestTrigger)), "that was not asked for"),
    ("never asked to draw", lambda: with_effects(of(fx.DrawTrigger)), "was never asked for"),
    ("another range", lambda: with_effects(of(fx.DrawTrigger, below_micro=LEAST + STEP)), "outside of the range"),
]


@pytest.mark.parametrize(("entries", "said"), [c[1:] for c in TAMPERED], ids=[c[0] for c in TAMPERED])
def test_what_is_wrong_is_found(entries: Callable[[], Played], said: str) -> None:
    with pytest.raises(JournalDamaged, match=r"entry \d+") as caught:
        judged(entries())
    assert said in str(caught.value)


def test_a_trigger_that_had_been_passed_before_is_found() -> None:
    """Question and answer say that the meter went over it in vain: the trigger would have been moved."""
    entries = []
    for entry in played():
        event, effects = entry.event, entry.effects
        if isinstance(event, answers.TriggerTested) and event.to_micro == LEAST + 2 * STEP:
            event = replace(event, to_micro=event.to_micro + STEP)
        effects = tuple(
            replace(e, steps=(STEP, 2 * STEP)) if isinstance(e, fx.TestTrigger) and len(e.steps) == 2 and
            e.from_micro == LEAST and e.draw == 1 else e
            for e in effects
        )  # fmt: skip
        entries.append(replace(entry, event=event, effects=effects))
    with pytest.raises(JournalDamaged, match=r"had been passed before, at 100\.750000"):
        judged(entries)


def test_another_table_s_commitment_does_not_fit() -> None:
    with pytest.raises(JournalDamaged, match="is not what entry"):
        judged(played(), table="MD-OTHER")


def test_a_trigger_is_drawn_once() -> None:
    entries = played()
    drawn = next(entry for entry in entries if isinstance(entry.event, answers.TriggerDrawn))
    with pytest.raises(JournalDamaged, match="was drawn a second time"):
        judged([*entries, replace(drawn, effects=())])


COIN = Pick("coin", (Share("red", 1), Share("blue", 1)))
ASKED = Entry[Event, Effect](1, 0, 0, ev.Tick(0), (fx.Draw(1, "coin flip", (COIN, COIN)),), None)


def test_a_public_draw_is_told() -> None:
    lines = judged([ASKED, Entry(2, 0, 0, answers.Drawn(1, ("red", "blue"), 0), (), None)])
    assert lines == [
        "entry 2: draw 1, coin flip: red, blue",
        "in order: 0 triggers drawn, 0 revealed as committed to; 1 public draw",
    ]


@pytest.mark.parametrize(("draw", "values"), [(1, ("red",)), (1, ("red", "green")), (2, ())], ids=str)
def test_a_public_draw_that_was_not_asked_for_so(draw: int, values: tuple[str, ...]) -> None:
    with pytest.raises(JournalDamaged, match="entry 2: draw"):
        judged([ASKED, Entry(2, 0, 0, answers.Drawn(draw, values, 0), (), None)])
