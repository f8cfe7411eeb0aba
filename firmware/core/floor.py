"""The floorperson's menu: while the key is turned, CALL steps through it and CONFIRM takes the line shown.

Rules:
* The menu is computed from the state: it holds what may be done now, the most urgent first, and nothing else.
* After an award is validated the next CONFIRM is refused too: a second press of a hasty finger must not say of its slip
  that the documentation is complete before anybody can have printed it.
* A line is taken by what it says, never by its number: when an event changes the menu it starts anew, and the first
  CONFIRM after that is refused, since it may have been meant for what stood there before.
"""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from firmware.core import awards, lockout, meters, shoe, slips, spots, table, void
from firmware.core.awards import Due
from firmware.core.cards import Rank, Suit
from firmware.core.events import Key
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.menu import Act, Line
from firmware.core.rounds.machine import machine
from firmware.core.rules import TableRules
from firmware.core.short_names import short_name
from firmware.core.state import AcceptedWager, Award, Menu, Noted, Phase, Service, State
from firmware.core.turn import STOPPABLE, Turn

KEY = "floor_key"
"""The floorperson's key in `KeyWiringFailed.key`: the switch, or one of its contacts ("floor_key.rest")."""

DISPLAY_COLUMNS = 20


def lines(rules: TableRules, state: State) -> tuple[Line, ...]:
    """The menu as it stands."""
    if state.menu is not None and state.menu.entering:
        return machine(rules).entry_lines(rules, state.menu) or _card_lines(state.menu)
    out: list[Line] = []
    for award, waits_for in awards.open_awards(state):
        if waits_for is Due.VALIDATE:
            label = award_label(f"AWARD P{award.position}", award.cents)
            out.append(Line(Act.VALIDATE, label, partial(_validate, award)))
        elif waits_for is Due.DOCUMENT and award.slip is not None:
            label = f"SLIP {slips.number_text(award.slip)} COMPLETE"
            out.append(Line(Act.DOCUMENT, label, partial(_document, award)))
    for wager in state.wagers:
        if wager.doubt is not None and lockout.may_decide(state):
            out.append(Line(Act.CONFIRM_POSITION, _wager_label("CONFIRM", wager), partial(_confirm_wager, wager)))
            out.append(Line(Act.CANCEL_POSITION, _wager_label("CANCEL", wager), partial(_cancel_wager, wager)))
    inputs_known = state.inputs_ready  # else nobody knows which spots are covered
    if state.phase is Phase.CLOSED and inputs_known and state.clearing is None and not state.leases:
        out.append(Line(Act.OPEN_TABLE, "OPEN TABLE", table.open_table))
    if state.phase is Phase.NEW_SHOE:
        out.append(Line(Act.NEW_SHOE, "NEW SHOE", _new_shoe))
    entry = machine(rules).entry(state)
    if entry is not None:
        act = Act.ENTER_CARD if rules.has_shoe else Act.ENTER_NUMBER
        out.append(Line(act, f"ENTER {entry}", _begin_entry))
    if state.phase is Phase.STOPPED:
        out.append(Line(Act.RESUME, "RESUME ROUND", machine(rules).resume))
    out += machine(rules).choices(rules, state)
    void_line = [Line(Act.VOID, "VOID ROUND", _void)] if void.may_void(state) else []
    if not awards.any_open(state):
        out += void_line
    for noted in state.noted:
        if not IRREGULARITIES[noted.kind].stops or state.phase not in (*STOPPABLE, Phase.STOPPED):
            label = f"OK {IRREGULARITIES[noted.kind].title}"[:DISPLAY_COLUMNS]
            out.append(Line(Act.ACKNOWLEDGE, label, partial(_acknowledge, noted)))
    if rules.has_shoe and state.phase is not Phase.NEW_SHOE and state.phase in shoe.BETWEEN_ROUNDS:
        out.append(Line(Act.NEW_SHOE, "NEW SHOE", _new_shoe))
    if shoe.may_cut(rules, state):
        out.append(Line(Act.CUT_CARD, "CUT CARD CAME", _cut_card))
    if shoe.may_burn(rules, state):
        out.append(Line(Act.BURN_CARDS, "BURN CARDS", _burn_cards))
    for position in range(1, rules.positions + 1):
        mine = [s for s in state.spots if s.position == position]
        if any(s.service is not Service.IN for s in mine):
            out.append(Line(Act.IN_SERVICE, f"POS {position} IN SERVICE", partial(_service, position, True)))
        if any(s.service is Service.IN for s in mine):
            out.append(Line(Act.OUT_OF_SERVICE, f"POS {position} OUT OF SERV", partial(_service, position, False)))
    if table.may_close(state):
        out.append(Line(Act.CLOSE_TABLE, "CLOSE TABLE", table.close_table))
    if awards.any_open(state):  # whoever comes to validate an award must not find the void under the finger
        out += void_line
    return tuple(out)


def key_turned(turn: Turn, turned: bool) -> None:
    turn.set(panel=replace(turn.state.panel, floor_turned=turned), menu=Menu() if turned else None, hint="")


def key_lost(turn: Turn) -> None:
    """The key can't be read any more: the menu closes, and the key must be turned anew once it can."""
    key_turned(turn, False)


def press(turn: Turn, key: Key, at_ns: int) -> None:
    """CALL steps, CONFIRM takes, CLEAR leaves the entry of a card."""
    menu = turn.state.menu
    assert menu is not None, "the menu is open while the key is turned"
    shown = lines(turn.rules, turn.state)
    match key:
        case Key.CALL:
            turn.set(menu=replace(menu, index=(menu.index + 1) % max(1, len(shown)), changed=False), hint="")
        case Key.CONFIRM if menu.changed:
            turn.set(menu=replace(menu, changed=False))
            turn.refuse(key, "LOOK: MENU CHANGED")
        case Key.CONFIRM if shown:
            turn.set(hint="")
            taken = shown[menu.index % len(shown)]
            before = turn.state.menu
            taken.take(turn, at_ns)
            if turn.state.menu is before:
                turn.set(menu=Menu(changed=taken.act is Act.VALIDATE))
            _show_that_it_was_taken(turn, taken)
        case Key.CLEAR if menu.entering:
            turn.set(menu=Menu())
        case _:
            turn.refuse(key, "TURN KEY BACK FIRST")


def _show_that_it_was_taken(turn: Turn, taken: Line) -> None:
    """A second shoe may be opened at once: without a word the display would look as if nothing had happened."""
    again = lines(turn.rules, turn.state)
    if not turn.state.hint and again and again[0].label == taken.label:
        turn.set(hint="DONE")


def _wager_label(verb: str, wager: AcceptedWager) -> str:
    return f"{verb} P{wager.position} {short_name(wager.wager)}"


def award_label(what: str, cents: int) -> str:
    """`what` and the amount as far as a line holds it whole: an amount that is cut short would be another."""
    texts = (f"{what} {meters.cents_text(cents)}", f"{what} {cents // 100}.{cents % 100:02d}", what)
    return next(text for text in texts if len(text) <= DISPLAY_COLUMNS)


def _validate(award: Award, turn: Turn, at_ns: int) -> None:
    awards.validate(turn, award, machine(turn.rules).news(turn.state))


def _document(award: Award, turn: Turn, at_ns: int) -> None:
    awards.documented(turn, award)
    machine(turn.rules).award_done(turn, at_ns)


def _confirm_wager(wager: AcceptedWager, turn: Turn, at_ns: int) -> None:
    turn.set(wagers=tuple(replace(w, doubt=None) if w is wager else w for w in turn.state.wagers))
    _doubt_decided(turn, wager)


def _cancel_wager(wager: AcceptedWager, turn: Turn, at_ns: int) -> None:
    lockout.cancel(turn, wager, wager.doubt or "floorperson")
    _doubt_decided(turn, wager)
    machine(turn.rules).wager_cancelled(turn, at_ns)
    if turn.state.phase is Phase.COUNTING and not lockout.progressive(turn.rules, turn.state):
        machine(turn.rules).confirm_count(turn, at_ns)  # nothing is left to count: nobody waits


def _doubt_decided(turn: Turn, wager: AcceptedWager) -> None:
    """What was noted about this position is settled with it; a mismatch once no doubt is left."""
    open_positions = {w.position for w in turn.state.wagers if w.doubt}
    turn.set(
        noted=tuple(
            n
            for n in turn.state.noted
            if not (n.position == wager.position or (n.kind is Irregularity.MISMATCH and not open_positions))
        )
    )


def _new_shoe(turn: Turn, at_ns: int) -> None:
    shoe.open_shoe(turn, "floorperson")


def _cut_card(turn: Turn, at_ns: int) -> None:
    shoe.cut(turn)


def _burn_cards(turn: Turn, at_ns: int) -> None:
    shoe.burn(turn, True)


def _void(turn: Turn, at_ns: int) -> None:
    void.void(turn, "floorperson")


def _begin_entry(turn: Turn, at_ns: int) -> None:
    turn.set(menu=Menu(entering=True))


def _card_lines(menu: Menu) -> tuple[Line, ...]:
    """First the rank, then the suit."""
    if menu.rank is None:
        return tuple(Line(Act.ENTER_CARD, f"CARD {rank}?", partial(_take_rank, rank)) for rank in Rank)
    return tuple(
        Line(Act.ENTER_CARD, f"CARD {menu.rank} {suit.name}?", partial(_take_card, menu.rank + suit)) for suit in Suit
    )


def _take_rank(rank: Rank, turn: Turn, at_ns: int) -> None:
    turn.set(menu=Menu(entering=True, rank=rank))


def _take_card(card: str, turn: Turn, at_ns: int) -> None:
    turn.set(menu=Menu())
    machine(turn.rules).enter_card(turn, card, at_ns)


def _acknowledge(noted: Noted, turn: Turn, at_ns: int) -> None:
    turn.set(noted=tuple(n for n in turn.state.noted if n is not noted))


def _service(position: int, in_service: bool, turn: Turn, at_ns: int) -> None:
    spots.set_service(turn, position, in_service)
