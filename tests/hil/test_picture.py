"""The picture: cells to a terminal (a real emulator, pyte) and to SVG, and what each lamp looks like."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from firmware.core.effects import LampShow
from hil.canvas import Canvas, Style
from hil.layout import Layout, Spot, layout_of
from hil.picture import COLUMNS, FELT_COLUMNS, FELT_ROWS, ROWS, SIGNS, TableView, draw, felt
from hil.views import LampColours
from tests.hil.played import TABLE

Strokes = list[tuple[int, int, str, Style]]
STYLES = [Style(), Style("#ff0000"), Style("#00ff00", "#000080", bold=True)]
writes = st.lists(
    st.tuples(
        st.integers(-2, 21),
        st.integers(-1, 6),
        st.text(st.sampled_from("ab ●★×│"), min_size=1, max_size=8),
        st.sampled_from(STYLES),
    ),
    max_size=12,
)


def painted(strokes: Strokes) -> Canvas:
    canvas = Canvas(20, 5)
    for column, row, text, style in strokes:
        canvas.put(column, row, text, style)
    return canvas


def text_of(canvas: Canvas) -> list[str]:
    return ["".join(cell.character for cell in canvas.row(row)) for row in range(canvas.rows)]


@given(st.lists(writes, min_size=1, max_size=5))
def test_a_terminal_shows_every_picture_after_the_differences(
    pictures: list[list[tuple[int, int, str, Style]]],
) -> None:
    screen = pyte.Screen(20, 5)
    stream = pyte.Stream(screen)
    stream.feed("something was there")
    shown: Canvas | None = None
    for strokes in pictures:
        canvas = painted(strokes)
        stream.feed(canvas.to_terminal(shown))
        shown = canvas
        assert list(screen.display) == text_of(canvas)
        for row in range(5):
            for column, cell in enumerate(canvas.row(row)):
                drawn = screen.buffer[row][column]
                assert (f"#{drawn.fg}", f"#{drawn.bg}", drawn.bold) == cell.style


def test_nothing_is_sent_where_nothing_changed() -> None:
    canvas = painted([(1, 1, "word", Style())])
    assert canvas.to_terminal(canvas) == ""
    other = painted([(1, 1, "ward", Style())])
    assert len(other.to_terminal(canvas)) < 60


@pytest.fixture(scope="module")
def layout() -> Layout:
    return layout_of(TABLE, Path("/run/x"))


def view(layout: Layout) -> TableView:
    colours = LampColours(layout)
    spots = list(layout.spots)
    shows = [show for show in LampShow if show is not LampShow.OFF]
    return TableView(
        name="MB-SIM  minibaccarat  SIMULATED",
        state="round 12  AWARD",
        wagers=layout.wagers,
        positions=7,
        lamps=dict(zip(spots, shows, strict=False)),
        looks=colours.looks,
        chips=frozenset(spots[:3]),
        combinations={1: ("KS", "TH")},
        sign="MEGA JACKPOT $50,000.52 POS 1 & more <than> this",
        display=["AWARD $50,000.52", "FLOOR KEY: VALIDATE", "CARDS MUST STAY", "CONFIRM CALL"],
        shown=(("Player", ("KS", "TH")), ("Banker", ("2C", "4D"))),
        meters=[("mega", "$50,000.52")],
        facts=[("round", "12"), ("head", "0123456789ab")],
        troubles=["COUNT MISMATCH"],
        news=[f"round {n}" for n in range(20)],
        footer="Ctrl-C",
    )


def test_the_picture_has_everything_in_its_place(layout: Layout) -> None:
    lines = text_of(draw(view(layout)))
    assert len(lines) == ROWS and all(len(line) == COLUMNS for line in lines)
    text = "\n".join(lines)
    for wanted in (
        "MEGA JACKPOT",
        "FLOOR KEY: VALIDATE",
        "K♠ 10♥",
        "royal 9 progressive",
        "COUNT MISMATCH",
        "0123456789ab",
    ):
        assert wanted in text
    for wager in layout.wagers:
        assert wager.replace("_", " ") in text
    assert "round 19" in text and "round 13" not in text, "the newest news only"
    player = next(line for line in lines if line.startswith("  player"))
    assert [sign for sign in player if sign in SIGNS.values()][:6] == [SIGNS[s] for s in list(LampShow)[1:7]]
    assert player.count("(") == 3


@pytest.mark.parametrize("columns", [FELT_COLUMNS, 80, COLUMNS])
def test_fourteen_positions_have_their_place_side_by_side(layout: Layout, columns: int) -> None:
    chips = frozenset(Spot(position, "tie") for position in range(1, 15))
    canvas = Canvas(columns, FELT_ROWS)
    felt(canvas, replace(view(layout), positions=14, chips=chips), 0, columns)
    numbers, *rows = text_of(canvas)
    assert numbers.split() == ["position", *map(str, range(1, 15))]
    (row,) = (row for row in rows if row.startswith("  tie"))
    assert row.count("(") == row.count(")") == 14


def test_a_result_that_is_still_empty_is_not_drawn(layout: Layout) -> None:
    """Roulette before its first spin."""
    before, after = (structs.replace(view(layout), shown=(("number", (one,)),)) for one in ("", "17"))
    assert not any("NUMBER" in line for line in text_of(draw(before)))
    assert any("NUMBER 17" in line for line in text_of(draw(after)))


def test_an_overlong_text_stays_inside(layout: Layout) -> None:
    crowded = replace(view(layout), news=["x" * 500], sign="word " * 400, troubles=["t" * 80] * 40, footer="f" * 300)
    assert all(len(line) == COLUMNS for line in text_of(draw(crowded)))


def test_the_svg_is_well_formed_and_has_the_text(layout: Layout) -> None:
    root = ET.fromstring(draw(view(layout)).to_svg("Table <1> & 2"))
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "Table <1> & 2"
    text = "\n".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "<than>" in text and "royal 9 progressive" in text


def test_the_picture_in_the_readme_is_of_this_program() -> None:
    root = ET.fromstring((Path(__file__).parents[2] / "hil/table.svg").read_text("utf-8"))
    text = "\n".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    for wanted in ("reader board", "dealer", "royal 9 progressive", "held: double blink", "VERIFY P5 AND LAMP"):
        assert wanted in text, "draw it anew: python -m hil.still hil/table.svg"


@pytest.mark.parametrize("percent", [5, 10, 40, 100])
def test_every_colour_is_known_again_from_its_pixel(layout: Layout, percent: int) -> None:
    """Also after the string's brightness and the eight bits of a pixel."""
    colours = LampColours(replace(layout, brightness_percent=percent))
    for show in set(LampShow) - {LampShow.TEST}:  # all lamps at once, in the colour that a sensed chip may have
        colour = bytes.fromhex(colours.looks[show].colour[1:])
        red, green, blue = (int(part * percent / 100) for part in colour)
        assert colours.state_of((red, green, blue)) is show


def test_spots_are_told_apart_by_position_and_wager(layout: Layout) -> None:
    assert len(set(layout.spots.values())) == 63
    assert layout.spots[Spot(3, "tie")] == 16
    assert layout.progressive == {"royal_9_progressive"}
