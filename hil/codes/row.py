"""One row: a fault with its code."""

from __future__ import annotations

from msgspec import Struct


class Row(Struct, frozen=True):
    """`name`: as code and journal call it. `causes`: likely ones, most likely first. `next`: a command to run, or an
    act where none helps."""

    code: str
    name: str
    title: str
    meaning: str
    causes: tuple[str, ...]
    next: str
