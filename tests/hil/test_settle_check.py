"""Teeth: a journal that was falsified, and a table that would have accepted or paid wrongly, are found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from hil import settle_check, summary
from hil.layout import Spot
from hil.round_records import RoundReader, RoundRecord
from tests.hil.conftest import Played

Effect = dict[str, Any]


def records(journal: Path) -> list[RoundRecord]:
    return list(RoundReader(journal).read())


def falsified(source: Path, folder: Path, change: Callable[[Effect], bool]) -> Path:
    """A copy in which the first effect that `change` takes is changed; the chain's hashes are left as they were."""
    copy = folder / "copy.sqlite"
    shutil.copyfile(source, copy)
    connection = apsw.Connection(str(copy))
    for seq, body in list(connection.execute("SELECT seq, body FROM entry ORDER BY seq")):
        tree = json.loads(body)
        if any(change(effect) for effect in tree["effects"]):
            text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False)
            connection.execute("UPDATE entry SET body = ? WHERE seq = ?", (text, seq))
            connection.close()
            return copy
    raise AssertionError("no effect to change")


def test_what_was_played_is_as_settle_has_it(played: Played) -> None:
    report = settle_check.check(records(played.journal))
    assert report.differences == ()
    assert report.rounds == 15  # one of the 16 is void
    assert report.settlements > 100


def more_money(effect: Effect) -> bool:
    found = effect["type"] == "SettlementShown" and effect["result"] == "win"
    if found:
        effect["award_cents"] += 100
    return bool(found)


def another_line(effect: Effect) -> bool:
    found = effect["type"] == "SettlementShown" and effect["result"] == "lose"
    if found:
        effect["result"], effect["stake_returned_cents"] = "push", 500
    return bool(found)


def another_card(effect: Effect) -> bool:
    found = effect["type"] == "RoundSettled" and effect["stage"] == "final"
    if found:
        effect["shown"] |= {"player": ["2C", "2D", "2H"], "banker": ["3C", "3D"]}
    return bool(found)


def another_reset(effect: Effect) -> bool:
    found = effect["type"] == "MeterReset"
    if found:
        effect["value_micro"] += 1
    return bool(found)


def forgotten_reversal(effect: Effect) -> bool:
    found = effect["type"] == "ContributionReversed"
    if found:
        effect["shown_micro"] -= 1
    return bool(found)


@pytest.mark.parametrize("change", [more_money, another_line, another_card, another_reset, forgotten_reversal])
def test_a_falsified_entry_is_found_by_its_round(
    played: Played, tmp_path: Path, change: Callable[[Effect], bool]
) -> None:
    copy = falsified(played.journal, tmp_path, change)
    (difference, *_) = settle_check.check(records(copy)).differences
    assert difference.startswith("round ")


def test_a_falsified_journal_is_not_in_order(played: Played, tmp_path: Path) -> None:
    verdict = summary.judge(falsified(played.journal, tmp_path, more_money), [], {})
    assert not verdict.good
    assert any(line.startswith("NOT IN ORDER") for line in verdict.lines)


def test_a_wager_left_out_of_the_settlement_is_found(played: Played) -> None:
    (first, *_) = (r for r in records(played.journal) if r.settlements and not r.voided)
    dropped = first.stages["final"].pop()
    (difference,) = settle_check.check([first]).differences
    assert difference == f"round {first.number}: {dropped.wager} at position {dropped.position} was never settled"


def test_an_order_of_payment_that_is_not_settles_is_found(played: Played) -> None:
    first = next(r for r in records(played.journal) if not r.voided and len(r.stages.get("final", [])) > 1)
    first.stages["final"].reverse()
    assert any("the table showed" in what for what in settle_check.check([first]).differences)


def test_a_chip_that_was_not_accepted_is_found(played: Played) -> None:
    (first, *_) = records(played.journal)
    assert first.closed_ns is not None
    lay_there = {Spot(*stake) for stake in first.at_lock}
    good = summary.judge(played.journal, [], {first.closed_ns: frozenset(lay_there)}, replaying=False)
    assert good.good
    accepted = sorted(lay_there)[0]
    free = next(Spot(p, "tie") for p in range(1, 8) if (p, "tie") not in first.at_lock)
    wrong = summary.judge(
        played.journal, [], {first.closed_ns: frozenset(lay_there - {accepted} | {free})}, replaying=False
    )
    assert not wrong.good
    assert any("accepted, though no chip lay there" in line for line in wrong.lines)
    assert any("was not accepted, though it lay there" in line for line in wrong.lines)
