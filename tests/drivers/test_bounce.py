"""Bouncing contacts are counted exactly: the bench's own check, on fewer trains."""

from __future__ import annotations

import pytest

from drivers.line_spec import LineRole
from tests.bench import bounce


@pytest.mark.parametrize(("role", "polled"), bounce.KINDS)
@pytest.mark.parametrize("seed", [2, 3])
def test_every_move_is_told_once(role: LineRole, polled: bool, seed: int) -> None:
    found = bounce.run(role, polled, 100 if polled else 500, seed)
    assert found.good, found
    assert found.expected > 80 and found.glitches


def test_a_filter_that_is_too_short_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounce, "FALSE_MS", (0.02, 100.0))
    assert not bounce.run(LineRole.BUTTON, False, 200, 1).good
