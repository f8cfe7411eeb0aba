"""What a random draw is about, as data: picks with exact weights, and the commitment to a secret trigger.

Rules:
* A weight is a whole number of equal parts; which part is drawn is for the generator (`firmware/app/generator.py`).
* A shuffle is asked as picks of 1 from n, n - 1, ... places, so that every draw is a list of independent picks.
* A commitment is SHA-256 over a label, the table, the meter, the draw's number, 32 random bytes and the trigger, each
  with its length: without the random bytes 150 million candidates would be tried in a minute.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from math import lcm

from firmware.core.stored import Stored

NONCE_BYTES = 32
TRIGGER_BYTES = 8
"""Triggers are written in eight bytes, whatever their size: the length of what is sealed tells nothing."""

_LABEL = b"tabled must-hit-by trigger 1"


class Share(Stored, frozen=True):
    """One value that can be drawn, and how many of the equal parts are its own (1 or more)."""

    value: str
    parts: int


class Pick(Stored, frozen=True):
    """One value is drawn, each as often as its parts are of all. `name`: the distribution, for people."""

    name: str
    shares: tuple[Share, ...]

    @property
    def parts(self) -> int:
        """All parts together."""
        return sum(share.parts for share in self.shares)


def pick_of(name: str, weights: Mapping[str, Fraction]) -> Pick:
    """A pick with these weights, exactly. Raises `ValueError` unless all are above zero and their sum is one."""
    if not weights or min(weights.values()) <= 0 or sum(weights.values(), Fraction()) != 1:
        raise ValueError(f"{name}: weights {dict(weights)}; expected fractions above zero that sum to one")
    whole = lcm(*(weight.denominator for weight in weights.values()))
    return Pick(name, tuple(Share(value, int(weight * whole)) for value, weight in weights.items()))


def commitment(table: str, meter: str, draw: int, nonce: bytes, trigger_micro: int) -> str:
    """The commitment in hex. Raises `ValueError` for a nonce of another length, `OverflowError` for a trigger that
    eight bytes don't hold."""
    if len(nonce) != NONCE_BYTES:
        raise ValueError(f"{len(nonce)} random bytes, expected {NONCE_BYTES}")
    parts = (_LABEL, table.encode(), meter.encode(), draw.to_bytes(8, "big"), nonce, encode_trigger(trigger_micro))
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()


def encode_trigger(trigger_micro: int) -> bytes:
    return trigger_micro.to_bytes(TRIGGER_BYTES, "big")


def decode_trigger(text: bytes) -> int:
    return int.from_bytes(text, "big")


def crossing(from_micro: int, steps: tuple[int, ...], trigger_micro: int) -> int | None:
    """Which of the contributions `steps`, added one by one, first lifts the meter above the trigger (M1, M6)."""
    value = from_micro
    for index, step in enumerate(steps):
        value += step
        if value > trigger_micro:
            return index
    return None
