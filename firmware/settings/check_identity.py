"""What must be said about the table's own identity: which manifest approves it, and whose signature counts.

A production table names both; a simulated one may, and is then held to it like any other (decision 0135).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from firmware.settings.fields import PLACEHOLDER
from firmware.settings.model import Profile, Settings
from firmware.settings.problems import Problem

_PUBLIC_KEY = re.compile(r"[0-9a-f]{64}")
_LEAST_DIGITS = 8
"""A key in which fewer digits occur is a filler: of true keys it is not one in 10 to the 20."""
REMEDY = "`tabled key make` makes the approver's key, `tabled manifest make` signs with it; see the README."


def problems(settings: Settings) -> Iterator[Problem]:
    """Every problem of `[identity]`."""
    identity = settings.identity
    production = settings.table.profile is Profile.PRODUCTION
    if not identity.manifest and (production or identity.approver):
        why = "in the production profile" if production else "although an approver is named"
        yield Problem(("identity", "manifest"), f"no manifest {why}", "the path of a signed manifest", REMEDY)
    if not identity.approver and (production or identity.manifest):
        why = "in the production profile" if production else "although a manifest is named"
        yield Problem(("identity", "approver"), f"no approver {why}", "a public key, 64 hexadecimal digits", REMEDY)
    if identity.approver and _PUBLIC_KEY.fullmatch(identity.approver) is None:
        expected = "a public key, 64 lower-case hexadecimal digits"
        got = "still the example's" if identity.approver.startswith(PLACEHOLDER) else "got"
        yield Problem(("identity", "approver"), f"{got} {identity.approver!r}", expected, REMEDY)
    elif identity.approver and len(set(identity.approver)) < _LEAST_DIGITS:
        expected = "the approver's own key, which `tabled key make` printed"
        yield Problem(("identity", "approver"), f"{identity.approver!r} is a filler and nobody's key", expected, REMEDY)
    if production and identity.manifest and not PurePosixPath(identity.manifest).is_absolute():
        expected = "an absolute path in the production profile"
        yield Problem(("identity", "manifest"), f"got {identity.manifest!r}", expected, "Write it from the root down.")
