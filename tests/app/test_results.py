"""What a wheel reports, as the core is told of it: every event of the wheel has its row."""

from __future__ import annotations

from typing import get_args

import pytest

from drivers import result_events as dev
from firmware.app.results import of_wheel
from firmware.core import wheel_events as ev

ROWS: list[tuple[dev.WheelEvent, ev.WheelEvent | None]] = [
    (
        dev.WheelPhaseChanged("wheel", dev.WheelPhase.NO_MORE_BETS, 3, 7, 15, None, "aa"),
        ev.WheelMoved("wheel", "no_more_bets", True, 3, 7, 15, "aa"),
    ),
    (
        dev.WheelPhaseChanged("wheel", dev.WheelPhase.WINNING_NUMBER, 3, 7, 15, None, "aa"),
        ev.WheelMoved("wheel", "winning_number", False, 3, 7, 15, "aa"),
    ),
    (
        dev.WinningNumber("wheel", "00", (dev.NumberSource.LINE, dev.NumberSource.STATUS), 15, 7, "aa"),
        ev.NumberRead("wheel", "00", ("line", "status"), 15, 7, "aa"),
    ),
    (
        dev.NumberDoubted("wheel", dev.Doubt.SOURCES_DIFFER, ("1", "7"), None, 7, "aa"),
        ev.NumberInDoubt("wheel", "sources_differ", ("1", "7"), None, 7, "aa"),
    ),
    (
        dev.NoSpin("wheel", dev.NoSpinReason.BALL_LOST, 15, 7, "aa"),
        ev.SpinVoided("wheel", "ball_lost", True, 15, 7, "aa"),
    ),
    (
        dev.NoSpin("wheel", dev.NoSpinReason.WRONG_WAY, 15, 7, "aa"),
        ev.SpinVoided("wheel", "wrong_way", False, 15, 7, "aa"),
    ),
    (dev.WheelWarned("wheel", (dev.WheelWarning.WRONG_WAY,), 7, "aa"), None),
    (
        dev.WheelWarned("wheel", (dev.WheelWarning.FAULT,), 7, "aa"),
        ev.WheelTroubled("wheel", "sensor, motor or encoder fault", 7, "aa"),
    ),
    (dev.WheelFaulted("wheel", 3, "motor", 7, "aa"), ev.WheelTroubled("wheel", "self-test 3: motor", 7, "aa")),
    (dev.WheelReset("wheel", 38, 7), ev.WheelTroubled("wheel", "the reader was reset", 7, "")),
    (dev.WheelObeyed("wheel", dev.WheelCommand.SET_MODE, 7), None),
    (dev.WheelRefused("wheel", dev.WheelCommand.START_SPIN, "busy", 7), None),
    (
        dev.WheelRefused("wheel", dev.WheelCommand.SET_MODE, "busy", 7),
        ev.WheelTroubled("wheel", "mode not taken: busy", 7, ""),
    ),
]


@pytest.mark.parametrize(("event", "told"), ROWS, ids=lambda x: type(x).__name__)
def test_what_the_core_is_told(event: dev.WheelEvent, told: ev.WheelEvent | None) -> None:
    assert of_wheel(event) == told


def test_every_event_of_a_wheel_has_a_row() -> None:
    assert {type(event) for event, _ in ROWS} == set(get_args(dev.WheelEvent))


def test_the_core_knows_the_doubt_about_a_number_that_was_told() -> None:
    from firmware.core.rounds.roulette import CHANGED

    assert dev.Doubt.CHANGED.value == CHANGED
