"""The written scenarios: every one is played by `hil scenario`, and what it must see and find is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from hil.scenario.play import Verdict
from hil.scenario.schema import Kind, ScenarioError, read
from tests.scenarios import index

PROJECT = Path(__file__).parents[2]
FILES = index.scenario_files()
JOBS = (os.cpu_count() or 1) + 1
LIMIT_S = 900


def hil_scenario(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hil.cli", "scenario", *map(str, arguments)],
        cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    done = hil_scenario("--json", "--jobs", JOBS, *FILES)
    assert done.returncode in (0, 1), done.stderr
    told = [msgspec.json.decode(line, type=Verdict) for line in done.stdout.splitlines()]
    assert done.returncode == any(one.failed for one in told)
    return {one.file: one for one in told}


@pytest.mark.timeout(LIMIT_S)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_comes_as_it_is_written(path: Path, verdicts: dict[str, Verdict]) -> None:
    assert verdicts[path.name].failed == ()


def test_there_are_enough_of_every_class() -> None:
    kinds = [read(path).kind for path in FILES]
    assert len(kinds) >= 60
    assert {kind: kinds.count(kind) for kind in Kind if kinds.count(kind) < 3} == {}


def test_the_index_is_fresh() -> None:
    assert index.FILE.read_text("utf-8") == index.text()


PLAIN = 'about = "x"\nclass = "money"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PLAIN + '[[step]]\ndo = "fly"\n', "fly"),
        (
            PLAIN + '[[step]]\ndo = "lock"\n[[step]]\ndo = "lock"\nhard = true\n',
            "x.toml:7: .*no such key; expected none",
        ),
        (PLAIN + "[[step]\n", "x.toml:3: no TOML"),
        ('class = "money"\nstep = []\n', "about"),
        ('about = "x"\nclass = "luck"\nstep = []\n', "luck"),
    ],
)
def test_a_file_that_can_t_be_played_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ScenarioError, match=says) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_what_does_not_come_fails_it_and_is_told(tmp_path: Path) -> None:
    wrong = {
        "seen": PLAIN + '[[step]]\ndo = "open"\n[[step]]\ndo = "see"\nphase = "award"\nlimit_s = 0.3\n',
        "journal": PLAIN + '[[step]]\ndo = "open"\n[[journal]]\ntype = "RoundEnded"\n',
        "never": PLAIN + 'never = ["TableOpened"]\n[[step]]\ndo = "open"\n',
        "count": PLAIN + '[[step]]\ndo = "open"\n[[journal]]\ntype = "TableOpened"\ncount = 2\n',
        "key": PLAIN + '[changes]\n"nothing.x" = 1\n[[step]]\ndo = "open"\n',
        "ended": PLAIN + '[[step]]\ndo = "daemon"\nact = "end"\nstatus = 7\n',
        "refused": PLAIN + 'refused = 78\nsays = "no such words"\nstep = []\n[changes]\n"keys.lockout" = "lines:199"\n',
    }
    for name, text in wrong.items():
        (tmp_path / f"{name}.toml").write_text(text, "utf-8")
    files = [tmp_path / f"{name}.toml" for name in wrong if name != "key"]
    done = hil_scenario("--json", "--jobs", JOBS, *files)
    assert done.returncode == 1
    told = {
        one.file: one.failed for one in (msgspec.json.decode(line, type=Verdict) for line in done.stdout.splitlines())
    }
    assert len(told) == len(files)
    for name, said in {
        "seen": "phase award, is betting",
        "journal": "no RoundEnded",
        "never": "TableOpened, which it must never",
        "count": "1 times TableOpened, expected 2",
        "ended": "ended with 0, expected 7",
        "refused": "no such words",
    }.items():
        assert said in " ".join(told[f"{name}.toml"]), name
    done = hil_scenario(tmp_path / "key.toml")
    assert (done.returncode, "no section [nothing]" in done.stderr) == (2, True)


def test_a_recorded_round_is_a_scenario(tmp_path: Path) -> None:
    """One command makes it, the other plays it: the same wagers, settled the same."""
    first = hil_scenario("--keep", tmp_path / "first", PROJECT / "tests/scenarios/a_jackpot_is_paid_once.toml")
    assert first.returncode == 0, first.stdout
    made = hil_scenario("--from-journal", tmp_path / "first" / "journal.sqlite", "--round", 1)
    assert made.returncode == 0, made.stderr
    assert 'type = "AwardLocked"' in made.stdout
    again = tmp_path / "again.toml"
    again.write_text(made.stdout, "utf-8")
    other = tmp_path / "other.toml"
    other.write_text(made.stdout.replace("award_cents = ", "award_cents = 9999999"), "utf-8")
    played = hil_scenario("--json", again, other)
    told = [msgspec.json.decode(line, type=Verdict) for line in played.stdout.splitlines()]
    assert {one.file: bool(one.failed) for one in told} == {"again.toml": False, "other.toml": True}, played.stdout
    assert hil_scenario("--from-journal", tmp_path / "first" / "journal.sqlite", "--round", 9).returncode == 2
