"""F2xx: how a device's link stands while it can't be used; F3xx: why a line is out of order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from drivers.events import LineTrouble, LinkState
from hil.codes.row import Row

LINKS: Mapping[LinkState, Row] = {
    LinkState.ABSENT: Row(
        "F201", "absent", "DEVICE NOT THERE", "The path of its port does not exist, or nobody runs the device.",
        ("unplugged", "switched off", "the udev rule names another adapter", "dtparam or overlay missing"), "hil list",
    ),
    LinkState.OPENING: Row(
        "F202", "opening", "DEVICE OPENING", "Its port is being opened for longer than that takes.",
        ("a port that hangs in the kernel", "the daemon has just started"), "hil status",
    ),
    LinkState.IDENTIFYING: Row(
        "F203", "identifying", "DEVICE NOT IDENTIFIED", "Its port is open and the first exchange is not done.",
        ("crossed or missing wires", "wrong speed or parity", "another device on this port"), "hil check DEVICE",
    ),
    LinkState.STALE: Row(
        "F204", "stale", "DEVICE SILENT", "A device that has to speak has said nothing for its limit.",
        ("device off or hung", "receive wire off", "silent_limit_s too short for this device"), "hil check DEVICE",
    ),
    LinkState.BACKOFF: Row(
        "F205", "backoff", "DEVICE FAILS", "Its port is there, and opening or using it failed; it is tried again.",
        ("another program has the port", "no permission", "unplugged while in use", "a supply that gives way"),
        "hil status: the reason in brackets; then hil check DEVICE",
    ),
}  # fmt: skip
LEASED = Row(
    "F206", "leased", "DEVICE LEASED", "A technician's tool has the device; the table stays closed.",
    ("hil lend, or another hil command, is at work",), "end that command; the daemon takes the device back by itself",
)  # fmt: skip
TCP = Row(
    "F207", "tcp", "DEVICE OVER TCP", "The device is reached over TCP, which the unit does not allow by itself.",
    ("tabled-network.conf is not in place, or names another host",),
    "see /usr/share/doc/tabled/tabled-network.conf; then systemctl daemon-reload",
)  # fmt: skip

LINES: Mapping[LineTrouble, Row] = {
    LineTrouble.CHATTER: Row(
        "F301", "chatter", "LINE CHATTERS", "More than 20 changes in 2 s: the line reports nothing until it is quiet.",
        ("a loose wire", "a sensor at the edge of its range", "no capacitor at the input"), "hil watch",
    ),
    LineTrouble.STUCK: Row(
        "F302", "stuck", "LINE STUCK", "Active for longer than a chip lies there.",
        ("a chip left on the spot", "a short to ground", "a dirty or dead sensor"), "hil watch",
    ),
    LineTrouble.WIRING: Row(
        "F303", "wiring", "CONTACTS AGREE", "Both contacts of a change-over key say the same for over 100 ms.",
        ("a wire off", "rest and turned contact crossed with another key", "a worn switch"), "hil check --open lines",
    ),
    LineTrouble.CONTRADICTED: Row(
        "F304", "contradicted", "LEVEL CONTRADICTS EDGES", "A level read twice disagrees with the edges seen.",
        ("edges lost under load", "interference", "an expander that missed an interrupt"), "hil status",
    ),
    LineTrouble.REPORTED: Row(
        "F305", "reported", "BOARD REPORTS LINE", "The board that senses the line says itself that it is out of order.",
        ("a sensor unplugged or dead at the board", "a coil or cable out of its range"), "hil status",
    ),
}  # fmt: skip


def link_code(state: str) -> str:
    """The code of a link's state that is not READY."""
    return LINKS[LinkState(state)].code


def rows() -> Iterator[Row]:
    yield from LINKS.values()
    yield LEASED
    yield TCP
    yield from LINES.values()
