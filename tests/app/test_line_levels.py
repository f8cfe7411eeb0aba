"""What a technician sees of the lines: the last that their device said, and nothing where it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers import events as dev
from drivers.events import LineState, LinkState
from firmware.app.line_levels import LineLevels, LineStatus
from firmware.settings.check import load_checked

TABLE = Path(__file__).parents[2] / "config/tables/minibaccarat.toml"
UP = {"lines": LinkState.READY}


@pytest.fixture
def levels() -> LineLevels:
    return LineLevels(load_checked(TABLE, "2026-12-01").settings)


def line(levels: LineLevels, name: str, link: LinkState = LinkState.READY) -> LineStatus:
    (found,) = (row for row in levels.rows({"lines": link}) if row.name == name)
    return found


def test_every_line_of_the_configuration_is_there_unknown_before_its_device_spoke(levels: LineLevels) -> None:
    rows = list(levels.rows(UP))
    assert len(rows) == len({(row.device, row.number) for row in rows}) == 63 + 8
    assert {row.active for row in rows} == {None}
    assert {"3/tie", "lockout", "confirm", "call", "clear", "floor_key.rest", "reset_key.turned"} <= {
        row.name for row in rows
    }


def test_levels_changes_and_troubles(levels: LineLevels) -> None:
    levels.take(dev.LinesReady("lines", 1, (LineState("3/tie", False), LineState("floor_key.rest", True))))
    assert line(levels, "3/tie").active is False
    levels.take(dev.LineChanged("lines", "3/tie", True, 5, 5, 65))
    levels.take(dev.LineReconciled("lines", "3/tie", False, 5, 9))
    assert (line(levels, "3/tie").active, line(levels, "3/tie").changes) == (False, 2)
    levels.take(dev.LineTroubled("lines", "3/tie", dev.LineTrouble.CHATTER, 20))
    assert line(levels, "3/tie").trouble == "chatter"
    levels.take(dev.LineHealthy("lines", "3/tie", True, 30))
    assert (line(levels, "3/tie").active, line(levels, "3/tie").trouble) == (True, "")


def test_a_key_switch_is_in_trouble_with_both_contacts(levels: LineLevels) -> None:
    levels.take(dev.LinesReady("lines", 1, (LineState("floor_key.rest", True), LineState("floor_key.turned", False))))
    levels.take(dev.LineTroubled("lines", "floor_key", dev.LineTrouble.WIRING, 5))
    assert [line(levels, f"floor_key.{c}").trouble for c in ("rest", "turned")] == ["wiring", "wiring"]
    assert line(levels, "reset_key.rest").trouble == ""
    levels.take(dev.LineHealthy("lines", "floor_key", False, 9))
    assert [line(levels, f"floor_key.{c}").active for c in ("rest", "turned")] == [True, False]
    assert [line(levels, f"floor_key.{c}").trouble for c in ("rest", "turned")] == ["", ""]


@pytest.mark.parametrize("link", [link for link in LinkState if link is not LinkState.READY])
def test_a_level_is_unknown_while_the_link_is_down(levels: LineLevels, link: LinkState) -> None:
    levels.take(dev.LinesReady("lines", 1, (LineState("3/tie", True),)))
    assert line(levels, "3/tie", link).active is None
    assert line(levels, "3/tie").active is True


def test_what_is_said_of_other_things_changes_nothing(levels: LineLevels) -> None:
    before = list(levels.rows(UP))
    levels.take(dev.CutCardDrawn("shoe", 5))
    levels.take(dev.LineChanged("lines", "no such line", True, 5, 5, 65))
    assert list(levels.rows(UP)) == before
