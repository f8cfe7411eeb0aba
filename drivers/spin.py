"""What a wheel's lines say about a spin: its phase, its number, what makes it void. No port, no clock.

Rules (exception policy of the SS2 Series Developers Information V2.07, section 4.1, which `tgline` wheels share):
* The ball running with the rotor in phase 3 voids the spin; a fault does while the ball runs. A failed launch is left
  to the wheel for the first `LAUNCH_NS` of phase 3, a ball that is not seen in phase 4 for `BALL_LOST_NS`.
* A number comes by a line of its own and in the status of phase 5. On a wire without checksums it is told when both
  have said it, or when two statuses in a row have and no line came. They differ: the spin has no number
  (`NumberDoubted`), whatever is said later. On a checked wire the first is told, and the other held against it.
* On a wire without checksums a number line counts in phases 4 and 5 alone; one that no phase 5 follows within
  `UNCONFIRMED_LINES` statuses is in doubt.
* On such a wire one byte that is read wrong decides nothing: only a phase that closes betting counts at once. The first
  phase that is heard, one that opens betting, leaves a running ball or a number behind, or is 5 without a number line
  before it, and a warning that voids count when two statuses in a row say so. A phase 3 or 4 that was said once and is
  gone again was none: no spin is broken off by it.
* A wheel that was not heard for `unheard_ns`, or has been connected anew, and is past the spin by then: `UNSEEN`.
  Without a spin count (`spin` None) the same phase is taken for the same spin.
* What a spin leaves behind ends with it: the next begins when a phase before 4 is entered after it.
"""

from __future__ import annotations

from msgspec import Struct

from drivers.result_events import (
    Doubt,
    NoSpin,
    NoSpinReason,
    NumberDoubted,
    NumberSource,
    Rotor,
    WheelEvent,
    WheelPhase,
    WheelPhaseChanged,
    WheelWarned,
    WheelWarning,
    WinningNumber,
)

LAUNCH_NS = 3_000_000_000
BALL_LOST_NS = 5_000_000_000
UNCONFIRMED_LINES = 4
"""The status of the very instant, and two seconds of more."""

_ORDER = {phase: number for number, phase in enumerate(WheelPhase)}
_KEPT = (WheelPhase.BALL_IN_RIM, WheelPhase.NO_MORE_BETS, WheelPhase.WINNING_NUMBER)

_NUMBERED = (WheelPhase.NO_MORE_BETS, WheelPhase.WINNING_NUMBER)
_WARNED_BY = {
    NoSpinReason.FAULT: WheelWarning.FAULT,
    NoSpinReason.WRONG_WAY: WheelWarning.WRONG_WAY,
    NoSpinReason.LAUNCH_FAILED: WheelWarning.LAUNCH_FAILED,
}
"""What voids by being said; a lost ball does by its time."""


class Status(Struct, frozen=True):
    """A wheel's status. `number`: the last one, "" before the first."""

    phase: WheelPhase
    spin: int | None
    number: str
    warnings: frozenset[WheelWarning]
    rotor: Rotor | None
    at_ns: int
    raw: str


class Said(Struct, frozen=True):
    """A number line."""

    pocket: str
    at_ns: int
    raw: str


class SpinWatch:
    """One wheel's. `counters`: what was heard and not acted upon."""

    def __init__(self, device: str, *, checked: bool, unheard_ns: int) -> None:
        """`checked`: every line carries a checksum."""
        self._device = device
        self._checked = checked
        self._unheard_ns = unheard_ns
        self._last: Status | None = None
        self._held: Status | None = None  # said once, and to be said again before it counts
        self._unheard = False
        self._warnings: frozenset[WheelWarning] = frozenset()
        self._phase_since_ns = 0
        self._ball_lost_ns: int | None = None
        self._times_said = 0  # statuses in a row of the phase that counts
        self.counters: dict[str, int] = {"phases_not_repeated": 0, "numbers_not_taken": 0}
        self._new_spin()

    def _new_spin(self) -> None:
        self._over = False  # by its number, or because it has none
        self._told: str | None = None
        self._line: Said | None = None
        self._waited = 0  # statuses since the number line
        self._statuses: list[Status] = []  # of phase 5
        self._suspected: tuple[NoSpinReason, Status] | None = None  # to be said again before it voids

    @property
    def phase(self) -> WheelPhase | None:
        """The phase that counts; None before the first."""
        return None if self._last is None else self._last.phase

    def reconnected(self) -> None:
        """The connection is a new one: something may have gone unheard."""
        self._unheard = True
        self._held = None

    def forget(self) -> None:
        """The wheel's reader was reset: nothing is known."""
        self._last = self._held = None
        self._ball_lost_ns = None
        self._new_spin()

    def status(self, status: Status) -> list[WheelEvent]:
        """What a status changes."""
        last = self._last
        if last is not None and status.at_ns - last.at_ns > self._unheard_ns:
            self._unheard = True
        out: list[WheelEvent] = []
        said = [status]
        if last is None or status.phase is not last.phase or self._another_spin(last, status):
            held, self._held = self._held, None
            again = held is not None and held.phase is status.phase
            self.counters["phases_not_repeated"] += held is not None and not again
            if not again and self._must_be_repeated(last, status):
                self._held = status
                return self._warn(status.warnings, status.at_ns, status.raw)
            out += self._enter(last, status)
            said = [held, status] if held is not None and again else said
        elif self._held is not None:
            self.counters["phases_not_repeated"] += 1
            self._held = None
        self._unheard = False
        self._last = status
        self._times_said += len(said)
        out += self._warn(status.warnings, status.at_ns, status.raw)
        for each in said:
            out += self._void(each)
            if status.phase is WheelPhase.WINNING_NUMBER:
                out += self._status_number(each)
        if status.phase is not WheelPhase.WINNING_NUMBER and self._line is not None and not self._over:
            self._waited += 1
            if self._waited >= UNCONFIRMED_LINES:
                out.append(self._doubt(Doubt.UNCONFIRMED, (self._line.pocket,), self._line.at_ns, self._line.raw))
        return out

    def warned(self, warnings: frozenset[WheelWarning], at_ns: int, raw: str) -> list[WheelEvent]:
        """Warnings by a line of their own, in the phase that counts."""
        out = self._warn(warnings, at_ns, raw)
        if self._last is not None:
            self._last = Status(
                self._last.phase, self._last.spin, self._last.number, warnings, self._last.rotor, at_ns, raw
            )
            out += self._void(self._last)
        return out

    def number(self, pocket: str, at_ns: int, raw: str) -> list[WheelEvent]:
        """A number line."""
        said = Said(pocket, at_ns, raw)
        if self._told is not None or (self._line is not None and not self._over):
            before = self._told or (self._line.pocket if self._line is not None else "")
            if before == pocket:
                return []
            doubt = Doubt.CHANGED if self._line is not None else Doubt.SOURCES_DIFFER
            return [self._doubt(doubt, (before, pocket), at_ns, raw)]
        if self._over or not (self._checked or self.phase in _NUMBERED):
            self.counters["numbers_not_taken"] += 1
            return []
        self._line, self._waited = said, 0
        if self._checked:
            return [self._tell(pocket, (NumberSource.LINE,), at_ns, (raw,))]
        return self._both(self._statuses[-1]) if self._statuses else []

    # Phases.

    def _another_spin(self, last: Status, status: Status) -> bool:
        return self._unheard and last.spin != status.spin

    def _must_be_repeated(self, last: Status | None, status: Status) -> bool:
        """Whether this phase is to be heard once more before it counts."""
        if self._checked:
            return False
        if last is None:
            return status.phase is not WheelPhase.NO_MORE_BETS
        if status.phase is WheelPhase.WINNING_NUMBER:
            return self._line is None
        if last.phase is WheelPhase.CLOSED:
            return status.phase.allows_bets
        return last.phase in _KEPT and not self._onward(last, status)

    def _onward(self, last: Status, status: Status) -> bool:
        return status.phase in _KEPT and _ORDER[status.phase] > _ORDER[last.phase]

    def _enter(self, last: Status | None, status: Status) -> list[WheelEvent]:
        out: list[WheelEvent] = []
        if last is not None and self._ends_spin(last, status):
            out += self._leave(last, status)
            self._new_spin()
        self._times_said = 0
        before_ns = None if last is None else last.at_ns
        self._phase_since_ns = status.at_ns
        self._ball_lost_ns = None
        out.append(
            WheelPhaseChanged(
                self._device, status.phase, before_ns, status.at_ns, status.spin, status.rotor, status.raw
            )
        )
        return out

    def _ends_spin(self, last: Status, status: Status) -> bool:
        """Whether what `last` was of is over by this status."""
        if last.phase not in _KEPT:
            return False
        if self._another_spin(last, status):
            return True
        if last.phase.ball_runs and self._times_said == 1 and not (self._checked or self._unheard):
            self.counters["phases_not_repeated"] += not self._onward(last, status)
            return False
        return not self._onward(last, status)

    def _leave(self, last: Status, status: Status) -> list[WheelEvent]:
        """The wheel has left a spin that had begun."""
        if self._over:
            return []
        if self._line is not None:
            return [self._doubt(Doubt.UNCONFIRMED, (self._line.pocket,), self._line.at_ns, self._line.raw)]
        if (said := self._suspected) is not None and _WARNED_BY[said[0]] in status.warnings:
            return [self._no_spin(said[0], last.spin, status.at_ns, f"{said[1].raw} {status.raw}")]
        reason = NoSpinReason.UNSEEN if self._unheard else NoSpinReason.BROKEN_OFF
        return [self._no_spin(reason, last.spin, status.at_ns, status.raw)]

    # What voids.

    def _warn(self, warnings: frozenset[WheelWarning], at_ns: int, raw: str) -> list[WheelEvent]:
        if warnings == self._warnings:
            return []
        self._warnings = warnings
        return [WheelWarned(self._device, tuple(sorted(warnings)), at_ns, raw)]

    def _void(self, status: Status) -> list[WheelEvent]:
        reason, suspected = self._reason(status), self._suspected
        self._suspected = None
        if self._over:
            return []
        raw = status.raw
        if suspected is not None and status.phase.ball_runs and _WARNED_BY[suspected[0]] in status.warnings:
            reason, raw = suspected[0], f"{suspected[1].raw} {status.raw}"
        elif reason in _WARNED_BY and not self._checked:
            assert reason is not None, "None voids nothing"
            self._suspected = (reason, status)
            return []
        return [] if reason is None else [self._no_spin(reason, status.spin, status.at_ns, raw)]

    def _reason(self, status: Status) -> NoSpinReason | None:
        warnings, phase, at_ns = status.warnings, status.phase, status.at_ns
        if phase is not WheelPhase.NO_MORE_BETS or WheelWarning.BALL_REMOVED not in warnings:
            self._ball_lost_ns = None
        elif self._ball_lost_ns is None:
            self._ball_lost_ns = at_ns
        if WheelWarning.FAULT in warnings and phase.ball_runs:
            return NoSpinReason.FAULT
        if WheelWarning.WRONG_WAY in warnings and phase is WheelPhase.BALL_IN_RIM:
            return NoSpinReason.WRONG_WAY
        if (
            WheelWarning.LAUNCH_FAILED in warnings
            and phase is WheelPhase.BALL_IN_RIM
            and at_ns - self._phase_since_ns >= LAUNCH_NS
        ):
            return NoSpinReason.LAUNCH_FAILED
        if self._ball_lost_ns is not None and at_ns - self._ball_lost_ns >= BALL_LOST_NS:
            return NoSpinReason.BALL_LOST
        return None

    def _no_spin(self, reason: NoSpinReason, spin: int | None, at_ns: int, raw: str) -> NoSpin:
        self._over = True
        return NoSpin(self._device, reason, spin, at_ns, raw)

    # Numbers.

    def _status_number(self, status: Status) -> list[WheelEvent]:
        said = self._told or (self._line.pocket if self._line is not None else None)
        if self._statuses and self._statuses[-1].number != status.number and (not self._over or self._told):
            return [self._doubt(Doubt.CHANGED, (self._statuses[-1].number, status.number), status.at_ns, status.raw)]
        if said is not None and said != status.number and (not self._over or self._told):
            return [self._doubt(Doubt.SOURCES_DIFFER, (said, status.number), status.at_ns, status.raw)]
        self._statuses = [*self._statuses[-1:], status]
        if self._over:
            return []
        if self._line is not None:
            return self._both(status)
        if self._checked:
            return [self._tell(status.number, (NumberSource.STATUS,), status.at_ns, (status.raw,))]
        if len(self._statuses) == 2:
            first, second = self._statuses
            return [self._tell(status.number, (NumberSource.STATUS,), first.at_ns, (first.raw, second.raw))]
        return []

    def _both(self, status: Status) -> list[WheelEvent]:
        line = self._line
        assert line is not None, "called with a line"
        if line.pocket != status.number:
            pockets = (line.pocket, status.number)
            return [self._doubt(Doubt.SOURCES_DIFFER, pockets, status.at_ns, f"{line.raw} {status.raw}")]
        sources = (NumberSource.LINE, NumberSource.STATUS)
        (at_ns, first), (_, second) = sorted([(line.at_ns, line.raw), (status.at_ns, status.raw)])
        return [self._tell(line.pocket, sources, at_ns, (first, second))]

    def _tell(self, pocket: str, sources: tuple[NumberSource, ...], at_ns: int, raws: tuple[str, ...]) -> WinningNumber:
        self._over, self._told = True, pocket
        return WinningNumber(self._device, pocket, sources, self._spin, at_ns, " ".join(raws))

    def _doubt(self, doubt: Doubt, pockets: tuple[str, ...], at_ns: int, raw: str) -> NumberDoubted:
        self._over, self._told = True, None
        return NumberDoubted(self._device, doubt, pockets, self._spin, at_ns, raw)

    @property
    def _spin(self) -> int | None:
        return None if self._last is None else self._last.spin
