"""A stand-in for the lgpio module: chips with labels and lines in memory. Strict, and keeps what was asked of it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

SET_PULLS = {"SET_PULL_UP": 32, "SET_PULL_DOWN": 64, "SET_PULL_NONE": 128}
IS_OUT = 2


class FakeLgpio(ModuleType):
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128

    class error(Exception):  # noqa: N801  # lgpio's own name
        pass

    class _Callback:
        def __init__(self, chip: FakeLgpio, gpio: int, call: Callable[[int, int, int, int], None]) -> None:
            self._chip, self._gpio, self._call = chip, gpio, call
            assert gpio not in chip.callbacks, f"two callbacks on line {gpio}"
            chip.callbacks[gpio] = call

        def cancel(self) -> None:
            assert self._chip.callbacks.pop(self._gpio) == self._call

    def __init__(self, labels: dict[int, str], busy: tuple[int, ...] = ()) -> None:
        super().__init__("lgpio")
        self.labels = labels
        self.busy = busy
        self.opened: list[int] = []
        self.open_handles: dict[int, int] = {}
        self.callbacks: dict[int, Callable[[int, int, int, int], None]] = {}
        self.modes: dict[int, int] = {}
        self.high: dict[int, bool] = {}
        self.history: list[tuple[str, int, int]] = []

    def gpiochip_open(self, chip: int) -> int:
        if chip not in self.labels:
            raise self.error("can not open gpiochip")
        handle = 100 + len(self.opened)
        self.opened.append(chip)
        self.open_handles[handle] = chip
        return handle

    def gpiochip_close(self, handle: int) -> None:
        del self.open_handles[handle]

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 54, f"gpiochip{self.open_handles[handle]}", self.labels[self.open_handles[handle]]]

    def gpio_claim_input(self, handle: int, gpio: int, flags: int = 0) -> None:
        self._claim(handle, gpio)
        self.modes[gpio] = flags
        self.history.append(("input", gpio, flags))

    def gpio_claim_output(self, handle: int, gpio: int, level: int = 0, flags: int = 0) -> None:
        self._claim(handle, gpio)
        self.modes[gpio] = IS_OUT
        self.high[gpio] = bool(level)
        self.history.append(("output", gpio, level))

    def gpio_claim_alert(self, handle: int, gpio: int, edges: int, flags: int = 0) -> None:
        self._claim(handle, gpio)
        assert edges == self.BOTH_EDGES
        self.modes[gpio] = flags
        self.history.append(("alert", gpio, flags))

    def gpio_free(self, handle: int, gpio: int) -> None:
        assert handle in self.open_handles
        self.modes.pop(gpio)

    def gpio_get_mode(self, handle: int, gpio: int) -> int:
        return self.modes[gpio]

    def gpio_read(self, handle: int, gpio: int) -> int:
        if handle not in self.open_handles:
            raise self.error("unknown handle")
        return int(self.high.get(gpio, True))

    def gpio_write(self, handle: int, gpio: int, level: int) -> None:
        assert self.modes[gpio] == IS_OUT
        self.high[gpio] = bool(level)
        self.history.append(("write", gpio, int(level)))

    def gpio_set_debounce_micros(self, handle: int, gpio: int, micros: int) -> None:
        assert micros == 0, "edges must stay raw"

    def callback(
        self, handle: int, gpio: int, edge: int, func: Callable[[int, int, int, int], None]
    ) -> FakeLgpio._Callback:
        return self._Callback(self, gpio, func)

    def move(self, gpio: int, high: bool, at_ns: int) -> None:
        """What the kernel does: change a level and stamp the edge."""
        self.high[gpio] = high
        self.callbacks[gpio](0, gpio, int(high), at_ns)

    def _claim(self, handle: int, gpio: int) -> None:
        assert handle in self.open_handles
        if gpio in self.busy:
            raise self.error("GPIO busy")
