"""The round machine of Blackjack: the initial two cards of every hand, and the side wagers on them.

Rules (633a.7(a)-(g) as 633b.17-633b.21 cite it; X28, Y4, Y5):
* Positions are dealt in by their Blackjack wager, which is sensed; who they are is known at lock-out. The floorperson
  may deal one in or out until the first card.
* One card to each from the lowest numbered position, then the dealer's upcard; the same once more, then the hole card.
* With all of them out, what the upcard decides is settled at once. What waits for the hole card is settled when the
  dealer says, by CONFIRM, that it lies open. Until then nothing shows it, though the reader has seen it.
* Hits, splits, doubles, surrender and the dealer's own draw come from the same shoe and are counted; they belong to no
  hand here.
* A card that was exposed or drawn in error is set aside by the floorperson while the deal is stopped; the hand that had
  it is due the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from firmware.core import lockout
from firmware.core.effects import WagerAccepted
from firmware.core.faults import Irregularity
from firmware.core.menu import Act, Line
from firmware.core.rounds.blackjack_round import BlackjackRound, PositionHand
from firmware.core.rounds.dealing import CardRound, Place
from firmware.core.rounds.dealt import Dealt
from firmware.core.rules import TableRules
from firmware.core.shown import InitialCardsShown, PositionShown
from firmware.core.state import AcceptedWager, Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.games import DEALT_IN_BY

DEALER = "dealer"
CARDS_EACH = 2
SEAT = DEALT_IN_BY["blackjack"]


def round_of(state: State) -> BlackjackRound:
    """What this game keeps of the round."""
    return state.game if isinstance(state.game, BlackjackRound) else BlackjackRound()


def in_play(state: State) -> tuple[int, ...]:
    """The positions with a Blackjack wager, from the lowest numbered."""
    return tuple(sorted(w.position for w in state.wagers if w.wager == SEAT))


class BlackjackMachine(CardRound[BlackjackRound]):
    # --- what can be asked ------------------------------------------------------------------------------------------

    def round_of(self, state: State) -> BlackjackRound:
        return round_of(state)

    def shown(self, state: State) -> InitialCardsShown:
        """What lies open: the hole card only once the dealer has exposed it."""
        game = round_of(state)
        dealer = game.dealer if game.exposed else game.dealer[:1]
        positions = (PositionShown(hand.position, _texts(hand.cards)) for hand in game.hands)
        return InitialCardsShown(_texts(dealer), tuple(positions))

    def due(self, state: State) -> Place | None:
        """Before the deal has begun, of those who would be dealt in."""
        game = round_of(state)
        if not game.hands:
            game = replace(game, hands=_hands(state))
        return next((place for place, card in _order(game) if card is None), None)

    def news(self, state: State) -> tuple[str, ...]:
        """The cards that lie open, hand by hand."""
        rows = self.shown(state).rows()
        names = (name.upper() if name == "Dealer" else f"P{name}" for name, _ in rows)
        return tuple(f"{name} {' '.join(cards)}" for name, (_, cards) in zip(names, rows, strict=True) if cards)

    def headline(self, state: State) -> str:
        return f"DEALER {' '.join(_texts(round_of(state).dealer))}" if round_of(state).exposed else "NOBODY PLAYS"

    def prompt(self, state: State) -> str:
        if state.phase is not Phase.PLAYING:
            return super().prompt(state)
        return "HOLE CARD, CONFIRM" if _waiting(state) else "CLEAR WHEN DONE"

    def still_waits(self, rules: TableRules, state: State) -> bool:
        return _waiting(state)

    def choices(self, rules: TableRules, state: State) -> tuple[Line, ...]:
        """Set a card aside; deal positions in and out, until the first card."""
        last = _last(round_of(state))
        if last is not None:
            may = state.phase is Phase.STOPPED and state.under_way is Phase.DEALING and not state.settled
            return (Line(Act.SET_ASIDE, f"SET ASIDE {last.card}", _set_aside),) if may else ()
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
        place, game = self.due(turn.state), round_of(turn.state)
        assert place is not None, "a card for no hand"
        if place.hand == DEALER:
            self.keep(turn, dealer=(*game.dealer, card))
        else:
            self.keep(
                turn,
                hands=tuple(
                    replace(hand, cards=(*hand.cards, card)) if _name(hand) == place.hand else hand
                    for hand in game.hands
                ),
            )

    def first_cards(self, state: State) -> bool:
        return bool(round_of(state).hands) and self.due(state) is None

    def complete(self, turn: Turn, at_ns: int) -> None:
        turn.set(phase=Phase.PLAYING if round_of(turn.state).hands else Phase.RESULT)

    def beyond(self, turn: Turn, what: str) -> None:
        """A card of the game itself: only while an award is open none should have been dealt (633b.18(g))."""
        if turn.state.phase is Phase.AWARD:
            turn.note(Irregularity.CARD_DURING_HOLD, detail=what)

    def played(self, turn: Turn, at_ns: int) -> None:
        self.keep(turn, exposed=True)
        self.finish(turn)

    def resume(self, turn: Turn, at_ns: int) -> None:
        """Where it was changed meanwhile who is dealt in, the deal begins now."""
        super().resume(turn, at_ns)
        state = turn.state
        if state.phase in (Phase.DEALING, Phase.RESULT) and in_play(state) and not round_of(state).hands:
            self.begin_deal(turn, at_ns)

    # --- what the floorperson does ----------------------------------------------------------------------------------

    def wager_cancelled(self, turn: Turn, at_ns: int) -> None:
        """Who has no Blackjack wager any more gets no hand. One that has a card is dealt to its end, so that the cards
        after it keep their places."""
        seats, hands = in_play(turn.state), round_of(turn.state).hands
        left = tuple(hand for hand in hands if hand.cards or hand.position in seats)
        if left == hands:
            return
        self.keep(turn, hands=left)
        if turn.state.phase is Phase.DEALING:
            self.progress(turn, at_ns)

    def _deal_in(self, position: int, turn: Turn, at_ns: int) -> None:
        turn.emit(WagerAccepted(position, SEAT, 0, at_ns))
        turn.set(wagers=(*turn.state.wagers, AcceptedWager(position, SEAT, 0, at_ns)))
        self._seats_changed(turn, at_ns)

    def _deal_out(self, position: int, turn: Turn, at_ns: int) -> None:
        seat = next(w for w in turn.state.wagers if (w.position, w.wager) == (position, SEAT))
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


def _set_aside(turn: Turn, at_ns: int) -> None:
    """The card dealt last leaves its hand; it was seen, and stays counted."""
    game = round_of(turn.state)
    (place, card), *_ = reversed([one for one in _order(game) if one[1] is not None])
    assert card is not None, "no card was dealt"
    if place.hand == DEALER:
        game = replace(game, dealer=game.dealer[:-1])
    else:
        hands = (replace(h, cards=h.cards[:-1]) if _name(h) == place.hand else h for h in game.hands)
        game = replace(game, hands=tuple(hands))
    turn.set(game=game)
    turn.note(Irregularity.EXPOSED_CARD, detail=f"{card.card} of {place.hand} {place.number}")


def _order(game: BlackjackRound) -> Iterator[tuple[Place, Dealt | None]]:
    """Every place of the deal in its order, with the card that it has."""
    hands = [*((_name(hand), hand.cards) for hand in game.hands), *([(DEALER, game.dealer)] if game.hands else [])]
    for index in range(CARDS_EACH):
        for name, cards in hands:
            yield Place(name, index + 1), cards[index] if index < len(cards) else None


def _last(game: BlackjackRound) -> Dealt | None:
    """The card dealt last."""
    dealt = [card for _, card in _order(game) if card is not None]
    return dealt[-1] if dealt else None


def _waiting(state: State) -> bool:
    """Whether a wager of this system is not settled yet."""
    settled = {(o.position, o.wager) for o in state.outcomes}
    return any((w.position, w.wager) not in settled for w in state.wagers if w.wager != SEAT)


def _hands(state: State) -> tuple[PositionHand, ...]:
    return tuple(map(PositionHand, in_play(state)))


def _name(hand: PositionHand) -> str:
    return f"p{hand.position}"


def _texts(cards: tuple[Dealt, ...]) -> tuple[str, ...]:
    return tuple(dealt.card for dealt in cards)


BLACKJACK = BlackjackMachine()
