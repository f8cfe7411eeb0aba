"""The table's picture as a widget: the same that `hil watch` draws, as wide as the terminal allows, with the spot that
keys act on between square brackets.

Rules: what doesn't fit is left out from below: news first, then meters. 80 columns and 21 rows show the table whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style as Ink
from textual.strip import Strip
from textual.widget import Widget

from hil.canvas import Canvas, Style
from hil.layout import Spot
from hil.picture import (
    BAD,
    COLUMNS,
    DISPLAY_COLUMNS,
    FAINT,
    FELT_COLUMNS,
    FELT_ROWS,
    MOST_POSITIONS,
    MOST_WAGERS,
    SCREEN_ROWS,
    STRONG,
    TEXT,
    TableView,
    felt,
    legend,
    screens,
)

LEGEND_ROWS = 2
FACTS_COLUMN = 50
FIXED_ROWS = SCREEN_ROWS + FELT_ROWS + LEGEND_ROWS


def drawn(view: TableView, cursor: Spot | None, columns: int, rows: int) -> Canvas:
    """The picture in so many cells."""
    columns = min(max(columns, FELT_COLUMNS), COLUMNS)
    canvas = Canvas(columns, max(rows, 1), TEXT)
    screens(canvas, view, 0, columns - DISPLAY_COLUMNS - 1, columns - DISPLAY_COLUMNS)
    felt(canvas, view, SCREEN_ROWS, columns, cursor)
    legend(canvas, view, SCREEN_ROWS + FELT_ROWS)
    row = FIXED_ROWS + 1
    for trouble in view.troubles:
        canvas.put(1, row, f"! {trouble}", BAD)
        row += 1
    for offset, (name, value) in enumerate(view.facts):
        canvas.put(FACTS_COLUMN, row + offset, name, FAINT)
        canvas.put(FACTS_COLUMN + 10, row + offset, value, TEXT)
    for offset, (name, value) in enumerate(view.meters):
        canvas.put(1, row + offset, name, FAINT)
        canvas.put(24, row + offset, value.rjust(18), STRONG)
    row += max(len(view.facts), len(view.meters)) + 1
    for number, line in enumerate(newest := view.news[-max(0, rows - row) :] if rows > row else []):
        canvas.put(1, row + number, line, TEXT if number == len(newest) - 1 else FAINT)
    return canvas


class TablePicture(Widget):
    """`view` is set by the application; arrow keys move `cursor`."""

    def __init__(self, view: TableView, spots: Iterable[Spot], *, id: str) -> None:
        super().__init__(id=id)
        self._view = view
        self._canvas: Canvas | None = None
        self._spots = _shown(view, spots)
        self._cursor = 0
        self.shows_cursor = False

    @property
    def spot(self) -> Spot | None:
        """The spot that keys act on."""
        return self._spots[self._cursor] if self._spots and self.shows_cursor else None

    def show(self, view: TableView) -> None:
        """Another view of the same table; nothing is drawn where it is the same."""
        if view != self._view:
            self._view = view
            self._redraw()

    def move(self, positions: int, wagers: int) -> None:
        """Move the cursor, as far as there are spots."""
        spot = self.spot
        if spot is None:
            return
        rows = list(dict.fromkeys(one.wager for one in self._spots))
        across = [one.position for one in self._spots if one.wager == spot.wager]
        wager = rows[(rows.index(spot.wager) + wagers) % len(rows)]
        there = [one for one in self._spots if one.wager == wager]
        position = across[(across.index(spot.position) + positions) % len(across)]
        nearest = min(there, key=lambda one: abs(one.position - position))
        self._cursor = self._spots.index(nearest)
        self._redraw()

    def _redraw(self) -> None:
        self._canvas = None
        self.refresh()

    def on_resize(self) -> None:
        self._redraw()

    def render_line(self, y: int) -> Strip:
        if self._canvas is None:
            self._canvas = drawn(self._view, self.spot, self.size.width, self.size.height)
        if y >= self._canvas.rows:
            return Strip.blank(self.size.width, _ink(TEXT))
        runs = [Segment("".join(cell.character for cell in run), _ink(run[0].style)) for _, run in self._canvas.runs(y)]
        return Strip(runs).adjust_cell_length(self.size.width, _ink(TEXT))


def _shown(view: TableView, spots: Iterable[Spot]) -> Sequence[Spot]:
    """Those that the picture shows, in its order."""
    wagers = view.wagers[:MOST_WAGERS]
    shown = [spot for spot in spots if spot.wager in wagers and spot.position <= MOST_POSITIONS]
    return sorted(shown, key=lambda spot: (wagers.index(spot.wager), spot.position))


def _ink(style: Style) -> Ink:
    return Ink(color=style.ink, bgcolor=style.ground, bold=style.bold)
