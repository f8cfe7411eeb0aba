"""`hil lamp walk`, `hil board pattern` at a real daemon's devices: what is told is what lamps and sign show."""

from __future__ import annotations

import asyncio
from pathlib import Path

from drivers.ports import Pixel
from hil import board_pattern, lamp_walk
from tests.hil.played import PROJECT, hil
from tests.hil.test_lease import NAMES, Place, at_a_table


async def told(place: Place, *arguments: object) -> tuple[int, list[str]]:
    process = await asyncio.create_subprocess_exec(
        *hil(*arguments, "--run-dir", place.run_dir, *NAMES),
        cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode().splitlines()


def test_the_walk_lights_one_lamp_after_the_other_and_every_colour_on_all() -> None:
    walked = list(lamp_walk.steps(3, {1: "position 2, tie"}))
    assert [step.what for step in walked][:3] == [
        "lamp 0: stands at no spot",
        "lamp 1: position 2, tie",
        "lamp 2: stands at no spot",
    ]
    assert [sum(pixel != lamp_walk.DARK for pixel in step.frame) for step in walked] == [1, 1, 1, 3, 3, 3, 3, 0]
    assert walked[3].frame == (Pixel(255, 0, 0),) * 3


def test_patterns_fill_every_place_of_the_display() -> None:
    patterns = dict(board_pattern.display_patterns())
    assert all(len(lines) == 4 and all(len(line) <= 20 for line in lines) for lines in patterns.values())
    assert {line for name, lines in patterns.items() if name.startswith("line") for line in lines} == {"#" * 20, ""}
    assert "".join(patterns["every character"]) == board_pattern.CHARACTERS


def test_patterns_of_meters_light_every_segment_and_tell_them_apart() -> None:
    patterns = dict(board_pattern.meter_patterns(("mega", "mystery")))
    assert {reading.cents for reading in patterns["every figure 8"].readings} == {88_888_888}
    assert "each meter's number: 1.00 on mega, 2.00 on mystery" in patterns
    assert [hit.meter for hit in patterns["a hit of position 7 on each"].hits] == ["mega", "mystery"]
    assert patterns["dashes"].readings == ()


def test_the_lamps_show_what_is_told_and_the_daemon_has_them_back(run_dir: Path) -> None:
    async def play(place: Place) -> None:
        await place.closed_and_up()
        before = (await place.bench.chip.lamps()).frames
        status, lines = await told(place, "lamp", "walk", "--hold", 0)
        assert (status, lines[0].startswith("leased from the daemon")) == (0, True)
        assert "lamp 0: position 1, player" in lines
        assert (await place.bench.chip.lamps()).frames - before >= len(list(lamp_walk.steps(63, {})))
        await place.closed_and_up()

    at_a_table(run_dir, play)


def test_a_sign_and_a_display_take_their_patterns_and_a_dead_one_is_told(run_dir: Path) -> None:
    async def play(place: Place) -> None:
        await place.closed_and_up()
        status, lines = await told(place, "board", "pattern", "display", "--hold", 0)
        assert status == 0, lines
        assert "#" * 20 in str(await place.bench.display.call("history"))
        await place.closed_and_up()
        assert (await told(place, "board", "pattern", "--hold", 0))[0] == 0
        await place.closed_and_up()
        await place.bench.sign.call("unplug")
        status, lines = await told(place, "board", "pattern", "--hold", 0)
        assert (status, "board is not ready" in lines[-1]) == (1, True)
        await place.bench.sign.call("plug")
        status, lines = await told(place, "lamp", "walk", "shoe", "--hold", 0)
        assert (status, "shoe is no string of lamps" in lines[-1]) == (2, True)

    at_a_table(run_dir, play)
