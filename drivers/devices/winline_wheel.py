"""A reader that says nothing but the winning number (in-rim readers, passive displays' line) as a `WheelReader`.

Rules:
* It tells no phase: "no more bets" is the dealer's button alone. It is listened to and takes no commands.
* Another number within `repeat_ms` of the one that was told is no new game: the spin's number is in doubt.
"""

from __future__ import annotations

from typing import assert_never

from drivers.codecs import winline
from drivers.devices.listening_reader import ListeningReader
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs, WheelAbilities
from drivers.result_events import Doubt, NumberDoubted, NumberSource, WheelCommand, WheelRefused, WinningNumber

NS_PER_MS = 1_000_000


def create(
    *,
    name: str,
    url: str,
    baud: int = 9600,
    now_ns: NowNs,
    simulated: bool = False,
    silent_limit_s: float | None = None,
    repeat_ms: int = winline.REPEAT_NS // NS_PER_MS,
    opener: Opener = open_serial,
) -> WinlineWheel:
    """The reader at `url`, 8N1. `repeat_ms`: what it says within this time of its last line is of the same game."""
    settings = PortSettings(url, baud)
    return WinlineWheel(name, settings, now_ns, simulated, opener, silent_limit_s, repeat_ms * NS_PER_MS)


class WinlineWheel(ListeningReader):
    """A `WheelReader`."""

    def __init__(
        self,
        name: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        opener: Opener,
        silent_limit_s: float | None,
        repeat_ns: int,
    ) -> None:
        self._decoder = winline.Decoder(repeat_ns)
        super().__init__(
            name, "winning-number line", settings, now_ns, simulated, opener, self._decoder, silent_limit_s
        )
        self._repeat_ns = repeat_ns
        self._told: winline.Number | None = None

    @property
    def abilities(self) -> WheelAbilities:
        return WheelAbilities(phases=False)

    def start_spin(self) -> None:
        self._refuse(WheelCommand.START_SPIN)

    def void_spin(self) -> None:
        self._refuse(WheelCommand.VOID_SPIN)

    def _refuse(self, command: WheelCommand) -> None:
        self._say(WheelRefused(self._name, command, "a winning-number line takes no commands", self._now_ns()))

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case winline.Number():
                    self._number(found)
                case winline.Rejected():
                    self._rejects.note("no number", found.raw, found.at_ns)
                case _:
                    assert_never(found)

    def _number(self, number: winline.Number) -> None:
        told, raw = self._told, number.raw.hex()
        if told is not None and number.at_ns - told.at_ns <= self._repeat_ns:
            if number.pocket != told.pocket:
                pockets = (told.pocket, number.pocket)
                self._say(NumberDoubted(self._name, Doubt.CHANGED, pockets, None, number.at_ns, raw))
            return
        self._told = number
        self._say(WinningNumber(self._name, number.pocket, (NumberSource.LINE,), None, number.at_ns, raw))
