"""F7xx: what a wheel or a dice reader says is wrong. A spin or roll without a result is for the game to deal with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from drivers.events import DeviceEvent
from drivers.result_events import (
    DiceTrouble,
    DiceTroubled,
    Doubt,
    NoSpin,
    NoSpinReason,
    NumberDoubted,
    WheelFaulted,
    WheelRefused,
    WheelWarned,
    WheelWarning,
)
from hil.codes.row import Row

WHEEL, DICE = "hil wheel trace", "hil dice trace"

NO_SPIN: Mapping[NoSpinReason, Row] = {
    NoSpinReason.WRONG_WAY: Row(
        "F701", "wrong_way", "NO SPIN: BALL WITH ROTOR", "The ball ran the way the rotor turns: the spin is void.",
        ("launched by hand the wrong way", "the launcher's direction does not change with the rotor's"), WHEEL,
    ),
    NoSpinReason.BALL_LOST: Row(
        "F702", "ball_lost", "NO SPIN: BALL NOT SEEN", "The ball was not seen for 5 s after no more bets.",
        ("ball taken out or jumped out", "a dirty or blind ball sensor"), WHEEL,
    ),
    NoSpinReason.LAUNCH_FAILED: Row(
        "F703", "launch_failed", "NO SPIN: LAUNCH FAILED", "The wheel did not get its ball going within 3 s.",
        ("launcher's air or valve", "a worn or wrong ball"), WHEEL,
    ),
    NoSpinReason.FAULT: Row(
        "F704", "fault", "NO SPIN: WHEEL FAULT", "The wheel reported a fault while the ball ran.",
        ("sensor, motor or encoder", "the wheel was opened"), WHEEL,
    ),
    NoSpinReason.BROKEN_OFF: Row(
        "F705", "broken_off", "NO SPIN: BROKEN OFF", "The wheel went back, or closed, without a number.",
        ("voided or switched off at the wheel", "power lost"), WHEEL,
    ),
    NoSpinReason.UNSEEN: Row(
        "F706", "unseen", "NO SPIN: NOT HEARD", "The spin ended while the wheel could not be heard.",
        ("cable or adapter pulled", "the daemon was started again within a spin"), "hil check DEVICE",
    ),
}  # fmt: skip
DOUBT: Mapping[Doubt, Row] = {
    Doubt.SOURCES_DIFFER: Row(
        "F711", "sources_differ", "NUMBER IN DOUBT: TWO NUMBERS", "The number line and the wheel's status disagree.",
        ("interference on a wire without checks", "the wheel's own fault"), "hil wheel record FILE, and keep it",
    ),
    Doubt.CHANGED: Row(
        "F712", "changed", "NUMBER IN DOUBT: CHANGED", "The wheel said another number for the same spin.",
        ("corrected at the wheel", "two spins too close for a reader that tells numbers alone"), WHEEL,
    ),
    Doubt.UNCONFIRMED: Row(
        "F713", "unconfirmed", "NUMBER IN DOUBT: UNCONFIRMED", "A number came, and the wheel did not end its spin.",
        ("interference that reads as a number", "the wheel hangs"), WHEEL,
    ),
}  # fmt: skip
WARNINGS: Mapping[WheelWarning, Row] = {
    WheelWarning.BALL_REMOVED: Row(
        "F721", "ball_removed", "WHEEL WARNS: BALL", "The wheel does not see its ball.",
        ("ball taken out", "a dirty or blind ball sensor"), WHEEL,
    ),
    WheelWarning.WRONG_WAY: Row(
        "F722", "warned_wrong_way", "WHEEL WARNS: DIRECTION", "The ball runs with the rotor.",
        ("launched the wrong way",), WHEEL,
    ),
    WheelWarning.FAULT: Row(
        "F723", "warned_fault", "WHEEL WARNS: FAULT", "A sensor, the motor or the encoder is out of order.",
        ("dirt on a sensor", "a plug inside the wheel", "motor or encoder"), WHEEL,
    ),
    WheelWarning.LAUNCH_FAILED: Row(
        "F724", "warned_launch", "WHEEL WARNS: LAUNCH", "A launch failed; the wheel tries again by itself.",
        ("launcher's air or valve", "a worn or wrong ball"), WHEEL,
    ),
}  # fmt: skip
FAULTED = Row(
    "F731", "self_test", "WHEEL'S SELF-TEST FAILED", "The wheel's own test found a fault and names it by a number.",
    ("as the number says: see the wheel's manual",), WHEEL,
)  # fmt: skip
REFUSED = Row(
    "F732", "refused", "WHEEL REFUSED A COMMAND", "The wheel did not start, or did not take back, a spin as told.",
    ("its operating mode takes no start", "the wheel is off or hangs", "our send wire is off"), WHEEL,
)  # fmt: skip
DICE_TROUBLES: Mapping[DiceTrouble, Row] = {
    DiceTrouble.UNREADABLE: Row(
        "F741", "unreadable", "DIE NOT READ", "The reader can't tell a die's face.",
        ("dirt on the window", "a strange die", "a die at the edge of its field"), DICE,
    ),
    DiceTrouble.OFF_THE_TABLE: Row(
        "F742", "off_the_table", "DIE OFF THE TABLE", "A die left the table: no roll.", ("thrown too far",), DICE,
    ),
    DiceTrouble.COCKED: Row(
        "F743", "cocked", "DIE LEANS", "A die leans on something: no roll until it was called.",
        ("chips or the wall under it",), DICE,
    ),
    DiceTrouble.OTHER: Row(
        "F744", "other_trouble", "DICE READER'S OWN ERROR", "The reader tells a number that has no meaning here.",
        ("as the reader's manual says",), DICE,
    ),
}  # fmt: skip


def codes_of(event: DeviceEvent) -> list[str]:
    """The codes of what an event says is wrong; none for one that says nothing of the kind."""
    match event:
        case NoSpin(reason=reason):
            return [NO_SPIN[reason].code]
        case NumberDoubted(doubt=doubt):
            return [DOUBT[doubt].code]
        case WheelWarned(warnings=warnings):
            return [WARNINGS[warning].code for warning in warnings]
        case WheelFaulted():
            return [FAULTED.code]
        case WheelRefused():
            return [REFUSED.code]
        case DiceTroubled(trouble=trouble):
            return [DICE_TROUBLES[trouble].code]
        case _:
            return []


def rows() -> Iterator[Row]:
    yield from NO_SPIN.values()
    yield from DOUBT.values()
    yield from WARNINGS.values()
    yield FAULTED
    yield REFUSED
    yield from DICE_TROUBLES.values()
