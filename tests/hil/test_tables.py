"""`--table` takes a name of config/tables or a path, in every command that has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.commands import tables
from tests.hil.played import run_hil


def test_a_bare_word_is_a_table_and_anything_else_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    named = tables.table("roulette")
    assert named.is_file() and named.name == "roulette.toml"
    assert tables.table("./roulette") == Path("roulette")
    assert tables.table("x/roulette.toml") == Path("x/roulette.toml")
    assert tables.table("no-such-table") == Path("no-such-table")
    Path("roulette").write_text("", "utf-8")
    assert tables.table("roulette") == Path("roulette"), "what lies there is meant"


@pytest.mark.parametrize("command", [("play", "--rounds", "1"), ("panel",), ("latency",)])
def test_the_commands_know_names(command: tuple[str, ...]) -> None:
    """An example that is to be filled in is refused for what is in it: its file was found."""
    done = run_hil(*command, "--table", "minibaccarat-pi")
    assert done.returncode == 2
    assert "config/tables/minibaccarat-pi.toml: refused" in done.stderr
