"""Options of what lets balls go into a wheel."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.options import (
    GPIOCHIP,
    LINE_SOCKET,
    OUTPUT_LIBRARY,
    DeviceOptions,
    OutputLibrary,
)
from firmware.settings.fields import doc, path, whole

_LINE = whole("GPIO number of the line that releases; through a one-shot that ends a pulse by itself", 0, 255)
_BUTTON = whole("GPIO number of the patron's button, closed to ground when pressed; left out: none", 0, 255)
_BALL = whole("GPIO number of the sensor that sees a ball leave, low while it does; left out: none", 0, 255)


class ReleaseOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the release devices."""

    role: ClassVar[str] = "release"
    line: Annotated[int, _LINE]
    pulse_ms: Annotated[int, whole("Length of the pulse", 1, 2000, unit="ms")] = 200
    pause_ms: Annotated[int, whole("From the end of a pulse to the next", 0, 60_000, unit="ms")] = 5000
    active_low: Annotated[bool, doc("true: the line releases while it is low")] = False
    button: Annotated[int, _BUTTON] | None = None
    ball: Annotated[int, _BALL] | None = None


class ReleaseGpio(ReleaseOptions, frozen=True, kw_only=True, tag="release.gpio"):
    """A three-ball release device on the header's GPIO lines (617b.2)."""

    chip: Annotated[int, GPIOCHIP] | None = None
    library: Annotated[OutputLibrary, OUTPUT_LIBRARY] = OutputLibrary.LGPIO


class ReleaseGpioSimulated(ReleaseOptions, frozen=True, kw_only=True, tag="release.gpio_simulated"):
    """The same code on lines of the simulated chip."""

    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(LINE_SOCKET)]


ReleaseKind = ReleaseGpio | ReleaseGpioSimulated
