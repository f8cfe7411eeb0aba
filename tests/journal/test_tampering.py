"""Whatever is done to a journal's files, verification finds it and says where, or it has changed nothing.

Changed bytes that verification passes over must mean nothing: with all of them changed, SQLite, asked to write the file
anew (`VACUUM INTO`), gives the same bytes but for its own counters.
"""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import apsw
import pytest

from firmware.journal.errors import JournalDamaged, JournalError, JournalReplaced
from firmware.journal.heads import Custody, Head, SignedHead, read_head, signed, write_head
from firmware.journal.reader import Reader
from firmware.journal.records import NO_HASH, entry_hash, segment_hash
from firmware.journal.signing import Signer
from tests.journal.sample import Contributed, RoundEnded, Table, committed, play_round

SIGNER = Signer(bytes(range(32)))
FORGER = Signer(bytes(32))
PAGE = 512
COUNTERS = (*range(24, 28), *range(40, 44), *range(92, 100))
"""Of the header: change counter, schema cookie, "valid for", version of the last writer. SQLite's own."""
PLACE = re.compile(
    r"entry \d+|segment \d+|snapshot of segment|signature of segment|table definitions|pages of the file|header of the "
    r"file|table (sqlite_schema|segment|entry|snapshot), |index round_end|malformed database schema|is not a database|"
    r"journal schema|another program's database|unsupported file format|database disk image is malformed|is empty|"
    r"ends within a page"
)


def play(path: Path, noted: Path, signer: Signer = SIGNER) -> None:
    """Two segments, three rounds, one transaction of two entries."""
    table = Table(path, custody=Custody(signer, noted))
    committed(table.begin())
    play_round(table, 1, 4)
    committed(table.play(Contributed(3, 30), Contributed(4, 40)))
    committed(table.play(RoundEnded(2)))
    table.close()
    again = Table(path, create=False, state=table.state, custody=Custody(signer, noted))
    committed(again.begin())
    play_round(again, 3, 3)
    again.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal as a copy has it, in one file, and in small pages: little unused space between what means something."""
    folder = tmp_path_factory.mktemp("journal")
    path = folder / "table.journal"
    play(path, folder / "noted")
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.pragma("page_size", PAGE)
    connection.execute("VACUUM")
    connection.close()
    return path


def found(path: Path, noted_head: bytes | None = None) -> str | None:
    """What verification says, or None."""
    try:
        with Reader(path) as reader:
            reader.verify(noted_head, [SIGNER.public])
    except JournalError as error:
        return str(error)
    return None


def written_anew(path: Path) -> bytes:
    image = path.with_name("anew")
    image.unlink(missing_ok=True)
    uri = f"file:{path}?immutable=1"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.pragma("synchronous", "off")
    connection.execute("VACUUM INTO ?", (str(image),))
    connection.close()
    content = bytearray(image.read_bytes())
    for index in COUNTERS:
        content[index] = 0
    return bytes(content)


def test_every_changed_byte_is_found_and_located_or_means_nothing(small: Path, tmp_path: Path) -> None:
    rng = random.Random(58)
    clean = small.read_bytes()
    passed = bytearray(clean)
    path = tmp_path / "changed"
    count = 0
    for index in range(len(clean)):
        changed = bytearray(clean)
        changed[index] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        said = found(path)
        if said is None:
            assert index >= 100 or index in COUNTERS, f"byte {index} of the header"
            passed[index] = changed[index]
        else:
            assert PLACE.search(said), f"byte {index}: {said} names no place"
            count += 1
    assert count > len(clean) / 2
    path.write_bytes(passed)  # every change that was passed over, all at once
    assert found(path) is None
    assert written_anew(path) == written_anew(small)


def test_a_file_cut_at_any_length_is_found(small: Path, tmp_path: Path) -> None:
    clean = small.read_bytes()
    path = tmp_path / "cut"
    for length in range(len(clean)):
        path.write_bytes(clean[:length])
        said = found(path)
        assert said is not None, f"cut to {length} bytes"
        assert PLACE.search(said), f"cut to {length} bytes: {said} names no place"


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
