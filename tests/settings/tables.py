"""The example tables, and changed copies of them."""

from __future__ import annotations

from pathlib import Path

from firmware.core.paytables import Catalogue
from firmware.settings.check import check
from firmware.settings.load import decode
from firmware.settings.model import Settings
from firmware.settings.paytables import load_catalogue
from firmware.settings.problems import ConfigurationError, Problem, Severity

TABLES = Path(__file__).resolve().parents[2] / "config" / "tables"
IN_FORCE = "2022-06-01"
LAPSED = "2026-11-30"
CATALOGUE: Catalogue = load_catalogue()


def text(name: str, *changes: tuple[str, str]) -> str:
    """An example's text with parts replaced; each part must be there."""
    content = (TABLES / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in content, f"the example has no {old!r} any more"
        content = content.replace(old, new)
    return content


def simulated(*changes: tuple[str, str]) -> Settings:
    """The simulated table, changed."""
    return decode(text("minibaccarat", *changes), "table.toml")


FILLED_IN = (
    ("REPLACE-MB-01", "MB-01"),
    ("REPLACE: number and date of the filing", "RS 17"),
    ("REPLACE: name", "J. Doe"),
    ("REPLACE: reason", "waiver"),
    ("REPLACE: public key, 64 hexadecimal digits", "0123456789abcdef" * 4),
)


def production(*changes: tuple[str, str]) -> Settings:
    """The Pi's table with its placeholders filled in, changed."""
    return decode(text("minibaccarat-pi", *FILLED_IN, *changes), "table.toml")


def refused(settings: Settings, today: str = IN_FORCE) -> list[Problem]:
    """What keeps this table from being played."""
    return [problem for problem in check(settings, CATALOGUE, today) if problem.severity is Severity.REFUSED]


def form_problems(content: str) -> list[Problem]:
    """What is wrong with the form of a text; it must be refused."""
    try:
        decode(content, "table.toml")
    except ConfigurationError as error:
        return list(error.problems)
    raise AssertionError("the text was accepted")
