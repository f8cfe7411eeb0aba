"""The clock behind SPI, the longest SPI transfer, and the clock that runs while the power is off.

WS2812 lamps take their bit times from the SPI clock. Up to the Pi 4 that is divided from the core clock, which the
firmware changes with the load unless it is fixed in config.txt; on a Pi 5 it has a clock of its own.
"""

from __future__ import annotations

import re
from pathlib import Path

from drivers.facts.fact import Fact, Needs, Verdict
from drivers.facts.files import first_of, number_of, text_of

BOOT = ("boot/firmware", "boot")
"""Where config.txt and cmdline.txt lie: of Debian 12 and later, and before."""
BATTERY_LEAST_UV = 2_000_000
FIXED_CORE = {4: 500, 3: 250}
"""The core clock in MHz at which each model's SPI is to be fixed, by model."""


def boot_file(root: Path, name: str) -> str:
    return next((text for folder in BOOT if (text := text_of(root / folder / name))), "")


def config_values(text: str, model: int) -> dict[str, str]:
    """What config.txt sets for this model: the last value of each name; sections of other models are left out."""
    values: dict[str, str] = {}
    applies = True
    for line in text.splitlines():
        bare = line.split("#")[0].strip()
        if section := re.fullmatch(r"\[(.+)\]", bare):
            of_model = re.fullmatch(r"pi(\d).*", section[1])
            applies = section[1] == "all" or (of_model is not None and int(of_model[1]) == model)
        elif applies and "=" in bare:
            name, _, value = bare.partition("=")
            values[name.strip()] = value.strip()
    return values


def model_number(model: str) -> int:
    """5 for "Raspberry Pi 5 Model B Rev 1.0"; a Compute Module counts as its number; 0 where there is none."""
    found = re.search(r"Raspberry Pi (?:Compute Module )?(\d)", model)
    return int(found[1]) if found else 0


def spi(root: Path, needs: Needs, model: str) -> tuple[Fact, ...]:
    if not needs.spi_frame_bytes:
        return ()
    return core_clock(root, model_number(model)), spi_buffer(root, needs.spi_frame_bytes)


def core_clock(root: Path, model: int) -> Fact:
    """Whether the clock that SPI is derived from stays as it is."""
    name, limits = "SPI clock", "derived from a clock that does not change"
    if model >= 5:
        return Fact(name, "a clock of its own", Verdict.GOOD, limits)
    wanted = FIXED_CORE.get(model)
    text = boot_file(root, "config.txt")
    if wanted is None or not text:
        return Fact(name, "config.txt can't be read, or the model is not known", Verdict.NOT_KNOWN, limits)
    values = config_values(text, model)
    least, most = values.get("core_freq_min", ""), values.get("core_freq", "")
    fixed = values.get("force_turbo") == "1" or (least and least == (most or str(wanted)))
    if model == 3:
        fixed = fixed or most == "250" or values.get("enable_uart") == "1"
    value = f"core_freq={most or 'default'}, core_freq_min={least or 'default'}"
    remedy = f"Write core_freq={wanted} and core_freq_min={wanted} into config.txt, and start the Pi again."
    if fixed:
        return Fact(name, f"fixed ({value})", Verdict.GOOD, limits)
    return Fact(name, f"changes with the load ({value}): lamps may flicker", Verdict.WARN, limits, remedy)


def spi_buffer(root: Path, frame_bytes: int) -> Fact:
    """Whether the driver sends this many bytes in one transfer."""
    name, limits = "SPI buffer", f"at least {frame_bytes} bytes, a whole frame of the lamps"
    size = number_of(root / "sys/module/spidev/parameters/bufsiz")
    if size is None:
        return Fact(name, "spidev.bufsiz can't be read: is dtparam=spi=on?", Verdict.NOT_KNOWN, limits)
    remedy = "Add spidev.bufsiz=32768 to cmdline.txt, on its one line, and start the Pi again."
    return Fact(name, f"{size} bytes", Verdict.GOOD if size >= frame_bytes else Verdict.BAD, limits, remedy)


def rtc(root: Path) -> Fact:
    """A clock with a battery: without one a table that starts without a network has no time of day."""
    name, limits = "real-time clock", f"present; its battery above {BATTERY_LEAST_UV / 1e6:.1f} V where it tells"
    device = first_of(root, "sys/class/rtc/rtc*")
    if device is None:
        remedy = "Fit a clock with a battery (Pi 5: connector J5; before: an I2C clock and its dtoverlay)."
        return Fact(name, "none: the time of day is lost with the power", Verdict.WARN, limits, remedy)
    label = text_of(device / "name") or device.name
    battery_uv = number_of(device / "battery_voltage")
    if battery_uv is None:
        return Fact(name, f"{label}; it does not tell of its battery", Verdict.NOT_KNOWN, limits)
    volts = f"{label}, battery {battery_uv / 1e6:.2f} V"
    good = battery_uv >= BATTERY_LEAST_UV
    return Fact(name, volts, Verdict.GOOD if good else Verdict.WARN, limits, "Fit or renew the clock's battery.")
