"""The small edition of `python -m tests.journal.torture`, with its negative controls."""

from __future__ import annotations

import random

import pytest

from tests.journal.torture import cut_power, kill_once, record_session, synchronous_off
from tests.journal.torture_vfs import Action, Op, Plan, Sync, Truncate, Write


def test_power_cuts_lose_nothing_that_was_acknowledged() -> None:
    rng = random.Random(627)
    session = record_session(rng, rounds=8)
    kinds = {type(record) for record in session.records}
    assert {Write, Sync, Truncate} <= kinds  # the WAL went back meanwhile: checkpoints are cut, too
    assert cut_power(session, 150, rng) == (150, 0)


def test_without_syncs_the_same_check_finds_losses() -> None:
    """The negative control for SQLite's setting."""
    rng = random.Random(628)
    with synchronous_off():
        session = record_session(rng, rounds=6)
    assert cut_power(session, 30, rng)[1] > 0


def test_on_a_card_that_ignores_flushes_the_same_check_finds_losses() -> None:
    """The negative control for the hardware: no software is safe on such a card."""
    rng = random.Random(629)
    session = record_session(rng, rounds=6, ignore_syncs=True)
    assert cut_power(session, 30, rng)[1] > 0


@pytest.mark.parametrize(
    ("op", "nth", "action"),
    [
        (Op.WRITE, 1, Action.KILL),
        (Op.WRITE, 2, Action.KILL_HALFWAY),
        (Op.WRITE, 21, Action.KILL_HALFWAY),
        (Op.SYNC, 1, Action.KILL),
        (Op.SYNC, 6, Action.KILL),
        (Op.SYNC, 9, Action.KILL_HALFWAY),
        (Op.TRUNCATE, 1, Action.KILL),
        (Op.TRUNCATE, 1, Action.KILL_HALFWAY),
    ],
)
def test_a_killed_process_leaves_what_it_acknowledged(op: Op, nth: int, action: Action) -> None:
    assert kill_once(Plan(frozenset({op}), nth, action), seed=nth), "the process ended before it came to that operation"
