"""The round machine of Roulette: one spin, its number, and the optional wagers on it.

Rules (617b.1; U4, U8, B1, B2, B4):
* Betting closes by the button or by the wheel, whichever was first (`lockout.py`). A number while betting is open
  closes it too: the round stops, and the floorperson decides about the wagers of the last second.
* Every wheel reader of the table must say the number. One that is away or silent, or two that differ, or a reader that
  doubts its own: the dealer looks at the wheel and confirms the number shown, or calls; the floorperson has the others.
* A void spin changes nothing: wagers stand, the ball is spun again (U8). So it is with 00 on a single zero wheel (U4).
* B2B is taken back at lock-out while there is no valid number since the table was opened (B1). The last number outlasts
  restarts. A void round in which a number was told leaves none: nobody can say which it was.
* Where the number came twice, the odds are drawn, once for all, and settled by once they are in the journal (B4).
"""

from __future__ import annotations

from functools import partial
from typing import Any, assert_never

from msgspec.structs import replace

from firmware.core import awards, draws, lockout
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
from firmware.core.menu import Act, Line
from firmware.core.roulette_wheel import POCKETS, Wheel, pockets_of
from firmware.core.rounds import settling
from firmware.core.rounds.roulette_round import NumberSaid, RouletteRound, SpinHeard
from firmware.core.rules import TableRules
from firmware.core.shown import SpunShown
from firmware.core.state import Menu, Phase, State
from firmware.core.turn import Turn
from firmware.core.wagers.b2b_roulette import B2B_ROULETTE
from firmware.core.wagers.wager import Stage
from firmware.core.wheel_events import NumberInDoubt, NumberRead, SpinVoided, WheelMoved, WheelTroubled

NS_PER_S = 1_000_000_000
NUMBER_DUE_NS = 180 * NS_PER_S
"""With betting closed this long and no number, the wheel is silent."""

SECOND_READER_NS = 5 * NS_PER_S
"""How long the readers may lie apart."""

CHANGED = "changed"
"""The doubt about a number that was told already."""

_WAITS = frozenset({Phase.DEALING, Phase.CHECKING})
_GROUPS = {"0-00": ("0", "00"), **{f"{n}-{n + 8}": tuple(map(str, range(n, n + 9))) for n in (1, 10, 19, 28)}}
"""How the floorperson comes to a number in few steps."""


def round_of(state: State) -> RouletteRound:
    """What this game keeps of the round."""
    return state.game if isinstance(state.game, RouletteRound) else RouletteRound()


def colour_of(pocket: str) -> str:
    """RED, BLACK or GREEN."""
    colour = POCKETS[pocket].colour
    return "GREEN" if colour is None else colour.name


class RouletteMachine:
    # --- what can be asked ------------------------------------------------------------------------------------------

    def shown(self, state: State) -> SpunShown:
        game = round_of(state)
        return SpunShown(game.number or "", game.previous, game.drawn_odds)

    def wait_ns(self, kind: TimerKind) -> int:
        return SECOND_READER_NS if kind is TimerKind.RESULT_OVERDUE else NUMBER_DUE_NS

    def entry(self, state: State) -> str | None:
        return "NUMBER" if state.under_way in _WAITS and round_of(state).number is None else None

    def entry_lines(self, rules: TableRules, menu: Menu) -> tuple[Line, ...]:
        """First a group of numbers, then the number."""
        here = {pocket.name for pocket in pockets_of(Wheel(rules.wheel))}
        if menu.rank is None:
            groups = {name: [n for n in names if n in here] for name, names in _GROUPS.items()}
            shown = {name if len(names) > 1 else names[0]: name for name, names in groups.items()}
            return tuple(Line(Act.ENTER_NUMBER, f"NUMBER {s}", partial(_take_group, g)) for s, g in shown.items())
        return tuple(
            Line(Act.ENTER_NUMBER, f"NUMBER {n}?", partial(self._entered, n)) for n in _GROUPS[menu.rank] if n in here
        )

    def choices(self, rules: TableRules, state: State) -> tuple[Line, ...]:
        """The numbers that were said."""
        if state.phase is not Phase.STOPPED or self.entry(state) is None:
            return ()
        said = dict.fromkeys(n for one in round_of(state).said for n in one.pockets)
        return tuple(Line(Act.ENTER_NUMBER, f"NUMBER {n}?", partial(self._entered, n)) for n in said)

    def still_waits(self, rules: TableRules, state: State) -> bool:
        return False

    def offers_key(self, state: State, key: Key) -> bool:
        """CONFIRM of a number only where one is asked about."""
        return (state.phase, key) != (Phase.CHECKING, Key.CONFIRM) or self._asks(state)

    def news(self, state: State) -> tuple[str, ...]:
        game = round_of(state)
        if game.number is None:
            return ("NO SPIN",) if game.void_spins and state.phase is Phase.DEALING else ()
        odds = (f"B2B PAYS {game.drawn_odds} TO 1",) if game.drawn_odds else ()
        number = () if state.phase is Phase.RESULT else (f"NUMBER {game.number} {colour_of(game.number)}",)
        return (*number, *odds)  # the result's headline has it

    def fields(self, state: State) -> tuple[tuple[str, str], ...]:
        """The number that B2B is about; none yet: from when on it is taken (B1)."""
        return (("LAST", state.wheel.last),) if state.wheel.last is not None else (("B2B", "NEXT SPIN"),)

    def headline(self, state: State) -> str:
        number = round_of(state).number
        return "NO NUMBER" if number is None else f"{number} {colour_of(number)}"

    def title(self, state: State) -> str | None:
        match state.phase:
            case Phase.DEALING:
                return "SPIN"
            case Phase.CHECKING:
                return "CHECK THE NUMBER" if self._asks(state) else "WAIT"
            case _:
                return None

    def prompt(self, state: State) -> str:
        game = round_of(state)
        if state.phase is Phase.CHECKING:
            if self._asks(state):
                return f"NUMBER {game.asked[0]}? CONFIRM"
            return "OTHER READER" if game.number is None else "DRAWING ODDS"
        return "SPIN AGAIN" if game.void_spins else "NUMBER IS AWAITED"

    def _asks(self, state: State) -> bool:
        game = round_of(state)
        return bool(game.asked) and game.number is None

    # --- from the locked set to the number --------------------------------------------------------------------------

    def after_lock(self, turn: Turn, at_ns: int) -> None:
        early = round_of(turn.state).early
        self._keep(turn, early=())
        if turn.state.wheel.last is None:
            for wager in turn.state.wagers:
                if wager.wager == B2B_ROULETTE.name:
                    lockout.cancel(turn, wager, "no previous spin")
        if early or not lockout.progressive(turn.rules, turn.state):
            self._await_number(turn, at_ns)
        if early:
            self._at_lock(turn, early)
        turn.stop_for_noted()

    def confirm_count(self, turn: Turn, at_ns: int) -> None:
        self._await_number(turn, at_ns)

    def _at_lock(self, turn: Turn, said: tuple[NumberSaid, ...]) -> None:
        """A number before the accepted set was final: nothing is settled by it until the floorperson has looked."""
        self._keep(turn, said=said)
        if all(noted.kind is not Irregularity.NUMBER_AT_LOCK for noted in turn.state.noted):
            turn.note(Irregularity.NUMBER_AT_LOCK)

    def _await_number(self, turn: Turn, at_ns: int) -> None:
        turn.set(phase=Phase.DEALING, hint="")
        turn.start_timer(TimerKind.NUMBER_OVERDUE, at_ns + NUMBER_DUE_NS)

    def take(self, turn: Turn, event: RoundEvent) -> None:
        match event:
            case WheelMoved():
                turn.set(wheel=replace(turn.state.wheel, closed=event.closed))
                if event.closed:
                    lockout.wheel_closed(turn, event.open_ns, event.at_ns)
            case NumberRead():
                self._number(turn, NumberSaid(event.device, (event.pocket,), event.at_ns), event.spin)
            case NumberInDoubt():
                turn.note(Irregularity.NUMBER_DOUBTED, detail=f"{event.doubt}: {', '.join(event.pockets)}")
                if not self._about_the_last(turn, event):
                    self._number(turn, NumberSaid(event.device, (*event.pockets, ""), event.at_ns), None)
            case SpinVoided():
                self._no_spin(turn, event.reason, event.ball_lost)
            case WheelTroubled():
                turn.note(Irregularity.WHEEL_FAULT, detail=event.what)
            case Drawn():
                self._drawn(turn, event)
            case CardRead() | CardScanned() | CardHeldOver() | ReaderResult() | FoldPressed():
                pass  # `check` refuses a shoe and fold buttons at this table
            case _:
                assert_never(event)

    def _no_spin(self, turn: Turn, reason: str, ball_lost: bool) -> None:
        """Nothing changes: the wagers stand (U8)."""
        if round_of(turn.state).number is None and turn.state.phase is not Phase.CLOSED:
            turn.note(Irregularity.BALL_OUT if ball_lost else Irregularity.NO_SPIN, detail=reason)
            self._keep(turn, void_spins=round_of(turn.state).void_spins + 1, said=(), asked=(), early=())
            if turn.state.phase is Phase.CHECKING:
                turn.stop_timer(TimerKind.RESULT_OVERDUE)
                turn.set(phase=Phase.DEALING)
            elif turn.state.resume is Phase.CHECKING:
                turn.set(resume=Phase.DEALING)

    def _number(self, turn: Turn, said: NumberSaid, spin: int | None) -> None:
        """A reader has told a number, or that it does not know."""
        state = turn.state
        if state.phase in (Phase.CLOSED, Phase.LAMP_TEST):
            return
        if spin is not None:
            heard = SpinHeard(said.device, spin, said.pockets[0])
            if heard in state.wheel.heard:
                return  # told again after its driver has started anew
            others = (one for one in state.wheel.heard if one.device != said.device)
            turn.set(wheel=replace(state.wheel, heard=(*others, heard)))
        if turn.rules.wheel == Wheel.SINGLE_ZERO and said.pockets == ("00",):
            self._no_spin(turn, "00 on a single zero wheel", ball_lost=False)
            return
        if state.phase is Phase.BETTING or (state.phase is Phase.PAUSED and state.resume is Phase.BETTING):
            lockout.first_card(turn, said.at_ns)
        if turn.state.phase is Phase.LOCKING:
            lockout.card_in_window(turn, said.at_ns)
            self._keep(turn, early=(*(one for one in round_of(state).early if one.device != said.device), said))
        else:
            self._said(turn, said, said.at_ns)

    def _about_the_last(self, turn: Turn, event: NumberInDoubt) -> bool:
        """Whether the doubt is about a number that was told for the round before; it is none any more then (B2)."""
        told = any((one.device, one.spin) == (event.device, event.spin) for one in turn.state.wheel.heard)
        if not (told or event.doubt == CHANGED) or turn.state.phase not in (Phase.BETTING, Phase.PAUSED):
            return False
        turn.set(wheel=replace(turn.state.wheel, last=None))
        return True

    def _said(self, turn: Turn, said: NumberSaid, at_ns: int) -> None:
        """Once betting is closed for good."""
        if turn.state.phase is Phase.COUNTING:
            self._await_number(turn, at_ns)
            self._at_lock(turn, (said,))
            return
        state, game = turn.state, round_of(turn.state)
        in_doubt = "" in said.pockets
        if state.phase is Phase.PAUSED:  # a spin without a round
            turn.set(wheel=replace(state.wheel, last=None if in_doubt else said.pockets[0]))
        elif game.number is not None:
            if in_doubt or said.pockets != (game.number,):
                turn.note(Irregularity.NUMBER_CHANGED, detail=f"{game.number}; {said.device}: {_words(said.pockets)}")
        else:
            self._keep(turn, said=(*(one for one in game.said if one.device != said.device), said))
            if state.phase in _WAITS:
                self._progress(turn, at_ns)

    def _progress(self, turn: Turn, at_ns: int) -> None:
        """Take the number, wait for the other reader, or ask."""
        game, rules = round_of(turn.state), turn.rules
        pockets = tuple(dict.fromkeys(n for one in game.said for n in one.pockets if n))
        doubted = any("" in one.pockets for one in game.said)
        away = {down.device for down in turn.state.down}
        missing = [name for name in rules.wheels if all(one.device != name for one in game.said)]
        if game.number is not None:
            self._settle(turn)
        elif not game.said:
            turn.set(phase=Phase.DEALING)
        elif len(pockets) > 1 or doubted:
            if not doubted and not game.asked:
                turn.note(Irregularity.NUMBERS_DIFFER, detail=" ".join(pockets))
            self._ask(turn, pockets)
        elif any(name not in away for name in missing) and not game.asked:
            turn.set(phase=Phase.CHECKING)
            turn.start_timer(TimerKind.RESULT_OVERDUE, at_ns + SECOND_READER_NS)
        elif missing:
            turn.note(Irregularity.NUMBER_NOT_READ, detail=", ".join(missing))
            self._ask(turn, pockets)
        else:
            self._take_number(turn, pockets[0], at_ns)

    def _ask(self, turn: Turn, pockets: tuple[str, ...]) -> None:
        turn.stop_timer(TimerKind.RESULT_OVERDUE)
        turn.stop_timer(TimerKind.NUMBER_OVERDUE)
        turn.set(phase=Phase.CHECKING)
        self._keep(turn, asked=pockets)

    def confirm_shown(self, turn: Turn, at_ns: int) -> None:
        """The dealer has looked at the wheel: it is the number shown."""
        self._take_number(turn, round_of(turn.state).asked[0], at_ns, entered=True)

    def overdue(self, turn: Turn, kind: TimerKind) -> None:
        if kind is TimerKind.NUMBER_OVERDUE and turn.state.phase is Phase.DEALING:
            turn.note(Irregularity.WHEEL_SILENT)
        elif kind is TimerKind.RESULT_OVERDUE and turn.state.phase is Phase.CHECKING:
            said = round_of(turn.state).said
            silent = [name for name in turn.rules.wheels if all(one.device != name for one in said)]
            turn.note(Irregularity.NUMBER_NOT_READ, detail=", ".join(silent))
            self._ask(turn, tuple(dict.fromkeys(n for one in said for n in one.pockets if n)))

    # --- the number -------------------------------------------------------------------------------------------------

    def _take_number(self, turn: Turn, number: str, at_ns: int, entered: bool = False) -> None:
        previous = turn.state.wheel.last
        for kind in (Irregularity.NO_SPIN, Irregularity.BALL_OUT, Irregularity.WHEEL_SILENT):
            turn.withdraw(kind)
        turn.stop_timer(TimerKind.NUMBER_OVERDUE)
        turn.stop_timer(TimerKind.RESULT_OVERDUE)
        turn.set(wheel=replace(turn.state.wheel, last=number), swept_from_ns=at_ns)
        self._keep(turn, number=number, entered=entered, previous=previous)
        pick = next((pick for pick in turn.rules.picks if pick.name == B2B_ROULETTE.name), None)
        if pick is not None and number == previous:
            self._keep(turn, draw=draws.ask(turn, f"round {turn.state.round}", (pick,)))
        self._settle(turn)

    def _drawn(self, turn: Turn, event: Drawn) -> None:
        if round_of(turn.state).draw == event.draw:
            self._keep(turn, drawn_odds=int(event.values[0]))
            if turn.state.phase is Phase.CHECKING:
                self._settle(turn)

    def _settle(self, turn: Turn) -> None:
        """Once everything is known. The table waits for CLEAR, or first for an award."""
        game = round_of(turn.state)
        if game.draw is not None and game.drawn_odds is None:
            turn.set(phase=Phase.CHECKING)
            return
        if Stage.FINAL not in turn.state.settled:
            settling.settle(turn, Stage.FINAL, self.shown(turn.state))
        turn.set(phase=Phase.AWARD if awards.any_open(turn.state) else Phase.RESULT)

    def _entered(self, number: str, turn: Turn, at_ns: int) -> None:
        turn.set(menu=Menu())
        self.enter_card(turn, number, at_ns)

    def wager_cancelled(self, turn: Turn, at_ns: int) -> None:
        """See `RoundMachine`; the ball falls for whoever is left."""

    def enter_card(self, turn: Turn, card: str, at_ns: int) -> None:
        """The floorperson enters the number."""
        if self.entry(turn.state) is None:
            turn.set(hint="NO NUMBER IS DUE")
            return
        if turn.state.phase is Phase.STOPPED:
            self._go_back(turn)
        self._take_number(turn, card, at_ns, entered=True)

    # --- awards, stop, end ------------------------------------------------------------------------------------------

    def award_locked(self, turn: Turn) -> None:
        if turn.state.phase in (*_WAITS, Phase.RESULT):
            turn.set(phase=Phase.AWARD)

    def award_done(self, turn: Turn, at_ns: int) -> None:
        if turn.state.phase is Phase.AWARD and not awards.any_open(turn.state):
            if Stage.FINAL in turn.state.settled:
                turn.set(phase=Phase.RESULT)
            else:
                self._progress(turn, at_ns)

    def _go_back(self, turn: Turn) -> Phase:
        back = turn.state.resume
        assert back is not None, "STOPPED without a way back"
        turn.set(phase=back, resume=None, noted=tuple(n for n in turn.state.noted if not IRREGULARITIES[n.kind].stops))
        return back

    def resume(self, turn: Turn, at_ns: int) -> None:
        back = self._go_back(turn)
        if back in _WAITS:
            self._progress(turn, at_ns)
        elif back is Phase.AWARD:
            self.award_done(turn, at_ns)

    def played(self, turn: Turn, at_ns: int) -> None:
        """No hands are played."""

    def ended(self, turn: Turn) -> None:
        """The table is being cleared."""
        game = round_of(turn.state)
        if turn.state.phase is Phase.VOIDED and (game.said or game.number is not None):
            turn.set(wheel=replace(turn.state.wheel, last=None))

    def _keep(self, turn: Turn, **changes: Any) -> None:
        turn.set(game=replace(round_of(turn.state), **changes))


def _take_group(group: str, turn: Turn, at_ns: int) -> None:
    turn.set(menu=Menu(entering=True, rank=group))


def _words(pockets: tuple[str, ...]) -> str:
    return " ".join(n or "in doubt" for n in pockets)


ROULETTE_ROUND = RouletteMachine()
