"""The Alpha codec, both sides, against the published vectors."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from drivers.codecs import alpha
from drivers.codecs.alpha_sign import GAP_LIMIT_NS, LIMIT, Decoder, PacketFault, RejectedPacket
from drivers.codecs.plain_text import displayable
from tests.codecs.samples import ALPHA, chunks

STREAM = b"".join(bytes.fromhex(text) for _, text, _, _ in ALPHA)
COMMANDS = [command for _, _, command, _ in ALPHA]


@pytest.mark.parametrize(("name", "text", "command", "check"), ALPHA, ids=[each[0] for each in ALPHA])
def test_published_vector(name: str, text: str, command: alpha.Command, check: bool) -> None:
    raw = bytes.fromhex(text)
    assert alpha.encode(command, with_checksum=check) == raw
    assert Decoder().feed(raw) == [command]


@given(st.lists(st.integers(0, 30)))
def test_any_split(sizes: list[int]) -> None:
    decoder = Decoder()
    assert [found for piece in chunks(STREAM, sizes) for found in decoder.feed(piece)] == COMMANDS


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_any_bytes_give_commands_or_rejections(pieces: list[bytes]) -> None:
    one, whole = Decoder(), Decoder()
    found = []
    for piece in pieces:
        found += one.feed(piece)
        assert one.waiting < LIMIT
    assert found == whole.feed(b"".join(pieces))


@given(st.binary(max_size=60), st.integers(0, len(ALPHA) - 1))
def test_a_packet_after_noise_is_read(noise: bytes, at: int) -> None:
    _, text, command, _ = ALPHA[at]
    assert Decoder().feed(noise + bytes.fromhex(text))[-1] == command


@given(st.integers(0, 1000), st.integers(1, 127))
def test_a_wrong_byte_in_a_checked_text_changes_nothing(at: int, flip: int) -> None:
    packet = bytearray(alpha.encode(alpha.WriteString("1", "$12,345.67")))
    at = 10 + at % (len(packet) - 16)  # in command and text
    packet[at] ^= flip
    assume(packet[at] != alpha.EOT)  # ends the packet before its checksum, which the protocol leaves optional
    assert not any(isinstance(found, alpha.WriteString) for found in Decoder().feed(bytes(packet)))


def test_a_gap_of_more_than_a_second_ends_the_packet() -> None:
    packet = bytes.fromhex(ALPHA[0][1])
    decoder = Decoder()
    assert decoder.feed(packet[:15], 0) == []
    found = decoder.feed(packet[15:], GAP_LIMIT_NS + 1)
    assert [type(each) for each in found] == [RejectedPacket]
    assert decoder.counters["timeout"] == 1
    assert decoder.feed(packet[:15], 10 * GAP_LIMIT_NS) == []
    assert decoder.feed(packet[15:], 11 * GAP_LIMIT_NS) == [COMMANDS[0]]


@pytest.mark.parametrize(
    ("sign_type", "address", "heard"),
    [
        ("Z", "00", True),
        ("^", "01", True),
        ("^", "?1", True),
        ("e", "00", False),
        ("Z", "02", False),
        ("Z", "0?", True),
    ],
)
def test_addresses(sign_type: str, address: str, heard: bool) -> None:
    decoder = Decoder(sign_type="^", address="01")
    packet = alpha.encode(alpha.WriteString("1", "x"), sign_type=sign_type, address=address)
    assert decoder.feed(packet) == ([alpha.WriteString("1", "x")] if heard else [])
    assert decoder.counters["passed_over"] == (not heard)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", PacketFault.FORMAT),
        (b"F\x22", PacketFault.COMMAND),
        (b"AA", PacketFault.FORMAT),
        (b"AA\x1b q", PacketFault.FORMAT),
        (b"A?\x1b bx", PacketFault.FORMAT),
        (b"AA\x1b bx\x10", PacketFault.FORMAT),
        (b"AA\x1b bx\x1cZ", PacketFault.FORMAT),
        (b"AA\x1b bx\x07", PacketFault.FORMAT),
        (b"G0x", PacketFault.FORMAT),
        (b"G1\x80", PacketFault.FORMAT),
        (b"E$A", PacketFault.FORMAT),
        (b"E$AAUxxxxFFFF", PacketFault.FORMAT),
        (b"E$ADU0040FFFF", PacketFault.FORMAT),
        (b"E 2460", PacketFault.FORMAT),
        (b"E.XUA", PacketFault.COMMAND),
    ],
)
def test_bad_commands_are_rejected(body: bytes, fault: PacketFault) -> None:
    found = Decoder().feed(b"\x01Z00\x02" + body + b"\x04")
    assert [each.fault for each in found if isinstance(each, RejectedPacket)] == [fault]
    assert len(found) == 1


def test_an_endless_packet_is_dropped() -> None:
    decoder = Decoder()
    decoder.feed(b"\x01" + b"x" * (2 * LIMIT))
    assert decoder.counters["overlong"] == 1
    assert decoder.feed(bytes.fromhex(ALPHA[0][1])) == [COMMANDS[0]]


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (alpha.WriteText("0", ("x" * 126,)), "125 bytes, got 126"),
        (alpha.WriteText("0", ("",)), "blanks the sign"),
        (alpha.WriteText("?", ("x",)), "file label"),
        (alpha.WriteString("1", "x" * 126), "125 bytes, got 126"),
        (alpha.WriteString("0", "x"), "file label"),
        (alpha.WriteText("A", (alpha.StringCall("?"),)), "file label"),
        (alpha.ConfigureMemory((alpha.StringFile("1", 126),)), "1..125"),
        (alpha.ConfigureMemory((alpha.TextFile("A", 0),)), "1..65535"),
        (alpha.ConfigureMemory((alpha.TextFile("A", 9, schedule="ffff"),)), "schedule"),
        (alpha.SetTime(24, 0), "00:00..23:59"),
        (alpha.RunSequence("A0"), "file label"),
    ],
)
def test_what_the_sign_could_not_hold_is_refused(command: alpha.Command, what: str) -> None:
    with pytest.raises(alpha.AlphaError, match=what):
        alpha.encode(command)


@given(st.text(max_size=40))
def test_any_text_becomes_characters_of_the_sign(text: str) -> None:
    shown = displayable(text)
    assert all(" " <= char <= "~" for char in shown)
    assert displayable(shown) == shown
    decoded = Decoder().feed(alpha.encode(alpha.WriteString("1", shown[:125])))
    assert decoded == [alpha.WriteString("1", shown[:125])]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Player’s “9” – K♠", 'Player\'s "9" - KS'),
        ("Zoë", "Zoe"),
        ("a\x04b\r\nc\x00", "a b  c "),
        ("$1,234.56", "$1,234.56"),
        ("½ 日", "1/2 ?"),
    ],
)
def test_displayable(text: str, shown: str) -> None:
    assert displayable(text) == shown
