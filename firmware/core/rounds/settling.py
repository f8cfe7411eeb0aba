"""Settling a live round: the state as a `RoundToSettle`, and what comes back as outcomes and awards, in payment order.

The same `settle` that `tabled settle` runs, in two stages; the daemon has no rules of its own about who wins.
"""

from __future__ import annotations

from typing import Any

from firmware.core import awards
from firmware.core.cards import Card, Suit
from firmware.core.effects import LineCalled, RoundSettled, SettlementShown
from firmware.core.roulette_wheel import Wheel
from firmware.core.rules import TableRules
from firmware.core.settlement import hit_lines
from firmware.core.settlement import settle as settle_round
from firmware.core.settlement_data import Offer, RoundToSettle, Settlement
from firmware.core.shown import Shown
from firmware.core.state import CalledLine, Outcome, State
from firmware.core.turn import Turn
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.wager import PlacedWager, Seat, Stage, Table, Won


def settle(turn: Turn, stage: Stage, shown: Shown) -> None:
    """Settle the wagers of a stage by what the round shows; put them on record and lock the awards among them."""
    state, rules = turn.state, turn.rules
    turn.emit(RoundSettled(state.round, stage, shown))
    settled = settle_round(round_to_settle(rules, state, shown), rules.catalogue, stage)
    outcomes = tuple(_outcome(s) for s in settled.settlements)
    called = _called(rules, shown, stage)
    turn.set(settled=(*state.settled, stage), outcomes=state.outcomes + outcomes, called=state.called + called)
    for o in outcomes:
        turn.emit(
            SettlementShown(o.position, o.wager, o.result, o.line, o.award_cents, o.stake_returned_cents, o.meter)
        )
    for c in called:
        turn.emit(LineCalled(c.wager, c.line))
    awards.lock(turn, outcomes, settled.envy)


def round_to_settle(rules: TableRules, state: State, shown: Shown) -> RoundToSettle[Any]:
    """This round as `settle` takes it. Meters are as they stand: nothing is added between lock-out and settlement."""
    paid = rules.paytable_meters()
    names = {m.name for m in paid}
    return RoundToSettle(
        game=GAMES[rules.game],
        table=table_of(rules),
        offered={o.wager: Offer(o.paytable) for o in rules.offers},
        wagers=tuple(PlacedWager(w.position, w.wager, w.cents) for w in state.wagers if rules.is_own(w.wager)),
        dealt=shown.world(),
        meters={m.name: m.shown_micro for m in state.meters if m.name in names},
        seeds={m.name: m.reseed_micro for m in paid if m.reseed_micro is not None},
        reserves={m.name: m.reserve_micro for m in state.meters if m.name in names},
        readings=rules.chosen_readings(),
        validated_over_for_one=rules.awards.validated_over_for_one,
    )


def table_of(rules: TableRules) -> Table:
    """What is fixed at the table, as `settle` takes it."""
    return Table(
        rules.decks if rules.has_shoe else None,
        {c.position: frozenset({Card.parse(c.king), Card.parse(c.nine)}) for c in rules.combinations},
        Suit(rules.declared_suit) if rules.declared_suit else None,
        Wheel(rules.wheel) if rules.wheel else None,
    )


def _outcome(s: Settlement) -> Outcome:
    return Outcome(
        s.position,
        s.wager,
        s.result,
        s.line,
        s.award_cents,
        s.stake_returned_cents,
        s.meter,
        s.validation,
        s.section,
    )


def _called(rules: TableRules, shown: Shown, stage: Stage) -> tuple[CalledLine, ...]:
    """The winning lines of wagers without a sensor: the dealer pays them by what lies on the layout."""
    game, dealt, table = GAMES[rules.game], shown.world(), table_of(rules)
    out = []
    for offer in rules.offers:
        _, wager = game.by_name[offer.wager]
        if not offer.sensed and wager.stage is stage:
            paytable = rules.catalogue.paytable(rules.game, offer.wager, offer.paytable)
            verdict = wager.judge(dealt, Seat(0, table, paytable, rules.chosen_readings()))
            if isinstance(verdict, Won) and (lines := hit_lines(verdict, paytable)):
                out.append(CalledLine(offer.wager, lines[0].name))
    return tuple(out)
