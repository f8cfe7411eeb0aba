"""`tabled rules`: which wagers are implemented, under which text, and whether the table daemon plays them live."""

from __future__ import annotations

from msgspec import Struct

from firmware.core.paytables import Catalogue
from firmware.core.wagers.games import LIVE_WAGERS


class Rule(Struct, frozen=True):
    """One wager in one game under one text. `expires`: the first day out of force, None without an end. `live`:
    played from sensors to settlement."""

    wager: str
    game: str
    section: str
    paytables: tuple[str, ...]
    effective: str
    expires: str | None
    live: bool


def list_rules(catalogue: Catalogue) -> list[Rule]:
    """Every text in hand, in the order of the catalogue."""
    return [
        Rule(
            wager=text.wager,
            game=text.game,
            section=text.section,
            paytables=tuple(paytable.name for paytable in text.paytables),
            effective=text.effective,
            expires=text.expires,
            live=(text.game, text.wager) in LIVE_WAGERS,
        )
        for text in catalogue.texts
    ]


def rules_text(rules: list[Rule]) -> str:
    """The same for people: one line a rule."""
    rows = [("wager", "game", "section", "paytables", "in force")]
    for rule in rules:
        force = f"{rule.effective} to {rule.expires or 'further notice'}" + ("; played live" if rule.live else "")
        rows.append((rule.wager, rule.game, rule.section, " ".join(rule.paytables), force))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
