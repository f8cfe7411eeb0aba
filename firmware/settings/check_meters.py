"""What the regulation asks of meters: seeds and rates as printed for paytable, decks and denomination, or as filed.

Rules:
* What a paytable prints exactly must stand in the configuration exactly; what it prints as the least may be more; what
  it does not print is the Rules Submission's.
* A seed printed in wagers multiplies the meter's denomination: the paytable's own, else the wager's minimum (X13).
* Where the seed is N/A the submission gives the first value; a won meter returns to its reserve (X16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firmware.core.pays import Dollars
from firmware.core.paytables import Paytable, Seed
from firmware.core.readings import ALLOWED, ALLOWED_AT_TABLE, Readings, TableReadings
from firmware.core.settlement import seed_micro
from firmware.settings.amounts import MICRO_PER_CENT, PPM_PER_WHOLE, dollars_text
from firmware.settings.check_facts import Facts, near, one_of
from firmware.settings.model import Meter
from firmware.settings.problems import Problem

FROM_SUBMISSION = "Take it from the Rules Submission."
AS_PRINTED = "Put in what the regulation prints for this paytable, or take the paytable that was filed."
RATES = ("increment", "reserve", "hidden")


def _names(facts: Facts) -> Iterator[Problem]:
    needed = {meter: table for _, table in facts.progressive() for meter in table.meters}
    for name in facts.settings.meters:
        if name not in needed:
            expected = one_of(sorted(needed)) if needed else "no meter: no progressive wager is offered"
            remedy = near(name, sorted(needed)) if needed else "Remove it, or offer the wager."
            yield Problem(("meters", name), "no wager on offer feeds it", expected, remedy)
    for name, table in needed.items():
        if name not in facts.settings.meters:
            yield Problem(
                ("meters", name),
                "missing",
                "seed and increment of every meter that the paytable pays",
                "Add it with the Rules Submission's figures.",
                table.section,
            )


def _denominations(facts: Facts) -> Iterator[Problem]:
    """X13, X14: a meter lives under one denomination, and a chip is worth that."""
    for wager, table in facts.progressive():
        offer = facts.settings.wagers[wager]
        if 0 < offer.minimum_cents < table.least_cents:
            yield Problem(
                ("wagers", wager, "minimum" if offer.minimum else "chip"),
                dollars_text(offer.minimum_cents),
                f"at least {dollars_text(table.least_cents)}",
                "Raise the smallest wager.",
                table.section,
            )
        if offer.chip_cents > offer.minimum_cents and _chosen(facts).X14 == "single":
            yield Problem(
                ("wagers", wager, "chip"),
                f"{offer.chip} with a minimum of {offer.minimum}",
                "one denomination: a chip worth the smallest wager",
                "Make them equal, or take reading X14 back.",
                "X14",
            )


def _seeds(facts: Facts) -> Iterator[Problem]:
    for wager, table, name, meter, printed in _meters(facts):
        readings, at_table = _settled(facts), _chosen(facts)
        denomination = table.denomination_cents or facts.settings.wagers[wager].minimum_cents
        wanted = seed_micro(printed.amount, denomination, readings)
        if wanted is None:
            yield from _without_printed_seed(name, meter, printed, at_table)
            continue
        for key, text, micro in (("seed", meter.seed, meter.seed_micro), ("reseed", meter.reseed, meter.reseed_micro)):
            if not text or micro == wanted or (printed.at_least and micro > wanted):
                continue
            amount = dollars_text(wanted // MICRO_PER_CENT)
            at_least = "at least " if printed.at_least else ""
            how = "" if isinstance(printed.amount, Dollars) else f" ({printed.amount} of {dollars_text(denomination)})"
            yield Problem(
                ("meters", name, key),
                text,
                f"{at_least}{amount}{how} with paytable {table.name!r}",
                "Raise the seed." if printed.at_least else AS_PRINTED,
                printed.section,
            )


def _without_printed_seed(name: str, meter: Meter, printed: Seed, readings: TableReadings) -> Iterator[Problem]:
    if readings.X16 == "pool" and meter.reseed:
        yield Problem(
            ("meters", name, "reseed"),
            meter.reseed,
            "no reseed: the seed is printed N/A, a won meter returns to what its reserve holds",
            'Remove it, or have the submission file reading X16 = "submission".',
            f"{printed.section}, X16",
        )
    if readings.X16 == "submission" and not meter.reseed:
        yield Problem(
            ("meters", name, "reseed"), "missing", "the reseed that the submission files", FROM_SUBMISSION, "X16"
        )
    if readings.X16 == "pool" and readings.X15 != "reseed":
        yield Problem(
            ("rules_submission", "readings", "X15"),
            readings.X15,
            f"reseed: {name} returns to what its reserve holds",
            "Take reading X15 back, or file a reseed under X16.",
            f"{printed.section}, X16",
        )


def _rates(facts: Facts) -> Iterator[Problem]:
    """Rates as printed. Where the text prints its rates, a hidden one would take what it does not say."""
    for _, table, name, meter, printed in _meters(facts):
        hidden_ppm = 0 if printed.increment_ppm is not None else None
        wanted = zip(RATES, (printed.increment_ppm, printed.reserve_ppm, hidden_ppm), strict=True)
        for key, ppm in wanted:
            got = getattr(meter, f"{key}_ppm")
            if ppm is not None and got != ppm:
                yield Problem(
                    ("meters", name, key),
                    f"{getattr(meter, key)} %",
                    f"{_percent(ppm)} % with paytable {table.name!r} and {facts.settings.table.decks} decks",
                    AS_PRINTED,
                    printed.section,
                )
        if printed.increment_ppm is None and meter.increment_ppm == 0:
            yield Problem(
                ("meters", name, "increment"),
                "0",
                "more than 0: a progressive meter rises with wagers",
                "Take the rate of progression from the Rules Submission.",
                "605a.7(a)(1)",
            )


def _limits(facts: Facts) -> Iterator[Problem]:
    for name, meter in facts.settings.meters.items():
        most = max(meter.seed_micro, meter.reseed_micro)
        if meter.limit_micro is not None and meter.limit_micro <= most:
            yield Problem(
                ("meters", name, "limit"),
                meter.limit,
                f"more than the seed, {dollars_text(most // MICRO_PER_CENT)}",
                "Raise the limit, or remove it: the meter could never rise.",
                "605a.7(a)(1)",
            )


def _exact_shares(facts: Facts) -> Iterator[Problem]:
    """X18: what a chip adds is a whole number of millionths of a dollar; X15: shares are shares of the wager."""
    for wager, table in facts.progressive():
        cents = facts.settings.wagers[wager].chip_cents
        total_ppm = 0
        for name in table.meters:
            meter = facts.settings.meters.get(name)
            for key in RATES if meter is not None else ():
                ppm = int(getattr(meter, f"{key}_ppm"))
                total_ppm += ppm
                if cents * MICRO_PER_CENT * ppm % PPM_PER_WHOLE:
                    yield Problem(
                        ("meters", name, key),
                        f"{ppm / 10_000:.4f} % of {dollars_text(cents)} is no whole number of millionths of a dollar",
                        "a share that can be added exactly",
                        "Use fewer decimal places, or another chip.",
                        "X18",
                    )
        if total_ppm >= PPM_PER_WHOLE:
            yield Problem(
                ("meters",),
                f"increments and reserves of {wager} are {total_ppm / 10_000:.4f} % together",
                "less than the whole wager",
                "Correct the rates; they are percent, not parts of one.",
                "X15",
            )


CHECKS: tuple[Callable[[Facts], Iterator[Problem]], ...] = (
    _names,
    _denominations,
    _seeds,
    _rates,
    _limits,
    _exact_shares,
)


def _meters(facts: Facts) -> Iterator[tuple[str, Paytable, str, Meter, Seed]]:
    """Every configured meter of a progressive wager with what is printed for it. With decks that the paytable does not
    allow nothing is printed: `tabled check` says so of the decks."""
    decks = facts.settings.table.decks
    for wager, table in facts.progressive():
        for name in table.meters:
            if name in facts.settings.meters and any(s.meter == name and s.holds_for(decks) for s in table.seeds):
                yield wager, table, name, facts.settings.meters[name], table.seed(name, decks)


def _settled(facts: Facts) -> Readings:
    """The table's readings; one that does not exist is reported elsewhere and is not taken."""
    given = facts.settings.rules_submission.readings
    return Readings.choose({id: value for id, value in given.items() if value in ALLOWED.get(id, ())})


def _chosen(facts: Facts) -> TableReadings:
    given = facts.settings.rules_submission.readings
    return TableReadings.choose({id: value for id, value in given.items() if value in ALLOWED_AT_TABLE.get(id, ())})


def _percent(ppm: int) -> str:
    """As `amounts.PERCENT_PATTERN` has it: 5_000 -> "0.5"."""
    return f"{ppm // 10_000}.{ppm % 10_000:04d}".rstrip("0").rstrip(".")
