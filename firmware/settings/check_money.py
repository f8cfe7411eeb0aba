"""What the regulation and the money ask of a table: wagers, paytables, combinations, readings; and `check_meters`.

Each check is a generator of problems over the same three facts; the list at the end is all there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firmware.core.cards import Card, Rank
from firmware.core.errors import SettlementError
from firmware.core.paytables import Catalogue, WagerText
from firmware.core.readings import ALLOWED_AT_TABLE, Readings, TableReadings
from firmware.core.rounds.machine import MACHINES
from firmware.core.wagers.games import DEALT_IN_BY, GAMES, LIVE_WAGERS
from firmware.core.wagers.wager import TableKey
from firmware.settings import check_dealt_in, check_meters, check_wheel
from firmware.settings.amounts import dollars_text
from firmware.settings.check_facts import Facts, near, one_of
from firmware.settings.check_results import ROLE_OF
from firmware.settings.model import Profile, Settings
from firmware.settings.problems import Problem, Severity

PROGRESSIVE_DEVICE = "627b.3(a)(1)"
PERSONAL_COMBINATION = "627b.3(e)(5)"

BASE_WAGERS = ("player", "banker")
"""A patron must have one of the game's own wagers down to place an optional one, so the table must offer them."""

ONE_PAYTABLE = (("perfect_pairs_player", "perfect_pairs_banker", "627b.1(e)"),)
"""Wagers for which the Rules Submission selects one paytable together."""


def problems(settings: Settings, catalogue: Catalogue, today: str) -> tuple[Problem, ...]:
    """Every problem of money and rules. An unknown game is reported alone: nothing else can be judged then."""
    game = settings.table.game
    games = sorted({text.game for text in catalogue.texts})
    if game not in games:
        got = f"no paytables for the game {game!r}"
        return (Problem(("table", "game"), got, one_of(MACHINES), near(game, list(MACHINES)), "Chapter 627b"),)
    offered = {}
    for wager, offer in settings.wagers.items():
        try:
            offered[wager] = catalogue.paytable(game, wager, offer.paytable)
        except SettlementError:
            continue  # reported by `_paytables`, which says which of the two is wrong
    facts = Facts(settings, catalogue, today, offered)
    return tuple(problem for check in CHECKS for problem in check(facts))


def _game(facts: Facts) -> Iterator[Problem]:
    """A game that is not played is refused, and the rest of its table is judged all the same."""
    game = facts.settings.table.game
    if game not in MACHINES:
        got = f"{game!r}, which is settled from records but not played yet"
        yield Problem(("table", "game"), got, one_of(MACHINES), "Name a game that a table plays.")


def _paytables(facts: Facts) -> Iterator[Problem]:
    game = facts.settings.table.game
    known = sorted({text.wager for text in facts.catalogue.texts if text.game == game})
    for wager, offer in facts.settings.wagers.items():
        if wager == DEALT_IN_BY.get(game):
            continue
        if wager not in known:
            yield Problem(("wagers", wager), f"no wager of {game}", one_of(known), near(wager, known))
            continue
        text = facts.catalogue.text(game, wager)
        if game in MACHINES and (game, wager) not in LIVE_WAGERS:
            yield Problem(
                ("wagers", wager),
                "settled from records, but not played at a table yet",
                one_of(sorted(name for of_game, name in LIVE_WAGERS if of_game == game)),
                "Remove it.",
                f"{text.section}, N4" if wager == "lucky_nines" else text.section,
            )
        names = [table.name for table in facts.catalogue.paytables(game, wager)]
        if offer.paytable not in names:
            yield Problem(
                ("wagers", wager, "paytable"),
                f"no paytable {offer.paytable!r}",
                one_of(names),
                "Take the paytable that the Rules Submission names.",
                text.section,
            )


def _decks(facts: Facts) -> Iterator[Problem]:
    decks = facts.settings.table.decks
    if ROLE_OF.get(facts.settings.table.game) is not None:
        return  # `check_wheel` asks for none
    short = {wager: table for wager, table in facts.paytables.items() if decks < table.least_decks}
    if short:
        strictest = max(short.values(), key=lambda table: table.least_decks)
        yield Problem(
            ("table", "decks"),
            f"{decks} for {', '.join(short)}",
            f"at least {strictest.least_decks}: with fewer a line of the paytable can't be hit",
            "Correct the decks, or do not offer the wager.",
            strictest.section,
        )
    for wager, table in facts.paytables.items():
        if table.most_decks is not None and decks > table.most_decks:
            yield Problem(
                ("table", "decks"),
                f"{decks} for {wager}",
                f"at most {table.most_decks}",
                "Correct the decks, or do not offer the wager.",
                table.section,
            )


def _lapsed(facts: Facts) -> Iterator[Problem]:
    """X26: what has lapsed by its own terms is played only when somebody stands for it by name and reason."""
    submission = facts.settings.rules_submission
    name, reason = submission.expired_rules_accepted_by.strip(), submission.expired_rules_reason.strip()
    if bool(name) != bool(reason):
        missing = "expired_rules_reason" if name else "expired_rules_accepted_by"
        yield Problem(
            ("rules_submission", missing),
            "empty, though the other of the two is given",
            "both a name and a reason, or neither",
            f"Fill in {missing}; both are journalled.",
            "X26",
        )
    answered = bool(name and reason)
    playable = answered or facts.settings.table.profile is Profile.SIMULATED
    for text, wagers in _lapsed_texts(facts).items():
        yield Problem(
            ("wagers", wagers[0], "paytable"),
            f"{', '.join(wagers)}: {text.source} is not in force on {facts.today} "
            f"(in force from {text.effective}{f' until {text.expires}' if text.expires else ''})",
            "a text in force, or rules_submission.expired_rules_accepted_by and expired_rules_reason",
            f"Played all the same: {name} answers for it ({reason})."
            if answered
            else "Offer it under a text in force, or have somebody answer for it by name and reason.",
            f"{text.section}, X26",
            Severity.WARNING if playable else Severity.REFUSED,
        )


def _lapsed_texts(facts: Facts) -> dict[WagerText, list[str]]:
    """Texts that are offered and not in force, each the first of its chapter, with the wagers of that chapter."""
    first: dict[tuple[str, str | None], WagerText] = {}
    lapsed: dict[WagerText, list[str]] = {}
    for wager in facts.paytables:
        try:
            facts.catalogue.text(facts.settings.table.game, wager, facts.today)
        except SettlementError:
            text = facts.catalogue.text(facts.settings.table.game, wager)
            lapsed.setdefault(first.setdefault((text.source, text.expires), text), []).append(wager)
    return lapsed


def _one_paytable(facts: Facts) -> Iterator[Problem]:
    for first, second, section in ONE_PAYTABLE:
        one, other = facts.paytables.get(first), facts.paytables.get(second)
        if one is not None and other is not None and one.name != other.name:
            yield Problem(
                ("wagers", second, "paytable"),
                f"{other.name!r} while {first} has {one.name!r}",
                "one paytable for both",
                "Take the one that the Rules Submission selects.",
                section,
            )


def _base_wagers(facts: Facts) -> Iterator[Problem]:
    known = {text.wager for text in facts.catalogue.texts if text.game == facts.settings.table.game}
    missing = [wager for wager in BASE_WAGERS if wager in known and wager not in facts.settings.wagers]
    if missing:
        yield Problem(
            ("wagers",),
            "without " + " and ".join(missing),
            "the game's own wagers beside the optional ones",
            "Offer them; called (without spots) is enough.",
            "627b.2(c)",
        )


def _amounts(facts: Facts) -> Iterator[Problem]:
    for wager, offer in facts.settings.wagers.items():
        path = ("wagers", wager)
        if wager == DEALT_IN_BY.get(facts.settings.table.game):
            continue
        if offer.sensed and not offer.chip_cents:
            got = "is 0.00" if offer.chip else "the key is missing"
            yield Problem((*path, "chip"), got, "the value of the chip on a sensed spot", "Add it in dollars.", "X11")
        if not offer.sensed and offer.chip:
            yield Problem(
                (*path, "chip"),
                "given for a wager without spots",
                "no chip: the table does not see a called wager's chips",
                "Remove it, or name the spots.",
                "X11",
            )
        if not offer.sensed and not offer.minimum_cents:
            yield Problem((*path, "minimum"), "missing or 0.00", "the smallest wager in dollars", "Add it.")
        if offer.sensed and 0 < offer.chip_cents < offer.minimum_cents:
            yield Problem(
                (*path, "chip"),
                f"{offer.chip}, under the minimum of {offer.minimum}",
                "a chip that is a wager",
                "Raise the chip or lower the minimum.",
            )


def _progressive(facts: Facts) -> Iterator[Problem]:
    for wager, table in facts.progressive():
        offer = facts.settings.wagers[wager]
        path = ("wagers", wager)
        if not offer.sensed:
            yield Problem(
                (*path, "spots"),
                "missing: a progressive wager can't be called",
                "a sensor at every position",
                "Name the lines of its spots.",
                PROGRESSIVE_DEVICE,
            )
        elif not offer.lamps:
            yield Problem(
                (*path, "lamps"),
                "missing",
                "a lamp at every position, which acknowledges the wager",
                "Name the lamps on the string.",
                PROGRESSIVE_DEVICE,
            )
        for key, cents in (("chip", offer.chip_cents), ("minimum", offer.minimum_cents)):
            if table.denomination_cents is not None and cents not in (0, table.denomination_cents):
                yield Problem(
                    (*path, key),
                    f"{dollars_text(cents)} with paytable {table.name!r}",
                    f"its denomination, {dollars_text(table.denomination_cents)}",
                    "Take the paytable and the chip of one denomination.",
                    f"{table.section}, X13",
                )


def _combinations(facts: Facts) -> Iterator[Problem]:
    wagers = GAMES[facts.settings.table.game].by_name
    needed = [wager for wager in facts.paytables if TableKey.PERSONAL_COMBINATIONS in wagers[wager][1].needs]
    positions = [str(number) for number in range(1, facts.settings.table.positions + 1)]
    given = facts.settings.combinations
    owners: dict[frozenset[str], str] = {}
    for position, cards in given.items():
        path = ("combinations", position)
        if position not in positions:
            expected = f"a position from 1 to {len(positions)}"
            yield Problem(path, "no such position", expected, "Correct the number.", PERSONAL_COMBINATION)
        if {Card.parse(card).rank for card in cards} != {Rank.KING, Rank.NINE}:
            remedy = "Put in what the layout shows."
            yield Problem(path, f"got {' '.join(cards)}", "one king and one nine", remedy, PERSONAL_COMBINATION)
        owner = owners.setdefault(frozenset(cards), position)
        if owner != position:
            yield Problem(
                path,
                f"{' '.join(cards)} is position {owner}'s",
                "a combination that no other position has",
                "Check it against the layout; 16 are possible.",
                f"{PERSONAL_COMBINATION}, R3",
            )
    for position in positions:
        if needed and position not in given:
            yield Problem(
                ("combinations", position),
                "missing",
                f"a king and a nine, since {needed[0]} is offered",
                "Add what the layout shows at that position.",
                PERSONAL_COMBINATION,
            )
    if given and not needed:
        expected = "none: no wager on offer uses them"
        yield Problem(("combinations",), f"{len(given)} given", expected, "Remove them, or offer the wager.")


def _readings(facts: Facts) -> Iterator[Problem]:
    for name, value in facts.settings.rules_submission.readings.items():
        try:
            (TableReadings if name in ALLOWED_AT_TABLE else Readings).choose({name: value})
        except SettlementError as error:
            path = ("rules_submission", "readings", name)
            yield Problem(path, error.message, "a reading and one of its values", "Correct or remove it.", name)


CHECKS: tuple[Callable[[Facts], Iterator[Problem]], ...] = (
    _game,
    _paytables,
    _decks,
    _lapsed,
    _one_paytable,
    _base_wagers,
    _amounts,
    _progressive,
    *check_meters.CHECKS,
    _combinations,
    *check_dealt_in.CHECKS,
    *check_wheel.CHECKS,
    _readings,
)
