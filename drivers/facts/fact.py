"""One fact, and what a table needs of its machine."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath

from msgspec import Struct


class Verdict(StrEnum):
    """How a fact stands to its limits."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    NOT_KNOWN = "not_known"


class Fact(Struct, frozen=True):
    """`limits`: what is asked of it, in words; `remedy`: what to do where it is not good."""

    name: str
    value: str
    verdict: Verdict
    limits: str = ""
    remedy: str = ""


class Needs(Struct, frozen=True):
    """What the configured table uses. `spi_frame_bytes`: longest transfer of its SPI lamps, 0 without any. `ports`:
    paths of its serial ports. `folder`: where the journal lies."""

    folder: PurePosixPath
    spi_frame_bytes: int = 0
    ports: tuple[str, ...] = ()
