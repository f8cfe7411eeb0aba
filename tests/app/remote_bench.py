"""The physical table beside a daemon in another process: what lies there stays when the daemon is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import tomllib
from pathlib import Path

from drivers import events as dev
from firmware.core.baccarat import Hand
from firmware.core.events import Key
from tests.app.remote_devices import DISPLAY, DONE, HELLO, SETTLE, Plan, serve

ANSWER_S = 20.0
multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.app.remote_devices"])


class DaemonDied(Exception):
    """The daemon's process is gone."""


class RemoteBench:
    """`tests.dealer.Bench` for a daemon process whose devices are `remote_devices`."""

    def __init__(
        self, config: Path, folder: Path, *, start_method: str = "forkserver", all_drivers: bool = False
    ) -> None:
        """ "spawn" in place of "forkserver": a fresh interpreter, slower to start, whose memory is its own.
        `all_drivers`: the daemon also makes the devices that its configuration names, and leaves them unused."""
        self._context = multiprocessing.get_context(start_method)
        self._all_drivers = all_drivers
        self._config = config
        self._folder = folder
        wagers = tomllib.loads(config.read_text("utf-8"))["wagers"]
        self._spots = [(p, w) for w in wagers for p in range(1, len(wagers[w].get("spots", ())) + 1)]
        self._chips: dict[tuple[int, str], int] = {}
        self._floor_turned = False
        self._display: tuple[str, ...] = ("",) * 4
        self._settle: int | None = None

    # --- the daemon's life ------------------------------------------------------------------------------------------

    def start(self, plan: Plan = None) -> None:
        """Start a daemon; returns when it has seen the table. Raises DaemonDied."""
        self._connection, theirs = self._context.Pipe()
        self._process = self._context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, self._config, self._folder, plan, self._all_drivers)
        )
        self._process.start()
        theirs.close()
        self._settle = None
        self._wait(HELLO)
        now = time.monotonic_ns()
        levels = [dev.LineState(f"{p}/{w}", (p, w) in self._chips) for p, w in self._spots]
        keys = [dev.KeySwitchTurned("lines", "floor_key", self._floor_turned, now)] if self._floor_turned else []
        names = ("lines", "shoe", "board", "display", "lamps")
        up = [dev.LinkChanged(name, dev.LinkState.READY, True, "", now) for name in names]
        self._do(*keys, dev.LinesReady("lines", now, (*levels, dev.LineState("lockout", False))), *up)

    def stop(self) -> None:
        """In order: SIGTERM, and exit status 0."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGTERM)
        self._end()
        assert self._process.exitcode == 0, f"the daemon ended with {self._process.exitcode}"

    def end_after_kill(self) -> None:
        """Clear up behind a daemon that has died by SIGKILL."""
        self._end()
        assert self._process.exitcode == -signal.SIGKILL, f"the daemon ended with {self._process.exitcode}"

    def _end(self) -> None:
        while True:  # what it still says must be read, or it could not end
            try:
                self._connection.recv()
            except (EOFError, ConnectionResetError):
                break
        self._process.join(ANSWER_S)
        self._connection.close()

    @property
    def daemon_pid(self) -> int:
        assert self._process.pid is not None
        return int(self._process.pid)

    # --- hands and eyes ---------------------------------------------------------------------------------------------

    def display(self) -> tuple[str, ...]:
        return tuple(line.strip() for line in self._display)

    def chip(self, position: int, wager: str, covered: bool) -> None:
        now = time.monotonic_ns()
        if covered:
            self._chips[position, wager] = now
        else:
            del self._chips[position, wager]
        self._do(dev.LineChanged("lines", f"{position}/{wager}", covered, now, now, now))

    def chips(self) -> set[tuple[int, str]]:
        return set(self._chips)

    def lock_out(self) -> None:
        now = time.monotonic_ns()
        self._do(dev.LineEdge("lines", "lockout", now))
        self._do(dev.LineChanged("lines", "lockout", True, now, now, now))
        self._do(dev.LineChanged("lines", "lockout", False, now + 1, now + 1, now + 1))

    def key(self, key: Key) -> None:
        now = time.monotonic_ns()
        self._do(dev.LineChanged("lines", key.value, True, now, now, now))

    def floor_key(self, turned: bool) -> None:
        self._floor_turned = turned
        self._do(dev.KeySwitchTurned("lines", "floor_key", turned, time.monotonic_ns()))

    def floor_key_turned(self) -> bool:
        return self._floor_turned

    def reset_key(self) -> None:
        self._do(dev.KeySwitchTurned("lines", "reset_key", True, time.monotonic_ns()))
        self._do(dev.KeySwitchTurned("lines", "reset_key", False, time.monotonic_ns()))

    def card(self, hand: Hand, index: int, card: str) -> None:
        self._do(dev.CardDrawn("shoe", dev.CardTarget(hand.value), index, card, time.monotonic_ns(), "00"))

    def scan(self, card: str) -> None:
        self._do(dev.CardDrawn("shoe", dev.CardTarget.UNASSIGNED, 0, card, time.monotonic_ns(), "00"))

    def result(self, winner: str, player_pair: bool, banker_pair: bool) -> None:
        now = time.monotonic_ns()
        self._do(dev.ReaderResult("shoe", dev.ReaderWinner(winner), player_pair, banker_pair, now, "00"))

    def wait(self) -> None:
        raise AssertionError(f"every device is there, and yet: {self.display()}")

    # --- the connection ---------------------------------------------------------------------------------------------

    def _do(self, *events: dev.DeviceEvent) -> None:
        try:
            self._connection.send(events)
        except (BrokenPipeError, ConnectionResetError):
            raise DaemonDied from None
        self._wait(DONE)
        if self._settle is not None:
            at_ns, self._settle = self._settle, None
            self._do(dev.LinesSettled("lines", at_ns, 160_000_000, self._verdicts(at_ns), 0))

    def _verdicts(self, at_ns: int) -> tuple[dev.LineVerdict, ...]:
        return tuple(
            dev.LineVerdict(f"{p}/{w}", since < at_ns, since, since, False, False, None, since >= at_ns)
            for (p, w), since in self._chips.items()
        )

    def _wait(self, kind: str) -> None:
        """Take what is shown until a message of this kind."""
        while True:
            if not self._connection.poll(ANSWER_S):
                raise AssertionError(f"the daemon did not answer within {ANSWER_S} s; it shows {self.display()}")
            try:
                said, content = self._connection.recv()
            except (EOFError, ConnectionResetError):
                raise DaemonDied from None
            if said == DISPLAY:
                self._display = content
            elif said == SETTLE:
                self._settle = content
            if said == kind:
                return
