"""Real GPIO through RPi.GPIO, by explicit choice: outputs and polled levels only.

Answers for: nothing that needs an edge. RPi.GPIO has no kernel timestamps, and its edge detection fails on kernels
since 6.6 (gpiozero #1131), so none is ever asked for: `Timestamps.NONE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic_ns
from typing import Any

from drivers.gpio.pins import PinLevels, PinsLostError
from drivers.ports import BackendUnavailable


def require_rpigpio() -> None:
    """Raise `BackendUnavailable` unless RPi.GPIO can be imported here."""
    try:
        import RPi.GPIO  # noqa: F401
    except (ImportError, RuntimeError) as error:  # RuntimeError: "can only be run on a Raspberry Pi"
        raise BackendUnavailable(
            f"GPIO back end rpigpio: {error}. Install the extra \"rpigpio\" (pip install 'tabled[rpigpio]') on a "
            "Raspberry Pi, and not beside rpi-lgpio, which owns the same module"
        ) from error


def make_factory() -> Any:
    """Open the Pi's pins. Raises `PinsLostError`."""
    require_rpigpio()
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    class Factory(RPiGPIOFactory):  # type: ignore[misc]  # gpiozero has no types
        def close(self) -> None:
            # Not gpiozero's own: it would take the lines of every other device of this process along.
            super(RPiGPIOFactory, self).close()

        def levels(self, numbers: Sequence[int]) -> PinLevels:
            started_ns = monotonic_ns()
            high = {number: bool(self.pin(number).state) for number in numbers}
            return PinLevels(started_ns, monotonic_ns(), high)

    try:
        return Factory()
    except (RuntimeError, OSError) as error:
        raise PinsLostError(f"RPi.GPIO: {error}. Is the user in group gpio?") from error
