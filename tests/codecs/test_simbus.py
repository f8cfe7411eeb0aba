"""The simulated bus's wire: bytes written by hand, any chunks, noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.simbus import (
    MAX_PAYLOAD,
    Done,
    Exchange,
    Failed,
    Hello,
    Interrupt,
    LoadLine,
    SimBusDecoder,
    SimBusError,
    SimBusFrame,
    Transfer,
    encode,
)

# Written by hand from the table at the head of the codec.
VECTORS: list[tuple[SimBusFrame, str]] = [
    (Hello(), "01 0500 54534231 01"),
    (Transfer(7, 0x20, 10, b"\x0a"), "02 0700 07000000 20 0a 0a"),
    (Exchange(8, b"\x00\x00\x00"), "03 0700 08000000 000000"),
    (LoadLine(True), "04 0100 01"),
    (Done(7, b"\x44\x44"), "81 0600 07000000 4444"),
    (Failed(9, 121), "82 0500 09000000 79"),
    (Interrupt(False, 0x0102030405060708), "83 0900 00 0807060504030201"),
]
STREAM = b"".join(encode(frame) for frame, _ in VECTORS)

requests = st.integers(0, 0xFFFFFFFF)
bytes_of_one = st.integers(0, 255)
frames = st.one_of(
    st.builds(Transfer, requests, bytes_of_one, bytes_of_one, st.binary(max_size=40)),
    st.builds(Exchange, requests, st.binary(max_size=40)),
    st.builds(LoadLine, st.booleans()),
    st.builds(Done, requests, st.binary(max_size=40)),
    st.builds(Failed, requests, bytes_of_one),
    st.builds(Interrupt, st.booleans(), st.integers(0, 2**64 - 1)),
)


@pytest.mark.parametrize(("frame", "wire"), VECTORS, ids=lambda value: type(value).__name__)
def test_vectors(frame: SimBusFrame, wire: str) -> None:
    assert encode(frame) == bytes.fromhex(wire)


def test_byte_by_byte() -> None:
    decoder = SimBusDecoder()
    found = [frame for n in range(len(STREAM)) for frame in decoder.feed(STREAM[n : n + 1])]
    assert found == [frame for frame, _ in VECTORS]


@given(st.lists(frames, max_size=8), st.data())
def test_any_frames_in_any_chunks(sent: list[SimBusFrame], data: st.DataObject) -> None:
    sent = [Hello(), *sent]
    stream = b"".join(encode(frame) for frame in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=9)))
    decoder = SimBusDecoder()
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += decoder.feed(stream[start:end])
    assert found == sent


@given(st.binary(min_size=3, max_size=60))
def test_noise_raises_the_codec_s_own_error_or_is_waited_for(noise: bytes) -> None:
    decoder = SimBusDecoder()
    try:
        found = decoder.feed(noise)
    except SimBusError:
        return
    assert not found or isinstance(found[0], Hello)


@pytest.mark.parametrize(
    "wire",
    [
        "04 0100 01",  # no greeting
        "01 0500 54534231 02",  # another version
        "7f 0000",
        "01 0200 5453",
        f"81 {(MAX_PAYLOAD + 1).to_bytes(2, 'little').hex()}",
    ],
)
def test_what_is_not_of_the_protocol_is_refused(wire: str) -> None:
    with pytest.raises(SimBusError):
        SimBusDecoder().feed(bytes.fromhex(wire))


def test_what_does_not_fit_the_wire_is_refused() -> None:
    for frame in (Transfer(1, 300, 0, b""), Done(1, bytes(MAX_PAYLOAD))):
        with pytest.raises(SimBusError):
            encode(frame)
