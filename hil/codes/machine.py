"""F5xx: facts of the machine under the table (`drivers/facts`). Limits and remedy come with the fact itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from drivers.facts.fact import Fact, Verdict
from hil.codes.row import Row

FACTS: Mapping[str, Row] = {
    "supply voltage": Row(
        "F501", "supply voltage", "UNDER-VOLTAGE", "The Pi's supply fell below 4.63 V, now or since the boot.",
        ("a weak supply", "a long or thin cable", "lamps fed from the Pi"), "hil check --facts",
    ),
    "throttling": Row(
        "F502", "throttling", "THROTTLED", "The firmware slowed the processor down, now or since the boot.",
        ("heat", "under-voltage"), "hil check --facts",
    ),
    "temperature": Row(
        "F503", "temperature", "TOO HOT", "The processor is near or above the temperature at which it is slowed down.",
        ("closed vents", "no heat sink or fan"), "hil check --facts",
    ),
    "SPI clock": Row(
        "F504", "SPI clock", "SPI CLOCK MOVES", "The clock of the SPI lamps changes with the processor's load.",
        ("core_freq is not fixed in config.txt",), "sudoedit /boot/firmware/config.txt",
    ),
    "SPI buffer": Row(
        "F505", "SPI buffer", "SPI BUFFER SMALL", "A whole frame of the lamps does not fit into one SPI transfer.",
        ("spidev.bufsiz is not set in cmdline.txt",), "sudoedit /boot/firmware/cmdline.txt",
    ),
    "UART": Row(
        "F506", "UART", "MINI-UART", "The port on the header is the mini-UART: no parity, and a rate that moves.",
        ("Bluetooth has the full UART",), "sudoedit /boot/firmware/config.txt: dtoverlay=disable-bt",
    ),
    "console": Row(
        "F507", "console", "CONSOLE ON PORT", "The kernel or a login writes into a device's line.",
        ("the serial console was left on",), "sudo raspi-config: Interface Options, Serial Port",
    ),
    "real-time clock": Row(
        "F508", "real-time clock", "NO CLOCK", "Without power the time of day is lost, or its battery is low.",
        ("no clock fitted", "battery flat or not plugged in"), "hwclock --show",
    ),
    "disk space": Row(
        "F509", "disk space", "DISK NEARLY FULL", "The journal's disk is nearly full.",
        ("old journals and copies", "logs"), "tabled journal rotate",
    ),
    "file system": Row(
        "F510", "file system", "DISK READ-ONLY", "The journal's file system is mounted read-only.",
        ("the kernel found errors and protects what is left",), "tabled journal backup; then a new card",
    ),
    "file system errors": Row(
        "F511", "file system errors", "DISK ERRORS", "The file system has errors on record.",
        ("power cuts on a weak card", "a card at its end"), "tabled journal backup; fsck; a new card",
    ),
    "card wear": Row(
        "F512", "card wear", "CARD WORN", "The card says that its life is nearly used up.",
        ("years of writing",), "tabled journal backup; then a new card",
    ),
    "machine": Row(
        "F513", "machine", "NOT A PI", "The machine does not say that it is a Raspberry Pi; its facts are not read.",
        ("a bench or another computer",), "cat /proc/device-tree/model",
    ),
}  # fmt: skip


def fact_code(name: str) -> str:
    """The code of a fact, also of one of a port ("UART of /dev/serial0")."""
    row = FACTS.get(name) or FACTS[name.split(" ")[0]]
    return row.code


def code_of(fact: Fact) -> str:
    """Its code where it is outside its limits, else nothing: a fact that can't be read is no fault of that kind. Only
    that the machine is no Pi has a row although it is merely not known."""
    if fact.verdict is Verdict.GOOD or (fact.verdict is Verdict.NOT_KNOWN and fact.name != "machine"):
        return ""
    return fact_code(fact.name)


def rows() -> Iterator[Row]:
    yield from FACTS.values()
