"""What software and configuration a table runs, what its approver allows, and what to make of a difference.

Rules:
* What is found at a start is compared with a signed manifest. Each difference keeps wagering closed until two persons
  accept exactly the differences that stood there, named by their mark; a further one, or another value, asks again.
* What was accepted is kept while it is still there: a difference that went away and comes back asks again.
* The first approver that a table meets is the one it knows. Another one, or none, is a difference like any other.
* A table with a manifest takes no wagers before it knows what it runs.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum

from firmware.core.rules import TableRules
from firmware.core.stored import Stored

NONE = "none"
"""What stands for a value that is not there."""


class Part(StrEnum):
    """What can differ. The last six are fields of `Identity`."""

    APPROVER = "approver"
    MANIFEST = "manifest"
    VERSION = "version"
    CODE = "code"
    PAYTABLES = "paytables"
    CONFIGURATION = "configuration"
    DEPENDENCIES = "dependencies"
    ENVIRONMENT = "environment"


class Identity(Stored, frozen=True):
    """What a daemon runs on. Hashes are SHA-256 in hex."""

    version: str  # of the firmware
    code: str  # of the Python sources of firmware and drivers, by name and content
    paytables: str  # of the installed paytable files, by name and content
    configuration: str  # of the table's own file
    dependencies: tuple[str, ...]  # "name version" of Python and every installed package
    environment: str  # of every file that Python can import, by name and content; empty: not asked for


class ManifestState(StrEnum):
    """What became of the manifest that the configuration names."""

    NOT_CONFIGURED = "not configured"
    SIGNED = "signed"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    FORGED = "forged"  # not signed by the approver, or changed since


class ManifestFound(Stored, frozen=True):
    """What the approver allows: `approved` is there if, and only if, the manifest is signed."""

    state: ManifestState
    approver: str = ""  # public key, hex, as configured
    approved: Identity | None = None
    detail: str = ""  # of a manifest that can't be used: why


class Difference(Stored, frozen=True):
    """One part that is not as approved."""

    part: Part
    approved: str
    found: str


class Standing(Stored, frozen=True):
    """What a table's state keeps of all this."""

    known: bool = False  # since this start
    approver: str = ""
    open: tuple[Difference, ...] = ()
    accepted: tuple[Difference, ...] = ()


def judge(before: Standing, found: Identity, manifest: ManifestFound) -> Standing:
    """The standing after a look at what runs."""
    differences = (*_approver(before.approver, manifest), *_parts(found, manifest))
    return Standing(
        known=True,
        approver=before.approver or manifest.approver,
        open=tuple(d for d in differences if d not in before.accepted),
        accepted=tuple(d for d in differences if d in before.accepted),
    )


def accept(before: Standing) -> Standing:
    """The standing after two persons have accepted all that is open."""
    approver = next((d.found for d in before.open if d.part is Part.APPROVER), before.approver)
    return Standing(
        known=before.known,
        approver="" if approver == NONE else approver,
        open=(),
        accepted=(*before.accepted, *(d for d in before.open if d.part is not Part.APPROVER)),
    )


def closes_wagering(rules: TableRules, standing: Standing) -> bool:
    return bool(standing.open) or (rules.identity_checked and not standing.known)


def mark(differences: tuple[Difference, ...]) -> str:
    """Eight characters that stand for exactly these differences: what is accepted is what was looked at."""
    lines = "".join(f"{d.part}\0{d.approved}\0{d.found}\n" for d in differences)
    return hashlib.sha256(lines.encode()).hexdigest()[:8].upper() if differences else ""


def text(difference: Difference) -> str:
    return f"{difference.part}: approved {difference.approved}, found {difference.found}"


def _approver(known: str, manifest: ManifestFound) -> tuple[Difference, ...]:
    if known in ("", manifest.approver):
        return ()
    return (Difference(Part.APPROVER, known, manifest.approver or NONE),)


def _parts(found: Identity, manifest: ManifestFound) -> tuple[Difference, ...]:
    """With no manifest to compare with, every part is unapproved by itself: so that another program asks again."""
    if manifest.state is ManifestState.NOT_CONFIGURED:
        return ()
    out = []
    if manifest.approved is None:
        out.append(Difference(Part.MANIFEST, ManifestState.SIGNED, f"{manifest.state} {manifest.detail}".strip()))
    was = _values(manifest.approved)
    for part, value in _values(found).items():
        missing, added = [v for v in was[part] if v not in value], [v for v in value if v not in was[part]]
        if missing or added:
            out.append(Difference(part, ", ".join(missing) or NONE, ", ".join(added) or NONE))
    return tuple(out)


def _values(identity: Identity | None) -> dict[Part, tuple[str, ...]]:
    """By part; a list of packages is compared one by one, so that the difference names those that differ."""
    if identity is None:
        return {part: () for part in Part if part not in (Part.APPROVER, Part.MANIFEST)}
    return {
        Part.VERSION: (identity.version,),
        Part.CODE: (identity.code,),
        Part.PAYTABLES: (identity.paytables,),
        Part.CONFIGURATION: (identity.configuration,),
        Part.DEPENDENCIES: identity.dependencies,
        Part.ENVIRONMENT: (identity.environment,),
    }
