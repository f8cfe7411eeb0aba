"""What lets balls go into a wheel."""

from __future__ import annotations

from pathlib import Path

from drivers.line_spec import NS_PER_MS, DecisionWindow, LineRole, LineSpec
from drivers.ports import BackendUnavailable, LineInputs, ReleaseDevice
from firmware.app import clock
from firmware.app.registry.outputs import output_pins
from firmware.settings.devices import releases as kinds
from firmware.settings.devices.options import OutputLibrary

BALL_WINDOW = DecisionWindow(present_ns=2 * NS_PER_MS, absent_ns=20 * NS_PER_MS)
"""A ball is before its sensor for some milliseconds only. `stable_ns`, the button's, stays as it is."""
SETTLE_NS = 1_000 * NS_PER_MS


def make(name: str, options: kinds.ReleaseKind, run_dir: Path) -> ReleaseDevice:
    from drivers.devices.gpio_release import GpioRelease, Pulse

    identity, pins = output_pins(options, run_dir)
    pulse = Pulse(options.pulse_ms, options.pause_ms, options.active_low)
    inputs = _inputs(name, options, run_dir)
    return GpioRelease(name, f"{identity}, release", (pins, options.line), pulse, inputs, clock.monotonic_ns)


def _inputs(name: str, options: kinds.ReleaseKind, run_dir: Path) -> LineInputs | None:
    from drivers.devices.gpio_release import BALL, BUTTON
    from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
    from drivers.gpio.backends import GpioBackend, gpio_pins

    lines = []
    if options.button is not None:
        lines.append(LineSpec(BUTTON, options.button, LineRole.BUTTON))
    if options.ball is not None:
        lines.append(LineSpec(BALL, options.ball, LineRole.SPOT))
    if not lines:
        return None
    if isinstance(options, kinds.ReleaseGpioSimulated):
        pins, settle_ns = gpio_pins(GpioBackend.SIMULATED, socket=run_dir / options.socket), 0
    elif options.library is OutputLibrary.LGPIO:
        pins, settle_ns = gpio_pins(GpioBackend.LGPIO, chip=options.chip), SETTLE_NS
    else:
        raise BackendUnavailable(
            f'{name}: RPi.GPIO gives no edge times to a button or a ball; use library = "lgpio", or leave both out'
        )
    return GpioLineInputs(LineInputsSettings(name, lines, (), BALL_WINDOW, settle_ns), pins, clock.monotonic_ns)
