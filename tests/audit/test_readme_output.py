"""The README's section for auditors shows what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.readme_output import BLOCK, README, filled, masked, output, play

SHOWN = ("verify", "head", "replay", "audit", "accounts", "show", "slip")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readme")
    play(made)
    return made


def test_every_command_for_auditors_is_shown() -> None:
    commands = [match[1] for match in BLOCK.finditer(README.read_text("utf-8"))]
    for name in SHOWN:
        assert any(name in command.split() for command in commands), name


def test_what_is_shown_is_what_is_printed(folder: Path) -> None:
    text = README.read_text("utf-8")
    assert masked(filled(text, folder)) == masked(text), "run: python -m tests.audit.readme_output"


def test_another_output_would_be_found(folder: Path) -> None:
    text = "<!-- output: tabled journal replay journal.sqlite -->\n```console\nall well\n```\n<!-- end -->\n"
    assert masked(filled(text, folder)) != masked(text)
    with pytest.raises(RuntimeError, match="status 2"):
        output(folder, "tabled journal replay missing.sqlite")
