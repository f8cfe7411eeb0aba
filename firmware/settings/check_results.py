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

ROLE_OF: Mapping[str, str] = {}
"""Role by game: none of the games that are played live yet has a wheel or dice."""


def problems(settings: Settings) -> Iterator[Problem]:
    game = settings.table.game
    for role, what in ROLES.items():
        if ROLE_OF.get(game) == role:
            continue
        for name, device in settings.in_role(role):
            yield Problem(
                ("devices", name, "kind"),
                f"{device.kind} at a table of {game}",
                f"no {what}: the game's results are cards",
                "Remove the device.",
            )
