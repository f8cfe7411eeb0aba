"""Statistics of the random number generator: `python -m tests.bench.generator`.

    --draws N     draws a test (default 100,000; more where a value is rare; a tenth for triggers)
    --weights F   the distributions of another Rules Submission (TOML, as for `tabled odds --config`)
    --stream      only write random bytes to standard output, for a suite of its own; Debian has one:
                  python -m tests.bench.generator --stream | dieharder -a -g 200

Chi-square on every configured distribution, on ranges at which a remainder would be biased, on pairs of successive
draws, and on triggers as they are sealed and revealed; serial correlation. Each gives the probability that a right
generator comes out at least so far off. One test in a thousand is under 0.001 by right, so what is judged is far
beyond that: under one in a million is exit status 1. A control that takes a remainder must be caught, else the tests
have no teeth.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from firmware.app.generator import Chance, Generator
from firmware.app.key_file import SecretKey
from firmware.core.chances import pick_of
from firmware.core.draw_events import TriggerDrawn, TriggerHit
from firmware.core.effects import DrawTrigger, TestTrigger
from firmware.core.state import MysteryBonus, State
from firmware.odds.report import distributions
from firmware.odds.verdicts import Weights
from firmware.odds.weights import read_weights
from firmware.settings.paytables import load_catalogue

WEIGHTS = Path(__file__).with_name("weights.toml")
SUSPICIOUS = 1e-6
LEAST_EXPECTED = 10
"""Draws that are expected of the rarest value: with fewer chi-square is no measure."""

NASTY_LIMITS = (3, 5, 6, 7, 10, 129, 257, 3 << 14, 65_537, 10**9, 3 << 30, (1 << 32) + 1, 3 << 62)
"""Just above a power of two, and three quarters of one: there a remainder makes some values up to twice as likely."""

STREAM_BYTES = 1 << 16


def chi_square(observed: Sequence[int], expected: Sequence[float]) -> float:
    """Probability of a chi-square at least as large, if `expected` is right."""
    if len(observed) < 2:
        return 1.0
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    return upper_gamma((len(observed) - 1) / 2, statistic / 2)


def upper_gamma(a: float, x: float) -> float:
    """The regularized upper incomplete gamma function: a series for small x, else a continued fraction (Lentz)."""
    if x <= 0:
        return 1.0
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-15:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - total * scale)
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b or tiny)
        c = b + an / c or tiny
        step = d * c
        h *= step
        if abs(step - 1) < 1e-15:
            break
    return scale * h


def distribution(chance: Chance, name: str, weights: Mapping[str, Fraction], draws: int) -> float:
    """Chi-square of one configured distribution."""
    pick = pick_of(name, weights)
    draws = max(draws, math.ceil(LEAST_EXPECTED / min(weights.values())))
    counts = Counter(chance.pick(pick) for _ in range(draws))
    return chi_square([counts[value] for value in weights], [float(part * draws) for part in weights.values()])


def nasty(below: Callable[[int], int], limit: int, draws: int) -> float:
    """Chi-square of the part of the range that a remainder would favour against the rest, or of each value of a small
    range."""
    if limit <= 200:
        counts = Counter(below(limit) for _ in range(draws))
        return chi_square([counts[n] for n in range(limit)], [draws / limit] * limit)
    favoured = (1 << (limit - 1).bit_length()) % limit
    share = favoured / limit
    if share * draws < LEAST_EXPECTED:  # one value too many: only the range as a whole can be looked at
        favoured, share = limit // 2, (limit // 2) / limit
    hit = sum(below(limit) < favoured for _ in range(draws))
    return chi_square([hit, draws - hit], [share * draws, (1 - share) * draws])


def serial_correlation(chance: Chance, lag: int, draws: int) -> float:
    """Correlation of draws `lag` apart; times the root of their number it is normal."""
    limit = 1_000
    values = [chance.below(limit) for _ in range(draws)]
    mean, variance = (limit - 1) / 2, (limit * limit - 1) / 12
    covariance = sum((a - mean) * (b - mean) for a, b in zip(values, values[lag:], strict=False)) / (draws - lag)
    return math.erfc(abs(covariance / variance) * math.sqrt((draws - lag) / 2))


def pairs(chance: Chance, draws: int) -> float:
    """Chi-square of two successive draws, not overlapping."""
    counts = Counter((chance.below(15), chance.below(15)) for _ in range(draws))
    cells = 15 * 15
    return chi_square([counts[divmod(n, 15)] for n in range(cells)], [draws / cells] * cells)


def triggers(least_micro: int, below_micro: int, draws: int) -> float:
    """Chi-square of triggers over a hundred parts of their range, drawn, sealed, opened and revealed."""
    generator = Generator("BENCH", SecretKey(os.urandom(32)))
    width, parts = below_micro - least_micro, 100
    counts: Counter[int] = Counter()
    commitments = set()
    for _ in range(draws):
        asked = DrawTrigger("mystery", 1, least_micro, below_micro)
        (drawn,) = generator.answers([asked], State(mystery=MysteryBonus("mystery")))
        assert isinstance(drawn, TriggerDrawn)
        bonus = MysteryBonus("mystery", commitment=drawn.commitment, sealed=drawn.sealed)
        (hit,) = generator.answers([TestTrigger("mystery", 1, 0, (below_micro,))], State(mystery=bonus))
        assert isinstance(hit, TriggerHit)
        assert least_micro <= hit.trigger_micro < below_micro
        counts[(hit.trigger_micro - least_micro) * parts // width] += 1
        commitments.add(drawn.commitment)
    assert len(commitments) == draws, "two commitments alike"
    edges = [-(-n * width // parts) for n in range(parts + 1)]
    expected = [(b - a) / width * draws for a, b in pairwise(edges)]
    return chi_square([counts[n] for n in range(parts)], expected)


def suite(weights: Weights, draws: int) -> Iterator[tuple[str, float]]:
    """Every test by name, with its probability."""
    chance = Chance()
    for name, parts in weights.items():
        yield f"distribution {name}, {len(parts)} values", distribution(chance, name, parts, draws)
    for limit in NASTY_LIMITS:
        yield f"numbers below {limit}", nasty(chance.below, limit, draws)
    for lag in (1, 2, 3, 5, 8, 13, 21, 34):
        yield f"serial correlation, {lag} apart", serial_correlation(chance, lag, draws)
    yield "pairs of successive draws", pairs(chance, draws)
    for text in load_catalogue().mysteries:
        for row in text.rows:
            step = 5 * row.increment_ppm
            name = f"triggers of {text.section}, configuration {row.name}"
            least, most = row.minimum_cents * 10_000, row.maximum_cents * 10_000
            yield name, triggers(least, most - step, max(10_000, draws // 10))


def with_remainder(limit: int) -> int:
    """What the generator does not do: the control that must be caught."""
    bits = (limit - 1).bit_length()
    return int.from_bytes(os.urandom((bits + 7) // 8), "big") % (1 << bits) % limit


def stream() -> int:
    """Random bytes until the reader goes away."""
    chance = Chance()
    try:
        while True:
            os.write(1, chance.bytes(STREAM_BYTES))
    except BrokenPipeError:
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.generator", description=__doc__)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--stream", action="store_true")
    options = parser.parse_args()
    if options.stream:
        return stream()
    weights = read_weights(options.weights, distributions(load_catalogue()))
    found = []
    for name, probability in suite(weights, options.draws):
        found.append(probability)
        mark = "" if probability >= SUSPICIOUS else "   SUSPICIOUS"
        print(f"  {probability:8.6f}  {name}{mark}", flush=True)
    control = nasty(with_remainder, 3 << 14, options.draws)
    caught = control < SUSPICIOUS
    said = "caught" if caught else "NOT CAUGHT"
    low, high = sum(p < 0.01 for p in found), sum(p > 0.99 for p in found)
    print(f"{len(found)} tests, least {min(found):.6f}; {low} under 0.01, {high} over 0.99; a remainder: {said}")
    return int(min(found) < SUSPICIOUS or not caught)


if __name__ == "__main__":
    sys.exit(main())
