"""Registers of the MCP23017: what is written, and what a read may say."""

from __future__ import annotations

import pytest

from drivers.codecs.mcp23017 import (
    CONFIGURED_LENGTH,
    POWERED_UP,
    STATUS_LENGTH,
    Mcp23017Error,
    Status,
    check,
    configuration,
    status,
)

# By hand from tables 3-1 to 3-5 of DS20001952C, BANK = 0: IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU.
WITH_INTERRUPT = bytes.fromhex("ffff 0000 ffff 0000 0000 4444 ffff")
POLLED = bytes.fromhex("ffff 0000 0000 0000 0000 4444 ffff")


def test_what_is_written() -> None:
    assert configuration(interrupt=True) == WITH_INTERRUPT
    assert configuration(interrupt=False) == POLLED
    assert len(WITH_INTERRUPT) == CONFIGURED_LENGTH


def test_a_status_read_says_who_asked_what_was_kept_and_what_is() -> None:
    # IOCON, GPPU, INTF (GPB0), INTCAP, GPIO (GPA1 low, GPB0 high again)
    assert status(bytes.fromhex("4444 ffff 0001 fffe fdff")) == Status(0x0100, 0xFEFF, 0xFFFD)


@pytest.mark.parametrize(
    ("read", "reset"),
    [
        ("0000 0000 0000 0000 0000", True),
        ("4444 0000 0000 0000 0000", False),  # half a reset: one read in the middle of it
        ("ffff ffff ffff ffff ffff", False),  # SDA held high: nobody drives it
        ("4404 ffff 0000 ffff ffff", False),
    ],
)
def test_a_chip_that_is_not_as_configured_gives_no_levels(read: str, reset: bool) -> None:
    with pytest.raises(Mcp23017Error) as raised:
        status(bytes.fromhex(read))
    assert raised.value.reset is reset


@pytest.mark.parametrize("length", [0, 1, STATUS_LENGTH - 1, STATUS_LENGTH + 1])
def test_a_read_of_another_length_is_none(length: int) -> None:
    with pytest.raises(Mcp23017Error, match=f"{length} bytes"):
        status(bytes(length))


def test_registers_are_compared_one_by_one() -> None:
    check(WITH_INTERRUPT, WITH_INTERRUPT)
    with pytest.raises(Mcp23017Error, match="power-up") as raised:
        check(POWERED_UP, WITH_INTERRUPT)
    assert raised.value.reset
    for register in range(CONFIGURED_LENGTH):
        wrong = bytearray(WITH_INTERRUPT)
        wrong[register] ^= 0x10
        with pytest.raises(Mcp23017Error, match=f"register {register:#04x}") as raised:
            check(bytes(wrong), WITH_INTERRUPT)
        assert not raised.value.reset
