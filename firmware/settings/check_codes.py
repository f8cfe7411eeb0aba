"""Whether a barcode scanner's own map of codes can be played with: every card has a code that the scanner can send."""

from __future__ import annotations

import re
from collections.abc import Iterator

from firmware.core.cards import DECK
from firmware.settings.devices.readers import CardCodes, ScannerOptions, ShoeBarcodeHid, ShoeBarcodeHidSimulated
from firmware.settings.model import Settings
from firmware.settings.problems import KeyPath, Problem

LONGEST = 64
"""Characters of a code; the codec takes no more."""


def problems(settings: Settings) -> tuple[Problem, ...]:
    """Every problem of the codes."""
    return tuple(
        problem
        for name, device in settings.in_role("shoe")
        if isinstance(device, ScannerOptions)
        for problem in _problems(("devices", name), device)
    )


def _problems(place: KeyPath, device: ScannerOptions) -> Iterator[Problem]:
    if device.map is not CardCodes.OWN:
        if device.codes:
            yield Problem(
                (*place, "codes"),
                f"{len(device.codes)} codes beside map = {device.map.value!r}",
                'codes with map = "own" only',
                'Remove them, or set map = "own".',
            )
        return
    missing = [str(card) for card in DECK if str(card) not in device.codes.values()]
    if missing:
        yield Problem(
            (*place, "codes"),
            f"no code for {' '.join(missing[:5])}{' and others' if len(missing) > 5 else ''}",
            "a code for each of the 52 cards: one without could never be read",
            "Add what stands on the cards.",
        )
    keys_only = isinstance(device, ShoeBarcodeHid | ShoeBarcodeHidSimulated)
    form, expected = (
        (r"[0-9A-Za-z-]", "digits, letters and dashes, which a scanner has keys for")
        if keys_only
        else (r"[!-\\^-~]", "printable characters without blanks and ], with which the scanner's own prefix begins")
    )
    for code in device.codes:
        if not re.fullmatch(f"{form}{{1,{LONGEST}}}", code):
            yield Problem((*place, "codes", code), f"got {code!r}", f"1 to {LONGEST} {expected}", "Correct the code.")
