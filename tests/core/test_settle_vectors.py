"""The public vectors of Minibaccarat through the real command, as one process and one stream.

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
    by_wager = {(one["position"], one["wager"]): one for one in answer["settlements"]}
    assert len(by_wager) == len(answer["settlements"]) == len(want["settlements"])
    for one in want["settlements"]:
        _holds(one, by_wager[one["position"], one["wager"]], f"{case['id']} {one['position']} {one['wager']}")
    if want.get("ordered"):
        assert list(by_wager) == [(one["position"], one["wager"]) for one in want["settlements"]]
    assert answer["envy"] == want["envy"]
    _holds(want.get("meters_after", {}), answer["meters_after"], f"{case['id']} meters_after")


@pytest.mark.parametrize(("file", "count", "status"), [("minibaccarat", 41, 0), ("minibaccarat_errors", 23, 1)])
def test_vectors(file: str, count: int, status: int) -> None:
    cases = [json.loads(line) for line in (VECTORS / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(cases) == count
    code, answers = _run([case.get("input_raw") or json.dumps(case["input"]) for case in cases])
    assert code == status
    assert len(answers) == count
    for case, answer in zip(cases, answers, strict=True):
        _check(case, answer)
