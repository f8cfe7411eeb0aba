"""The sections of the lamps: what each state of a spot looks like, and what a dark lamp means for the table."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from firmware.settings.fields import COLOUR_EXPECTED, COLOUR_PATTERN, doc, written
from firmware.settings.section import Section


class Pattern(StrEnum):
    """How a lamp moves in time, so that it can be told without seeing its colour."""

    OFF = "off"
    STEADY = "steady"
    SLOW_BLINK = "slow_blink"
    FAST_BLINK = "fast_blink"
    DOUBLE_BLINK = "double_blink"
    SHORT_FLASH = "short_flash"
    SHORT_GAP = "short_gap"


class Look(Section, frozen=True, kw_only=True):
    """What a lamp does in one state."""

    colour: Annotated[str, written("Colour", COLOUR_PATTERN, COLOUR_EXPECTED, unit="#rrggbb")]
    pattern: Annotated[Pattern, doc("Movement in time")]


class Looks(Section, frozen=True, kw_only=True):
    """Every state of a spot's lamp. No two share a colour, no two share a pattern."""

    off: Annotated[Look, doc("No chip")] = Look(colour="#000000", pattern=Pattern.OFF)
    sensed: Annotated[Look, doc("Chip on the spot, betting open")] = Look(colour="#ffffff", pattern=Pattern.SLOW_BLINK)
    accepted: Annotated[Look, doc("Wager accepted before no more bets")] = Look(
        colour="#00c000", pattern=Pattern.STEADY
    )
    not_accepted: Annotated[Look, doc("Chip came too late: no wager")] = Look(
        colour="#ff0000", pattern=Pattern.SHORT_FLASH
    )
    won: Annotated[Look, doc("The wager won")] = Look(colour="#ffc000", pattern=Pattern.FAST_BLINK)
    jackpot_held: Annotated[Look, doc("An award is held: until it is paid, and its meter reset")] = Look(
        colour="#c000ff", pattern=Pattern.DOUBLE_BLINK
    )
    out_of_service: Annotated[Look, doc("The spot takes no wagers")] = Look(colour="#0000ff", pattern=Pattern.SHORT_GAP)


class LampFault(StrEnum):
    """What a fault of the lamps does to wagering."""

    CLOSES = "closes"
    PLAYS_ON = "plays_on"


class LampPolicy(Section, frozen=True, kw_only=True):
    """What this house makes of lamps that do not light. A string that can't be written is a fault at once; one that
    dies in silence is known by `return_line` or `current_line` of its device, else by people alone."""

    fault: Annotated[
        LampFault,
        doc(
            "closes: no round opens while a string is away, and no table with a dark lamp; plays_on: it is shown and "
            "journalled only",
            source="627b.3(a)(1)",
        ),
    ] = LampFault.CLOSES
    opening_test: Annotated[
        bool, doc("true: at each opening every lamp is lit, and the dealer answers CONFIRM (all seen) or CALL")
    ] = False
