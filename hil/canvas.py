"""A picture made of characters: cells with colours, and the same cells as terminal output or as SVG.

Rules:
* A character takes one cell. What lies outside is cut off.
* To a terminal only the cells are written that differ from what it shows: nothing flickers, little goes over ssh.
"""

from __future__ import annotations

from typing import NamedTuple
from xml.sax.saxutils import escape

from msgspec import Struct

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 9, 19, 15
"""Of the SVG, in its pixels."""


class Style(NamedTuple):
    """Colours as "#rrggbb"."""

    ink: str = "#d0d4dc"
    ground: str = "#10141c"
    bold: bool = False


PLAIN = Style()


class Cell(Struct, frozen=True):
    character: str
    style: Style


class Canvas:
    """`columns` by `rows` cells."""

    def __init__(self, columns: int, rows: int, ground: Style = PLAIN) -> None:
        self.columns = columns
        self.rows = rows
        self._cells = [[Cell(" ", ground)] * columns for _ in range(rows)]

    def put(self, column: int, row: int, text: str, style: Style = PLAIN) -> None:
        if 0 <= row < self.rows:
            for offset, character in enumerate(text):
                if 0 <= column + offset < self.columns:
                    self._cells[row][column + offset] = Cell(character, style)

    def fill(self, column: int, row: int, columns: int, rows: int, style: Style) -> None:
        for line in range(row, row + rows):
            self.put(column, line, " " * columns, style)

    def box(self, column: int, row: int, columns: int, rows: int, title: str, style: Style) -> None:
        """A frame with its title in the upper edge."""
        self.fill(column, row, columns, rows, style)
        self.put(column, row, "┌" + "─" * (columns - 2) + "┐", style)
        for line in range(row + 1, row + rows - 1):
            self.put(column, line, "│", style)
            self.put(column + columns - 1, line, "│", style)
        self.put(column, row + rows - 1, "└" + "─" * (columns - 2) + "┘", style)
        self.put(column + 2, row, f" {title} ", style)

    def part(self, columns: int, rows: int) -> Canvas:
        """The upper left corner."""
        canvas = Canvas(min(columns, self.columns), min(rows, self.rows))
        canvas._cells = [line[: canvas.columns] for line in self._cells[: canvas.rows]]
        return canvas

    def row(self, row: int) -> list[Cell]:
        return self._cells[row]

    # --- as terminal output -------------------------------------------------------------------------------------------

    def to_terminal(self, shown: Canvas | None) -> str:
        """What turns a terminal that shows `shown` (None: nothing is known of it) into this picture."""
        out: list[str] = [] if shown is not None else ["\x1b[0m\x1b[2J"]
        style: Style | None = None
        for line in range(self.rows):
            next_column: int | None = None
            for column, cell in enumerate(self._cells[line]):
                if shown is not None and shown.row(line)[column] == cell:
                    continue
                if column != next_column:
                    out.append(f"\x1b[{line + 1};{column + 1}H")
                if cell.style != style:
                    style = cell.style
                    out.append(_sgr(style))
                out.append(cell.character)
                next_column = column + 1
        return "".join(out) + ("\x1b[0m" if style is not None else "")

    # --- as SVG -------------------------------------------------------------------------------------------------------

    def to_svg(self, title: str) -> str:
        width, height = self.columns * CELL_WIDTH, self.rows * CELL_HEIGHT
        ground = self._cells[-1][0].style.ground
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}">'
        )
        parts = [head, f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="{ground}"/>']
        for line in range(self.rows):
            for column, run in self.runs(line):
                if run[0].style.ground != ground:
                    x, w = column * CELL_WIDTH, len(run) * CELL_WIDTH
                    parts.append(
                        f'<rect x="{x}" y="{line * CELL_HEIGHT}" width="{w}" height="{CELL_HEIGHT}" '
                        f'fill="{run[0].style.ground}"/>'
                    )
        for line in range(self.rows):
            parts += [self._text(line, column, run) for column, run in self.runs(line) if _has_ink(run)]
        return "\n".join([*parts, "</svg>", ""])

    def _text(self, line: int, column: int, run: list[Cell]) -> str:
        text = "".join(cell.character for cell in run)
        column += len(text) - len(text.lstrip())
        text = text.strip()
        # The length is given, so that a font of another width keeps the columns.
        weight = ' font-weight="bold"' if run[0].style.bold else ""
        return (
            f'<text x="{column * CELL_WIDTH}" y="{line * CELL_HEIGHT + FONT_SIZE}" fill="{run[0].style.ink}"{weight} '
            f'textLength="{len(text) * CELL_WIDTH}" xml:space="preserve">{escape(text)}</text>'
        )

    def runs(self, line: int) -> list[tuple[int, list[Cell]]]:
        """Cells of one style side by side, with the column of the first."""
        runs: list[tuple[int, list[Cell]]] = []
        for column, cell in enumerate(self._cells[line]):
            if runs and runs[-1][1][-1].style == cell.style:
                runs[-1][1].append(cell)
            else:
                runs.append((column, [cell]))
        return runs


def _has_ink(run: list[Cell]) -> bool:
    return any(cell.character != " " for cell in run)


def _sgr(style: Style) -> str:
    ink = ";".join(str(part) for part in bytes.fromhex(style.ink[1:]))
    ground = ";".join(str(part) for part in bytes.fromhex(style.ground[1:]))
    return f"\x1b[0;{'1;' if style.bold else ''}38;2;{ink};48;2;{ground}m"
