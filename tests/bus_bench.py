"""A simulated bus in memory on virtual time: the models of `hil/sim` behind a scripted port."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drivers.events import DeviceEvent
from drivers.line_spec import LineRole, LineSpec
from drivers.links.port import PortError
from hil.sim.bus_faults import Answer
from tests.scripted_port import ScriptedOpener, ScriptedPort, absent
from tests.virtual_time import VirtualLoop

SPOTS = tuple(LineSpec(f"spot{number}", number, LineRole.SPOT) for number in range(4))


class ScriptedBus:
    """The other end of a bus's port. `received`: the model's."""

    def __init__(self, loop: VirtualLoop, received: Callable[[bytes], Sequence[Answer]]) -> None:
        self.loop = loop
        self.opener = ScriptedOpener()
        self._received = received
        self.requests: list[tuple[float, bytes]] = []
        self.cut = False  # the wire after the adapter: nothing arrives anywhere
        self.opener.prepare = self._attach

    def _attach(self, port: ScriptedPort) -> None:
        def hear(data: bytes) -> None:
            self.requests.append((self.loop.time(), data))
            if self.cut:
                return
            for answer in self._received(data):
                self.loop.call_later(answer.after_ms / 1000, send, answer.data)

        def send(data: bytes) -> None:
            if not port.closed and not self.cut:
                port.send(data)

        port.on_write = hear

    def unplug(self) -> None:
        self.opener.error = absent()
        self.opener.ports[-1].lose(PortError("lost"))

    def plug(self) -> None:
        self.opener.error = None


class Heard:
    """What a device told."""

    def __init__(self) -> None:
        self.events: list[DeviceEvent] = []

    def emit(self, event: DeviceEvent) -> None:
        self.events.append(event)

    def of(self, kind: type) -> list[DeviceEvent]:
        return [event for event in self.events if isinstance(event, kind)]
