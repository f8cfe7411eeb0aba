"""A measurement: a name, a value with its unit, limits and an outcome; and how measurements are printed.

Rules: PASS is inside its limits. WARN is outside of what is recommended, FAIL outside of what is needed; NOT_KNOWN
can't be measured here and is never counted as passed. What did not pass has a code (`hil explain`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct


class Outcome(StrEnum):
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    NOT_KNOWN = "not known"


class Measurement(Struct, frozen=True):
    """`of`: the device, or "machine" or "table". `code`: of the row that explains it where it did not pass."""

    of: str
    name: str
    value: str
    unit: str
    limits: str
    outcome: Outcome
    code: str = ""
    remedy: str = ""


def failed(measurements: Sequence[Measurement], accepted: Collection[str] = ()) -> list[Measurement]:
    """What keeps the whole from passing: WARN and FAIL, but for those whose code a person has accepted."""
    return [m for m in measurements if m.outcome in (Outcome.WARN, Outcome.FAIL) and m.code not in accepted]


def lines(measurements: Sequence[Measurement], accepted: Collection[str] = ()) -> Iterator[str]:
    """For people: a line each, those that did not pass with their code and what to do."""
    name_width = max((len(m.name) for m in measurements), default=0)
    last = ""
    for m in measurements:
        if m.of != last:
            yield f"{m.of}:"
            last = m.of
        value = f"{m.value} {m.unit}".strip()
        limits = f" (wanted: {m.limits})" if m.limits else ""
        mark = "!" if m in failed([m], accepted) else " "
        outcome = "accepted" if mark == " " and m.outcome in (Outcome.WARN, Outcome.FAIL) else m.outcome
        yield f"  {mark} {outcome:<9} {m.name:<{name_width}}  {value}{limits}{f'  [{m.code}]' if m.code else ''}"
        if m.remedy and mark == "!":
            yield f"      {m.remedy}"
    bad, unknown = failed(measurements, accepted), [m for m in measurements if m.outcome is Outcome.NOT_KNOWN]
    passed = len(measurements) - len(bad) - len(unknown)
    told = [
        f"{passed} passed",
        *([f"{len(bad)} NOT"] if bad else []),
        *([f"{len(unknown)} not known"] if unknown else []),
    ]
    yield f"{', '.join(told)}{'; hil explain CODE tells more' if bad else ''}"
