"""Processes that share a long bench: fresh interpreters, and none is left behind if the bench is killed (0063)."""

from __future__ import annotations

import ctypes
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

_PR_SET_PDEATHSIG = 1


def workers(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, get_context("spawn"), _end_with, (os.getpid(),))


def _end_with(bench: int) -> None:
    """The kernel ends this process with the bench; one that is gone by now has told nobody."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != bench:
        os.kill(os.getpid(), signal.SIGTERM)
