"""The round machine of the baccarat games: what their deal has of its own beside `dealing.py`.

Rules (627a.8-627a.10, 627b.1-627b.3):
* The cards go by the tableau (`next_card`). With four cards out, before any third card, the wagers on the first four
  are settled.
* The rest is settled once the reader's own result agrees with ours; a reader without one is not waited for.
"""

from __future__ import annotations

from firmware.core.baccarat import Hand, is_natural, next_card, points
from firmware.core.events import ReaderResult, TimerKind
from firmware.core.faults import Irregularity
from firmware.core.rounds.baccarat_round import BaccaratRound, ReaderSays
from firmware.core.rounds.dealing import NS_PER_S, CardRound, Place
from firmware.core.rounds.dealt import Dealt
from firmware.core.shown import TwoHandsShown
from firmware.core.state import Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.wager import Stage

RESULT_DUE_NS = 3 * NS_PER_S
"""How long the reader's own result may come after the last card."""


def round_of(state: State) -> BaccaratRound:
    """What these games keep of the round."""
    return state.game if isinstance(state.game, BaccaratRound) else BaccaratRound()


def winner(state: State) -> str:
    """ "player", "banker" or "tie", by the points of the complete hands."""
    player, banker = (points(round_of(state).cards(hand)) for hand in (Hand.PLAYER, Hand.BANKER))
    return "tie" if player == banker else Hand.PLAYER if player > banker else Hand.BANKER


class BaccaratMachine(CardRound[BaccaratRound]):
    """Minibaccarat, Midibaccarat and Baccarat."""

    # --- what can be asked ------------------------------------------------------------------------------------------

    def round_of(self, state: State) -> BaccaratRound:
        return round_of(state)

    def shown(self, state: State) -> TwoHandsShown:
        """Both hands, for the settlement and for the record."""
        game = round_of(state)
        return TwoHandsShown(tuple(d.card for d in game.player), tuple(d.card for d in game.banker))

    def due(self, state: State) -> Place | None:
        game = round_of(state)
        hand = next_card(game.cards(Hand.PLAYER), game.cards(Hand.BANKER))
        return None if hand is None else Place(hand, len(game.hand(hand)) + 1)

    def news(self, state: State) -> tuple[str, ...]:
        """Each hand that has a card, with its points."""
        hands = ((hand, round_of(state).cards(hand)) for hand in (Hand.PLAYER, Hand.BANKER))
        return tuple(f"{hand.upper()} {' '.join(map(str, cards))} = {points(cards)}" for hand, cards in hands if cards)

    def headline(self, state: State) -> str:
        match winner(state):
            case "tie":
                return "TIE HAND"
            case hand:
                return f"{hand.upper()} WINS"

    def wait_ns(self, kind: TimerKind) -> int:
        return RESULT_DUE_NS if kind is TimerKind.RESULT_OVERDUE else super().wait_ns(kind)

    # --- cards ------------------------------------------------------------------------------------------------------

    def add(self, turn: Turn, card: Dealt) -> None:
        place, game = self.due(turn.state), round_of(turn.state)
        assert place is not None, "a card for no hand"
        if place.hand == Hand.PLAYER:
            self.keep(turn, player=(*game.player, card))
        else:
            self.keep(turn, banker=(*game.banker, card))

    def first_cards(self, state: State) -> bool:
        return all(len(round_of(state).hand(hand)) >= 2 for hand in Hand)

    def beyond(self, turn: Turn, what: str) -> None:
        on_natural = any(is_natural(round_of(turn.state).cards(each)) for each in Hand)
        turn.note(Irregularity.CARD_ON_NATURAL if on_natural else Irregularity.ONE_TOO_MANY, detail=what)

    # --- the reader's word ------------------------------------------------------------------------------------------

    def complete(self, turn: Turn, at_ns: int) -> None:
        """The hands are complete: compare with the reader's own result, now or when it comes."""
        game = round_of(turn.state)
        if game.reader is not None:
            self._compare(turn)
        elif any(d.entered for hand in Hand for d in game.hand(hand)) or _reader_is_down(turn):
            self.finish(turn)  # the reader can't know this round
        elif not turn.rules.reader.result:
            self.finish(turn)  # it never has a result of its own
        else:
            turn.set(phase=Phase.CHECKING)
            turn.start_timer(TimerKind.RESULT_OVERDUE, at_ns + RESULT_DUE_NS)

    def finish(self, turn: Turn) -> None:
        turn.stop_timer(TimerKind.RESULT_OVERDUE)
        super().finish(turn)

    def overdue(self, turn: Turn, kind: TimerKind) -> None:
        super().overdue(turn, kind)
        if kind is TimerKind.RESULT_OVERDUE and turn.state.phase is Phase.CHECKING:
            turn.note(Irregularity.RESULT_NOT_READ)
            self.finish(turn)

    def checked(self, turn: Turn) -> None:
        if round_of(turn.state).reader is None:
            turn.note(Irregularity.RESULT_NOT_READ)
        self.finish(turn)

    def reader_result(self, turn: Turn, event: ReaderResult) -> None:
        """Kept for the comparison, and compared at once where that has been passed or is held up by a stop; too early
        means that we lack a card."""
        state = turn.state
        if state.phase not in (Phase.DEALING, Phase.AWARD, Phase.CHECKING, Phase.STOPPED, Phase.RESULT):
            return
        if state.phase is Phase.RESULT and round_of(state).reader is not None:
            return
        self.keep(turn, reader=ReaderSays(event.winner, event.player_pair, event.banker_pair))
        if self.due(turn.state) is not None:
            turn.note(Irregularity.READER_DISAGREES, detail=f"reader ended with {event.winner}, a card is due")
        elif state.phase is Phase.CHECKING:
            self._compare(turn)
        elif Stage.FINAL in state.settled or state.under_way is Phase.CHECKING:
            _note_if_different(turn)

    def _compare(self, turn: Turn) -> None:
        turn.set(phase=Phase.CHECKING)
        if not _note_if_different(turn):
            self.finish(turn)


def _reader_is_down(turn: Turn) -> bool:
    return any(d.device in turn.rules.card_readers for d in turn.state.down)


def _our_result(state: State) -> ReaderSays:
    player, banker = (round_of(state).cards(hand) for hand in (Hand.PLAYER, Hand.BANKER))
    return ReaderSays(winner(state), player[0].rank is player[1].rank, banker[0].rank is banker[1].rank)


def _say(result: ReaderSays | None) -> str:
    if result is None:
        return "nothing"
    pairs = ["player pair"] * result.player_pair + ["banker pair"] * result.banker_pair
    return " + ".join([result.winner, *pairs])


def _note_if_different(turn: Turn) -> bool:
    """The reader's result against ours; it can stop the payment also after its time was up."""
    reader, ours = round_of(turn.state).reader, _our_result(turn.state)
    if reader != ours:
        after = ", after the result" if Stage.FINAL in turn.state.settled else ""
        turn.note(Irregularity.READER_DISAGREES, detail=f"reader {_say(reader)}, cards {_say(ours)}{after}")
    return reader != ours


BACCARAT = BaccaratMachine()
