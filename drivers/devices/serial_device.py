"""What every device behind a serial link has in common: who it is, and how its link stands.

Rules: `what` is the device's kind for people; a simulated one's identity begins with "sim+". A device adds its codec,
its counters, and what the link asks of its client (`drivers/links/serial.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from drivers.events import LinkState, ShowFailed
from drivers.links.port import Opener, PortSettings
from drivers.links.serial import LinkClient, SerialLink
from drivers.ports import Emit, NowNs


class SerialDevice:
    """Base of the serial devices; the link is made once the device can be its client."""

    def __init__(self, name: str, what: str, settings: PortSettings, now_ns: NowNs, simulated: bool) -> None:
        self._name = name
        self._identity = f"{'sim+' if simulated else ''}{what} on {settings.url}"
        self._settings = settings
        self._now_ns = now_ns
        self._emit: Emit | None = None
        self._link: SerialLink

    def _connect(self, client: LinkClient, opener: Opener, silent_limit_s: float | None = None) -> None:
        self._link = SerialLink(
            device=self._name,
            settings=self._settings,
            now_ns=self._now_ns,
            client=client,
            silent_limit_s=silent_limit_s,
            opener=opener,
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def link(self) -> LinkState:
        return self._link.state

    def open_through(self, wrap: Callable[[Opener], Opener]) -> None:
        """Before `run`: open the port through what `wrap` makes of its opener, to listen along (`links/tap.py`) or to
        give the device what another one sent."""
        self._link.open_through(wrap)

    async def run(self, emit: Emit) -> None:
        self._emit = emit
        await self._link.run(emit)

    def _fail(self, reason: str) -> None:
        """An output could not be written, or must not be; before `run` nobody hears it, and `run` tells it again."""
        if self._emit is not None:
            self._emit(ShowFailed(self._name, reason, self._now_ns()))
