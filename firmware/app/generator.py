"""The table's random number generator: draws for the games, and the secret triggers of the mystery bonus.

Rules:
* Every bit comes from the kernel when it is asked for (`os.urandom`, which waits until the pool is ready). Nothing is
  seeded, kept or read from a disk: two tables with one disk image never draw the same.
* Numbers below n: as many bits as n - 1 has; what is n or more is thrown away and drawn again. No remainder is taken,
  so no value is likelier than another.
* A trigger and the random bytes of its commitment are sealed (`nacl.secret.SecretBox`: XSalsa20 and Poly1305) under a
  key that is not in the journal, and forgotten. They are opened to answer a question, compared with the commitment,
  and leave this module only in the answer to a hit. No message, log or `repr` here holds them.
* What can't be drawn or opened is answered with why (`TriggerLost`), never with another draw.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import assert_never

from firmware.app import clock
from firmware.app.key_file import KeyFileError, SecretKey
from firmware.core.chances import (
    NONCE_BYTES,
    TRIGGER_BYTES,
    Pick,
    commitment,
    crossing,
    decode_trigger,
    encode_trigger,
)
from firmware.core.draw_events import Drawn, TriggerDrawn, TriggerEvent, TriggerHit, TriggerLost, TriggerTested
from firmware.core.effects import Draw, DrawTrigger, Effect, Question, TestTrigger
from firmware.core.events import Event
from firmware.core.state import State

Source = Callable[[int], bytes]
"""So many random bytes."""

MOST_REJECTED = 256
"""A draw is rejected at most every second time, so this many in a row do not happen to a source that works."""


class GeneratorFault(Exception):
    """The source of randomness does not work: the daemon must not go on drawing."""


class Chance:
    """Uniform numbers from random bytes."""

    def __init__(self, source: Source = os.urandom) -> None:
        self._source = source

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1, each as likely. Raises `ValueError` for a limit under 1,
        GeneratorFault."""
        if limit < 1:
            raise ValueError(f"nothing can be drawn below {limit}")
        bits = (limit - 1).bit_length()
        spare = -bits % 8
        for _ in range(MOST_REJECTED):
            value = int.from_bytes(self.bytes((bits + spare) // 8), "big") >> spare
            if value < limit:
                return value
        raise GeneratorFault(f"{MOST_REJECTED} random numbers in a row were no use: the source repeats itself")

    def bytes(self, count: int) -> bytes:
        """Raises GeneratorFault for a source that gives fewer."""
        found = self._source(count)
        if len(found) != count:
            raise GeneratorFault(f"the source gave {len(found)} random bytes, {count} were asked for")
        return found

    def pick(self, pick: Pick) -> str:
        """One value, each as often as its parts are of all."""
        place = self.below(pick.parts)
        for share in pick.shares:
            if place < share.parts:
                return share.value
            place -= share.parts
        raise AssertionError(f"{pick.name}: fewer parts than its shares have")


class Generator:
    """Answers what the core asks."""

    def __init__(self, table: str, key: SecretKey | None, source: Source = os.urandom) -> None:
        """`key`: None where the table has no secret draws."""
        self._table = table
        self._key = key
        self._chance = Chance(source)

    def answers(self, effects: Iterable[Effect], state: State) -> Iterator[Event]:
        """One answer for each question among the effects of a durable entry; `state`: the durable state. A question
        that is no longer open there has been answered."""
        for effect in effects:
            if isinstance(effect, Question):
                answer = self._answer(effect, state)
                if answer is not None:
                    yield answer

    def _answer(self, question: Question, state: State) -> Event | None:
        match question:
            case Draw():
                values = tuple(self._chance.pick(pick) for pick in question.picks)
                return Drawn(question.draw, values, clock.monotonic_ns())
            case DrawTrigger() | TestTrigger():
                bonus = state.mystery
                if bonus is None or (bonus.meter, bonus.draw) != (question.meter, question.draw):
                    return None
                return self._secret(question, state)
            case _:
                assert_never(question)

    def _secret(self, question: DrawTrigger | TestTrigger, state: State) -> TriggerEvent:
        try:
            if self._key is None:
                raise KeyFileError("this table has no key for secret draws")
            key = self._key.read()
            if isinstance(question, DrawTrigger):
                return self._draw_trigger(question, key)
            assert state.mystery is not None, "a question about no bonus"
            return self._test_trigger(question, key, state.mystery.sealed, state.mystery.commitment)
        except KeyFileError as error:
            return TriggerLost(question.meter, question.draw, str(error), clock.monotonic_ns())

    def _draw_trigger(self, question: DrawTrigger, key: bytes) -> TriggerDrawn:
        from nacl.secret import SecretBox

        trigger_micro = question.least_micro + self._chance.below(question.below_micro - question.least_micro)
        nonce = self._chance.bytes(NONCE_BYTES)
        promised = commitment(self._table, question.meter, question.draw, nonce, trigger_micro)
        box_nonce = self._chance.bytes(SecretBox.NONCE_SIZE)
        sealed = SecretBox(key).encrypt(nonce + encode_trigger(trigger_micro), box_nonce).hex()
        return TriggerDrawn(question.meter, question.draw, promised, sealed, clock.monotonic_ns())

    def _test_trigger(self, question: TestTrigger, key: bytes, sealed: str, promised: str) -> TriggerEvent:
        nonce, trigger_micro = self._open(question, key, sealed, promised)
        at_ns = clock.monotonic_ns()
        index = crossing(question.from_micro, question.steps, trigger_micro)
        if index is None:
            to_micro = question.from_micro + sum(question.steps)
            return TriggerTested(question.meter, question.draw, question.from_micro, to_micro, at_ns)
        return TriggerHit(question.meter, question.draw, question.from_micro, index, trigger_micro, nonce.hex(), at_ns)

    def _open(self, question: TestTrigger, key: bytes, sealed: str, promised: str) -> tuple[bytes, int]:
        """The random bytes and the trigger. Raises KeyFileError where they are not what was committed to."""
        from nacl.exceptions import CryptoError
        from nacl.secret import SecretBox

        if not sealed:
            raise KeyFileError("the trigger was given up with entries that are lost; a clearing draws another")
        try:
            text = SecretBox(key).decrypt(bytes.fromhex(sealed))
        except (CryptoError, ValueError) as error:
            raise KeyFileError(
                "the key does not open the sealed trigger: it is another key, or the journal's text is damaged"
            ) from error
        if len(text) != NONCE_BYTES + TRIGGER_BYTES:
            raise KeyFileError("what was sealed is no trigger")
        nonce, trigger_micro = text[:NONCE_BYTES], decode_trigger(text[NONCE_BYTES:])
        if commitment(self._table, question.meter, question.draw, nonce, trigger_micro) != promised:
            raise KeyFileError("the sealed trigger is not the one that was committed to")
        return nonce, trigger_micro
