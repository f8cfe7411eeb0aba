"""Whether the table's game has a use for what tells results or makes them: a wheel and what releases its balls belong
to one game, dice to another.

Rule: `ROLE_OF` has every live game whose result is no card; a device in a role that its table's game has not is
refused, since nothing would hear it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firmware.settings.model import Settings
from firmware.settings.problems import Problem

ROLES = {"wheel": "wheel", "dice": "dice", "release": "release device"}
"""What a device in the role is called."""

MOST_READERS = 2

ROLE_OF: Mapping[str, str] = {"roulette": "wheel"}
"""Role by game; the other games that are played live have cards."""

RESULTS: Mapping[str, str] = {"roulette": "a wheel's numbers"}


def problems(settings: Settings) -> Iterator[Problem]:
    game = settings.table.game
    role = ROLE_OF.get(game)
    if role is not None:
        found = settings.in_role(role)
        if not 1 <= len(found) <= MOST_READERS:
            names = ", ".join(name for name, _ in found) or "none"
            yield Problem(
                ("devices",),
                f"{len(found)} in the role {role!r} ({names})",
                f"1 to {MOST_READERS}: each must tell every result",
                "Name what reads it.",
            )
        for name, device in settings.in_role("shoe"):
            expected = f"no card reader: the game's results are {RESULTS[game]}"
            yield Problem(
                ("devices", name, "kind"), f"{device.kind} at a table of {game}", expected, "Remove the device."
            )
    for role, what in ROLES.items():
        if ROLE_OF.get(game) == role:
            continue
        for name, device in settings.in_role(role):
            yield Problem(
                ("devices", name, "kind"),
                f"{device.kind} at a table of {game}",
                f"no {what}: the game's results are {RESULTS.get(game, 'cards')}",
                "Remove the device.",
            )
