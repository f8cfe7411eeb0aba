"""Accounting by wager: coin-in, voided amounts, what each line awarded, what an attendant paid (605a.7(a)(2)-(4)).

Rules:
* Counters only grow: a wager counts in when it is accepted, and out, on a counter of its own, when it is cancelled or
  its round is voided. Awards count when the table is cleared, since until then a round can still be voided.
* A live table pays nothing by itself: what is paid directly by a device is zero, so the cumulative progressive payout
  is what its meters have paid (`Meter.paid_micro`), all of it through an attendant.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from firmware.core.settlement_data import Result
from firmware.core.state import AcceptedWager, Award, LineTally, Outcome, Tally
from firmware.core.turn import Turn


def accepted(turn: Turn, wager: AcceptedWager) -> None:
    _change(
        turn,
        wager.wager,
        lambda t: replace(t, wagers=t.wagers + 1, coin_in_cents=t.coin_in_cents + wager.cents),
    )


def voided(turn: Turn, wager: AcceptedWager) -> None:
    _change(
        turn,
        wager.wager,
        lambda t: replace(t, voided_wagers=t.voided_wagers + 1, voided_cents=t.voided_cents + wager.cents),
    )


def attendant_paid(turn: Turn, award: Award) -> None:
    _change(turn, award.wager, lambda t: replace(t, attendant_paid_cents=t.attendant_paid_cents + award.cents))


def round_stands(turn: Turn) -> None:
    """Count what the round's wagers won."""
    for outcome in turn.state.outcomes:
        if outcome.result is Result.WIN and outcome.line is not None:
            _won(turn, outcome, outcome.line)


def _won(turn: Turn, outcome: Outcome, line: str) -> None:
    def count(tally: Tally) -> Tally:
        before = next((t for t in tally.lines if t.line == line), None)
        if before is None:
            return replace(tally, lines=(*tally.lines, LineTally(line, 1, outcome.award_cents)))
        after = LineTally(line, before.hits + 1, before.award_cents + outcome.award_cents)
        return replace(tally, lines=tuple(after if t is before else t for t in tally.lines))

    _change(turn, outcome.wager, count)


def _change(turn: Turn, wager: str, change: Callable[[Tally], Tally]) -> None:
    turn.set(tallies=tuple(change(t) if t.wager == wager else t for t in turn.state.tallies))
