"""What a table with a wheel, and one with cards, must state of it; and the weights of what is drawn.

Rules (617a.1(d), 617b.1(e), B3): a game of cards has decks and no wheel, Roulette a wheel and no decks. A wager whose
odds are drawn has a certified weight above zero for every value that the section lists, and for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firmware.core.pays import DrawnToOne
from firmware.core.paytables import Paytable
from firmware.settings.amounts import fractions
from firmware.settings.check_facts import Facts
from firmware.settings.problems import Problem

SPUN = frozenset({"roulette"})
"""Games with a roulette wheel."""


def _what_is_played_with(facts: Facts) -> Iterator[Problem]:
    table = facts.settings.table
    if table.game in SPUN:
        if table.decks:
            yield Problem(("table", "decks"), f"got {table.decks}", "none: the game has no cards", "Remove it.")
        if not table.wheel:
            yield Problem(
                ("table", "wheel"), "missing", "single_zero or double_zero", "Name the wheel.", "617a.1(d), U4"
            )
    else:
        if not table.decks:
            yield Problem(("table", "decks"), "missing", "the decks in the shoe, 1 to 8", "Add it.")
        if table.wheel:
            yield Problem(("table", "wheel"), f"got {table.wheel}", "none: the game has no wheel", "Remove it.")


def _suited(facts: Facts) -> Iterator[Problem]:
    wheel = facts.settings.table.wheel
    for wager, paytable in facts.paytables.items():
        if wheel and paytable.wheels and wheel not in paytable.wheels:
            yield Problem(
                ("wagers", wager, "paytable"),
                f"{paytable.name!r} with a {wheel} wheel",
                f"a {' or '.join(paytable.wheels)} wheel",
                "Take the paytable that the Rules Submission names for this wheel.",
                paytable.section,
            )


def _weights(facts: Facts) -> Iterator[Problem]:
    drawn = {wager: odds for wager, table in facts.paytables.items() if (odds := _drawn(table))}
    for wager in facts.settings.weights.keys() - drawn.keys():
        expected = f"only of what is drawn here: {', '.join(drawn) or 'nothing'}"
        yield Problem(("weights", wager), "given", expected, "Remove it, or offer the wager.", "B3")
    for wager, values in drawn.items():
        path = ("weights", wager)
        section = f"{facts.paytables[wager].section}, B3"
        given = facts.settings.weights.get(wager)
        if given is None:
            listed = ", ".join(map(str, values))
            yield Problem(path, "missing", f"a weight for each of {listed}", "Add the certified weights.", section)
            continue
        if set(given) != set(map(str, values)):
            listed = ", ".join(map(str, values))
            yield Problem(path, f"of {', '.join(given)}", f"each of {listed}", "Put in what is certified.", section)
        try:
            total = sum(fractions(given).values())
        except ValueError as error:
            yield Problem(path, str(error), "exact fractions", "Put in what is certified.", section)
            continue
        if total != 1:
            yield Problem(path, f"the weights sum to {total}", "exactly 1", "Put in what is certified.", section)


def _drawn(paytable: Paytable) -> tuple[int, ...]:
    """The odds that may be drawn for the wager; empty: none are."""
    return next((line.pay.listed for line in paytable.lines if isinstance(line.pay, DrawnToOne)), ())


CHECKS: tuple[Callable[[Facts], Iterator[Problem]], ...] = (_what_is_played_with, _suited, _weights)
