"""Lamps that are wired back: their device is up while its link and every input say so."""

from __future__ import annotations

from drivers import events as dev
from firmware.app.inputs import Inputs
from firmware.app.lamp_life import CURRENT, RETURN, life_line
from firmware.core import events as ev

BACK, AMPS = life_line("lamps", RETURN), life_line("lamps", CURRENT)
NO_DATA, NO_CURRENT = "no data comes out of the last lamp", "the lamps take no current"


class Table:
    """What the core is told, without the rest."""

    def __init__(self, *lines: str) -> None:
        self.told: list[ev.Event] = []
        self.inputs = Inputs((), ("lines",), self.told.append, lambda shown: None, (), dict.fromkeys(lines, "lamps"))

    def link(self, up: bool, at_ns: int = 1) -> None:
        state = dev.LinkState.READY if up else dev.LinkState.BACKOFF
        self.inputs.take(dev.LinkChanged("lamps", state, up, "" if up else "bus error", at_ns))

    def levels(self, at_ns: int = 1, **levels: bool) -> None:
        states = [dev.LineState(f"lamps.{name}", dead) for name, dead in levels.items()]
        self.inputs.take(dev.LinesReady("lines", at_ns, (dev.LineState("lockout", False), *states)))

    def moves(self, line: str, dead: bool, at_ns: int = 1) -> None:
        self.inputs.take(dev.LineChanged("lines", line, dead, at_ns, at_ns, at_ns))

    def about_lamps(self) -> list[str]:
        """ "up", or why it is down."""
        devices = [e for e in self.told if isinstance(e, ev.DeviceUp | ev.DeviceDown)]
        self.told.clear()
        return ["up" if isinstance(e, ev.DeviceUp) else e.reason for e in devices]


def test_without_inputs_a_string_is_as_its_link() -> None:
    table = Table()
    table.link(True)
    table.link(False)
    assert table.about_lamps() == ["up", "bus error"]


def test_up_waits_for_the_input_whichever_comes_first() -> None:
    for levels_first in (True, False):
        table = Table(BACK)
        steps = [lambda t: t.levels(**{"return": False}), lambda t: t.link(True)]
        for step in steps if levels_first else reversed(steps):
            step(table)
        assert table.about_lamps()[-1:] == ["up"]
    table = Table(BACK)
    table.link(True)
    assert table.about_lamps() == [NO_DATA], "what was not read is no good news"


def test_a_string_that_dies_in_silence_is_down_and_comes_back() -> None:
    table = Table(BACK, AMPS)
    table.levels(**{"return": False, "current": False})
    table.link(True)
    table.moves(BACK, True)
    table.moves(AMPS, True)
    table.moves(BACK, False)
    table.moves(AMPS, False)
    assert table.about_lamps() == ["up", NO_DATA, f"{NO_DATA}; {NO_CURRENT}", NO_CURRENT, "up"]


def test_a_bus_that_fails_and_comes_back_says_nothing_of_the_lamps() -> None:
    table = Table(AMPS)
    table.levels(current=True)
    table.link(True)
    table.link(False)
    table.moves(AMPS, False)
    assert table.about_lamps() == [NO_CURRENT, "bus error"]
    table.link(True)
    assert table.about_lamps() == ["up"]


def test_an_input_that_chatters_is_no_sign_of_life() -> None:
    table = Table(BACK)
    table.levels(**{"return": False})
    table.link(True)
    table.inputs.take(dev.LineTroubled("lines", BACK, dev.LineTrouble.CHATTER, 5))
    table.inputs.take(dev.LineHealthy("lines", BACK, False, 9))
    assert table.about_lamps() == ["up", NO_DATA, "up"]
    assert not [e for e in table.told if isinstance(e, ev.KeyWiringFailed)], "it is no key"


def test_a_string_that_was_lent_is_up_only_when_it_is_linked_again() -> None:
    table = Table(BACK)
    table.levels(**{"return": False})
    table.link(True)
    table.inputs.gone("lamps")
    table.moves(BACK, True)
    table.moves(BACK, False)
    assert table.about_lamps() == ["up"]
    table.link(True)
    assert table.about_lamps() == ["up"]
