"""Chances of a wager that lives through several spins or rolls: a finite chain of what it can still tell apart.

Rules:
* The wager function that settles says what every sequence comes to; here only chances are added up, as fractions.
* `seen` is a claim about that function: two undecided sequences of which it shows the same go on alike, and a spin or
  roll after which it shows the same as before changes nothing. One sequence stands for all of them; steps that change
  nothing are divided out, exactly, so that an endless game is counted whole. Tests hold each claim against a chain that
  tells every sequence apart.
* Apart from such steps a chain never comes back to what it showed before, or it would not end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

from firmware.core.wagers.wager import Pending, Verdict
from firmware.odds.verdicts import Chances

Step = TypeVar("Step")


def count_chain(
    steps: Sequence[tuple[Fraction, Step]],
    judge: Callable[[tuple[Step, ...]], Verdict],
    seen: Callable[[tuple[Step, ...]], Hashable],
) -> Chances:
    """The chances of every verdict, for independent steps with these probabilities, which sum to one.

    Raises `ValueError` where a sequence is undecided and no step ever changes anything.
    """
    decided: dict[Verdict, Fraction] = {}
    layer: dict[Hashable, tuple[Fraction, tuple[Step, ...]]] = {seen(()): (Fraction(1), ())}
    while layer:
        coming: dict[Hashable, tuple[Fraction, tuple[Step, ...]]] = {}
        for here, (chance, shown) in layer.items():
            ends: list[tuple[Fraction, Verdict]] = []
            moves: list[tuple[Fraction, Hashable, tuple[Step, ...]]] = []
            staying = Fraction()
            for part, step in steps:
                longer = (*shown, step)
                verdict = judge(longer)
                if not isinstance(verdict, Pending):
                    ends.append((part, verdict))
                elif (there := seen(longer)) == here:
                    staying += part
                else:
                    moves.append((part, there, longer))
            if staying == 1:
                raise ValueError(f"nothing decides the wager after {shown}")
            share = chance / (1 - staying)
            for part, verdict in ends:
                decided[verdict] = decided.get(verdict, Fraction()) + share * part
            for part, there, longer in moves:
                sum_so_far, standing_for_all = coming.get(there, (Fraction(), longer))
                coming[there] = (sum_so_far + share * part, standing_for_all)
        layer = coming
    return Chances(decided)
