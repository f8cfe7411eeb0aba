"""A Cammegh Slingshot 2 as a `WheelReader`. What its lines mean: `spin.py`; its commands: `cammegh_orders.py`.

Rules:
* The link is READY once a status was heard, which is asked for where none comes by itself: each `ASK_S` without one
  `*X` is sent, whatever the wheel's mode is. A controller is silent for a few seconds after power-on: `IDENTIFY_S`.
* Silent for `SILENT_S` it is STALE, for twice that opened anew.
* A command is sent once, and done when the wheel says so or is in the phase that it leads to. `BUSY` (the rotor still
  runs down) is asked again each `BUSY_S`, at most `BUSY_TRIES` times. No answer is no success: nothing that moves the
  wheel is sent twice without one.
* The operating mode, which the wheel keeps without power, is set only where one is configured, at each connection.
* Bonus numbers are for others; they are counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import assert_never

from drivers import result_events as events
from drivers.codecs import cammegh_ss2 as ss2
from drivers.codecs.text_lines import Received, Rejected
from drivers.devices.cammegh_orders import Order, Orders
from drivers.devices.reject_log import RejectLog
from drivers.devices.serial_device import SerialDevice
from drivers.devices.wheel_words import PHASES, warnings_of
from drivers.events import DeviceEvent, LinkState
from drivers.links.port import Opener, PortError, PortSettings, open_serial
from drivers.ports import NowNs, WheelAbilities
from drivers.result_events import Rotor, WheelCommand, WheelPhase
from drivers.spin import SpinWatch, Status

ASK_S = 0.75
SILENT_S = ss2.SILENT_LIMIT_S
IDENTIFY_S = 10.0
UNHEARD_NS = round(SILENT_S * 1e9)

SELF_TEST_TEXTS = {
    1: "hardware",
    2: "no ball",
    3: "no position",
    4: "direction",
    5: "motor",
    6: "encoder",
    7: "no game clockwise",
    8: "no game counter-clockwise",
    11: "sensor 1 stuck on",
    12: "sensor 2 stuck on",
    13: "sensor 3 stuck on",
    21: "sensor 1 blind",
    22: "sensor 2 blind",
    23: "sensor 3 blind",
    100: "time-out",
}
"""What the codes of `*F` mean; 0 is well."""


def create(
    *,
    name: str,
    url: str,
    baud: int = 9600,
    mode: int | None = None,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener = open_serial,
) -> CammeghWheel:
    """The wheel at `url`, 8N1. `mode`: operating mode to set, 0..65535; None leaves it as it is."""
    return CammeghWheel(name, PortSettings(url, baud), now_ns, simulated, opener, mode)


class CammeghWheel(SerialDevice):
    """A `WheelReader`."""

    def __init__(
        self, name: str, settings: PortSettings, now_ns: NowNs, simulated: bool, opener: Opener, mode: int | None
    ) -> None:
        super().__init__(name, "cammegh ss2", settings, now_ns, simulated)
        self._url = settings.url
        self._mode = mode
        self._decoder = ss2.Decoder()
        self._rejects = RejectLog(name, "a line of a Slingshot 2")
        self._watch = SpinWatch(name, checked=False, unheard_ns=UNHEARD_NS)
        self._orders = Orders()
        self._early: list[Received[ss2.Message]] | None = []  # None: READY, told as they come
        self._status_heard = asyncio.Event()
        self._counters = {"statuses": 0, "asked": 0, "bonus": 0}
        self._connect(self, opener, SILENT_S)

    @property
    def abilities(self) -> WheelAbilities:
        return WheelAbilities(phases=True, commands=frozenset({WheelCommand.START_SPIN, WheelCommand.VOID_SPIN}))

    @property
    def counters(self) -> Mapping[str, int]:
        return (
            self._link.counters | self._decoder.counters | self._counters | self._watch.counters | self._orders.counters
        )

    def start_spin(self) -> None:
        self._order(
            Order(WheelCommand.START_SPIN, ss2.encode_command(ss2.Command.START_GAME), "u", "OK", WheelPhase.PLACE_BETS)
        )

    def void_spin(self) -> None:
        self._order(
            Order(WheelCommand.VOID_SPIN, ss2.encode_command(ss2.Command.VOID), "R", "OK", WheelPhase.BEFORE_GAME)
        )

    def _order(self, order: Order) -> None:
        if self.link is not LinkState.READY:
            reason = f"the wheel's link is {self.link}"
            self._say(events.WheelRefused(self._name, order.command, reason, self._now_ns()))
            return
        self._orders.put(order)

    # What the link asks of its client.

    def connected(self) -> None:
        self._decoder.reset()
        self._watch.reconnected()
        self._early, self._status_heard = [], asyncio.Event()

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case Received():
                    if isinstance(found.message, ss2.Status):
                        self._status_heard.set()
                    if self._early is None:
                        self._take(found)
                    else:
                        self._early.append(found)
                case Rejected():
                    self._rejects.note(found.reason, found.raw, found.at_ns)
                case _:
                    assert_never(found)

    async def identify(self) -> None:
        try:
            async with asyncio.timeout(IDENTIFY_S):
                while not self._status_heard.is_set():
                    await self._ask()
                    await self._status_within(ASK_S)
        except TimeoutError:
            heard = ", but bytes that are none: check speed and cable" if self._rejected() else ""
            raise PortError(
                f"no status of a Slingshot 2 on {self._url} for {IDENTIFY_S:g} s{heard}; "
                "is it switched on, and the cable a null-modem (2 and 3 crossed)?"
            ) from None

    async def serve(self) -> None:
        early, self._early = self._early, None
        for each in early or ():
            self._take(each)
        if self._mode is not None:
            told = str(self._mode)
            self._orders.put(Order(WheelCommand.SET_MODE, ss2.encode_mode(self._mode), "o", told, None))
        tasks = [
            asyncio.create_task(self._keep_asking(), name=f"{self._name} status"),
            asyncio.create_task(self._orders.run(self._link.write, self._done), name=f"{self._name} orders"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # a PortError, which the link knows what to do with
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_asking(self) -> None:
        while True:
            self._status_heard.clear()
            if not await self._status_within(ASK_S):
                await self._ask()

    async def _ask(self) -> None:
        self._counters["asked"] += 1
        await self._link.write(ss2.encode_command(ss2.Command.POLL))

    async def _status_within(self, limit_s: float) -> bool:
        try:
            async with asyncio.timeout(limit_s):
                await self._status_heard.wait()
        except TimeoutError:
            return False
        return True

    def _rejected(self) -> int:
        return sum(self._decoder.counters[reason] for reason in ss2.Rejection)

    # Lines.

    def _take(self, received: Received[ss2.Message]) -> None:
        message, at_ns, raw = received.message, received.at_ns, received.raw.hex()
        match message:
            case ss2.Status():
                self._counters["statuses"] += 1
                phase, rotor = PHASES[message.state], Rotor(message.rotor_rpm10, message.clockwise)
                warnings = warnings_of(message.warnings)
                status = Status(phase, message.spin, message.number, warnings, rotor, at_ns, raw)
                for event in self._watch.status(status):
                    self._say(event)
                if self._watch.phase is not None:
                    self._orders.in_phase(self._watch.phase)
            case ss2.Number(pocket=pocket):
                for event in self._watch.number(pocket, at_ns, raw):
                    self._say(event)
            case ss2.Bonus():
                self._counters["bonus"] += 1
            case ss2.Reply():
                self._orders.replied(message.letter, message.text)
                self._self_test(message, at_ns, raw)
            case _:
                assert_never(message)

    def _self_test(self, reply: ss2.Reply, at_ns: int, raw: str) -> None:
        code = reply.text.split(" ")[0]
        if reply.letter == "F" and code.isdecimal() and int(code):
            text = SELF_TEST_TEXTS.get(int(code), "not in the list")
            self._say(events.WheelFaulted(self._name, int(code), text, at_ns, raw))

    def _done(self, command: WheelCommand, refusal: str) -> None:
        at_ns = self._now_ns()
        if refusal:
            self._say(events.WheelRefused(self._name, command, refusal, at_ns))
        else:
            self._say(events.WheelObeyed(self._name, command, at_ns))

    def _say(self, event: DeviceEvent) -> None:
        if self._emit is not None:
            self._emit(event)
