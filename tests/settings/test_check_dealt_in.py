"""What a table whose hands belong to positions is refused for, by key."""

from __future__ import annotations

import pytest

from firmware.settings.load import decode
from firmware.settings.rules import to_rules
from tests.settings.tables import CATALOGUE, refused, text

SEATS = "spots = [" + ", ".join(f'"lines:{number}"' for number in range(7)) + "]\n"
BOUNTY_SPOTS = "spots = [" + ", ".join(f'"lines:{number}"' for number in range(21, 28)) + "]\n"
BOUNTY_LAMPS = "lamps = [" + ", ".join(str(number) for number in range(21, 28)) + "]\n"
SEAT_LAMPS = "lamps = [" + ", ".join(str(number) for number in range(7)) + "]\n"
IN_FORCE = "2024-06-01"

REFUSED = [
    ([("[wagers.blackjack]", "[wagers.black_jack]")], {"wagers", "wagers.black_jack", "wagers.black_jack.chip"}),
    ([(SEATS + SEAT_LAMPS, "")], {"wagers.blackjack.spots"}),
    ([('[wagers.blackjack]\npaytable = "-"', '[wagers.blackjack]\npaytable = "A"')], {"wagers.blackjack.paytable"}),
    (
        [('[wagers.blackjack]\npaytable = "-"', '[wagers.blackjack]\npaytable = "-"\nchip = "5.00"')],
        {"wagers.blackjack.chip"},
    ),
    (
        [('chip = "5.00"\n' + BOUNTY_SPOTS + BOUNTY_LAMPS, 'minimum = "5.00"\n')],
        {"wagers.kings_bounty.spots"},
    ),
    ([('declared_suit = "S"', "")], {"table.declared_suit"}),
    ([("result = false", "")], {"devices.shoe.kind"}),
    ([("decks = 6", "decks = 2")], {"table.decks"}),
    ([("decks = 6", "decks = 3")], {"meters.21_plus_3.increment"}),
]


def test_the_example_passes_and_says_who_is_dealt_in() -> None:
    settings = decode(text("blackjack"), "table.toml")
    assert refused(settings, IN_FORCE) == []
    rules = to_rules(settings, CATALOGUE)
    assert (rules.dealt_in_by, rules.declared_suit) == ("blackjack", "S")
    assert [spot.cents for spot in rules.spots if spot.wager == "blackjack"] == [0] * 7
    assert "blackjack" not in {offer.wager for offer in rules.offers}


@pytest.mark.parametrize(
    ("changes", "keys"), REFUSED, ids=lambda value: None if isinstance(value, list) else min(value)
)
def test_what_is_refused(changes: list[tuple[str, str]], keys: set[str]) -> None:
    found = refused(decode(text("blackjack", *changes), "table.toml"), IN_FORCE)
    assert {problem.key for problem in found} == keys, [problem.text("f") for problem in found]
    assert all(len(problem.remedy) > 6 for problem in found)


POKER = [
    ("decks = 1 ", "decks = 2 ", "table.decks"),
    ('folds = ["lines:38", ', "folds = [", "keys.folds"),
    ("lines:38", "lines:0", "keys.folds.0"),
    ('profile = "simulated"', 'profile = "production"', "wagers.bad_beat"),
]


@pytest.mark.parametrize(("old", "new", "key"), POKER)
def test_what_a_poker_table_is_refused_for(old: str, new: str, key: str) -> None:
    assert refused(decode(text("ultimate_texas_holdem"), "table.toml"), IN_FORCE) == []
    found = refused(decode(text("ultimate_texas_holdem", (old, new)), "table.toml"), IN_FORCE)
    assert key in {problem.key for problem in found}, [problem.text("f") for problem in found]


def test_a_submission_may_quote_what_is_not_in_hand() -> None:
    quoted = '[rules_submission]\nquoted_texts = { bad_beat = "653a.11(f): the wager remains until settled." }'
    changes = (('profile = "simulated"', 'profile = "production"'), ("[rules_submission]", quoted))
    found = refused(decode(text("ultimate_texas_holdem", *changes), "table.toml"), IN_FORCE)
    assert "wagers.bad_beat" not in {problem.key for problem in found}


def test_a_baccarat_table_is_asked_none_of_it() -> None:
    changed = decode(text("minibaccarat", ("decks = 8", 'decks = 8\ndeclared_suit = "S"')), "table.toml")
    assert [problem.key for problem in refused(changed)] == ["table.declared_suit"]
