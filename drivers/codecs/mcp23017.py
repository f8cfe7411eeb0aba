"""Registers of the MCP23017 port expander as we use them: what is written, what one read says. Sans-I/O.

Source: Microchip DS20001952C, tables 3-1 to 3-5 (BANK = 0: registers of ports A and B side by side, read in sequence).

Rules:
* Inputs with the chip's own pull-ups, polarity as on the pin (what active means is the line's affair), an interrupt at
  every change, one open-drain INT output for both ports, so that several chips may share a line.
* One read of `STATUS_LENGTH` bytes from `STATUS_FIRST` has everything that a poll needs: IOCON and GPPU, which a chip
  that was reset has at zero; which inputs caused the interrupt; the levels in that instant; the levels now. Reading it
  clears the interrupt.
* Bits 7 of both ports are outputs only on newer data sheets (DS20001952D): wire sensors to bits 0 to 6.
"""

from __future__ import annotations

from msgspec import Struct

LINES = 16
IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU = 0x00, 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C
INTF, INTCAP, GPIO = 0x0E, 0x10, 0x12
MIRROR, OPEN_DRAIN = 0x40, 0x04
IOCON_OURS = MIRROR | OPEN_DRAIN
CONFIGURED_LENGTH = 14
"""IODIR to GPPU."""
STATUS_FIRST, STATUS_LENGTH = IOCON, 10


class Mcp23017Error(Exception):
    """Bytes that no chip with our configuration gives. `reset`: they are those of a chip that has just been powered."""

    def __init__(self, text: str, reset: bool = False) -> None:
        super().__init__(text)
        self.reset = reset


class Status(Struct, frozen=True):
    """One poll. Levels are electrical, bit n is line n: port A is 0 to 7, port B 8 to 15."""

    caused: int  # INTF: the inputs that asked for the interrupt
    captured: int  # INTCAP: the levels when the first of them did
    levels: int


def configuration(interrupt: bool) -> bytes:
    """Registers 0x00 to 0x0D as we want them."""
    enabled = b"\xff\xff" if interrupt else b"\x00\x00"
    compare_with_before = b"\x00\x00"
    return (
        b"\xff\xff" + b"\x00\x00" + enabled + b"\x00\x00" + compare_with_before + bytes([IOCON_OURS] * 2) + b"\xff\xff"
    )


POWERED_UP = b"\xff\xff" + bytes(12)
"""The same registers after a reset."""


def check(read: bytes, wanted: bytes) -> None:
    """Compare registers 0x00 to 0x0D with what was written. Raises `Mcp23017Error`."""
    if read == wanted:
        return
    if read == POWERED_UP:
        raise Mcp23017Error("all registers at their power-up values: the chip was reset", reset=True)
    wrong = next(n for n, (got, want) in enumerate(zip(read, wanted, strict=True)) if got != want)
    raise Mcp23017Error(f"register {wrong:#04x} reads {read[wrong]:#04x}; expected {wanted[wrong]:#04x}")


def status(read: bytes) -> Status:
    """What a status read says. Raises `Mcp23017Error` unless it comes from a chip that has our configuration."""
    if len(read) != STATUS_LENGTH:
        raise Mcp23017Error(f"{len(read)} bytes; expected {STATUS_LENGTH}")
    iocon, pull_ups = read[0:2], read[2:4]
    if iocon == b"\x00\x00" and pull_ups == b"\x00\x00":
        raise Mcp23017Error("IOCON and GPPU at zero: the chip was reset", reset=True)
    if iocon != bytes([IOCON_OURS] * 2) or pull_ups != b"\xff\xff":
        raise Mcp23017Error(
            f"IOCON {iocon.hex()}, GPPU {pull_ups.hex()}; expected {bytes([IOCON_OURS] * 2).hex()}, ffff: not what was "
            "written"
        )
    words = [int.from_bytes(read[n : n + 2], "little") for n in (4, 6, 8)]
    return Status(*words)
