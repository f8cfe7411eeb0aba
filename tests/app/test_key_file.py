"""The key file of secret draws, on a real disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firmware.app.key_file import KeyFileError, SecretKey, open_key
from firmware.journal.drafts import draft_of


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def made(folder: Path) -> Path:
    path = folder / "mystery.key"
    assert open_key(path, make=True).trouble == ""
    return path


def test_made_once_and_read_again(tmp_path: Path) -> None:
    path = made(tmp_path)
    text = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    key = open_key(path, make=True).read()
    assert len(key) == 32
    assert key == open_key(path, make=False).read()
    assert path.read_bytes() == text, "never written over"
    assert names(tmp_path) == ["mystery.key"]
    other = tmp_path / "other"
    other.mkdir()
    assert open_key(made(other), make=False).read() != key


def test_a_start_that_was_cut_off_leaves_no_trace(tmp_path: Path) -> None:
    draft_of(tmp_path / "mystery.key").write_bytes(b"half a k")
    made(tmp_path)
    assert names(tmp_path) == ["mystery.key"]


def test_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert made(tmp_path).stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_a_missing_key_is_not_made_where_something_was_sealed(tmp_path: Path) -> None:
    key = open_key(tmp_path / "mystery.key", make=False)
    with pytest.raises(KeyFileError, match="key file is missing"):
        key.read()
    assert names(tmp_path) == []


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_is_not_used(tmp_path: Path, mode: int) -> None:
    path = made(tmp_path)
    path.chmod(mode)
    assert f"mode {mode:04o}, others can read the key" in open_key(path, make=False).trouble


def test_a_damaged_key(tmp_path: Path) -> None:
    path = made(tmp_path)
    whole = path.read_bytes()
    for text in (b"", whole[:-2], whole + b"0", whole.replace(b"secret", b"public"), whole[:30] + b"zz" + whole[32:]):
        path.write_bytes(text)
        assert "no key for secret draws" in open_key(path, make=False).trouble, text
        assert whole[22:-1].decode() not in open_key(path, make=False).trouble


def test_a_path_that_is_no_file(tmp_path: Path) -> None:
    assert "Is a directory" in open_key(tmp_path, make=True).trouble
    assert "missing" in open_key(tmp_path / "away" / "mystery.key", make=True).trouble
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert open_key(tmp_path / "link", make=True).trouble, "nothing is made through a link"
    assert names(tmp_path) == ["link"]


def test_it_shows_itself_to_nobody() -> None:
    assert repr(SecretKey(b"\x01" * 32)) == "SecretKey(usable)"
    assert repr(SecretKey(b"", "away")) == "SecretKey(away)"


def test_a_pipe_in_the_key_s_place_does_not_keep_the_table_from_starting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mystery.key", 0o600)
    assert "is no regular file" in open_key(tmp_path / "mystery.key", make=True).trouble
