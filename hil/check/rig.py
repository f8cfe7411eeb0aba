"""The contract suite on jumpered pins of a real Pi, or on a simulated chip with the same jumpers. See hil/RIG.md.

The suite is the tests' own (`tests/contract`), run by pytest from a clone; each of its tests is a measurement. It is
not part of an installation: a table at work has no pins to spare.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

from hil.codes.measured import measured_code
from hil.measure import Measurement, Outcome

ROOT = Path(__file__).parents[2]
SUITE = "tests/contract/test_line_inputs.py"
VARIABLE = "TABLED_RIG"
"""What the suite is told: `simulated`, `header`, or the number of a gpiochip."""
LIMIT_S = 300


class NoRig(Exception):
    """The suite can't be run here; the message says what is missing."""


def measured(rig: str) -> list[Measurement]:
    """Run the suite on the rig. Raises `NoRig`."""
    if not (ROOT / SUITE).is_file() or importlib.util.find_spec("pytest") is None:
        raise NoRig(f"the contract suite is not here: --rig needs a clone set up by ./setup.sh test, and runs {SUITE}")
    with tempfile.TemporaryDirectory(prefix="rig") as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", SUITE, "-k", "jumpered", "-q", "-p", "no:cacheprovider",
            f"--junitxml={report}",
        ]  # fmt: skip
        environment = {**os.environ, VARIABLE: rig, "LG_WD": os.environ.get("LG_WD") or folder}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            value = f"not done within {LIMIT_S} s"
            return [Measurement("rig", "rig", value, "", "", Outcome.FAIL, measured_code("deadline"))]
        if not report.is_file():
            raise NoRig(f"the suite did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        found = list(of_report(report.read_text("utf-8")))
    if not found:
        raise NoRig("the suite has no test for jumpered pins")
    return found


def of_report(text: str) -> Iterator[Measurement]:
    """One measurement for each test of a JUnit report. A test that was left out is not known, with its reason."""
    for case in ElementTree.fromstring(text).iter("testcase"):
        title = case.get("name", "").removeprefix("test_").split("[")[0].replace("_", " ")
        seconds = f"{float(case.get('time', '0')):.2f}"
        broken = case.find("failure")
        broken = broken if broken is not None else case.find("error")
        skipped = case.find("skipped")
        if broken is not None:
            yield Measurement(
                "rig", title, seconds, "s", "", Outcome.FAIL, measured_code("rig"), (broken.get("message") or "")[:500]
            )
        elif skipped is not None:
            yield Measurement("rig", title, skipped.get("message") or "left out", "", "", Outcome.NOT_KNOWN)
        else:
            yield Measurement("rig", title, seconds, "s", "", Outcome.PASS)
