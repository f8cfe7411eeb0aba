"""From what there is to see to a `TableView`: a bench's simulated devices, or a daemon's status alone.

Rules:
* Of a bench, lamps, chips, sign and display are what the simulated devices show; the rest is the daemon's status.
* Of a daemon alone all is its status; a lamp moves here as it is configured to move on the table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from drivers.events import LinkState
from firmware.app.outputs import is_lit, look_of
from firmware.app.status import TableStatus
from firmware.core.effects import LampShow
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.meters import text
from firmware.settings.looks import Pattern
from hil.bench import Bench
from hil.layout import Layout, Spot
from hil.picture import Look, TableView

Rgb = tuple[int, int, int]


class LampColours:
    """Which state a pixel's colour is, at the string's brightness."""

    def __init__(self, layout: Layout) -> None:
        share = layout.brightness_percent / 100
        self.looks: dict[LampShow, Look] = {
            show: Look(look.colour, look.pattern.value)
            for show, look in ((show, look_of(layout.settings.looks, show)) for show in LampShow)
        }
        self._sent = {
            show: tuple(round(part * share) for part in bytes.fromhex(look.colour[1:]))
            for show, look in self.looks.items()
            if show is not LampShow.TEST  # white, as a sensed chip's is as a rule: one colour can't be told as two
        }

    def state_of(self, pixel: Rgb) -> LampShow:
        """Of a dark pixel OFF; else the state whose colour is nearest."""
        if not any(pixel):
            return LampShow.OFF
        lit = (show for show in self._sent if show is not LampShow.OFF)
        return min(lit, key=lambda show: sum((a - b) ** 2 for a, b in zip(pixel, self._sent[show], strict=True)))


async def bench_view(
    bench: Bench, colours: LampColours, status: TableStatus | None, news: Sequence[str], footer: str
) -> TableView:
    """What a person at the bench sees now."""
    layout = bench.layout
    lamps, sign, display = await asyncio.gather(
        bench.chip.lamps(), bench.sign.call("screen"), bench.display.call("screen")
    )
    lines = display["lines"]
    assert isinstance(lines, list), f"lines of a display, got {lines!r}"
    return TableView(
        name=f"{layout.settings.table.id}  {layout.settings.table.game}  SIMULATED",
        state=_state(status) if status else "",
        wagers=layout.wagers,
        positions=layout.settings.table.positions,
        lamps={spot: colours.state_of(lamps.pixels[pixel]) for spot, pixel in layout.lamps.items()},
        looks=colours.looks,
        chips=frozenset(bench.panel.chips),
        combinations={int(p): cards for p, cards in layout.settings.combinations.items()},
        sign=str(sign["screen"]),
        display=[str(line) for line in lines],
        shown=status.shown if status else (),
        meters=_meters(status),
        facts=_facts(status),
        troubles=_troubles(status),
        news=news,
        footer=footer,
    )


def status_view(status: TableStatus, now_ms: int, news: Sequence[str], footer: str) -> TableView:
    """What a daemon's socket tells. `now_ms`: any clock; lamps move by it."""
    looks = {LampShow(look.lamp): Look(look.colour, look.pattern) for look in status.looks}
    return TableView(
        name=f"{status.table}  {status.game}  {status.profile.upper()}",
        state=_state(status),
        wagers=tuple(dict.fromkeys(spot.wager for spot in status.spots)),
        positions=max((spot.position for spot in status.spots), default=1),
        lamps={
            Spot(spot.position, spot.wager): LampShow(spot.lamp)
            for spot in status.spots
            if is_lit(Pattern(looks[LampShow(spot.lamp)].pattern), now_ms)
        },
        looks=looks,
        chips=frozenset(Spot(spot.position, spot.wager) for spot in status.spots if spot.covered),
        combinations={},
        sign=sign_text(status),
        display=status.display,
        shown=status.shown,
        meters=_meters(status),
        facts=_facts(status),
        troubles=_troubles(status),
        news=news,
        footer=footer,
    )


def _state(status: TableStatus) -> str:
    taking = "takes wagers" if status.phase == "betting" else "no wagers"
    return f"round {status.round}  {status.phase.upper().replace('_', ' ')}  {taking}"


def sign_text(status: TableStatus) -> str:
    """What the reader board should show."""
    fields = "  ".join(f"{name} {value}" for name, value in status.board_fields)
    return status.board_message or "  ".join(part for part in (status.board_title, fields) if part)


def _meters(status: TableStatus | None) -> list[tuple[str, str]]:
    return [(m.meter.name.rsplit(".", 1)[-1], text(m.meter.shown_micro)) for m in status.meters] if status else []


def _facts(status: TableStatus | None) -> list[tuple[str, str]]:
    if status is None:
        return []
    away = [device.name for device in status.devices if device.link != LinkState.READY]
    facts: Mapping[str, str] = {
        "round": str(status.round),
        "shoe": f"{status.shoe}, {status.cards_seen} cards" if status.shoe else "none",
        "commits": str(status.journal.commits),
        "slowest": f"{status.journal.slowest_commit_ns / 1e6:.1f} ms",
        "head": status.journal.head[:12],
        "devices": f"away: {', '.join(away)}" if away else f"{len(status.devices)} ready",
    }
    return list(facts.items())


def _troubles(status: TableStatus | None) -> list[str]:
    if status is None:
        return []
    fault = ["CLOSED: JOURNAL"] if status.journal.fault else []
    noted = [
        f"{IRREGULARITIES[Irregularity(i.kind)].title}{f' P{i.position}' if i.position is not None else ''}"
        for i in status.irregularities
    ]
    return [*fault, *(reason for reason in status.not_wagering_because), *noted]
