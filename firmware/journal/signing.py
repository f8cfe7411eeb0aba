"""The table's signing key: Ed25519, made once at the installation, kept outside the journal.

Rules:
* The secret's file is made complete and then linked to its name; one that is there is never written over. It is read
  only if nobody but its owner can (mode 0600) and the owner is the caller (root may read anybody's).
* Beside it lies `FILE.pub`, for everybody: what an auditor notes on the day of the installation.
* The file holds the public half too, so that a damaged key is told from another table's.
* PyNaCl is imported when the first signature is asked for: commands that need none start without it.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from firmware.journal.errors import KeyMissing, KeyUnusable
from firmware.journal.new_file import put_new

SEED_BYTES = PUBLIC_BYTES = 32
SIGNATURE_BYTES = 64

_TITLE = "tabled signing key 1: secret, never leaves this machine"
_SECRET_FORM = re.compile(f"{_TITLE}\nsecret ([0-9a-f]{{64}})\npublic ([0-9a-f]{{64}})\n".encode())
_PUBLIC_FORM = re.compile(rb"tabled public key 1\n([0-9a-f]{64})\n")


class Signer:
    """Signs with one table's key. Holds the secret in memory and shows it nowhere."""

    def __init__(self, seed: bytes) -> None:
        """`seed`: the 32 secret bytes."""
        from nacl.bindings import crypto_sign_seed_keypair

        self.public, self._secret = crypto_sign_seed_keypair(seed)

    @classmethod
    def load(cls, path: Path) -> Signer:
        """The key in `path`. Raises KeyMissing, or KeyUnusable for a file that others can read or that is damaged."""
        found = _SECRET_FORM.fullmatch(_read(path, secret=True))
        if found is None:
            raise KeyUnusable(f"{path}: is no signing key of tabled; check the path, or bring back the key's own copy")
        signer = cls(bytes.fromhex(found[1].decode()))
        if signer.public.hex() != found[2].decode():
            raise KeyUnusable(
                f"{path}: is damaged: its secret belongs to the public key {signer.public.hex()}, it names "
                f"{found[2].decode()}; bring back the key's own copy"
            )
        return signer

    def sign(self, message: bytes) -> bytes:
        """64 bytes; the same for the same message."""
        from nacl.bindings import crypto_sign

        return crypto_sign(message, self._secret)[:SIGNATURE_BYTES]

    def __repr__(self) -> str:
        return f"Signer(public={self.public.hex()})"


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is that of `message` by the key's holder. Values of a wrong length are no signature."""
    if (len(public), len(signature)) != (PUBLIC_BYTES, SIGNATURE_BYTES):
        return False
    from nacl.bindings import crypto_sign_open
    from nacl.exceptions import BadSignatureError

    try:
        crypto_sign_open(signature + message, public)
    except BadSignatureError:
        return False
    return True


def make_key(path: Path) -> bytes:
    """Make a key in `path` and `path`.pub, durably; the public half. Raises KeyUnusable if something is there."""
    seed = os.urandom(SEED_BYTES)
    public = Signer(seed).public
    text = f"{_TITLE}\nsecret {seed.hex()}\npublic {public.hex()}\n"
    try:
        put_new(path, text.encode(), 0o600)
        write_public(public_path(path), public)
    except FileExistsError as error:
        raise KeyUnusable(
            f"{path}: exists already; a key is made once, since what was signed with it is known by it. To replace "
            "it, move it and its .pub away first, and note the new public key where the old one is noted"
        ) from error
    except OSError as error:
        raise KeyUnusable(f"{path}: {error.strerror}; the folder must be there and be yours to write") from error
    return public


def public_path(path: Path) -> Path:
    return path.with_name(path.name + ".pub")


def write_public(path: Path, public: bytes) -> None:
    """Raises OSError."""
    path.unlink(missing_ok=True)  # of a key that was moved away
    put_new(path, f"tabled public key 1\n{public.hex()}\n".encode(), 0o644)


def load_public(path: Path) -> bytes:
    """The key in a `.pub` file. Raises KeyMissing, KeyUnusable."""
    found = _PUBLIC_FORM.fullmatch(_read(path, secret=False))
    if found is None:
        raise KeyUnusable(f"{path}: is no public key of tabled; expected the file that `tabled key make` wrote (.pub)")
    return bytes.fromhex(found[1].decode())


def _read(path: Path, secret: bool) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError as error:
        if not secret:
            raise KeyMissing(
                f"{path}: no key is there; expected 64 hexadecimal digits or a key's .pub file. Check the path"
            ) from error
        raise KeyMissing(
            f"{path}: no key is there. Check the path, which in a table's file counts from the run directory. A "
            f"table's key is made once, at the installation: tabled key make {path}; if this table had one, bring it "
            "back: what it signed is known by it"
        ) from error
    except OSError as error:
        raise KeyUnusable(f"{path}: {error.strerror}; the key must be readable by who runs this") from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise KeyUnusable(f"{path}: is no regular file; expected a key. Check the path")
        if secret:
            _check_access(path, found)
        return os.read(descriptor, 1_000)
    finally:
        os.close(descriptor)


def _check_access(path: Path, found: os.stat_result) -> None:
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        raise KeyUnusable(
            f"{path}: has mode {mode:04o}, expected 0600: whoever can read the key can sign a false journal. Find out "
            f"who could, then: chmod 600 {path}"
        )
    if os.geteuid() not in (0, found.st_uid):
        raise KeyUnusable(
            f"{path}: belongs to user {found.st_uid}, this is user {os.geteuid()}; the key must belong to who runs the "
            "daemon"
        )
