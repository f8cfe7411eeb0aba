"""What people see: lamps, reader board and dealer display as functions of the state, and what changes between two.

Rules:
* Meters stand on the board only while no round is in play: they are floored to the cent, and since a round's increments
  are shown only after it, a void never makes the board go back (605a.7(a)(1)).
* The display has one prompt, the keys allowed now, and the most urgent irregularity.
* A wager's lamp never says more than is decided: sensed, then accepted or not, then won or held.
"""

from __future__ import annotations

from firmware.core import awards, floor, lockout, meters
from firmware.core.baccarat import points
from firmware.core.cards import Card
from firmware.core.effects import BoardShown, DisplayShown, Effect, LampChanged, LampShow
from firmware.core.events import Key
from firmware.core.faults import IRREGULARITIES
from firmware.core.rounds import baccarat, keys
from firmware.core.rules import TableRules
from firmware.core.state import AcceptedWager, AwardStatus, Outcome, Phase, Service, Spot, State
from firmware.core.table import reasons_against_wagering

DISPLAY_COLUMNS = 20
BOARD_FIELDS = 16
"""Fields that a reader board holds at least (`drivers/devices/alpha_board.py`)."""


def changes(rules: TableRules, before: State, after: State) -> list[Effect]:
    """What must be shown anew, and nothing else."""
    out: list[Effect] = []
    for old, new in zip(lamps(before), lamps(after), strict=True):
        if old != new:
            out.append(new)
    board_now, display_now = board(rules, after), display(rules, after)
    if board_now != board(rules, before):
        out.append(board_now)
    if display_now != display(rules, before):
        out.append(display_now)
    return out


# --- lamps ----------------------------------------------------------------------------------------------------------


def lamps(state: State) -> list[LampChanged]:
    """Every spot's lamp."""
    wagers = {(w.position, w.wager): w for w in state.wagers}
    outcomes = {(o.position, o.wager): o for o in state.outcomes}
    held = {(a.position, a.wager) for a in state.awards if a.status in awards.OPEN}
    return [
        LampChanged(
            s.position,
            s.wager,
            _lamp(
                state,
                s,
                wagers.get((s.position, s.wager)),
                outcomes.get((s.position, s.wager)),
                (s.position, s.wager) in held,
            ),
        )
        for s in state.spots
    ]


def _lamp(state: State, spot: Spot, wager: AcceptedWager | None, outcome: Outcome | None, held: bool) -> LampShow:
    if held:
        return LampShow.HELD
    if outcome is not None:
        if outcome.result == "win":
            return LampShow.WON
        return LampShow.ACCEPTED if outcome.result == "push" else LampShow.OFF
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
    message = ""
    match state.phase:
        case Phase.CLOSED:
            title, fields = "TABLE CLOSED", _meter_fields(state)
        case Phase.PAUSED:
            title, fields = "NO WAGERS", _meter_fields(state)
        case Phase.NEW_SHOE:
            title, fields = "NEW SHOE", _meter_fields(state)
        case Phase.BETTING:
            title, fields = "PLACE YOUR BETS", _meter_fields(state)
        case Phase.LOCKING:
            title, fields = "NO MORE BETS", ()
        case Phase.COUNTING:
            title, fields = _count(rules, state)
        case Phase.VOIDED:
            title, fields = "ROUND VOID", (("WAGERS", "RETURNED"),)
        case Phase.STOPPED:
            title, fields = "PLEASE WAIT", _hands(state)
        case Phase.DEALING | Phase.AWARD | Phase.CHECKING:
            title, fields = "NO MORE BETS", _results(state)
        case Phase.RESULT:
            title, fields = _headline(state), _results(state)
    if state.phase is Phase.AWARD:
        message = _award_message(state)
    return BoardShown(title, fields, message)


def _meter_fields(state: State) -> tuple[tuple[str, str], ...]:
    return tuple((m.name.rsplit(".", 1)[-1].upper(), meters.text(m.shown_micro)) for m in state.meters)


def _count(rules: TableRules, state: State) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Number and value of the progressive wagers, and whose they are (X11)."""
    counted = lockout.progressive(rules, state)
    positions = " ".join(str(p) for p in sorted({w.position for w in counted}))
    value = meters.cents_text(sum(w.cents for w in counted))
    return "COUNT", (("WAGERS", str(len(counted))), ("VALUE", value), ("POSITIONS", positions))


def _hands(state: State) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, f"{' '.join(d.card for d in hand)} = {points(tuple(Card.parse(d.card) for d in hand))}")
        for name, hand in (("PLAYER", state.player), ("BANKER", state.banker))
        if hand
    )


def _headline(state: State) -> str:
    player = points(tuple(Card.parse(d.card) for d in state.player))
    banker = points(tuple(Card.parse(d.card) for d in state.banker))
    return "TIE HAND" if player == banker else "PLAYER WINS" if player > banker else "BANKER WINS"


def _results(state: State) -> tuple[tuple[str, str], ...]:
    """Hands and wins, within what a board holds: where there are too many wins, the sum of each position."""
    fields = _hands(state) + _wins(state)
    if len(fields) > BOARD_FIELDS:
        fields = _hands(state) + _wins_by_position(state)
    return fields if len(fields) <= BOARD_FIELDS else _wins_by_position(state)[:BOARD_FIELDS]


def _wins(state: State) -> tuple[tuple[str, str], ...]:
    won = tuple(
        (f"P{o.position} {_words(o.line or o.wager)}", meters.cents_text(o.award_cents))
        for o in state.outcomes
        if o.result == "win"
    )
    return won + tuple((_words(c.wager), _words(c.line)) for c in state.called)


def _wins_by_position(state: State) -> tuple[tuple[str, str], ...]:
    cents: dict[int, int] = {}
    for o in state.outcomes:
        if o.result == "win":
            cents[o.position] = cents.get(o.position, 0) + o.award_cents
    return tuple((f"P{position} WINS", meters.cents_text(cents[position])) for position in sorted(cents))


def _award_message(state: State) -> str:
    """The highest first, one part for each line and amount: with Mega Envy everybody at the table has an award."""
    positions: dict[tuple[int, str], list[int]] = {}
    for a in state.awards:
        if a.status is not AwardStatus.VOIDED:
            positions.setdefault((-a.cents, a.line), []).append(a.position)
    parts = []
    for (below_zero, line), whose in sorted(positions.items()):
        named = " ".join(f"P{position}" for position in sorted(whose))
        parts.append(f"{_words(line)} {named} {meters.cents_text(-below_zero)}")
    return " * ".join(parts)


def _words(name: str) -> str:
    return name.replace("_", " ").upper()


# --- dealer display -------------------------------------------------------------------------------------------------

_PROMPTS: dict[Phase, tuple[str, str]] = {
    Phase.CLOSED: ("TABLE CLOSED", "FLOOR KEY TO OPEN"),
    Phase.PAUSED: ("NO WAGERS", ""),
    Phase.NEW_SHOE: ("NEW SHOE NEEDED", "FLOOR KEY: NEW SHOE"),
    Phase.BETTING: ("BETTING OPEN", "LOCK-OUT TO CLOSE"),
    Phase.LOCKING: ("BETTING CLOSED", "WAIT"),
    Phase.COUNTING: ("COUNT CHIPS", ""),
    Phase.DEALING: ("DEAL", ""),
    Phase.AWARD: ("AWARD", ""),
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
        first, second = _PROMPTS[state.phase]
        second = _prompt(rules, state) or second
        third = state.hint or _trouble(rules, state)
        last = _allowed(state)
    return DisplayShown((_fit(first), _fit(second), _fit(third), _fit(last)))


def _prompt(rules: TableRules, state: State) -> str:
    match state.phase:
        case Phase.COUNTING:
            counted = lockout.progressive(rules, state)
            return f"{len(counted)} CHIPS {meters.cents_text(sum(w.cents for w in counted))}"
        case Phase.DEALING:
            hand = baccarat.due(state)
            return f"{hand.upper()} CARD {baccarat.held(state, hand) + 1}" if hand else ""
        case Phase.AWARD:
            waiting = any(a.status is AwardStatus.LOCKED for a in state.awards)
            return "FLOOR KEY: VALIDATE" if waiting else "TURN RESET KEY"
        case Phase.RESULT:
            return _headline(state)
        case _:
            return ""


def _trouble(rules: TableRules, state: State) -> str:
    """The most urgent thing that is wrong: newest irregularity, else why there is no wagering, else a device."""
    if state.noted:
        newest = state.noted[-1]
        where = f" P{newest.position}" if newest.position is not None else ""
        return f"{IRREGULARITIES[newest.kind].title[: DISPLAY_COLUMNS - len(where)]}{where}"
    if state.phase is Phase.PAUSED:
        return next(iter(reasons_against_wagering(rules, state)), "")
    if state.phase is not Phase.CLOSED or state.down:
        return next((f"{d.device.upper()} OFFLINE" for d in state.down), "")
    return ""


def _allowed(state: State) -> str:
    names = [key.upper() for key in Key if (state.phase, key) in keys.KEYS]
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
