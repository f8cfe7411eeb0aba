"""What the README shows auditors: commands and what they really print. `python -m tests.audit.readme_output`

Rules:
* One short evening, the same every time (seed, wall clock, key), played and journalled as all of this folder's are; the
  commands are run on it as a user runs them.
* In README.md a block begins with `<!-- output: COMMAND -->`, as it is typed in a shell, and ends with `<!-- end -->`.
  A test compares, hashes left out, since every change of configuration or paytables moves those.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from firmware.core.order_data import Account, CorrectMeter
from firmware.journal.heads import Custody
from firmware.journal.signing import Signer
from tests.audit import forgery
from tests.audit.evening import MEGA, MINOR, ROYAL_9, script, table

PROJECT = Path(__file__).parents[2]
README = PROJECT / "README.md"
JOURNAL, PUBLIC_KEY, WRONG = "journal.sqlite", "table.pub", "wrong.sqlite"
BLOCK = re.compile(r"<!-- output: ([^\n]*?) -->\n.*?<!-- end -->", re.DOTALL)
HASH = re.compile(r"\b[0-9a-f]{16,}\b")


def play(folder: Path) -> None:
    """A signed journal, its public key, and an unsigned one in which a program has counted wrongly once."""
    signer = Signer(bytes(range(32)))
    _evening(folder / JOURNAL, Custody(signer, folder / "noted-head"))
    (folder / PUBLIC_KEY).write_text(f"tabled public key 1\n{signer.public.hex()}\n", "utf-8")
    _evening(folder / "right.sqlite", None)
    forgery.forge(folder / "right.sqlite", folder / WRONG, forgery.add("Contributed", "shown_micro", 1))


def _evening(journal: Path, custody: Custody | None) -> None:
    """Four rounds: an ordinary one, a meter won, another with envy for the others, a void."""
    chance = random.Random(8)
    with table(journal, custody=custody) as t:
        t.begin()
        minor = next(meter for meter in t.state.meters if meter.name == "royal_9.minor")
        t.order(CorrectMeter(minor.name, Account.SHOWN, minor.shown_micro, minor.shown_micro + 2_500_000))
        t.play(
            script(chance),
            script(chance, MINOR, [(1, ROYAL_9)]),
            script(chance, MEGA, [(1, ROYAL_9), (2, ROYAL_9)]),
            script(chance, chips=[(4, ROYAL_9)], void=True),
        )


def output(folder: Path, command: str) -> str:
    """What a command line of the README prints, run in `folder` by the shell, pipes included."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'tabled() {{ "$PYTHON" -m firmware.cli "$@"; }}\n{command}'],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTHON": sys.executable, "TZ": "UTC"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"{command}: ended with status {done.returncode}: {done.stderr}")
    return done.stdout.rstrip("\n")


def filled(text: str, folder: Path) -> str:
    """`text` with every block's output made anew."""

    def block(match: re.Match[str]) -> str:
        printed = output(folder, match[1])
        return f"<!-- output: {match[1]} -->\n```console\n$ {match[1]}\n{printed}\n```\n<!-- end -->"

    return BLOCK.sub(block, text)


def masked(text: str) -> str:
    """`text` without hashes."""
    return HASH.sub("0123456789abcdef...", text)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder))
        README.write_text(filled(README.read_text("utf-8"), Path(folder)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
