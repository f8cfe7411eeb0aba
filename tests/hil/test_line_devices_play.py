"""Tables whose spots are on several line devices: the real daemon, simulated expanders and boards, the books proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.layout import NotForTheBench, Spot, layout_of
from tests.hil.played import PROJECT, TABLE, run_hil

TABLES = PROJECT / "config" / "tables"


@pytest.mark.parametrize("name", ["baccarat-14", "minibaccarat-boards"])
def test_rounds_are_in_order(name: str, run_dir: Path) -> None:
    """Seed 1's first round has a chip that comes after the lock-out."""
    done = run_hil("play", "--table", TABLES / f"{name}.toml", "--run-dir", run_dir, "--rounds", 2, "--plain")
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = [line for line in done.stdout.splitlines() if line.startswith("round  ")]
    assert len(rounds) == 2 and "not_accepted" not in done.stdout and "straddle" not in done.stdout, done.stdout


def test_a_layout_says_which_spots_are_elsewhere() -> None:
    layout = layout_of(TABLES / "baccarat-14.toml", Path("/run/x"))
    assert {layout.elsewhere[spot] for spot in layout.spots if spot.position <= 7} == {"left"}
    assert {layout.elsewhere[spot] for spot in layout.spots if spot.position > 7} == {"right"}
    assert layout.spots[Spot(14, "heavenly_9_progressive")] == 31
    assert layout.polled_within_ms(Spot(1, "tie")) == 45
    plain = layout_of(TABLE, Path("/run/x"))
    assert plain.elsewhere == {} and plain.polled_within_ms(Spot(1, "tie")) == 0


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            [('clear = "lines:3"', 'clear = "right:33"'), ("chips = 4", "chips = 5")],
            "is a key's; the bench has keys on 'lines' only",
        ),
        (
            [
                ('kind = "lines.mcp23017_simulated"\nsocket = "left.sock"', 'kind = "lines.mcp23017"'),
                ("interrupt = true\n", ""),
            ],
            "simulated devices only",
        ),
    ],
)
def test_what_the_bench_can_not_play_is_told(changes: list[tuple[str, str]], why: str, tmp_path: Path) -> None:
    text = (TABLES / "baccarat-14.toml").read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "table.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(NotForTheBench, match=why):
        layout_of(file, tmp_path)
