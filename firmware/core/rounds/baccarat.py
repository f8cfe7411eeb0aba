"""The round machine of the baccarat games: from the locked set to the cleared table.

Rules (627a.8-627a.10, 627b.1-627b.3):
* `next_card` says which hand is due; a card for another hand, a third of its own or one too many is never fitted in.
* A reader that does not say for which hand a card is gives it to the hand that is due: out of turn can't be seen then.
* With four cards out, before any third card, the wagers on the first four are settled; an award among them holds the
  table (R16). Then the deal goes on, and the rest is settled once the reader's own result agrees with ours.
* A card that the floorperson enters is a card like any other, and marked.
"""

from __future__ import annotations

from typing import Any, assert_never

from msgspec.structs import replace

from firmware.core import awards, lockout, shoe
from firmware.core.baccarat import Hand, is_natural, next_card, points
from firmware.core.draw_events import Drawn
from firmware.core.events import CardHeldOver, CardRead, CardScanned, ReaderResult, RoundEvent, TimerKind
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.rounds import settling
from firmware.core.rounds.baccarat_round import BaccaratRound, Dealt, EarlyCard, ReaderSays
from firmware.core.shown import TwoHandsShown
from firmware.core.state import Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.wager import Stage

NS_PER_S = 1_000_000_000
CARD_DUE_NS = 60 * NS_PER_S
"""A card that is due this long makes the reader silent."""

RESULT_DUE_NS = 3 * NS_PER_S
"""How long the reader's own result may come after the last card."""

_WAIT_NS = {TimerKind.CARD_OVERDUE: CARD_DUE_NS, TimerKind.RESULT_OVERDUE: RESULT_DUE_NS}


# --- what other parts ask -------------------------------------------------------------------------------------------


def round_of(state: State) -> BaccaratRound:
    """What this game keeps of the round."""
    return state.game if state.game is not None else BaccaratRound()


def shown(state: State) -> TwoHandsShown:
    """Both hands, for the settlement and for the record."""
    game = round_of(state)
    return TwoHandsShown(tuple(d.card for d in game.player), tuple(d.card for d in game.banker))


def due(state: State) -> Hand | None:
    """Which hand the next card belongs to; None when both are complete."""
    game = round_of(state)
    return next_card(game.cards(Hand.PLAYER), game.cards(Hand.BANKER))


def winner(state: State) -> str:
    """ "player", "banker" or "tie", by the points of the complete hands."""
    player, banker = (points(round_of(state).cards(hand)) for hand in (Hand.PLAYER, Hand.BANKER))
    return "tie" if player == banker else Hand.PLAYER if player > banker else Hand.BANKER


def entry(state: State) -> str | None:
    """The card that is due; see `RoundMachine`."""
    stopped = state.phase is Phase.STOPPED and state.under_way in (Phase.DEALING, Phase.AWARD)
    if not stopped and state.phase is not Phase.DEALING:
        return None
    hand = due(state)
    return None if hand is None else f"{hand.upper()} CARD"


def news(state: State) -> tuple[str, ...]:
    """Each hand that has a card, with its points."""
    hands = ((hand, round_of(state).cards(hand)) for hand in (Hand.PLAYER, Hand.BANKER))
    return tuple(f"{hand.upper()} {' '.join(map(str, cards))} = {points(cards)}" for hand, cards in hands if cards)


def headline(state: State) -> str:
    match winner(state):
        case "tie":
            return "TIE HAND"
        case hand:
            return f"{hand.upper()} WINS"


def prompt(state: State) -> str:
    hand = due(state)
    return f"{hand.upper()} CARD {held(state, hand) + 1}" if hand else ""


def wait_ns(kind: TimerKind) -> int:
    return _WAIT_NS[kind]


def _keep(turn: Turn, **changes: Any) -> None:
    """Change what this game keeps of the round."""
    turn.set(game=replace(round_of(turn.state), **changes))


# --- what happens ---------------------------------------------------------------------------------------------------


def take(turn: Turn, event: RoundEvent) -> None:
    match event:
        case CardRead():
            _card_read(turn, event)
        case CardScanned():
            _card_scanned(turn, event)
        case CardHeldOver():
            turn.set(held_over=event.card)  # it was seen as one too many already; it only gets its place
        case ReaderResult():
            _reader_result(turn, event)
        case Drawn():
            pass  # nothing is drawn in these games
        case _:
            assert_never(event)


def overdue(turn: Turn, kind: TimerKind) -> None:
    if kind is TimerKind.CARD_OVERDUE and turn.state.phase is Phase.DEALING:
        turn.note(Irregularity.READER_SILENT)
    elif kind is TimerKind.RESULT_OVERDUE and turn.state.phase is Phase.CHECKING:
        turn.note(Irregularity.RESULT_NOT_READ)
        _finish(turn)


# --- from the locked set to the deal --------------------------------------------------------------------------------


def after_lock(turn: Turn, at_ns: int) -> None:
    """The accepted set is final: count the chips, or deal if there is nothing to count; then deal what came early."""
    early = round_of(turn.state).early
    _keep(turn, early=())
    if not lockout.progressive(turn.rules, turn.state):
        _begin_deal(turn, at_ns)
    for card in early:
        if card.hand is not None:
            _card(turn, card.hand, card.index, card.card, at_ns)
        elif card.card is not None:
            _scanned(turn, card.card, at_ns)
    turn.stop_for_noted()


def confirm_count(turn: Turn, at_ns: int) -> None:
    turn.set(swept_from_ns=at_ns)
    _begin_deal(turn, at_ns)


def _begin_deal(turn: Turn, at_ns: int) -> None:
    turn.set(phase=Phase.DEALING, hint="")
    held_over = turn.state.held_over
    if held_over is not None:  # already counted as seen when the reader reported it
        turn.set(held_over=None)
        _add(turn, Hand.PLAYER, Dealt(held_over))
    turn.start_timer(TimerKind.CARD_OVERDUE, at_ns + CARD_DUE_NS)


# --- cards ----------------------------------------------------------------------------------------------------------


def _card_read(turn: Turn, event: CardRead) -> None:
    if not _came_early(turn, EarlyCard(event.hand, event.index, event.card), event.at_ns):
        _card(turn, event.hand, event.index, event.card, event.at_ns)


def _came_early(turn: Turn, card: EarlyCard, at_ns: int) -> bool:
    """Lock where betting is still open, and keep a card until the accepted set is final. False: it is final."""
    state = turn.state
    if state.phase is Phase.BETTING or (state.phase is Phase.PAUSED and state.resume is Phase.BETTING):
        lockout.first_card(turn, at_ns)
    if turn.state.phase is not Phase.LOCKING:
        return False
    lockout.card_in_window(turn, at_ns)
    _keep(turn, early=(*round_of(turn.state).early, card))
    return True


def _card_scanned(turn: Turn, event: CardScanned) -> None:
    if turn.state.shoe.burning:
        shoe.see(turn, event.card)
    elif not _came_early(turn, EarlyCard(None, 0, event.card), event.at_ns):
        _scanned(turn, event.card, event.at_ns)


def _scanned(turn: Turn, card: str, at_ns: int) -> None:
    """A card without a hand, once betting is closed for good."""
    hand = due(turn.state) if turn.state.phase in (Phase.COUNTING, Phase.DEALING, Phase.AWARD) else None
    if hand is not None:
        _card(turn, hand, held(turn.state, hand) + 1, card, at_ns)
    elif turn.rules.reader.scans_again:
        turn.note(Irregularity.SCAN_IGNORED, detail=f"{card}, while {turn.state.phase}")
    else:
        _take_card(turn, None, 0, card, at_ns)


def _card(turn: Turn, hand: Hand, index: int, card: str | None, at_ns: int) -> None:
    """A card from the reader once betting is closed for good. It confirms the count, but decides no doubt."""
    if turn.state.phase is not Phase.COUNTING:
        if turn.state.phase is Phase.DEALING and turn.state.swept_from_ns is None:  # there was nothing to confirm
            turn.set(swept_from_ns=at_ns)
        _take_card(turn, hand, index, card, at_ns)
        return
    in_doubt = [f"{w.position}/{w.wager}" for w in turn.state.wagers if w.doubt]
    turn.note(Irregularity.CARD_BEFORE_CONFIRM, detail=f"{card or 'unread'} to {hand}")
    confirm_count(turn, at_ns)
    _take_card(turn, hand, index, card, at_ns)
    lock = turn.state.lock
    if in_doubt and not (lock is not None and lock.by_card):  # there the card came first, and the doubts with it
        turn.note(Irregularity.DEALT_IN_DOUBT, detail=", ".join(in_doubt))


def _take_card(turn: Turn, hand: Hand | None, index: int, card: str | None, at_ns: int) -> None:
    phase = turn.state.phase
    if not shoe.see(turn, card):
        return
    what = f"{card or 'unread'} to {hand} {index}" if hand is not None else f"{card}, for no hand in particular"
    if phase is Phase.STOPPED:
        turn.note(Irregularity.CARD_OUT_OF_TURN, detail=f"{what}, while stopped")
    elif phase not in (Phase.DEALING, Phase.AWARD, Phase.CHECKING, Phase.RESULT):
        turn.note(Irregularity.CARD_WITHOUT_ROUND, detail=what)
    elif (hand_due := due(turn.state)) is None:
        on_natural = any(is_natural(round_of(turn.state).cards(each)) for each in Hand)
        turn.note(Irregularity.CARD_ON_NATURAL if on_natural else Irregularity.ONE_TOO_MANY, detail=what)
    elif hand is None or hand is not hand_due or index != held(turn.state, hand) + 1:
        turn.note(Irregularity.CARD_OUT_OF_TURN, detail=f"{what}; due is {hand_due} {held(turn.state, hand_due) + 1}")
    elif card is None:
        turn.note(Irregularity.UNREADABLE_CARD, detail=what)
    else:
        if phase is Phase.AWARD:
            turn.note(Irregularity.CARD_DURING_HOLD, detail=what)
        _add(turn, hand, Dealt(card))
        if phase is Phase.DEALING:
            _progress(turn, at_ns)


def enter_card(turn: Turn, card: str, at_ns: int) -> None:
    """The floorperson enters the card that is due."""
    hand = due(turn.state)
    if hand is None:
        turn.set(hint="NO CARD IS DUE")
        return
    if turn.state.phase is Phase.STOPPED:
        resume(turn, at_ns)
    if shoe.see(turn, card):
        _add(turn, hand, Dealt(card, entered=True))
        if turn.state.phase is Phase.DEALING:
            _progress(turn, at_ns)


def held(state: State, hand: Hand) -> int:
    """How many cards the hand has."""
    return len(round_of(state).hand(hand))


def _add(turn: Turn, hand: Hand, card: Dealt) -> None:
    if hand is Hand.PLAYER:
        _keep(turn, player=(*round_of(turn.state).player, card))
    else:
        _keep(turn, banker=(*round_of(turn.state).banker, card))


# --- progress through the hand --------------------------------------------------------------------------------------


def _progress(turn: Turn, at_ns: int) -> None:
    """After a card, or after a hold or stop has ended: settle what can be settled, and see what is next."""
    state = turn.state
    turn.start_timer(TimerKind.CARD_OVERDUE, at_ns + CARD_DUE_NS)
    if all(held(state, hand) >= 2 for hand in Hand) and Stage.INITIAL not in state.settled:
        settling.settle(turn, Stage.INITIAL, shown(turn.state))
    if awards.any_open(turn.state):
        turn.stop_timer(TimerKind.CARD_OVERDUE)
        turn.set(phase=Phase.AWARD)
    elif due(turn.state) is None:
        turn.stop_timer(TimerKind.CARD_OVERDUE)
        _check(turn, at_ns)


def _check(turn: Turn, at_ns: int) -> None:
    """The hands are complete: compare with the reader's own result, now or when it comes."""
    state = turn.state
    if round_of(state).reader is not None:
        _compare(turn)
    elif any(d.entered for hand in Hand for d in round_of(state).hand(hand)) or _reader_is_down(turn):
        _finish(turn)  # the reader can't know this round
    elif not turn.rules.reader.result:
        _finish(turn)  # it never has a result of its own
    else:
        turn.set(phase=Phase.CHECKING)
        turn.start_timer(TimerKind.RESULT_OVERDUE, at_ns + RESULT_DUE_NS)


def _reader_is_down(turn: Turn) -> bool:
    return any(d.device in turn.rules.card_readers for d in turn.state.down)


def _compare(turn: Turn) -> None:
    turn.set(phase=Phase.CHECKING)
    if not _note_if_different(turn):
        _finish(turn)


def _our_result(state: State) -> ReaderSays:
    player, banker = (round_of(state).cards(hand) for hand in (Hand.PLAYER, Hand.BANKER))
    return ReaderSays(winner(state), player[0].rank is player[1].rank, banker[0].rank is banker[1].rank)


def _say(result: ReaderSays | None) -> str:
    if result is None:
        return "nothing"
    pairs = ["player pair"] * result.player_pair + ["banker pair"] * result.banker_pair
    return " + ".join([result.winner, *pairs])


def _finish(turn: Turn) -> None:
    """Settle the rest. The table waits for CLEAR, or first for an award."""
    turn.stop_timer(TimerKind.RESULT_OVERDUE)
    if Stage.FINAL not in turn.state.settled:
        settling.settle(turn, Stage.FINAL, shown(turn.state))
    turn.set(phase=Phase.AWARD if awards.any_open(turn.state) else Phase.RESULT)


def award_locked(turn: Turn) -> None:
    """Where the round is stopped or void, it stays so: the award is seen to before the table is cleared."""
    if turn.state.phase in (Phase.DEALING, Phase.CHECKING, Phase.RESULT):
        turn.stop_timer(TimerKind.CARD_OVERDUE)
        turn.stop_timer(TimerKind.RESULT_OVERDUE)
        turn.set(phase=Phase.AWARD)


def award_done(turn: Turn, at_ns: int) -> None:
    """Called when an award was paid or a meter reset: goes on once none is open."""
    if turn.state.phase is not Phase.AWARD or awards.any_open(turn.state):
        return
    if Stage.FINAL in turn.state.settled:
        turn.set(phase=Phase.RESULT)
    else:
        turn.set(phase=Phase.DEALING)
        _progress(turn, at_ns)


# --- the reader's word ----------------------------------------------------------------------------------------------


def _reader_result(turn: Turn, event: ReaderResult) -> None:
    """Kept for the comparison, and compared at once where that has been passed or is held up by a stop; too early means
    that we lack a card."""
    state = turn.state
    if state.phase not in (Phase.DEALING, Phase.AWARD, Phase.CHECKING, Phase.STOPPED, Phase.RESULT):
        return
    if state.phase is Phase.RESULT and round_of(state).reader is not None:
        return
    _keep(turn, reader=ReaderSays(event.winner, event.player_pair, event.banker_pair))
    if due(turn.state) is not None:
        turn.note(Irregularity.READER_DISAGREES, detail=f"reader ended with {event.winner}, a card is due")
    elif state.phase is Phase.CHECKING:
        _compare(turn)
    elif Stage.FINAL in state.settled or state.under_way is Phase.CHECKING:
        _note_if_different(turn)


def _note_if_different(turn: Turn) -> bool:
    """The reader's result against ours; it can stop the payment also after its time was up."""
    reader, ours = round_of(turn.state).reader, _our_result(turn.state)
    if reader != ours:
        after = ", after the result" if Stage.FINAL in turn.state.settled else ""
        turn.note(Irregularity.READER_DISAGREES, detail=f"reader {_say(reader)}, cards {_say(ours)}{after}")
    return reader != ours


# --- stop and resume ------------------------------------------------------------------------------------------------


def resume(turn: Turn, at_ns: int) -> None:
    """The floorperson lets the round go on where it stopped; what stopped it is settled with that."""
    back = turn.state.resume
    assert back is not None, "STOPPED without a way back"
    turn.set(phase=back, resume=None, noted=tuple(n for n in turn.state.noted if not IRREGULARITIES[n.kind].stops))
    if back is Phase.CHECKING:
        if round_of(turn.state).reader is None:
            turn.note(Irregularity.RESULT_NOT_READ)
        _finish(turn)
    elif back is Phase.DEALING:
        _progress(turn, at_ns)
    elif back is Phase.AWARD:
        award_done(turn, at_ns)
