"""How every line stands, for a technician: what its device last said of it.

Rules:
* Nothing is decided from this. It is not journalled, and begins anew with each start of the daemon.
* The level is the debounced, logical one: polarity has been applied by the device. It is unknown until the device has
  read its lines, and again while its link is down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from drivers import events as dev
from firmware.app.lamp_life import life_line
from firmware.app.line_names import spot_line
from firmware.settings.check_wiring import line_claims
from firmware.settings.model import Settings
from firmware.settings.problems import KeyPath


class LineStatus(Struct, frozen=True):
    """One line. `number`: on its device. `active`: None while unknown. `trouble`: a `LineTrouble`, or nothing.
    `changes`: debounced ones since the daemon's start."""

    name: str
    device: str
    number: int
    active: bool | None = None
    trouble: str = ""
    changes: int = 0


class LineLevels:
    """Every line of the configuration, in its order."""

    def __init__(self, settings: Settings) -> None:
        self._lines = {
            name: LineStatus(name, device, number)
            for name, device, number in (
                (_name(path), device, number) for path, device, number, _ in line_claims(settings)
            )
        }

    def take(self, event: dev.DeviceEvent) -> None:
        """One device event; those that say nothing of a line change nothing."""
        match event:
            case dev.LinesReady():
                for level in event.levels:
                    self._change(level.line, active=level.active, trouble="")
            case dev.LineChanged() | dev.LineReconciled():
                line = self._lines.get(event.line)
                self._change(event.line, active=event.active, changes=line.changes + 1 if line is not None else 0)
            case dev.LineTroubled():
                for name in self._contacts(event.line):
                    self._change(name, trouble=event.trouble.value)
            case dev.LineHealthy():
                for name in self._contacts(event.line):
                    self._change(name, trouble="")
                self._change(event.line, active=event.active)
            case _:
                pass

    def rows(self, links: Mapping[str, dev.LinkState]) -> Iterator[LineStatus]:
        """Every line; `links` of the devices by name."""
        for line in self._lines.values():
            known = links.get(line.device) is dev.LinkState.READY
            yield line if known or line.active is None else replace(line, active=None)

    def _contacts(self, name: str) -> list[str]:
        """A line, or both contacts of the key switch of this name: its wiring is one trouble."""
        return [line for line in self._lines if line == name or line.startswith(f"{name}.")]

    def _change(self, name: str, **what: object) -> None:
        if (line := self._lines.get(name)) is not None:  # one that is none of the table's is `Inputs`' to refuse
            self._lines[name] = replace(line, **what)


def _name(path: KeyPath) -> str:
    """The line's name, from where the configuration names it."""
    match path:
        case ("wagers", wager, "spots", index):
            return spot_line(int(index) + 1, wager)
        case ("keys", key, ("normally_closed" | "normally_open") as contact):
            return f"{key}.{'rest' if contact == 'normally_closed' else 'turned'}"
        case ("devices", lamps, ("return_line" | "current_line") as key):
            return life_line(lamps, key.removesuffix("_line"))
        case _:
            return path[-1]
