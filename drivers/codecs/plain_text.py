"""Text for displays that know printable ASCII and nothing else. Amounts and codes pass unchanged."""

from __future__ import annotations

import unicodedata

_TYPOGRAPHIC = {
    "–": "-", "—": "-", "−": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "×": "x", "·": ".", "•": "*", "…": "...",
    "½": "1/2", "¢": "c", "€": "EUR", "♠": "S", "♥": "H", "♦": "D", "♣": "C",
}  # fmt: skip


def displayable(text: str) -> str:
    """`text` in ASCII 20..7E: typographic signs by their plain form, accents left
    out, control characters as spaces, anything else as `?`."""
    shown = []
    for char in text:
        plain = _TYPOGRAPHIC.get(char) or unicodedata.normalize("NFKD", char)
        for part in plain:
            if " " <= part <= "~":
                shown.append(part)
            elif unicodedata.category(part) in ("Cc", "Zs", "Zl", "Zp"):
                shown.append(" ")
            elif not unicodedata.combining(part):
                shown.append("?")
    return "".join(shown)
