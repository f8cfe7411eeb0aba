"""A simulated `tgline` shoe: `python -m hil.sim.tgline_shoe --port LINK --control SOCKET [--address N] ...`.

It says BOOT when it starts, each event until it is acknowledged, one at a time, and STBY while there is nothing else.
`--unassigned`: it does not know for which hand a card is, and has no result.

Ops: those of `card_device.py` and of `tgline_device.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from drivers.codecs import angeleye_messages as m
from drivers.codecs import tgline
from drivers.codecs import tgline_shoe as words
from drivers.codecs.tgline_events import StandBy
from hil.sim import card_device, process
from hil.sim.card_device import CardDevice
from hil.sim.control import ControlError
from hil.sim.shoe_model import ShoeModel
from hil.sim.tgline_device import TglineDevice
from hil.sim.tgline_repeats import Repeats

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


class SimulatedTgline(TglineDevice, CardDevice):
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

    # When it says it.

    def boot(self) -> bytes:
        return self._line(words.Boot(self._decks))

    async def say_alive(self) -> dict[str, object]:
        return self.at_once(self._line(StandBy()))


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
