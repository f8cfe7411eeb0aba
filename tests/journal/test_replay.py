"""Replay finds the entry from which the rules no longer give what was recorded; the commands say so in words."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from firmware.journal.commands import main_replay, main_show, main_verify
from firmware.journal.errors import JournalDamaged, UnknownRules
from firmware.journal.reader import Reader, Round
from firmware.journal.records import SegmentHeader, segment_hash, segment_row
from firmware.journal.replay import Program, ReplayDiffers, replay, restart
from tests.journal.sample import (
    PROGRAM,
    Contributed,
    Effect,
    Event,
    MeterShown,
    Rules,
    State,
    Table,
    committed,
    header,
    play_round,
    programs,
    step,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    table = Table(path)
    committed(table.begin())
    play_round(table, 41)
    play_round(table, 42)
    table.close()
    again = Table(path, create=False, state=table.state)
    committed(again.begin())
    committed(again.play(Contributed(3, 999), Contributed(4, 1)))
    again.close()
    return path


def changed(entry_micro: int, meter_micro: int, shown_micro: int) -> Program[Rules, State, Event, Effect]:
    """The sample's rules with one decision made otherwise."""

    def other_step(rules: Rules, state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
        after, effects = step(rules, state, event)
        if isinstance(event, Contributed) and event.amount_micro == entry_micro:
            after = replace(after, meter_micro=after.meter_micro + meter_micro)
            effects = (MeterShown(after.meter_micro + shown_micro - meter_micro),)
        return after, effects

    return replace(PROGRAM, step=other_step)


def test_the_same_rules_give_the_same_again(path: Path) -> None:
    with Reader(path) as reader:
        done = replay(reader, programs)
        assert (done.segments, done.entries) == (2, 18)
        assert replay(reader, programs, from_segment=2).entries == 2


def test_another_effect_is_named_with_its_entry(path: Path) -> None:
    with Reader(path) as reader, pytest.raises(ReplayDiffers, match=r"entry 17: .*recorded were"):
        replay(reader, lambda header: changed(999, 0, 1))


def test_another_state_is_named_at_the_end_of_its_transaction(path: Path) -> None:
    with Reader(path) as reader, pytest.raises(ReplayDiffers, match=r"entry 18 .*gives a state with hash"):
        replay(reader, lambda header: changed(1, 5, 0))


def test_a_start_compares_too(path: Path) -> None:
    with Reader(path) as reader, pytest.raises(ReplayDiffers, match="entry 17"):
        restart(reader, lambda header: changed(999, 0, 1))


def test_another_opening_is_named(path: Path) -> None:
    wrong = replace(PROGRAM, opening=lambda rules, before: replace(PROGRAM.opening(rules, before), last_note="?"))
    with Reader(path) as reader, pytest.raises(ReplayDiffers, match="opening of segment 1"):
        replay(reader, lambda header: wrong)


def test_an_empty_journal_has_nothing_to_replay(tmp_path: Path) -> None:
    Table(tmp_path / "table.journal").close()
    with Reader(tmp_path / "table.journal") as reader:
        assert replay(reader, programs).entries == 0
        assert restart(reader, programs) is None
        assert reader.position() is None
        assert reader.verify().head == bytes(32)


def begin_and_end(path: Path) -> None:
    """A start that recovers, begins its segment, and ends before it had an entry."""
    with Reader(path) as reader:
        stands = restart(reader, programs)
    assert stands is not None
    table = Table(path, create=False, state=stands.state)
    committed(table.begin())
    table.close()


def test_starts_that_end_before_their_first_entry_can_go_on(path: Path) -> None:
    """A power cut right after a segment's begin, and one more: each start opens a segment behind an empty one."""
    for _ in range(3):
        begin_and_end(path)
    with Reader(path) as reader:
        assert len(reader.segments()) == 5
        reader.verify()
        replay(reader, programs)


@pytest.mark.parametrize(("segments", "before"), [(1, "entry"), (2, "segment")])
def test_a_segment_that_follows_nothing_is_found_at_the_start(path: Path, segments: int, before: str) -> None:
    """Its own hash is right, its link is not: behind an entry, and behind a segment that has none."""
    for _ in range(segments):
        begin_and_end(path)
    connection = apsw.Connection(str(path))
    *_, values = connection.execute("SELECT * FROM segment ORDER BY number")
    row = segment_row(values)._replace(prev_hash=b"?" * 32)
    change = "UPDATE segment SET prev_hash = ?, hash = ? WHERE number = ?"
    connection.execute(change, (row.prev_hash, segment_hash(row), row.number))
    connection.close()
    with Reader(path) as reader, pytest.raises(JournalDamaged, match=f"does not follow {before}"):
        restart(reader, programs)


def test_rules_that_nobody_knows_are_refused_by_name(tmp_path: Path) -> None:
    table = Table(tmp_path / "table.journal")
    committed(table.begin(header(rules_version=9)))
    table.close()
    with Reader(tmp_path / "table.journal") as reader, pytest.raises(UnknownRules, match="rules version 9"):
        replay(reader, programs)


def test_the_commands_say_that_all_is_in_order(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Reader(path) as reader:
        head = reader.verify().head.hex()
    assert main_verify([str(path)]) == 0
    assert head in capsys.readouterr().out
    assert main_verify([str(path), "--head", head]) == 0
    assert main_replay([str(path)], programs) == 0
    assert "the same again: 2 segments, 18 entries" in capsys.readouterr().out


def test_the_commands_name_what_is_wrong(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_verify([str(path), "--head", "00" * 31 + "01"]) == 1
    assert "NOT IN ORDER: the noted head" in capsys.readouterr().err
    assert main_replay([str(path)], lambda header: changed(999, 0, 1)) == 1
    assert "NOT IN ORDER: entry 17" in capsys.readouterr().err
    assert main_verify([str(path.parent)]) == 2
    assert "is a directory" in capsys.readouterr().err
    assert main_verify([str(path), "--head", "abc"]) == 2
    assert "neither the 64 hex digits of a head nor a file" in capsys.readouterr().err


def test_nothing_to_show_or_replay_is_no_success(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_replay([str(path), "--from-segment", "9"], programs) == 2
    assert "no segment 9 is there to replay; the last is 2" in capsys.readouterr().err
    assert main_show([str(path), "--type", "Nosuch"]) == 2
    assert "no entry passes" in capsys.readouterr().err


def test_show_lists_entries(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main_show([str(path), "--from", "16"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("segment 1  2023-11") or lines[0].startswith("segment 1  1970-01-01T00:00:00.000?")
    assert any(line.strip() == "== round 42 ends" for line in lines)
    assert any("Contributed spot=3 amount_micro=999" in line for line in lines)
    assert lines[-1].strip().startswith("-> MeterShown micro=")
    assert main_show([str(path), "--round", "42", "--type", "LampSet"]) == 0
    assert capsys.readouterr().out.count("-> LampSet") == 3
    assert main_show([str(path), "--round", "43"]) == 2
    assert "the rounds are 41 to 42" in capsys.readouterr().err


def test_show_lets_the_game_tell_a_round(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def tell(reader: Reader, told: Round) -> list[str]:
        return [f"round {told.number}: {sum(1 for _ in reader.entries(told.first_seq, told.last_seq))} entries"]

    assert main_show([str(path), "--round", "42"], tell) == 0
    assert capsys.readouterr().out == "round 42: 8 entries\n"


def test_a_programs_function_sees_the_header(path: Path) -> None:
    seen: list[SegmentHeader] = []

    def watching(found: SegmentHeader) -> Program[Rules, State, Event, Effect]:
        seen.append(found)
        return programs(found)

    with Reader(path) as reader:
        replay(reader, watching)
    assert [found.profile for found in seen] == ["simulated", "simulated"]
