"""A `tgline` dice reader as a `DiceReader`. How its lines are acknowledged and known again: `tgline_device.py`."""

from __future__ import annotations

from typing import assert_never

from drivers import result_events as events
from drivers.codecs import tgline, tgline_dice
from drivers.codecs.tgline_dice import Boot, Error, Message, Roll, Shooter, Undo
from drivers.codecs.tgline_events import Refusal, StandBy
from drivers.devices.tgline_device import TglineDevice
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs

_TROUBLES = {
    tgline_dice.UNREADABLE: events.DiceTrouble.UNREADABLE,
    tgline_dice.OFF_THE_TABLE: events.DiceTrouble.OFF_THE_TABLE,
    tgline_dice.COCKED: events.DiceTrouble.COCKED,
}


def create(
    *,
    name: str,
    url: str,
    baud: int = 115200,
    address: int = 1,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener = open_serial,
) -> TglineDice:
    """The reader with `address` (1..254) at `url`, 8N1."""
    return TglineDice(name, PortSettings(url, baud), now_ns, simulated, address, opener)


class TglineDice(TglineDevice[Message]):
    """A `DiceReader`."""

    def __init__(
        self, name: str, settings: PortSettings, now_ns: NowNs, simulated: bool, address: int, opener: Opener
    ) -> None:
        super().__init__(name, tgline.Tag.DICE, "dice reader", settings, now_ns, simulated, address, opener)

    def message_of(self, line: tgline.Line) -> Message | Refusal:
        return tgline_dice.message_of(line)

    def is_event(self, message: Message) -> bool:
        return not isinstance(message, StandBy)

    def is_boot(self, message: Message) -> bool:
        return isinstance(message, Boot)

    def tell(self, message: Message, at_ns: int, raw: bytes) -> None:
        match message:
            case Boot(dice=dice):
                self.emit(events.DiceReset(self._name, dice, at_ns))
            case StandBy():
                pass  # a sign of life: the link has counted it
            case Roll(faces=faces):
                self.emit(events.DiceRolled(self._name, faces, at_ns, raw.hex()))
            case Undo():
                self.emit(events.RollUndone(self._name, at_ns, raw.hex()))
            case Shooter():
                self.emit(events.NewShooter(self._name, at_ns, raw.hex()))
            case Error(code=code):
                trouble = _TROUBLES.get(code, events.DiceTrouble.OTHER)
                self.emit(events.DiceTroubled(self._name, trouble, code, at_ns, raw.hex()))
            case _:
                assert_never(message)
