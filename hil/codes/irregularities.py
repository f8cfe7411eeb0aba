"""F1xx: irregularities. What each means, and what the floorperson does, stands in `firmware/core/faults.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firmware.core.faults import IRREGULARITIES, Irregularity
from hil.codes.row import Row

I = Irregularity  # noqa: E741 - a table of many rows
JOURNAL = "tabled journal show JOURNAL --round N"

CODES: Mapping[Irregularity, tuple[int, tuple[str, ...], str]] = {
    I.LOCK_GLITCH: (101, ("loose or worn lock-out contact", "a knock on the button", "interference"), "hil watch"),
    I.AUTO_LOCK: (102, ("the dealer forgot the lock-out", "the button is dead"), "hil check --open lines"),
    I.CARD_BEFORE_CONFIRM: (103, ("the dealer was fast", "the CONFIRM key is dead"), "hil watch"),
    I.DEALT_IN_DOUBT: (104, ("the display was not looked at", "the CONFIRM key sticks"), JOURNAL),
    I.LATE_EDGE: (105, ("the processor is overloaded or throttled", "a slow expander or board"), "hil status"),
    I.CHIP_REMOVED: (106, ("a patron took a chip", "a sensor at the edge of its range"), "hil watch"),
    I.STRADDLE: (107, ("a polled input", "an edge was lost at the lock-out"), "hil status"),
    I.LEVEL_CONTRADICTS: (108, ("a sensor at the edge of its range", "interference", "a loose wire"), "hil watch"),
    I.LOCK_INTERRUPTED: (109, ("power or daemon went at the lock-out",), "journalctl -u tabled -e"),
    I.INPUTS_OVERDUE: (
        110,
        ("the line device hangs or is gone", "the processor is overloaded"),
        "hil check --open lines",
    ),
    I.MISMATCH: (111, ("a chip beside its spot", "a sensor that misses or invents a chip"), "hil watch"),
    I.MISDEAL: (112, ("the dealer pressed CALL",), JOURNAL),
    I.UNREADABLE_CARD: (
        113,
        ("a dirty reader window", "a worn or foreign card"),
        "hil status",
    ),
    I.CARD_OUT_OF_TURN: (114, ("a card slipped", "a telegram was lost", "the drawing rules were not kept"), JOURNAL),
    I.CARD_ON_NATURAL: (115, ("the drawing rules were not kept",), JOURNAL),
    I.ONE_TOO_MANY: (116, ("a card slipped out with another", "the drawing rules were not kept"), JOURNAL),
    I.TOO_MANY_COPIES: (117, ("a foreign card in the shoe", "table.decks is wrong", "NEW SHOE was not said"), JOURNAL),
    I.CARD_WITHOUT_ROUND: (118, ("a card drawn early", "the table is closed or paused"), JOURNAL),
    I.CARD_DURING_HOLD: (119, ("the dealer went on during an award",), JOURNAL),
    I.SCAN_IGNORED: (120, ("a card passed the scanner twice",), JOURNAL),
    I.EXPOSED_CARD: (145, ("the dealer turned a card over", "two cards came out at once"), JOURNAL),
    I.READER_SILENT: (121, ("nobody dealt", "shoe locked or off", "the cable is out"), "hil check --open shoe"),
    I.READER_DISAGREES: (122, ("a card was read wrongly or entered wrongly", "a card lies on the wrong hand"), JOURNAL),
    I.READER_ERROR: (123, ("overdraw or jam at the shoe",), "hil status"),
    I.READER_DOWN: (124, ("cable out", "shoe off", "another program has its port"), "hil check --open shoe"),
    I.RESULT_NOT_READ: (125, ("the reader was not told to end its game", "a telegram was lost"), "hil status"),
    I.SHOE_CHANGED: (126, ("the shoe was switched off and on", "somebody began a new shoe"), JOURNAL),
    I.NOISE_BURST: (127, ("a common ground that floats", "a switching load on the same supply"), "hil status"),
    I.KEY_WIRING: (128, ("a wire off or crossed", "a worn contact that chatters"), "hil check --open lines"),
    I.DOOR_OPEN: (129, ("somebody opened the compartment", "the door contact is loose"), "hil watch"),
    I.SHOW_FAILED: (130, ("lamp string, sign or display unplugged or off",), "hil check"),
    I.JOURNAL_INTERRUPTED: (131, ("the disk was full, slow or failing",), "tabled journal verify JOURNAL"),
    I.JOURNAL_REPLACED: (132, ("a person cleared or restored the journal",), "tabled journal show JOURNAL"),
    I.PAYMENT_INTERRUPTED: (133, ("power or daemon went during a payment",), "tabled journal show JOURNAL"),
    I.SOFTWARE_DIFFERS: (
        134,
        ("an update without a manifest", "a changed file"),
        "tabled manifest check --config FILE",
    ),
    I.CLOCK_STEPPED: (135, ("time synchronization set the clock", "no real-time clock fitted"), "timedatectl"),
    I.MYSTERY_STOPPED: (136, ("mystery.key_file is missing or another table's",), "tabled journal draws JOURNAL"),
    I.HARDWARE_POOR: (137, ("supply, heat, card, disk or clock: the detail says which",), "hil check --facts"),
    I.SPOTS_OFFLINE: (
        138,
        ("the board or expander named has no power", "its cable is out", "two stations have one address"),
        "hil check --open DEVICE",
    ),
    I.LAMP_DARK: (139, ("a dead pixel, and all behind it", "the lamps' supply or data wire"), "hil lamp walk"),
    I.NUMBER_AT_LOCK: (
        146,
        ("the dealer forgot the lock-out, and the wheel has no phases", "the button is dead"),
        JOURNAL,
    ),
    I.NO_SPIN: (147, ("the ball ran with the rotor", "the launch failed"), "hil wheel trace --config FILE"),
    I.BALL_OUT: (148, ("the ball left the wheel", "a dirty ball sensor"), "hil wheel trace --config FILE"),
    I.NUMBERS_DIFFER: (149, ("one reader misreads", "a reader of another wheel"), "hil wheel trace --config FILE"),
    I.NUMBER_DOUBTED: (
        150,
        ("bytes lost on the cable", "a sensor of the wheel misreads"),
        "hil wheel trace --config FILE",
    ),
    I.NUMBER_NOT_READ: (151, ("one reader is off, or its cable out",), "hil status"),
    I.NUMBER_CHANGED: (152, ("bytes lost on the cable", "a reader that is late"), JOURNAL),
    I.WHEEL_SILENT: (
        153,
        ("the ball was not spun", "the number line is off (mode bit 16)", "the cable is out"),
        "hil check --open wheel",
    ),
    I.WHEEL_FAULT: (154, ("sensor, motor or encoder of the wheel",), "hil wheel trace --config FILE"),
    I.WHEEL_DOWN: (155, ("cable out", "wheel off", "another program has its port"), "hil check --open wheel"),
}


def code(kind: Irregularity) -> str:
    return f"F{CODES[kind][0]}"


def rows() -> Iterator[Row]:
    for kind, (number, causes, command) in CODES.items():
        row = IRREGULARITIES[kind]
        yield Row(f"F{number}", kind.value, row.title, f"{row.meaning} {row.remedy}", causes, command)
