"""The README's generated tables are those of the code, and every irregularity and key row is fit to be shown."""

from __future__ import annotations

from pathlib import Path

from firmware.app.readme_tables import TABLES, filled
from firmware.core.faults import IRREGULARITIES, Irregularity

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_is_fresh() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for name in TABLES:
        assert f"<!-- generated: {name} -->" in text
    assert filled(text) == text, "run: python -m firmware.app.readme_tables"


def test_every_irregularity_has_a_row_whose_title_fits_the_display() -> None:
    assert set(IRREGULARITIES) == set(Irregularity)
    for row in IRREGULARITIES.values():
        assert 0 < len(row.title) <= 20
        assert row.meaning.endswith(".")
        assert row.remedy.endswith(".")
        assert row.check
