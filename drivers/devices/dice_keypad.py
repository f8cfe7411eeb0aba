"""A numeric keypad in the dealer's hand as a `DiceReader`: two keys are a roll, a held key is a function.

Rules: the keypad is taken exclusively, so that what is typed reaches nobody else; its keys carry the kernel's times.
What keys mean: `drivers/codecs/craps_keypad.py`. A key by itself is told too, for whoever shows what is being entered.
"""

from __future__ import annotations

from typing import assert_never

from drivers import result_events as events
from drivers.codecs import craps_keypad
from drivers.codecs.craps_keypad import Function, Pressed, Roll
from drivers.devices.listening_reader import ListeningReader
from drivers.links.input_events import open_event_fifo, open_event_file
from drivers.links.port import Opener, PortSettings
from drivers.ports import NowNs

NS_PER_MS = 1_000_000


def create(
    *,
    name: str,
    url: str,
    roll_ms: int = 2000,
    hold_ms: int = 2000,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener | None = None,
) -> DiceKeypad:
    """The keypad whose event file is `url`; `simulated`: `url` is a FIFO of the same records. `roll_ms`: within this
    time two presses are a roll; `hold_ms`: held so long a key is a function."""
    decoder = craps_keypad.Decoder(roll_ms * NS_PER_MS, hold_ms * NS_PER_MS)
    settings = PortSettings(url, baud=0)  # keys have no speed
    opener = opener or (open_event_fifo if simulated else open_event_file)
    return DiceKeypad(name, settings, now_ns, simulated, opener, decoder)


class DiceKeypad(ListeningReader):
    """A `DiceReader`."""

    def __init__(
        self,
        name: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        opener: Opener,
        decoder: craps_keypad.Decoder,
    ) -> None:
        super().__init__(name, "dice keypad", settings, now_ns, simulated, opener, decoder)
        self._decoder = decoder

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case Pressed(key=key, at_ns=at_ns, function=function):
                    self._say(events.KeypadPressed(self._name, key, function is not None, at_ns))
                    self._function(key, function, at_ns)
                case Roll(faces=faces, at_ns=at_ns):
                    self._say(events.DiceRolled(self._name, faces, at_ns, _raw("".join(map(str, faces)))))
                case _:
                    assert_never(found)

    def _function(self, key: int, function: Function | None, at_ns: int) -> None:
        raw = _raw(f"{key} held")
        match function:
            case Function.UNDO:
                self._say(events.RollUndone(self._name, at_ns, raw))
            case Function.SHOOTER:
                self._say(events.NewShooter(self._name, at_ns, raw))
            case Function.OFF_THE_TABLE:
                self._say(events.DiceTroubled(self._name, events.DiceTrouble.OFF_THE_TABLE, 0, at_ns, raw))
            case Function.COCKED:
                self._say(events.DiceTroubled(self._name, events.DiceTrouble.COCKED, 0, at_ns, raw))
            case Function.CLEAR | Function.MENU | None:
                pass  # for whoever shows what is being entered
            case _:
                assert_never(function)


def _raw(keys: str) -> str:
    """The keys as text, in hex: a keypad has no telegram."""
    return keys.encode("ascii").hex()
