"""Real GPIO through lgpio: gpiozero's factory and pin with what ours needs on top.

Answers for: finding the right chip, integer nanosecond timestamps, outputs without a blip. Imported only when the back
end is made, since lgpio's import has side effects.

Rules:
* The header's chip is found by its label, since its number changed between kernels on a Pi 5 (gpiozero #1166:
  gpiochip4 before kernel 6.6.45, gpiochip0 after). A number in the configuration wins.
* `import lgpio` makes a FIFO in `LG_WD` and changes into that directory. The unit gives the daemon its runtime
  directory; a tool that a person starts gets a folder of its own, removed at its end. The working directory stays.
* Edge times are the kernel's CLOCK_MONOTONIC, passed on as lgpio gives them; gpiozero would make float seconds of them.
"""

from __future__ import annotations

import atexit
import os
import pwd
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic_ns
from types import ModuleType
from typing import Any

from drivers.gpio.pins import PinLevels, PinsLostError
from drivers.ports import BackendUnavailable

HEADER_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The 40-pin header's chip: Pi 5, Pi 4, Pi 3 and before."""


def import_lgpio() -> ModuleType:
    """The lgpio module, with its FIFO in `LG_WD` and our working directory as it was."""
    work_dir = os.environ.get("LG_WD", "")
    if work_dir and not os.access(work_dir, os.W_OK | os.X_OK):
        raise BackendUnavailable(
            f"GPIO back end lgpio: LG_WD is {work_dir}; lgpio keeps a FIFO there, so expected a directory that "
            f"{_who()} may write. `unset LG_WD` and a folder is made; the service unit sets it to its runtime directory"
        )
    if not work_dir:
        work_dir = tempfile.mkdtemp(prefix="tabled-lgpio-")
        atexit.register(shutil.rmtree, work_dir, ignore_errors=True)
        os.environ["LG_WD"] = work_dir
    before = Path.cwd()
    try:
        import lgpio
    except ImportError as error:
        raise BackendUnavailable(
            f"GPIO back end lgpio: {error}. Install the extra \"pi\" (pip install 'tabled[pi]', lgpio 0.2.2.0)"
        ) from error
    finally:
        os.chdir(before)
    return lgpio  # type: ignore[no-any-return]


def _who() -> str:
    """The user by name, or by number where it has none."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user {os.geteuid()}"


def find_chip(lgpio: Any, devices: Sequence[Path]) -> int:
    """The number of the chip that carries the header, by its label. Raises `PinsLostError` and lists what was seen."""
    seen = []
    for path in sorted(devices):
        match = re.fullmatch(r"gpiochip(\d+)", path.name)
        if match is None or path.is_symlink():  # a Pi 5 keeps gpiochip4 as a link to gpiochip0
            continue
        number = int(match[1])
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error as error:
            seen.append(f"{path.name} ({error})")
            continue
        try:
            _, _, _, label = lgpio.gpio_get_chip_info(handle)
        finally:
            lgpio.gpiochip_close(handle)
        if _text(label) in HEADER_LABELS:
            return number
        seen.append(f"{path.name} ({_text(label)})")
    raise PinsLostError(
        f"no GPIO chip with label {' or '.join(HEADER_LABELS)}; found {', '.join(seen) or 'none'}. Is this "
        "a Raspberry Pi, and is the user in group gpio? For another board set the chip's number in the configuration"
    )


def make_factory(chip: int | None) -> Any:
    """Open the chip. Raises `PinsLostError`."""
    lgpio = import_lgpio()
    number = chip if chip is not None else find_chip(lgpio, list(Path("/dev").glob("gpiochip*")))
    try:
        return _factory_class(lgpio)(number)
    except lgpio.error as error:
        raise PinsLostError(f"/dev/gpiochip{number}: {error}. Does it exist, and is the user in group gpio?") from error


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _factory_class(lgpio: Any) -> Any:
    """gpiozero's lgpio classes can only be subclassed where lgpio is, hence here and not at module level."""
    from gpiozero.pins import PinInfo
    from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin
    from gpiozero.pins.local import LocalPiFactory
    from gpiozero.pins.pi import PiPin

    class Pin(LGPIOPin):  # type: ignore[misc]  # gpiozero has no types
        def __init__(self, factory: Any, info: Any) -> None:
            try:
                super().__init__(factory, info)
            except lgpio.error as error:
                raise PinsLostError(
                    f"/dev/gpiochip{factory.chip}: {info.name}: {error}. Does another program use it?"
                ) from error

        def output_with_state(self, state: bool) -> None:
            # gpiozero sets the direction first and the level second: an active-low output would be on in between.
            handle = self.factory._handle
            try:
                lgpio.gpio_free(handle, self._number)
                lgpio.gpio_claim_output(handle, self._number, int(state))
            except lgpio.error as error:
                raise PinsLostError(f"/dev/gpiochip{self.factory.chip}: line {self._number}: {error}") from error

        def _set_state(self, value: bool) -> None:
            try:
                super()._set_state(value)
            except lgpio.error as error:
                raise PinsLostError(f"/dev/gpiochip{self.factory.chip}: line {self._number}: {error}") from error

        def _call_when_changed(self, chip: int, gpio: int, level: int, ticks: int) -> None:
            PiPin._call_when_changed(self, ticks, bool(level))

    class Factory(LGPIOFactory):  # type: ignore[misc]  # gpiozero has no types
        def __init__(self, chip: int) -> None:
            # Not LGPIOFactory's own: up to gpiozero 2.0.1 it puts a number of its own in place of ours (#1166), and it
            # wants to know the board's revision.
            LocalPiFactory.__init__(self)
            self._handle = lgpio.gpiochip_open(chip)
            self._chip = chip
            self.pin_class = Pin

        def close(self) -> None:
            try:
                super().close()
            except lgpio.error as error:
                raise PinsLostError(f"/dev/gpiochip{self.chip}: {error} while closing") from error

        def pin(self, name: int) -> Any:
            """A pin by its number on the chip. The board's own table of pins is not asked: it knows Pis only."""
            info = PinInfo(name, f"GPIO{name}", frozenset({name}), "", 0, 0, frozenset({"gpio"}))
            if info not in self.pins:
                self.pins[info] = Pin(self, info)
            return self.pins[info]

        def levels(self, numbers: Sequence[int]) -> PinLevels:
            started_ns = monotonic_ns()
            try:
                high = {number: bool(self.pin(number).state) for number in numbers}
            except lgpio.error as error:
                raise PinsLostError(f"/dev/gpiochip{self.chip}: level read failed: {error}") from error
            return PinLevels(started_ns, monotonic_ns(), high)

    return Factory
