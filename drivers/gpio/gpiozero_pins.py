"""Input and output pins over gpiozero's pin layer: one piece of code for every back end.

Answers for: claiming pins raw (no bounce filter, both edges), keeping their callbacks alive, and reading levels.

Rules:
* The factory is ours: its ticks are integer nanoseconds, and it is made by name, never by gpiozero's own search
  (`GPIOZERO_PIN_FACTORY` and its fall-backs are not consulted).
* gpiozero keeps only a weak reference to a callback, so the receiver of each pin is an object held here and its bound
  method is what is handed over; a closure would be dropped in silence.
* An output's direction and first level are one request, so that it never shows another level in between.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from drivers.gpio.pins import InputPin, PinLevels, PinSink, PinsLostError
from drivers.ports import Timestamps


class PinFactory(Protocol):
    """What we need of a gpiozero factory beyond its own methods. `pin` gives a gpiozero `Pin` (which has no types)."""

    def pin(self, name: int) -> Any: ...

    def levels(self, numbers: Sequence[int]) -> PinLevels: ...

    def close(self) -> None: ...


MakeFactory = Callable[[Callable[[str], None]], PinFactory]
"""Opens the chip; the argument is called, on any thread, when it goes away. Raises `PinsLostError`."""


class GpiozeroPins:
    """`drivers.gpio.pins.InputPins` over a gpiozero factory."""

    def __init__(self, identity: str, timestamps: Timestamps, make_factory: MakeFactory) -> None:
        self._identity = identity
        self._timestamps = timestamps
        self._make_factory = make_factory
        self._factory: PinFactory | None = None
        self._receivers: list[_Receiver] = []

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def timestamps(self) -> Timestamps:
        return self._timestamps

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        from gpiozero.exc import GPIOZeroError

        factory = self._factory = self._make_factory(sink.lost)
        for wanted in pins:
            try:
                pin = factory.pin(wanted.number)
                pin.input_with_pull(wanted.pull.value)
            except GPIOZeroError as error:
                raise PinsLostError(f"{self._identity}: line {wanted.number}: {error}") from error
            receiver = _Receiver(wanted.number, pin, sink)
            self._receivers.append(receiver)
            if self._timestamps is Timestamps.KERNEL:
                pin.bounce = None
                pin.edges = "both"
                pin.when_changed = receiver.changed

    def read_levels(self) -> PinLevels:
        return self._opened().levels([receiver.number for receiver in self._receivers])

    def close(self) -> None:
        factory, self._factory = self._factory, None
        with contextlib.suppress(PinsLostError):  # the chip may be gone already, which is why it is closed
            for receiver in self._receivers:
                receiver.pin.when_changed = None
        self._receivers.clear()
        if factory is not None:
            with contextlib.suppress(PinsLostError):
                factory.close()

    def _opened(self) -> PinFactory:
        if self._factory is None:
            raise PinsLostError(f"{self._identity} is not open")
        return self._factory


class OutputPins:
    """Output pins over a gpiozero factory. Levels are electrical; the safe level is given with the claim."""

    def __init__(self, make_factory: MakeFactory) -> None:
        self._make_factory = make_factory
        self._factory: PinFactory | None = None
        self._pins: dict[int, tuple[Any, bool]] = {}

    def open(self, safe: Sequence[tuple[int, bool]], lost: Callable[[str], None]) -> None:
        """Claim pins (number, safe level), each at its safe level from the first instant. Raises `PinsLostError`."""
        from gpiozero.exc import GPIOZeroError

        factory = self._factory = self._make_factory(lost)
        for number, high in safe:
            try:
                pin = factory.pin(number)
                pin.output_with_state(high)
            except GPIOZeroError as error:
                raise PinsLostError(f"output line {number}: {error}") from error
            self._pins[number] = (pin, high)

    def write(self, number: int, high: bool) -> None:
        """Raises `PinsLostError` if the chip is gone, `KeyError` for a pin that was not claimed."""
        pin, _ = self._pins[number]
        pin.state = high

    def close(self) -> None:
        """Leave every output at its safe level and release it. May be called in any state, also twice.

        A released line is an input again on most chips: the resistor at the transistor keeps the level.
        """
        factory, self._factory = self._factory, None
        for pin, high in self._pins.values():
            with contextlib.suppress(PinsLostError):  # one line that can't be written must not keep the others on
                pin.state = high
        self._pins.clear()
        if factory is not None:
            with contextlib.suppress(PinsLostError):
                factory.close()


class _Receiver:
    """One pin's callback. Runs on the back end's thread; the sink only queues."""

    def __init__(self, number: int, pin: Any, sink: PinSink) -> None:
        self.number = number
        self.pin = pin
        self._sink = sink

    def changed(self, ticks: int, state: bool) -> None:
        self._sink.edge(self.number, bool(state), ticks)
