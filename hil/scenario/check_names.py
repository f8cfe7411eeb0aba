"""Whether all that a scenario's steps name is at its table: spots, devices, lines, meters.

Rule: everything wrong is told at once, each with its step, before anything is started.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hil.layout import Layout
from hil.scenario import schema
from hil.simulators import simulators_of

LINES = (
    "lockout", "confirm", "call", "clear", "floor_key.rest", "floor_key.turned", "reset_key.rest", "reset_key.turned",
)  # fmt: skip
"""Names of lines that are no spots."""


def wrong(scenario: schema.Scenario, layout: Layout) -> Iterator[str]:
    """Empty for a scenario that can be played at this table."""
    spots = [f"{spot.position}/{spot.wager}" for spot in layout.spots]
    known: Mapping[str, Collection[str]] = {
        "spot": spots,
        "line": [*LINES, *spots],
        "device": [*layout.settings.devices],
        "simulator": [name for one in simulators_of(layout.settings, layout.run_dir, 0) for name in one.names],
        "meter": [*layout.settings.meters],
    }
    for number, step in enumerate(scenario.step, start=1):
        for kind, name in _named(step):
            if name not in known[kind]:
                some = ", ".join(sorted(known[kind])[:12])
                yield f"step {number}: no {kind} {name!r} at table {layout.settings.table.id}; there are {some}, ..."


def _named(step: schema.AnyStep) -> Iterator[tuple[str, str]]:
    """What kind of thing it should be, and its name."""
    match step:
        case schema.Place() | schema.Take() | schema.Play():
            yield from (("spot", spot) for spot in step.spots)
        case schema.Race():
            yield "spot", step.spot
        case schema.Chip() if step.line is not None:
            yield "line", step.line
        case schema.Device():
            yield "simulator", step.device
        case schema.Port():
            yield "simulator", step.device
            if step.act == "swap":
                yield "simulator", step.other
        case schema.See():
            yield from _seen(step)
        case schema.Hold():
            yield from _seen(step.never)
        case _:
            pass


def _seen(step: schema.See) -> Iterator[tuple[str, str]]:
    for kind, names in (
        ("spot", [*step.lamps, *step.pixels, *step.service]),
        ("simulator", [*step.screen]),
        ("device", [*step.link, *step.trouble, *(counter.partition(".")[0] for counter in step.counter)]),
        ("meter", [*step.meter]),
    ):
        yield from ((kind, name) for name in names)
