"""The table of link states: every pair of state and event."""

from __future__ import annotations

import pytest

from drivers.events import LinkState
from drivers.links.states import TRANSITIONS, LinkEvent, LinkFault, following

PAIRS = [(state, event) for state in LinkState for event in LinkEvent]


@pytest.mark.parametrize(("state", "event"), PAIRS)
def test_every_pair_has_an_entry_or_is_a_reported_fault(state: LinkState, event: LinkEvent) -> None:
    if event in TRANSITIONS[state]:
        assert following(state, event) is TRANSITIONS[state][event]
    else:
        with pytest.raises(LinkFault, match=f"event {event} in state {state}; expected one of"):
            following(state, event)


def test_every_state_has_a_row_and_can_be_stopped() -> None:
    assert set(TRANSITIONS) == set(LinkState)
    assert all(row[LinkEvent.STOP] is LinkState.ABSENT for row in TRANSITIONS.values())


def test_ready_is_reached_through_opening_and_identifying_only() -> None:
    ways = {(state, event) for state, row in TRANSITIONS.items() for event, to in row.items() if to is LinkState.READY}
    assert ways == {(LinkState.IDENTIFYING, LinkEvent.IDENTIFIED), (LinkState.STALE, LinkEvent.HEARD)}


def test_every_state_is_reachable_and_no_state_is_a_dead_end() -> None:
    for start in LinkState:
        reached = {start}
        while more := {to for state in reached for to in TRANSITIONS[state].values()} - reached:
            reached |= more
        assert reached == set(LinkState), start
