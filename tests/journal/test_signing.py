"""The signing key: made once, read only where nobody else can, and a signature that says what it should."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.journal.errors import JournalError, KeyMissing, KeyUnusable
from firmware.journal.heads import Head, read_head, signed, write_head
from firmware.journal.signing import Signer, load_public, make_key, public_path, verify

SEED = bytes(range(32))


def test_a_known_signature() -> None:
    """RFC 8032, section 7.1, test 2."""
    signer = Signer(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
    assert signer.public.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert signer.sign(b"\x72").hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


@given(st.binary(max_size=200), st.integers(0, 63), st.integers(1, 255))
def test_only_the_message_s_own_signature_by_the_key_is_one(message: bytes, index: int, flip: int) -> None:
    signer = Signer(SEED)
    signature = signer.sign(message)
    changed = bytearray(signature)
    changed[index] ^= flip
    assert verify(signer.public, message, signature)
    assert not verify(signer.public, message, bytes(changed))
    assert not verify(signer.public, message + b"\0", signature)
    assert not verify(Signer(bytes(32)).public, message, signature)


@pytest.mark.parametrize(("public", "signature"), [(b"", b""), (bytes(31), bytes(64)), (bytes(32), bytes(63))])
def test_what_has_no_form_is_no_signature(public: bytes, signature: bytes) -> None:
    assert not verify(public, b"m", signature)


def test_a_key_is_made_once_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    old = os.umask(0o000)  # a careless one
    try:
        public = make_key(path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(public_path(path).stat().st_mode) == 0o644
    assert Signer.load(path).public == public == load_public(public_path(path))
    before = path.read_bytes()
    with pytest.raises(KeyUnusable, match="exists already"):
        make_key(path)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["signing.key", "signing.key.pub"]
    assert before.splitlines()[1].split()[1].decode() not in repr(Signer.load(path))


def test_what_is_no_key_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    with pytest.raises(KeyMissing, match="tabled key make"):
        Signer.load(path)
    with pytest.raises(KeyUnusable, match="no regular file"):
        Signer.load(tmp_path)
    make_key(path)
    with pytest.raises(KeyUnusable, match="no signing key"):
        Signer.load(_private(tmp_path / "other", public_path(path).read_bytes()))
    with pytest.raises(KeyUnusable, match="no public key"):
        load_public(path)
    with pytest.raises(KeyUnusable, match="No such file or directory"):
        make_key(tmp_path / "nowhere" / "signing.key")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "signing.key"
    make_key(path)
    path.chmod(mode)
    with pytest.raises(KeyUnusable, match=f"has mode {mode:04o}, expected 0600"):
        Signer.load(path)


def test_every_changed_byte_of_the_key_s_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    make_key(path)
    clean = path.read_bytes()
    other = tmp_path / "changed"
    for index in range(len(clean)):
        changed = bytearray(clean)
        changed[index] ^= 1
        with pytest.raises(KeyUnusable):
            Signer.load(_private(other, bytes(changed)))
    for length in range(len(clean)):
        with pytest.raises(KeyUnusable):
            Signer.load(_private(other, clean[:length]))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_s_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    make_key(path)
    os.chown(path, 12_345, -1)
    Signer.load(path)  # root may
    code = (
        "import os; from pathlib import Path; from firmware.journal.signing import _check_access; os.setuid(4321)\n"
        "_check_access(Path('k'), os.stat_result((0o100600, 0, 0, 1, 12345, 0, 0, 0, 0, 0)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "belongs to user 12345, this is user 4321" in done.stderr


def test_the_library_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, firmware.journal.signing, firmware.journal.writer; sys.exit('nacl' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _private(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_the_command_makes_and_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"

    def key(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "firmware.cli", "key", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])

    made = key("make", path)
    assert made.returncode == 0
    assert (
        made.stdout.splitlines()[0]
        == key("show", path).stdout.strip()
        == f"public key: {Signer.load(path).public.hex()}"
    )
    again = key("make", path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "exists already" in again.stderr
    assert "no key is there" in key("show", tmp_path / "none").stderr


@pytest.mark.parametrize("room", [0, 1, 40, 100])
def test_a_disk_that_fills_up_leaves_no_half_of_a_key_or_a_head(tmp_path: Path, room: int) -> None:
    """A write takes what there is room for and says how much; only the next one fails."""
    signer = Signer(bytes(32))
    noted, before = tmp_path / "noted", signed(Head(1, 1, 5, bytes(32)), signer)
    write_head(noted, before)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(JournalError, match="File too large"):
            write_head(noted, signed(Head(1, 1, 6, bytes(32)), signer))
        with pytest.raises(KeyUnusable, match="File too large"):
            make_key(tmp_path / "key")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read_head(noted) == before
    assert not (tmp_path / "key").exists()
    make_key(tmp_path / "key")
