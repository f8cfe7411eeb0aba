"""Modbus inputs: the published frames, answers that belong to something else, noise, any bytes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU, ExceptionResponse, ModbusPDU
from pymodbus.pdu.bit_message import ReadCoilsResponse, ReadDiscreteInputsResponse

from drivers.codecs.modbus_rtu import INPUTS_MOST, LIMIT, Exchange, Inputs, Refused
from tests.codecs.samples import chunks

REQUEST = bytes.fromhex("03 02 00 00 00 08 78 2E")
ANSWER = bytes.fromhex("03 02 01 25 61 EB")
FRAMER = FramerRTU(DecodePDU(True))


def frame(message: ModbusPDU) -> bytes:
    return FRAMER.buildFrame(message)


def test_the_published_exchange() -> None:
    exchange = Exchange(3, 0, 8)
    assert exchange.request() == REQUEST
    answer = exchange.feed(ANSWER)
    assert answer == Inputs((True, False, True, False, False, True, False, False)), "inputs 0, 2 and 5"


@given(st.lists(st.integers(1, 4), min_size=1))
def test_split_anywhere(sizes: list[int]) -> None:
    exchange = Exchange(3, 0, 8)
    exchange.request()
    answers = [answer for piece in chunks(ANSWER, sizes) if (answer := exchange.feed(piece)) is not None]
    assert len(answers) == 1 and isinstance(answers[0], Inputs)


@given(st.integers(1, INPUTS_MOST).flatmap(lambda n: st.lists(st.booleans(), min_size=n, max_size=n)))
def test_every_number_of_inputs(bits: list[bool]) -> None:
    exchange = Exchange(247, 0xFE00, len(bits))
    exchange.request()
    assert exchange.feed(frame(ReadDiscreteInputsResponse(dev_id=247, bits=list(bits)))) == Inputs(tuple(bits))


def test_an_exception_is_an_answer() -> None:
    exchange = Exchange(3, 0, 8)
    exchange.request()
    refused = exchange.feed(frame(ExceptionResponse(2, 2, device_id=3)))
    assert refused == Refused(2) and refused.text == "illegal data address"
    assert Refused(99).text == "exception 99"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (ANSWER[:-1] + b"\x00", "checksum"),
        (frame(ReadDiscreteInputsResponse(dev_id=4, bits=[True] * 8)), "foreign"),
        (frame(ReadCoilsResponse(dev_id=3, bits=[True] * 8)), "foreign"),
        (frame(ReadDiscreteInputsResponse(dev_id=3, bits=[True] * 16)), "foreign"),
        (frame(ExceptionResponse(1, 2, device_id=3)), "foreign"),
    ],
)
def test_what_is_no_answer_is_counted_and_the_next_exchange_is_clean(data: bytes, reason: str) -> None:
    exchange = Exchange(3, 0, 8)
    exchange.request()
    assert exchange.feed(data) is None
    assert exchange.counters[reason] == 1
    exchange.request()
    assert isinstance(exchange.feed(ANSWER), Inputs)


def test_any_bytes_raise_nothing_and_wait_nowhere() -> None:
    chance, exchange = random.Random(1), Exchange(3, 0, 8)
    for _ in range(20_000):
        exchange.feed(bytes(chance.choice(b"\x03\x02\x01\x82\x00\xff\x18\x2b") for _ in range(chance.randrange(1, 9))))
        assert exchange.waiting <= LIMIT
    exchange.request()
    assert isinstance(exchange.feed(ANSWER), Inputs)


@pytest.mark.parametrize(("unit", "first", "count"), [(0, 0, 1), (248, 0, 1), (1, 0, 0), (1, 0, 257), (1, 65535, 8)])
def test_inputs_that_there_are_not_are_refused(unit: int, first: int, count: int) -> None:
    with pytest.raises(ValueError, match="no such inputs"):
        Exchange(unit, first, count)
