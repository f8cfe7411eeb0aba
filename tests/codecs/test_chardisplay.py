"""The 4x20 display's codec: what is written is what a person sees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs import chardisplay
from drivers.codecs.chardisplay import BLANK, Decoder, difference, initialise, paint, screen

_LINES = st.lists(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=20), max_size=4)


def test_commands_are_those_of_the_manual() -> None:
    assert initialise() == bytes.fromhex("FE44 FE52 FE4B FE54 FE58")
    shown, _ = screen(["AB"])
    assert paint(shown)[:6] == bytes.fromhex("FE470101") + b"AB"
    assert difference(BLANK, screen(["", "", "", "x"])[0]) == bytes.fromhex("FE470104") + b"x"


@given(_LINES, _LINES)
def test_a_difference_makes_the_new_screen_of_the_old(old: list[str], new: list[str]) -> None:
    display = Decoder()
    before, after = screen(old)[0], screen(new)[0]
    display.feed(initialise() + paint(before))
    assert display.lines == before
    change = difference(before, after)
    for byte in change:
        display.feed(bytes([byte]))
    assert display.lines == after
    assert (not change) == (before == after)
    assert len(change) <= len(paint(after))


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    one, whole = Decoder(), Decoder()
    for byte in data:
        one.feed(bytes([byte]))
        assert one.waiting <= 3
    whole.feed(data)
    assert one.lines == whole.lines
    assert all(len(line) == chardisplay.COLUMNS for line in one.lines)
    assert one.counters == whole.counters


def test_clear_home_and_what_lies_off_the_screen() -> None:
    display = Decoder()
    display.feed(paint(screen(["12345678901234567890", "b"])[0]) + bytes.fromhex("FE58"))
    assert display.lines == BLANK
    display.feed(b"x" * 25 + bytes.fromhex("FE48") + b"y" + bytes.fromhex("FE470909") + b"z")
    assert display.lines[0] == "y" + "x" * 19
    assert display.counters["off_screen"] == 6
    display.feed(bytes.fromhex("FE00") + b"k")
    assert display.counters["unknown_commands"] == 1


def test_what_does_not_fit_is_cut_and_named() -> None:
    shown, cut = screen(["x" * 21, "ok", "", "", "fifth"])
    assert shown == ("x" * 20, "ok".ljust(20), " " * 20, " " * 20)
    assert cut == "line 1 has 21 characters, 5 lines"
    assert screen(["ok   " + " " * 30])[1] == ""
