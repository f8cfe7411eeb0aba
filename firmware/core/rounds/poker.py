"""The round machine of Ultimate Texas Hold 'Em and Criss-Cross Poker: two cards each, the community cards, who folded.

Rules (653a.11 and 674a.11 are not in hand; 653b.2-653b.5 and 674b.1 cite them; W2, W4, W12):
* One card to each position from the lowest numbered, then to the dealer where the game has a dealer's hand; the same
  once more; then the five community cards. Between them patrons decide, so nobody is waited for there.
* The dealer enters a fold by the position's button, once the hands are out; the same button takes it back. Optional
  wagers stay on the table after a fold.
* Hands lie face down: nothing shows one before the dealer says, by CONFIRM, that all of them lie open. Then everything
  is settled at once.
* What becomes of a folded position's Bad Beat nobody here knows (W2): it goes back, and is the floorperson's matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from firmware.core import lockout
from firmware.core.events import FoldPressed
from firmware.core.faults import Irregularity
from firmware.core.rounds.by_position import BOARD, DEALER, PositionRound, name, texts
from firmware.core.rounds.by_position_rounds import PokerTableRound
from firmware.core.rounds.dealing import Place
from firmware.core.shown import CrissCrossShown, HoldemShown, PositionShown
from firmware.core.state import Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.poker_round import COMMUNITY_CARDS, OWN_CARDS

BAD_BEAT = "bad_beat"
BETWEEN_BETS = (1, 4)
"""Community cards before which patrons decide whether they go on."""


def round_of(state: State) -> PokerTableRound:
    """What these games keep of the round."""
    return state.game if isinstance(state.game, PokerTableRound) else PokerTableRound()


class PokerMachine(PositionRound[PokerTableRound]):
    """`dealers_hand`: whether the dealer has cards."""

    def __init__(self, *, dealers_hand: bool) -> None:
        self._dealers_hand = dealers_hand

    def round_of(self, state: State) -> PokerTableRound:
        return round_of(state)

    def places(self, game: PokerTableRound) -> Iterator[Place]:
        for number in range(1, OWN_CARDS + 1):
            yield from (Place(name(hand), number) for hand in game.hands)
            if game.hands and self._dealers_hand:
                yield Place(DEALER, number)
        if game.hands:
            yield from (Place(BOARD, number) for number in range(1, COMMUNITY_CARDS + 1))

    def shown(self, state: State) -> HoldemShown | CrissCrossShown:
        """What lies open: the hands only once all of them do."""
        game = round_of(state)
        hands = game.hands if game.exposed else ()
        positions = tuple(PositionShown(hand.position, texts(hand.cards)) for hand in hands)
        if not self._dealers_hand:
            return CrissCrossShown(texts(game.board), positions, game.folded)
        return HoldemShown(texts(game.board), texts(game.dealer) if game.exposed else (), positions, game.folded)

    def headline(self, state: State) -> str:
        return "SHOWDOWN" if round_of(state).exposed else "NOBODY PLAYS"

    def prompt(self, state: State) -> str:
        return "SHOW HANDS, CONFIRM" if state.phase is Phase.PLAYING else super().prompt(state)

    def first_cards(self, state: State) -> bool:
        return False  # no wager of these games is settled before the end

    def hurried(self, state: State) -> bool:
        place = self.due(state)
        return place is not None and not (place.hand == BOARD and place.number in BETWEEN_BETS)

    def beyond(self, turn: Turn, what: str) -> None:
        turn.note(Irregularity.ONE_TOO_MANY, detail=what)

    def fold(self, turn: Turn, event: FoldPressed) -> None:
        game, position = round_of(turn.state), event.position
        dealt = all(len(hand.cards) == OWN_CARDS for hand in game.hands)
        in_hand = any(hand.position == position for hand in game.hands)
        if not (in_hand and dealt and turn.state.under_way in (Phase.DEALING, Phase.PLAYING)):
            turn.refuse(f"fold {position}", "NO FOLD NOW")
        elif position in game.folded:
            self.keep(turn, folded=tuple(p for p in game.folded if p != position))
            turn.set(hint=f"P{position} PLAYS")
        else:
            self.keep(turn, folded=tuple(sorted((*game.folded, position))))
            turn.set(hint=f"P{position} FOLDED")

    def played(self, turn: Turn, at_ns: int) -> None:
        folded = round_of(turn.state).folded
        for wager in turn.state.wagers:
            if wager.wager == BAD_BEAT and wager.position in folded:
                lockout.cancel(turn, wager, "folded: 653a.11 is not in hand (W2)")
        super().played(turn, at_ns)


HOLDEM = PokerMachine(dealers_hand=True)
CRISS_CROSS = PokerMachine(dealers_hand=False)
