"""The simulated expanders against their data sheets: registers and bits as published, nothing of the drivers' use."""

from __future__ import annotations

import pytest

from hil.sim.bus_device import NoAnswerError
from hil.sim.hc165_model import Hc165Chain
from hil.sim.mcp23017_model import Mcp23017Bus

IODIR, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO = 0, 4, 6, 8, 0x0A, 0x0C, 0x0E, 0x10, 0x12


def read(bus: Mcp23017Bus, register: int, length: int = 2, address: int = 0x20) -> str:
    return bus.transfer(address, bytes([register]), length).hex()


def write(bus: Mcp23017Bus, register: int, data: str, address: int = 0x20) -> None:
    assert bus.transfer(address, bytes([register]) + bytes.fromhex(data), 0) == b""


@pytest.fixture
def bus() -> Mcp23017Bus:
    """Pull-ups on, interrupt at every change."""
    chips = Mcp23017Bus([0x20, 0x21])
    for address in (0x20, 0x21):
        write(chips, GPPU, "ffff", address)
        read(chips, GPIO, address=address)
        write(chips, GPINTEN, "ffff", address)
    return chips


def test_power_up_values() -> None:
    chip = Mcp23017Bus([0x27])
    assert read(chip, IODIR, 22, 0x27) == "ffff" + "00" * 20
    with pytest.raises(NoAnswerError):
        read(chip, IODIR, 1, 0x20)


def test_registers_follow_each_other_and_iocon_is_one(bus: Mcp23017Bus) -> None:
    write(bus, INTF, "ffff ffff")
    assert read(bus, INTF, 4) == "00000000", "read only"
    write(bus, DEFVAL, "1234 5678")
    assert read(bus, DEFVAL, 4) == "12345678"
    write(bus, IOCON, "44")
    assert read(bus, IOCON) == "4444"


def test_an_input_is_high_with_its_pull_up_until_its_contact_closes(bus: Mcp23017Bus) -> None:
    assert read(bus, GPIO) == "ffff"
    bus.set(0, False)
    bus.set(9, False)
    assert read(bus, GPIO) == "fefd"
    write(bus, GPPU, "0000")
    assert read(bus, GPIO) == "0000"


def test_a_port_keeps_the_levels_of_its_first_change_until_it_is_read(bus: Mcp23017Bus) -> None:
    assert bus.interrupt_high()
    bus.set(1, False)
    bus.set(2, False)
    assert not bus.interrupt_high()
    assert read(bus, INTF, 4)[:4] == "0200"
    assert bus.interrupt_high(), "reading INTCAP clears"
    bus.set(1, True)
    assert read(bus, INTF, 2) == "0200"
    assert read(bus, INTCAP, 1) == "fb"
    assert read(bus, GPIO) == "fbff"


def test_each_port_has_its_own_and_both_pull_one_line(bus: Mcp23017Bus) -> None:
    bus.set(0, False)
    bus.set(8, False)
    bus.set(0, True)
    assert read(bus, INTF) == "0101"
    assert read(bus, GPIO, 1) == "ff"
    assert not bus.interrupt_high(), "port B still asks"
    assert read(bus, INTCAP + 1, 1) == "fe"
    assert bus.interrupt_high()


def test_a_comparison_with_defval_asks_again_after_every_read(bus: Mcp23017Bus) -> None:
    write(bus, DEFVAL, "feff")
    write(bus, INTCON, "0100")
    assert not bus.interrupt_high()
    read(bus, GPIO)
    assert not bus.interrupt_high()
    write(bus, INTCON, "0000")
    read(bus, GPIO)
    assert bus.interrupt_high()


def test_two_chips_share_the_line_and_a_reset_forgets_all(bus: Mcp23017Bus) -> None:
    bus.set(16, False)
    assert not bus.interrupt_high()
    assert read(bus, INTF) == "0000"
    assert read(bus, INTF, address=0x21) == "0100"
    bus.faults()["reset"](1)
    assert bus.interrupt_high()
    assert read(bus, IODIR, 14, 0x21) == "ffff" + "00" * 12


def shifted(chain: Hc165Chain, count: int) -> str:
    chain.load(False)
    chain.load(True)
    return chain.exchange(bytes(count)).hex()


def test_h_of_the_nearest_chip_is_shifted_first() -> None:
    chain = Hc165Chain(2)
    chain.set(0, False)  # A of the nearest
    chain.set(15, False)  # H of the farthest
    assert shifted(chain, 3) == "fe7eff"  # A of the farthest is tied low, SER high


def test_the_registers_keep_what_they_had_when_the_load_line_rose() -> None:
    chain = Hc165Chain(2)
    assert shifted(chain, 2) == "fffe"
    chain.set(0, False)
    assert chain.exchange(bytes(2)).hex() != "fefe"
    assert shifted(chain, 2) == "fefe"


def test_cut_and_disturbed_chains_read_as_they_would() -> None:
    chain = Hc165Chain(3)
    chain.faults()["cut_low"](1)
    assert shifted(chain, 4) == "ff000000"
    chain.faults()["cut_high"](0)
    assert shifted(chain, 4) == "ffffffff"
    chain.faults()["mend"](1)
    chain.faults()["shift"](1)
    assert shifted(chain, 4) == "fffffdff"
    assert shifted(chain, 4) == "fffffeff"
