"""Decision records, their index, the change log, and the one thing that CI runs."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.architecture.sources import PROJECT

FOLDER = PROJECT / "firmware" / "decisions"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))
INDEX = FOLDER / "README.md"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_its_form(record: object) -> None:
    path = FOLDER / str(getattr(record, "name", ""))
    number = re.fullmatch(r"(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md", path.name)
    assert number is not None, "NNNN-title.md, lower case, dashes"
    text = path.read_text(encoding="utf-8")
    assert re.match(rf"# {number[1]}[ .:]", text), "the first line is '# NNNN Title'"
    for part in ("Context", "Decision", "Consequences"):
        assert re.search(rf"(?mi)^(#+ |\*\*){part}", text), f"no part {part}"


def test_numbers_are_used_once() -> None:
    numbers = [record.name[:4] for record in RECORDS]
    assert numbers == sorted(set(numbers))


def test_the_index_lists_every_record_with_its_title() -> None:
    expected = []
    for record in RECORDS:
        title = record.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")[4:].lstrip(" .:-—")
        expected.append(f"- [{record.name[:4]}]({record.name}) {title}")
    listed = [line for line in INDEX.read_text(encoding="utf-8").splitlines() if line.startswith("- [")]
    assert listed == expected, "make it with: python -m tests.architecture.index"


def test_the_change_log_has_this_version() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as stream:
        version = tomllib.load(stream)["project"]["version"]
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"(?m)^## (\[Unreleased\]|\[{re.escape(version)}\])", text)


def test_ci_runs_the_user_s_command_and_nothing_else() -> None:
    lines = (PROJECT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec ./setup.sh test"]
