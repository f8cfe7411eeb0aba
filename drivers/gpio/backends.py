"""GPIO back ends by name. One is configured; there is no other way to one, and none stands in for another.

Rules:
* Making the pins checks that the library is there (`BackendUnavailable` names the package); opening finds the chip.
* Libraries are imported when their back end is made, never before.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from drivers.gpio.gpiozero_pins import GpiozeroPins, MakeFactory, PinFactory
from drivers.ports import Timestamps


class GpioBackend(StrEnum):
    """What can drive the header, or stand for it; the configuration's `kind = "lines.NAME"`."""

    LGPIO = "lgpio"
    RPIGPIO = "rpigpio"
    SIMULATED = "simulated"


def timestamps_of(backend: GpioBackend) -> Timestamps:
    """Where this back end's edge times come from; known without loading its library."""
    return Timestamps.NONE if backend is GpioBackend.RPIGPIO else Timestamps.KERNEL


def gpio_pins(backend: GpioBackend, *, chip: int | None = None, socket: Path | None = None) -> GpiozeroPins:
    """Input pins of a back end. `chip`: gpiochip number, lgpio only. `socket`: the chip's socket, simulated only.

    Raises `BackendUnavailable` if the library is missing, `ValueError` for a setting the back end doesn't have.
    """
    return GpiozeroPins(
        identity_of(backend, chip, socket), timestamps_of(backend), factory_maker(backend, chip, socket)
    )


def factory_maker(backend: GpioBackend, chip: int | None = None, socket: Path | None = None) -> MakeFactory:
    """What opens the chip of a back end."""
    if (socket is not None) is not (backend is GpioBackend.SIMULATED):
        raise ValueError(f'GPIO back end {backend.value}: a socket is for "simulated", which needs one; got {socket}')
    if chip is not None and backend is not GpioBackend.LGPIO:
        raise ValueError(f'GPIO back end {backend.value}: chip = {chip} is for "lgpio" only; remove it')
    match backend:
        case GpioBackend.LGPIO:
            from drivers.gpio import lgpio_chip

            lgpio_chip.import_lgpio()
            return lambda lost: lgpio_chip.make_factory(chip)
        case GpioBackend.RPIGPIO:
            from drivers.gpio import rpigpio_chip

            rpigpio_chip.require_rpigpio()
            return lambda lost: rpigpio_chip.make_factory()
        case GpioBackend.SIMULATED:
            assert socket is not None
            return _simulated(socket)
        case _:
            assert_never(backend)


def _simulated(socket: Path) -> MakeFactory:
    def make(lost: Callable[[str], None]) -> PinFactory:
        from drivers.gpio.simulated import SimulatedFactory

        return SimulatedFactory(socket, lost)

    return make


def identity_of(backend: GpioBackend, chip: int | None, socket: Path | None) -> str:
    """What it is, for people; a simulated one begins with "sim+"."""
    match backend:
        case GpioBackend.LGPIO:
            return f"lgpio on {'the header' if chip is None else f'/dev/gpiochip{chip}'}"
        case GpioBackend.RPIGPIO:
            return "RPi.GPIO on the header"
        case GpioBackend.SIMULATED:
            return f"sim+line chip on {socket}"
        case _:
            assert_never(backend)
