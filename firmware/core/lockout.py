"""The lock-out: betting closes at the first edge, the accepted set is final one decision window later.

Rules (627b.3(a)(2), X8-X12):
* A chip counts if its time is strictly before the press; a tie loses; an interval that contains the press can't count.
* A button that did not stay down closes nothing: betting goes on as if it had not been.
* A first card with no lock-out locks at the time of the card, and the round is flagged (X9).
* Contributions are added one by one in order of acceptance: by time, then position, then place in the rules.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from firmware.core import identity, meters, tallies
from firmware.core.effects import (
    BettingClosed,
    Contributed,
    ContributionCharged,
    ContributionReversed,
    SettleInputs,
    UnsettleInputs,
    WagerAccepted,
    WagerCancelled,
    WagerRefused,
)
from firmware.core.events import InputsSettled, LockEdge, LockGlitch, SpotVerdict, TimerKind
from firmware.core.faults import Irregularity
from firmware.core.rules import NS_PER_MS, TableRules
from firmware.core.spots import chip_removed
from firmware.core.state import AcceptedWager, Lock, Phase, Service, Spot, State
from firmware.core.turn import Turn

INPUTS_GRACE_NS = 1_000_000_000
"""How long after the window the inputs may take before they count as dead."""

UNCERTAIN = "time uncertain"

FLAGGED_BEFORE_CARD_NS = 1_000_000_000
"""With no lock-out, every wager first sensed within this time before the card is listed (X9)."""


def press(turn: Turn, event: LockEdge) -> None:
    """The first edge. Only in BETTING, or earlier than the card that locked, does it close anything."""
    state = turn.state
    if state.phase is Phase.BETTING:
        _close(turn, Lock(press_ns=event.at_ns), "button")
    elif (
        state.phase is Phase.LOCKING and state.lock and not _by_button(state.lock) and event.at_ns < state.lock.press_ns
    ):
        turn.withdraw(Irregularity.AUTO_LOCK)
        _close(turn, replace(state.lock, press_ns=event.at_ns, by_card=False, by_wheel=False), "button")


def _by_button(lock: Lock) -> bool:
    return not lock.by_card and not lock.by_wheel


def first_card(turn: Turn, card_ns: int) -> None:
    """A card while betting is open, or is only paused: once a card was seen nobody may bet on that round."""
    unapproved = identity.closes_wagering(turn.rules, turn.state.software)
    _close(turn, Lock(press_ns=card_ns, by_card=True, card_ns=card_ns, unapproved=unapproved), "card")


def wheel_closed(turn: Turn, open_ns: int | None, at_ns: int) -> None:
    """The wheel itself takes no more bets, since some time after `open_ns` (None: nobody knows since when): betting is
    closed unless the button was first. A chip that came after it was last heard to be open can't count."""
    state = turn.state
    paused = state.phase is Phase.PAUSED and state.resume is Phase.BETTING
    if state.phase is Phase.BETTING or paused:
        unapproved = identity.closes_wagering(turn.rules, state.software)
        lock = Lock(press_ns=at_ns, by_wheel=True, wheel_ns=at_ns, open_ns=open_ns, unapproved=unapproved)
        _close(turn, lock, "wheel")
    elif state.phase is Phase.LOCKING and state.lock is not None and state.lock.wheel_ns is None:
        lock = replace(state.lock, wheel_ns=at_ns, open_ns=open_ns)
        turn.set(lock=lock)
        if at_ns < lock.press_ns:  # the line took its time, and the press or the number was heard of first
            turn.withdraw(Irregularity.NUMBER_AT_LOCK)
            _close(turn, replace(lock, press_ns=at_ns, by_card=False, by_wheel=True), "wheel")


def card_in_window(turn: Turn, card_ns: int) -> None:
    """A card inside the decision window. If its first byte is older than the press, it is the card that locks: a
    telegram takes 20 ms, and the press is heard of first."""
    lock = turn.state.lock
    assert lock is not None, "LOCKING without a lock-out"
    if _by_button(lock) and card_ns < lock.press_ns:
        first_card(turn, card_ns)
    elif lock.card_ns is None:
        turn.set(lock=replace(lock, card_ns=card_ns))


def glitch(turn: Turn, event: LockGlitch) -> None:
    """The press is taken back; a card that came meanwhile locks in its place."""
    state = turn.state
    if state.phase is not Phase.LOCKING or state.lock is None or state.lock.press_ns != event.at_ns:
        return
    turn.note(Irregularity.LOCK_GLITCH, detail=f"{event.lasted_ns // 1000} us")
    card_ns, wheel_ns = state.lock.card_ns, state.lock.wheel_ns
    if wheel_ns is not None and (card_ns is None or wheel_ns <= card_ns):
        _close(turn, replace(state.lock, press_ns=wheel_ns, by_wheel=True), "wheel")
        return
    if card_ns is not None:
        _close(turn, replace(state.lock, press_ns=card_ns, by_card=True), "card")
        return
    turn.emit(UnsettleInputs(event.at_ns))
    turn.stop_timer(TimerKind.INPUTS_OVERDUE)
    turn.set(phase=Phase.BETTING, lock=None)


def _close(turn: Turn, lock: Lock, by: str) -> None:
    before = turn.state.lock if turn.state.phase is Phase.LOCKING else None
    if before is None:
        lock = replace(lock, away=tuple(d.device for d in turn.state.down if d.device in turn.rules.spot_devices))
    else:  # the card locks in the button's place, or the other way round: the same window
        lock = replace(lock, away=before.away, lost=before.lost)
    turn.set(phase=Phase.LOCKING, resume=None, lock=lock, hint="")
    turn.emit(BettingClosed(lock.press_ns, by))
    turn.emit(SettleInputs(lock.press_ns))
    turn.start_timer(TimerKind.INPUTS_OVERDUE, lock.press_ns + turn.rules.timing.window_ns + INPUTS_GRACE_NS)


def settled(turn: Turn, event: InputsSettled) -> bool:
    """The window's evidence is in. Returns False when it answers a press that is not in force."""
    state = turn.state
    if state.phase is not Phase.LOCKING or state.lock is None or state.lock.press_ns != event.at_ns:
        return False
    if sum(v.contradicted for v in event.spots) == len(turn.rules.spots):
        interrupted(turn, Irregularity.INPUTS_OVERDUE)  # the inputs were lost inside the window: nothing is proved
    else:
        _accept(turn, _with_the_record(turn, event.spots, state.lock))
    return True


def _with_the_record(turn: Turn, verdicts: tuple[SpotVerdict, ...], lock: Lock) -> Iterable[SpotVerdict]:
    """Where a device went away there is no evidence, and none for what was before where it came back: a chip counts if
    it had been recognized before the press."""
    away = {*(d.device for d in turn.state.down), *lock.away, *lock.lost}
    dark = {(spot.position, spot.wager) for spot in turn.rules.sensed_by(away)}
    if not dark:
        return verdicts
    known = [_recorded(s, lock) for s in turn.state.spots if s.chip is not None and (s.position, s.wager) in dark]
    recognized_ns = turn.rules.timing.present_ms * NS_PER_MS
    return (
        *(v for v in verdicts if (v.position, v.wager) not in dark),
        *(replace(v, contradicted=v.not_after_ns + recognized_ns > lock.press_ns) for v in known),
    )


def interrupted(turn: Turn, kind: Irregularity) -> None:
    """No evidence will come (restart, dead sensors): what is on record from before the press, and there now, counts."""
    lock = turn.state.lock
    assert lock is not None, "interrupted without a lock-out"
    turn.note(kind)
    _accept(turn, [_recorded(spot, lock) for spot in turn.state.spots if spot.chip is not None])


def _recorded(spot: Spot, lock: Lock) -> SpotVerdict:
    """What the record says of a spot with a chip."""
    chip = spot.chip
    assert chip is not None, "a spot without a chip"
    return SpotVerdict(
        spot.position,
        spot.wager,
        present=chip.not_after_ns < lock.press_ns,
        not_before_ns=chip.not_before_ns,
        not_after_ns=chip.not_after_ns,
        straddles=chip.not_before_ns < lock.press_ns <= chip.not_after_ns,
        contradicted=False,
        left_ns=None,
        arrived_after=chip.not_before_ns >= lock.press_ns,
    )


def _accept(turn: Turn, verdicts: Iterable[SpotVerdict]) -> None:
    lock = turn.state.lock
    assert lock is not None, "a window without a lock-out"
    turn.stop_timer(TimerKind.INPUTS_OVERDUE)
    in_service = {(s.position, s.wager) for s in turn.state.spots if s.service is Service.IN}
    in_service -= {(spot.position, spot.wager) for spot in turn.rules.sensed_by(lock.away)}
    value = {(s.position, s.wager): (s.cents, i) for i, s in enumerate(turn.rules.spots)}
    accepted: list[tuple[tuple[int, int, int], SpotVerdict]] = []
    for v in verdicts:
        why = _refusal(v, (v.position, v.wager) in in_service, lock)
        if why is None:
            accepted.append(((v.not_after_ns, v.position, value[v.position, v.wager][1]), v))
        elif why:
            turn.emit(WagerRefused(v.position, v.wager, why))
            turn.change_spot(v.position, v.wager, lambda s: replace(s, refused=s.service is Service.IN))
            if v.straddles or why == UNCERTAIN:
                turn.note(Irregularity.STRADDLE, v.position, v.wager)
            elif v.contradicted:
                turn.note(Irregularity.LEVEL_CONTRADICTS, v.position, v.wager)
    accepted = _dealt_in(turn, accepted)
    accepted.sort(key=lambda a: a[0])
    for _, v in accepted:
        _accept_one(turn, v, value[v.position, v.wager][0])
    turn.set(phase=Phase.COUNTING)
    for _, v in accepted:
        if v.left_ns is not None:
            chip_removed(turn, v.position, v.wager, f"left at {v.left_ns} ns")
    if lock.by_card:
        since_ns = lock.press_ns - FLAGGED_BEFORE_CARD_NS
        late = {(v.position, v.wager) for _, v in accepted if v.not_after_ns > since_ns}
        names = [f"{w.position}/{w.wager}" for w in turn.state.wagers if (w.position, w.wager) in late]
        kind = Irregularity.NUMBER_AT_LOCK if turn.rules.wheel else Irregularity.AUTO_LOCK
        turn.note(kind, detail="sensed in the last second: " + (", ".join(names) or "none"))
        turn.set(
            wagers=tuple(
                replace(w, doubt=w.doubt or "sensed just before the card") if (w.position, w.wager) in late else w
                for w in turn.state.wagers
            )
        )


_Ordered = list[tuple[tuple[int, int, int], SpotVerdict]]
"""Good verdicts, each with its place in the order of acceptance."""


def _dealt_in(turn: Turn, accepted: _Ordered) -> _Ordered:
    """Without those at positions that have not placed the wager by which a position is dealt in: the others are offered
    beside it only (633b.17(d))."""
    seat = turn.rules.dealt_in_by
    if not seat:
        return accepted
    seats = {v.position for _, v in accepted if v.wager == seat}
    for _, v in accepted:
        if v.position not in seats:
            turn.emit(WagerRefused(v.position, v.wager, f"no {seat} wager"))
            turn.change_spot(v.position, v.wager, lambda s: replace(s, refused=True))
    return [one for one in accepted if one[1].position in seats]


def _refusal(v: SpotVerdict, in_service: bool, lock: Lock) -> str | None:
    """None: accepted. Empty: nothing lies there. Otherwise why the chip is no wager."""
    there = v.present or v.arrived_after or v.straddles
    if not there and not v.contradicted:
        return ""
    if not in_service:
        return "out of service"
    if lock.unapproved:
        return "software not approved"
    if v.straddles:
        return UNCERTAIN
    if v.contradicted:
        return "level contradicts"
    if v.present and lock.by_wheel and (lock.open_ns is None or v.not_after_ns >= lock.open_ns):
        return UNCERTAIN
    if not v.present or (v.not_after_ns >= lock.press_ns and not v.latched):
        return "placed after lock-out"
    return None


def _accept_one(turn: Turn, v: SpotVerdict, cents: int) -> None:
    increments = []
    meter_by_name = {m.name: m for m in turn.state.meters}
    bonus = turn.state.mystery
    turn.emit(WagerAccepted(v.position, v.wager, cents, v.not_after_ns))
    for rule in turn.rules.meters:
        if rule.wager == v.wager and (bonus is None or bonus.feeds(rule.name)):
            inc = meters.increment(rule, meter_by_name[rule.name], cents)
            meter_by_name[rule.name] = meters.contribute(meter_by_name[rule.name], inc)
            increments.append(inc)
            turn.emit(
                Contributed(
                    v.position, inc.meter, inc.shown_micro, inc.reserve_micro, inc.hidden_micro, inc.overflow_micro
                )
            )
    wager = AcceptedWager(v.position, v.wager, cents, v.not_after_ns, tuple(increments))
    turn.set(wagers=(*turn.state.wagers, wager), meters=tuple(meter_by_name.values()))
    tallies.accepted(turn, wager)


def cancel(turn: Turn, wager: AcceptedWager, why: str) -> None:
    """The floorperson cancels one accepted wager: the chip goes back, its increments are reversed (X12). With the wager
    by which a position is dealt in go the others there."""
    if wager.wager == turn.rules.dealt_in_by:
        for other in turn.state.wagers:
            if other.position == wager.position and other is not wager:
                cancel(turn, other, why)
    turn.emit(WagerCancelled(wager.position, wager.wager, wager.cents, why))
    reverse(turn, wager)
    turn.set(wagers=tuple(w for w in turn.state.wagers if w is not wager))
    turn.change_spot(wager.position, wager.wager, lambda s: replace(s, refused=s.chip is not None))


def reverse(turn: Turn, wager: AcceptedWager) -> None:
    """An accepted wager is none any more: its increments go back by entries of their own; nothing is erased (X22)."""
    meter_by_name = {m.name: m for m in turn.state.meters}
    for inc in wager.increments:
        if inc.won or turn.rules.table_readings().X22 == "refund_only":
            meter_by_name[inc.meter] = meters.charge(meter_by_name[inc.meter], inc)
            turn.emit(ContributionCharged(wager.position, inc.meter, inc.total_micro))
        else:
            meter_by_name[inc.meter] = meters.reverse(meter_by_name[inc.meter], inc)
            turn.emit(
                ContributionReversed(
                    wager.position, inc.meter, inc.shown_micro, inc.reserve_micro, inc.hidden_micro, inc.overflow_micro
                )
            )
    turn.set(meters=tuple(meter_by_name.values()))
    tallies.voided(turn, wager)


def progressive(rules: TableRules, state: State) -> tuple[AcceptedWager, ...]:
    """The accepted progressive wagers: those that the dealer's chip count is about (X11)."""
    names = {o.wager for o in rules.offers if o.progressive}
    return tuple(w for w in state.wagers if w.wager in names)


def may_decide(state: State) -> bool:
    """Whether the floorperson can still confirm or cancel a wager in doubt: until the first settlement (X12), and not
    while the generator is asked about it."""
    asked = state.mystery is not None and state.mystery.undecided
    return state.under_way in (Phase.COUNTING, Phase.DEALING) and not state.settled and not asked
