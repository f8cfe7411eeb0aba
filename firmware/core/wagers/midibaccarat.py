"""Midibaccarat, Chapter 629b: its wagers in the order in which those at one position are settled.

The cards and every wager are those of Minibaccarat; only the sections and, with § 629b.3(h), the mystery bonus differ.
The alternative card reveal (§ 629b.4) changes who turns the cards over, never which were dealt.
"""

from __future__ import annotations

from firmware.core.wagers.minibaccarat import MINIBACCARAT, check
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import Game

MIDIBACCARAT: Game[TwoHands] = Game(
    "midibaccarat", MINIBACCARAT.wagers, check, needs=MINIBACCARAT.needs, takes=MINIBACCARAT.takes
)
