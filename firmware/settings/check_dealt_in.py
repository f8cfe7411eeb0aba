"""What a game asks of its table whose hands belong to positions: who is dealt in, who reads the cards, what is called.

Rules: the wager by which a position is dealt in is the game's own, and no paytable of ours is for it; so the other
checks pass it over. In a game whose hands belong to no position none of this is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firmware.core.wagers.games import DEALT_IN_BY, FRESH_DECK, GAMES
from firmware.core.wagers.wager import TableKey
from firmware.settings.check_facts import Facts
from firmware.settings.devices.readers import CardReaderDevice
from firmware.settings.model import Profile
from firmware.settings.problems import Problem, Severity

OFFERED_BESIDE = "633b.17(d)"
DECLARED_SUIT = "633b.17(g)"

NOT_IN_HAND = {
    "bad_beat": ("653a.7(d)(6) and 653a.11, which say what it is and what becomes of it after a fold", "W1, W2")
}
"""Wagers, what of their text is missing, and the readings that stand in for it."""


def _seat(facts: Facts) -> Iterator[Problem]:
    """The deal order gives each card its hand, so it must be known at lock-out who is dealt in."""
    seat = DEALT_IN_BY.get(facts.settings.table.game)
    if seat is None:
        return
    offer = facts.settings.wagers.get(seat)
    if offer is None:
        yield Problem(
            ("wagers",),
            f"without {seat}",
            "the game's own wager, sensed at every position: it says who is dealt in",
            f"Add [wagers.{seat}] with the lines of its spots.",
            OFFERED_BESIDE,
        )
        return
    if not offer.sensed:
        yield Problem(
            ("wagers", seat, "spots"),
            "missing: whose cards are dealt would not be known",
            "a sensor at every position",
            "Name the lines of its spots.",
            OFFERED_BESIDE,
        )
    for key in ("chip", "minimum"):
        if getattr(offer, key):
            expected = "no amount: it is sensed to know who is dealt in, and not settled here"
            yield Problem(("wagers", seat, key), f"got {getattr(offer, key)}", expected, "Remove it.")
    if offer.paytable != "-":
        yield Problem(("wagers", seat, "paytable"), f"got {offer.paytable!r}", "'-'", "It has no paytable here.")


def _called(facts: Facts) -> Iterator[Problem]:
    """What is called has one line for the whole table."""
    game = facts.settings.table.game
    if game not in DEALT_IN_BY:
        return
    for wager, table in facts.paytables.items():
        if not facts.settings.wagers[wager].sensed and not table.progressive:
            yield Problem(
                ("wagers", wager, "spots"),
                "missing: each position has a result of its own, which can't be called",
                "a sensor at every position",
                "Name the lines of its spots, or do not offer the wager.",
                table.section,
            )


def _declared_suit(facts: Facts) -> Iterator[Problem]:
    wagers = GAMES[facts.settings.table.game].by_name
    needed = [wager for wager in facts.paytables if TableKey.DECLARED_SUIT in wagers[wager][1].needs]
    given = facts.settings.table.declared_suit
    if needed and not given:
        yield Problem(
            ("table", "declared_suit"),
            "missing",
            f"the suit that the house declared, since {needed[0]} is offered",
            "Add it as filed.",
            DECLARED_SUIT,
        )
    elif given and not needed:
        yield Problem(("table", "declared_suit"), f"got {given!r}", "none: no wager on offer has one", "Remove it.")


def _reader(facts: Facts) -> Iterator[Problem]:
    if facts.settings.table.game not in DEALT_IN_BY:
        return
    for name, device in facts.settings.devices.items():
        if isinstance(device, CardReaderDevice) and device.reader.result:
            yield Problem(
                ("devices", name, "kind"),
                f"{device.kind} names the Player and the Banker hand, and waits to say who won",
                "a reader that names no hand: shoe.beetek, a scanner, or shoe.tgline with result = false",
                f"Take another reader; {facts.settings.table.game} has hands of its own.",
            )


def _folds(facts: Facts) -> Iterator[Problem]:
    """The poker games are those whose rounds have a deck of their own; there patrons may fold."""
    table, folds = facts.settings.table, facts.settings.keys.folds
    wanted = table.positions if table.game in FRESH_DECK else 0
    if len(folds) != wanted:
        yield Problem(
            ("keys", "folds"),
            f"{len(folds)} lines",
            f"one for each of {wanted} positions" if wanted else f"none: nobody folds at {table.game}",
            "Add or remove lines, or correct table.positions.",
        )
    if table.game in FRESH_DECK and table.decks != 1:
        expected = "1: a round is dealt from one deck, two in turn are one a round"
        yield Problem(("table", "decks"), f"{table.decks} for {table.game}", expected, "Correct it.", "653a.6")


def _not_in_hand(facts: Facts) -> Iterator[Problem]:
    """A wager whose own rules this program has not got (W1, W2)."""
    for wager, (missing, section) in NOT_IN_HAND.items():
        if wager not in facts.settings.wagers or facts.settings.table.game not in FRESH_DECK:
            continue
        quoted = wager in facts.settings.rules_submission.quoted_texts
        playable = quoted or facts.settings.table.profile is Profile.SIMULATED
        yield Problem(
            ("wagers", wager),
            f"played by readings, for not in hand are {missing}",
            f"its text as rules_submission.quoted_texts.{wager}",
            "Played all the same: the submission quotes it."
            if quoted
            else "Quote the text, or do not offer the wager.",
            section,
            Severity.WARNING if playable else Severity.REFUSED,
        )


CHECKS: tuple[Callable[[Facts], Iterator[Problem]], ...] = (
    _seat,
    _called,
    _declared_suit,
    _reader,
    _folds,
    _not_in_hand,
)
