"""Whatever is done to a journal's files, verification finds it and says where, or it has changed nothing.

Bytes changed one at a time are a sample here; `python -m tests.journal.every_byte` takes every one.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import apsw
import pytest

from firmware.journal.errors import JournalDamaged, JournalReplaced
from firmware.journal.heads import Custody, Head, SignedHead, read_head, signed, write_head
from firmware.journal.reader import Reader
from firmware.journal.records import NO_HASH, entry_hash, segment_hash
from firmware.journal.signing import Signer
from tests.journal.every_byte import (
    HEADER,
    PAGE,
    PLACE,
    SIGNER,
    change_each,
    cut_at_each,
    found,
    play,
    small_journal,
)
from tests.journal.sample import Contributed, Table, committed, play_round

FORGER = Signer(bytes(32))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_journal(tmp_path_factory.mktemp("journal"))


def test_a_changed_byte_is_found_and_located_or_means_nothing(small: Path, tmp_path: Path) -> None:
    rng = random.Random(58)
    rest = range(len(HEADER), small.stat().st_size)
    changed, seen = change_each(small, tmp_path, [*HEADER, *sorted(rng.sample(rest, len(rest) // 8))])
    assert seen > changed / 2


def test_a_file_cut_anywhere_is_found(small: Path, tmp_path: Path) -> None:
    rng = random.Random(58)
    size = small.stat().st_size
    at_pages = {page + off for page in range(0, size, PAGE) for off in (-1, 0, 1) if page + off >= 0}
    lengths = sorted({*HEADER, *at_pages, *rng.sample(range(size), size // 16)})
    assert cut_at_each(small, tmp_path, lengths) == len(lengths)


def test_a_wal_cut_or_changed_anywhere_shows_by_the_noted_head(tmp_path: Path) -> None:
    """SQLite takes the first frame with a wrong checksum for the WAL's end, so that what follows is gone in whole
    transactions: only a head noted outside can tell."""
    path = tmp_path / "table.journal"
    table = Table(path, custody=Custody(SIGNER, tmp_path / "noted"))
    committed(table.begin())
    play_round(table, 1, 4)
    head = committed(table.play(Contributed(1, 10))).head
    clean, wal = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    table.close()
    rng = random.Random(58)
    copy = tmp_path / "copy"
    lost = 0
    for number in range(400):
        changed = bytearray(wal)
        index = rng.randrange(len(wal)) if number > 31 else number  # the WAL's own header wholly
        if number % 2:
            changed[index] ^= rng.randrange(1, 256)
        else:
            del changed[index:]
        for suffix, content in (("", clean), ("-wal", bytes(changed))):
            Path(f"{copy}{suffix}").write_bytes(content)
        Path(f"{copy}-shm").unlink(missing_ok=True)
        try:
            with Reader(copy) as reader:
                reader.verify(head, [SIGNER.public])
                assert [row.hash for row in reader.entries()][-1] == head
        except JournalDamaged as error:
            lost += "entries were removed from the end" in str(error)
            assert PLACE.search(str(error)) or "not in the chain" in str(error)
    assert lost > 50  # the rest fell into what SQLite pads a sector with


def rewrite(path: Path, signer: Signer) -> None:
    """A forger's work: an amount changed, all hashes made anew, everything signed with the forger's key."""
    with Reader(path) as reader:
        segments, entries = reader.segments(), list(reader.entries())
    connection = apsw.Connection(str(path))
    before = NO_HASH
    heads: dict[tuple[int, int], bytes] = {}
    for segment in segments:
        header = segment.header.replace(SIGNER.public.hex(), signer.public.hex())
        forged = segment._replace(header=header, prev_hash=before)
        before = segment_hash(forged)
        heads[segment.number, segment.first_seq - 1] = before
        connection.execute("UPDATE segment SET header = ?, prev_hash = ?, hash = ? WHERE number = ?",
                           (header, forged.prev_hash, before, segment.number))  # fmt: skip
        for row in entries:
            if row.segment != segment.number:
                continue
            entry = row._replace(body=row.body.replace("1001", "9001"), prev_hash=before)
            before = heads[row.segment, row.seq] = entry_hash(entry)
            connection.execute("UPDATE entry SET body = ?, prev_hash = ?, hash = ? WHERE seq = ?",
                               (entry.body, entry.prev_hash, before, row.seq))  # fmt: skip
    for number, seq in list(connection.execute("SELECT segment, seq FROM snapshot")):
        signature = signer.sign(Head(1, number, seq, heads[number, seq]).message())
        connection.execute("UPDATE snapshot SET signature = ? WHERE (segment, seq) = (?, ?)", (signature, number, seq))
    connection.close()


def test_a_journal_rewritten_and_signed_by_another_is_found_by_the_public_key(small: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small, tmp_path))
    rewrite(path, FORGER)
    with Reader(path) as reader:
        assert reader.verify().signed == 5, "by itself it is in order"
        with pytest.raises(JournalDamaged, match=r"segment 1: is signed by .*, expected .*: another key's journal"):
            reader.verify(public_keys=[SIGNER.public])


def test_a_rewritten_journal_in_the_table_s_name_has_wrong_signatures(small: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small, tmp_path))
    with Reader(path) as reader:
        old = [row.hash for row in reader.entries()]
    connection = apsw.Connection(str(path))
    kept = dict(connection.execute("SELECT segment || ' ' || seq, signature FROM snapshot"))
    connection.close()
    rewrite(path, SIGNER)
    with Reader(path) as reader:
        assert [row.hash for row in reader.entries()] != old
    connection = apsw.Connection(str(path))
    for place, signature in kept.items():
        connection.execute("UPDATE snapshot SET signature = ? WHERE segment || ' ' || seq = ?", (signature, place))
    connection.close()
    assert "signature of segment 1 after entry 4: is not that of generation 1, segment 1, entry 4" in str(found(path))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("UPDATE snapshot SET signature = NULL WHERE seq = 7", "signature of segment 1 after entry 7: is missing"),
        ("UPDATE snapshot SET signature = zeroblob(64) WHERE seq = 0", "signature of segment 1 at its start: is not"),
        ("UPDATE snapshot SET signature = x'00' WHERE seq = 10", "signature of segment 2 after entry 10: is not"),
        (
            "UPDATE snapshot SET signature = (SELECT signature FROM snapshot WHERE seq = 4) WHERE seq = 7",
            "signature of segment 1 after entry 7: is not",
        ),
    ],
)
def test_signatures_removed_exchanged_or_made_up(small: Path, tmp_path: Path, change: str, place: str) -> None:
    path = Path(shutil.copy(small, tmp_path))
    connection = apsw.Connection(str(path))
    connection.execute(change)
    connection.close()
    assert place in str(found(path))


def test_an_unsigned_journal_passes_only_where_no_key_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    table = Table(path)
    committed(table.begin())
    play_round(table, 1)
    table.close()
    with Reader(path) as reader:
        assert reader.verify().signed == 0
    assert "segment 1: is not signed, expected" in str(found(path))


# --- what is noted outside the journal ------------------------------------------------------------------------------


def start(path: Path, noted: Path, signer: Signer = SIGNER) -> None:
    Table(path, create=False, custody=Custody(signer, noted)).close()


def test_an_old_copy_can_t_come_back_as_current(tmp_path: Path) -> None:
    path, noted, old = tmp_path / "table.journal", tmp_path / "noted", tmp_path / "old"
    table = Table(path, custody=Custody(SIGNER, noted))
    committed(table.begin())
    play_round(table, 1)
    table.close()
    shutil.copy(path, old)
    again = Table(path, create=False, state=table.state, custody=Custody(SIGNER, noted))
    committed(again.begin())
    play_round(again, 2)
    again.close()
    start(path, noted)
    newest = path.read_bytes()
    shutil.copy(old, path)
    with pytest.raises(JournalReplaced, match=r"ends without what was acknowledged, generation 1, segment 2, entry 16"):
        start(path, noted)
    assert path.read_bytes() == old.read_bytes(), "what is refused is not written"
    path.write_bytes(newest)
    start(path, noted)
    path.unlink()
    with pytest.raises(JournalReplaced, match=r"is missing, and .* has noted"):
        Table(path, create=True, custody=Custody(SIGNER, noted))
    assert not path.exists()


def test_another_journal_of_the_same_length_is_not_this_one(tmp_path: Path) -> None:
    path, noted, other = tmp_path / "table.journal", tmp_path / "noted", tmp_path / "other"
    play(path, noted)
    other.mkdir()
    table = Table(other / "j", custody=Custody(SIGNER, other / "noted"))
    committed(table.begin())
    for number in range(1, 6):
        play_round(table, number)
    table.close()
    shutil.copy(other / "j", path)
    with pytest.raises(JournalReplaced, match="ends without what was acknowledged"):
        start(path, noted)


def test_the_noted_head_itself_is_signed(tmp_path: Path) -> None:
    path, noted = tmp_path / "table.journal", tmp_path / "noted"
    play(path, noted)
    clean = noted.read_bytes()
    rng = random.Random(58)
    for index in range(len(clean)):
        changed = bytearray(clean)
        changed[index] ^= rng.randrange(1, 256)
        noted.write_bytes(changed)
        try:
            assert read_head(noted) == read_head_of(clean, tmp_path)  # white space may stand for white space
        except JournalReplaced:
            continue
    noted.write_bytes(clean[: len(clean) // 2])
    with pytest.raises(JournalReplaced, match="is no signed head of a journal"):
        start(path, noted)
    noted.unlink()
    with pytest.raises(JournalReplaced, match="is missing, so nobody can tell"):
        start(path, noted)
    write_head(noted, signed(Head(1, 2, 10, bytes(32)), FORGER))
    with pytest.raises(JournalReplaced, match="is signed by the key"):
        start(path, noted)
    noted.write_bytes(clean)
    start(path, noted)


def read_head_of(content: bytes, folder: Path) -> SignedHead | None:
    (folder / "other-head").write_bytes(content)
    return read_head(folder / "other-head")


def test_an_earlier_generation_is_refused_however_long(tmp_path: Path) -> None:
    path, noted = tmp_path / "table.journal", tmp_path / "noted"
    play(path, noted)
    head = read_head(noted)
    assert head is not None
    write_head(noted, signed(Head(2, head.head.segment, head.head.seq, head.head.head), SIGNER))
    with pytest.raises(JournalReplaced, match=r"is of generation 1, noted in .* is generation 2"):
        start(path, noted)
