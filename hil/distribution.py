"""A distribution of times: its figures, its bins, and the plot of them for a terminal and as SVG. Pure.

Rules: quantiles are by nearest rank, so each is a time that was measured. A plot says its unit, count and figures
itself, and fetches nothing from elsewhere.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Sequence

from msgspec import Struct

BAR_COLUMNS = 50
MOST_BINS = 30
STEPS_MS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Widths of a bin."""
SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)
"""A plot for paper needs none; the library writes its own options into one."""
INK, GRID, BAR = "#1c2430", "#c8ced8", "#2f6f9f"


class Figures(Struct, frozen=True):
    """Milliseconds. `n`: how many times were measured."""

    n: int
    shortest_ms: float
    median_ms: float
    p90_ms: float
    p99_ms: float
    longest_ms: float


class Bin(Struct, frozen=True):
    """Times from `from_ms` on, below `to_ms`."""

    from_ms: float
    to_ms: float
    count: int


def figures(times_ns: Sequence[int]) -> Figures:
    """Raises ValueError where nothing was measured."""
    if not times_ns:
        raise ValueError("no times: nothing was measured")
    ordered = sorted(times_ns)

    def rank(share: float) -> float:
        return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)] / 1e6, 3)

    return Figures(len(ordered), rank(0.0), rank(0.5), rank(0.9), rank(0.99), rank(1.0))


def bins(times_ns: Sequence[int]) -> list[Bin]:
    """Bins of one width from the first to the last that is filled, at most `MOST_BINS`."""
    if not times_ns:
        return []
    low, high = min(times_ns) / 1e6, max(times_ns) / 1e6
    step = next((s for s in STEPS_MS if (high - low) / s <= MOST_BINS - 2), None)
    if step is None:
        step = 10 ** math.ceil(math.log10((high - low) / (MOST_BINS - 2)))
    first = math.floor(low / step)
    counts = [0] * (math.floor(high / step) - first + 1)
    for time_ns in times_ns:
        counts[math.floor(time_ns / 1e6 / step) - first] += 1
    return [
        Bin(round((first + n) * step, 6), round((first + n + 1) * step, 6), count) for n, count in enumerate(counts)
    ]


def told(found: Figures) -> str:
    """The figures in one line."""
    return (
        f"{found.n} measured: shortest {found.shortest_ms:.1f}, median {found.median_ms:.1f}, 90 % {found.p90_ms:.1f}, "
        f"99 % {found.p99_ms:.1f}, longest {found.longest_ms:.1f} ms"
    )


def lines(times_ns: Sequence[int]) -> Iterator[str]:
    """The plot for a terminal: a row a bin."""
    found = bins(times_ns)
    most = max(one.count for one in found)
    for one in found:
        bar = "#" * math.ceil(one.count / most * BAR_COLUMNS)
        yield f"{one.from_ms:>8g} to {one.to_ms:<7g} ms |{bar:<{BAR_COLUMNS}}| {one.count}"


def svg(times_ns: Sequence[int], title: str) -> str:
    """The plot as SVG, 800 by 420. Raises ValueError where nothing was measured."""
    import pygal
    from pygal.style import Style

    # It puts a finder of plugins on the import path that is none since Python 3.12, and warns at every later import.
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]
    style = Style(
        background="#ffffff", plot_background="#ffffff", foreground=INK, foreground_strong=INK, foreground_subtle=GRID,
        colors=(BAR,), opacity="1", opacity_hover="1", font_family="DejaVu Sans, Arial, sans-serif",
        title_font_size=15, label_font_size=12, major_label_font_size=12,
    )  # fmt: skip
    chart = pygal.Histogram(
        style=style, width=800, height=420, explicit_size=True, show_legend=False, js=[], title=title,
        x_title=f"milliseconds; {told(figures(times_ns))}", y_title="times", pretty_print=False, include_x_axis=True,
        disable_xml_declaration=True, no_prefix=True,
    )  # fmt: skip
    chart.add("times", [(one.count, one.from_ms, one.to_ms) for one in bins(times_ns)])
    drawn = str(chart.render(is_unicode=True))
    return SCRIPT.sub("", drawn)
