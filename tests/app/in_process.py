"""The daemon's start, whole, in this process: thousands of times where a process of its own takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

from firmware.app import main, registry
from firmware.app.registry import Devices
from firmware.journal import writer


@contextlib.contextmanager
def _stopped_when_ready() -> Iterator[None]:
    """A table without devices that is told to stop before it is READY: it starts, shows everything, and ends."""

    def stop() -> asyncio.Event:
        event = asyncio.Event()
        event.set()
        return event

    def no_devices(*_: object) -> Devices:
        return Devices(lines=[], lamps=[], boards=[], displays=[], readers=[])

    with patch.object(main, "_stop_signal", stop), patch.object(registry, "build", no_devices):
        yield


def start_and_stop(config: Path, folder: Path, vfs: str | None = None) -> None:
    """`main.run` from the configuration to READY, and its ordered stop. Raises what it raises, and AssertionError with
    what it said if it refuses to start. `vfs`: under its journal."""
    said = io.StringIO()
    open_journal = partial(writer.open_journal, vfs=vfs)
    logging.disable(logging.CRITICAL)
    try:
        with (
            _stopped_when_ready(),
            patch.object(main, "open_journal", open_journal),
            contextlib.redirect_stderr(said),
        ):
            status = main.run(config, folder, create_journal=True)
    finally:
        logging.disable(logging.NOTSET)
        gc.unfreeze()  # a daemon freezes what it has made at its start, once; here it is many
    assert status == 0, f"the daemon ended with {status}: {said.getvalue()}"
