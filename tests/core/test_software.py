"""What a table does about software that is not what its approver signed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core import identity
from firmware.core import order_effects as ofx
from firmware.core.faults import Irregularity
from firmware.core.identity import Difference, Identity, ManifestFound, ManifestState, Part
from firmware.core.machine_events import IdentityFound
from firmware.core.order_data import AcceptDifference, Approval
from firmware.core.screen import board
from firmware.core.table import reasons_against_wagering
from tests.core.table import Hand, LampShow, Phase, Table, rules

HERE = Identity("1.0", "c" * 64, "p" * 64, "f" * 64, ("apsw 3.51", "python 3.11.2"), "e" * 64)
KEY, OTHER_KEY = "aa" * 32, "bb" * 32
SIGNED = ManifestFound(ManifestState.SIGNED, KEY, HERE)
TWO = Approval("Ann Lee", "Bob Roe", "new release, paper 12")
CHANGES = {
    Part.VERSION: {"version": "1.1"},
    Part.CODE: {"code": "d" * 64},
    Part.PAYTABLES: {"paytables": "q" * 64},
    Part.CONFIGURATION: {"configuration": "g" * 64},
    Part.DEPENDENCIES: {"dependencies": ("apsw 3.52", "python 3.11.2")},
    Part.ENVIRONMENT: {"environment": "unreadable: x.py: Permission denied"},
}


class Checked(Table):
    """A table whose configuration names a manifest."""

    def __init__(self) -> None:
        super().__init__(rules(identity_checked=True))

    def found(self, found: Identity = HERE, manifest: ManifestFound = SIGNED) -> Checked:
        self.do(IdentityFound(found, manifest, self.tick()))
        return self

    def again(
        self, found: Identity = HERE, manifest: ManifestFound = SIGNED, covered: tuple[tuple[int, str], ...] = ()
    ) -> Checked:
        """The daemon starts again."""
        self.start(covered=covered)
        return self.found(found, manifest)

    def reasons(self) -> tuple[str, ...]:
        return reasons_against_wagering(self.rules, self.state)

    def mark(self) -> str:
        return identity.mark(self.state.software.open)

    def accept(self, mark: str | None = None, approval: Approval = TWO, keys: bool = True) -> str:
        """Why the order was refused; empty: taken."""
        self.do(ev.FloorKeyTurned(keys, self.tick()))
        self.do(ev.ResetKeyTurned(keys, self.tick()))
        order = AcceptDifference(self.mark() if mark is None else mark)
        effects = self.do(ev.OrderGiven(order, approval, self.tick()))
        self.do(ev.ResetKeyTurned(False, self.tick()))
        self.do(ev.FloorKeyTurned(False, self.tick()))
        return next((e.why for e in effects if isinstance(e, ofx.OrderRefused)), "")


def started() -> Checked:
    table = Checked()
    table.start()
    return table


def betting() -> Checked:
    table = started().found()
    table.floor("OPEN TABLE", "NEW SHOE")
    assert table.state.phase is Phase.BETTING
    return table


def test_what_is_as_approved_is_on_record_and_nothing_else() -> None:
    table = started().found()
    assert table.saw(fx.IdentityJudged) == [fx.IdentityJudged((), ())]
    assert table.reasons() == ()
    assert Irregularity.SOFTWARE_DIFFERS not in table.irregularities()


def test_no_wagers_before_a_table_with_a_manifest_knows_what_it_runs() -> None:
    table = started()
    table.floor("OPEN TABLE", "NEW SHOE")
    assert table.state.phase is Phase.PAUSED
    assert table.shown()[:2] == ("NO WAGERS", "CHECKING SOFTWARE")
    table.found()
    assert table.state.phase is Phase.BETTING


def test_a_bench_without_a_manifest_is_not_asked() -> None:
    table = Table().opened()
    table.do(IdentityFound(HERE, ManifestFound(ManifestState.NOT_CONFIGURED), table.tick()))
    assert table.state.phase is Phase.BETTING
    assert table.saw(fx.IdentityJudged) == [fx.IdentityJudged((), ())]


@pytest.mark.parametrize("part", CHANGES)
def test_each_part_that_differs_keeps_wagering_closed_until_two_accept_it(part: Part) -> None:
    table = started().found(replace(HERE, **CHANGES[part]))
    assert [d.part for d in table.state.software.open] == [part]
    assert table.reasons() == ("SOFTWARE DIFFERS",)
    table.floor("OPEN TABLE", "NEW SHOE")
    assert table.state.phase is Phase.PAUSED
    assert table.accept() == ""
    assert table.state.phase is Phase.BETTING
    assert [d.part for e in table.saw(fx.DifferencesAccepted) for d in getattr(e, "differences", ())] == [part]


def test_a_package_that_differs_is_named() -> None:
    found = replace(HERE, dependencies=("apsw 3.52", "evil 1.0", "python 3.11.2"))
    table = started().found(found)
    assert table.state.software.open == (Difference(Part.DEPENDENCIES, "apsw 3.51", "apsw 3.52, evil 1.0"),)


def test_the_screens_say_what_it_is_and_what_to_do() -> None:
    table = started().found(replace(HERE, code="d" * 64))
    assert table.shown() == ("TABLE CLOSED", "FLOOR KEY TO OPEN", "SOFTWARE DIFFERS", "")
    assert board(table.rules, table.state).title == "TABLE CLOSED  SOFTWARE CHECK"
    table.floor("OPEN TABLE", "NEW SHOE")
    assert table.shown() == ("NO WAGERS", "SOFTWARE DIFFERS", f"2 KEYS MARK {table.mark()}", "")
    assert board(table.rules, table.state).title == "NO WAGERS  SOFTWARE CHECK"
    assert board(table.rules, table.state).fields, "meters stay visible (605a.7(a)(1))"
    table.floor("OK SOFTWARE DIFFERS")
    assert table.reasons() == ("SOFTWARE DIFFERS",), "acknowledging is not accepting"
    assert table.shown()[2] == f"2 KEYS MARK {table.mark()}"


def test_only_what_was_looked_at_is_accepted() -> None:
    table = started().found(replace(HERE, code="d" * 64))
    old = table.mark()
    table.again(replace(HERE, code="d" * 64, version="1.1"))
    assert table.mark() not in ("", old)
    assert f"has the mark {table.mark()}" in table.accept(old)
    assert table.reasons() == ("SOFTWARE DIFFERS",)
    assert table.accept(table.mark().lower()) == ""
    assert "does not differ" in table.accept(old)


def test_one_person_or_one_key_is_not_enough() -> None:
    table = started().found(replace(HERE, code="d" * 64))
    assert "are one" in table.accept(approval=Approval("Ann", "ann", "why"))
    assert "key is not turned" in table.accept(keys=False)
    assert table.reasons() == ("SOFTWARE DIFFERS",)


def test_an_acceptance_outlives_restarts_and_only_its_own_difference() -> None:
    new = replace(HERE, code="d" * 64)
    table = started().found(new)
    assert table.accept() == ""
    table.again(new)
    assert table.reasons() == ()
    assert [d.part for d in table.state.software.accepted] == [Part.CODE]
    table.again(replace(new, code="0" * 64))
    assert table.reasons() == ("SOFTWARE DIFFERS",), "another program"
    table.again(replace(new, paytables="q" * 64))
    assert [d.part for d in table.state.software.open] == [Part.CODE, Part.PAYTABLES], "the code came back: asks again"


def test_what_went_away_and_comes_back_asks_again() -> None:
    new = replace(HERE, code="d" * 64)
    table = started().found(new)
    table.accept()
    table.again(HERE)
    assert table.reasons() == ()
    table.again(new)
    assert table.reasons() == ("SOFTWARE DIFFERS",)


def test_a_signed_manifest_approves_new_software_without_an_order() -> None:
    new = replace(HERE, code="d" * 64, version="1.1")
    table = started().found()
    table.again(new, ManifestFound(ManifestState.SIGNED, KEY, new))
    assert table.reasons() == ()


@pytest.mark.parametrize("state", [ManifestState.MISSING, ManifestState.UNREADABLE, ManifestState.FORGED])
def test_without_a_manifest_that_can_be_used_nothing_is_approved(state: ManifestState) -> None:
    table = started().found(HERE, ManifestFound(state, KEY))
    parts = [d.part for d in table.state.software.open]
    assert parts == [Part.MANIFEST, *CHANGES]
    assert table.accept() == ""
    table.again(HERE, ManifestFound(state, KEY))
    assert table.reasons() == ()
    table.again(replace(HERE, code="d" * 64), ManifestFound(state, KEY))
    assert [d.part for d in table.state.software.open] == [Part.CODE], "another program asks again"


def test_another_approver_and_none_are_differences() -> None:
    table = started().found()
    other = ManifestFound(ManifestState.SIGNED, OTHER_KEY, HERE)
    table.again(HERE, other)
    assert table.state.software.open == (Difference(Part.APPROVER, KEY, OTHER_KEY),)
    table.again(HERE, SIGNED)
    assert table.reasons() == (), "nobody accepted the other"
    table.again(HERE, other)
    assert table.accept() == ""
    table.again(HERE, other)
    assert table.reasons() == ()
    table.again(HERE, SIGNED)
    assert table.state.software.open == (Difference(Part.APPROVER, OTHER_KEY, KEY),)
    table.again(HERE, ManifestFound(ManifestState.NOT_CONFIGURED))
    assert table.state.software.open == (Difference(Part.APPROVER, OTHER_KEY, "none"),)
    assert table.accept() == ""
    table.again(HERE, SIGNED)
    assert table.reasons() == (), "no approver is known any more: the next one is the first"


def test_a_round_in_play_is_finished_under_what_it_found() -> None:
    table = betting()
    table.place(1, "player")
    table.lock()
    phase = table.state.phase
    table.again(replace(HERE, code="d" * 64))
    assert table.state.phase is phase is Phase.DEALING
    table.deal("KS 9H", "2C 5D")
    table.result("player")
    assert table.state.phase is Phase.RESULT
    table.clear()
    assert table.state.phase is Phase.PAUSED, "the next round waits"
    assert table.reasons() == ("SOFTWARE DIFFERS",)


def test_open_betting_waits_for_two_persons_and_goes_on() -> None:
    table = betting()
    table.place(1, "player")
    table.again(replace(HERE, code="d" * 64), covered=((1, "player"),))
    assert table.state.phase is Phase.PAUSED
    assert table.accept() == ""
    assert table.state.phase is Phase.BETTING
    assert table.lamp(1, "player") is LampShow.SENSED
    table.lock()
    assert [w.wager for w in table.state.wagers] == ["player"]


@pytest.mark.parametrize("known", [True, False])
def test_a_card_while_the_software_is_not_approved_makes_no_wagers(known: bool) -> None:
    table = betting()
    table.place(1, "royal_9_progressive")
    meters = table.state.meters
    table.start(covered=[(1, "royal_9_progressive")])
    if known:
        table.found(replace(HERE, code="d" * 64))
    table.card(Hand.PLAYER, "KS", 1)
    assert table.state.lock is not None
    table.settle(table.state.lock.press_ns)
    assert table.state.wagers == ()
    assert table.state.meters == meters
    refused = [e for e in table.saw(fx.WagerRefused) if isinstance(e, fx.WagerRefused)]
    assert refused == [fx.WagerRefused(1, "royal_9_progressive", "software not approved")]
    assert table.lamp(1, "royal_9_progressive") is LampShow.NOT_ACCEPTED


def test_a_lockout_that_was_pressed_before_the_restart_counts() -> None:
    """Betting was closed by the dealer under approved software; what runs now only finishes the window."""
    table = betting()
    table.place(1, "royal_9_progressive")
    table.press()
    table.do(ev.Started(table.tick(), 0, True, "boot-1"))
    spot = (ev.CoveredSpot(1, "royal_9_progressive"),)
    table.do(ev.InputsReady(table.tick(), spot, True, False, False))
    assert [w.position for w in table.state.wagers] == [1]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1.0", "1.1"]),
            st.sampled_from(["c" * 64, "d" * 64]),
            st.sampled_from([KEY, OTHER_KEY]),
            st.sampled_from(list(ManifestState)),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_betting_is_never_open_over_a_difference_nobody_accepted(
    starts: list[tuple[str, str, str, ManifestState, bool]],
) -> None:
    table = betting()
    accepted: set[tuple[str, str]] = set()
    known = KEY
    for version, code, key, state, accepts in starts:
        found = replace(HERE, version=version, code=code)
        if state is ManifestState.NOT_CONFIGURED:
            manifest = ManifestFound(state)
        else:
            manifest = ManifestFound(state, key, HERE if state is ManifestState.SIGNED else None)
        table.again(found, manifest)
        unusual = {("approver", manifest.approver)} if known not in ("", manifest.approver) else set()
        if manifest.approved is None and state is not ManifestState.NOT_CONFIGURED:
            unusual |= {("state", state), ("unsigned version", version), ("unsigned code", code)}
        elif state is ManifestState.SIGNED:
            unusual |= {("version", version)} if version != HERE.version else set()
            unusual |= {("code", code)} if code != HERE.code else set()
        if table.state.phase is Phase.BETTING:
            assert unusual <= accepted
        else:
            assert table.state.phase is Phase.PAUSED
            if accepts:
                assert table.accept() == ""
                assert table.state.phase is Phase.BETTING
                accepted |= unusual
        known = table.state.software.approver


def test_the_mark_tells_every_difference_apart() -> None:
    one = Difference(Part.CODE, "a", "b")
    marks = {
        identity.mark(differences)
        for differences in (
            (one,), (replace(one, found="c"),), (replace(one, approved="c"),), (replace(one, part=Part.VERSION),),
            (one, replace(one, part=Part.VERSION)),
        )
    }  # fmt: skip
    assert len(marks) == 5
    assert identity.mark(()) == ""
