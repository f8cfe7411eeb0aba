"""What pictures and pages of the wiring say: names that exist, speeds that hold, lists in order, wires apart."""

from __future__ import annotations

import itertools
import re
import tomllib
import xml.etree.ElementTree as ElementTree

import msgspec
import pytest

from firmware.settings.devices import Device
from firmware.settings.devices.options import DeviceOptions
from hil import lease
from hil.wiring import circuits, drivers, page
from hil.wiring.cables import RS485_BAUD, cable_of, speed
from hil.wiring.listing import HOW
from hil.wiring.plan import Circuit, plan_of
from hil.wiring.sheet import Sheet
from tests.hil.played import PROJECT

RULES = (PROJECT / "systemd" / "80-tabled.rules").read_text("utf-8")
SVG = "{http://www.w3.org/2000/svg}"
DEJAVU = 0.56
"""Width of a character of DejaVu Sans on the average of such texts, as a share of its size."""


def options(kind: str, **more: object) -> DeviceOptions:
    _, plain = drivers.device(kind)
    made: DeviceOptions = msgspec.convert({**msgspec.to_builtins(plain), **more}, Device)
    return made


def test_every_name_below_dev_tabled_is_made_by_the_rules() -> None:
    made = set(re.findall(r'SYMLINK\+="tabled/(\w+)"', RULES))
    pages = [*PROJECT.glob("*.md"), *PROJECT.glob("*/*.md"), *PROJECT.glob("config/tables/*.toml")]
    named = {name for file in pages for name in re.findall(r"/dev/tabled/(\w+)", file.read_text("utf-8"))}
    assert {"shoe", "board", "display", "bus", "wheel", "dice"} <= named
    assert named <= made, f"no rule makes {named - made}"
    assert set(re.findall(r'^#?SUBSYSTEM=="input".*SYMLINK\+="tabled/(\w+)"', RULES, re.MULTILINE)) == {"shoe", "dice"}


@pytest.mark.parametrize("kind", ["shoe.tgline", "wheel.tgline", "dice.tgline"])
def test_wires_and_speed_of_our_own_protocol_belong_together(kind: str) -> None:
    for baud, by in ((RS485_BAUD, "RS-485 adapter"), (115_200, "USB")):
        device = options(kind, baud=baud)
        cable = cable_of(device)
        assert cable is not None and (cable.by, speed(device, cable)) == (by, f"{baud} 8N1")
        assert any(one.ours == "A" for one in cable.conductors) is (by != "USB")
    url = getattr(device, "url", "")
    default: DeviceOptions = msgspec.convert({"kind": kind, "url": url}, Device)
    assert getattr(default, "baud", 0) == 115_200, "the pages say what it is when left out"


def test_parity_is_warned_of_where_there_is_parity() -> None:
    cables = {parity: cable_of(options("board.alpha", parity=parity)) for parity in ("even", "odd", "none")}
    told = {parity: cable.notes[0] for parity, cable in cables.items() if cable is not None}
    assert told["even"].startswith("Even parity: never") and told["odd"].startswith("Odd parity: never")
    plan = plan_of(lease.table(PROJECT / "config" / "tables" / "minibaccarat.toml").settings)
    notes = [*told.values()][2:] + [note for port in plan.ports for note in port.cable.notes]
    assert not any("parity" in note for note in notes), "9600 8N1 has none"


def test_lists_of_terminals_are_in_order_and_break_into_equal_boxes() -> None:
    plan = plan_of(lease.table(PROJECT / "config" / "tables" / "baccarat-14.toml").settings)
    rows = {block.device: [terminal for terminal, _ in block.rows] for block in plan.blocks}
    numbers = [int(terminal.split()[0]) for terminal in rows["right"][:-1]]
    assert numbers == sorted(numbers) and {7, 24} <= set(numbers) and rows["right"][-1] == "chip 3 SER"
    svg = picture_boxes(plan_of(lease.table(PROJECT / "config" / "tables" / "baccarat-14.toml").settings))
    for device in ("left", "right", "lamps"):
        heights = svg[device]
        assert len(heights) > 1 and max(heights) - min(heights) <= 2 * 18, f"{device}: {heights}"


def picture_boxes(plan: object) -> dict[str, list[float]]:
    """Heights of the boxes of each list of terminals."""
    from hil.wiring.picture import picture

    found: dict[str, list[float]] = {}
    parts = list(ElementTree.fromstring(picture(plan)))  # type: ignore[arg-type]
    for frame, name in itertools.pairwise(parts):
        if frame.tag == f"{SVG}rect" and name.tag == f"{SVG}text" and name.attrib.get("font-size") == "13":
            found.setdefault((name.text or "").partition(",")[0], []).append(float(frame.attrib["height"]))
    return found


@pytest.mark.parametrize("circuit", circuits.CIRCUITS)
def test_no_wire_runs_between_the_plates_of_a_capacitor(circuit: Circuit) -> None:
    sheet = Sheet(circuits.WIDTH)
    circuits.draw(sheet, 0, 0, circuit)
    flat, plates = [], []
    for line in ElementTree.fromstring(sheet.svg(circuits.HEIGHT, "")).iter(f"{SVG}polyline"):
        points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        is_plate = line.attrib["stroke-width"] == "2" and points[0][1] == points[-1][1]
        for (x, y), (to, end) in itertools.pairwise(points):
            if y == end:
                (plates if is_plate else flat).append((min(x, to), max(x, to), y))
    for left, right, y in plates:
        near = [wire for wire in flat if wire[0] < right and wire[1] > left and abs(wire[2] - y) < 10]
        assert not near, f"{circuit}: {near} at the plate {left:g} to {right:g}, {y:g}"


def test_pictures_and_texts_name_every_wire_of_a_chip() -> None:
    for wanted in ("H of chip 0", "A of the last to GND", "SER of the last to 3.3 V", "CLK INH"):
        assert wanted in HOW[Circuit.CHAIN]
    for wanted in ("RESET", "VDD", "100 nF"):
        assert wanted in " ".join(circuits.EXPANDER_CHIP) and wanted in HOW[Circuit.EXPANDER]
    sheet = Sheet(circuits.WIDTH)
    circuits.draw(sheet, 0, 0, Circuit.FIGURES)
    assert ">pin<" not in sheet.svg(circuits.HEIGHT, ""), "three boxes of one name"


@pytest.mark.parametrize("kind", [kind for kind in drivers.real_kinds() if kind.startswith(("lines.", "lamps."))])
def test_a_page_says_how_a_line_becomes_a_spot_and_a_lamp_a_spots(kind: str) -> None:
    name, _ = drivers.device(kind)
    own = drivers.NAMED[drivers.NAMED_LIKE.get(kind, kind)]
    assert own in "\n".join(drivers.section(kind))
    said = tomllib.loads(own)
    wager = said.get("wagers", {}).get("royal_9_progressive", {})
    named = wager.get("lamps") or wager.get("spots") or list(said["keys"].values())
    assert named
    if kind.startswith("lines."):
        assert all(re.fullmatch(rf"{name}:\d+", line) for line in named)


def test_what_is_to_be_tried_names_the_device_of_the_page() -> None:
    text = page.text()
    assert "{name}" not in text and " NAME`" not in text
    assert "`hil check jackpots`; then `hil board pattern jackpots`" in text


@pytest.mark.parametrize("circuit", circuits.CIRCUITS)
def test_no_text_leaves_its_circuits_frame(circuit: Circuit) -> None:
    sheet = Sheet(circuits.WIDTH)
    circuits.draw(sheet, 0, 0, circuit)
    for text in ElementTree.fromstring(sheet.svg(circuits.HEIGHT, "")).iter(f"{SVG}text"):
        width = len(text.text or "") * float(text.attrib["font-size"]) * DEJAVU
        x = float(text.attrib["x"])
        left = x - {"end": width, "middle": width / 2}.get(text.attrib.get("text-anchor", ""), 0.0)
        assert left >= 0 and left + width <= circuits.WIDTH, f"{text.text}: {left:g} to {left + width:g}"
