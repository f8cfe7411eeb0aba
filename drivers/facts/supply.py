"""Supply voltage, throttling and temperature.

Sources: the firmware's throttled word (bits 0 to 3: now; 16 to 19: since the boot) in the file `get_throttled` of the
firmware's device, else by `vcgencmd get_throttled`; else, of it only the under-voltage alarm, from the hwmon device
`rpi_volt` (raspberrypi-hwmon). Temperature: thermal zone 0, in thousandths of a degree Celsius.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from drivers.facts.fact import Fact, Verdict
from drivers.facts.files import first_of, number_of, text_of

WARM_MC, HOT_MC = 75_000, 80_000
"""From 80 degrees the firmware slows the processor down; a table should stay clear of it."""

BITS = (
    (0, "under-voltage"),
    (1, "processor clock capped"),
    (2, "throttled"),
    (3, "soft temperature limit"),
)
SINCE_BOOT = 16
SUPPLY_REMEDY = "Use the official supply and a short cable; feed lamps and shoe from a supply of their own."
HEAT_REMEDY = "Clear the vents, fit a heat sink or fan, move the Pi away from lamps."


def throttled_word(text: str) -> int | None:
    """The word from "50005" (the file), "0x50005", or "throttled=0x50005" (vcgencmd)."""
    found = re.fullmatch(r"(?:throttled=)?(?:0x)?([0-9a-f]{1,8})", text.strip().lower())
    return None if found is None else int(found[1], 16)


def judge_throttled(word: int, source: str) -> tuple[Fact, Fact]:
    """Supply (bit 0, 16) and throttling (the others)."""

    def fact(name: str, bits: tuple[tuple[int, str], ...], remedy: str) -> Fact:
        now = [text for bit, text in bits if word >> bit & 1]
        was = [text for bit, text in bits if word >> (bit + SINCE_BOOT) & 1]
        value = f"now: {', '.join(now)}" if now else f"since the boot: {', '.join(was)}" if was else "never since boot"
        verdict = Verdict.BAD if now else Verdict.WARN if was else Verdict.GOOD
        return Fact(name, f"{value} (0x{word:x} from {source})", verdict, "never since the boot", remedy)

    return fact("supply voltage", BITS[:1], SUPPLY_REMEDY), fact("throttling", BITS[1:], HEAT_REMEDY)


def throttled(root: Path, run: Callable[[Sequence[str]], str | None] | None) -> tuple[Fact, Fact]:
    file = first_of(root, "sys/devices/platform/soc*/*firmware/get_throttled")
    if file is not None and (word := throttled_word(text_of(file))) is not None:
        return judge_throttled(word, "the kernel")
    said = run(("vcgencmd", "get_throttled")) if run is not None else None
    if said is not None and (word := throttled_word(said)) is not None:
        return judge_throttled(word, "vcgencmd")
    limits = "never since the boot"
    unknown = Fact("throttling", "neither get_throttled nor vcgencmd can be read", Verdict.NOT_KNOWN, limits)
    for name in sorted(root.glob("sys/class/hwmon/hwmon*/name")):
        if text_of(name) == "rpi_volt" and (alarm := number_of(name.parent / "in0_lcrit_alarm")) is not None:
            value = "under-voltage now" if alarm else "no under-voltage now (from hwmon rpi_volt)"
            verdict = Verdict.BAD if alarm else Verdict.GOOD
            return Fact("supply voltage", value, verdict, "no alarm", SUPPLY_REMEDY), unknown
    return Fact("supply voltage", unknown.value, Verdict.NOT_KNOWN, limits), unknown


def temperature(root: Path) -> Fact:
    name, limits = "temperature", f"below {WARM_MC // 1000} C; slowed down from {HOT_MC // 1000} C"
    at_mc = number_of(root / "sys/class/thermal/thermal_zone0/temp")
    if at_mc is None:
        return Fact(name, "no thermal zone can be read", Verdict.NOT_KNOWN, limits)
    verdict = Verdict.BAD if at_mc >= HOT_MC else Verdict.WARN if at_mc >= WARM_MC else Verdict.GOOD
    return Fact(name, f"{at_mc / 1000:.1f} C", verdict, limits, HEAT_REMEDY)
