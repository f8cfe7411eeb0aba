"""Crossed ports on this machine: two devices whose names lead to one adapter, which a file alone can't show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from drivers.facts.ports import tty_of
from firmware.settings.problems import Problem
from hil.wiring.plan import Plan


def problems(plan: Plan, root: Path = Path("/")) -> Iterator[Problem]:
    """One for each device whose port is, by another name, already another's. What is not plugged in is not judged."""
    first: dict[str, tuple[str, str]] = {}
    claims = [(port.device, port.url) for port in plan.ports]
    claims += [(bus.stations[0].device, bus.url) for bus in plan.buses]
    for device, url in claims:
        tty = tty_of(root, url) if url.startswith("/dev/") else None
        if tty is None:
            continue
        other, other_url = first.setdefault(tty, (device, url))
        if other != device and other_url != url:  # the same name twice is the configuration's own problem
            yield Problem(
                ("devices", device, "url"),
                f"{url} and {other_url} (devices.{other}) both lead to {tty}",
                "an adapter of its own for each",
                "Two udev rules match one adapter: compare with `hil list`, and mend 80-tabled.rules.",
            )
