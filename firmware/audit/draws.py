"""Every random draw of a journal, checked by the journal alone: what was asked, committed to, drawn and revealed.

Rules:
* A trigger that was hit must be the one that was committed to before, lie in the range that was asked for, be passed by
  the contribution that is named and by none before it, in this question and in all earlier ones of that trigger; and
  what it pays must be what the meter then held, floored to the cent.
* A file that continues another goes on with the commitment in the state with which it opens.
* A public draw must hold one value of each distribution that was asked for.
* What contradicts this is `JournalDamaged` and names the entry. No key is needed, and none would help.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from firmware.app.program import programs
from firmware.core.chances import commitment, crossing
from firmware.core.draw_events import Drawn, TriggerDrawn, TriggerHit, TriggerTested
from firmware.core.effects import AwardLocked, Draw, DrawTrigger, Effect, MysteryResumed, MysteryStopped, TestTrigger
from firmware.core.events import Event
from firmware.core.meters import cents_text
from firmware.core.money import MICRO_PER_CENT, format_meter
from firmware.core.mystery import range_micro
from firmware.core.rules import TableRules
from firmware.core.state import State
from firmware.journal.commands import counted
from firmware.journal.errors import JournalDamaged
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, NO_HASH, Entry


class _Trigger(Struct):
    """What is known of one trigger so far."""

    meter: str
    draw: int
    least_micro: int
    below_micro: int
    commitment: str = ""
    drawn_seq: int = 0  # 0: in a file before this one
    asked: TestTrigger | None = None  # not answered yet
    tests: int = 0
    passed_micro: int = -1  # the highest amount that was said not to be above it
    revealed: bool = False

    @property
    def drawn(self) -> str:
        return f"entry {self.drawn_seq}" if self.drawn_seq else "an entry of a file before this one"


def audit(reader: Reader) -> Iterator[str]:
    """The journal's draws, one line each, and a line that sums them up. Raises JournalDamaged, UnknownRules."""
    reader.verify()
    draws = DrawAudit()
    for index, segment in enumerate(reader.segments()):
        header = HEADER_CODEC.decode(segment.header)
        program = programs(header)
        rules = program.rules(header)
        table = rules.table_id
        if index == 0 and segment.prev_hash != NO_HASH:
            opening = reader.snapshot(segment.number, segment.first_seq - 1) or ""
            draws.go_on(rules, program.codec.states.decode(opening))
        for row in reader.entries(segment.first_seq):
            if row.segment != segment.number:
                break
            yield from draws.take(program.codec.decode_entry(row), table)
    yield from draws.end()


class DrawAudit:
    """Follows the entries in order."""

    def __init__(self) -> None:
        self._triggers: dict[tuple[str, int], _Trigger] = {}
        self._open: dict[int, Draw] = {}
        self._public = 0

    def go_on(self, rules: TableRules, opening: State) -> None:
        """In a file that continues another: the trigger in force was drawn there, its commitment is in the state."""
        bonus = opening.mystery
        if bonus is not None:
            trigger = _Trigger(bonus.meter, bonus.draw, *range_micro(rules), commitment=bonus.commitment)
            self._triggers[bonus.meter, bonus.draw] = trigger

    def take(self, entry: Entry[Event, Effect], table: str) -> Iterator[str]:
        """What the entry says of draws. Raises JournalDamaged."""
        seq, event = entry.seq, entry.event
        match event:
            case TriggerDrawn():
                trigger = self._trigger(seq, event.meter, event.draw)
                if trigger.commitment:
                    raise JournalDamaged(f"entry {seq}: trigger {event.draw} of {event.meter} was drawn a second time")
                trigger.commitment, trigger.drawn_seq = event.commitment, seq
            case TriggerTested():
                self._tested(seq, event)
            case TriggerHit():
                yield self._hit(seq, event, entry.effects, table)
            case Drawn():
                yield self._drawn(seq, event)
            case _:
                pass
        for effect in entry.effects:
            match effect:
                case Draw():
                    self._open[effect.draw] = effect
                case DrawTrigger():
                    place = effect.meter, effect.draw
                    if place not in self._triggers:  # else asked again after a restart
                        self._triggers[place] = _Trigger(*place, effect.least_micro, effect.below_micro)
                case TestTrigger():
                    self._trigger(seq, effect.meter, effect.draw).asked = effect
                case MysteryStopped():
                    yield f"entry {seq}: {effect.meter} stopped, trigger {effect.draw}: {effect.reason}"
                case MysteryResumed():
                    yield f"entry {seq}: {effect.meter} goes on with trigger {effect.draw}"
                case _:
                    pass

    def end(self) -> Iterator[str]:
        """What is still secret, and how much there was."""
        for trigger in self._triggers.values():
            if trigger.commitment and not trigger.revealed:
                yield (
                    f"trigger {trigger.draw} of {trigger.meter}: secret since {trigger.drawn}, asked "
                    f"{trigger.tests} times; committed to as {trigger.commitment}"
                )
        revealed = sum(trigger.revealed for trigger in self._triggers.values())
        drawn = sum(bool(trigger.commitment) for trigger in self._triggers.values())
        triggers, public = counted(drawn, "trigger"), counted(self._public, "public draw")
        yield f"in order: {triggers} drawn, {revealed} revealed as committed to; {public}"

    # --- secret -----------------------------------------------------------------------------------------------------

    def _trigger(self, seq: int, meter: str, draw: int) -> _Trigger:
        trigger = self._triggers.get((meter, draw))
        if trigger is None:
            raise JournalDamaged(f"entry {seq}: trigger {draw} of {meter} was never asked for")
        return trigger

    def _answered(self, seq: int, meter: str, draw: int, from_micro: int) -> tuple[_Trigger, TestTrigger]:
        trigger = self._trigger(seq, meter, draw)
        asked, trigger.asked = trigger.asked, None
        if asked is None or asked.from_micro != from_micro or not trigger.commitment or trigger.revealed:
            raise JournalDamaged(f"entry {seq}: an answer about trigger {draw} of {meter} that was not asked for")
        trigger.tests += 1
        return trigger, asked

    def _tested(self, seq: int, event: TriggerTested) -> None:
        trigger, asked = self._answered(seq, event.meter, event.draw, event.from_micro)
        if event.to_micro != asked.from_micro + sum(asked.steps):
            raise JournalDamaged(f"entry {seq}: the answer is about other contributions than were asked about")
        if asked.steps:
            trigger.passed_micro = max(trigger.passed_micro, event.to_micro)

    def _hit(self, seq: int, event: TriggerHit, effects: tuple[Effect, ...], table: str) -> str:
        trigger, asked = self._answered(seq, event.meter, event.draw, event.from_micro)
        what = f"entry {seq}: trigger {event.draw} of {event.meter}"
        revealed = format_meter(event.trigger_micro)
        if commitment(table, event.meter, event.draw, bytes.fromhex(event.nonce), event.trigger_micro) != (
            trigger.commitment
        ):
            raise JournalDamaged(f"{what}: {revealed} was revealed, and is not what {trigger.drawn} promised")
        if not trigger.least_micro <= event.trigger_micro < trigger.below_micro:
            raise JournalDamaged(f"{what}: {revealed} is outside of the range that it was to be drawn from")
        if trigger.passed_micro > event.trigger_micro:
            raise JournalDamaged(f"{what}: {revealed} had been passed before, at {format_meter(trigger.passed_micro)}")
        if crossing(asked.from_micro, asked.steps, event.trigger_micro) != event.index:
            raise JournalDamaged(f"{what}: contribution {event.index + 1} is not the first above {revealed}")
        cents = (asked.from_micro + sum(asked.steps[: event.index + 1])) // MICRO_PER_CENT
        award = next((e for e in effects if isinstance(e, AwardLocked) and e.meter == event.meter), None)
        if award is None or award.cents != cents:
            paid = "nothing" if award is None else cents_text(award.cents)
            raise JournalDamaged(f"{what}: the meter held {cents_text(cents)}, awarded was {paid}")
        trigger.revealed = True
        return (
            f"{what}: {revealed}, in the range from {format_meter(trigger.least_micro)} to below "
            f"{format_meter(trigger.below_micro)}, as committed to at {trigger.drawn}; position "
            f"{award.position} won {cents_text(cents)}\n"
            f"  SHA-256 {trigger.commitment}\n  random bytes {event.nonce}"
        )

    # --- public -----------------------------------------------------------------------------------------------------

    def _drawn(self, seq: int, event: Drawn) -> str:
        asked = self._open.pop(event.draw, None)
        if asked is None or len(asked.picks) != len(event.values):
            raise JournalDamaged(f"entry {seq}: draw {event.draw} was not asked for so")
        for pick, value in zip(asked.picks, event.values, strict=True):
            if all(share.value != value for share in pick.shares):
                raise JournalDamaged(f"entry {seq}: draw {event.draw}: {value!r} is no value of {pick.name}")
        self._public += 1
        return f"entry {seq}: draw {event.draw}, {asked.purpose}: {', '.join(event.values)}"
