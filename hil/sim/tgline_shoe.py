"""A simulated `tgline` shoe: `python -m hil.sim.tgline_shoe --port LINK --control SOCKET [--address N] ...`.

It says BOOT when it starts, each event until it is acknowledged, one at a time, and STBY while there is nothing else.
`--unassigned`: it does not know for which hand a card is, and has no result.

Ops: those of `card_device.py`; `start` resets it (SEQ begins anew); `deaf` (`deaf`, default true): acknowledgements are
not heard; `mute` (`mute`, default true): no sign of life. `status` also tells `acknowledged`, `refused` (by NAK) and
`repeated`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import angeleye_messages as m
from drivers.codecs import tgline
from drivers.codecs import tgline_shoe as words
from drivers.codecs.text_lines import Received
from hil.sim import card_device, process
from hil.sim.card_device import CardDevice, Parcel
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.shoe_model import ShoeModel

STAND_BY_S = 1.0
"""Sooner than the 5 s that the protocol allows, so that a bench is ready soon."""

_HANDS = {m.Target.PLAYER: words.Target.PLAYER, m.Target.BANKER: words.Target.BANKER}
_WINNERS = {
    m.Winner.PLAYER: words.Winner.PLAYER,
    m.Winner.BANKER: words.Winner.BANKER,
    m.Winner.TIE: words.Winner.TIE,
    m.Winner.FORCED_END: words.Winner.FORCED_END,
}
_PAIRS = {
    (False, False): words.Pairs.NONE,
    (True, False): words.Pairs.PLAYER,
    (False, True): words.Pairs.BANKER,
    (True, True): words.Pairs.BOTH,
}


class SimulatedTgline(CardDevice):
    def __init__(
        self, model: ShoeModel, decks: int, seed: int, send: Callable[[bytes], None], address: int, unassigned: bool
    ) -> None:
        super().__init__(model, seed, send)
        self._decks = decks
        self._address = address
        self._unassigned = unassigned
        self._seq = 0
        self._answers = tgline.Decoder()
        self._waiting: int | None = None
        self._answered = asyncio.Event()
        self._deaf = self._mute = self._sending = False
        self._counters = {"acknowledged": 0, "refused": 0, "repeated": 0}

    # What it says.

    def encode(self, message: m.Message) -> bytes | None:
        said = self._words(message)
        return None if said is None else self._line(said)

    def _line(self, said: words.Message) -> bytes:
        self._seq = 1 if isinstance(said, words.Boot) else tgline.next_seq(self._seq)
        return tgline.encode(words.line_of(self._address, self._seq, said))

    def _words(self, message: m.Message) -> words.Message | None:
        match message:
            case m.Started():
                return words.Boot(self._decks)
            case m.CardInGame(m.Target.PLAYER | m.Target.BANKER as target, index, card):
                if self._unassigned:
                    return words.CardInGame(words.Target.UNASSIGNED, index, card)
                return words.CardInGame(_HANDS[target], index, card)
            case m.CardInGame(_, index, card):
                return words.Burned(max(index, 1), card)
            case m.CardOutsideGame(_, card):
                return words.Burned(1, card)
            case m.CutCard():
                return words.CutCard()
            case m.Result(winner, player_pair, banker_pair):
                return None if self._unassigned else words.Result(_WINNERS[winner], _PAIRS[player_pair, banker_pair])
            case m.Error(code):
                return words.Error(code)
            case m.ErrorCleared(code):
                return words.ErrorCleared(code)
            case m.Lock(locked):
                return words.Lock(locked)
            case m.StandBy() | m.HeldOver() | m.Preset():
                raise ControlError(f"tgline has no word for {type(message).__name__}")

    # How it sees to it that it arrives.

    async def due(self, parcel: Parcel) -> None:
        self._sending = True

    async def delivered(self, parcel: Parcel) -> None:
        """Repeat until it is answered, however long that takes."""
        self._sending = False
        self._waiting = int(parcel.telegram[10:14], 16)
        self._answered.clear()
        waits_ms = list(words.REPEATS_MS)
        while True:
            try:
                async with asyncio.timeout(waits_ms[0] / 1000):
                    await self._answered.wait()
                break
            except TimeoutError:
                self._counters["repeated"] += 1
                self._send(parcel.telegram)
                waits_ms = waits_ms[1:] or waits_ms
        self._waiting = None

    def received(self, data: bytes) -> None:
        super().received(data)
        for found in self._answers.feed(data):
            if self._deaf or not isinstance(found, Received):
                continue
            line = found.message
            if (line.tag, line.address, line.seq) != (tgline.Tag.SHOE, self._address, self._waiting):
                continue
            if line.verb in ("ACK", "NAK"):
                self._counters["acknowledged" if line.verb == "ACK" else "refused"] += 1
                self._answered.set()

    async def run(self) -> None:
        await asyncio.gather(super().run(), self._live())

    async def _live(self) -> None:
        await self._say([m.Started()])
        while True:
            if not (self._mute or self._sending):
                self._send(self._line(words.StandBy()))
            await asyncio.sleep(STAND_BY_S)

    # Its own ops.

    def status(self) -> Reply:
        return {**super().status(), **self._counters}

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "stand_by": self._stand_by, "deaf": self._set_deaf, "mute": self._set_mute}

    async def _stand_by(self, arguments: Arguments) -> Reply:
        arguments.end()
        line = self._line(words.StandBy())
        self._send(line)
        return {"sent": [line.hex()]}

    async def _set_deaf(self, arguments: Arguments) -> Reply:
        self._deaf = arguments.flag("deaf", True)
        arguments.end()
        return {}

    async def _set_mute(self, arguments: Arguments) -> Reply:
        self._mute = arguments.flag("mute", True)
        arguments.end()
        return {}


def main(argv: list[str] | None = None) -> int:
    options = card_device.parser("simulated tgline card shoe")
    options.add_argument("--address", type=int, default=1)
    options.add_argument("--unassigned", action="store_true", help="name no hand, and have no result")

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedTgline:
        model = card_device.model_of(parsed)
        return SimulatedTgline(model, parsed.decks, parsed.seed, send, parsed.address, parsed.unassigned)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
