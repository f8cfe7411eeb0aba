"""The disk fails between question and answer of the mystery bonus: nothing is won that is not durable, or twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmware.app.generator import Generator
from firmware.app.key_file import SecretKey
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.draw_events import TriggerDrawn, TriggerHit
from firmware.core.effects import Effect
from firmware.core.events import Event
from firmware.core.state import State
from firmware.journal.records import Entry
from tests.app import rig as rigs
from tests.app.evening import mystery_table
from tests.journal.torture_vfs import Action, Op, Plan, TortureVfs


class MysteryRig(rigs.Rig):
    """With the generator where the daemon has it: it answers what has become durable."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.generator = Generator(self.rules.table_id, SecretKey(bytes(32)))

    def perform(self, entry: Entry[Event, Effect], state: State) -> None:
        super().perform(entry, state)
        for answer in self.generator.answers(entry.effects, state):
            self.engine.post(answer)

    def won(self) -> list[tuple[int, int]]:
        return [(e.position, e.cents) for e in self.saw(fx.AwardLocked) if isinstance(e, fx.AwardLocked)]


COMMITS = 5
"""Of a batch of two that both win: CONFIRM, hit, drawn, hit, drawn."""


@pytest.mark.parametrize("action", [Action.FAIL_IO, Action.FAIL_FULL], ids=lambda action: action.name)
@pytest.mark.parametrize("commit", range(1, COMMITS + 1))
def test_a_commit_that_fails_anywhere_between_question_and_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: int, action: Action
) -> None:
    """The range is as wide as one contribution: each wager wins. One of the five commits never reaches the disk."""
    monkeypatch.setattr(rigs, "CONFIG", mystery_table(tmp_path))
    monkeypatch.setattr(rigs, "Rig", MysteryRig)

    async def play() -> list[Event]:
        vfs = TortureVfs()
        async with rigs.rig(tmp_path, vfs) as table:
            assert isinstance(table, MysteryRig)
            await table.open_table()
            table.post(table.chip(3), table.chip(1), *table.press())
            await table.until(lambda: len(table.accepted()) == 2)
            await table.engine.drained()
            vfs.arm(Plan(frozenset({Op.SYNC}), commit, action, lasting=True))
            table.post(ev.KeyPressed(ev.Key.CONFIRM, table.at()))
            await table.until(lambda: bool(table.faults))
            assert table.won() == [(3, 10_025), (1, 10_025)][: (commit - 1) // 2], "only what is durable is announced"
            vfs.arm(None)
            await table.until(lambda: not table.engine.fault and len(table.won()) == 2)
            await table.engine.drained()
            assert table.won() == [(3, 10_025), (1, 10_025)]
            bonus = table.engine.durable.mystery
            assert bonus is not None
            assert (bonus.draw, bonus.batch, bonus.commitment != "") == (3, (), True)
        return table.entries()

    events = asyncio.run(play())
    assert sum(isinstance(event, TriggerHit) for event in events) == 2
    assert sum(isinstance(event, TriggerDrawn) for event in events) == 3
