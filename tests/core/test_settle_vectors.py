"""The public vectors of every game that is built, through the real command, as one process and one stream.

A vector states what must be answered; keys that it leaves out are free. `section` is a prefix, a list of error codes
means any of them, settlements are matched by position and wager and their order counts where the vector says
"ordered".
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firmware.core.wagers.games import GAMES

VECTORS = Path(__file__).parent / "vectors"
ROOT = Path(__file__).parents[2]


def _run(lines: list[str]) -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, "-m", "firmware.cli", "settle"],
        input="".join(line + "\n" for line in lines).encode(),
        capture_output=True,
        cwd=ROOT,
        check=False,
        timeout=60,
    )
    assert done.stderr == b""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def _holds(want: object, got: object, where: str) -> None:
    if isinstance(want, dict):
        assert isinstance(got, dict), where
        for key, value in want.items():
            assert key in got, f"{where}.{key}"
            if key == "section":
                assert got[key].startswith(value) and not got[key][len(value) :][:1].isalnum(), f"{where}.{key}"
            else:
                _holds(value, got[key], f"{where}.{key}")
    else:
        assert (type(got), got) == (type(want), want), where


def _check(case: dict[str, Any], answer: dict[str, Any]) -> None:
    want = case["expect"]
    if "input" in case:
        assert answer["id"] == case["input"]["id"]
    if "error" in want:
        codes = want["error"]["code"]
        assert answer["error"]["code"] in (codes if isinstance(codes, list) else [codes]), answer
        assert answer["error"]["message"]
        return
    _check_settlements(case["id"], want["settlements"], answer["settlements"])
    if want.get("ordered"):
        assert [_key(one) for one in answer["settlements"]] == [_key(one) for one in want["settlements"]]
    assert sorted(map(repr, _envy(answer["envy"]))) == sorted(map(repr, _envy(want["envy"]))), case["id"]
    meters = {name: amount for name, amount in (want.get("meters_after") or {}).items() if amount is not None}
    _holds(meters, answer["meters_after"], f"{case['id']} meters_after")


def _key(one: dict[str, Any]) -> tuple[int, str]:
    return one["position"], one["wager"]


def _envy(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**entry, "section": entry["section"].split("(")[0]} for entry in entries]


def _check_settlements(case: str, want: list[dict[str, Any]], got: list[dict[str, Any]]) -> None:
    """Matched by position and wager; several straight wagers of one position by the first pairing that holds."""
    assert sorted(map(_key, want)) == sorted(map(_key, got)), case
    for key in set(map(_key, want)):
        answers = [one for one in got if _key(one) == key]
        for one in (one for one in want if _key(one) == key):
            numbered = [a for a in answers if "number" not in one or a.get("number") == one["number"]]
            if len(numbered) > 1:  # the vector names no number: any answer that holds is good, once
                numbered = [a for a in numbered if all(a.get(k) == v for k, v in one.items() if k != "section")]
            assert numbered, f"{case} {key}"
            _holds(one, numbered[0], f"{case} {key}")
            answers.remove(numbered[0])


def _cases(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()]


def _answered(cases: list[dict[str, Any]], status: int) -> None:
    code, answers = _run([case.get("input_raw") or json.dumps(case["input"]) for case in cases])
    assert code == status
    assert len(answers) == len(cases)
    for case, answer in zip(cases, answers, strict=True):
        _check(case, answer)


@pytest.mark.parametrize(
    ("file", "count"),
    [
        ("minibaccarat", 41),
        ("midibaccarat", 25),
        ("baccarat", 56),
    ("file", "count"),
    [
        ("roulette", 70),
        ("craps", 38),
        ("blackjack", 50),
        ("ultimate_texas_holdem", 40),
        ("criss_cross_poker", 6),
    ],
    ],
)
def test_vectors(file: str, count: int) -> None:
    cases = _cases(file)
    assert len(cases) == count
    _answered(cases, 0)


def test_error_vectors() -> None:
    """Those of the games that are built, and those that name no game."""
    cases = _cases("errors")
    assert len(cases) == 59
    _answered([case for case in cases if "input" not in case or case["input"]["game"] in GAMES], 1)
