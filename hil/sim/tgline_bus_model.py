"""`tgline` bet boards and jackpot meters on one bus, as the host sees them: lines in, answers out. No I/O.

Rules: a board answers POLL only, and never what went to everyone. After LATCH it answers SNAP until ARM. A board that
was reset has no latch and says so once. A meter shows dashes when it has heard no VAL for five seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from drivers.codecs import tgline, tgline_bet, tgline_meter
from drivers.codecs.text_lines import Received
from hil.sim.bus_faults import Answer, Faults, bits_of

STALE_NS = tgline_meter.STALE_MS * 1_000_000


@dataclass
class Board:
    """One board. `inputs` and `faulty` by number, 0..15."""

    address: int
    inputs: dict[int, bool] = field(default_factory=dict)
    faulty: dict[int, bool] = field(default_factory=dict)
    tamper: bool = False
    reset_key: bool = False
    rebooted: bool = True  # it has just been switched on
    powered: bool = True
    deaf_to_latch: bool = False
    snapshot: tgline_bet.Snapshot | None = None
    polls: int = 0
    latches: int = 0
    arms: int = 0

    def reboot(self) -> None:
        self.rebooted, self.snapshot = True, None

    def everyone(self, verb: str, seq: int) -> None:
        if verb == "LATCH" and not self.deaf_to_latch:
            self.latches += 1
            self.snapshot = tgline_bet.Snapshot(seq, bits_of(self.inputs), bits_of(self.faulty))
        elif verb == "ARM":
            self.arms += 1
            self.snapshot = None

    def answer(self) -> tgline_bet.Status | tgline_bet.Snapshot:
        self.polls += 1
        if self.snapshot is not None:
            return self.snapshot
        flags = tgline_bet.Flags(self.reset_key, self.tamper, self.rebooted)
        self.rebooted = False
        return tgline_bet.Status(bits_of(self.inputs), bits_of(self.faulty), flags)


@dataclass
class Level:
    cents: int | None = None
    heard_ns: int = 0
    hit: tuple[int, int] | None = None  # cents, seat


class BusModel:
    """Everybody on the bus."""

    def __init__(self, addresses: list[int], answer_ms: int = 3, seed: int = 1) -> None:
        self.boards = {address: Board(address) for address in addresses}
        self.levels: dict[int, Level] = {}
        self.faults = Faults(seed)
        self.answer_ms = answer_ms
        self.decoder = tgline.Decoder()
        self.values_heard = 0

    def received(self, data: bytes, now_ns: int) -> list[Answer]:
        answers: list[Answer] = []
        for found in self.decoder.feed(data, now_ns):
            if isinstance(found, Received):
                answers += self._obey(found.message, now_ns)
        return answers

    def _obey(self, line: tgline.Line, now_ns: int) -> list[Answer]:
        if line.tag is tgline.Tag.METER:
            self._meter(tgline_meter.message_of(line), now_ns)
            return []
        if line.tag is not tgline.Tag.BET_BOARD or line.arguments:
            return []
        if line.address == tgline.BROADCAST:
            for board in self.boards.values():
                if board.powered:
                    board.everyone(line.verb, line.seq)
            return []
        asked = self.boards.get(line.address)
        if asked is None or not asked.powered or line.verb != "POLL":
            return []
        whole = tgline.encode(tgline_bet.line_of(asked.address, line.seq, asked.answer()))
        return self.faults.answers(asked.address, whole, self.answer_ms)

    def _meter(self, message: tgline_meter.Message | None, now_ns: int) -> None:
        match message:
            case tgline_meter.Value(level=level, cents=cents):
                self.values_heard += 1
                at = self.levels.setdefault(level, Level())
                at.cents, at.heard_ns = cents, now_ns
            case tgline_meter.Hit(level=level, cents=cents, seat=seat):
                self.levels.setdefault(level, Level()).hit = (cents, seat)
            case tgline_meter.Clear(level=level):
                self.levels.setdefault(level, Level()).hit = None
            case None:
                pass

    def forget_meters(self) -> None:
        """The meters were switched off and on."""
        self.levels.clear()

    def screen(self, now_ns: int) -> str:
        """What a person reads on the meters, a line a level: "1 450.05", "2 HIT 500.00 P5", "3 ------"."""
        shown = []
        for number, level in sorted(self.levels.items()):
            if level.hit is not None:
                cents, seat = level.hit
                shown.append(f"{number} HIT {cents // 100}.{cents % 100:02d} P{seat}")
            elif level.cents is None or now_ns - level.heard_ns > STALE_NS:
                shown.append(f"{number} ------")
            else:
                shown.append(f"{number} {level.cents // 100}.{level.cents % 100:02d}")
        return "\n".join(shown)
