"""`firmware/RULES.md` is as the code is, and says how every unclear point of the games that are built was read."""

from __future__ import annotations

import csv
import re

import pytest

from firmware.core.readings import ALLOWED
from tests.architecture.rules_page import NOT_BUILT, PAGE, READINGS, is_due, mentions, page, statements, weight_a
from tests.architecture.sources import PROJECT

LIST = PROJECT.parent / "shared" / "regulations" / "readings.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it with: python -m tests.architecture.rules_page"


@pytest.mark.parametrize("reading", [one for one in weight_a() if is_due(one)])
def test_every_reading_that_changes_money_is_stated_in_the_code(reading: str) -> None:
    assert reading in statements() or reading in mentions(), "name it in the docstring of what keeps to it"


def test_every_setting_is_a_reading() -> None:
    with READINGS.open(encoding="utf-8", newline="") as file:
        known = {row["id"] for row in csv.DictReader(file)}
    assert set(ALLOWED) <= known
    assert set(statements()) <= known, "an id that no list of readings has"


def test_what_is_not_built_is_not_claimed() -> None:
    assert not NOT_BUILT.keys() & statements().keys()


def test_the_ids_and_weights_are_those_of_the_list() -> None:
    if not LIST.is_file():
        pytest.skip("the list of readings (readings.md) is not beside the project")
    printed = re.findall(r"^\| ([A-Z][0-9]+) \| \**([ABC])\** \|", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    with READINGS.open(encoding="utf-8", newline="") as file:
        assert [(row["id"], row["weight"]) for row in csv.DictReader(file)] == printed
