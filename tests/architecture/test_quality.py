"""`drivers/QUALITY.md`: a section for every kind of device, and everything that is named in it exists."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from firmware.settings.devices import Device
from tests.architecture.sources import PROJECT

FILE = PROJECT / "drivers" / "QUALITY.md"
ASPECTS = (
    "identity",
    "time-outs",
    "reconnect",
    "contract suite",
    "emulator",
    "recorded samples",
    "tolerated deviations",
    "`hil` check",
    "wiring",
)
KINDS = frozenset(str(option.__struct_config__.tag) for option in get_args(Device))
DRIVERS = frozenset(kind for kind in KINDS if not kind.endswith("_simulated"))


def sections(text: str) -> dict[str, dict[str, str]]:
    """By kind and aspect. Raises ValueError for a line that is neither, or an aspect that is said twice."""
    found: dict[str, dict[str, str]] = {}
    for part in text.split("\n## ")[1:]:
        kind, _, body = part.partition("\n")
        said: dict[str, str] = {}
        for item in re.split(r"^\* ", body, flags=re.MULTILINE)[1:]:
            match = re.fullmatch(r"\*\*(.+?)\*\*: (.+)", " ".join(item.split()))
            if match is None or match[1] in said:
                raise ValueError(f"{kind}: {item!r}")
            said[match[1]] = match[2]
        found[kind] = said
    return found


SAID = sections(FILE.read_text("utf-8"))


def test_every_driver_has_a_section_and_no_other_thing_has() -> None:
    assert SAID.keys() == DRIVERS
    for kind in KINDS - DRIVERS:
        assert kind.removesuffix("_simulated") in DRIVERS


@pytest.mark.parametrize("kind", sorted(DRIVERS))
def test_a_section_says_everything_and_names_what_is_there(kind: str) -> None:
    said = SAID[kind]
    assert tuple(said) == ASPECTS
    assert all(said.values())
    for path in re.findall(r"`([\w./-]+\.(?:py|md|conf))`", " ".join(said.values())):
        assert (PROJECT / path).is_file(), path
    suites = re.findall(r"`(tests/contract/test_\w+\.py)`", said["contract suite"])
    assert suites, "the one contract suite of its port"
    assert re.search(r"`hil/sim/\w+\.py`", said["emulator"]) or said["emulator"].startswith("none")
    for decision in re.findall(r"decision (\d{4})", " ".join(said.values())):
        assert list((PROJECT / "firmware" / "decisions").glob(f"{decision}-*.md")), decision
    for other in re.findall(r"as `([\w.]+)`", " ".join(said.values())):
        assert other in DRIVERS, other
    for option in re.findall(r"`([a-z]+_(?:ms|s))`", " ".join(said.values())):
        assert option in (PROJECT / "config" / "REFERENCE.md").read_text("utf-8"), option


def test_a_hole_is_found() -> None:
    with pytest.raises(ValueError, match="identity"):
        sections("\n## shoe.x\n\n* **identity**: a\n* **identity**: b\n")
    with pytest.raises(ValueError, match="nothing"):
        sections("\n## shoe.x\n\n* nothing\n")
