"""A `tgline` wheel as a `WheelReader`. Acknowledgement and repeats: `tgline_device.py`; what a spin is: `spin.py`.

Rules: its lines carry a check, so of WIN and the status of phase 5 the first is told, and the other held against it. It
takes no commands. It has no count of spins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from drivers.codecs import tgline, tgline_wheel
from drivers.codecs.tgline_events import Refusal, StandBy
from drivers.codecs.tgline_wheel import Boot, Message, State, Warn, Win
from drivers.devices.tgline_device import TglineDevice
from drivers.devices.wheel_words import PHASES, warnings_of
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs, WheelAbilities
from drivers.result_events import Rotor, WheelCommand, WheelRefused, WheelReset
from drivers.spin import SpinWatch, Status

UNHEARD_NS = 6_000_000_000
"""STATE comes at least each 5 s."""


def create(
    *,
    name: str,
    url: str,
    baud: int = 115200,
    address: int = 1,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener = open_serial,
) -> TglineWheel:
    """The wheel with `address` (1..254) at `url`, 8N1."""
    return TglineWheel(name, PortSettings(url, baud), now_ns, simulated, address, opener)


class TglineWheel(TglineDevice[Message]):
    """A `WheelReader`."""

    def __init__(
        self, name: str, settings: PortSettings, now_ns: NowNs, simulated: bool, address: int, opener: Opener
    ) -> None:
        self._watch = SpinWatch(name, checked=True, unheard_ns=UNHEARD_NS)
        super().__init__(name, tgline.Tag.WHEEL, "wheel", settings, now_ns, simulated, address, opener)

    @property
    def abilities(self) -> WheelAbilities:
        return WheelAbilities(phases=True)

    @property
    def counters(self) -> Mapping[str, int]:
        return {**super().counters, **self._watch.counters}

    def start_spin(self) -> None:
        self._refuse(WheelCommand.START_SPIN)

    def void_spin(self) -> None:
        self._refuse(WheelCommand.VOID_SPIN)

    def _refuse(self, command: WheelCommand) -> None:
        self.emit(WheelRefused(self._name, command, "a tgline wheel takes no commands", self._now_ns()))

    def connected(self) -> None:
        super().connected()
        self._watch.reconnected()

    def message_of(self, line: tgline.Line) -> Message | Refusal:
        return tgline_wheel.message_of(line)

    def is_event(self, message: Message) -> bool:
        return not isinstance(message, StandBy | State)

    def is_boot(self, message: Message) -> bool:
        return isinstance(message, Boot)

    def tell(self, message: Message, at_ns: int, raw: bytes) -> None:
        match message:
            case Boot(pockets=pockets):
                self._watch.forget()
                self.emit(WheelReset(self._name, pockets, at_ns))
            case StandBy():
                pass  # a sign of life: the link has counted it
            case State(state=state, number=number, warnings=warnings, rotor_rpm10=rpm10, clockwise=clockwise):
                rotor = Rotor(rpm10, clockwise)
                status = Status(PHASES[state], None, number, warnings_of(warnings), rotor, at_ns, raw.hex())
                for event in self._watch.status(status):
                    self.emit(event)
            case Win(pocket=pocket):
                for event in self._watch.number(pocket, at_ns, raw.hex()):
                    self.emit(event)
            case Warn(warnings=warnings):
                for event in self._watch.warned(warnings_of(warnings), at_ns, raw.hex()):
                    self.emit(event)
            case _:
                assert_never(message)
