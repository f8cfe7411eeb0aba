"""Barcode scanners: published codes, key records in any pieces, half scans and repeats."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.barcodes import (
    IDLE_NS,
    LIMIT,
    REPEAT_NS,
    Card,
    CodeReader,
    HidDecoder,
    MapName,
    Rejected,
    Rejection,
    SerialDecoder,
    named_map,
    typed,
)
from drivers.codecs.input_records import EVENT
from tests.codecs import line_protocols
from tests.codecs.samples import chunks

LETTER = named_map(MapName.LETTER)
SRR0 = named_map(MapName.SRR0)
DECK = {rank + suit for rank in "A23456789TJQK" for suit in "SHDC"}


def serial(repeat_ns: int = REPEAT_NS) -> SerialDecoder:
    return SerialDecoder(CodeReader(LETTER, repeat_ns))


def hid(repeat_ns: int = REPEAT_NS) -> HidDecoder:
    return HidDecoder(CodeReader(LETTER, repeat_ns))


def cards(found: list[Card | Rejected]) -> list[str]:
    return [each.card for each in found if isinstance(each, Card)]


@pytest.mark.parametrize(("code", "card"), [("1010", "AS"), ("3110", "JC"), ("4130", "KD"), ("2100", "TH")])
def test_published_codes_of_srr0(code: str, card: str) -> None:
    assert SRR0[code] == card


@pytest.mark.parametrize(("code", "card"), [("H10", "TH"), ("SA", "AS"), ("HT", "TH"), ("DK", "KD")])
def test_published_codes_of_letter(code: str, card: str) -> None:
    assert LETTER[code] == card


def test_every_map_has_every_card() -> None:
    assert set(LETTER.values()) == set(SRR0.values()) == DECK
    assert len(SRR0) == 52


def test_a_key_record_as_the_kernel_writes_it() -> None:
    assert EVENT.size == 24
    keys = [(31, 1), (31, 0), (9, 1), (9, 0), (28, 1), (28, 0)]  # s, 8, ENTER
    records = b"".join(EVENT.pack(5, 250_000, 1, code, value) for code, value in keys)
    assert HidDecoder(CodeReader({"s8": "8S"})).feed(records) == [Card("8S", 5_250_000_000, "s8")]


def test_shift_makes_upper_case() -> None:
    assert cards(hid().feed(typed("H10") + typed("SA", 10**9))) == ["TH", "AS"]


@given(st.lists(st.integers(0, 60)))
def test_records_in_any_pieces(sizes: list[int]) -> None:
    stream = b"".join(typed(code, number * 10**9) for number, code in enumerate(SRR0))
    decoder = HidDecoder(CodeReader(SRR0))
    assert cards([found for piece in chunks(stream, sizes) for found in decoder.feed(piece)]) == list(SRR0.values())


def test_half_a_scan_is_rejected_and_the_next_is_whole() -> None:
    decoder = hid()
    half = typed("H1")[: -4 * EVENT.size]  # without ENTER
    found = decoder.feed(half) + decoder.feed(typed("SA", 10**9))
    assert found == [Rejected(Rejection.HALF_SCAN, 5_000_000, "H1"), Card("AS", 10**9 + 5_000_000, "SA")]


def test_a_pause_within_a_code_of_just_the_limit_is_none() -> None:
    assert cards(hid().feed(typed("SA", between_ns=IDLE_NS // 4))) == ["AS"]
    assert cards(hid().feed(typed("SA", between_ns=IDLE_NS))) == []


@pytest.mark.parametrize("key", [57, 1, 240])
def test_a_key_that_no_code_has_spoils_the_scan(key: int) -> None:
    decoder = hid()
    found = decoder.feed(EVENT.pack(0, 0, 1, key, 1) + typed("SA", 1000))
    assert [type(each) for each in found] == [Rejected]
    assert cards(decoder.feed(typed("HK", 10**9))) == ["KH"]


def test_records_that_the_kernel_dropped_spoil_the_scan_around_them() -> None:
    decoder = hid()
    dropped = EVENT.pack(0, 9_000, 0, 3, 0)
    found = decoder.feed(typed("S")[: 5 * EVENT.size] + dropped + typed("A", 10_000_000))
    assert [each.reason for each in found if isinstance(each, Rejected)] == [Rejection.HALF_SCAN]
    assert cards(decoder.feed(typed("HK", 10**9))) == ["KH"]
    assert cards(decoder.feed(dropped + typed("DK", 2 * 10**9))) == ["KD"], "long before: nothing of it is missing"


def test_repetitions_and_releases_of_keys_do_not_count() -> None:
    held = EVENT.pack(0, 0, 1, 31, 2) + EVENT.pack(0, 0, 1, 31, 0) + EVENT.pack(0, 0, 4, 4, 31)
    assert cards(hid().feed(held + typed("SA"))) == ["AS"]


def test_an_endless_code_is_bounded() -> None:
    decoder = hid()
    for number in range(1000):
        decoder.feed(EVENT.pack(0, number, 1, 2, 1))
    found = decoder.feed(EVENT.pack(0, 1001, 1, 28, 1))
    assert [each.reason for each in found if isinstance(each, Rejected)] == [Rejection.HALF_SCAN]
    assert isinstance(found[0], Rejected)
    assert len(found[0].code) == LIMIT


@given(st.binary(max_size=400))
def test_any_records(data: bytes) -> None:
    one, other = hid(), hid()
    found = [each for byte in data for each in one.feed(bytes([byte]))]
    assert found == other.feed(data)
    assert one.waiting < EVENT.size


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\n\r\n"])
def test_serial_lines(end: bytes) -> None:
    assert cards(serial().feed(b"H10" + end + b"]C0SA" + end + b"  DK " + end)) == ["TH", "AS", "KD"]


@pytest.mark.parametrize("line", [b"X1", b"h10", b"]C0", b"]C0]C0SA", b"\xc8K", b"0" * 65])
def test_unknown_codes_are_rejected(line: bytes) -> None:
    decoder = serial()
    found = decoder.feed(line + b"\rSA\r", 8)
    assert cards(found) == ["AS"]
    assert isinstance(found[0], Rejected)
    assert sum(decoder.counters[reason] for reason in Rejection) == 1


@given(st.binary(max_size=300))
def test_serial_any_bytes(data: bytes) -> None:
    one, other = serial(), serial()
    assert line_protocols.byte_by_byte(one, data, LIMIT) == other.feed(data)
    assert one.counters == other.counters


def test_the_same_scan_twice_is_one() -> None:
    decoder = serial()
    assert cards(decoder.feed(b"SA\rSA\r", 0)) == ["AS"]
    assert cards(decoder.feed(b"HK\rSA\r", 1)) == ["KH", "AS"]
    assert cards(decoder.feed(b"SA\r", REPEAT_NS + 1)) == ["AS"]
    assert cards(serial(0).feed(b"SA\rSA\r", 0)) == ["AS", "AS"]
    assert decoder.counters["repeats"] == 1


def test_a_new_connection_begins_anew() -> None:
    for decoder, first, second in ((serial(), b"SA\rH", b"SA\r"),):
        decoder.feed(first)
        decoder.reset()
        assert cards(decoder.feed(second)) == ["AS"]
    keys = hid()
    keys.feed(typed("SA") + typed("H1", 10**9)[: EVENT.size * 3 + 5])
    keys.reset()
    assert cards(keys.feed(typed("SA", 10**9))) == ["AS"]


def test_typed_refuses_a_key_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="no key"):
        typed("S+")
