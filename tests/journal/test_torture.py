"""The small edition of `python -m tests.journal.torture`, with its negative controls."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journal.disk import Damage, Disk, FolderSynced, Named, Sync, Tear, Truncate, Write
from tests.journal.torture import cut_power, kill_once, negative_controls, record_session
from tests.journal.torture_vfs import Action, Op, Plan


def test_power_cuts_lose_nothing_that_was_acknowledged() -> None:
    rng = random.Random(627)
    session = record_session(rng, rounds=8)
    kinds = {type(record) for record in session.records}
    assert {Write, Sync, Truncate, Named, FolderSynced} <= kinds  # the WAL went back and was made anew meanwhile
    assert cut_power(session, 150, rng) == (150, 0)


def test_the_same_check_finds_losses_where_it_must() -> None:
    """Negative controls: SQLite's setting, the card, and what SQLite is told of the card."""
    losses = negative_controls(random.Random(628), 60)
    assert len(losses) == 3
    assert all(losses.values()), losses


# --- the disk that forgets ------------------------------------------------------------------------------------------


def left(tmp_path: Path, disk: Disk, damage: Damage, seed: int) -> dict[str, bytes]:
    folder = tmp_path / f"cut-{seed}"
    folder.mkdir(parents=True)
    disk.cut(folder, random.Random(seed), damage)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def outcomes(tmp_path: Path, disk: Disk, damage: Damage, of: Callable[[dict[str, bytes]], object]) -> set[object]:
    return {of(left(tmp_path, disk, damage, seed)) for seed in range(60)}


def test_the_disk_keeps_what_was_synced_and_forgets_any_part_of_the_rest(tmp_path: Path) -> None:
    disk = Disk.holding({"a": b"old" + bytes(1021)})
    disk.play(Write(0, 0, b"new"))
    disk.play(Sync(0))
    disk.play(Write(0, 512, b"1" * 512))
    disk.play(Write(0, 1024, b"2" * 512))
    damage = Damage(sector=512, keep=0.5, tear=Tear.NOTHING, names_in_order=True)

    def sectors(files: dict[str, bytes]) -> object:
        content = files["a"]
        assert content[:3] == b"new"
        return content[512:513], content[1024:1025]

    old, one, two, none = b"\0", b"1", b"2", b""
    found = outcomes(tmp_path, disk, damage, sectors)
    assert found == {(old, none), (one, none), (old, two), (one, two)}  # also the later write without the earlier


def test_a_sector_that_is_lost_takes_what_was_durable_in_it(tmp_path: Path) -> None:
    disk = Disk.holding({"a": b"k" * 1024})
    disk.play(Write(0, 700, b"n"))
    noise = Damage(sector=512, keep=1.0, tear=Tear.NOISE, names_in_order=True)
    whole = left(tmp_path, disk, noise, seed=1)["a"]
    assert whole[:512] == b"k" * 512
    assert whole[512:] not in (b"k" * 512, b"k" * 188 + b"n" + b"k" * 323)


def test_names_are_forgotten_until_the_folder_is_synced(tmp_path: Path) -> None:
    disk = Disk.holding({"a": b"A"})
    disk.play(Named("b", 0))
    disk.play(Named("a", None))
    in_order = Damage(sector=512, keep=1.0, tear=Tear.NOTHING, names_in_order=True)
    any_order = Damage(sector=512, keep=1.0, tear=Tear.NOTHING, names_in_order=False)

    def names(files: dict[str, bytes]) -> object:
        return "".join(sorted(files))

    assert outcomes(tmp_path / "1", disk, in_order, names) == {"a", "ab", "b"}
    assert outcomes(tmp_path / "2", disk, any_order, names) == {"a", "ab", "b", ""}
    disk.play(FolderSynced())
    assert outcomes(tmp_path / "3", disk, any_order, names) == {"b"}


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
