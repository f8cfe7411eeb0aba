"""Every paytable with a meter, live or not, against every shoe that it allows: as printed it passes, anything else is
refused with its key, its section and a remedy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from firmware.core.pays import Dollars, FromReserve, TimesOrDollars, TimesWager
from firmware.core.paytables import Paytable, Seed, WagerText
from firmware.core.rounds.machine import MACHINES
from firmware.settings.amounts import dollars_text
from firmware.settings.model import Meter, Settings, Submission, Wager
from firmware.settings.problems import Problem
from tests.settings.tables import CATALOGUE, refused, simulated

BASE = simulated()
Case = tuple[WagerText, Paytable, int]


def cases() -> Iterator[Case]:
    for text in CATALOGUE.texts:
        for paytable in text.paytables:
            if paytable.progressive:
                most = paytable.most_decks or 8
                for decks in range(paytable.least_decks, most + 1):
                    yield text, paytable, decks


CASES = list(cases())


def name_of(case: Case) -> str:
    text, paytable, decks = case
    return f"{text.section}-{text.wager}-{paytable.name}-{decks}"


every_case = pytest.mark.parametrize("case", CASES, ids=name_of)


def denomination_cents(paytable: Paytable) -> int:
    return paytable.denomination_cents or max(500, paytable.least_cents)


def printed_cents(seed: Seed, denomination: int) -> int | None:
    """What the regulation says, worked out here once more."""
    match seed.amount:
        case Dollars(cents):
            return cents
        case TimesWager(times) | TimesOrDollars(times):
            return times * denomination
        case FromReserve():
            return None


def percent(ppm: int) -> str:
    return f"{ppm // 10_000}.{ppm % 10_000:04d}"


def as_printed(paytable: Paytable, decks: int) -> dict[str, Meter]:
    out = {}
    for name in paytable.meters:
        seed = paytable.seed(name, decks)
        out[name] = Meter(
            seed=dollars_text(printed_cents(seed, denomination_cents(paytable)) or 12_300),
            increment=percent(10_000 if seed.increment_ppm is None else seed.increment_ppm),
            reserve=percent(seed.reserve_ppm or 0),
        )
    return out


def table(case: Case, readings: dict[str, str] | None = None, **changes: str) -> Settings:
    """A table that offers this wager; `changes` go into its first meter."""
    text, paytable, decks = case
    base = BASE
    meters = as_printed(paytable, decks)
    first = paytable.meters[0]
    meters[first] = replace(meters[first], **changes)
    royal = base.wagers["royal_9_progressive"]
    return replace(
        base,
        table=replace(base.table, game=text.game, decks=decks),
        wagers={
            text.wager: Wager(
                paytable=paytable.name,
                chip=dollars_text(denomination_cents(paytable)),
                spots=royal.spots,
                lamps=royal.lamps,
            )
        },
        meters=meters,
        combinations=base.combinations if "royal_9" in text.wager else {},
        rules_submission=Submission(
            reference="x", expired_rules_accepted_by="a", expired_rules_reason="b", readings=readings or {}
        ),
    )


def about_meters(settings: Settings) -> list[Problem]:
    """Problems of this table but those that a table without its base wagers, with a baccarat shoe, or of a game not
    played, has anyhow."""
    others = ("wagers", "table.game", "table.declared_suit", "devices.shoe.kind")
    if settings.table.game == "roulette":
        others += ("table.decks", "table.wheel", "devices", *(f"wagers.{wager}" for wager in settings.wagers))
    return [p for p in refused(settings) if p.key not in others]


def the_one(settings: Settings, key: str) -> Problem:
    found = about_meters(settings)
    assert [p.key.split(".")[-1] for p in found] == [key], [p.text("f") for p in found]
    assert found[0].section
    assert len(found[0].remedy) > 10
    return found[0]


def test_there_is_a_case_for_every_meter_of_the_regulation() -> None:
    names = {meter for _, paytable, _ in CASES for meter in paytable.meters}
    assert names == {
        "royal_9.mega", "royal_9.major", "royal_9.minor", "heavenly_9", "roulette_up", "21_plus_3", "royal_match",
        "blazing_7s.mega", "blazing_7s.major", "blazing_7s.minor",
    }  # fmt: skip
    assert {paytable.name for text, paytable, _ in CASES if text.wager == "21_plus_3_progressive"} == {
        str(number) for number in range(1, 12)
    }


@every_case
def test_as_printed_it_passes(case: Case) -> None:
    settings = table(case)
    assert about_meters(settings) == []
    played = [p for p in refused(settings) if p.key == "table.game"]
    assert bool(played) == (case[0].game not in MACHINES), "a game that is not played is refused for that alone"


@every_case
def test_a_cent_below_the_printed_seed_is_refused(case: Case) -> None:
    _, paytable, decks = case
    printed = paytable.seed(paytable.meters[0], decks)
    cents = printed_cents(printed, denomination_cents(paytable))
    if cents is None:
        assert about_meters(table(case, seed="0.00")) == [], "N/A: the submission's first value, 0 allowed (X16)"
        return
    assert the_one(table(case, seed=dollars_text(cents - 1)), "seed").section == printed.section
    assert the_one(table(case, reseed=dollars_text(cents - 1)), "reseed").section == printed.section


@every_case
def test_a_cent_above_the_printed_seed_is_refused_where_it_is_exact(case: Case) -> None:
    _, paytable, decks = case
    printed = paytable.seed(paytable.meters[0], decks)
    cents = printed_cents(printed, denomination_cents(paytable))
    if cents is None:
        return
    settings = table(case, seed=dollars_text(cents + 1), reseed=dollars_text(cents))
    if printed.at_least:
        assert about_meters(settings) == []
    else:
        assert dollars_text(cents) in the_one(settings, "seed").expected


@every_case
@pytest.mark.parametrize("rate", ["increment", "reserve"])
def test_another_rate_than_printed_is_refused(case: Case, rate: str) -> None:
    _, paytable, decks = case
    printed = paytable.seed(paytable.meters[0], decks)
    ppm = getattr(printed, f"{rate}_ppm")
    wrong = table(case, **{rate: percent((ppm or 0) + 10_000)})
    if ppm is None:
        assert about_meters(wrong) == [], "not printed: the Rules Submission's"
    else:
        problem = the_one(wrong, rate)
        assert problem.section == printed.section
        assert f"{decks} decks" in problem.expected


@every_case
def test_a_hidden_rate_only_where_the_text_prints_none(case: Case) -> None:
    _, paytable, decks = case
    settings = table(case, hidden="1")
    if paytable.seed(paytable.meters[0], decks).increment_ppm is None:
        assert about_meters(settings) == []
    else:
        the_one(settings, "hidden")


@every_case
def test_a_limit_lies_above_the_seed(case: Case) -> None:
    assert about_meters(table(case, limit="999999999.99")) == []
    assert the_one(table(case, limit="0.01"), "limit").got == "0.01"


NOT_SEEDED = next(case for case in CASES if case[1].seed(case[1].meters[0], case[2]).amount is FromReserve.BALANCE)
TIMES_OR_DOLLARS = next(case for case in CASES if isinstance(case[1].seeds[-1].amount, TimesOrDollars) and case[2] == 8)


def test_without_a_printed_seed_the_reserve_is_the_reseed_unless_filed_otherwise() -> None:
    assert "N/A" in the_one(table(NOT_SEEDED, reseed="5.00"), "reseed").expected
    filed = {"X16": "submission"}
    assert about_meters(table(NOT_SEEDED, filed, reseed="5.00")) == []
    assert the_one(table(NOT_SEEDED, filed), "reseed").got == "missing"
    assert the_one(table(NOT_SEEDED, {"X15": "second_meter"}), "X15").section == "633b.17(h), X16"


def test_the_seed_printed_in_dollars_under_a_heading_of_wagers() -> None:
    """G6: 2,000 times a $5 wager, or $2,000."""
    assert about_meters(table(TIMES_OR_DOLLARS, {"G6": "dollars"}, seed="2000.00")) == []
    the_one(table(TIMES_OR_DOLLARS, seed="2000.00"), "seed")


def test_a_seed_in_wagers_follows_the_denomination() -> None:
    case = next(case for case in CASES if case[0].wager == "roulette_up_progressive")
    settings = table(case)
    (wager,) = settings.wagers.values()
    dollar = replace(settings, wagers={"roulette_up_progressive": replace(wager, chip="1.00")})
    assert [p.key for p in about_meters(dollar)] == ["meters.roulette_up.seed"]
    assert "10000.00 (10,000x of 1.00)" in about_meters(dollar)[0].expected
    mended = replace(dollar, meters={"roulette_up": replace(settings.meters["roulette_up"], seed="10000.00")})
    assert about_meters(mended) == []


def test_a_chip_above_the_denomination_unless_one_denomination_is_filed() -> None:
    case = next(case for case in CASES if case[0].wager == "roulette_up_progressive")
    for readings, keys in (({}, []), ({"X14": "single"}, ["chip"])):
        settings = table(case, readings)
        (wager,) = settings.wagers.values()
        larger = replace(settings, wagers={"roulette_up_progressive": replace(wager, chip="25.00", minimum="5.00")})
        assert [p.key.split(".")[-1] for p in about_meters(larger)] == keys


def test_a_wager_under_the_least_of_its_section() -> None:
    case = next(case for case in CASES if case[0].wager == "heavenly_9_progressive")
    settings = table(case)
    (wager,) = settings.wagers.values()
    small = replace(settings, wagers={"heavenly_9_progressive": replace(wager, chip="1.00")})
    assert [(p.key, p.section) for p in about_meters(small)] == [("wagers.heavenly_9_progressive.chip", "631b.2(i)")]


@pytest.mark.parametrize("id", ["X14", "X15", "X16", "X22"])
def test_a_reading_of_the_table_has_its_values(id: str) -> None:
    the_one(table(NOT_SEEDED, {id: "perhaps"}), id)
