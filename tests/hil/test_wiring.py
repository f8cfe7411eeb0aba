"""`hil wiring`: the plan of a configuration, what is crossed, and a picture in which nothing lies on anything else."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import get_args

import pytest

from firmware.settings.check_expanders import SPI_LINES
from firmware.settings.check_wiring import line_claims
from firmware.settings.devices import Device
from hil import lease
from hil.wiring import cables, drivers, header, here, page
from hil.wiring.circuits import CIRCUITS
from hil.wiring.findings import findings, refused
from hil.wiring.listing import HOW, lines
from hil.wiring.picture import picture
from hil.wiring.plan import LETTERS, Circuit, plan_of
from hil.wiring.sheet import WIDEST
from tests.hil.played import PROJECT, run_hil

TABLES = sorted((PROJECT / "config" / "tables").glob("*.toml"))
PI = PROJECT / "config" / "tables" / "minibaccarat-pi.toml"
BUS = """
[devices.seats]
kind = "lines.tgline"
url = "/dev/tabled/bus"
address = 1
[devices.others]
kind = "lines.tgline"
url = "/dev/tabled/bus"
address = {other}
[devices.jackpots]
kind = "meter.tgline"
url = "/dev/tabled/bus"
levels = {{ "royal_9.mega" = 1 }}
"""


EXPANDERS = """
[devices.chips]
kind = "lines.mcp23017"
addresses = [0x20, 0x21]
interrupt_gpio = 27
[devices.chain]
kind = "lines.shift_register"
bus = 0
chips = 2
load_gpio = 4
"""


def expanded(folder: Path) -> Path:
    pwm = ('kind = "lamps.neopixel_spi"\nbus = 0\ndevice = 0', 'kind = "lamps.neopixel_pwm"\ngpio = 12')
    return changed(
        folder, ('"lines:5", "lines:6", "lines:12"', '"chips:30", "chain:6", "lines:5"'), pwm, more=EXPANDERS
    )


def changed(folder: Path, *changes: tuple[str, str], more: str = "") -> Path:
    text = PI.read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "table.toml"
    file.write_text(text + more, "utf-8")
    return file


def test_every_kind_with_a_port_has_its_cable_and_every_circuit_its_drawing() -> None:
    kinds = {str(kind.__struct_config__.tag).removesuffix("simulated").rstrip("._") for kind in get_args(Device)}
    assert kinds <= cables.CABLES.keys() | cables.WITHOUT_A_PORT, "add the kind to hil/wiring/cables.py"
    assert not cables.CABLES.keys() & cables.WITHOUT_A_PORT
    assert CIRCUITS.keys() | {Circuit.TAKEN} == set(Circuit) == HOW.keys()


def test_the_header_has_forty_pins_and_the_buses_lie_where_the_check_has_them() -> None:
    assert sorted((*header.SUPPLY, *header.GPIO)) == list(header.PINS)
    assert sorted(header.GPIO.values()) == list(range(28))
    assert {bus: set(names) for bus, names in header.SPI_NAMES.items()} == {b: set(r) for b, r in SPI_LINES.items()}


def test_the_pi_s_table_has_every_line_at_its_pin() -> None:
    done = run_hil("wiring", "--config", PI)
    assert done.returncode == 0, done.stdout + done.stderr
    for row in (
        r"  29 +5 +A +spot 1, royal 9 progressive +wagers\.royal_9_progressive\.spots\[0\]",
        r"  35 +19 +B +lock-out button +keys\.lockout",
        r"  16 +23 +D +floorperson's key: rest +keys\.floor_key\.normally_closed",
        r"  19 +10 +F +lamps: data to the first lamp +devices\.lamps",
    ):
        assert re.search(rf"^{row}$", done.stdout, re.MULTILINE), row
    assert "shoe: shoe.angeleye, /dev/tabled/shoe, 4800 8N1" in done.stdout
    assert "board: board.alpha, /dev/tabled/board, 9600 7E1" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120
    assert done.stdout.splitlines()[-1] == "wiring: in order"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_everything_named_in_a_table_stands_in_its_picture(table: Path) -> None:
    configuration = lease.table(table)
    plan = plan_of(configuration.settings)
    assert refused(findings(configuration, plan)) == 0
    svg, told = picture(plan), "\n".join(lines(plan))
    claims = list(line_claims(configuration.settings))
    uses = sum(len([u for u in uses if u.key.startswith(("wagers", "keys"))]) for uses in plan.pins.values())
    rows = [signal for b in plan.blocks if b.kind.startswith("lines.") for _, signal in b.rows]
    assert uses + sum(not signal.startswith("tie ") for signal in rows) == len(claims)
    for device in configuration.settings.devices:
        if device != "lines":  # the header itself
            assert device in svg
            assert device in told


def test_what_is_used_twice_is_found_and_shown(tmp_path: Path) -> None:
    file = changed(
        tmp_path,
        ('"lines:6"', '"lines:5"'),
        ('confirm = "lines:20"', 'confirm = "lines:15"'),
        ('"lines:13"', '"lines:44"'),
        ("/dev/tabled/shoe", "/dev/serial0"),
        ("/dev/tabled/display", "/dev/tabled/board"),
        more=BUS.format(other=1),
    )
    picture_file = tmp_path / "wiring.svg"
    done = run_hil("wiring", "--config", file, "--svg", picture_file, "--check")
    assert done.returncode == 1
    for wanted in (
        "spots[1]: line 5 is already wagers.royal_9_progressive.spots[0]",
        "spots[3]: the header has no GPIO 44",
        "keys.confirm: GPIO 15 is taken by devices.shoe (serial port of the header)",
        "devices.display.url: '/dev/tabled/board' is already devices.board.url",
        "devices.others.address: 1 is already devices.seats",
    ):
        assert wanted in done.stdout, wanted
    assert "REPLACE" not in done.stdout, "what is not of the wires is for tabled check"
    texts = picture_file.read_text("utf-8")
    for wanted in ("TWICE: spot 1", "TWICE: CONFIRM", "TWICE: /dev/tabled/board", "TWICE: address 1", "GPIO 44"):
        assert wanted in texts, wanted


def test_two_names_of_one_adapter_are_crossed_ports(tmp_path: Path) -> None:
    (tmp_path / "dev" / "tabled").mkdir(parents=True)
    for name in ("ttyUSB0", "ttyUSB1"):
        (tmp_path / "dev" / name).touch()
    for name, tty in (("shoe", "ttyUSB0"), ("board", "ttyUSB1"), ("display", "ttyUSB0")):
        (tmp_path / "dev" / "tabled" / name).symlink_to(f"../{tty}")
    configuration = lease.table(PI)
    plan = plan_of(configuration.settings)
    (found,) = here.problems(plan, tmp_path)
    assert (found.key, "ttyUSB0" in found.got, "devices.shoe" in found.got) == ("devices.display.url", True, True)
    assert refused(findings(configuration, plan, tmp_path)) == 1
    assert refused(findings(configuration, plan, tmp_path / "nothing plugged in")) == 0


def test_a_bus_shows_its_stations_with_their_addresses(tmp_path: Path) -> None:
    plan = plan_of(lease.table(changed(tmp_path, more=BUS.format(other=2))).settings)
    (bus,) = plan.buses
    assert [(s.device, s.address) for s in bus.stations] == [
        ("seats", "address 1"), ("others", "address 2"), ("jackpots", ""),
    ]  # fmt: skip
    assert bus.speed == "38400 8N1"
    assert "120 Ohm" in picture(plan)


def test_plain_lamps_have_a_pin_each(tmp_path: Path) -> None:
    text = PI.read_text("utf-8")
    (lamps,) = re.findall(r"\[devices\.lamps\]\n(.*?)\n\n", text, re.DOTALL)
    file = changed(tmp_path, (lamps, 'kind = "lamps.gpio"\nlines = [4, 7, 8, 9, 10, 11, 5]'))
    plan = plan_of(lease.table(file).settings)
    assert [(use.signal, use.circuit) for use in plan.pins[4]] == [
        ("lamp 0: spot 1, royal 9 progressive", Circuit.LAMP)
    ]
    assert [use.circuit for use in plan.pins[5]] == [Circuit.SENSOR, Circuit.LAMP], "used twice, and shown"
    assert "TWICE: spot 1, royal 9" in picture(plan)


def test_an_expander_shows_chip_and_pin_of_every_line(tmp_path: Path) -> None:
    plan = plan_of(lease.table(expanded(tmp_path)).settings)
    assert [[use.signal for use in plan.pins[gpio]] for gpio in (2, 3, 27, 4)] == [
        ["chips: SDA"], ["chips: SCL"], ["chips: INT"], ["chain: SH/LD"],
    ]  # fmt: skip
    rows = {block.device: dict(block.rows) for block in plan.blocks}
    assert rows["chips"] == {"30 0x21 GPB6": "spot 1, royal 9 progressive"}
    assert rows["chain"] == {
        "6 chip 0 G": "spot 2, royal 9 progressive",
        "7 chip 0 H": "tie to 3.3 V",
        "8 chip 1 A": "tie to GND",
        "chip 1 SER": "tie to 3.3 V",
    }
    told = "\n".join(lines(plan))
    assert "chips: lines.mcp23017, /dev/i2c-1, 2 chips" in told and "chain: lines.shift_register" in told


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    assert run_hil("wiring", "--config", tmp_path / "none.toml").returncode == 2
    (tmp_path / "table.toml").write_text("x = 1\n")
    done = run_hil("wiring", "--config", tmp_path / "table.toml")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("case", ["pi", "bus", "many", "expanders"])
def test_no_text_lies_on_another_or_leaves_the_page(case: str, tmp_path: Path) -> None:
    if case == "many":
        more = "".join(
            f'[devices.seats{n}]\nkind = "lines.tgline"\nurl = "/dev/tabled/a_rather_long_name_of_a_bus"\n'
            f"address = {n}\n"
            for n in range(1, 13)
        )
        plan = plan_of(lease.table(changed(tmp_path, more=more)).settings)
    elif case == "expanders":
        plan = plan_of(lease.table(expanded(tmp_path)).settings)
    else:
        plan = plan_of(lease.table(changed(tmp_path, more=BUS.format(other=2)) if case == "bus" else PI).settings)
    assert_nothing_overlaps(picture(plan))


def assert_nothing_overlaps(svg: str) -> None:
    """Every text as a box of its size; the widest font is as wide as `WIDEST`, an ordinary one three quarters of it."""
    root = ElementTree.fromstring(svg)
    _, _, page_width, page_height = map(float, root.attrib["viewBox"].split())
    boxes = []
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        size, content = float(text.attrib["font-size"]), text.text or ""
        width = len(content) * size * WIDEST * 0.75
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        left = x - {"end": width, "middle": width / 2}.get(text.attrib.get("text-anchor", ""), 0.0)
        boxes.append((left, y - size * 0.75, left + width, y, content))
    for left, top, right, bottom, content in boxes:
        assert left >= 0 and right <= page_width and top >= 0 and bottom <= page_height, content
    for one, other in itertools.combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, f"{one[4]!r} lies on {other[4]!r}"


def test_page_and_picture_are_fresh() -> None:
    assert page.FILE.read_text("utf-8") == page.text(), "python -m hil.wiring.page"
    fresh = page.pictures()
    assert {page.PICTURE, *page.PICTURES.glob("*.svg")} == fresh.keys(), "python -m hil.wiring.page"
    for file, svg in fresh.items():
        assert file.read_text("utf-8") == svg, "python -m hil.wiring.page"


def test_every_driver_has_its_page_and_its_row_of_quality_leads_there() -> None:
    kinds = {str(kind.__struct_config__.tag) for kind in get_args(Device)}
    real = {kind for kind in kinds if not kind.endswith("simulated")}
    assert drivers.EXAMPLES.keys() == real, "add the kind to hil/wiring/drivers.py"
    assert drivers.ON_THE_HEADER.keys() | cables.CABLES.keys() == real
    quality = (PROJECT / "drivers" / "QUALITY.md").read_text("utf-8")
    own_page = page.text()
    for part in quality.split("\n## ")[1:]:
        kind = part.partition("\n")[0]
        if kind in real:
            assert f"* **wiring**: [`hil/WIRING.md`](../hil/WIRING.md#{drivers.anchor(kind)})" in part, kind
            assert f"\n### {kind}\n" in own_page
            assert kind.partition(".")[0] in drivers.TRY


@pytest.mark.parametrize("kind", drivers.real_kinds())
def test_what_a_page_says_for_the_configuration_is_taken_by_it(kind: str) -> None:
    name, options = drivers.device(kind)
    assert options.kind == kind
    assert f"[devices.{name}]" in drivers.example(kind)
    svg = drivers.drawing(kind)
    assert (svg is None) is (kind == "display.terminal")
    if svg is not None:
        assert_nothing_overlaps(svg)


def test_letters_are_the_same_everywhere() -> None:
    assert len({letter for circuit, letter in LETTERS.items()}) == len(Circuit)
