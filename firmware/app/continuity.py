"""Whether a journal may go on under a configuration: what of a table can't be changed by editing a file.

Rules:
* A journal belongs to one table, its profile (production or simulated), its spots and its meters. A
  meter lives under one denomination (X13, R14).
* Seeds, rates and limits of a meter that lives change only as two persons have ordered (`State.parameters`); readings
  that decide where its money goes don't change at all.
* A round is finished under the rules under which its wagers were accepted.
* A mystery bonus keeps the figures that its trigger was drawn for: they are what it must be hit by.
* Everything else (times, devices, looks, other chips) may change between two starts.
"""

from __future__ import annotations

from firmware.core.rules import TableRules
from firmware.core.state import Phase, State


def reasons_against_profile(old: str, new: str) -> tuple[str, ...]:
    """A simulated table's meters and awards are no money, and a real table's are not to be played with."""
    if old == new:
        return ()
    return (f"it is the journal of a {old} table, the configuration's profile is {new}: each has its own journal",)


def reasons_against(old: TableRules, new: TableRules, state: State) -> tuple[str, ...]:
    """Why the state that was recorded under `old` can't go on under `new`; each says what to do. Empty: it can."""
    reasons = []
    if (old.table_id, old.game) != (new.table_id, new.game):
        reasons.append(
            f"it is the journal of table {old.table_id} ({old.game}), the configuration is for table {new.table_id} "
            f"({new.game}): use this table's own journal"
        )
    if [(s.position, s.wager) for s in old.spots] != [(s.position, s.wager) for s in new.spots]:
        reasons.append("its betting spots are not those of the configuration" + _TRANSFER)
    if [m.name for m in old.meters] != [m.name for m in new.meters]:
        reasons.append("its meters are not those of the configuration" + _TRANSFER)
    elif old.mystery != new.mystery or _of_mystery(old) != _of_mystery(new):
        reasons.append(
            "the mystery bonus's trigger was drawn for other figures than the configuration has: range, rate, wager "
            "and way of payment stay until it ends" + _TRANSFER
        )
    paytables = {o.wager: o.paytable for o in new.offers}
    for wager in sorted({m.wager for m in old.meters}):
        was = next(o.paytable for o in old.offers if o.wager == wager)
        if wager in paytables and paytables[wager] != was:
            reasons.append(
                f"the meters of {wager} were filled under paytable {was!r}, the configuration has "
                f"{paytables[wager]!r}; a meter lives under one denomination" + _TRANSFER
            )
    reasons += _live_parameters(old, new, state)
    if state.lock is not None and state.phase is not Phase.VOIDED and _money(old) != _money(new):
        reasons.append(
            f"round {state.round} is in play ({state.phase}) and what decides its awards has changed: finish or "
            "void it under the old configuration and firmware"
        )
    return tuple(reasons)


def _live_parameters(old: TableRules, new: TableRules, state: State) -> list[str]:
    """Parameters of meters that live: seeds, rates and limits change by order only, what a wager is and what the
    meters' readings are not at all."""
    reasons = []
    was = {rule.name: rule for rule in old.meters}
    for rule in new.meters:
        if rule.name in was and rule != was[rule.name] and rule not in state.parameters:
            changed = [name for name in rule.__struct_fields__ if getattr(rule, name) != getattr(was[rule.name], name)]
            figures = ", ".join(
                f"{name} was {_figure(getattr(was[rule.name], name))}, is {_figure(getattr(rule, name))}"
                for name in changed
            )
            reasons.append(
                f"meter {rule.name} lives and its parameters have changed ({figures}): use the old configuration; two "
                "persons may order these (tabled order change-parameters) before the daemon starts with them"
            )
    fed = {rule.wager for rule in old.meters}
    cents = {(s.wager, s.position): s.cents for s in old.spots if s.wager in fed}
    for wager in sorted({s.wager for s in new.spots if cents.get((s.wager, s.position), s.cents) != s.cents}):
        reasons.append(f"the chip of {wager} has changed; a meter lives under one denomination" + _TRANSFER)
    for id, was_read in _meter_readings(old).items() if old.meters else ():
        is_read = _meter_readings(new)[id]
        if is_read != was_read:
            reasons.append(f"reading {id} was {was_read}, is {is_read}, and its meters live" + _TRANSFER)
    return reasons


def _meter_readings(rules: TableRules) -> dict[str, str]:
    """The readings that decide where a meter's money goes."""
    settled, at_table = rules.chosen_readings(), rules.table_readings()
    return {"X4": settled.X4, "X15": at_table.X15, "X16": at_table.X16, "X17": settled.X17, "X22": at_table.X22}


def _figure(value: object) -> str:
    return "none" if value is None else str(value)


def _of_mystery(rules: TableRules) -> tuple[object, ...]:
    return tuple(m for m in rules.meters if rules.mystery is not None and m.name == rules.mystery.meter)


_TRANSFER = ": use the old configuration, or begin a new journal and file the meters' transfer"


def _money(rules: TableRules) -> tuple[object, ...]:
    """Everything that can change who wins how much."""
    return (
        rules.decks, rules.positions, rules.offers, rules.spots, rules.meters, sorted(map(repr, rules.combinations)),
        rules.readings, rules.awards, tuple(rules.catalogue.texts),
    )  # fmt: skip
