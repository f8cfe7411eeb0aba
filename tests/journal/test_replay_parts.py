"""A replay in parts proves what a replay in one piece does, and names the same first difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest
from msgspec.structs import replace as changed

from firmware.journal.commands import main_replay
from firmware.journal.errors import JournalDamaged, JournalError
from firmware.journal.reader import Mark, Reader
from firmware.journal.records import SegmentHeader
from firmware.journal.replay import Program, ReplayDiffers, Stretch, replay, replay_stretch, whole
from firmware.journal.replay_parts import cut, replay_on_cores
from tests.journal.sample import (
    PROGRAM,
    Contributed,
    Effect,
    Event,
    RoundEnded,
    Rules,
    State,
    Table,
    committed,
    header,
    play_round,
    programs,
    step,
)

WRONG_ROUNDS = (5, 11)


def wrong_in_two_rounds(_header: SegmentHeader) -> Program[Rules, State, Event, Effect]:
    """Rules under which two rounds end otherwise. A function of a module, so that other processes find it."""

    def other_step(rules: Rules, state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
        after, effects = step(rules, state, event)
        if isinstance(event, RoundEnded) and event.number in WRONG_ROUNDS:
            after = changed(after, last_note="otherwise")
        return after, effects

    return changed(PROGRAM, step=other_step)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three segments of four, none and eight rounds; the last is cut off within a round."""
    path = tmp_path_factory.mktemp("journal") / "table.journal"
    table = Table(path)
    committed(table.begin())
    for number in range(1, 5):
        play_round(table, number)
    committed(table.begin())
    committed(table.begin())
    for number in range(5, 13):
        play_round(table, number)
    committed(table.play(Contributed(1, 5)))
    table.close()
    return path


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 1_000])
def test_parts_follow_each_other_and_add_up(path: Path, parts: int) -> None:
    with Reader(path) as reader:
        stretch = whole(reader)
        assert stretch is not None
        cuts = cut(reader, stretch, parts, least=1)
        assert (cuts[0].begin, cuts[-1].end) == (None, stretch.end)
        assert [part.begin for part in cuts[1:]] == [part.end for part in cuts[:-1]]
        assert len(cuts) == min(parts, 13)  # a snapshot at each round's end is a place to cut
        done = [replay_stretch(reader, programs, part) for part in cuts]
        one = replay(reader, programs)
    assert (one.segments, one.entries, one.state_hashes) == (3, 97, 100)
    assert sum(part.segments for part in done) == one.segments
    assert sum(part.entries for part in done) == one.entries
    assert sum(part.state_hashes for part in done) == one.state_hashes


def test_a_part_may_begin_and_end_at_any_snapshot(path: Path) -> None:
    with Reader(path) as reader:
        marks = [None, *_marks(path)]
        for index, begin in enumerate(marks[:-1]):
            for end in marks[index + 1 :]:
                assert end is not None
                entries = replay_stretch(reader, programs, Stretch(begin, end)).entries
                assert entries == end.seq - (begin.seq if begin else 0)


def _marks(path: Path) -> list[Mark]:
    connection = apsw.Connection(str(path))
    rows: list[Any] = connection.execute("SELECT segment, seq FROM snapshot ORDER BY segment, seq").fetchall()
    connection.close()
    return [Mark(*row) for row in rows]


def test_several_processes_prove_the_same(path: Path) -> None:
    with Reader(path) as reader:
        one, later = replay(reader, programs), replay(reader, programs, from_segment=3)
    assert replay_on_cores(path, programs, jobs=2, least=10) == one
    assert replay_on_cores(path, programs, from_segment=3, jobs=2, least=10) == later
    assert replay_on_cores(path, programs, from_segment=9, jobs=2, least=10).segments == 0


def test_the_first_difference_of_the_journal_is_named_whichever_process_is_first(path: Path) -> None:
    with pytest.raises(ReplayDiffers, match="entry 40 "):
        replay_on_cores(path, wrong_in_two_rounds, jobs=2, least=10)


def test_a_snapshot_that_is_not_what_was_hashed_can_t_begin_a_part(path: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    forged.write_bytes(path.read_bytes())
    connection = apsw.Connection(str(forged))
    connection.execute(
        "UPDATE snapshot SET state = replace(state, '\"meter_micro\":', '\"meter_micro\":1') WHERE seq = 48"
    )
    connection.execute("DELETE FROM snapshot WHERE seq = 56")
    connection.close()
    with Reader(forged) as reader:
        with pytest.raises(JournalDamaged, match="segment 3 after entry 48: has another hash"):
            replay_stretch(reader, programs, Stretch(Mark(3, 48), Mark(3, 64)))
        with pytest.raises(JournalDamaged, match="segment 3 after entry 56: is missing"):
            replay_stretch(reader, programs, Stretch(Mark(3, 56), Mark(3, 64)))
        with pytest.raises(JournalDamaged, match="segment 4: is missing"):
            reader.segment(4)


def test_a_machine_that_starts_no_process_is_told_what_to_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_semaphores(*_: object) -> None:
        raise OSError(38, "Function not implemented")  # as where /dev/shm is missing

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor.__init__", no_semaphores)
    with pytest.raises(JournalError, match="use --jobs 1"):
        replay_on_cores(path, programs, jobs=2, least=10)
    assert replay_on_cores(path, programs, jobs=1, least=10).entries == 97


def test_the_command_takes_a_number_of_cores(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_replay([str(path), "--jobs", "1"], programs) == 0
    assert "the same again: 3 segments, 97 entries, 100 states" in capsys.readouterr().out
    for wrong in ("0", "-1", "two"):
        with pytest.raises(SystemExit):
            main_replay([str(path), "--jobs", wrong], programs)
        assert "expected a number of cores" in capsys.readouterr().err


def test_an_empty_segment_opens_with_the_header_s_rules(tmp_path: Path) -> None:
    table = Table(tmp_path / "table.journal")
    committed(table.begin(header()))
    table.close()
    with Reader(tmp_path / "table.journal") as reader:
        assert whole(reader) == Stretch(None, Mark(1, 0))
        assert replay(reader, programs).state_hashes == 1
