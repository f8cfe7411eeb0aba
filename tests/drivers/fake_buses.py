"""Stand-ins for smbus2 and spidev, with the calls that the back ends make of them; the chips are simulated models."""

from __future__ import annotations

import errno
import os
from types import ModuleType

from hil.sim.bus_device import NoAnswerError
from hil.sim.hc165_model import Hc165Chain
from hil.sim.mcp23017_model import Mcp23017Bus


class Message(list[int]):
    """`smbus2.i2c_msg`, whose list is its bytes."""

    def __init__(self, address: int, read: bool, content: list[int]) -> None:
        super().__init__(content)
        self.address = address
        self.is_read = read


class FakeSmbus2(ModuleType):
    def __init__(self, buses: dict[int, Mcp23017Bus]) -> None:
        super().__init__("smbus2")
        self.buses = buses
        self.open = 0

        class I2cMsg:
            @staticmethod
            def write(address: int, buf: list[int]) -> Message:
                return Message(address, False, buf)

            @staticmethod
            def read(address: int, length: int) -> Message:
                return Message(address, True, [0] * length)

        fake = self

        class SMBus:
            def __init__(self, bus: int) -> None:
                if bus not in fake.buses:
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/i2c-{bus}")
                self._chips = fake.buses[bus]
                fake.open += 1

            def i2c_rdwr(self, write: Message, read: Message | None = None) -> None:
                assert not write.is_read and (read is None or (read.is_read and read.address == write.address))
                try:
                    answer = self._chips.transfer(write.address, bytes(write), len(read or ()))
                except NoAnswerError as error:
                    raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO)) from error
                if read is not None:
                    read[:] = answer

            def close(self) -> None:
                fake.open -= 1

        self.i2c_msg = I2cMsg
        self.SMBus = SMBus


class FakeSpidev(ModuleType):
    def __init__(self, chains: dict[tuple[int, int], Hc165Chain]) -> None:
        super().__init__("spidev")
        self.chains = chains
        self.opened: list[FakeSpiDev] = []
        self.SpiDev = lambda: FakeSpiDev(self)


class FakeSpiDev:
    def __init__(self, module: FakeSpidev) -> None:
        self._module = module
        self.mode = 3
        self.max_speed_hz = 0
        self.is_open = False

    def open(self, bus: int, device: int) -> None:
        if (bus, device) not in self._module.chains:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self.chain = self._module.chains[bus, device]
        self.is_open = True
        self._module.opened.append(self)

    def xfer2(self, mosi: list[int]) -> list[int]:
        assert self.is_open and self.mode == 0
        return list(self.chain.exchange(bytes(mosi)))

    def close(self) -> None:
        self.is_open = False
