"""The contract suite of line inputs in the guest: lgpio on a gpiochip of the kernel's own.

Rules: the tests come on a disk of their own, with pytest beside them out of this environment (pure Python only), so the
root stays as `setup.sh install` left it. What is tested is the installed program, not the copy on that disk.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

from tests.virtual_pi import figures, system
from tests.virtual_pi.kernel import MissingError
from tests.virtual_pi.machine import GuestError

TESTERS = ("pytest", "pytest-timeout", "pluggy", "iniconfig", "packaging", "pygments")
SUITE = "tests/contract/test_line_inputs.py"
DISK_BYTES = 64 << 20
LIMIT_S = 600.0


def disk(folder: Path) -> Path:
    """An image with the tests and pytest on it. Raises MissingError where pytest is not here as pure Python."""
    tree, image = folder / "suite", folder / "suite.img"
    site = tree / "site"
    site.mkdir(parents=True)
    for name in TESTERS:
        found = distribution(name)
        if "Root-Is-Purelib: true" not in (found.read_text("WHEEL") or ""):
            raise MissingError(f"{name} is not pure Python here: it can't be taken into the guest")
        for file in found.files or ():
            if not file.parts[0].startswith("..") and file.suffix != ".pyc":
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), site / file)
    for name in ("contract", "drivers"):
        shutil.copytree(
            system.PROJECT / "tests" / name, tree / "tests" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(system.PROJECT / "tests" / "__init__.py", tree / "tests" / "__init__.py")
    shutil.copy(system.PROJECT / "pyproject.toml", tree)
    with image.open("wb") as empty:
        empty.truncate(DISK_BYTES)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", tree, image], check=True, capture_output=True)
    return image


async def contract(rig: figures.Rig, say: Callable[[str, str], None]) -> None:
    """Runs the suite; a test that fails, or none that ran, raises GuestError with what pytest said."""
    image = disk(rig.folder)
    with rig.power_on({}, suite=image) as pi:
        pi.run("systemctl", "stop", "tabled")
        pi.levels({})
        pi.run("mount", "-o", "ro", "/dev/vdc", "/mnt")
        said = pi.run(
            "sh", "-c",
            "cd /mnt && LG_WD=/tmp PYTHONPATH=/mnt/site:/mnt PYTHONDONTWRITEBYTECODE=1 "
            f"/opt/tabled/bin/python -P -m pytest -q -p no:cacheprovider {SUITE} -k gpio-sim",
            good=(0, 1), limit_s=LIMIT_S,
        )  # fmt: skip
        where = pi.run("/opt/tabled/bin/python", "-c", "import drivers; print(drivers.__file__)").strip()
    counts = dict(reversed(pair) for pair in re.findall(r"(\d+) (passed|failed|error|skipped)", said.splitlines()[-1]))
    if "failed" in counts or "error" in counts or "passed" not in counts or not where.startswith("/opt/tabled/"):
        raise GuestError(f"the contract suite on gpio-sim ({where}):\n{said[-6_000:]}")
    skipped = f", {counts['skipped']} that needs an unplugged chip left out" if "skipped" in counts else ""
    say("contract suite of line inputs, lgpio on the kernel's gpio-sim", f"{counts['passed']} passed{skipped}")
