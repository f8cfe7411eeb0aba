"""The reader board and the dealer's display."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from drivers.ports import DealerDisplay, ReaderBoard
from firmware.app import clock
from firmware.app.registry.addresses import url_of
from firmware.settings.devices import screens as kinds


def make_board(name: str, options: kinds.BoardDevice, run_dir: Path) -> ReaderBoard:
    return _alpha(name, options, run_dir)


def make_display(name: str, options: kinds.DisplayDevice, run_dir: Path) -> DealerDisplay:
    match options:
        case kinds.DisplaySerial() | kinds.DisplaySerialSimulated():
            return _char_display(name, options, run_dir)
        case kinds.DisplayTerminal():
            return _terminal_display(name)
        case _:
            assert_never(options)


def _alpha(name: str, options: kinds.BoardAlpha | kinds.BoardAlphaSimulated, run_dir: Path) -> ReaderBoard:
    from drivers.devices import alpha_board
    from drivers.links.port import Parity

    match options:
        case kinds.BoardAlpha():
            data_bits, parity = options.data_bits, Parity[options.parity.name]
        case kinds.BoardAlphaSimulated():  # Linux refuses 7E on a pty, but only when it is opened a second time
            data_bits, parity = 8, Parity.NONE
        case _:
            assert_never(options)
    return alpha_board.create(
        name=name,
        url=url_of(options.url, run_dir),
        baud=options.baud,
        data_bits=data_bits,
        parity=parity,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
        memory=alpha_board.MemorySetup[options.memory.name],
    )


def _char_display(
    name: str, options: kinds.DisplaySerial | kinds.DisplaySerialSimulated, run_dir: Path
) -> DealerDisplay:
    from drivers.devices import char_display

    return char_display.create(
        name=name,
        url=url_of(options.url, run_dir),
        baud=options.baud,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def _terminal_display(name: str) -> DealerDisplay:
    from drivers.devices import terminal_display

    return terminal_display.create(name=name, now_ns=clock.monotonic_ns)
