"""A sheet of paper: lines, boxes and text in SVG, black on white, so that it can be read as a print.

Rules: units are the SVG's own, 1180 across a landscape A4. Text that might not fit is cut by `fit`, which takes every
character for as wide as those of a wide font: what it lets through fits in any. No meaning stands in a colour alone.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
WIDEST = 0.66
"""Width of a character, as a share of the font's size."""

INK, FAINT, PAPER = "#000000", "#5a5a5a", "#ffffff"
ALARM = "#b00020"


def fit(text: str, width: float, size: float) -> str:
    """As much of `text` as surely has its place in `width`."""
    most = int(width / (size * WIDEST))
    return text if len(text) <= most else text[: max(0, most - 1)] + "…"


def wrapped(text: str, width: float, size: float) -> list[str]:
    """`text` in lines that surely have their place in `width`."""
    import textwrap

    return textwrap.wrap(text, max(8, int(width / (size * WIDEST * 0.9))))


class Sheet:
    """What was drawn so far. Coordinates grow to the right and down."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, size: float = 12, *, anchor: str = "start", bold: bool = False,
        ink: str = INK,
    ) -> None:  # fmt: skip
        """`y`: of the line on which the text stands."""
        weight = ' font-weight="bold"' if bold else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{ink}"{weight}{place}>{escape(text)}</text>'
        )

    def line(self, *points: tuple[float, float], width: float = 1.4, ink: str = INK, dashed: bool = False) -> None:
        """Through all the points."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="{width:g}"{dash}/>')

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = PAPER, ink: str = INK,
        line: float = 1.2, round_: float = 0,
    ) -> None:  # fmt: skip
        corner = f' rx="{round_:g}"' if round_ else ""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{ink}" '
            f'stroke-width="{line:g}"{corner}/>'
        )

    def dot(self, x: float, y: float, radius: float = 2.6, *, fill: str = INK) -> None:
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{INK}"/>')

    def arrow(self, x: float, y: float, left: bool) -> None:
        """The head of an arrow with its point at `x`."""
        back = 8 if left else -8
        points = f"{x:g},{y:g} {x + back:g},{y - 4:g} {x + back:g},{y + 4:g}"
        self._parts.append(f'<polygon points="{points}" fill="{INK}"/>')

    def svg(self, height: float, title: str) -> str:
        """The whole file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height:g}" width="{self.width}" '
            f'height="{height:g}" role="img" font-family="{FONT}">'
        )
        paper = f'<rect width="{self.width}" height="{height:g}" fill="{PAPER}"/>'
        return "\n".join([head, f"<title>{escape(title)}</title>", paper, *self._parts, "</svg>", ""])
