"""What people see: lamps, reader board and dealer display as functions of the state, and what changes between two.

Rules:
* Meters stand on the board only while no round is in play: they are floored to the cent, and since a round's increments
  are shown only after it, a void never makes the board go back (605a.7(a)(1)).
* The display has one prompt, the keys allowed now, and the most urgent irregularity.
* A wager's lamp never says more than is decided: sensed, then accepted or not, then won or held.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import assert_never

from firmware.core import awards, floor, identity, lockout, meters, slips
from firmware.core.awards import Due
from firmware.core.effects import BoardShown, DisplayShown, Effect, LampChanged, LampShow
from firmware.core.events import Key
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.floor import DISPLAY_COLUMNS
from firmware.core.rounds import keys
from firmware.core.rounds.machine import machine
from firmware.core.rules import TableRules
from firmware.core.settlement_data import PaidBy, Result
from firmware.core.state import AcceptedWager, AwardStatus, Outcome, Phase, Service, Spot, State
from firmware.core.table import reasons_against_wagering

MESSAGE_CHARACTERS = 120
"""What the board's priority message holds."""

BOARD_CHARACTERS = 600
"""What the board's text holds."""

WINS_CHARACTERS = 480
"""What the board's text may spend on who won; less where hands and headline leave less."""

MORE_CHARACTERS = len("  AND 999 MORE")


def changes(rules: TableRules, before: State, after: State) -> list[Effect]:
    """What must be shown anew, and nothing else."""
    out: list[Effect] = [*_changed_lamps(before, after)]
    board_now, display_now = board(rules, after), display(rules, after)
    if board_now != board(rules, before):
        out.append(board_now)
    if display_now != display(rules, before):
        out.append(display_now)
    return out


# --- lamps ----------------------------------------------------------------------------------------------------------


def lamps(state: State) -> list[LampChanged]:
    """Every spot's lamp."""
    return _lamps_of(state, state.spots)


def _changed_lamps(before: State, after: State) -> list[LampChanged]:
    """Only spots that could look otherwise are looked at: those that changed themselves, where a chip lies if the phase
    is another, and those that a wager, outcome or award names if these changed."""
    groups = ((before.wagers, after.wagers), (before.outcomes, after.outcomes), (before.awards, after.awards))
    named = {(x.position, x.wager) for old, new in groups if old is not new for x in (*old, *new)}
    phase_changed = before.phase is not after.phase
    if phase_changed and Phase.LAMP_TEST in (before.phase, after.phase):
        return [new for old, new in zip(lamps(before), lamps(after), strict=True) if old != new]
    pairs = [
        (old, new)
        for old, new in zip(before.spots, after.spots, strict=True)
        if old is not new or (phase_changed and new.chip is not None) or (new.position, new.wager) in named
    ]
    if not pairs:
        return []
    old_lamps, new_lamps = _lamps_of(before, [p[0] for p in pairs]), _lamps_of(after, [p[1] for p in pairs])
    return [new for old, new in zip(old_lamps, new_lamps, strict=True) if old != new]


def _lamps_of(state: State, spots: Sequence[Spot]) -> list[LampChanged]:
    wagers = {(w.position, w.wager): w for w in state.wagers}
    outcomes = {(o.position, o.wager): o for o in state.outcomes}
    held = {(award.position, award.wager) for award, _ in awards.open_awards(state)}
    return [
        LampChanged(s.position, s.wager, _lamp(state, s, wagers.get(at), outcomes.get(at), at in held))
        for s in spots
        for at in ((s.position, s.wager),)
    ]


def _lamp(state: State, spot: Spot, wager: AcceptedWager | None, outcome: Outcome | None, held: bool) -> LampShow:
    if state.phase is Phase.LAMP_TEST:
        return LampShow.TEST
    if held:
        return LampShow.HELD
    if outcome is not None:
        if outcome.result is Result.WIN:
            return LampShow.WON
        return LampShow.ACCEPTED if outcome.result is Result.PUSH else LampShow.OFF
    if wager is not None:
        return LampShow.ACCEPTED
    if spot.service is not Service.IN:
        return LampShow.OUT_OF_SERVICE
    if spot.refused:
        return LampShow.NOT_ACCEPTED
    if spot.chip is not None and state.phase in (Phase.BETTING, Phase.LOCKING, Phase.PAUSED):
        return LampShow.SENSED
    return LampShow.OFF


# --- reader board ---------------------------------------------------------------------------------------------------


def board(rules: TableRules, state: State) -> BoardShown:
    """Meters in fields that change in place, while no round is in play; a round's news as one text."""
    game = machine(rules)
    match state.phase:
        case Phase.CLOSED:
            return BoardShown(_out_of_play("TABLE CLOSED", state), _meter_fields(rules, state), "")
        case Phase.LAMP_TEST:
            return BoardShown(_out_of_play("OPENING", state), _meter_fields(rules, state), "")
        case Phase.PAUSED:
            return BoardShown(_out_of_play("NO WAGERS", state), _meter_fields(rules, state), "")
        case Phase.NEW_SHOE:
            return BoardShown("NEW SHOE", _meter_fields(rules, state), "")
        case Phase.BETTING:
            return BoardShown("PLACE YOUR BETS", _meter_fields(rules, state), "")
        case Phase.COUNTING:
            title, news = "COUNT", _count(rules, state)
        case Phase.VOIDED:
            title, news = "ROUND VOID", ("WAGERS RETURNED",)
        case Phase.STOPPED:
            title, news = "PLEASE WAIT", game.news(state)
        case Phase.LOCKING | Phase.DEALING | Phase.AWARD | Phase.PLAYING | Phase.CHECKING:
            title, news = "NO MORE BETS", game.news(state)
            news += _wins(state, title, news)
        case Phase.RESULT:
            title, news = game.headline(state), game.news(state)
            news += _wins(state, title, news)
    message = _award_message(state) if state.phase is Phase.AWARD else ""
    return BoardShown("  ".join((title, *news)), (), message)


def _out_of_play(title: str, state: State) -> str:
    words = (title, *(["SOFTWARE CHECK"] if state.software.open else []), *(["SERVICE"] if state.leases else []))
    return "  ".join(words)


def _meter_fields(rules: TableRules, state: State) -> tuple[tuple[str, str], ...]:
    """Every meter; of a mystery bonus also by when it must be won, so that it is seen that the table has it
    (631b.6(b))."""
    bonus, rule = state.mystery, rules.mystery
    shown = [(m.name, meters.text(m.shown_micro)) for m in state.meters]
    if bonus is not None and rule is not None:
        if bonus.reason:
            shown = [(name, "STOPPED" if name == bonus.meter else amount) for name, amount in shown]
        shown.append(("must hit by", meters.text(rule.must_hit_by_micro)))
    own = machine(rules).fields(state)
    return own + tuple((name.rsplit(".", 1)[-1].upper(), amount) for name, amount in shown)


def _count(rules: TableRules, state: State) -> tuple[str, ...]:
    """Number and value of the progressive wagers, and whose they are (X11)."""
    counted = lockout.progressive(rules, state)
    value = meters.cents_text(sum(w.cents for w in counted))
    return f"WAGERS {len(counted)}", f"VALUE {value}", _positions(w.position for w in counted)


def _positions(positions: Iterable[int]) -> str:
    return "POS " + " ".join(str(p) for p in sorted(set(positions)))


def _wins(state: State, title: str, news: tuple[str, ...]) -> tuple[str, ...]:
    """Who won how much, by line and amount; as many as the board holds beside title and news."""
    room = min(WINS_CHARACTERS, BOARD_CHARACTERS - len("  ".join((title, *news, ""))) - MORE_CHARACTERS)
    groups: dict[tuple[str, int], list[int]] = {}
    for o in state.outcomes:
        if o.result is Result.WIN:
            groups.setdefault((o.line or o.wager, o.award_cents), []).append(o.position)
    won = [f"{_words(line)} {meters.cents_text(cents)} {_positions(who)}" for (line, cents), who in groups.items()]
    won += [f"{_words(c.wager)} {_words(c.line)}" for c in state.called]
    shown = list(itertools.takewhile(lambda n: len("  ".join(won[: n + 1])) <= room, range(len(won))))
    rest = len(won) - len(shown)
    return (*(won[n] for n in shown), *([f"AND {rest} MORE"] if rest else []))


def _award_message(state: State) -> str:
    """Every award that is still open: what is owed to whom."""
    groups: dict[tuple[str, int], list[int]] = {}
    still_open = sorted((award for award, _ in awards.open_awards(state)), key=lambda award: award.id)
    for a in still_open:
        groups.setdefault((a.line, a.cents), []).append(a.position)
    parts = [f"{_words(line)} {meters.cents_text(cents)} {_positions(who)}" for (line, cents), who in groups.items()]
    whole = " * ".join(parts)
    if len(whole) <= MESSAGE_CHARACTERS:
        return whole
    return f"{len(still_open)} AWARDS {meters.cents_text(sum(a.cents for a in still_open))}"


def _words(name: str) -> str:
    return name.replace("_", " ").upper()


# --- dealer display -------------------------------------------------------------------------------------------------

_PROMPTS: dict[Phase, tuple[str, str]] = {
    Phase.CLOSED: ("TABLE CLOSED", "FLOOR KEY TO OPEN"),
    Phase.LAMP_TEST: ("LAMP TEST", "ALL LAMPS LIT?"),
    Phase.PAUSED: ("NO WAGERS", ""),
    Phase.NEW_SHOE: ("NEW SHOE NEEDED", "FLOOR KEY: NEW SHOE"),
    Phase.BETTING: ("BETTING OPEN", "LOCK-OUT TO CLOSE"),
    Phase.LOCKING: ("BETTING CLOSED", "WAIT"),
    Phase.COUNTING: ("COUNT CHIPS", ""),
    Phase.DEALING: ("DEAL", ""),
    Phase.AWARD: ("AWARD", ""),
    Phase.PLAYING: ("PLAY THE HANDS", ""),
    Phase.CHECKING: ("WAIT FOR READER", ""),
    Phase.RESULT: ("PAY AND COLLECT", ""),
    Phase.STOPPED: ("ROUND STOPPED", "CALL FLOORPERSON"),
    Phase.VOIDED: ("ROUND VOID", "RETURN ALL CHIPS"),
}


def display(rules: TableRules, state: State) -> DisplayShown:
    """State; prompt; trouble or hint; keys allowed now."""
    if state.menu is not None:
        first, second, third, last = _menu_lines(rules, state)
    else:
        first, second = _PROMPTS[Phase.LOCKING if _draws(state) else state.phase]
        first = (None if _draws(state) else machine(rules).title(state)) or first
        third = ""
        if state.phase in (Phase.AWARD, Phase.VOIDED) and awards.any_open(state):
            first, second, third = _award_lines(state)
        second = _prompt(rules, state) or second
        third = state.hint or _trouble(rules, state) or third
        last = "CONFIRM YES  CALL NO" if state.phase is Phase.LAMP_TEST else _allowed(rules, state)
    return DisplayShown((_fit(first), _fit(second), _fit(third), _fit(last)))


def _draws(state: State) -> bool:
    """The generator is asked whether this round's wagers won the mystery bonus: a matter of milliseconds, in which no
    card should be asked for."""
    return state.phase is Phase.DEALING and state.mystery is not None and state.mystery.undecided


def _prompt(rules: TableRules, state: State) -> str:
    if _draws(state):
        return ""
    match state.phase:
        case Phase.CLOSED if state.clearing is not None:
            return "WAITS FOR RAM CLEAR"
        case Phase.CLOSED if state.leases:
            return f"{state.leases[0].devices[0].upper()} LEASED"
        case Phase.PAUSED:
            return next(iter(reasons_against_wagering(rules, state)), "")
        case Phase.COUNTING:
            counted = lockout.progressive(rules, state)
            return f"{len(counted)} CHIPS {meters.cents_text(sum(w.cents for w in counted))}"
        case Phase.DEALING | Phase.PLAYING | Phase.CHECKING:
            return machine(rules).prompt(state)
        case Phase.RESULT:
            return machine(rules).headline(state)
        case _:
            return ""


def _award_lines(state: State) -> tuple[str, str, str]:
    """The most urgent award with its amount, what is to be done about it, and what must not be done meanwhile."""
    waiting = awards.open_awards(state)
    assert waiting, "AWARD without an award"
    award, waits_for = waiting[0]
    match waits_for:
        case Due.VERIFY:
            prompt = f"VERIFY P{award.position} AND LAMP"
        case Due.VALIDATE:
            prompt = "FLOOR KEY: VALIDATE"
        case Due.PAY:
            prompt = f"PAY P{award.position}, CONFIRM"
        case Due.DOCUMENT:
            assert award.slip is not None, "a slip without a number"
            prompt = f"FLOOR: SLIP {slips.number_text(award.slip)}"
        case Due.RESET:
            prompt = "TURN RESET KEY"
        case _:
            assert_never(waits_for)
    by_slip = any(award.paid_by is PaidBy.SLIP and award.status is not AwardStatus.PAID for award, _ in waiting)
    return floor.award_label("AWARD", award.cents), prompt, "CARDS MUST STAY" if by_slip else ""


def _trouble(rules: TableRules, state: State) -> str:
    """The most urgent thing that is wrong: newest irregularity, else why there is no wagering, else a device."""
    if state.software.open and (not state.noted or state.noted[-1].kind is Irregularity.SOFTWARE_DIFFERS):
        return _software_trouble(state)
    if state.noted:
        newest = state.noted[-1]
        where = f" P{newest.position}" if newest.position is not None else ""
        return f"{IRREGULARITIES[newest.kind].title[: DISPLAY_COLUMNS - len(where)]}{where}"
    if state.phase is Phase.PAUSED:
        return next(iter(reasons_against_wagering(rules, state)), "")
    if down := next((d.device for d in state.down if not state.lent(d.device)), None):
        return f"{down.upper()} OFFLINE"
    if state.leases:
        return "TECHNICIAN AT WORK"
    if state.mystery is not None and state.mystery.reason:
        return IRREGULARITIES[Irregularity.MYSTERY_STOPPED].title
    return ""


def _software_trouble(state: State) -> str:
    """While only this keeps wagering closed: what two persons need to accept it, besides both keys turned."""
    if state.phase is Phase.PAUSED:
        return f"2 KEYS MARK {identity.mark(state.software.open)}"
    return IRREGULARITIES[Irregularity.SOFTWARE_DIFFERS].title


def _allowed(rules: TableRules, state: State) -> str:
    game = machine(rules)
    names = [key.upper() for key in Key if (state.phase, key) in keys.KEYS and game.offers_key(state, key)]
    if state.phase is Phase.PAUSED and not state.shoe.burning:
        names = []
    if state.phase is Phase.BETTING:
        names.insert(0, "LOCK-OUT")
    return " ".join(names)


def _menu_lines(rules: TableRules, state: State) -> tuple[str, str, str, str]:
    menu = state.menu
    assert menu is not None, "menu lines without a menu"
    shown = floor.lines(rules, state)
    if not shown:
        return "FLOORPERSON", "NOTHING TO DO", state.hint, "TURN KEY BACK"
    place = menu.index % len(shown)
    return (
        f"FLOOR {place + 1}/{len(shown)}",
        shown[place].label,
        state.hint or _trouble(rules, state),
        "CALL NEXT CONFIRM DO",
    )


def _fit(text: str) -> str:
    return text[:DISPLAY_COLUMNS].ljust(DISPLAY_COLUMNS)
