"""The picture of a table: what its lamps, sign and display show, its meters, state and journal, on `COLUMNS` x `ROWS`.

Rules: a pure function of a `TableView`; where the view comes from (simulated devices, a daemon's socket) is not known
here. A lamp is a colour and a sign of its own, so that it can be told without seeing the colour; a chip that lies on a
spot is drawn as brackets around its lamp.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from msgspec import Struct

from firmware.core.effects import LampShow
from firmware.core.shown import Rows
from hil.canvas import Canvas, Style
from hil.layout import Spot

COLUMNS, ROWS = 100, 30
LABEL_COLUMNS = 23
SIDE_COLUMN = 75
FELT_COLUMNS, FELT_ROWS = SIDE_COLUMN - 1, 13
SCREEN_ROWS, DISPLAY_COLUMNS = 6, 25
NEWS_ROW, NEWS_ROWS = 21, 6
MOST_POSITIONS, MOST_WAGERS = 14, 9
"""A table with more shows its first; `hil status` names all."""

SPACED_COLUMNS = 6
"""From this width on a king and a nine stand apart."""

SIGNS: Mapping[LampShow, str] = {
    LampShow.OFF: "·",
    LampShow.SENSED: "○",
    LampShow.ACCEPTED: "●",
    LampShow.NOT_ACCEPTED: "×",
    LampShow.WON: "★",
    LampShow.HELD: "◆",
    LampShow.OUT_OF_SERVICE: "■",
    LampShow.TEST: "○",
}

GROUND = "#10141c"
TEXT = Style("#d0d4dc", GROUND)
STRONG = Style("#ffffff", GROUND, bold=True)
FAINT = Style("#8a93a3", GROUND)
HEAD = Style("#ffffff", "#7a1f2b", bold=True)
FELT = "#0f4030"
ON_FELT = Style("#cfe8dc", FELT)
ON_FELT_STRONG = Style("#ffffff", FELT, bold=True)
UNLIT = Style("#3f7a63", FELT)
CHIP = Style("#f2d27a", FELT, bold=True)
SIGN_FRAME = Style("#7d6a45", "#1a1408")
SIGN_TEXT = Style("#ffb347", "#1a1408", bold=True)
LCD_FRAME = Style("#4f7d96", "#0b2230")
LCD_TEXT = Style("#a8e0ff", "#0b2230", bold=True)
BAD = Style("#ff7a7a", GROUND, bold=True)


class Look(Struct, frozen=True):
    """How a state of a lamp is configured."""

    colour: str
    pattern: str


class TableView(Struct, frozen=True):
    """What there is to see. `lamps`: the state that a lit lamp shows now; a spot without one is dark."""

    name: str
    state: str
    wagers: Sequence[str]
    positions: int
    lamps: Mapping[Spot, LampShow]
    looks: Mapping[LampShow, Look]
    chips: frozenset[Spot]
    combinations: Mapping[int, Sequence[str]]
    sign: str
    display: Sequence[str]
    shown: Rows
    meters: Sequence[tuple[str, str]]
    facts: Sequence[tuple[str, str]]
    """Short names and values for the right side: shoe, journal, devices."""
    troubles: Sequence[str]
    news: Sequence[str]
    """Newest last."""
    footer: str


def draw(view: TableView) -> Canvas:
    canvas = Canvas(COLUMNS, ROWS, TEXT)
    canvas.fill(0, 0, COLUMNS, 1, HEAD)
    canvas.put(1, 0, view.name, HEAD)
    canvas.put(COLUMNS - 1 - len(view.state), 0, view.state, HEAD)
    screens(canvas, view, 1, SIDE_COLUMN - 1, SIDE_COLUMN)
    felt(canvas, view, 7, FELT_COLUMNS)
    _side(canvas, view)
    for row, line in enumerate(view.news[-NEWS_ROWS:]):
        newest = row == len(view.news[-NEWS_ROWS:]) - 1
        canvas.put(1, NEWS_ROW + row, _cut(line, COLUMNS - 2), TEXT if newest else FAINT)
    legend(canvas, view, NEWS_ROW + NEWS_ROWS)
    canvas.put(1, ROWS - 1, view.footer[: COLUMNS - 2], FAINT)
    return canvas


def screens(canvas: Canvas, view: TableView, row: int, sign_columns: int, display_column: int) -> None:
    """The reader board from column 0, and the dealer's display; `SCREEN_ROWS` high."""
    canvas.box(0, row, sign_columns, SCREEN_ROWS, "reader board", SIGN_FRAME)
    for offset, line in enumerate(textwrap.wrap(view.sign, sign_columns - 4)[: SCREEN_ROWS - 2]):
        canvas.put(2, row + 1 + offset, line, SIGN_TEXT)
    canvas.box(display_column, row, DISPLAY_COLUMNS, SCREEN_ROWS, "dealer", LCD_FRAME)
    for offset, line in enumerate(view.display):
        canvas.put(display_column + 3, row + 1 + offset, line[:20], LCD_TEXT)


def felt(canvas: Canvas, view: TableView, top: int, columns: int, cursor: Spot | None = None) -> None:
    """Wagers down, positions across, from column 0; `FELT_ROWS` high. `cursor`: the spot that keys act on."""
    positions = range(1, min(view.positions, MOST_POSITIONS) + 1)
    at_positions = {name: cards for name, cards in view.shown if name.isdecimal() and cards}
    canvas.fill(0, top, columns, FELT_ROWS, Style(ground=FELT))
    width = (columns - LABEL_COLUMNS) // len(positions)
    for position in positions:
        column = LABEL_COLUMNS + (position - 1) * width
        canvas.put(column + width // 2, top, str(position), ON_FELT_STRONG)
        gap = " " if width >= SPACED_COLUMNS else ""
        own = gap.join(_card(card) for card in view.combinations.get(position) or at_positions.get(str(position), ()))
        canvas.put(column, top + 11, _cut(own, width).center(width), ON_FELT)
    canvas.put(2, top, "position", ON_FELT)
    if view.combinations or at_positions:
        canvas.put(2, top + 11, "combination" if view.combinations else "cards", ON_FELT)
    for row, wager in enumerate(view.wagers[:MOST_WAGERS], start=top + 1):
        canvas.put(2, row, wager.replace("_", " ")[: LABEL_COLUMNS - 2], ON_FELT)
        for position in positions:
            spot = Spot(position, wager)
            column = LABEL_COLUMNS + (position - 1) * width + width // 2
            if spot == cursor:
                canvas.put(column - 2, row, "[   ]", ON_FELT_STRONG)
            if spot in view.chips:
                canvas.put(column - 1, row, "( )", CHIP)
            shown = view.lamps.get(spot, LampShow.OFF)
            style = UNLIT if shown is LampShow.OFF else Style(view.looks[shown].colour, FELT, bold=True)
            canvas.put(column, row, SIGNS[shown], style)
    hands = "   ".join(
        f"{name.upper()} {' '.join(_card(card) for card in cards)}"
        for name, cards in view.shown
        if any(cards) and not name.isdecimal()  # roulette before its first spin shows an empty result
    )
    canvas.put(2, top + 12, hands, ON_FELT_STRONG)


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else text[: columns - 1] + "…"


def _card(card: str) -> str:
    return card[0].replace("T", "10") + {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}.get(card[1:], card[1:])


def _side(canvas: Canvas, view: TableView) -> None:
    row = 7
    for name, amount in view.meters:
        canvas.put(SIDE_COLUMN, row, name.upper()[:10], FAINT)
        canvas.put(COLUMNS - 1 - len(amount), row, amount, STRONG)
        row += 1
    row += 1
    for name, value in view.facts:
        canvas.put(SIDE_COLUMN, row, name, FAINT)
        canvas.put(max(SIDE_COLUMN + len(name) + 1, COLUMNS - 1 - len(value)), row, value, TEXT)
        row += 1
    for trouble in view.troubles[: NEWS_ROW - row]:
        canvas.put(SIDE_COLUMN, row, trouble[: COLUMNS - SIDE_COLUMN], BAD)
        row += 1


def legend(canvas: Canvas, view: TableView, row: int) -> None:
    """What each lamp means, in colour and in the words of its movement; two rows at least."""
    column = 1
    for show, look in view.looks.items():
        if show in (LampShow.OFF, LampShow.TEST):
            continue
        label = f"{show.value.replace('_', ' ')}: {look.pattern.replace('_', ' ')}"
        if column + len(label) + 2 > canvas.columns - 1:
            column, row = 1, row + 1
        canvas.put(column, row, SIGNS[show], Style(look.colour, GROUND, bold=True))
        canvas.put(column + 2, row, label, FAINT)
        column += len(label) + 4
