"""MAX7219 words against published bytes, and the simulated chain that takes them."""

from __future__ import annotations

import pytest

from drivers.codecs import max7219
from hil.sim.max7219_model import Max7219Chain


def hexed(latches: tuple[bytes, ...]) -> str:
    return " · ".join(latch.hex(" ").upper() for latch in latches)


def test_one_chip_is_set_as_published() -> None:
    assert hexed(max7219.setting(1, 7)) == "0B 07 · 09 00 · 0F 00 · 0A 07 · 0C 01"
    assert hexed(max7219.setting(2, 7)[:3]) == "0B 07 0B 07 · 09 00 09 00 · 0F 00 0F 00"
    assert hexed(max7219.setting(1, 4)[3:4]) == "0A 04"
    assert hexed(max7219.off(1)) == "0C 00"


def test_an_amount_stands_right_as_published() -> None:
    written = hexed(max7219.figures([max7219.segments("12345.67")]))
    assert written == "01 70 · 02 5F · 03 DB · 04 33 · 05 79 · 06 6D · 07 30 · 08 00"


def test_the_word_sent_last_stays_in_the_nearest_chip() -> None:
    assert max7219.latch(1, (0x30, 0x6D)) == bytes.fromhex("01 6D 01 30")
    chain = Max7219Chain(2)
    for latch in (*max7219.setting(2, 7), *max7219.figures([max7219.segments("1.50"), max7219.segments("--")])):
        chain.latch(latch)
    assert chain.shown() == ["     1.50", "      --"]


def test_a_shorter_latch_moves_what_the_chain_holds_on() -> None:
    chain = Max7219Chain(2)
    for latch in (*max7219.setting(2, 7), max7219.latch(1, (max7219.GLYPHS["1"], max7219.GLYPHS["2"]))):
        chain.latch(latch)
    chain.latch(bytes((1, max7219.GLYPHS["3"])))
    assert [shown[-1] for shown in chain.shown()] == ["3", "1"], "the nearest chip's word went on to the next"


def test_half_a_word_is_refused() -> None:
    chain = Max7219Chain(1)
    chain.latch(b"\x0c")
    chain.latch(b"")
    assert (chain.latches, chain.rejected, chain.shown()) == (0, 2, ["(dark)"])


@pytest.mark.parametrize("text", ["123456789", "1234567.890", "A", ".5", "1..5"])
def test_what_can_not_be_shown_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"places|can't be shown"):
        max7219.segments(text)


@pytest.mark.parametrize("intensity", [-1, 16])
def test_an_intensity_beyond_the_chip_is_refused(intensity: int) -> None:
    with pytest.raises(ValueError, match="0 to 15"):
        max7219.setting(1, intensity)


@pytest.mark.parametrize(("text", "read"), [("HIT P14", " HIT P14"), ("-", "       -"), ("", "        ")])
def test_what_is_told_is_what_is_read(text: str, read: str) -> None:
    assert max7219.text_of(max7219.segments(text)) == read


def test_a_scrambled_chain_is_right_again_once_everything_is_written() -> None:
    chain = Max7219Chain(3)
    written = (*max7219.setting(3, 7), *max7219.figures([max7219.segments(str(n)) for n in range(3)]))
    for seed in range(50):
        chain.scramble(seed)
        for latch in written:
            chain.latch(latch)
        assert [shown.strip() for shown in chain.shown()] == ["0", "1", "2"]
