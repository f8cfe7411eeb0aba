"""Serial servers on the network (`socket://`): that hang, stop, close, dribble or never were there. Real sockets, real
time; nothing here may hold up the loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from time import monotonic_ns

from drivers.codecs import tgline, tgline_shoe
from drivers.devices import tgline_shoe as shoes
from drivers.events import CardDrawn, LinkChanged, LinkState
from drivers.links.port import PortError, PortSettings, PortStalled, open_serial
from tests.drivers.recorder import Recorder

LOOP_HELD_S = 0.5
"""The most that the loop may stand still meanwhile; a busy machine takes its share."""
REPEAT_S = 0.05


class Heart:
    """Measures the longest time in which the loop did nothing else."""

    EVERY_S = 0.01

    def __init__(self) -> None:
        self.worst_s = 0.0
        self._loop = asyncio.get_running_loop()
        self._beat_s = self._loop.time()
        self._next = self._loop.call_later(self.EVERY_S, self._beat)

    def _beat(self) -> None:
        now_s = self._loop.time()
        self.worst_s = max(self.worst_s, now_s - self._beat_s - self.EVERY_S)
        self._beat_s = now_s
        self._next = self._loop.call_later(self.EVERY_S, self._beat)

    def stop(self) -> None:
        self._next.cancel()


@contextlib.asynccontextmanager
async def beating() -> AsyncIterator[None]:
    heart = Heart()
    try:
        yield
    finally:
        heart.stop()
    assert heart.worst_s < LOOP_HELD_S, f"the loop stood still for {heart.worst_s:.2f} s"


class Server:
    """A serial server whose every step the test makes."""

    def __init__(self, backlog: int = 5) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.url = f"socket://127.0.0.1:{self.listening.getsockname()[1]}"
        self.settings = PortSettings(self.url, 9600, write_timeout_s=0.5)

    async def accepted(self) -> socket.socket:
        return (await asyncio.to_thread(self.listening.accept))[0]


def on_server(script: Callable[[Server], Awaitable[None]]) -> None:
    async def main() -> None:
        server = Server()
        async with beating():
            await script(server)
        server.listening.close()

    asyncio.run(main())


def boot(seq: int) -> bytes:
    return tgline.encode(tgline_shoe.line_of(1, seq, tgline_shoe.Boot(8)))


def card(seq: int) -> bytes:
    drawn = tgline_shoe.CardInGame(tgline_shoe.Target.PLAYER, 1, "8S")
    return tgline.encode(tgline_shoe.line_of(1, seq, drawn))


@contextlib.asynccontextmanager
async def starting(peer: socket.socket) -> AsyncIterator[None]:
    """A shoe that has just started, until it is heard: it repeats its message, as a real one does, since what it says
    before the port has been emptied after opening is not kept."""

    loop = asyncio.get_running_loop()

    repeating = loop.call_soon(lambda: None)

    def repeat() -> None:
        nonlocal repeating
        peer.sendall(boot(1))
        repeating = loop.call_later(REPEAT_S, repeat)

    repeat()
    try:
        yield
    finally:
        repeating.cancel()


async def refused_with(settings: PortSettings) -> str:
    try:
        await open_serial(settings, monotonic_ns)
    except PortError as error:
        return str(error)
    raise AssertionError("it opened")


def test_nobody_listens() -> None:
    async def script(server: Server) -> None:
        server.listening.close()
        assert server.url in await refused_with(server.settings)

    on_server(script)


def test_a_server_that_does_not_even_accept_is_given_up_in_bounded_time() -> None:
    async def main() -> None:
        server = Server(backlog=0)
        address = server.listening.getsockname()
        waiting = []
        for _ in range(8):  # until the queue is full: further connections are left unanswered
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(address)
            waiting.append(client)
        async with beating(), asyncio.timeout(20):
            await refused_with(server.settings)
        for client in waiting:
            client.close()
        server.listening.close()

    asyncio.run(main())


def test_a_server_that_takes_no_data_stalls_the_port_and_nobody_else() -> None:
    async def script(server: Server) -> None:
        port = await open_serial(server.settings, monotonic_ns)
        peer = await server.accepted()
        port.start(lambda data, at: None, lambda error: None)
        try:
            async with asyncio.timeout(20):
                while True:
                    await port.write(bytes(65536))
        except PortStalled as error:
            assert "took no data for 0.5 s" in str(error)
        assert await port.close()
        peer.close()

    on_server(script)


def test_a_server_that_closes_is_a_loss_at_once() -> None:
    async def script(server: Server) -> None:
        lost: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        port = await open_serial(server.settings, monotonic_ns)
        peer = await server.accepted()
        port.start(lambda data, at: None, lost.set_result)
        peer.close()
        async with asyncio.timeout(1):
            assert isinstance(await lost, PortError)
        assert await port.close()

    on_server(script)


def test_a_half_open_connection_is_stale_then_opened_anew() -> None:
    """The server has gone without a word (power, cable): no end of the connection ever comes."""

    async def script(server: Server) -> None:
        device = shoes.create(name="shoe", url=server.url, now_ns=monotonic_ns)
        recorder = Recorder()
        async with recorder.running(device):
            peer = await server.accepted()
            async with starting(peer):
                await recorder.wait(LinkChanged, lambda event: event.up)
            down = await recorder.wait(LinkChanged, lambda event: not event.up)
            assert (down.state, down.reason) == (LinkState.STALE, "nothing heard for 6 s")
            again = await server.accepted()  # it opens a second connection by itself
            async with starting(again):
                await recorder.wait(LinkChanged, lambda event: event.up, count=2)
            peer.close()
            again.close()

    on_server(script)


def test_a_server_that_dribbles_gives_whole_telegrams_with_the_time_of_their_first_byte() -> None:
    async def script(server: Server) -> None:
        device = shoes.create(name="shoe", url=server.url, now_ns=monotonic_ns)
        recorder = Recorder()
        async with recorder.running(device):
            peer = await server.accepted()
            async with starting(peer):
                await recorder.wait(LinkChanged, lambda event: event.up)

            def dribble() -> int:
                pause = threading.Event()
                began_ns = monotonic_ns()
                for byte in card(2):
                    peer.sendall(bytes([byte]))
                    pause.wait(0.02)
                return began_ns

            began_ns = await asyncio.to_thread(dribble)
            drawn = await recorder.wait(CardDrawn)
            assert drawn.card == "8S"
            assert 0 <= drawn.at_ns - began_ns < 300_000_000, "of its first byte, though the last came 0.5 s later"
            assert len(recorder.all(CardDrawn)) == 1
            peer.close()

    on_server(script)
