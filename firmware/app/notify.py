"""What systemd hears: READY, STATUS and the watchdog's feed, as datagrams to $NOTIFY_SOCKET (sd_notify(3)).

Rules:
* READY once: when the journal is recovered, the inputs have settled or failed to, and everything is shown.
* The watchdog is fed only by a `Tick` that went through the queue and the core: never by a timer of its own, and not by
  a tick that took longer than a period for it. A table that answers everything, but seconds late, is as good as dead.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable

from firmware.app import clock
from firmware.core.events import Event, Tick

log = logging.getLogger(__name__)

FALLBACK_TICK_S = 1.0
"""Tick period where no watchdog is set."""


class Notifier:
    """Talks to systemd; does nothing where systemd is not there."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        env = dict(os.environ) if environment is None else environment
        self._address = env.get("NOTIFY_SOCKET", "")
        if self._address.startswith("@"):
            self._address = "\0" + self._address[1:]
        here = str(os.getpid())
        ours = env.get("WATCHDOG_PID", here) == here  # else it is a parent's, sd_watchdog_enabled(3)
        watchdog_us = int(env.get("WATCHDOG_USEC", "0")) if ours else 0
        self.tick_s = watchdog_us / 1e6 / 3 if watchdog_us else FALLBACK_TICK_S
        self._status = ""

    def send(self, text: str) -> None:
        """Never waits: a message that nobody takes is logged and lost, and a lost feed ends in the watchdog's hands."""
        if self._address:
            kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
            with socket.socket(socket.AF_UNIX, kind) as sock:
                try:
                    sock.sendto(text.encode(), self._address)
                except OSError as error:
                    log.warning("systemd does not take %s: %s", text.partition("=")[0], error)

    def ready(self) -> None:
        self.send("READY=1")

    def stopping(self) -> None:
        self.send("STOPPING=1")

    def status(self, text: str) -> None:
        """The table's own state, for `systemctl status`; sent when it changes."""
        if text != self._status:
            self._status = text
            self.send(f"STATUS={text}")

    def tick_came_back(self, tick: Tick) -> None:
        took_s = (clock.monotonic_ns() - tick.at_ns) / 1e9
        if took_s <= self.tick_s:
            self.send("WATCHDOG=1")
        else:
            log.error("a tick took %.1f s through the core, allowed are %.1f: watchdog not fed", took_s, self.tick_s)


async def send_ticks(post: Callable[[Event], None], period_s: float) -> None:
    """Send a `Tick` through the queue for ever."""
    while True:
        post(Tick(clock.monotonic_ns()))
        await asyncio.sleep(period_s)
