"""What is measured on a virtual Pi, and how it is told: one line a figure, as it came.

Rules: the guest runs in software emulation, so times say that things work and in which order, not how fast a Pi is.
Nothing here is judged but what must hold whatever the speed: a raised exception ends the measurement.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hil import children
from hil.children import Child
from tests.virtual_pi import kernel as kernels
from tests.virtual_pi import machine, people, system
from tests.virtual_pi.machine import GuestError, VirtualPi

SIMULATORS = {
    "shoe": ("hil.sim.shoe", "--decks", "8", "--seed", "1"),
    "board": ("hil.sim.sign",),
    "display": ("hil.sim.display",),
}
IDLE_S = 60.0
RACES = 100
WAIT_LIMIT_S = 240.0


class Rig:
    """A guest's parts, built or from the cache, and the simulators at its serial adapters."""

    def __init__(self, architecture: kernels.Architecture, cache: Path, folder: Path) -> None:
        machine.needed(architecture)
        cache.mkdir(parents=True, exist_ok=True)
        self.architecture = architecture
        self.folder = folder
        self.kernel = kernels.build(architecture, cache)
        self.root = system.build(architecture, self.kernel, cache)
        self.data = folder / "data.img"
        system.data_image(self.data)
        self.adapters = {name: folder / name for name in SIMULATORS}

    async def simulators(self) -> list[Child]:
        """Started, each ready."""
        started = []
        for name, (module, *options) in SIMULATORS.items():
            places = ["--port", str(self.folder / name), "--control", str(self.folder / f"{name}.ctl")]
            child = await children.start(name, module, [*places, *options])
            await child.said_ready()
            started.append(child)
        return started

    @contextmanager
    def power_on(self, adapters: Mapping[str, Path] | None = None, **options: object) -> Iterator[VirtualPi]:
        """`adapters`: other than those of the table."""
        with VirtualPi(
            self.architecture, self.kernel, self.root, self.data, self.folder,
            self.adapters if adapters is None else adapters,
            **options,  # type: ignore[arg-type]
        ) as pi:  # fmt: skip
            pi.booted()
            pi.levels(system.REST)
            yield pi


def wait_for(what: str, true: Callable[[], bool], limit_s: float = WAIT_LIMIT_S) -> float:
    """Seconds until it is so. Raises GuestError."""
    began = time.monotonic()
    while time.monotonic() - began < limit_s:
        try:
            if true():
                return time.monotonic() - began
        except GuestError:
            pass  # not up yet, or just going down: that is what is waited for
        time.sleep(0.1)
    raise GuestError(f"{what}: not within {limit_s:.0f} s")


def ready(pi: VirtualPi) -> bool:
    """The daemon has told systemd READY: its lines have settled."""
    return pi.run("systemctl", "is-active", "tabled", good=(0, 3)).strip() == "active"


def phase(pi: VirtualPi) -> str:
    return str(pi.status()["phase"])


def device(pi: VirtualPi, name: str) -> dict[str, object]:
    (found,) = [one for one in pi.status()["devices"] if one["name"] == name]
    assert isinstance(found, dict)
    return found


async def measure(rig: Rig, say: Callable[[str, str], None]) -> None:
    """All figures but the power cuts, each given to `say` as it comes: what, and how much."""
    simulators = await rig.simulators()
    config = rig.folder / "table.toml"
    config.write_text(system.table(), "utf-8")
    layout = people.layout_of(config, rig.folder)
    try:
        with rig.power_on() as pi:
            wait_for("READY", lambda: ready(pi))
            say("power on to READY, first start", f"{time.monotonic() - pi.began:.1f} s")
            dealer = await people.dealer_at(pi, layout, rig.folder, 1)
            for number in range(3):
                await dealer.play(people.plain_round(1 + number, 5))
            wait_for("betting", lambda: phase(pi) == "betting")
            status = pi.status()
            say(
                "rounds played by the simulated dealer through real lines and ttys",
                f"{status['round'] - 1}, {status['tallies'][-1]['wagers']} wagers",
            )
        with rig.power_on() as pi:
            wait_for("betting again", lambda: phase(pi) == "betting")
            say("power cut, then power on to taking wagers", f"{time.monotonic() - pi.began:.1f} s")
            say("CPU of the daemon while idle", idle(pi))
            say("SIGSTOP to taking wagers again, by the watchdog", f"{watchdog(pi):.1f} s")
            say("serial adapter pulled", pulled(pi))
            say("journal", pi.run("/opt/tabled/bin/tabled", "journal", "verify", JOURNAL).strip().splitlines()[0])
            pi.run("systemctl", "stop", "tabled")
            pi.levels({})
            for gap_ns in (1_000_000, 100_000):
                for how in ("ours", "callbacks"):
                    say(f"chip and press {gap_ns / 1e6:g} ms apart, decided by {WHO[how]}", race(pi, how, gap_ns))
    finally:
        for child in simulators:
            await child.end()


JOURNAL = "/var/lib/tabled/journal.sqlite"
WHO = {"ours": "the table's line device", "callbacks": "gpiozero Button callbacks as they arrive"}


def idle(pi: VirtualPi) -> str:
    script = (
        "p=$(systemctl show -p MainPID --value tabled); "
        "t() { cut -d' ' -f14,15 /proc/$p/stat | tr ' ' +; }; "
        "w() { cat /proc/$p/task/*/status | awk '/^voluntary/ {n += $2} END {print n}'; }; "
        f"a=$(($(t))); v=$(w); sleep {IDLE_S:.0f}; b=$(($(t))); u=$(w); echo $((b - a)) $((u - v)) $(getconf CLK_TCK)"
    )
    ticks, wakes, per_second = (int(part) for part in pi.run("sh", "-c", script, limit_s=IDLE_S + 60).split())
    share = ticks / per_second / IDLE_S
    return f"{share:.1%} of an emulated core, {wakes / IDLE_S:.0f} wake-ups a second, lgpio's among them"


def watchdog(pi: VirtualPi) -> float:
    """Stop the daemon from running; how long until systemd has it back and wagers are taken."""
    before = pi.run("systemctl", "show", "-p", "MainPID", "--value", "tabled").strip()
    began = time.monotonic()
    pi.run("kill", "-STOP", before)

    def back() -> bool:
        now = pi.run("systemctl", "show", "-p", "MainPID", "--value", "tabled").strip()
        return now not in (before, "0") and phase(pi) == "betting"

    wait_for("the daemon again", back)
    return time.monotonic() - began


def pulled(pi: VirtualPi) -> str:
    pi.pull("shoe")
    seen = wait_for("the pulled shoe", lambda: device(pi, "shoe")["link"] != "ready")
    pi.plug("shoe")
    back = wait_for("the shoe again", lambda: device(pi, "shoe")["link"] == "ready")
    return f"seen after {seen:.1f} s, ready {back:.1f} s after it was put back"


def race(pi: VirtualPi, how: str, gap_ns: int) -> str:
    command = ["/opt/tabled/bin/python", "/usr/local/lib/virtual-pi/race.py", how, "1", str(RACES), str(gap_ns)]
    out = pi.run("sh", "-c", f"cd /tmp && LG_WD=/tmp {' '.join(command)}", limit_s=900)
    found = json.loads(out.strip().splitlines()[-1])
    late = f", worst lateness {found['latest_ms']:.0f} ms" if "latest_ms" in found else f", {found['lost']} lost"
    return f"{found['wrong']} of {found['pairs']} wrong{late}"
