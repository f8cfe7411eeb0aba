"""A `tgline` bet board on an RS-485 bus, as the table's `LineInputs`.

Rules:
* Lines 0 to 15 are the board's inputs, active while their bit is set; line `TAMPER` is its cover contact, closed as a
  normally closed door contact is. Its reset key flag is not used: keys are change-over switches on lines.
* `settle` sends LATCH to all boards of the bus at once, however many of them ask. A board's snapshot counts as taken
  between the LATCH's first byte and `LATCH_SPREAD_NS` after its last. Later than `LATCH_LIMIT_NS` after the press it
  decides nothing: it is a read like any other.
* ARM follows once every board that answers has been asked after the LATCH, and again whenever a board still has an old
  snapshot.
* A board that says it was reset is down for that moment: what it had is void, and all its levels are told anew.
* Two boards with one address answer at once: what collides has a wrong check and is a miss. Lines of other boards are
  counted as `foreign`; a wrong SEQ as `stale`, which is a late answer and no read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from msgspec import Struct

from drivers.codecs import tgline, tgline_bet
from drivers.codecs.text_lines import Received, Rejected
from drivers.devices.bus_lines import BusLines, BusLinesSettings
from drivers.devices.reject_log import RejectLog
from drivers.line_spec import NS_PER_MS
from drivers.links.bus import Bus, BusTiming, Sent
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs

TAMPER = tgline_bet.INPUTS
SIZE = tgline_bet.INPUTS + 1
LATCH_SPREAD_NS = 5 * NS_PER_MS
LATCH_LIMIT_NS = 100 * NS_PER_MS


class _Latch(Struct):
    """The newest LATCH. `sent` None until it has gone out."""

    at_ns: int  # the press
    token: int = 0
    sent: Sent | None = None


class TglineBus(Bus):
    """A bus whose master speaks `tgline`: one SEQ for all, one LATCH for all boards."""

    def __init__(
        self, settings: PortSettings, now_ns: NowNs, timing: BusTiming | None = None, opener: Opener = open_serial
    ) -> None:
        super().__init__(settings, now_ns, timing, opener)
        self._seq = 0
        self.latch: _Latch | None = None
        self._boards: list[TglineBoard] = []
        self._arming = False

    def next_seq(self) -> int:
        self._seq = tgline.next_seq(self._seq)
        return self._seq

    def add(self, board: TglineBoard) -> None:
        """One of its boards. ValueError for an address that is taken."""
        if any(board.address == other.address for other in self._boards):
            raise ValueError(f"{board.name}: another board on {self.url} has address {board.address}")
        self._boards.append(board)

    def ask_latch(self, at_ns: int) -> None:
        """A press: every board keeps what it has as soon as the bus is free. Asked again for one press it is one."""
        if self.latch is not None and self.latch.at_ns == at_ns:
            return
        latch = self.latch = _Latch(at_ns)
        for board in self._boards:
            board.asked_since_latch = False

        def make() -> bytes:
            latch.token = self.next_seq()
            return tgline.encode(tgline_bet.latch(latch.token))

        def sent(when: Sent) -> None:
            latch.sent = Sent(when.not_before_ns, when.not_after_ns + LATCH_SPREAD_NS)

        self.broadcast(make, sent)

    def board_heard(self) -> None:
        """A board answered after the LATCH; once all have, the latch is cleared."""
        latch = self.latch
        if latch is not None and latch.sent is not None and all(b.asked_since_latch for b in self._boards if b.answers):
            self.arm()

    def arm(self) -> None:
        if self._arming:
            return
        self._arming = True

        def sent(when: Sent) -> None:
            self._arming = False

        self.broadcast(lambda: tgline.encode(tgline_bet.arm(self.next_seq())), sent)
        self.latch = None

    def connected(self) -> None:
        super().connected()
        self.latch, self._arming = None, False


class TglineBoard(BusLines):
    """A `LineInputs`."""

    def __init__(
        self, settings: BusLinesSettings, bus: TglineBus, address: int, now_ns: NowNs, simulated: bool = False
    ) -> None:
        """`address` 1..254. `BackendUnavailable` for a lock-out line, ValueError for what can't be."""
        super().__init__(settings, bus, f"tgline bet board {address:02X}", now_ns, simulated)
        self.address = address
        self.asked_since_latch = False
        self._wire = bus
        self._decoder = tgline.Decoder()
        self._rejects = RejectLog(settings.name, "an answer of this board")
        self._seq = 0
        self._tamper = False
        self._said = {"snapshots": 0, "late_snapshots": 0, "resets": 0, "foreign": 0, "stale": 0, "refused": 0}
        bus.add(self)

    @property
    def counters(self) -> Mapping[str, int]:
        return dict(super().counters) | self._decoder.counters | self._said

    def settle(self, at_ns: int) -> None:
        super().settle(at_ns)
        if self.answers:
            self._wire.ask_latch(at_ns)

    def ask(self) -> bytes:
        self._decoder.reset()
        self._seq = self._wire.next_seq()
        self._asked_ns = self._now_ns()
        return tgline.encode(tgline_bet.poll(self.address, self._seq))

    def hear(self, data: bytes, arrived_ns: int) -> bool:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case Rejected():
                    self._rejects.note(found.reason, found.raw, found.at_ns)
                case Received(message=line):
                    if line.tag is not tgline.Tag.BET_BOARD or line.address != self.address:
                        self._said["foreign"] += 1
                        self._rejects.note("of another device", found.raw, found.at_ns)
                    elif line.seq != self._seq:
                        self._said["stale"] += 1
                    elif (answer := tgline_bet.answer_of(line)) is None:
                        self._said["refused"] += 1
                        self._rejects.note("no answer to a poll", found.raw, found.at_ns)
                    else:
                        self._take(answer, found.at_ns)
                        return True
                case _:
                    assert_never(found)
        return False

    def _take(self, answer: tgline_bet.Status | tgline_bet.Snapshot, at_ns: int) -> None:
        latch = self._wire.latch
        if latch is not None and latch.sent is not None:
            self.asked_since_latch = True
        match answer:
            case tgline_bet.Status(live=live, fault=fault, flags=flags):
                reset = flags.rebooted and self.answers
                self._said["resets"] += reset
                high = _levels(live) | {TAMPER: flags.tamper}
                self._tamper = flags.tamper
                why = f"{self._what} was reset" if reset else ""
                self._heard(high, self._asked_ns, at_ns, _bits(fault), anew=why)
            case tgline_bet.Snapshot(token=token, latched=latched, fault=fault):
                if latch is None or latch.sent is None or token != latch.token:
                    self._misses = 0  # an old one: it missed the ARM, or the LATCH, and says nothing of now
                    if latch is None:
                        self._wire.arm()
                    else:
                        self._wire.board_heard()
                    return
                self._said["snapshots"] += 1
                high = _levels(latched) | {TAMPER: self._tamper}
                in_time = latch.sent.not_after_ns - latch.at_ns <= LATCH_LIMIT_NS
                self._said["late_snapshots"] += not in_time
                first_ns, last_ns = latch.sent.not_before_ns, min(latch.sent.not_after_ns, at_ns)
                self._heard(high, first_ns, last_ns, _bits(fault), latched=in_time)
            case _:
                assert_never(answer)
        self._wire.board_heard()


def _levels(word: int) -> dict[int, bool]:
    """Electrical levels: a set bit is a closed contact, which pulls low."""
    return {number: not word >> number & 1 for number in range(tgline_bet.INPUTS)}


def _bits(word: int) -> list[int]:
    return [number for number in range(tgline_bet.INPUTS) if word >> number & 1]
