"""The generated tables are those of the code, and every irregularity is fit to be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.app.readme_tables import FILES, TABLES, filled
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

README = Path(__file__).parents[2] / "README.md"


def test_every_table_stands_in_a_file() -> None:
    texts = "".join(file.read_text("utf-8") for file in FILES)
    for name in TABLES:
        assert f"<!-- generated: {name} -->" in texts


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_tables_are_fresh(file) -> None:  # type: ignore[no-untyped-def]
    text = file.read_text("utf-8")
    assert filled(text) == text, "run: python -m firmware.app.readme_tables"


def test_the_round_of_the_readme_settles() -> None:
    (line,) = (line for line in README.read_text("utf-8").splitlines() if line.startswith('{"id"'))
    answer, settled = settle_line(line.encode(), load_catalogue())
    assert settled
    assert b'"line":"two_card_six","award_cents":6000' in answer


def test_every_irregularity_has_a_row_whose_title_fits_the_display() -> None:
    assert set(IRREGULARITIES) == set(Irregularity)
    for row in IRREGULARITIES.values():
        assert 0 < len(row.title) <= 20
        assert row.meaning.endswith(".")
        assert row.remedy.endswith(".")
        assert row.check
