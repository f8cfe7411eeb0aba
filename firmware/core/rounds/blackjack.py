"""The round machine of Blackjack: the initial two cards of every hand, and the side wagers on them.

Rules (633a.7(a)-(g) as 633b.17-633b.21 cite it; X28, Y4, Y5):
* One card to each position from the lowest numbered, then the dealer's upcard; the same once more, then the hole card.
* With all of them out, what the upcard decides is settled at once. What waits for the hole card is settled when the
  dealer says that it lies open.
* Hits, splits, doubles, surrender and the dealer's own draw come from the same shoe and are counted; they belong to no
  hand here.
"""

from __future__ import annotations

from collections.abc import Iterator

from firmware.core.faults import Irregularity
from firmware.core.rounds.by_position import DEALER, PositionRound, name, texts, waiting
from firmware.core.rounds.by_position_rounds import BlackjackRound
from firmware.core.rounds.dealing import Place
from firmware.core.shown import InitialCardsShown, PositionShown
from firmware.core.state import Phase, State
from firmware.core.turn import Turn

CARDS_EACH = 2


def round_of(state: State) -> BlackjackRound:
    """What this game keeps of the round."""
    return state.game if isinstance(state.game, BlackjackRound) else BlackjackRound()


class BlackjackMachine(PositionRound[BlackjackRound]):
    def round_of(self, state: State) -> BlackjackRound:
        return round_of(state)

    def places(self, game: BlackjackRound) -> Iterator[Place]:
        for number in range(1, CARDS_EACH + 1):
            yield from (Place(name(hand), number) for hand in game.hands)
            if game.hands:
                yield Place(DEALER, number)

    def shown(self, state: State) -> InitialCardsShown:
        """What lies open: the hole card only once the dealer has exposed it."""
        game = round_of(state)
        dealer = game.dealer if game.exposed else game.dealer[:1]
        positions = (PositionShown(hand.position, texts(hand.cards)) for hand in game.hands)
        return InitialCardsShown(texts(dealer), tuple(positions))

    def headline(self, state: State) -> str:
        return f"DEALER {' '.join(texts(round_of(state).dealer))}" if round_of(state).exposed else "NOBODY PLAYS"

    def prompt(self, state: State) -> str:
        if state.phase is not Phase.PLAYING:
            return super().prompt(state)
        return "HOLE CARD, CONFIRM" if waiting(state) else "CLEAR WHEN DONE"

    def first_cards(self, state: State) -> bool:
        return bool(round_of(state).hands) and self.due(state) is None

    def beyond(self, turn: Turn, what: str) -> None:
        """A card of the game itself: only while an award is open none should have been dealt (633b.18(g))."""
        if turn.state.phase is Phase.AWARD:
            turn.note(Irregularity.CARD_DURING_HOLD, detail=what)


BLACKJACK = BlackjackMachine()
