"""Copies made while the journal is written: whole, of one moment, marked as copies, and never over another file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.app import key_file, manifest
from firmware.core.identity import Identity
from firmware.journal import backup, signing
from firmware.journal.commands import main_verify
from firmware.journal.database import open_for_writing
from firmware.journal.drafts import draft_of
from firmware.journal.errors import JournalDamaged, JournalError, JournalReplaced
from firmware.journal.export_commands import main_backup, main_head
from firmware.journal.heads import BEFORE_ANYTHING, Custody, read_head, signed, write_head
from firmware.journal.reader import Reader
from firmware.journal.replay import replay
from firmware.journal.signing import Signer
from tests.journal.sample import RoundEnded, Sensed, Table, committed, play_round, programs

SIGNER = Signer(bytes(32))
IDENTITY = Identity("1", "c", "p", "t", (), "")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


def playing(path: Path) -> Table:
    table = Table(path, custody=Custody(SIGNER, path.with_name("noted")))
    committed(table.begin())
    for number in range(1, 60):
        play_round(table, number)
    return table


def test_a_copy_is_one_moment_of_a_journal_that_is_being_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page at a time, with commits between each two steps: the copy must not mix them, nor begin anew for ever."""
    table = playing(path)
    monkeypatch.setattr(backup, "PAGES_AT_ONCE", 1)
    stop = threading.Event()
    with Reader(path) as reader:
        heads = {row.hash for row in reader.entries()}

    def play() -> None:
        number = 60
        while not stop.is_set():
            number += 1
            heads.add(committed(table.play(Sensed(1, True, 5))).head)
            heads.add(committed(table.play(RoundEnded(number))).head)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        copies = [path.with_name(f"copy-{number}") for number in range(3)]
        copied = [backup.copy_journal(path, copy) for copy in copies]
    finally:
        stop.set()
        thread.join()
    table.close()
    with Reader(path) as reader:
        whole = [row.hash for row in reader.entries()]
    for copy, done in zip(copies, copied, strict=True):
        with Reader(copy) as reader:
            report = reader.verify(public_keys=[SIGNER.public])
            rows = [row.hash for row in reader.entries()]
            replay(reader, programs)
        assert report == done.report
        assert rows == whole[: len(rows)]
        assert rows[-1] in heads, "it ends with a transaction"
        assert not Path(f"{copy}-wal").exists()
        head = read_head(copy.with_name(copy.name + ".head"))
        assert head is not None
        assert head.head.head in rows


def test_a_copy_is_read_and_never_written(path: Path) -> None:
    playing(path).close()
    copy = path.with_name("copy")
    backup.copy_journal(path, copy)
    with pytest.raises(JournalReplaced, match=r"is a copy .* tabled journal restore"):
        open_for_writing(copy)
    again = path.with_name("copy-of-a-copy")
    backup.copy_journal(copy, again)
    with pytest.raises(JournalReplaced):
        open_for_writing(again)


def test_no_file_is_written_over(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    playing(path).close()
    for name, taken in (("copy", "copy"), ("other", "other.head")):
        path.with_name(taken).write_bytes(b"kept")
        assert main_backup([str(path), str(path.with_name(name))]) == 2
        assert f"{taken}: exists already" in capsys.readouterr().err
        assert path.with_name(taken).read_bytes() == b"kept"
    assert main_head([str(path), "--export", str(path.with_name("copy"))]) == 2


def test_a_damaged_journal_gives_no_copy(path: Path) -> None:
    playing(path).close()
    connection = open_for_writing(path)
    connection.execute("UPDATE entry SET body = replace(body, '1001', '9001') WHERE seq = 10")
    connection.close()
    with pytest.raises(JournalDamaged, match="was changed"):
        backup.copy_journal(path, path.with_name("copy"))
    assert not list(path.parent.glob("copy*"))


def test_a_place_that_can_t_be_written_is_named(path: Path) -> None:
    playing(path).close()
    with pytest.raises(JournalError, match="nowhere"):
        backup.copy_journal(path, path.with_name("nowhere") / "copy")


def test_a_copying_that_was_killed_leaves_nothing_under_the_copy_s_name(path: Path) -> None:
    playing(path).close()
    copy = path.with_name("copy")
    code = (
        "import os, signal, sys; from pathlib import Path; from firmware.journal import backup\n"
        "backup.verify = lambda connection: os.kill(os.getpid(), signal.SIGKILL)\n"
        "backup.copy_journal(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code, path, copy], cwd=root, check=False, env={**os.environ})
    assert done.returncode == -signal.SIGKILL
    assert not copy.exists()
    backup.copy_journal(path, copy)
    assert not draft_of(path.with_name("copy")).exists()


def test_files_in_a_wrong_order_are_told_apart(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    playing(path).close()
    assert main_verify([str(path), str(path)]) == 1
    assert "another file belongs between them" in capsys.readouterr().err


def test_no_file_that_a_person_has_named_is_in_a_draft_s_way(tmp_path: Path, path: Path) -> None:
    """Somebody's next key beside the present one, an earlier copy beside a later one."""
    table = playing(path)
    table.close()
    makers: dict[str, Callable[[Path], object]] = {
        "signing.key": signing.make_key,
        "mystery.key": key_file.make_key,
        "monday": lambda to: backup.copy_journal(path, to),
        "noted.head": lambda to: write_head(to, signed(BEFORE_ANYTHING, SIGNER)),
        "manifest.json": lambda to: manifest.write(manifest.sign(IDENTITY, SIGNER), to),
    }
    for name, make in makers.items():
        kept = [tmp_path / f"{name}{ending}" for ending in (".new", ".tmp", ".old", ".pub.new", ".head.new")]
        for file in kept:
            file.write_text("somebody's own", "utf-8")
        make(tmp_path / name)
        assert [file.read_text("utf-8") for file in kept] == ["somebody's own"] * len(kept)
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".draft")] == []
