"""Rewrites `firmware/RULES.md`: python -m tests.architecture.rules_page

The page says which section of the regulation is kept where, and how every unclear point of weight A was read. Nothing
of it is written by hand: sections come from the paytable files and the wagers, readings from the docstrings.

A module states its readings in its head, in a paragraph of the form

    Readings that this module keeps to: H1 a three-card tie is nine against nine. H2, H3 what they say.

An id that no such paragraph states but a docstring names is listed with the sentence that names it.
"""

from __future__ import annotations

import ast
import csv
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from firmware.core.readings import ALLOWED
from firmware.core.wagers.games import GAMES
from firmware.settings.paytables import read_chapter
from tests.architecture.sources import PROJECT, python_files, tree

PAGE = PROJECT / "firmware" / "RULES.md"
READINGS = Path(__file__).parent / "readings.csv"

_GROUP = r"[A-Z][0-9]{1,2}(?:(?:, | and )[A-Z][0-9]{1,2})*"
_PARAGRAPH = re.compile(r"Readings that .{3,60}? keeps? to:(.*?)(?:\n\s*\n|\Z)", re.DOTALL)
_STATEMENT = re.compile(rf"(?:^|(?<=[.;)]) |(?<=\),) )({_GROUP}):? (?=\S)")
_ID = re.compile(r"\b[A-Z][0-9]{1,2}\b")

NOT_BUILT = {
    **dict.fromkeys((f"M{number}" for number in range(1, 10)), "the Must-Hit-By Mystery Bonus"),
    "R17": "the Must-Hit-By Mystery Bonus",
}
"""Readings of what no module does yet, and what that is."""

_GAMES_OF = {
    "X": (), "R": ("minibaccarat", "midibaccarat"), "H": ("baccarat",), "T": ("baccarat",), "N": ("baccarat",),
    "C": ("minibaccarat",), "P": ("minibaccarat",), "M": ("baccarat",),
    "U": ("roulette",), "B": ("roulette",), "Z": ("roulette",), "L": ("roulette",),
    "K": ("craps",), "J": ("craps",), "V": ("craps",),
    "G": ("blackjack",), "Y": ("blackjack",), "Q": ("blackjack",), "O": ("blackjack",),
    "W": ("ultimate_texas_holdem",), "D": ("crazy_time",),
}  # fmt: skip
"""By an id's letter the games that it is about; none: all."""


def weight_a() -> list[str]:
    """The ids of all readings that change money or an award, in their order."""
    with READINGS.open(encoding="utf-8", newline="") as file:
        return [row["id"] for row in csv.DictReader(file) if row["weight"] == "A"]


def is_due(reading: str) -> bool:
    """Whether the code must state it: its game is built, and what it is about."""
    games = _GAMES_OF[reading[0]]
    return reading not in NOT_BUILT and (not games or any(game in GAMES for game in games))


def _docstrings() -> Iterator[tuple[str, str, bool]]:
    """Place, text and whether it is a module's, of every docstring of the product."""
    for path in python_files("firmware"):
        place = path.relative_to(PROJECT).as_posix()
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield place, text, isinstance(node, ast.Module)


@cache
def statements() -> dict[str, list[tuple[str, str]]]:
    """By id, what modules state of it: the sentence and the place."""
    found: dict[str, list[tuple[str, str]]] = {}
    for place, text, of_module in _docstrings():
        for paragraph in _PARAGRAPH.findall(text) if of_module else ():
            parts = _STATEMENT.split(" ".join(paragraph.split()))
            for group, said in zip(parts[1::2], parts[2::2], strict=True):
                for reading in _ID.findall(group):
                    found.setdefault(reading, []).append((said.strip(" ,"), place))
    return found


@cache
def mentions() -> dict[str, list[tuple[str, str]]]:
    """By id, sentences or points of any docstring that name it, with their places."""
    found: dict[str, list[tuple[str, str]]] = {}
    for place, text, _ in _docstrings():
        for part in re.split(r"(?<=[.:]) (?=[A-Z])|\n\s*\n|\n\* ", _PARAGRAPH.sub("", text)):
            said = " ".join(part.split()).lstrip("* ")
            for reading in dict.fromkeys(_ID.findall(part)):
                found.setdefault(reading, []).append((said, place))
    return found


def _sections() -> Iterator[str]:
    tests = {
        path.relative_to(PROJECT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((PROJECT / "tests" / "core").rglob("*"))
        if path.suffix == ".jsonl" or (path.suffix == ".py" and path.name.startswith("test_"))
    }
    for entry in sorted(resources.files("config.paytables").iterdir(), key=lambda entry: entry.name):
        if not entry.name.endswith(".toml"):
            continue
        for text in read_chapter(entry.name, entry.read_text(encoding="utf-8")):
            judge = inspect.getsourcefile(GAMES[text.game].by_name[text.wager][1].judge)
            module = Path(judge or "").name
            using = [
                name.removeprefix("tests/core/")
                for name, content in tests.items()
                if f'"{text.wager}"' in content and (f"vectors/{text.game}." in name or "vectors/" not in name)
            ]
            force = f"{text.effective} to {text.expires or 'further notice'}"
            tables = " ".join(table.name for table in text.paytables)
            yield (
                f"| {text.section} | {text.game} | `{text.wager}` | {tables} | {force} | `{module}` | `{entry.name}` "
                f"| {', '.join(f'`{name}`' for name in using)} |"
            )


def _readings() -> Iterator[str]:
    stated, named = statements(), mentions()
    for reading in weight_a():
        rows = stated.get(reading) or (named[reading][:2] if is_due(reading) else [])
        if not rows:
            continue
        said = "; ".join(dict.fromkeys(one.rstrip(".") for one, _ in rows)).replace("|", "\\|")
        places = ", ".join(f"`{place}`" for place in dict.fromkeys(place for _, place in rows))
        values = ALLOWED.get(reading, ())
        setting = " / ".join(f"**{value}**" if value == values[0] else value for value in values)
        yield f"| {reading} | {said} | {setting} | {places} |"


def _left_out() -> Iterator[str]:
    stated = statements()
    missing: dict[str, list[str]] = {}
    for reading in weight_a():
        if reading not in stated and not is_due(reading):
            what = NOT_BUILT.get(reading) or " and ".join(_GAMES_OF[reading[0]])
            missing.setdefault(what, []).append(reading)
    for what, readings in missing.items():
        yield f"- {what}: {' '.join(readings)}"


_HEAD = """# Rules

Made by `python -m tests.architecture.rules_page` from the paytable files, the wagers and the docstrings; a test says
when it is out of date.

## Sections of the regulation

Modules stand in `firmware/core/wagers/`, files in `config/paytables/`, tests in `tests/core/`. Every paytable is
checked by `test_paytable_figures.py`, every wager's odds by the tests of odds.

| section | game | wager | paytables | in force | module | file | tests |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""

_READINGS_HEAD = """
## Readings

How each unclear point that changes money or an award was read. Where it is a setting (`readings` of `settle` and of the
Rules Submission), its values are given, the default in bold.

| id | reading taken | setting | where |
| --- | --- | --- | --- |
"""

_LEFT_OUT_HEAD = """
Not kept by any module yet:

"""


def page() -> str:
    """The whole page."""
    parts = ((_HEAD, _sections()), (_READINGS_HEAD, _readings()), (_LEFT_OUT_HEAD, _left_out()))
    return "".join(head + "".join(f"{row}\n" for row in rows) for head, rows in parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
