"""A chain of 74HC165 on an SPI bus, bit by bit (Nexperia 74HC165). No I/O.

Rules:
* While the load line is low the registers follow the inputs; from its rise on they keep them, and each bit that is
  clocked shifts all of them by one, SER of the farthest chip (tied high) coming in behind.
* Tied inputs: H of the nearest chip high, A of the farthest low.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from drivers.codecs import hc165


class Hc165Chain:
    """A `BusModel`: line n is bit n % 8 (0 is A, 7 is H) of chip n // 8, 0 the nearest. Faults of its own: `cut_low`
    and `cut_high` (the cable behind that many chips is cut and reads so; 0 chips: at the plug), `shift` (one clock too
    many in that many exchanges), `mend`."""

    def __init__(self, chips: int) -> None:
        self._chips = chips
        self._contacts: set[int] = set()
        self._stuck: dict[int, bool] = {}
        self._kept: list[bool] = [True] * self.size
        self._loading = False
        self._cut: tuple[int, bool] | None = None
        self._shifts = 0

    @property
    def size(self) -> int:
        return 8 * self._chips

    def set(self, line: int, high: bool) -> None:
        if high:
            self._contacts.discard(line)
        else:
            self._contacts.add(line)

    def stick(self, line: int, high: bool | None) -> None:
        if high is None:
            self._stuck.pop(line, None)
        else:
            self._stuck[line] = high

    def interrupt_high(self) -> bool:
        return True

    def levels(self) -> list[bool]:
        tied_high, tied_low = hc165.reserved(self._chips)
        found = [self._stuck.get(line, line not in self._contacts) for line in range(self.size)]
        found[tied_high], found[tied_low] = True, False
        return found

    def load(self, high: bool) -> None:
        if not high or self._loading:
            self._kept = self.levels()
        self._loading = not high

    def exchange(self, mosi: bytes) -> bytes:
        # The order on the wire: H of the nearest chip first, A of the farthest last, then SER.
        stream = [self._kept[8 * number + bit] for number in range(self._chips) for bit in range(7, -1, -1)]
        if self._cut is not None:
            behind, level = self._cut
            stream = stream[: 8 * behind] + [level] * (8 * (self._chips - behind))
        tail = True if self._cut is None else self._cut[1]
        if self._shifts:
            self._shifts -= 1
            stream = stream[1:]
        bits = (stream + [tail] * (8 * len(mosi)))[: 8 * len(mosi)]
        return bytes(sum(bits[8 * n + place] << (7 - place) for place in range(8)) for n in range(len(mosi)))

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        return bytes(read)

    def status(self) -> Mapping[str, object]:
        return {"closed": sorted(self._contacts)}

    def faults(self) -> Mapping[str, Callable[[int], None]]:
        return {
            "cut_low": lambda behind: self._cut_at(behind, False),
            "cut_high": lambda behind: self._cut_at(behind, True),
            "shift": self._shift,
            "mend": lambda _: self.calm(),
        }

    def calm(self) -> None:
        self._cut = None
        self._shifts = 0

    def _cut_at(self, behind: int, level: bool) -> None:
        self._cut = (behind, level)

    def _shift(self, times: int) -> None:
        self._shifts = times
