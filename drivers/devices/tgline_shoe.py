"""A `tgline` shoe as a `CardReader`. How its lines are acknowledged and known again: `tgline_device.py`."""

from __future__ import annotations

from typing import assert_never

from drivers import events
from drivers.codecs import tgline, tgline_shoe
from drivers.codecs.angeleye_messages import ERROR_TEXTS
from drivers.codecs.tgline_events import Refusal, StandBy
from drivers.devices.tgline_device import TglineDevice
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs

_TARGETS = {
    tgline_shoe.Target.PLAYER: events.CardTarget.PLAYER,
    tgline_shoe.Target.BANKER: events.CardTarget.BANKER,
    tgline_shoe.Target.UNASSIGNED: events.CardTarget.UNASSIGNED,
}
_WINNERS = {
    tgline_shoe.Winner.PLAYER: events.ReaderWinner.PLAYER,
    tgline_shoe.Winner.BANKER: events.ReaderWinner.BANKER,
    tgline_shoe.Winner.TIE: events.ReaderWinner.TIE,
    tgline_shoe.Winner.FORCED_END: events.ReaderWinner.FORCED_END,
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
) -> TglineShoe:
    """The shoe with `address` (1..254) at `url`, 8N1."""
    return TglineShoe(name, PortSettings(url, baud), now_ns, simulated, address, opener)


class TglineShoe(TglineDevice[tgline_shoe.Message]):
    """A `CardReader`."""

    def __init__(
        self, name: str, settings: PortSettings, now_ns: NowNs, simulated: bool, address: int, opener: Opener
    ) -> None:
        super().__init__(name, tgline.Tag.SHOE, "shoe", settings, now_ns, simulated, address, opener)

    def message_of(self, line: tgline.Line) -> tgline_shoe.Message | Refusal:
        return tgline_shoe.message_of(line)

    def is_event(self, message: tgline_shoe.Message) -> bool:
        return not isinstance(message, StandBy)

    def is_boot(self, message: tgline_shoe.Message) -> bool:
        return isinstance(message, tgline_shoe.Boot)

    def tell(self, message: tgline_shoe.Message, at_ns: int, raw: bytes) -> None:
        self.emit(self._event(message, at_ns, raw.hex()))

    def _event(self, message: tgline_shoe.Message, at_ns: int, raw: str) -> events.CardEvent:
        name = self._name
        match message:
            case tgline_shoe.Boot():
                return events.ReaderStarted(name, at_ns)
            case StandBy():
                return events.ReaderStandBy(name, at_ns)
            case tgline_shoe.CardInGame(target=target, index=index, card=card):
                return events.CardDrawn(name, _TARGETS[target], index, card, at_ns, raw)
            case tgline_shoe.Burned(index=index, card=card):
                return events.CardDrawn(name, events.CardTarget.BURN, index, card, at_ns, raw)
            case tgline_shoe.CutCard():
                return events.CutCardDrawn(name, at_ns)
            case tgline_shoe.Result(winner=winner, pairs=pairs):
                both = pairs is tgline_shoe.Pairs.BOTH
                player, banker = both or pairs is tgline_shoe.Pairs.PLAYER, both or pairs is tgline_shoe.Pairs.BANKER
                return events.ReaderResult(name, _WINNERS[winner], player, banker, at_ns, raw)
            case tgline_shoe.Error(code=code):
                return events.ReaderError(name, code, ERROR_TEXTS.get(code, "not in the list"), at_ns)
            case tgline_shoe.ErrorCleared(code=code):
                return events.ReaderErrorCleared(name, code, at_ns)
            case tgline_shoe.Lock(locked=locked):
                return events.ReaderLocked(name, locked, at_ns)
            case _:
                assert_never(message)
