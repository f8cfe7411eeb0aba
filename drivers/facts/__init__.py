"""What the computer in the table says of itself: supply, heat, clocks, ports, storage. Read, judged, never guessed.

    facts = read(Path("/"), needs)

Rules:
* `root` is where /sys, /proc, /boot and /etc are looked for; a test gives a folder of real files.
* Each fact has a name, a value in words and a verdict by stated limits. What can't be read is NOT_KNOWN, never GOOD.
* What only a Raspberry Pi has is told on a Raspberry Pi only; on anything else the fact `machine` says what it is.
* Reading takes milliseconds on a healthy machine and may hang on a dying disk: call it on a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from drivers.facts import clocks, ports, storage, supply
from drivers.facts.fact import Fact, Needs, Verdict
from drivers.facts.files import text_of

Run = Callable[[Sequence[str]], str | None]
"""Runs a command and returns its output, or None where there is no such command or it fails."""


def read(root: Path, needs: Needs, run: Run | None = None) -> tuple[Fact, ...]:
    """Every fact, in a fixed order. `run`: for `vcgencmd`, where the kernel offers no file; without it such facts are
    NOT_KNOWN."""
    model = text_of(root / "proc/device-tree/model").rstrip("\0")
    pi = model.startswith("Raspberry Pi")
    machine = Fact("machine", model or "not a Raspberry Pi", Verdict.GOOD if pi else Verdict.NOT_KNOWN)
    on_pi = (*supply.throttled(root, run), *clocks.spi(root, needs, model), *ports.read(root, needs)) if pi else ()
    return (machine, supply.temperature(root), *on_pi, clocks.rtc(root), *storage.read(root, needs))
