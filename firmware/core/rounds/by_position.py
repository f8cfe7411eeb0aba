"""Card games whose hands belong to positions: who is dealt in, which card goes where, what the floorperson may mend.

Rules:
* Positions are dealt in by the game's own wager, which is sensed; who they are is known at lock-out. The floorperson
  may deal one in or out until the first card.
* A game says its order of the deal once (`places`); whose card is due, and which was dealt last, follow from it.
* Nothing shows a card before it lies open, though the reader has seen it: hidden hands lie open when the dealer
  says so, by CONFIRM in PLAYING.
* A card that was exposed or drawn in error is set aside by the floorperson while the deal is stopped; the hand that had
  it is due the next one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from firmware.core import lockout
from firmware.core.effects import WagerAccepted
from firmware.core.faults import Irregularity
from firmware.core.menu import Act, Line
from firmware.core.rounds.by_position_rounds import BlackjackRound, PokerTableRound, PositionHand
from firmware.core.rounds.dealing import CardRound, Place
from firmware.core.rounds.dealt import Dealt
from firmware.core.rules import TableRules
from firmware.core.state import AcceptedWager, Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.games import DEALT_IN_BY

DEALER, BOARD = "dealer", "board"
SEATS = frozenset(DEALT_IN_BY.values())

P = TypeVar("P", bound=BlackjackRound | PokerTableRound)


class PositionRound(CardRound[P]):
    """The shared part of these games."""

    # --- what a game says -------------------------------------------------------------------------------------------

    @abstractmethod
    def places(self, game: P) -> Iterator[Place]:
        """Every place of the deal in its order, for the hands that the record has."""

    # --- what can be asked ------------------------------------------------------------------------------------------

    def due(self, state: State) -> Place | None:
        """Before the deal has begun, of those who would be dealt in."""
        game = self.round_of(state)
        if not game.hands:
            game = replace(game, hands=_hands(state))
        return next((place for place in self.places(game) if place.number > len(row(game, place.hand))), None)

    def news(self, state: State) -> tuple[str, ...]:
        """The cards that lie open, hand by hand."""
        named = ((f"P{name}" if name.isdecimal() else name.upper(), cards) for name, cards in self.shown(state).rows())
        return tuple(f"{name} {' '.join(cards)}" for name, cards in named if cards)

    def still_waits(self, rules: TableRules, state: State) -> bool:
        return waiting(state)

    def choices(self, rules: TableRules, state: State) -> tuple[Line, ...]:
        """Set a card aside; deal positions in and out, until the first card."""
        last = self._last(self.round_of(state))
        if last is not None:
            may = state.phase is Phase.STOPPED and state.under_way is Phase.DEALING and not state.settled
            return (Line(Act.SET_ASIDE, f"SET ASIDE {last[1].card}", self._set_aside),) if may else ()
        if state.under_way not in (Phase.COUNTING, Phase.DEALING, Phase.RESULT) or state.settled:
            return ()
        seats = in_play(state)
        positions = range(1, rules.positions + 1)
        return (
            *(Line(Act.DEAL_IN, f"DEAL P{p} IN", partial(self._deal_in, p)) for p in positions if p not in seats),
            *(Line(Act.DEAL_OUT, f"DEAL P{p} OUT", partial(self._deal_out, p)) for p in seats),
        )

    # --- what happens -----------------------------------------------------------------------------------------------

    def begins(self, turn: Turn) -> None:
        """From here on it is fixed who gets cards."""
        self.keep(turn, hands=_hands(turn.state))

    def add(self, turn: Turn, card: Dealt) -> None:
        place, game = self.due(turn.state), self.round_of(turn.state)
        assert place is not None, "a card for no hand"
        turn.set(game=_with_row(game, place.hand, (*row(game, place.hand), card)))

    def complete(self, turn: Turn, at_ns: int) -> None:
        turn.set(phase=Phase.PLAYING if self.round_of(turn.state).hands else Phase.RESULT)

    def played(self, turn: Turn, at_ns: int) -> None:
        self.keep(turn, exposed=True)
        self.finish(turn)

    def resume(self, turn: Turn, at_ns: int) -> None:
        """Where it was changed meanwhile who is dealt in, the deal begins now."""
        super().resume(turn, at_ns)
        state = turn.state
        if state.phase in (Phase.DEALING, Phase.RESULT) and in_play(state) and not self.round_of(state).hands:
            self.begin_deal(turn, at_ns)

    # --- what the floorperson does ----------------------------------------------------------------------------------

    def wager_cancelled(self, turn: Turn, at_ns: int) -> None:
        """Who is not dealt in any more gets no hand. One that has a card is dealt to its end, so that the cards after
        it keep their places."""
        seats, hands = in_play(turn.state), self.round_of(turn.state).hands
        left = tuple(hand for hand in hands if hand.cards or hand.position in seats)
        if left == hands:
            return
        self.keep(turn, hands=left)
        if turn.state.phase is Phase.DEALING:
            self.progress(turn, at_ns)

    def _deal_in(self, position: int, turn: Turn, at_ns: int) -> None:
        seat = turn.rules.dealt_in_by
        turn.emit(WagerAccepted(position, seat, 0, at_ns))
        turn.set(wagers=(*turn.state.wagers, AcceptedWager(position, seat, 0, at_ns)))
        self._seats_changed(turn, at_ns)

    def _deal_out(self, position: int, turn: Turn, at_ns: int) -> None:
        seat = next(w for w in turn.state.wagers if (w.position, w.wager) == (position, turn.rules.dealt_in_by))
        lockout.cancel(turn, seat, "floorperson")
        self._seats_changed(turn, at_ns)

    def _seats_changed(self, turn: Turn, at_ns: int) -> None:
        """Whose cards are due is worked out anew."""
        self.keep(turn, hands=())
        match turn.state.phase:
            case Phase.COUNTING if not lockout.progressive(turn.rules, turn.state):
                self.confirm_count(turn, at_ns)  # nothing is left to count: nobody waits
            case Phase.DEALING | Phase.RESULT:
                self.begin_deal(turn, at_ns)

    def _set_aside(self, turn: Turn, at_ns: int) -> None:
        """The card dealt last leaves its hand; it was seen, and stays counted."""
        game = self.round_of(turn.state)
        last = self._last(game)
        assert last is not None, "no card was dealt"
        place, card = last
        turn.set(game=_with_row(game, place.hand, row(game, place.hand)[:-1]))
        turn.note(Irregularity.EXPOSED_CARD, detail=f"{card.card} of {place.hand} {place.number}")

    def _last(self, game: P) -> tuple[Place, Dealt] | None:
        """The card dealt last, and where it lies."""
        dealt = [
            (place, row(game, place.hand)[place.number - 1])
            for place in self.places(game)
            if place.number <= len(row(game, place.hand))
        ]
        return dealt[-1] if dealt else None


def in_play(state: State) -> tuple[int, ...]:
    """The positions that are dealt in, from the lowest numbered."""
    return tuple(sorted(w.position for w in state.wagers if w.wager in SEATS))


def waiting(state: State) -> bool:
    """Whether a wager of this system is not settled yet."""
    settled = {(o.position, o.wager) for o in state.outcomes}
    return any((w.position, w.wager) not in settled for w in state.wagers if w.wager not in SEATS)


def name(hand: PositionHand) -> str:
    """A position's hand as a `Place` has it."""
    return f"p{hand.position}"


def row(game: BlackjackRound | PokerTableRound, hand: str) -> tuple[Dealt, ...]:
    """The cards of a hand, by the name that a `Place` has for it."""
    if hand == DEALER:
        return game.dealer
    if hand == BOARD:
        return game.board if isinstance(game, PokerTableRound) else ()
    return next((one.cards for one in game.hands if name(one) == hand), ())


def texts(cards: tuple[Dealt, ...]) -> tuple[str, ...]:
    return tuple(dealt.card for dealt in cards)


def _with_row(game: P, hand: str, cards: tuple[Dealt, ...]) -> P:
    match hand:
        case "dealer":
            return replace(game, dealer=cards)
        case "board":
            return replace(game, board=cards)
        case _:
            return replace(
                game, hands=tuple(replace(one, cards=cards) if name(one) == hand else one for one in game.hands)
            )


def _hands(state: State) -> tuple[PositionHand, ...]:
    return tuple(map(PositionHand, in_play(state)))
