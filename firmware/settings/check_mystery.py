"""What the regulation and the money ask of the must-hit-by mystery bonus (629b.3(h), 631b.6, M3-M5, M14)."""

from __future__ import annotations

from collections.abc import Iterator

from firmware.core.money import cents_to_micro
from firmware.core.paytables import Catalogue, MysteryRow, MysteryText, Paytable
from firmware.settings.amounts import MICRO_PER_CENT, PPM_PER_WHOLE, cents, dollars_text
from firmware.settings.model import Mystery, Profile, Settings
from firmware.settings.problems import Problem, Severity
from firmware.settings.rules import mystery_row


def problems(settings: Settings, catalogue: Catalogue, today: str) -> Iterator[Problem]:
    """Everything that speaks against the bonus as it is configured."""
    options = settings.mystery
    if options is None:
        return
    texts = [text for text in catalogue.mysteries if text.game == settings.table.game]
    if options.wager not in {text.wager for text in texts}:
        yield Problem(
            ("mystery", "wager"),
            f"no section in hand gives {settings.table.game} a mystery bonus on {options.wager!r}",
            f"one of {', '.join(sorted({text.wager for text in texts}))}" if texts else "none for this game",
            "Correct the wager, or remove [mystery].",
            "629b.3(h), 631b.6, R19",
        )
        return
    found = mystery_row(options, settings.table.game, catalogue)
    if found is None:
        names = sorted({row.name for text in texts if text.wager == options.wager for row in text.rows})
        yield Problem(
            ("mystery", "configuration"),
            f"no configuration {options.configuration!r}",
            f"one of {', '.join(names)}",
            "Take the one that the Rules Submission names.",
            texts[0].section,
        )
        return
    text, row = found
    yield from _in_force(settings, text, today)
    yield from _wager(settings, options, text, row, catalogue)
    yield from _range(settings, options, text, row)
    yield from _void(settings, text)


def _in_force(settings: Settings, text: MysteryText, today: str) -> Iterator[Problem]:
    """X26, as for the paytables: what has lapsed needs somebody who stands for it; a bench is only told."""
    if text.in_force(today):
        return
    submission = settings.rules_submission
    answered = bool(submission.expired_rules_accepted_by.strip() and submission.expired_rules_reason.strip())
    playable = answered or settings.table.profile is Profile.SIMULATED
    yield Problem(
        ("mystery", "configuration"),
        f"{text.source} is not in force on {today} (in force from {text.effective} until {text.expires})",
        "a text in force, or rules_submission.expired_rules_accepted_by and expired_rules_reason",
        f"Played all the same: {submission.expired_rules_accepted_by} answers for it."
        if answered
        else "Leave the bonus out, or have somebody answer for it by name and reason.",
        f"{text.section}, X26",
        Severity.WARNING if playable else Severity.REFUSED,
    )


def _wager(
    settings: Settings, options: Mystery, text: MysteryText, row: MysteryRow, catalogue: Catalogue
) -> Iterator[Problem]:
    offer = settings.wagers.get(options.wager)
    if offer is None:
        yield Problem(
            ("mystery", "wager"),
            f"{options.wager} is not offered",
            "a progressive wager that the table offers",
            "Offer it, or remove [mystery].",
            text.section,
        )
        return
    table = _paytable(settings, options, catalogue)
    least_cents = 0 if table is None else table.least_cents
    if row.wager_minimum_cents is not None and row.wager_minimum_cents < least_cents:
        yield Problem(
            ("mystery", "configuration"),
            f"{row.name!r}, which is for a least wager of {dollars_text(row.wager_minimum_cents)}",
            f"a configuration for {dollars_text(least_cents)} or more: {options.wager} takes no less",
            "Take one of "
            + ", ".join(one.name for one in text.rows if (one.wager_minimum_cents or 0) >= least_cents)
            + ".",
            f"{text.section}, M4",
        )
    elif row.wager_minimum_cents is not None and row.wager_minimum_cents != offer.minimum_cents:
        yield Problem(
            ("mystery", "configuration"),
            f"{row.name!r}, which is for a least wager of {dollars_text(row.wager_minimum_cents)}",
            f"the table's least wager, {dollars_text(offer.minimum_cents)}",
            "Take the configuration of the table's least wager, or correct the wager's minimum.",
            f"{text.section}, M5",
        )
    if options.largest_wager_cents < max(offer.chip_cents, offer.minimum_cents):
        yield Problem(
            ("mystery", "maximum_wager"),
            f"{options.maximum_wager}, under a chip of {dollars_text(max(offer.chip_cents, offer.minimum_cents))}",
            "the largest wager that the table takes",
            "Raise it: what a larger wager adds could lift the meter over its maximum.",
            "M3",
        )
    rates = {("mystery", "configuration"): offer.chip_cents, ("mystery", "maximum_wager"): options.largest_wager_cents}
    for path, amount_cents in rates.items():
        if amount_cents * MICRO_PER_CENT * row.increment_ppm % PPM_PER_WHOLE:
            yield Problem(
                path,
                f"{row.increment_ppm / 10_000:.4f} % of {dollars_text(amount_cents)} is no whole number of millionths",
                "a share that can be added exactly",
                "Take another chip.",
                "X18",
            )


def _void(settings: Settings, text: MysteryText) -> Iterator[Problem]:
    """A round that is void before its chip count is over is never compared with the trigger: what it left on the meter
    would lift it over its maximum, void by void."""
    if settings.rules_submission.readings.get("X22") == "refund_only":
        yield Problem(
            ("rules_submission", "readings", "X22"),
            "refund_only, with a must-hit-by bonus",
            "reverse: only contributions that were compared with the trigger may stay on its meter",
            "Take the reading back, or leave the bonus out.",
            f"{text.section}, M3, M8, X22",
        )


def _paytable(settings: Settings, options: Mystery, catalogue: Catalogue) -> Paytable | None:
    """The wager's own paytable; None where another check has refused its name."""
    known = catalogue.paytables(settings.table.game, options.wager)
    return next((one for one in known if one.name == settings.wagers[options.wager].paytable), None)


def _range(settings: Settings, options: Mystery, text: MysteryText, row: MysteryRow) -> Iterator[Problem]:
    path = ("mystery", "bench_maximum")
    if options.bench_maximum and settings.table.profile is not Profile.SIMULATED:
        yield Problem(
            path,
            f"{options.bench_maximum} in the {settings.table.profile.value} profile",
            f"the section's own maximum, {dollars_text(row.maximum_cents)}",
            "Remove it: it is for a bench.",
            text.section,
        )
    if options.bench_maximum and cents(options.bench_maximum) > row.maximum_cents:
        yield Problem(
            path,
            options.bench_maximum,
            f"at most the section's {dollars_text(row.maximum_cents)}",
            "Lower or remove it.",
            text.section,
        )
    least_micro, must_hit_by_micro = cents_to_micro(row.minimum_cents), cents_to_micro(options.must_hit_by_cents(row))
    largest_micro = options.largest_wager_cents * MICRO_PER_CENT * row.increment_ppm // PPM_PER_WHOLE
    if must_hit_by_micro - largest_micro <= least_micro:
        yield Problem(
            path if options.bench_maximum else ("mystery", "maximum_wager"),
            f"a wager of {options.maximum_wager} may add {largest_micro} millionths of a dollar, the range from "
            f"{dollars_text(row.minimum_cents)} to {dollars_text(options.must_hit_by_cents(row))} is no wider",
            "a range in which a trigger can be drawn",
            "Lower the largest wager, or widen the range.",
            "M3",
        )
