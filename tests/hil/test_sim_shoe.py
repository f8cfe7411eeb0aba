"""The simulated shoe, as a process, against the published byte vectors alone; and its model."""

from __future__ import annotations

import os
import random
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.codecs.angeleye import Decoder, Rejected, Telegram
from drivers.codecs.angeleye_messages import CardInGame, CardOutsideGame, CutCard, HeldOver, OutsideMode, Target
from hil.sim.control import ControlError
from hil.sim.line_faults import FaultKind, Piece, fault, pieces
from hil.sim.shoe_model import RANKS, SUITS, ShoeModel
from hil.simclient import SimClient, SimError
from tests.codecs.samples import ANGELEYE
from tests.simulators import Simulator, simulator

VECTORS = {name: bytes.fromhex(text) for name, text, _, _ in ANGELEYE}
EIGHT = VECTORS["player 1 8S"]


@pytest.fixture
def shoe() -> Iterator[Simulator]:
    with simulator("hil.sim.shoe", "--decks", "8", "--seed", "1") as started:
        yield started


@pytest.fixture
def client(shoe: Simulator) -> Iterator[SimClient]:
    with SimClient(shoe.control) as connected:
        connected.call("set", copies=1, spacing_ms=0)
        yield connected


class Wire:
    """The host's end of the port, read without any driver."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def read(self, count: int, limit_s: float = 5.0) -> bytes:
        data = b""
        while len(data) < count:
            ready, _, _ = select.select([self._fd], [], [], limit_s)
            assert ready, f"{data.hex(' ')} and nothing more in {limit_s} s"
            data += os.read(self._fd, count - len(data))
        return data

    def silent(self) -> bool:
        return not select.select([self._fd], [], [], 0)[0]

    def close(self) -> None:
        os.close(self._fd)


@pytest.fixture
def wire(shoe: Simulator) -> Iterator[Wire]:
    opened = Wire(shoe.port)
    yield opened
    opened.close()


def test_it_speaks_the_published_vectors(client: SimClient, wire: Wire) -> None:
    calls: list[tuple[str, dict[str, object], str]] = [
        ("start", {}, "start"),
        ("stand_by", {}, "stand-by"),
        ("deal", {"target": "player", "index": 1, "card": "8S"}, "player 1 8S"),
        ("deal", {"target": "banker", "index": 1, "card": "KH"}, "banker 1 KH"),
        ("deal", {"target": "player", "index": 2, "card": "AD"}, "player 2 AD"),
        ("deal", {"target": "banker", "index": 2, "card": "TC"}, "banker 2 TC"),
        ("result", {"winner": "player"}, "player wins"),
        ("result", {"winner": "tie"}, "tie"),
        ("result", {"winner": "banker", "banker_pair": True}, "banker, banker pair"),
        ("result", {"winner": "forced_end"}, "forced end"),
        ("cut", {}, "cut card"),
        ("error", {"code": 2}, "overdraw, error mode"),
    ]
    for op, arguments, name in calls:
        assert client.call(op, **arguments)["sent"] == [VECTORS[name].hex()]
        assert wire.read(len(VECTORS[name])) == VECTORS[name]
    cleared = client.call("clear")["sent"]
    assert isinstance(cleared, list)
    assert cleared[0] == VECTORS["overdraw cancelled"].hex()
    assert bytes.fromhex(cleared[1])[2:3] == b"R", "the overdrawn card is said again"
    assert client.call("status")["host_bytes"] == 0


def test_three_copies_and_faults_in_one_of_them(client: SimClient, wire: Wire) -> None:
    client.call("set", copies=3, spacing_ms=1)
    client.call("start")
    assert wire.read(18) == VECTORS["start"] * 3
    client.call("stand_by")
    assert wire.read(18) == VECTORS["stand-by"] * 3
    client.call("fault", kind="bad_check", copies=[2])
    client.call("deal", target="player", index=1, card="8S")
    assert wire.read(24) == EIGHT + EIGHT[:-1] + bytes([EIGHT[-1] ^ 1]) + EIGHT
    client.call("fault", kind="missing", copies=[1, 2])
    client.call("deal", target="banker", index=1, card="KH")
    assert wire.read(8) == VECTORS["banker 1 KH"], "a fault strikes one telegram only"
    client.call("garbage", hex="0005ff")
    assert wire.read(3) == b"\x00\x05\xff"


def test_repeat_seq(client: SimClient, wire: Wire) -> None:
    with pytest.raises(SimError, match="no telegram was sent yet"):
        client.call("repeat_seq")
    client.call("stand_by")
    client.call("repeat_seq")
    client.call("start")
    assert wire.read(12)[1::6] == b"00"


def test_unplug_and_plug_under_another_name(client: SimClient, shoe: Simulator) -> None:
    wire = Wire(shoe.port)
    client.call("unplug")
    assert not shoe.port.is_symlink()
    assert wire.read(0) == b""
    client.call("stand_by")  # nobody is there to hear it
    other = shoe.port.with_name("other")
    assert client.call("plug", link=str(other))["link"] == str(other)
    with pytest.raises(SimError, match="already plugged in"):
        client.call("plug")
    again = Wire(other)
    client.call("start")
    assert again.read(6)[1:3] == b"1S", "the shoe went on counting; only the second telegram arrives"
    assert again.silent()
    again.close()
    wire.close()


@pytest.mark.parametrize(
    ("op", "arguments", "what"),
    [
        ("shuffle", {}, "unknown op 'shuffle'; known: .*deal"),
        ("deal", {"target": "player", "index": "1"}, "index must be a whole number"),
        ("deal", {"target": "player", "index": 4}, "index must be a whole number 1..3, got 4"),
        ("deal", {"target": "dealer", "index": 1}, "target is one of player"),
        ("deal", {"target": "player", "index": 1, "card": "1X"}, "no '1X' is left"),
        ("deal", {"target": "player", "index": 1, "crad": "8S"}, "unknown key crad"),
        ("load", {"cards": ["8S"] * 9}, "isn't left in the shoe as often"),
        ("fault", {"kind": "gremlins"}, "unknown fault 'gremlins'; known: noise_before"),
        ("clear", {}, "no error to clear"),
        ("garbage", {"hex": "xyz"}, "hex bytes"),
    ],
)
def test_what_it_refuses(client: SimClient, op: str, arguments: dict[str, object], what: str) -> None:
    with pytest.raises(SimError, match=what):
        client.call(op, **arguments)
    assert client.call("status")["left"] == 416


def test_quit_and_terminate_take_port_and_socket_away() -> None:
    for end in ("quit", "terminate"):
        with simulator("hil.sim.shoe") as shoe:
            if end == "quit":
                with SimClient(shoe.control) as client:
                    client.call("quit")
            else:
                shoe.process.send_signal(signal.SIGTERM)
            assert shoe.process.wait(10) == 0
            assert not shoe.port.is_symlink()
            assert not shoe.control.exists()


def test_a_second_simulator_is_refused_and_a_killed_one_replaced(shoe: Simulator) -> None:
    from hil.sim.shoe import main

    arguments = ["--port", str(shoe.port), "--control", str(shoe.control)]
    assert main(arguments) == 2
    assert shoe.port.exists(), "the first one's port is untouched"
    with SimClient(shoe.control) as client:
        assert client.call("status")["plugged"] is True


# The model, without a process.


def test_a_shoe_holds_its_decks_and_deals_each_card_once() -> None:
    shoe = ShoeModel(decks=2, seed=5)
    seen = []
    while shoe.left:
        for message in shoe.draw(Target.PLAYER, 1):
            if isinstance(message, CardInGame):
                seen.append(message.card)
    assert sorted(map(str, seen)) == sorted([rank + suit for rank in RANKS for suit in SUITS] * 2)
    with pytest.raises(ControlError, match="empty"):
        shoe.draw(Target.PLAYER, 1)


def test_the_same_seed_gives_the_same_cards_and_the_script_goes_first() -> None:
    def cards(seed: int) -> list[object]:
        shoe = ShoeModel(decks=1, seed=seed, cut_after=52)
        shoe.load(["8S", "KH"])
        return [shoe.draw(Target.BANKER, 1)[-1] for _ in range(20)]

    assert cards(3) == cards(3) != cards(4)
    assert cards(3)[:2] == [CardInGame(Target.BANKER, 1, "8S"), CardInGame(Target.BANKER, 1, "KH")]


def test_cut_card_lock_error_and_overdraw() -> None:
    shoe = ShoeModel(decks=1, seed=0, cut_after=1)
    shoe.draw(Target.PLAYER, 1)
    assert [type(each) for each in shoe.draw(Target.BANKER, 1)] == [CutCard, CardInGame]
    with pytest.raises(ControlError, match="out already"):
        shoe.cut()
    shoe.lock(True)
    drawn = shoe.draw(Target.PLAYER, 2)
    assert isinstance(drawn[0], CardOutsideGame)
    assert drawn[0].mode is OutsideMode.LOCK
    shoe.lock(False)
    card = shoe.draw(Target.PLAYER, 3)[0]
    assert isinstance(card, CardInGame)
    shoe.fail(2, error_mode=True)
    assert isinstance(shoe.draw(Target.PLAYER, 1)[0], CardOutsideGame)
    assert shoe.clear()[1] == HeldOver(Target.PLAYER, 1, str(card.card))


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_fault_changes_what_is_sent_and_two_good_copies_are_enough(kind: FaultKind) -> None:
    clean = pieces(EIGHT, 3, 60, [], random.Random(1))
    assert clean == [Piece(0, EIGHT), Piece(60, EIGHT), Piece(60, EIGHT)]
    for copy in (1, 2, 3):
        for seed in range(50):
            struck = pieces(EIGHT, 3, 60, [fault(kind, [copy])], random.Random(seed))
            assert struck != clean
            found = Decoder().feed(b"".join(piece.data for piece in struck))
            cards = [each.message for each in found if isinstance(each, Telegram)]
            assert cards == [CardInGame(Target.PLAYER, 1, "8S")], (copy, seed, struck)
            assert all(isinstance(each, Telegram | Rejected) for each in found)
