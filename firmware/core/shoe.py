"""The shoe's life: opened, its cards counted, cut, used up.

Rules:
* A shoe is opened by NEW SHOE, or by the reader's start after its cut card; a start without a cut card is a reconnect.
* Seen cards are counted over restarts. A card burned unread is unknown, which can only loosen the check.
* Where the reader can't tell burned cards from dealt ones, betting waits after NEW SHOE (and when the floorperson asks
  for it): every card that comes is burned until the dealer's CONFIRM. Where it can't tell the cut card, the
  floorperson does.
* After the cut card the round in play and `rounds_after_cut` more are dealt.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core.cards import DECK
from firmware.core.effects import ShoeOpened
from firmware.core.faults import Irregularity
from firmware.core.rules import TableRules
from firmware.core.state import Phase, Shoe, State
from firmware.core.turn import Turn

BETWEEN_ROUNDS = frozenset({Phase.CLOSED, Phase.PAUSED, Phase.NEW_SHOE, Phase.BETTING, Phase.VOIDED, Phase.RESULT})
"""Phases in which a shoe may be opened: no card of a round is due."""

_PLACE = {str(card): i for i, card in enumerate(DECK)}


def open_shoe(turn: Turn, by: str) -> None:
    number = turn.state.shoe.number + 1
    burning = not turn.rules.reader.burns
    turn.set(
        shoe=Shoe(number=number, open=True, burning=burning), held_over=None
    )  # a card left over goes with its shoe
    turn.emit(ShoeOpened(number, by))


def may_burn(rules: TableRules, state: State) -> bool:
    """Whether the floorperson may have cards burned now: between rounds, where the reader does not say so itself."""
    return not rules.reader.burns and state.shoe.open and not state.shoe.burning and state.phase in BETWEEN_ROUNDS


def burn(turn: Turn, burning: bool) -> None:
    """The dealer begins to burn cards, or is done."""
    turn.set(shoe=replace(turn.state.shoe, burning=burning))


def may_cut(rules: TableRules, state: State) -> bool:
    """Whether the floorperson may say that the cut card came, which the reader does not."""
    return not rules.reader.cut_card and state.shoe.open and not state.shoe.cut


def see(turn: Turn, card: str | None) -> bool:
    """Count a card that left the shoe. False, and an irregularity that stops, if the decks can't hold it."""
    shoe = turn.state.shoe
    if card is None:
        turn.set(shoe=replace(shoe, unknown=shoe.unknown + 1))
        return True
    place = _PLACE[card]
    if shoe.seen[place] >= turn.rules.decks:
        turn.note(Irregularity.TOO_MANY_COPIES, detail=f"{card}: {shoe.seen[place] + 1} of {turn.rules.decks} decks")
        return False
    seen = (*shoe.seen[:place], shoe.seen[place] + 1, *shoe.seen[place + 1 :])
    turn.set(shoe=replace(shoe, seen=seen))
    return True


def cut(turn: Turn) -> None:
    """The cut card: counts once a shoe."""
    shoe = turn.state.shoe
    if not shoe.cut:
        turn.set(shoe=replace(shoe, cut=True, rounds_left=1 + turn.rules.rounds_after_cut))


def reader_started(turn: Turn) -> None:
    if not turn.state.shoe.cut:
        return
    if turn.state.phase in BETWEEN_ROUNDS:
        open_shoe(turn, "reader")
    else:
        turn.note(Irregularity.SHOE_CHANGED)


def round_ended(turn: Turn) -> None:
    """One round less after the cut card; the last one closes the shoe. Where every round has a whole deck, that was it
    and here is the next."""
    shoe = turn.state.shoe
    if turn.rules.fresh_deck:
        turn.set(shoe=Shoe(number=shoe.number, open=shoe.open))
        return
    if shoe.cut:
        left = shoe.rounds_left - 1
        turn.set(shoe=replace(shoe, rounds_left=left, open=shoe.open and left > 0))
