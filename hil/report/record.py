"""An acceptance record: what it holds, its bytes, its signature.

Rules:
* What is signed is the record's own JSON, byte for byte, behind a line that says what it is: no signature of the
  journal or of a manifest can pass for one of a record, nor the other way round.
* The key is the table's, the one that signs its journal. Who may not read it makes a record without a signature, which
  says so wherever it is shown.
* A record is verified against the public key that was noted at the installation; the key in the file alone proves only
  that the file was not changed since.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from firmware.core.identity import Identity
from firmware.journal.signing import PUBLIC_BYTES, Signer, verify
from hil.machine_identity import Machine
from hil.measure import Measurement, failed

FORM = "tabled acceptance record 1"
_HEAD = f"{FORM}\n".encode()


class BadRecord(Exception):
    """No record, or none that this program can read. The message says which and why."""


class Port(Struct, frozen=True):
    """A serial port of the machine: its number of today, and the names that last."""

    tty: str
    names: tuple[str, ...]


class DeviceFound(Struct, frozen=True):
    """A device as the daemon has it. `counters`: since its start."""

    name: str
    kind: str
    identity: str
    address: str
    link: str
    counters: dict[str, int]


class Software(Struct, frozen=True):
    """What the daemon runs on, and how that stands to the manifest that its approver signed."""

    found: Identity
    manifest: str
    approver: str
    differences: tuple[str, ...]
    accepted: tuple[str, ...]


class Journal(Struct, frozen=True):
    """The table's journal as it stood: what was recorded up to here can be checked against `head`."""

    path: str
    generation: int
    commits: int
    head: str
    signing_key: str  # public, hex; empty where it could not be read


class Record(Struct, frozen=True):
    """`form`: always `FORM`. `made`: UTC, to the second. `by`: who says so. `configuration`: the table's file, whole.
    `lamp_times_ns`: from a chip's edge to its lamp, as the daemon measured them. `accepted`: codes that a person takes
    as they are."""

    form: str
    made: str
    wall_trusted: bool
    by: str
    table: str
    game: str
    profile: str
    phase: str
    machine: Machine
    ports: tuple[Port, ...]
    gpio_chips: tuple[str, ...]
    software: Software
    configuration_path: str
    configuration: str
    journal: Journal
    devices: tuple[DeviceFound, ...]
    how: str
    measurements: tuple[Measurement, ...]
    accepted: tuple[str, ...]
    debounce_ms: int
    lamp_times_ns: tuple[int, ...]

    @property
    def wrong(self) -> Sequence[Measurement]:
        """What keeps the table from being accepted."""
        return failed(self.measurements, self.accepted)


class Signed(Struct, frozen=True):
    """A record with its signature. `public_key`, `signature`: hex, both empty where it is not signed, and
    `not_signed` says why."""

    record: msgspec.Raw
    public_key: str
    signature: str
    not_signed: str = ""

    def read(self) -> Record:
        """Raises `BadRecord`."""
        try:
            found = msgspec.json.decode(self.record, type=Record)
        except msgspec.MsgspecError as error:
            raise BadRecord(f"no record that this hil can read: {error}") from error
        if found.form != FORM:
            raise BadRecord(f"the record says {found.form!r}; this hil reads {FORM!r}")
        return found

    def verified(self) -> bool:
        """Whether the record is what the holder of `public_key` signed."""
        try:
            public, signature = bytes.fromhex(self.public_key), bytes.fromhex(self.signature)
        except ValueError:
            return False
        return len(public) == PUBLIC_BYTES and verify(public, _HEAD + bytes(self.record), signature)


def signed(record: Record, signer: Signer | None, why_not: str = "") -> Signed:
    """With the signature of `signer`, or without one and why."""
    raw = msgspec.json.encode(record)
    if signer is None:
        return Signed(msgspec.Raw(raw), "", "", why_not)
    return Signed(msgspec.Raw(raw), signer.public.hex(), signer.sign(_HEAD + raw).hex())


def to_json(of: Signed) -> bytes:
    """The file's bytes."""
    return msgspec.json.encode(of) + b"\n"


def from_json(text: bytes) -> Signed:
    """Raises `BadRecord`."""
    try:
        return msgspec.json.decode(text, type=Signed)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise BadRecord(f"no acceptance record: {error}") from error
