"""The house edge of a progressive wager against its meter, as a picture (SVG), with nothing but text.

Rules:
* The edge is a straight line in the meter (the other meters at their seeds); the picture marks the seed and the
  break-even. Figures are worked out exactly and rounded only where they are drawn.
"""

from __future__ import annotations

from fractions import Fraction
from xml.sax.saxutils import escape

from firmware.core.money import MICRO_PER_DOLLAR
from firmware.odds.wager_odds import WagerOdds

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT, TOP, BOTTOM = 80, 30, 50, 60
STEPS = 5


class NoPlotError(Exception):
    """The wager has no meter against which its edge could be drawn; the message says why."""


def edge_svg(odds: WagerOdds) -> str:
    """The picture, from an empty meter to one and a half times the break-even. Raises `NoPlotError`."""
    name = f"{odds.wager} {odds.paytable.name}"
    if odds.meters is None:
        raise NoPlotError(f"{name} is not progressive: its house edge does not depend on a meter")
    even, top = odds.meters.break_even_micro, odds.meters.edge_at(0)
    if even is None or top is None:
        raise NoPlotError(f"{name}: no amount of the meter breaks even, or a seed that is needed is not printed")
    end = even * Fraction(3, 2)
    bottom = -top / 2  # the edge at `end`

    def x(micro: Fraction | int) -> float:
        return round(LEFT + float(micro / end) * (WIDTH - LEFT - RIGHT), 2)

    def y(edge: Fraction | int) -> float:
        return round(TOP + float((top - edge) / (top - bottom)) * (HEIGHT - TOP - BOTTOM), 2)

    title = escape(f"{odds.wager} ({odds.game}, {odds.paytable.section}, paytable {odds.paytable.name}), {odds.setup}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle">House edge by {escape(odds.meters.meter)}: {title}</text>',
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(end)}" y2="{y(0)}" stroke="black"/>',
        f'<line x1="{x(0)}" y1="{y(top)}" x2="{x(0)}" y2="{y(bottom)}" stroke="black"/>',
        f'<line x1="{x(0)}" y1="{y(top)}" x2="{x(end)}" y2="{y(bottom)}" stroke="#0050a0" stroke-width="2"/>',
    ]
    for step in range(STEPS + 1):
        micro, edge = end * step / STEPS, top + (bottom - top) * step / STEPS
        parts.append(f'<text x="{x(micro)}" y="{HEIGHT - 30}" text-anchor="middle">{_dollars(micro)}</text>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(edge) + 4}" text-anchor="end">{float(edge) * 100:.2f}%</text>')
    marks = [("break-even", even)] + ([("seed", Fraction(seed))] if (seed := odds.meters.seed_micro) else [])
    for label, micro in marks:
        edge = odds.meters.edge_at(micro) or Fraction()
        parts.append(f'<circle cx="{x(micro)}" cy="{y(edge)}" r="5" fill="#c00000"/>')
        parts.append(
            f'<text x="{x(micro) + 8}" y="{y(edge) - 8}">{label} {_dollars(micro)}, {float(edge) * 100:.2f}%</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _dollars(micro: Fraction) -> str:
    return f"${round(micro / MICRO_PER_DOLLAR):,}"
