"""What every card game's round is: from the locked set, through a deal in a fixed order, to the cleared table.

Rules:
* `due` says for which hand the next card is; a card for another hand is never fitted in. A reader that names no hand
  gives its card to the hand that is due: out of turn can't be seen then.
* The wagers on the first cards are settled before any further card (`first_cards`); an award among them holds the table
  (R16). Then the deal goes on, and the rest is settled once `complete` says so.
* A card that the floorperson enters is a card like any other, and marked.

A game says what `CardRound` leaves open; it keeps nothing, as every machine (`machine.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar, assert_never

from msgspec.structs import replace

from firmware.core import awards, lockout, shoe
from firmware.core.draw_events import Drawn
from firmware.core.events import (
    CardHeldOver,
    CardRead,
    CardScanned,
    FoldPressed,
    Key,
    ReaderResult,
    RoundEvent,
    TimerKind,
)
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.menu import Line
from firmware.core.rounds import settling
from firmware.core.rounds.dealt import Dealt, EarlyCard
from firmware.core.rules import TableRules
from firmware.core.shown import Shown
from firmware.core.state import CardGameRound, Menu, Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.wager import Stage
from firmware.core.wheel_events import NumberInDoubt, NumberRead, SpinVoided, WheelMoved, WheelTroubled

NS_PER_S = 1_000_000_000
CARD_DUE_NS = 60 * NS_PER_S
"""A card that is due this long makes the reader silent."""

_IN_PLAY = frozenset({Phase.DEALING, Phase.AWARD, Phase.CHECKING, Phase.PLAYING, Phase.RESULT})
"""Phases in which a card is one of the round's."""


class Place(NamedTuple):
    """Where a card goes: a hand's short name as people say it ("player", "p3"), and which card of it, from 1."""

    hand: str
    number: int


R = TypeVar("R", bound=CardGameRound)
"""What the game keeps of a round."""


class CardRound(ABC, Generic[R]):
    """The shared part of a card game's `RoundMachine`; a game is a subclass."""

    # --- what a game says -------------------------------------------------------------------------------------------

    @abstractmethod
    def round_of(self, state: State) -> R:
        """What the game keeps of the round."""

    @abstractmethod
    def due(self, state: State) -> Place | None:
        """Where the next card goes; None when none is due."""

    @abstractmethod
    def add(self, turn: Turn, card: Dealt) -> None:
        """Give a card to the hand that is due."""

    @abstractmethod
    def first_cards(self, state: State) -> bool:
        """Whether the cards that the INITIAL wagers look at are out."""

    @abstractmethod
    def complete(self, turn: Turn, at_ns: int) -> None:
        """No card is due any more, and no award is open."""

    @abstractmethod
    def beyond(self, turn: Turn, what: str) -> None:
        """A card came although no hand is due one."""

    @abstractmethod
    def shown(self, state: State) -> Shown:
        """See `RoundMachine`."""

    def begins(self, turn: Turn) -> None:
        """The deal begins."""

    def reader_result(self, turn: Turn, event: ReaderResult) -> None:
        """The reader's own result; only a game that such a reader knows has one."""

    def hurried(self, state: State) -> bool:
        """Whether the next card should come soon; False where patrons decide first."""
        return True

    def fold(self, turn: Turn, event: FoldPressed) -> None:
        """A position's fold button; only a game in which a patron may fold has them."""

    def checked(self, turn: Turn) -> None:
        """The floorperson lets a round go on that waited for the reader's result."""

    # --- what can be asked ------------------------------------------------------------------------------------------

    def entry(self, state: State) -> str | None:
        """The card that is due; see `RoundMachine`."""
        stopped = state.phase is Phase.STOPPED and state.under_way in (Phase.DEALING, Phase.AWARD)
        if not stopped and state.phase is not Phase.DEALING:
            return None
        place = self.due(state)
        return None if place is None else f"{place.hand.upper()} CARD"

    def prompt(self, state: State) -> str:
        place = self.due(state)
        return f"{place.hand.upper()} CARD {place.number}" if place else ""

    def wait_ns(self, kind: TimerKind) -> int:
        return CARD_DUE_NS

    def wager_cancelled(self, turn: Turn, at_ns: int) -> None:
        """See `RoundMachine`; of no matter where the cards go to no position."""

    def choices(self, rules: TableRules, state: State) -> tuple[Line, ...]:
        return ()

    def entry_lines(self, rules: TableRules, menu: Menu) -> tuple[Line, ...]:
        return ()

    def offers_key(self, state: State, key: Key) -> bool:
        return (state.phase, key) != (Phase.CHECKING, Key.CONFIRM)

    def fields(self, state: State) -> tuple[tuple[str, str], ...]:
        return ()

    def title(self, state: State) -> str | None:
        return None

    def still_waits(self, rules: TableRules, state: State) -> bool:
        return False

    # --- what happens -----------------------------------------------------------------------------------------------

    def keep(self, turn: Turn, **changes: Any) -> None:
        """Change what this game keeps of the round."""
        turn.set(game=replace(self.round_of(turn.state), **changes))

    def take(self, turn: Turn, event: RoundEvent) -> None:
        match event:
            case CardRead():
                self._card_read(turn, event)
            case CardScanned():
                self._card_scanned(turn, event)
            case CardHeldOver():
                turn.set(held_over=event.card)  # it was seen as one too many already; it only gets its place
            case ReaderResult():
                self.reader_result(turn, event)
            case FoldPressed():
                self.fold(turn, event)
            case Drawn() | WheelMoved() | NumberRead() | NumberInDoubt() | SpinVoided() | WheelTroubled():
                pass  # nothing is drawn in these games, and `check` refuses a wheel at their tables
            case _:
                assert_never(event)

    def overdue(self, turn: Turn, kind: TimerKind) -> None:
        if kind is TimerKind.CARD_OVERDUE and turn.state.phase is Phase.DEALING:
            turn.note(Irregularity.READER_SILENT)

    def confirm_shown(self, turn: Turn, at_ns: int) -> None:
        """The hands show themselves."""

    def ended(self, turn: Turn) -> None:
        """Nothing of a round outlasts it."""

    def played(self, turn: Turn, at_ns: int) -> None:
        """The hands have been played to their end, in PLAYING."""
        self.finish(turn)

    # --- from the locked set to the deal ----------------------------------------------------------------------------

    def after_lock(self, turn: Turn, at_ns: int) -> None:
        """The accepted set is final: count the chips, or deal if there is nothing to count; then deal what came
        early."""
        early = self.round_of(turn.state).early
        self.keep(turn, early=())
        if not lockout.progressive(turn.rules, turn.state):
            self.begin_deal(turn, at_ns)
        for card in early:
            if card.hand is not None:
                self._card(turn, Place(card.hand, card.index), card.card, at_ns)
            elif card.card is not None:
                self._scanned(turn, card.card, at_ns)
        turn.stop_for_noted()

    def confirm_count(self, turn: Turn, at_ns: int) -> None:
        turn.set(swept_from_ns=at_ns)
        self.begin_deal(turn, at_ns)

    def begin_deal(self, turn: Turn, at_ns: int) -> None:
        turn.set(phase=Phase.DEALING, hint="")
        self.begins(turn)
        if self.due(turn.state) is None:
            self.complete(turn, at_ns)
            return
        held_over = turn.state.held_over
        if held_over is not None:  # already counted as seen when the reader reported it
            turn.set(held_over=None)
            self.add(turn, Dealt(held_over))
        turn.start_timer(TimerKind.CARD_OVERDUE, at_ns + CARD_DUE_NS)

    # --- cards ------------------------------------------------------------------------------------------------------

    def _card_read(self, turn: Turn, event: CardRead) -> None:
        if not self._came_early(turn, EarlyCard(event.hand, event.index, event.card), event.at_ns):
            self._card(turn, Place(event.hand, event.index), event.card, event.at_ns)

    def _came_early(self, turn: Turn, card: EarlyCard, at_ns: int) -> bool:
        """Lock where betting is still open, and keep a card until the accepted set is final. False: it is final."""
        state = turn.state
        if state.phase is Phase.BETTING or (state.phase is Phase.PAUSED and state.resume is Phase.BETTING):
            lockout.first_card(turn, at_ns)
        if turn.state.phase is not Phase.LOCKING:
            return False
        lockout.card_in_window(turn, at_ns)
        self.keep(turn, early=(*self.round_of(turn.state).early, card))
        return True

    def _card_scanned(self, turn: Turn, event: CardScanned) -> None:
        if turn.state.shoe.burning:
            shoe.see(turn, event.card)
        elif not self._came_early(turn, EarlyCard(None, 0, event.card), event.at_ns):
            self._scanned(turn, event.card, event.at_ns)

    def _scanned(self, turn: Turn, card: str, at_ns: int) -> None:
        """A card without a hand, once betting is closed for good."""
        place = self.due(turn.state) if turn.state.phase in (Phase.COUNTING, Phase.DEALING, Phase.AWARD) else None
        if place is not None:
            self._card(turn, place, card, at_ns)
        elif turn.rules.reader.scans_again:
            turn.note(Irregularity.SCAN_IGNORED, detail=f"{card}, while {turn.state.phase}")
        else:
            self._take_card(turn, None, card, at_ns)

    def _card(self, turn: Turn, place: Place, card: str | None, at_ns: int) -> None:
        """A card from the reader once betting is closed for good. It confirms the count, but decides no doubt."""
        if turn.state.phase is not Phase.COUNTING:
            if turn.state.phase is Phase.DEALING and turn.state.swept_from_ns is None:  # there was nothing to confirm
                turn.set(swept_from_ns=at_ns)
            self._take_card(turn, place, card, at_ns)
            return
        in_doubt = [f"{w.position}/{w.wager}" for w in turn.state.wagers if w.doubt]
        turn.note(Irregularity.CARD_BEFORE_CONFIRM, detail=f"{card or 'unread'} to {place.hand}")
        self.confirm_count(turn, at_ns)
        self._take_card(turn, place, card, at_ns)
        lock = turn.state.lock
        if in_doubt and not (lock is not None and lock.by_card):  # there the card came first, and the doubts with it
            turn.note(Irregularity.DEALT_IN_DOUBT, detail=", ".join(in_doubt))

    def _take_card(self, turn: Turn, place: Place | None, card: str | None, at_ns: int) -> None:
        """`place`: where the reader says that it goes; None where it does not say and nobody is due."""
        phase = turn.state.phase
        if not shoe.see(turn, card):
            return
        what = f"{card or 'unread'} to {place.hand} {place.number}" if place else f"{card}, for no hand in particular"
        if phase is Phase.STOPPED:
            turn.note(Irregularity.CARD_OUT_OF_TURN, detail=f"{what}, while stopped")
        elif phase not in _IN_PLAY:
            turn.note(Irregularity.CARD_WITHOUT_ROUND, detail=what)
        elif (due := self.due(turn.state)) is None:
            self.beyond(turn, what)
        elif place != due:
            turn.note(Irregularity.CARD_OUT_OF_TURN, detail=f"{what}; due is {due.hand} {due.number}")
        elif card is None:
            turn.note(Irregularity.UNREADABLE_CARD, detail=what)
        else:
            if phase is Phase.AWARD:
                turn.note(Irregularity.CARD_DURING_HOLD, detail=what)
            self.add(turn, Dealt(card))
            if phase is Phase.DEALING:
                self.progress(turn, at_ns)

    def enter_card(self, turn: Turn, card: str, at_ns: int) -> None:
        """The floorperson enters the card that is due."""
        if self.due(turn.state) is None:
            turn.set(hint="NO CARD IS DUE")
            return
        if turn.state.phase is Phase.STOPPED:
            self.resume(turn, at_ns)
        if shoe.see(turn, card):
            self.add(turn, Dealt(card, entered=True))
            if turn.state.phase is Phase.DEALING:
                self.progress(turn, at_ns)

    # --- progress through the hand ----------------------------------------------------------------------------------

    def progress(self, turn: Turn, at_ns: int) -> None:
        """After a card, or after a hold or stop has ended: settle what can be settled, and see what is next."""
        state = turn.state
        turn.start_timer(TimerKind.CARD_OVERDUE, at_ns + CARD_DUE_NS)
        if self.first_cards(state) and Stage.INITIAL not in state.settled:
            settling.settle(turn, Stage.INITIAL, self.shown(turn.state))
        if awards.any_open(turn.state):
            turn.stop_timer(TimerKind.CARD_OVERDUE)
            turn.set(phase=Phase.AWARD)
        elif self.due(turn.state) is None:
            turn.stop_timer(TimerKind.CARD_OVERDUE)
            self.complete(turn, at_ns)
        elif not self.hurried(turn.state):
            turn.stop_timer(TimerKind.CARD_OVERDUE)

    def finish(self, turn: Turn) -> None:
        """Settle the rest. The table waits for CLEAR, or first for an award."""
        if Stage.FINAL not in turn.state.settled:
            settling.settle(turn, Stage.FINAL, self.shown(turn.state))
        turn.set(phase=Phase.AWARD if awards.any_open(turn.state) else Phase.RESULT)

    def award_locked(self, turn: Turn) -> None:
        """Where the round is stopped or void, it stays so: the award is seen to before the table is cleared."""
        if turn.state.phase in (Phase.DEALING, Phase.CHECKING, Phase.PLAYING, Phase.RESULT):
            turn.stop_timer(TimerKind.CARD_OVERDUE)
            turn.stop_timer(TimerKind.RESULT_OVERDUE)
            turn.set(phase=Phase.AWARD)

    def award_done(self, turn: Turn, at_ns: int) -> None:
        """Called when an award was paid or a meter reset: goes on once none is open."""
        if turn.state.phase is not Phase.AWARD or awards.any_open(turn.state):
            return
        if Stage.FINAL in turn.state.settled:
            turn.set(phase=Phase.RESULT)
        else:
            turn.set(phase=Phase.DEALING)
            self.progress(turn, at_ns)

    # --- stop and resume --------------------------------------------------------------------------------------------

    def resume(self, turn: Turn, at_ns: int) -> None:
        """The floorperson lets the round go on where it stopped; what stopped it is settled with that."""
        back = turn.state.resume
        assert back is not None, "STOPPED without a way back"
        turn.set(phase=back, resume=None, noted=tuple(n for n in turn.state.noted if not IRREGULARITIES[n.kind].stops))
        if back is Phase.CHECKING:
            self.checked(turn)
        elif back is Phase.DEALING:
            self.progress(turn, at_ns)
        elif back is Phase.AWARD:
            self.award_done(turn, at_ns)
