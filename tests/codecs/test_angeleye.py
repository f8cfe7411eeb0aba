"""The Angel Eye codec against the published vectors, and against everything a bad line can make of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs import angeleye_messages as m
from drivers.codecs.angeleye import LIMIT, Decoder, Rejected, Rejection, Telegram, bcc, encode, encode_host_command
from tests.codecs.samples import ANGELEYE, ANGELEYE_HOST_LOCK, chunks

STREAM = b"".join(bytes.fromhex(text) for _, text, _, _ in ANGELEYE)
MEANINGS = [message for _, _, _, message in ANGELEYE]
EIGHT = bytes.fromhex("05 32 44 81 B8 03 34 43")
KING = bytes.fromhex("05 33 44 91 CD 03 32 38")


def telegram(body: bytes) -> bytes:
    """ENQ, `body`, ETX and a right BCC, whatever `body` holds."""
    covered = body + b"\x03"
    return b"\x05" + covered + bcc(covered)


def feed_all(data: bytes, decoder: Decoder | None = None) -> list[Telegram | Rejected]:
    return (decoder or Decoder()).feed(data)


def messages(found: list[Telegram | Rejected]) -> list[m.Message]:
    return [each.message for each in found if isinstance(each, Telegram)]


@pytest.mark.parametrize(("name", "text", "seq", "message"), ANGELEYE, ids=[each[0] for each in ANGELEYE])
def test_published_vector(name: str, text: str, seq: str, message: m.Message) -> None:
    raw = bytes.fromhex(text)
    assert feed_all(raw) == [Telegram(seq, message, 0, raw)]
    assert encode(seq, message) == raw


def test_published_host_command() -> None:
    assert encode_host_command("LK", "02") == bytes.fromhex(ANGELEYE_HOST_LOCK)
    assert encode_host_command("LK", "02", bcc_covers_stx=False)[-2:] == b"19"


@pytest.mark.parametrize("bad", [("L", "02"), ("LK", "2"), ("LK", "é2"), ("L\x03", "02")])
def test_host_command_refuses(bad: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="two ASCII letters"):
        encode_host_command(*bad)


def test_whole_stream_in_one_piece_and_byte_by_byte() -> None:
    assert messages(feed_all(STREAM)) == MEANINGS
    decoder = Decoder()
    assert messages([found for byte in STREAM for found in decoder.feed(bytes([byte]))]) == MEANINGS


@given(st.lists(st.integers(0, 20)))
def test_any_split(sizes: list[int]) -> None:
    decoder = Decoder()
    assert messages([found for piece in chunks(STREAM, sizes) for found in decoder.feed(piece)]) == MEANINGS


def test_time_is_the_arrival_of_the_first_byte() -> None:
    decoder = Decoder()
    assert decoder.feed(EIGHT[:1], 100) == decoder.feed(EIGHT[1:5], 200) == []
    found = decoder.feed(EIGHT[5:] + KING[:3], 300) + decoder.feed(KING[3:], 400)
    assert [each.at_ns for each in found] == [100, 300]


@pytest.mark.parametrize("gap", [b"", b"\x00\xff", b"garbage", b"\x05\x05", EIGHT[:5]])
def test_garbage_between_telegrams(gap: bytes) -> None:
    assert messages(feed_all(gap + EIGHT + gap + KING)) == [MEANINGS[2], MEANINGS[3]]


@given(st.binary(max_size=40).filter(lambda noise: 5 not in noise), st.binary(max_size=40).filter(lambda n: 5 not in n))
def test_noise_without_enq_costs_nothing(before: bytes, between: bytes) -> None:
    assert messages(feed_all(before + EIGHT + between + KING)) == [MEANINGS[2], MEANINGS[3]]


@given(st.integers(1, len(EIGHT) - 1))
def test_a_cut_telegram_does_not_swallow_the_next(cut: int) -> None:
    assert messages(feed_all(EIGHT[:cut] + KING)) == [MEANINGS[3]]


@given(st.integers(0, len(EIGHT) - 1), st.integers(1, 255))
def test_one_wrong_byte_never_makes_a_card(at: int, flip: int) -> None:
    wrong = bytearray(EIGHT)
    wrong[at] ^= flip
    assert messages(feed_all(bytes(wrong) + KING)) == [MEANINGS[3]]


def test_triple_send_is_one_event() -> None:
    decoder = Decoder()
    assert messages(decoder.feed(EIGHT * 3)) == [MEANINGS[2]]
    assert decoder.counters["repeats"] == 2


@pytest.mark.parametrize("bad_copy", [0, 1, 2])
def test_wrong_bcc_in_one_copy_is_still_one_event(bad_copy: int) -> None:
    copies = [EIGHT, EIGHT, EIGHT]
    copies[bad_copy] = EIGHT[:-1] + b"0"
    decoder = Decoder()
    found = decoder.feed(b"".join(copies))
    assert messages(found) == [MEANINGS[2]]
    assert decoder.counters["checksum"] == 1
    assert [each.raw for each in found if isinstance(each, Rejected)] == [EIGHT[:-1] + b"0"]


def test_wrong_bcc_in_all_copies_is_no_event() -> None:
    decoder = Decoder()
    assert messages(decoder.feed((EIGHT[:-1] + b"0") * 3)) == []
    assert decoder.counters["checksum"] == 3


def test_lower_case_bcc_is_wrong() -> None:
    assert messages(feed_all(EIGHT[:-1] + b"c")) == []


def test_same_seq_with_other_content_is_another_event() -> None:
    other = encode("2", m.CardInGame(m.Target.BANKER, 1, "KH"))
    decoder = Decoder()
    assert messages(decoder.feed(EIGHT + other)) == [MEANINGS[2], MEANINGS[3]]
    assert decoder.counters["seq_reused"] == 1


def test_start_and_reset_forget_the_last_seq() -> None:
    start = bytes.fromhex("05 30 53 03 36 30")
    assert messages(feed_all(EIGHT + start * 3 + EIGHT)) == [MEANINGS[2], m.Started(), MEANINGS[2]]
    decoder = Decoder()
    decoder.feed(EIGHT + KING[:4])
    decoder.reset()
    assert decoder.waiting == 0
    assert messages(decoder.feed(EIGHT)) == [MEANINGS[2]]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"2D\x80\xb8", "player index 0"),
        (b"2D\x84\xb8", "player index 4"),
        (b"2D\x90\xb8", "banker index 0"),
        (b"2D\xb1\xb8", "target 3"),
        (b"2D\xe1\xb8", "target 6"),
        (b"2D\x81\x88", "suit 0"),
        (b"2D\x81\xb0", "rank 0"),
        (b"2D\x81\xbe", "rank 14"),
        (b"2D\x81\xd1", "suit 5"),
        (b"2D\x81\x80", "a hand's card that wasn't read"),
        (b"2R\x81\x80", "a card held over that wasn't read"),
        (b"2d\x83\xb8", "mode 3"),
        (b"2G\xb0", "winner 3"),
        (b"2G\x94", "a result bit that has no meaning"),
        (b"2L\x82", "a lock bit that has no meaning"),
        (b"2M01\x810\x820", "a preset that isn't text"),
        (b"\x1fD\x81\xb8", "Seq that isn't printable"),
    ],
)
def test_illegal_values_are_rejected_with_their_bytes(body: bytes, why: str) -> None:
    decoder = Decoder()
    raw = telegram(body)
    assert decoder.feed(raw, 7) == [Rejected(Rejection.VALUE, 7, raw)], why
    assert decoder.counters["value"] == 1
    assert messages(decoder.feed(KING)) == [MEANINGS[3]]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"2X", Rejection.COMMAND),
        (b"2X\x81\x82\x83", Rejection.COMMAND),
        (b"2S\x81", Rejection.LENGTH),
        (b"2D\x81", Rejection.LENGTH),
        (b"2D\x81\xb8\x81", Rejection.LENGTH),
        (b"2M12", Rejection.LENGTH),
    ],
)
def test_unknown_commands_and_lengths(body: bytes, reason: Rejection) -> None:
    raw = telegram(body)
    found = feed_all(raw + KING)
    assert found[0] == Rejected(reason, 0, raw)
    assert messages(found) == [MEANINGS[3]]


def test_values_without_bit_7_are_read_even_where_they_look_like_etx() -> None:
    plain = telegram(b"2D\x03\x38")  # player index 3, eight of spades
    assert messages(feed_all(plain)) == [m.CardInGame(m.Target.PLAYER, 3, "8S")]
    assert messages(feed_all(telegram(b"2e\x05"))) == [m.ErrorCleared(5)]


@pytest.mark.parametrize(
    "message",
    [
        m.CardInGame(m.Target.BURN, 0, None),
        m.CardInGame(m.Target.FIRST_CARD, 1, "9C"),
        m.CardInGame(m.Target.BURN_COUNT, 9, None),
        m.CardOutsideGame(m.OutsideMode.ERROR, "AS"),
        m.CardOutsideGame(m.OutsideMode.LOCK, None),
        m.HeldOver(m.Target.BANKER, 2, "QD"),
        m.Error(63, False),
        m.ErrorCleared(127),
        m.Lock(False),
        m.Preset("01", "0A3f"),
        m.Result(m.Winner.TIE, True, True),
    ],
)
def test_round_trip(message: m.Message) -> None:
    assert messages(feed_all(encode("~", message))) == [message]


def test_every_card_round_trips() -> None:
    for rank in "A23456789TJQK":
        for suit in "SHDC":
            card = m.CardInGame(m.Target.PLAYER, 2, rank + suit)
            assert messages(feed_all(encode(" ", card))) == [card]


@pytest.mark.parametrize(
    ("seq", "message"),
    [
        ("12", m.Started()),
        ("\n", m.Started()),
        ("1", m.CardInGame(m.Target.PLAYER, 0, "8S")),
        ("1", m.CardInGame(m.Target.PLAYER, 1, None)),
        ("1", m.CardInGame(m.Target.PLAYER, 1, "1S")),
        ("1", m.CardInGame(m.Target.BURN, 16, None)),
        ("1", m.Error(64, False)),
        ("1", m.Preset("1", "23456")),
    ],
)
def test_encode_refuses_what_has_no_legal_form(seq: str, message: m.Message) -> None:
    with pytest.raises(ValueError, match=r"."):
        encode(seq, message)


def test_endless_telegram_is_dropped_and_the_next_one_read() -> None:
    decoder = Decoder()
    found = decoder.feed(b"\x05" + b"A" * 500 + KING)
    assert decoder.counters["overlong"] == 1
    assert [len(each.raw) for each in found if isinstance(each, Rejected)] == [LIMIT]
    assert messages(found) == [MEANINGS[3]]


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_any_bytes_give_events_or_counted_drops(pieces: list[bytes]) -> None:
    one, whole = Decoder(), Decoder()
    found = []
    for piece in pieces:
        found += one.feed(piece)
        assert one.waiting < LIMIT
    assert found == whole.feed(b"".join(pieces))
    assert one.counters == whole.counters
    rejected = sum(one.counters[reason] for reason in Rejection)
    assert rejected == sum(isinstance(each, Rejected) for each in found)


_PARTS = st.sampled_from([EIGHT, KING, EIGHT[:4], KING[2:], b"\x05", b"\x03", b"\x05M", b"\xff\x00"])


@given(st.lists(_PARTS, max_size=12))
def test_after_any_mixture_two_clean_copies_are_enough(parts: list[bytes]) -> None:
    decoder = Decoder()
    decoder.feed(b"".join(parts))
    tie = encode("z", m.Result(m.Winner.TIE, False, False))
    assert messages(decoder.feed(tie + tie)).count(m.Result(m.Winner.TIE, False, False)) == 1


@pytest.mark.parametrize("silent", [LIMIT - 4, LIMIT - 3, LIMIT - 2, LIMIT - 1, LIMIT, 2 * LIMIT])
def test_where_an_endless_telegram_ends_is_the_same_in_any_pieces(silent: int) -> None:
    """Also where the ETX that comes too late is there already."""
    stream = b"\x05" + b"x" * silent + b"\x0300" + EIGHT
    one, other = Decoder(), Decoder()
    expected = [found for byte in stream for found in one.feed(bytes([byte]))]
    assert other.feed(stream) == expected
    assert one.counters == other.counters
    assert messages(expected) == [m.CardInGame(m.Target.PLAYER, 1, "8S")]
