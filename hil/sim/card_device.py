"""What all simulated card readers are: a shoe with cards in it, a person who draws them, and a wire with faults.

Ops of all of them; each that makes the device speak replies with `sent` (one copy of each telegram, hex; nothing where
the device has no word for it) and `at_ns` (CLOCK_MONOTONIC when the first byte went out):
* `start`, `stand_by`, `cut`, `lock`, `unlock`
* `deal`: `target` player (default) or banker, `index` 1..3 (default 1), of which a device that names no hand says
  nothing; `card` (default: the next one); replies with `card`, and `cut`: whether the cutting card came out before it
* `burn`: `index`, `target` burn (default), first_card or burn_count, `read` (default true), `card`; replies as `deal`
* `result`: `winner` player, banker, tie or forced_end, `player_pair`, `banker_pair`
* `error`: `code`, `error_mode` (default true); `clear`; `held_over`: `target`, `index`, `card` (default: drawn last)
* `fill`: `seed`, `cut_after`; `load`: `cards` to the front of the shoe
* those of `outbox.py`
"""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TypeVar

from drivers.codecs.angeleye_messages import (
    CardInGame,
    CardOutsideGame,
    CutCard,
    Message,
    Result,
    StandBy,
    Target,
    Winner,
)
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.outbox import Outbox
from hil.sim.shoe_model import ShoeModel

_Kind = TypeVar("_Kind", Target, Winner)
_TARGETS = {target.name.lower(): target for target in Target}
_WINNERS = {winner.name.lower(): winner for winner in Winner}


class CardDevice(Outbox, ABC):
    """The face of a `ShoeModel`: what it says to timed bytes, one telegram after the other. A device adds `encode`."""

    reads_face_down = False
    """Whether its eye sees cards that are burned face down."""

    def __init__(self, model: ShoeModel, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(seed, send)
        self._model = model

    @abstractmethod
    def encode(self, message: Message) -> bytes | None:
        """One copy of its telegram; None where the device has no word for it. `ControlError` if it can't happen."""

    def status(self) -> Reply:
        return {"left": self._model.left, "cut_said": self._model.cut_said, **super().status()}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **super().handlers(),
            "start": self._plain(self._model.restart),
            "stand_by": self._plain(lambda: [StandBy()]),
            "cut": self._plain(self._model.cut),
            "lock": self._plain(lambda: self._model.lock(True)),
            "unlock": self._plain(lambda: self._model.lock(False)),
            "clear": self._plain(self._model.clear),
            "deal": self._deal,
            "burn": self._burn,
            "result": self._result,
            "error": self._error,
            "held_over": self._held_over,
            "fill": self._fill,
            "load": self._load,
        }

    def _plain(self, say: Callable[[], list[Message]]) -> Handler:
        async def handler(arguments: Arguments) -> Reply:
            arguments.end()
            return await self._say(say())

        return handler

    async def _deal(self, arguments: Arguments) -> Reply:
        target = _choice(_TARGETS, arguments.text("target", "player"), "target")
        if target not in (Target.PLAYER, Target.BANKER):
            raise ControlError("deal goes to player or banker; others: burn")
        index, card = arguments.integer("index", 1, least=1, most=3), arguments.optional_text("card")
        arguments.end()
        return await self._say(self._model.draw(target, index, card))

    async def _burn(self, arguments: Arguments) -> Reply:
        target = _choice(_TARGETS, arguments.text("target", "burn"), "target")
        index, card = arguments.integer("index", 1, most=15), arguments.optional_text("card")
        read = arguments.flag("read", True) or self.reads_face_down
        arguments.end()
        return await self._say(self._model.draw(target, index, card, read=read))

    async def _result(self, arguments: Arguments) -> Reply:
        winner = _choice(_WINNERS, arguments.text("winner"), "winner")
        player_pair, banker_pair = arguments.flag("player_pair", False), arguments.flag("banker_pair", False)
        arguments.end()
        return await self._say([Result(winner, player_pair, banker_pair)])

    async def _error(self, arguments: Arguments) -> Reply:
        code, error_mode = arguments.integer("code", most=63), arguments.flag("error_mode", True)
        arguments.end()
        return await self._say(self._model.fail(code, error_mode=error_mode))

    async def _held_over(self, arguments: Arguments) -> Reply:
        target = _choice(_TARGETS, arguments.text("target", "player"), "target")
        index, card = arguments.integer("index", 1, least=1, most=3), arguments.optional_text("card")
        arguments.end()
        return await self._say(self._model.hold_over(target, index, card))

    async def _fill(self, arguments: Arguments) -> Reply:
        seed, cut_after = arguments.integer("seed", 0), arguments.integer("cut_after", -1, least=-1)
        arguments.end()
        self._model.fill(seed, None if cut_after < 0 else cut_after)
        return {"left": self._model.left}

    async def _load(self, arguments: Arguments) -> Reply:
        cards = arguments.texts("cards")
        arguments.end()
        self._model.load(cards)
        return {}

    async def _say(self, messages: list[Message]) -> Reply:
        """Send these; the reply comes when the first byte of the first has gone out."""
        said = (self.encode(message) for message in messages)
        reply = await self.send_all([telegram for telegram in said if telegram is not None])
        last = messages[-1]
        if isinstance(last, CardInGame | CardOutsideGame):
            reply |= {"card": last.card, "cut": any(isinstance(message, CutCard) for message in messages)}
        return reply


def _choice(known: Mapping[str, _Kind], name: str, what: str) -> _Kind:
    if name not in known:
        raise ControlError(f"{what} is one of {', '.join(known)}, got {name!r}")
    return known[name]


def parser(description: str) -> argparse.ArgumentParser:
    """The options of all of them."""
    options = process.parser(description)
    options.add_argument("--decks", type=int, default=8)
    options.add_argument("--seed", type=int, default=0)
    return options


def model_of(parsed: argparse.Namespace) -> ShoeModel:
    return ShoeModel(decks=parsed.decks, seed=parsed.seed)
