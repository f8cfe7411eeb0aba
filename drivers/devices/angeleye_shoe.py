"""The Angel Eye II-EX shoe as a `CardReader`: its telegrams become card events. Receive only; nothing is ever sent.

Rules:
* A card's time is the arrival of its telegram's first byte, as the reader thread took it from the kernel.
* A change of its presets is logged and no event.
"""

from __future__ import annotations

import logging
from typing import assert_never

from drivers import events
from drivers.codecs import angeleye
from drivers.codecs import angeleye_messages as messages
from drivers.devices.listening_reader import ListeningReader
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs

_TARGETS = {
    messages.Target.PLAYER: events.CardTarget.PLAYER,
    messages.Target.BANKER: events.CardTarget.BANKER,
    messages.Target.BURN: events.CardTarget.BURN,
    messages.Target.FIRST_CARD: events.CardTarget.FIRST_CARD,
    messages.Target.BURN_COUNT: events.CardTarget.BURN_COUNT,
}
_WINNERS = {
    messages.Winner.PLAYER: events.ReaderWinner.PLAYER,
    messages.Winner.BANKER: events.ReaderWinner.BANKER,
    messages.Winner.TIE: events.ReaderWinner.TIE,
    messages.Winner.FORCED_END: events.ReaderWinner.FORCED_END,
}

_log = logging.getLogger(__name__)


def create(
    *,
    name: str,
    url: str,
    baud: int = 4800,
    now_ns: NowNs,
    simulated: bool = False,
    silent_limit_s: float | None = None,
    opener: Opener = open_serial,
) -> AngelEyeShoe:
    """The shoe at `url` (a device path or `socket://host:port`), 8N1. `simulated`: the configuration says that a
    simulator is at the other end, and the identity will say so too."""
    return AngelEyeShoe(name, PortSettings(url, baud), now_ns, simulated, silent_limit_s, opener)


class AngelEyeShoe(ListeningReader):
    """A `CardReader`."""

    def __init__(
        self,
        name: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        silent_limit_s: float | None,
        opener: Opener,
    ) -> None:
        decoder = angeleye.Decoder()
        super().__init__(name, "angeleye2ex", settings, now_ns, simulated, opener, decoder, silent_limit_s)
        self._decoder = decoder
        self._presets = 0

    @property
    def counters(self) -> dict[str, int]:
        return super().counters | {"presets": self._presets}

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case angeleye.Telegram():
                    event = self._event(found)
                    if event is not None:
                        self._say(event)
                case angeleye.Rejected():
                    self._rejects.note(found.reason, found.raw, found.at_ns)
                case _:
                    assert_never(found)

    def _event(self, telegram: angeleye.Telegram) -> events.CardEvent | None:
        name, at_ns, raw = self._name, telegram.at_ns, telegram.raw.hex()
        match telegram.message:
            case messages.Started():
                return events.ReaderStarted(name, at_ns)
            case messages.StandBy():
                return events.ReaderStandBy(name, at_ns)
            case messages.CardInGame(target=target, index=index, card=card):
                return events.CardDrawn(name, _TARGETS[target], index, card, at_ns, raw)
            case messages.CardOutsideGame(mode=mode, card=card):
                return events.CardOutsideGame(name, mode.name.lower(), card, at_ns, raw)
            case messages.HeldOver(target=target, index=index, card=card):
                return events.CardHeldOver(name, _TARGETS[target], index, card, at_ns, raw)
            case messages.Result(winner=winner, player_pair=player_pair, banker_pair=banker_pair):
                return events.ReaderResult(name, _WINNERS[winner], player_pair, banker_pair, at_ns, raw)
            case messages.CutCard():
                return events.CutCardDrawn(name, at_ns)
            case messages.Error(code=code):
                text = messages.ERROR_TEXTS.get(code, "not in the published list")
                return events.ReaderError(name, code, text, at_ns)
            case messages.ErrorCleared(code=code):
                return events.ReaderErrorCleared(name, code, at_ns)
            case messages.Lock(locked=locked):
                return events.ReaderLocked(name, locked, at_ns)
            case messages.Preset(address=address, value=value):
                # No part of a round; it matters to whoever asks later how the shoe was set.
                self._presets += 1
                _log.warning("%s: preset %s was set to %s at the shoe [%s]", name, address, value, raw)
                return None
            case _:
                assert_never(telegram.message)
