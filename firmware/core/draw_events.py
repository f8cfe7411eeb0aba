"""Answers of the generator in the shell: public draws, and what is told of a secret trigger. Part of `events.Event`."""

from __future__ import annotations

from firmware.core.stored import Message


class Drawn(Message, frozen=True):
    """Answer to `Draw`: one value for each pick."""

    draw: int
    values: tuple[str, ...]
    at_ns: int


class TriggerDrawn(Message, frozen=True):
    """Answer to `DrawTrigger`. The trigger itself stays in the shell: `sealed` is it and the random bytes of the
    commitment, encrypted under a key that is not in the journal (hex)."""

    meter: str
    draw: int
    commitment: str
    sealed: str
    at_ns: int


class TriggerTested(Message, frozen=True):
    """Answer to `TestTrigger`: none of the contributions lifted the meter above the trigger."""

    meter: str
    draw: int
    from_micro: int
    to_micro: int
    at_ns: int


class TriggerHit(Message, frozen=True):
    """Answer to `TestTrigger`: contribution `index` (from 0) was the first above the trigger, which is revealed with
    the random bytes of its commitment (hex)."""

    meter: str
    draw: int
    from_micro: int
    index: int
    trigger_micro: int
    nonce: str
    at_ns: int


class TriggerLost(Message, frozen=True):
    """Answer to `DrawTrigger` or `TestTrigger`: the secret can't be made or read. It is never drawn anew."""

    meter: str
    draw: int
    reason: str
    at_ns: int


TriggerEvent = TriggerDrawn | TriggerTested | TriggerHit | TriggerLost
