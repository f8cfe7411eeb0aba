"""A scenario from a recorded round: of a journal of many rounds each is its own, and what its meter paid may differ."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from hil.scenario import from_journal
from hil.scenario.journal import differences
from hil.scenario.look import told
from hil.scenario.play import Verdict
from hil.scenario.schema import ScenarioError, read
from hil.settle_check import tabled_settle
from tests.hil.conftest import Played
from tests.hil.played import run_hil


def rounds_with(journal: Path, kind: str) -> list[int]:
    """Rounds that have an effect of this type; of awards those that a meter paid."""
    number, found = 0, []
    for one in told(journal):
        if one["type"] == "RoundOpened" and isinstance(one["round"], int):
            number = one["round"]
        elif one["type"] == kind and (kind != "AwardLocked" or one["meter"]):
            found.append(number)
    return found


def test_rounds_after_the_first_come_again(played: Played, tmp_path: Path) -> None:
    """One that began with the end of another, and one that a meter paid."""
    paid = rounds_with(played.journal, "AwardLocked")[0]
    plain = next(n for n in (2, 3, 4) if n != paid and n not in rounds_with(played.journal, "RoundVoided"))
    assert paid > 1
    for number in (plain, paid):
        text = from_journal.scenario(played.journal, number)
        entries = tomllib.loads(text)["journal"]
        ended = [entry.get("where") for entry in entries if entry["type"] == "RoundEnded"]
        assert (len(ended), entries[-1]["type"]) == (1, "RoundEnded"), "its own end, and no other's"
        assert ("least = { award_cents = 1 }" in text) == (number == paid)
        (tmp_path / f"{number}.toml").write_text(text, "utf-8")
    done = run_hil("scenario", "--json", *sorted(tmp_path.glob("*.toml")))
    verdicts = [msgspec.json.decode(line, type=Verdict) for line in done.stdout.splitlines()]
    assert [one.failed for one in verdicts] == [(), ()], done.stderr


def test_a_round_that_the_menu_voided_is_refused(played: Played) -> None:
    with pytest.raises(ScenarioError, match="decided by the menu"):
        from_journal.scenario(played.journal, rounds_with(played.journal, "RoundVoided")[0])


def test_what_is_missing_is_told_in_words(played: Played, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(
        'about = "x"\nclass = "money"\nstep = []\n[[journal]]\ntype = "TableOpened"\n'
        '[[journal]]\ntype = "WagerAccepted"\nwhere = { position = 99, wager = "player" }\n',
        "utf-8",
    )
    (said,) = differences(read(file), played.journal, tabled_settle)
    assert said.startswith(
        "the journal has no WagerAccepted (position 99, wager player) after TableOpened; of that type it has: position "
    )
    assert ", wager player; " in said and "{" not in said
