"""F6xx: what `hil check` measures (`hil/check`), by the measurement's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hil.codes.row import Row

CHECK = "hil check DEVICE"

MEASURED: Mapping[str, Row] = {
    "link": Row(
        "F601", "link", "LINK NOT UP", "The device was not ready within the time stated.",
        ("unplugged or off", "wrong port, speed or parity", "another program has the port"), "hil list",
    ),
    "identity": Row(
        "F602", "identity", "WRONG IDENTITY", "The device does not say what it is, or is simulated at a real table.",
        ("another adapter under this name", "a bench's configuration"), "hil list",
    ),
    "errors": Row(
        "F603", "errors", "ERRORS COUNTED", "Checksums, cut frames, failed writes or lost links while it was watched.",
        ("interference", "speed or parity wrong", "a bad cable or ground"), CHECK,
    ),
    "lock-out button": Row(
        "F604", "lock-out button", "LOCK-OUT NOT CLOSED", "The normally closed button reads as pressed at rest.",
        ("a wire is off", "a normally open contact is wired", "the button is held"), CHECK,
    ),
    "key contacts": Row(
        "F605", "key contacts", "KEY CONTACTS AGREE", "Rest and turned contact of a key switch read the same.",
        ("a wire off", "contacts crossed with another key"), CHECK,
    ),
    "spots": Row(
        "F606", "spots", "SPOTS COVERED", "Spots read as covered while none should be.",
        ("chips left on the layout", "a sensor's line shorted", "the line's polarity is wrong"), CHECK,
    ),
    "shown": Row(
        "F607", "shown", "NOT SHOWN", "The output did not take what it was given within the time stated.",
        ("cable or power", "SPI off", "wrong speed"), CHECK,
    ),
    "noise": Row(
        "F608", "noise", "LINES NOT QUIET", "Lines changed while nobody touched the table.",
        ("interference", "a loose wire", "a sensor at the edge of its range"), CHECK,
    ),
    "deadline": Row(
        "F609", "deadline", "CHECK HUNG", "The device neither worked nor failed within the time stated.",
        ("a port that hangs in the kernel", "a device that holds its line"), "unplug the device and plug it in again",
    ),
    "rig": Row(
        "F610", "rig", "CONTRACT NOT KEPT", "A test of the contract suite failed on the jumpered pins.",
        ("a jumper missing or misplaced", "a pin taken by an overlay", "a fault of the driver"), "see hil/RIG.md",
    ),
    "wheel": Row(
        "F612", "wheel", "WHEEL WARNS", "The wheel warns of something while it is at rest.",
        ("ball not in its place", "a sensor, the motor or the encoder"), "hil wheel trace",
    ),
    "polling": Row(
        "F611", "polling", "POLLED TOO SELDOM", "Between two reads lay more than a chip needs to be proved present.",
        ("the machine is overloaded", "a slow or disturbed bus", "poll_ms or the bus's clock set too slow"), CHECK,
    ),
    "filter": Row(
        "F613", "filter", "SENSOR NEEDS A LONGER FILTER", "What did not last on a line took more than half its filter.",
        ("a sensor at the edge of its range", "a worn contact", "chips that rock", "no capacitor at the input"),
        "hil sensor calibrate LINES; mend the sensor, or set [timing] as it suggests",
    ),
    "configuration": Row(
        "F620", "configuration", "FILE WAS CHANGED", "The configuration is not what the daemon was started with.",
        ("edited since the start",), "tabled check FILE, then restart the daemon or undo the change",
    ),
    "wiring": Row(
        "F621", "wiring", "WIRING CROSSED", "Pins, ports or addresses are used twice, or can't be had.",
        ("two devices on one port or address", "a line named twice"), "hil wiring --config FILE",
    ),
    "manifest": Row(
        "F622", "manifest", "NOT AS APPROVED", "There is no signed manifest, or what runs differs from it.",
        ("not signed yet", "software or configuration changed since", "two persons accepted a difference"),
        "tabled manifest check --config FILE",
    ),
    "edge to lamp": Row(
        "F623", "edge to lamp", "LAMPS TOO SLOW", "Of a hundred chips one was decided on before its lamp was lit.",
        ("the machine is overloaded", "a slow disk", "the lamps' bus fails and is opened again"), "hil latency",
    ),
}  # fmt: skip


def measured_code(name: str) -> str:
    return MEASURED[name].code


def rows() -> Iterator[Row]:
    yield from MEASURED.values()
