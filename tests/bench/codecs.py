"""Codecs: speed, and what any bytes can do to them: `python -m tests.bench.codecs [--fuzz N] [--only CODEC]`.

    --fuzz N      bytes of noise for each codec (default 1,000,000; the figure to reach is 10,000,000)
    --only CODEC  one of them

Speed: MB/s of a stream in order, in pieces of 4,096 bytes, or an answer at a time where each is asked for (target:
1 MB/s; a table's fastest wire brings 0.012). Fuzz:
noise of which half the bytes mean something to the protocol, in pieces, and after each piece two good frames, of which
the second must be read whatever stood before: resynchronization within one frame. No exception, and what waits stays
bounded. Exit status 1 where that does not hold; speeds are told, not judged.

A typing scanner's noise is whole records, since a kernel hands out nothing else.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from drivers.codecs import (
    alpha,
    alpha_sign,
    angeleye,
    barcodes,
    beetek,
    cammegh_ss2,
    craps_keypad,
    modbus_rtu,
    text_lines,
    tgline,
    tgline_dice,
    tgline_shoe,
    tgline_wheel,
    winline,
)
from drivers.codecs import angeleye_messages as m
from drivers.codecs.alpha_sign import RejectedPacket
from drivers.codecs.barcodes import CodeReader, HidDecoder, MapName, SerialDecoder, named_map, typed
from drivers.codecs.input_records import EVENT, record

PIECE = 4096
TARGET_MB_S = 1.0
MOST_WAITING = 1024
APART_NS = 10_000_000_000
"""Between noise and each of the frames: longer than any protocol takes two frames for one."""

GAME_NS = 4 * APART_NS

REJECTED = (
    angeleye.Rejected,
    beetek.Rejected,
    barcodes.Rejected,
    text_lines.Rejected,
    winline.Rejected,
    RejectedPacket,
)


class Decodes(Protocol):
    @property
    def waiting(self) -> int: ...


@dataclass(frozen=True)
class Codec:
    make: Callable[[], Decodes]
    feed: Callable[[Any, bytes, int], Sequence[object]]
    frames: Callable[[int], tuple[bytes, bytes]]
    """Two good frames, each another, at this time."""
    likely: bytes
    """Bytes that mean something to the protocol."""
    record: int = 1
    """Noise comes in multiples of so many bytes."""
    piece: int = 0
    """How many bytes are fed at a time in order; 0: `PIECE`."""


def _by_line(decoder: Any, data: bytes, at_ns: int) -> Sequence[object]:
    found: Sequence[object] = decoder.feed(data, at_ns)
    return found


def _by_record(decoder: Any, data: bytes, at_ns: int) -> Sequence[object]:
    found: Sequence[object] = decoder.feed(data)
    return found


def _angeleye(at_ns: int) -> tuple[bytes, bytes]:
    first = angeleye.encode("1", m.CardInGame(m.Target.PLAYER, 1, "8S"))
    return first, angeleye.encode("2", m.Result(m.Winner.TIE, False, True))


def _tgline(at_ns: int) -> tuple[bytes, bytes]:
    first = tgline.encode(tgline.Line(tgline.Tag.SHOE, 1, 2, "CARD", ("P", "1", "8S")))
    return first, tgline.encode(tgline.Line(tgline.Tag.BET_BOARD, 3, 0x7B, "STAT", ("00A5", "0004", "01")))


class TglineWords:
    """A `tgline` device's receive side down to what its lines say."""

    def __init__(self, message_of: Callable[[tgline.Line], object]) -> None:
        self._decoder = tgline.Decoder()
        self._message_of = message_of

    @property
    def waiting(self) -> int:
        return self._decoder.waiting

    def feed(self, data: bytes, arrived_ns: int) -> list[object]:
        found = self._decoder.feed(data, arrived_ns)
        return [self._message_of(each.message) if isinstance(each, text_lines.Received) else each for each in found]


def _shoe_words(at_ns: int) -> tuple[bytes, bytes]:
    said = (tgline_shoe.CutCard(), tgline_shoe.CardInGame(tgline_shoe.Target.PLAYER, 1, "8S"))
    first, second = (tgline.encode(tgline_shoe.line_of(1, seq, each)) for seq, each in enumerate(said, 1))
    return first, second


def _wheel_words(at_ns: int) -> tuple[bytes, bytes]:
    state = tgline_wheel.State(cammegh_ss2.WheelState.NO_MORE_BETS, "17", cammegh_ss2.Trouble(0), 158, True)
    said: tuple[tgline_wheel.Message, ...] = (state, tgline_wheel.Win("00"))
    first, second = (tgline.encode(tgline_wheel.line_of(1, seq, each)) for seq, each in enumerate(said, 1))
    return first, second


def _dice_words(at_ns: int) -> tuple[bytes, bytes]:
    said = (tgline_dice.Undo(), tgline_dice.Roll((4, 6)))
    first, second = (tgline.encode(tgline_dice.line_of(1, seq, each)) for seq, each in enumerate(said, 1))
    return first, second


class ModbusExchanges:
    """Answers of a unit, an exchange each: a piece that comes at another time than the last one begins one."""

    def __init__(self) -> None:
        self._exchange = modbus_rtu.Exchange(UNIT, 0, INPUTS)
        self._at_ns = 0

    @property
    def waiting(self) -> int:
        return self._exchange.waiting

    def feed(self, data: bytes, arrived_ns: int) -> list[object]:
        if arrived_ns != self._at_ns:
            self._exchange.request()
        self._at_ns = arrived_ns
        answer = self._exchange.feed(data)
        return [] if answer is None else [answer]


UNIT, INPUTS = 3, 16
MODBUS_FRAME = 7
"""An answer with 16 inputs, bytes."""


def _modbus(at_ns: int) -> tuple[bytes, bytes]:
    return bytes.fromhex("03 02 02 25 00 DA E8"), bytes.fromhex("03 02 02 FF 81 41 E8")


def _keys(at_ns: int) -> tuple[bytes, bytes]:
    """Two presses of a key, apart: each is told by itself."""

    def press(code: int, at: int) -> bytes:
        return record(code, True, at) + record(code, False, at + 50_000_000)

    return press(79, at_ns), press(80, at_ns + APART_NS)


def _cammegh(at_ns: int) -> tuple[bytes, bytes]:
    return b"*X;4;008;15;0;158;1\r\n", b"*X;5;008;17;0;158;1\r\n"


def _alpha(at_ns: int) -> tuple[bytes, bytes]:
    return alpha.encode(alpha.WriteString("1", "$12,345.67")), alpha.encode(alpha.WriteText("A", ("HELLO",)))


LETTER = named_map(MapName.LETTER)
CODECS: Mapping[str, Codec] = {
    "angeleye": Codec(angeleye.Decoder, _by_line, _angeleye, b"\x05\x03SPDdRGCEeLM01\x81\xb8"),
    "beetek": Codec(
        lambda: beetek.Decoder(0),
        _by_line,
        lambda at_ns: (beetek.encode("TH"), beetek.encode("8S")),
        b"SHDCA2345678910TJQK\r\n",
    ),
    "barcode serial": Codec(
        lambda: SerialDecoder(CodeReader(LETTER, 0)), _by_line, lambda at_ns: (b"H10\r", b"SA\r"), b"SHDCA2]C0 \r\n"
    ),
    "barcode hid": Codec(
        lambda: HidDecoder(CodeReader(LETTER, 0)),
        _by_record,
        lambda at_ns: (typed("H10", at_ns, 1_000_000), typed("SA", at_ns + 200_000_000, 1_000_000)),
        b"\x00\x01\x02\x03\x1c\x2a",
        record=EVENT.size,
    ),
    "tgline": Codec(tgline.Decoder, _by_line, _tgline, b"$TGSHO,01ABCDEF*\r\n"),
    "cammegh": Codec(cammegh_ss2.Decoder, _by_line, _cammegh, b"*XYP;0123456789 \r\n"),
    "winline": Codec(
        winline.Decoder, _by_line, lambda at_ns: (winline.encode("17"), winline.encode("00")), b" 0123456789\r\n"
    ),
    "tgline shoe": Codec(lambda: TglineWords(tgline_shoe.message_of), _by_line, _shoe_words, b"$TGSHO,01CARDPB*\r\n"),
    "tgline wheel": Codec(
        lambda: TglineWords(tgline_wheel.message_of), _by_line, _wheel_words, b"$TGWHL,01STAEWIN*\r\n"
    ),
    "tgline dice": Codec(lambda: TglineWords(tgline_dice.message_of), _by_line, _dice_words, b"$TGDIC,01ROLUND*\r\n"),
    "dice keypad": Codec(craps_keypad.Decoder, _by_line, _keys, b"\x00\x01\x02\x03\x4f\x50\x51", record=EVENT.size),
    "modbus": Codec(ModbusExchanges, _by_line, _modbus, b"\x03\x02\x82\x00\xff", piece=MODBUS_FRAME),
    "alpha sign": Codec(alpha_sign.Decoder, _by_line, _alpha, b"\x00\x01Z0\x02AGE\x1b\x1c\x03\x04"),
}


def speed_mb_s(codec: Codec, size: int = 1_000_000) -> float:
    """Of a stream in order, one core's time."""
    pair = b"".join(codec.frames(GAME_NS))
    stream = pair * (size // len(pair))
    decoder, read = codec.make(), 0
    began = time.process_time()
    length = codec.piece or PIECE
    for number, at in enumerate(range(0, len(stream), length)):
        read += len(codec.feed(decoder, stream[at : at + length], number * GAME_NS))
    seconds = time.process_time() - began
    assert read, "nothing was read"
    return len(stream) / seconds / 1e6


@dataclass
class Fuzzed:
    pieces: int = 0
    missed: int = 0  # second good frames that were not read
    most_waiting: int = 0
    example: bytes = b""
    """A piece after which the second good frame was not read."""

    @property
    def good(self) -> bool:
        return self.missed == 0 and self.most_waiting <= MOST_WAITING


def fuzz(codec: Codec, size: int, seed: int = 1) -> Fuzzed:
    """`size` bytes of noise, with good frames between."""
    chance, decoder, out = random.Random(seed), codec.make(), Fuzzed()
    expected = _second_alone(codec)
    for piece in _noise(codec, chance, size):
        out.pieces += 1
        at_ns = out.pieces * GAME_NS
        codec.feed(decoder, piece, at_ns)
        out.most_waiting = max(out.most_waiting, decoder.waiting)
        first, second = codec.frames(at_ns)
        codec.feed(decoder, first, at_ns + APART_NS)
        found = codec.feed(decoder, second, at_ns + 2 * APART_NS)
        read = [_text(each) for each in found if not isinstance(each, REJECTED)]
        if read[-1:] != [expected]:
            out.missed += 1
            out.example = out.example or piece
    return out


def _second_alone(codec: Codec) -> str:
    decoder = codec.make()
    first, second = codec.frames(GAME_NS)
    codec.feed(decoder, first, GAME_NS)
    [found] = codec.feed(decoder, second, GAME_NS)
    return _text(found)


def _text(found: object) -> str:
    """What was read, without its time."""
    fields = {name: getattr(found, name) for name in getattr(found, "__struct_fields__", ()) if name != "at_ns"}
    return f"{type(found).__name__} {fields}"


def _noise(codec: Codec, chance: random.Random, size: int) -> Iterator[bytes]:
    left = size
    while left > 0:
        length = min(chance.randint(1, 300), left)
        left -= length
        length = max(1, length // codec.record) * codec.record
        raw = bytearray(chance.randbytes(length))
        for at in range(0, length, 2):
            raw[at] = chance.choice(codec.likely)
        yield bytes(raw)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.codecs", description=__doc__)
    parser.add_argument("--fuzz", type=int, default=1_000_000)
    parser.add_argument("--only", choices=CODECS, action="append")
    options = parser.parse_args()
    good = True
    print(f"codecs: speed (target {TARGET_MB_S:g} MB/s), and {options.fuzz} bytes of noise")
    for name in options.only or CODECS:
        codec = CODECS[name]
        speed, fuzzed = speed_mb_s(codec), fuzz(codec, options.fuzz)
        good = good and fuzzed.good
        lost = f"{fuzzed.missed} NOT READ, first after {fuzzed.example.hex()}" if fuzzed.missed else "all read again"
        print(
            f"  {name:<15} {speed:6.2f} MB/s; after {fuzzed.pieces} pieces of noise {lost}; at most "
            f"{fuzzed.most_waiting} bytes waited",
            flush=True,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
