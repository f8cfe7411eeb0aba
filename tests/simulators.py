"""Starting simulated devices as processes, and ending them whatever the test did."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

END_LIMIT_S = 10


@dataclass(frozen=True)
class Simulator:
    """A simulator that is ready."""

    port: Path
    control: Path
    process: subprocess.Popen[str]


@contextmanager
def simulator(module: str, *options: str) -> Iterator[Simulator]:
    """`python -m MODULE` with a port and a control socket in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="sim") as folder:  # not tmp_path: a socket's path is short
        port, control = Path(folder, "port"), Path(folder, "control")
        command = [sys.executable, "-m", module, "--port", str(port), "--control", str(control), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                line = process.stdout.readline()
                assert line == "ready\n", f"{module} said {line!r}"
                yield Simulator(port, control, process)
            finally:
                process.terminate()
                try:
                    process.wait(END_LIMIT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise
