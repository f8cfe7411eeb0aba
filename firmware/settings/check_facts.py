"""What every check of money and rules looks at, and how it says what it would have taken instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from msgspec import Struct

from firmware.core.paytables import Catalogue, Paytable
from firmware.settings.model import Settings


class Facts(Struct, frozen=True):
    """What every check looks at. `paytables` holds the offered wagers whose paytable exists."""

    settings: Settings
    catalogue: Catalogue
    today: str
    paytables: dict[str, Paytable]

    def progressive(self) -> Iterator[tuple[str, Paytable]]:
        """Offered progressive wagers."""
        return ((wager, table) for wager, table in self.paytables.items() if table.progressive)


def one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def near(wrong: str, names: list[str]) -> str:
    close = difflib.get_close_matches(wrong, names, n=1, cutoff=0.5)
    return f"Did you mean {close[0]}?" if close else "Remove it, or take one of those."
