"""A simulated `tgline` shoe: `python -m hil.sim.tgline_shoe --port LINK --control SOCKET [--address N] ...`.

It says BOOT when it starts, each event until it is acknowledged, one at a time, and STBY while there is nothing else.
`--unassigned`: it does not know for which hand a card is, and has no result.

Ops: those of `card_device.py` and of `tgline_repeats.py`; `start` resets it (SEQ begins anew).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import angeleye_messages as m
from drivers.codecs import tgline
from drivers.codecs import tgline_shoe as words
from drivers.codecs.tgline_events import StandBy
from hil.sim import card_device, process
from hil.sim.card_device import CardDevice
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.outbox import Parcel
from hil.sim.shoe_model import ShoeModel
from hil.sim.tgline_repeats import STAND_BY_S, Repeats

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
        self._repeats = Repeats(tgline.Tag.SHOE, address, send)

    # What it says.

    def encode(self, message: m.Message) -> bytes | None:
        said = self._words(message)
        return None if said is None else self._line(said)

    def _line(self, said: words.Message) -> bytes:
        seq = self._repeats.next_seq(reset=isinstance(said, words.Boot))
        return tgline.encode(words.line_of(self._address, seq, said))

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
        self._repeats.sending()

    async def delivered(self, parcel: Parcel) -> None:
        await self._repeats.delivered(parcel.telegram)

    def received(self, data: bytes) -> None:
        super().received(data)
        self._repeats.received(data)

    async def run(self) -> None:
        await asyncio.gather(super().run(), self._live())

    async def _live(self) -> None:
        await self._say([m.Started()])
        while True:
            if self._repeats.quiet:
                self._send(self._line(StandBy()))
            await asyncio.sleep(STAND_BY_S)

    # Its own ops.

    def status(self) -> Reply:
        return {**super().status(), **self._repeats.counters}

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), **self._repeats.handlers(), "stand_by": self._stand_by}

    async def _stand_by(self, arguments: Arguments) -> Reply:
        arguments.end()
        line = self._line(StandBy())
        self._send(line)
        return {"sent": [line.hex()]}


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
