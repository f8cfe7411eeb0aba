"""`hil latency`: the same chips measured from outside and by the daemon; figures, bins and plots of times."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil import daemon, distribution, latency, machine_identity
from hil.bench import Bench
from hil.distribution import Figures
from hil.layout import layout_of
from tests.hil.played import TABLE, run_hil

TIMES = st.lists(st.integers(0, 5_000_000_000), min_size=1, max_size=60)
MS = 1_000_000
CHIPS = 5


async def measure(folder: Path) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    layout = layout_of(TABLE, folder)
    socket = folder / layout.settings.storage.control
    svg = folder / "plot.svg"
    async with Bench(layout, 1) as bench:
        outside = await latency.measured(bench, CHIPS, lambda done: None)
        told = daemon.decode(await daemon.status_line(socket)).lamp_times_ns
        status = await asyncio.to_thread(latency.attached, socket, svg, True)
        assert "edge to its lamp" in svg.read_text("utf-8")
    return outside, told, status


def test_the_daemon_measures_what_is_seen_from_outside(capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="hil-") as folder:
        outside, told, status = asyncio.run(measure(Path(folder)))
    assert status == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["measured"]["times_ns"] == list(told)
    assert answer["figures"]["n"] == len(outside) == len(told) == CHIPS
    for seen, own in zip(outside, told, strict=True):
        assert seen >= 60 * MS, "a chip must lie for its debounce time"
        assert own - seen > -20 * MS, "a frame is written before the lamp is said to be lit"
        assert own - seen < 250 * MS, "the driver hears of the write soon after it"


def test_without_a_daemon_or_without_a_bench(tmp_path: Path) -> None:
    assert run_hil("latency", "--run-dir", tmp_path).returncode == 2
    done = run_hil("latency", "--table", TABLE.parent / "minibaccarat-pi.toml")
    assert done.returncode == 2 and "refused, 5 problems" in done.stderr


# --- figures ----------------------------------------------------------------------------------------------------------


def test_quantiles_are_times_that_were_measured() -> None:
    times = [n * MS for n in range(1, 101)]
    assert distribution.figures(times) == Figures(100, 1.0, 50.0, 90.0, 99.0, 100.0)
    assert distribution.figures([7 * MS]) == Figures(1, 7.0, 7.0, 7.0, 7.0, 7.0)
    with pytest.raises(ValueError, match="nothing was measured"):
        distribution.figures([])


@given(TIMES)
def test_every_time_is_in_its_bin(times: list[int]) -> None:
    found = distribution.bins(times)
    assert len(found) <= distribution.MOST_BINS
    assert sum(one.count for one in found) == len(times)
    assert found[0].count and found[-1].count
    for one, following in itertools.pairwise(found):
        assert one.to_ms == pytest.approx(following.from_ms)
    for one in found:
        inside = sum(one.from_ms - 1e-6 <= time / 1e6 < one.to_ms + 1e-6 for time in times)
        assert one.count <= inside, "none is counted elsewhere than where it lies"


@given(TIMES)
def test_the_terminals_plot_has_a_row_a_bin_and_a_bar_for_each_that_is_filled(times: list[int]) -> None:
    rows = list(distribution.lines(times))
    found = distribution.bins(times)
    assert [row.count("#") > 0 for row in rows] == [one.count > 0 for one in found]
    assert max(row.count("#") for row in rows) == distribution.BAR_COLUMNS


def test_the_picture_is_well_formed_says_its_figures_and_fetches_nothing() -> None:
    text = distribution.svg([60 * MS, 61 * MS, 75 * MS], "MB-07 <1> & more")
    root = ElementTree.fromstring(text)
    seen = " ".join("".join(element.itertext()) for element in root.iter())
    assert "MB-07 <1> & more" in seen and "median 61.0" in seen
    assert "<script" not in text and "xlink:href" not in text and "@import" not in text


# --- the machine ------------------------------------------------------------------------------------------------------


def test_a_pi_is_known_by_its_board_and_its_card(tmp_path: Path) -> None:
    files = {
        "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.5\0",
        "proc/device-tree/serial-number": "10000000abcdef01\0",
        "proc/cpuinfo": "processor\t: 0\nmodel name\t: ARMv8\n\nModel\t\t: another\n",
        "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        "sys/class/mmc_host/mmc0/mmc0:aaaa/name": "SD32G\n",
        "sys/class/mmc_host/mmc0/mmc0:aaaa/serial": "0x1234abcd\n",
        "sys/class/mmc_host/mmc0/mmc0:aaaa/manfid": "0x000003\n",
        "sys/class/mmc_host/mmc0/mmc0:aaaa/date": "04/2025\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = machine_identity.read(tmp_path)
    assert (found.model, found.serial) == ("Raspberry Pi 4 Model B Rev 1.5", "10000000abcdef01")
    assert found.cards == (machine_identity.Card("mmc0:aaaa", "SD32G", "0x000003", "0x1234abcd", "04/2025"),)
    assert found.system == "Debian GNU/Linux 12 (bookworm)"
    assert found.told.startswith("Raspberry Pi 4 Model B Rev 1.5; ")


def test_what_is_not_told_is_empty(tmp_path: Path) -> None:
    found = machine_identity.read(tmp_path)
    assert (found.model, found.serial, found.processor, found.cards, found.system) == ("", "", "", (), "")
    assert "unknown processor" in found.told
