"""The signed manifest: which software and configuration the approver allows at a table.

A file of JSON: {"approved": what `Identity` holds, "approver": public key, "signature": ...}, both in hex. The
signature is Ed25519 over `LABEL` and the JSON of "approved" with its keys in the order of `Identity` and no spaces.

Rules:
* The approver's secret key is never on a table. The table knows the public half from its configuration, and its journal
  knows the first one that it met.
* A manifest that can't be used is a difference that people see, never an error that ends the daemon.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

from firmware.core.identity import Identity, ManifestFound, ManifestState
from firmware.journal import signing
from firmware.journal.drafts import draft_of
from firmware.settings.model import IdentityCheck

LABEL = b"tabled manifest 1\n"
"""So that nothing else which was ever signed with this key can pass for a manifest."""

MOST_BYTES = 1 << 20


class SignedManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    approved: Identity
    approver: str
    signature: str


def sign(approved: Identity, signer: signing.Signer) -> SignedManifest:
    return SignedManifest(approved, signer.public.hex(), signer.sign(_message(approved)).hex())


def write(manifest: SignedManifest, file: Path) -> None:
    """Put it in place whole: a table that starts meanwhile reads the old one or this. Raises OSError."""
    draft = draft_of(file)
    try:
        with draft.open("wb") as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        draft.replace(file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error


def look(check: IdentityCheck, folder: Path) -> ManifestFound:
    """What the configured manifest says; a relative path lies below `folder`, the run directory."""
    if not check.manifest:
        return ManifestFound(ManifestState.NOT_CONFIGURED)
    file = folder / check.manifest
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe would be waited for
            return ManifestFound(ManifestState.UNREADABLE, check.approver, detail="no regular file")
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES)
    except FileNotFoundError:
        return ManifestFound(ManifestState.MISSING, check.approver)
    except OSError as error:
        return ManifestFound(ManifestState.UNREADABLE, check.approver, detail=str(error.strerror))
    try:
        manifest = msgspec.json.decode(content, type=SignedManifest)
        signature = bytes.fromhex(manifest.signature)
    except ValueError as error:  # what msgspec raises is one, too
        return ManifestFound(ManifestState.UNREADABLE, check.approver, detail=str(error))
    if not signing.verify(bytes.fromhex(check.approver), _message(manifest.approved), signature):
        return ManifestFound(ManifestState.FORGED, check.approver)
    return ManifestFound(ManifestState.SIGNED, check.approver, manifest.approved)


def _message(approved: Identity) -> bytes:
    return LABEL + msgspec.json.encode(approved)
