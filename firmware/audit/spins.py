"""Spins: what B2B hangs on beside the number, held against the records: the number before, and the odds drawn.

Rules (617b.1(d), (e); B2, B4):
* The previous number is that of the last settled round, or one that was told between the rounds; or there is none.
* The odds are those that the generator answered to the question of this round, asked once.
"""

from __future__ import annotations

from firmware.audit.items import Checked, Page
from firmware.core.shown import SpunShown


class Spins:
    def __init__(self) -> None:
        self._before: set[str] = set()
        self._told: list[str] = []  # since the round before was cleared
        self._settled: str | None = None
        self._asked: int | None = None
        self._drawn: int | None = None

    def go_on(self, last: str | None, draw: int | None, drawn: int | None) -> None:
        """With what another file left."""
        self._before = set() if last is None else {last}
        self._asked, self._drawn = draw, drawn

    def told(self, pockets: tuple[str, ...]) -> None:
        self._told += [pocket for pocket in pockets if pocket]

    def asked(self, page: Page, draw: int) -> None:
        """The same question again, after a start, is none of its own."""
        if self._asked not in (None, draw):
            page.find("spin", "odds asked for", "once a round", f"draws {self._asked} and {draw}")
        self._asked = draw

    def answered(self, draw: int, value: str) -> None:
        if draw == self._asked and self._drawn is None:
            self._drawn = int(value)

    def round_opened(self) -> None:
        """What was told between the rounds is no number of the next."""
        if self._told:
            self._before = set(self._told)
        self._told.clear()

    def round_ended(self) -> None:
        if self._settled is not None:
            self._before = {self._settled}
        self._settled = self._asked = self._drawn = None
        self._told.clear()

    def settled(self, page: Page, subject: str, shown: SpunShown) -> None:
        page.compared(Checked.CARD)
        if shown.previous is not None and shown.previous not in self._before:
            expected = " or ".join(sorted(self._before)) or "none"
            page.find(subject, "previous number", expected, shown.previous)
        if shown.drawn_odds != self._drawn:
            page.find(subject, "odds drawn", self._drawn or "none", shown.drawn_odds or "none")
        self._settled = shown.number
