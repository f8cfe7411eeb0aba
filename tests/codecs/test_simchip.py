"""The simulated chip's wire: recorded bytes, any chunks, noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.simchip import (
    MAX_PAYLOAD,
    ClaimInputs,
    ClaimOutput,
    Edge,
    Hello,
    Levels,
    ReadLevels,
    Refused,
    SetOutput,
    SimChipDecoder,
    SimChipError,
    SimChipFrame,
    SpiWrite,
    encode,
)

# Written by hand from the table at the head of the codec.
VECTORS: list[tuple[SimChipFrame, str]] = [
    (Hello(64, 9), "01 09000000 544c4331 01 4000 0900"),
    (ClaimInputs(((3, 1), (4, 0))), "02 06000000 0300 01 0400 00"),
    (ClaimOutput(5, True), "03 03000000 0500 01"),
    (SetOutput(5, False), "04 03000000 0500 00"),
    (ReadLevels(7), "05 04000000 07000000"),
    (SpiWrite(b"\x00\xc0\xf0"), "06 03000000 00c0f0"),
    (Edge(1, 3, True, 0x0102030405060708), "81 0f000000 01000000 0300 01 0807060504030201"),
    (Levels(7, 1, (True, False, True) + (False,) * 6), "82 10000000 07000000 0100000000000000 0900 0500"),
    (Refused("no"), "83 02000000 6e6f"),
]
STREAM = b"".join(encode(frame) for frame, _ in VECTORS)

lines = st.integers(0, 0xFFFF)
frames = st.one_of(
    st.builds(Hello, lines, lines),
    st.builds(ClaimInputs, st.lists(st.tuples(lines, st.integers(0, 2)), max_size=9).map(tuple)),
    st.builds(ClaimOutput, lines, st.booleans()),
    st.builds(SetOutput, lines, st.booleans()),
    st.builds(ReadLevels, st.integers(0, 0xFFFFFFFF)),
    st.builds(SpiWrite, st.binary(max_size=99)),
    st.builds(Edge, st.integers(0, 0xFFFFFFFF), lines, st.booleans(), st.integers(0, 2**64 - 1)),
    st.builds(
        Levels, st.integers(0, 0xFFFFFFFF), st.integers(0, 2**64 - 1), st.lists(st.booleans(), max_size=70).map(tuple)
    ),
    st.builds(Refused, st.text(max_size=20)),
)


@pytest.mark.parametrize(("frame", "wire"), VECTORS, ids=lambda value: type(value).__name__)
def test_vectors(frame: SimChipFrame, wire: str) -> None:
    assert encode(frame) == bytes.fromhex(wire)


def test_byte_by_byte() -> None:
    decoder = SimChipDecoder()
    found = [frame for n in range(len(STREAM)) for frame in decoder.feed(STREAM[n : n + 1])]
    assert found == [frame for frame, _ in VECTORS]


@given(st.lists(frames, max_size=8), st.data())
def test_any_frames_in_any_chunks(sent: list[SimChipFrame], data: st.DataObject) -> None:
    sent = [Hello(), *sent]
    stream = b"".join(encode(frame) for frame in sent)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=6)))
    decoder = SimChipDecoder()
    found = [f for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True) for f in decoder.feed(stream[a:b])]
    assert found == sent


@given(st.binary(max_size=200), st.booleans())
def test_noise_is_frames_or_an_error_and_nothing_else(noise: bytes, greeted: bool) -> None:
    decoder = SimChipDecoder()
    if greeted:
        decoder.feed(encode(Hello()))
    try:
        decoder.feed(noise)
    except SimChipError as error:
        assert str(error)
    else:
        assert len(noise) < 5 or noise[0] in (0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x81, 0x82, 0x83)


@pytest.mark.parametrize(
    ("wire", "says"),
    [
        ("05 04000000 07000000", "before Hello"),
        ("01 09000000 544c4331 02 4000 0900", "version 2"),
        ("01 09000000 48545450 01 4000 0900", "expected b'TLC1'"),
        ("7f 00000000", "frame type 0x7f"),
        ("06 01000100", "length 65537"),
        ("01 09000000 544c4331 01 4000 0900 02 03000000 0300 03", "pull 3"),
        ("01 09000000 544c4331 01 4000 0900 04 03000000 0300 02", "level 2"),
        ("01 09000000 544c4331 01 4000 0900 04 02000000 0300", "2 bytes of payload"),
        ("01 09000000 544c4331 01 4000 0900 82 0f000000 07000000 0100000000000000 0900 05", "bitmap for 9 lines"),
    ],
)
def test_errors_say_what_was_found(wire: str, says: str) -> None:
    with pytest.raises(SimChipError, match=says):
        SimChipDecoder().feed(bytes.fromhex(wire))


@pytest.mark.parametrize("frame", [ReadLevels(-1), ClaimOutput(70_000, True), SpiWrite(bytes(MAX_PAYLOAD + 1))])
def test_what_the_wire_cannot_carry_is_refused(frame: SimChipFrame) -> None:
    with pytest.raises(SimChipError):
        encode(frame)
