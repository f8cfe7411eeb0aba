"""The house edge of a progressive wager against its meter, as a picture (SVG), with nothing but text.

Rules:
* The edge is a straight line in the meter (the other meters at their seeds); the picture marks the seed and the
  break-even. Figures are worked out exactly and rounded only where they are drawn.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from xml.sax.saxutils import escape

from firmware.core.money import MICRO_PER_DOLLAR
from firmware.odds.wager_odds import WagerOdds

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT, TOP, BOTTOM = 80, 60, 50, 60
MOST_TICKS = 7


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
    grid = []
    for micro in _ticks(Fraction(0), end):
        grid.append(_line(x(micro), y(top), x(micro), y(bottom), "#dddddd"))
        grid.append(f'<text x="{x(micro)}" y="{HEIGHT - 34}" text-anchor="middle">{_dollars(micro)}</text>')
    for tick in _ticks(bottom, top):
        grid.append(_line(x(0), y(tick), x(end), y(tick), "#dddddd"))
        grid.append(f'<text x="{LEFT - 8}" y="{y(tick) + 5}" text-anchor="end">{float(tick) * 100:g}%</text>')
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle">House edge: {title}</text>',
        *grid,
        _line(x(0), y(0), x(end), y(0), "black"),
        _line(x(0), y(top), x(0), y(bottom), "black"),
        _line(x(0), y(top), x(end), y(bottom), "#0050a0", 2),
    ]
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(odds.meters.meter)}</text>')
    marks = [("break-even", even)] + ([("seed", Fraction(seed))] if (seed := odds.meters.seed_micro) else [])
    for label, micro in marks:
        edge = odds.meters.edge_at(micro) or Fraction()
        parts.append(f'<circle cx="{x(micro)}" cy="{y(edge)}" r="5" fill="#c00000"/>')
        parts.append(
            f'<text x="{x(micro) + 8}" y="{y(edge) - 8}">{label} {_dollars(micro)}, {float(edge) * 100:.2f}%</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _ticks(low: Fraction, high: Fraction) -> list[Fraction]:
    """Round values from `low` to `high`, at most `MOST_TICKS` of them: steps of 1, 2 or 5 with zeros."""
    step = Fraction(1, 10**6)
    factors = itertools.cycle((Fraction(2), Fraction(5, 2), Fraction(2)))
    while (high - low) / step > MOST_TICKS - 1:
        step *= next(factors)
    first = -(-low // step)
    return [n * step for n in range(int(first), int(high // step) + 1)]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int = 1) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"/>'


def _dollars(micro: Fraction) -> str:
    return f"${round(micro / MICRO_PER_DOLLAR):,}"
