"""Output lines of the header, or of the simulated chip: which back end the options name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from firmware.settings.devices.options import OutputLibrary

if TYPE_CHECKING:
    from drivers.gpio.gpiozero_pins import MakeFactory, OutputPins


@runtime_checkable
class OnHeader(Protocol):
    """Options of a device on the header's lines."""

    @property
    def chip(self) -> int | None: ...

    @property
    def library(self) -> OutputLibrary: ...


@runtime_checkable
class OnSimulatedChip(Protocol):
    """Options of a device on lines of the simulated chip."""

    @property
    def socket(self) -> str: ...


def output_pins(options: OnHeader | OnSimulatedChip, run_dir: Path) -> tuple[str, OutputPins]:
    """What they are, for people, and the pins. Raises `BackendUnavailable`."""
    from drivers.gpio.gpiozero_pins import OutputPins

    identity, maker = _maker(options, run_dir)
    return identity, OutputPins(maker)


def _maker(options: OnHeader | OnSimulatedChip, run_dir: Path) -> tuple[str, MakeFactory]:
    from drivers.gpio.backends import GpioBackend, factory_maker, identity_of

    chip: int | None = None
    socket: Path | None = None
    if isinstance(options, OnHeader):
        backend = GpioBackend(options.library.value)
        chip = options.chip
    else:
        backend, socket = GpioBackend.SIMULATED, run_dir / options.socket
    return identity_of(backend, chip, socket), factory_maker(backend, chip, socket)
