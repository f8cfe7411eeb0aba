"""Whether lamps live, from the inputs that can tell: `return_line` and `current_line` of their device.

Rules:
* An input that has not been read yet tells nothing good: a string with one is up once its link is up and every input
  of it says so.
* What an input says counts as long as nothing newer is known of it; what chatters or is stuck says "dead".
* A string without inputs is as its link.
"""

from __future__ import annotations

from collections.abc import Mapping

from drivers import events as dev
from firmware.core import events as ev

RETURN, CURRENT = "return", "current"
WHY = {RETURN: "no data comes out of the last lamp", CURRENT: "the lamps take no current"}


def life_line(device: str, tells: str) -> str:
    """Name of an input: "lamps.return"."""
    return f"{device}.{tells}"


class LampLife:
    """Keeps the links and the inputs of those strings that have any."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        """`lines`: the device of each input, by the input's name."""
        self._device = dict(lines)
        self._dead = dict.fromkeys(lines, True)
        self._linked = dict.fromkeys(lines.values(), False)

    def knows(self, line: str) -> bool:
        return line in self._device

    def watches(self, device: str) -> bool:
        return device in self._linked

    def line(self, line: str, dead: bool, at_ns: int) -> ev.Event | None:
        """What an input reads now; what follows for the core."""
        device = self._device[line]
        before = self._dead_lines(device)
        self._dead[line] = dead
        after = self._dead_lines(device)
        if before == after or not self._linked[device]:
            return None
        return self._verdict(device, at_ns)

    def link(self, event: dev.LinkChanged) -> ev.Event | None:
        """The string's own link; what follows for the core."""
        if event.up:
            self._linked[event.device] = True
            return self._verdict(event.device, event.at_ns)
        if event.state is dev.LinkState.OPENING or not event.reason:
            return None
        self._linked[event.device] = False
        return ev.DeviceDown(event.device, event.reason, event.at_ns)

    def gone(self, device: str) -> None:
        """The string was let go of."""
        if device in self._linked:
            self._linked[device] = False

    def _dead_lines(self, device: str) -> tuple[str, ...]:
        return tuple(line for line, owner in self._device.items() if owner == device and self._dead[line])

    def _verdict(self, device: str, at_ns: int) -> ev.Event:
        dead = self._dead_lines(device)
        if not dead:
            return ev.DeviceUp(device, at_ns)
        return ev.DeviceDown(device, "; ".join(WHY[line.rpartition(".")[2]] for line in dead), at_ns)
