"""Who holds a serial port: for the message that names the other user, as far as this process may know.

Rule: /proc tells what it likes (other users' processes may be hidden); what isn't known is said to be unknown.
"""

from __future__ import annotations

import os
from pathlib import Path


def holder_of(path: Path) -> str:
    """ "process 123 (minicom)" for the holder of the exclusive lock on `path`, "this process", or "another process"."""
    try:
        status = path.stat()
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return "another process"
    wanted = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in locks.splitlines():
        fields = line.split()
        if len(fields) < 6 or fields[1] != "FLOCK" or fields[5] != wanted or not fields[4].isdigit():
            continue
        if int(fields[4]) == os.getpid():
            return "this process: two devices of the configuration share it"
        return f"process {fields[4]} ({_command(fields[4])})"
    return "another process"


def _command(pid: str) -> str:
    try:
        return Path("/proc", pid, "comm").read_text(encoding="utf-8").strip()
    except OSError:
        return "name not readable"
