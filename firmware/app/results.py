"""From what a wheel reports to what the core is told of it.

Rules: a warning that voids a spin is told by `NoSpin`; only a fault of the wheel is told by itself. What it
answers to commands concerns the core only where its mode could not be set: then it may not say what is relied on.
"""

from __future__ import annotations

from typing import assert_never

from drivers import result_events as dev
from firmware.core import wheel_events as ev


def of_wheel(event: dev.WheelEvent) -> ev.WheelEvent | None:
    """None: nothing that the core must know."""
    match event:
        case dev.WheelPhaseChanged():
            closed = event.phase is dev.WheelPhase.NO_MORE_BETS
            return ev.WheelMoved(
                event.device,
                event.phase.value,
                closed,
                event.not_before_ns,
                event.not_after_ns,
                event.spin,
                event.raw,
            )
        case dev.WinningNumber():
            sources = tuple(source.value for source in event.sources)
            return ev.NumberRead(event.device, event.pocket, sources, event.spin, event.at_ns, event.raw)
        case dev.NumberDoubted():
            return ev.NumberInDoubt(event.device, event.doubt.value, event.pockets, event.spin, event.at_ns, event.raw)
        case dev.NoSpin():
            lost = event.reason is dev.NoSpinReason.BALL_LOST
            return ev.SpinVoided(event.device, event.reason.value, lost, event.spin, event.at_ns, event.raw)
        case dev.WheelWarned():
            if dev.WheelWarning.FAULT not in event.warnings:
                return None
            return ev.WheelTroubled(event.device, "sensor, motor or encoder fault", event.at_ns, event.raw)
        case dev.WheelFaulted():
            return ev.WheelTroubled(event.device, f"self-test {event.code}: {event.text}", event.at_ns, event.raw)
        case dev.WheelReset():
            return ev.WheelTroubled(event.device, "the reader was reset", event.at_ns, "")
        case dev.WheelRefused():
            if event.command is not dev.WheelCommand.SET_MODE:
                return None
            return ev.WheelTroubled(event.device, f"mode not taken: {event.reason}", event.at_ns, "")
        case dev.WheelObeyed():
            return None
        case _:
            assert_never(event)
