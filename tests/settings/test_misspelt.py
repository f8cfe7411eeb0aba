"""`tabled check` says everything that is wrong: a misspelt key hides nothing, a filler is no text of the casino's."""

from __future__ import annotations

import io
from pathlib import Path

from firmware.settings.check_command import EX_CONFIG, run_check
from tests.settings.tables import FILLED_IN, text


def check_text(tmp_path: Path, *changes: tuple[str, str]) -> list[str]:
    """What `tabled check` prints of the Pi's table, changed."""
    file = tmp_path / "table.toml"
    file.write_text(text("minibaccarat-pi", *changes), encoding="utf-8")
    out = io.StringIO()
    assert run_check(file, "2022-06-01", out) == EX_CONFIG
    return out.getvalue().splitlines()


def test_a_misspelt_key_hides_nothing_and_is_one_problem(tmp_path: Path) -> None:
    before = [line.partition(": ")[2] for line in check_text(tmp_path)]
    after = [line.partition(": ")[2] for line in check_text(tmp_path, ("confirm = ", "confrim = "))]
    more = [line for line in after if line not in before]
    assert [line.partition(";")[0] for line in more] == [
        "keys.confrim: no such key", f"refused, {int(before[-1].split()[1]) + 1} problems"
    ]  # fmt: skip


def test_a_misspelt_section_hides_nothing(tmp_path: Path) -> None:
    said = "\n".join(check_text(tmp_path, ("[rules_submission]", "[rule_submission]"), ("[keys]", "[key]")))
    assert "rule_submission: no such key" in said and "key: no such key" in said
    assert "identity.approver: still the example's" in said
    assert "rules_submission.reference: still the example's" in said


def test_where_the_rest_can_t_be_judged_that_is_said(tmp_path: Path) -> None:
    for change in (("positions = 7", 'positions = "7"'), ("[storage]", "[turbo]\nx = 1\n[storage]")):
        last = check_text(tmp_path, change)[-1]
        assert last.endswith("refused, 1 problem; what else is wrong shows once this can be read")


def test_fillers_are_told(tmp_path: Path) -> None:
    said = "\n".join(check_text(tmp_path, *FILLED_IN[:1], (FILLED_IN[1][0], "some text"), (FILLED_IN[-1][0], "a" * 64)))
    assert "warning: rules_submission.reference: 'some text' has no digit" not in said  # others still read REPLACE
    assert "is a filler and nobody's key" in said
    filled = (*FILLED_IN[:1], (FILLED_IN[1][0], "some text"), *FILLED_IN[2:-1], (FILLED_IN[-1][0], "a" * 64))
    assert "warning: rules_submission.reference: 'some text' has no digit" in "\n".join(check_text(tmp_path, *filled))
