"""Wheels and dice."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from drivers.ports import DiceReader, WheelReader
from firmware.app import clock
from firmware.app.registry.addresses import url_of
from firmware.settings.devices import results as kinds


def make_wheel(name: str, options: kinds.WheelDevice, run_dir: Path) -> WheelReader:
    url, simulated = url_of(options.url, run_dir), options.simulated
    match options:
        case kinds.WheelCammegh() | kinds.WheelCammeghSimulated():
            from drivers.devices import cammegh_wheel

            return cammegh_wheel.create(
                name=name,
                url=url,
                baud=options.baud,
                mode=options.mode,
                now_ns=clock.monotonic_ns,
                simulated=simulated,
            )
        case kinds.WheelWinline() | kinds.WheelWinlineSimulated():
            from drivers.devices import winline_wheel

            return winline_wheel.create(
                name=name,
                url=url,
                baud=options.baud,
                now_ns=clock.monotonic_ns,
                simulated=simulated,
                silent_limit_s=options.silent_limit_s,
                repeat_ms=options.repeat_ms,
            )
        case kinds.WheelTgline() | kinds.WheelTglineSimulated():
            from drivers.devices import tgline_wheel

            return tgline_wheel.create(
                name=name,
                url=url,
                baud=options.baud,
                address=options.address,
                now_ns=clock.monotonic_ns,
                simulated=simulated,
            )
        case _:
            assert_never(options)


def make_dice(name: str, options: kinds.DiceDevice, run_dir: Path) -> DiceReader:
    url, simulated = url_of(options.url, run_dir), options.simulated
    match options:
        case kinds.DiceTgline() | kinds.DiceTglineSimulated():
            from drivers.devices import tgline_dice

            return tgline_dice.create(
                name=name,
                url=url,
                baud=options.baud,
                address=options.address,
                now_ns=clock.monotonic_ns,
                simulated=simulated,
            )
        case kinds.DiceKeypad() | kinds.DiceKeypadSimulated():
            from drivers.devices import dice_keypad

            return dice_keypad.create(
                name=name,
                url=url,
                roll_ms=options.roll_ms,
                hold_ms=options.hold_ms,
                now_ns=clock.monotonic_ns,
                simulated=simulated,
            )
        case _:
            assert_never(options)
