"""GPIO pins of the simulated line chip: a gpiozero factory and pin over a local socket.

Answers for: the same surface as gpiozero's real factories, spoken to a process that plays the chip. The wire is
`drivers.codecs.simchip`.

Rules:
* Edge times are the chip's own: the factory's ticks are integer nanoseconds of CLOCK_MONOTONIC.
* One thread reads the socket, as lgpio's one thread reads its pipe: callbacks run there.
* A silent chip is a lost chip: a level read waits `ANSWER_S` at most.
* This module imports gpiozero at its head; it is itself imported only when the simulated back end is opened.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gpiozero.exc import PinEdgeDetectUnsupported, PinInvalidFunction, PinInvalidPin, PinInvalidPull, PinSetInput
from gpiozero.pins import Factory, Pin

from drivers.codecs.simchip import (
    PULL_DOWN,
    PULL_FLOATING,
    PULL_UP,
    ClaimInputs,
    ClaimOutput,
    Edge,
    Levels,
    ReadLevels,
    Refused,
    SetOutput,
    SimChipFrame,
)
from drivers.gpio.chip_socket import ANSWER_S, ChipSocket
from drivers.gpio.pins import PinLevels, PinsLostError

_PULLS = {"floating": PULL_FLOATING, "up": PULL_UP, "down": PULL_DOWN}

WhenChanged = Callable[[int, bool], None]


class SimulatedFactory(Factory):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's factory over the chip's socket. `lost` is called once, on the reading thread, when the chip goes."""

    def __init__(self, path: Path, lost: Callable[[str], None]) -> None:
        super().__init__()
        self._lost = lost
        self._pins: dict[int, SimulatedPin] = {}
        self._answers: dict[int, Levels | None] = {}
        self._answered = threading.Condition()
        self._request = 0
        self._closed = False
        self._chip = ChipSocket(path)
        self._chip.wait_without_limit()
        self._thread = threading.Thread(target=self._read, name="sim-chip", daemon=True)
        self._thread.start()

    def pin(self, name: int) -> SimulatedPin:
        if not 0 <= name < self._chip.lines:
            raise PinInvalidPin(f"line {name}: the simulated chip has lines 0 to {self._chip.lines - 1}")
        return self._pins.setdefault(name, SimulatedPin(self, name))

    def ticks(self) -> int:
        return time.monotonic_ns()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        return (later - earlier) / 1e9

    def send(self, frame: SimChipFrame) -> None:
        self._chip.send(frame)

    def levels(self, numbers: Sequence[int]) -> PinLevels:
        """The levels of these lines, read by the chip in one go."""
        if threading.current_thread() is self._thread:
            raise PinsLostError("a level was asked for on the reading thread, which would wait for itself")
        with self._answered:
            self._request += 1
            request = self._request
            self._answers[request] = None
            self._chip.send(ReadLevels(request))
            done = self._answered.wait_for(lambda: self._closed or self._answers[request] is not None, ANSWER_S)
            answer = self._answers.pop(request)
        if answer is None:
            raise PinsLostError("line chip went away during a level read" if done else f"no levels within {ANSWER_S} s")
        return PinLevels(answer.at_ns, answer.at_ns, {number: answer.high[number] for number in numbers})

    def close(self) -> None:
        with self._answered:
            self._closed = True
            self._answered.notify_all()
        self._chip.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _read(self) -> None:
        try:
            while True:
                self._take(self._chip.receive())
        except PinsLostError as error:
            with self._answered:
                told, self._closed = self._closed, True
                self._answered.notify_all()
            if not told:
                self._lost(str(error))

    def _take(self, frame: SimChipFrame) -> None:
        match frame:
            case Edge():
                pin = self._pins.get(frame.line)
                if pin is not None:
                    pin.changed(frame.at_ns, frame.high)
            case Levels():
                with self._answered:
                    if frame.request in self._answers:
                        self._answers[frame.request] = frame
                        self._answered.notify_all()
            case Refused():
                raise PinsLostError(f"line chip refused a request: {frame.text}")
            case _:
                raise PinsLostError(f"line chip sent {type(frame).__name__}, which only the daemon sends")


class SimulatedPin(Pin):  # type: ignore[misc]  # gpiozero has no types
    """One line. Bias, direction and level are the chip's; bounce is never filtered here (None)."""

    def __init__(self, factory: SimulatedFactory, number: int) -> None:
        self._factory = factory
        self._number = number
        self._function = "input"
        self._pull = "floating"
        self._when_changed: WhenChanged | None = None

    def __repr__(self) -> str:
        return f"SIM{self._number}"

    def input_with_pull(self, pull: str) -> None:
        if pull not in _PULLS:
            raise PinInvalidPull(f"invalid pull {pull!r} for {self!r}; expected one of {', '.join(_PULLS)}")
        self._function, self._pull = "input", pull
        self._factory.send(ClaimInputs(((self._number, _PULLS[pull]),)))

    def output_with_state(self, state: bool) -> None:
        self._function = "output"
        self._factory.send(ClaimOutput(self._number, bool(state)))

    def changed(self, at_ns: int, high: bool) -> None:
        if self._when_changed is not None:
            self._when_changed(at_ns, high)

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        match value:
            case "input":
                self.input_with_pull(self._pull)
            case "output":
                self.output_with_state(False)
            case _:
                raise PinInvalidFunction(f"invalid function {value!r} for {self!r}; expected input or output")

    def _get_state(self) -> bool:
        return self._factory.levels((self._number,)).high[self._number]

    def _set_state(self, value: bool) -> None:
        if self._function != "output":
            raise PinSetInput(f"can't set the state of {self!r}: it is an input")
        self._factory.send(SetOutput(self._number, bool(value)))

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        self.input_with_pull(value)

    def _get_edges(self) -> str:
        return "both"

    def _set_edges(self, value: str) -> None:
        if value != "both":
            raise PinEdgeDetectUnsupported(f"{self!r} reports both edges; {value!r} is not supported")

    def _get_when_changed(self) -> WhenChanged | None:
        return self._when_changed

    def _set_when_changed(self, value: WhenChanged | None) -> None:
        self._when_changed = value
