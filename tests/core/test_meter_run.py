"""Some evenings of `meter_run` on every kind of table: the books and the meters agree to the micro-dollar."""

from __future__ import annotations

import random

import pytest

from tests.core.meter_run import TABLES, Run


@pytest.mark.parametrize("name", TABLES)
def test_the_books_and_the_meters_agree(name: str) -> None:
    run = Run(name, random.Random(f"tests {name}"))
    run.play(350)
    happened = ("voids", "cancelled", "restarts", "orders", "orders refused")
    assert min(run.counts[what] for what in happened) > 0, run.counts
    assert any(what.startswith("won ") for what in run.counts)


def test_a_micro_dollar_that_goes_astray_is_found() -> None:
    run = Run("plain", random.Random(0))
    run.play(20)
    next(iter(run.books.values())).paid_in += 1
    with pytest.raises(AssertionError, match="paid_in"):
        run.compare()
