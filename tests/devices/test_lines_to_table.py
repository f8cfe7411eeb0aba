"""From a line's level to the table's state: what a line out of order, or a chip that was away, leaves behind."""

from __future__ import annotations

from drivers.debounce import LevelRead
from drivers.events import LinkChanged, LinkState
from drivers.line_bank import LineBank
from drivers.line_spec import KeySwitchSpec, LineRole, LineSpec
from firmware.app.inputs import Inputs
from firmware.app.line_names import DOOR, FLOOR_KEY, LOCKOUT
from firmware.core import events as ev
from firmware.core.effects import LampShow
from firmware.core.rules import SpotRule
from firmware.core.table import reasons_against_wagering
from tests.core.table import MS, Table

SPECS = [
    LineSpec("1/player", 1, LineRole.SPOT),
    LineSpec(LOCKOUT, 2, LineRole.LOCK_OUT),
    LineSpec(DOOR, 3, LineRole.KEY),
    LineSpec("floor_key.rest", 4, LineRole.KEY),
    LineSpec("floor_key.turned", 5, LineRole.KEY),
    LineSpec("confirm", 6, LineRole.BUTTON),
]
AT_REST = {"floor_key.rest": True}


class Wired:
    """A table in memory behind real lines in virtual time."""

    def __init__(self, **active: bool) -> None:
        self.table = Table()
        self.now_ns = 10_000 * MS
        self.levels = {spec.name: False for spec in SPECS} | AT_REST
        self.bank = LineBank("lines", SPECS, [KeySwitchSpec(FLOOR_KEY, "floor_key.rest", "floor_key.turned")])
        self.inputs = Inputs([SpotRule(1, "player", 2500)], ["lines"], self._post, lambda shown: None)
        self.table.start()
        self.connect(active)

    def _post(self, event: ev.Event) -> None:
        self.table.do(event)

    def phase(self) -> str:
        return self.table.state.phase.value

    def connect(self, active: dict[str, bool]) -> None:
        self.levels |= active
        self.inputs.take(self.bank.start(self._reads()))
        self.inputs.take(LinkChanged("lines", LinkState.READY, True, "", self.now_ns))
        self.wait(10)

    def lose(self) -> None:
        self.bank.lost()
        self.inputs.take(LinkChanged("lines", LinkState.BACKOFF, False, "unplugged", self.now_ns))

    def move(self, line: str, active: bool) -> None:
        self.levels[line] = active
        for event in self.bank.edge(line, self.now_ns, active, self.now_ns):
            self.inputs.take(event)
        self._advance()

    def flicker(self, line: str, last: bool) -> None:
        """Far more edges than chatter allows, ending at `last`."""
        for n in range(120):
            self.wait(5)
            self.move(line, last if n % 2 else not last)

    def turn_key(self, turned: bool) -> None:
        self.move("floor_key.rest", not turned)
        self.wait(10)
        self.move("floor_key.turned", turned)
        self.wait(200)

    def wait(self, ms: int) -> None:
        """A level read every second, and every deadline of the bank."""
        for _ in range(ms):
            self.now_ns += MS
            if self.now_ns % (1000 * MS) == 0:
                self.bank.levels(self._reads())
            due_ns = self.bank.next_deadline_ns
            if due_ns is not None and due_ns <= self.now_ns:
                self._advance()

    def _reads(self) -> dict[str, LevelRead]:
        return {name: LevelRead(self.now_ns, self.now_ns, active) for name, active in self.levels.items()}

    def _advance(self) -> None:
        for event in self.bank.advance(self.now_ns):
            self.inputs.take(event)


def test_a_lock_out_wire_that_flickers_and_then_breaks_keeps_betting_closed() -> None:
    """Pressed or cut wire: both read as pressed, also where the line comes back in order only after it broke."""
    w = Wired()
    w.table.floor("OPEN TABLE", "NEW SHOE")
    assert w.phase() == "betting"
    w.flicker(LOCKOUT, last=True)
    assert w.phase() == "paused"
    w.wait(6_000)
    assert w.table.state.panel.wiring == ()
    assert w.phase() == "paused"
    assert reasons_against_wagering(w.table.rules, w.table.state) == ("RELEASE LOCK-OUT",)
    w.move(LOCKOUT, False)
    w.wait(100)
    assert w.phase() == "betting"


def test_a_lock_out_that_was_held_when_its_line_flickered_and_is_free_after_it_opens_betting() -> None:
    w = Wired()
    w.table.floor("OPEN TABLE", "NEW SHOE")
    w.flicker(LOCKOUT, last=False)
    w.wait(6_000)
    assert w.phase() == "betting"


def test_the_key_that_was_turned_back_while_the_lines_were_away_leaves_no_menu() -> None:
    w = Wired()
    w.turn_key(True)
    assert w.table.state.menu is not None
    w.lose()
    w.connect({"floor_key.rest": True, "floor_key.turned": False})
    w.wait(200)
    assert w.table.state.menu is None
    assert not w.table.state.panel.floor_turned
    w.turn_key(True)
    assert w.table.state.menu is not None


def test_a_key_that_is_still_turned_when_the_lines_come_back_is_no_turn() -> None:
    w = Wired()
    w.turn_key(True)
    assert w.table.state.menu is not None
    w.lose()
    w.connect({})
    w.wait(200)
    assert w.table.state.menu is None


def test_a_contact_that_flickered_is_known_again_as_it_is() -> None:
    """The key goes back to rest while one of its contacts is out of order."""
    w = Wired()
    w.turn_key(True)
    assert w.table.state.menu is not None
    w.flicker("floor_key.rest", last=True)
    w.move("floor_key.turned", False)
    assert w.table.state.menu is None
    w.wait(6_000)
    assert w.table.state.panel.wiring == ()
    w.turn_key(True)
    assert w.table.state.menu is not None


def test_a_door_that_stands_open_at_start_or_after_its_line_flickered_is_noted() -> None:
    assert Wired(door=True).table.irregularities() == ["door_open"]
    w = Wired()
    w.flicker(DOOR, last=True)
    w.wait(6_000)
    assert "door_open" in w.table.irregularities()


def test_a_spot_that_flickered_waits_for_the_floorperson() -> None:
    w = Wired()
    w.table.floor("OPEN TABLE", "NEW SHOE")
    w.flicker("1/player", last=True)
    assert w.table.lamp(1, "player") is LampShow.OUT_OF_SERVICE
    w.wait(6_000)
    assert w.table.lamp(1, "player") is LampShow.OUT_OF_SERVICE
    w.table.lock()
    assert w.table.state.wagers == ()
