"""A table's whole configuration, typed and strict: what `config/tables/*.toml` may hold.

Rules: an unknown key is an error; what has no safe value has no default; every key is described where it stands, and
`config/REFERENCE.md` is made from that. Amounts stay text here, as they were written; the exact integers are
properties. Whether a table may be *played* so is for `check` to say.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from firmware.core.order_data import Overflow
from firmware.core.paytables import MysteryRow
from firmware.core.settlement_data import PaidBy
from firmware.settings import amounts
from firmware.settings.devices import Device
from firmware.settings.fields import (
    CARD_EXPECTED,
    CARD_PATTERN,
    HOUR_EXPECTED,
    HOUR_PATTERN,
    NAME_EXPECTED,
    NAME_PATTERN,
    SUIT_EXPECTED,
    SUIT_PATTERN,
    WHEEL_EXPECTED,
    WHEEL_PATTERN,
    ZONE_EXPECTED,
    ZONE_PATTERN,
    doc,
    dollars,
    entries,
    line,
    path,
    percent,
    whole,
    words,
    written,
)
from firmware.settings.looks import LampPolicy, Looks
from firmware.settings.section import Section

Line = Annotated[str, line("One line")]
Card = Annotated[str, written("One card", CARD_PATTERN, CARD_EXPECTED)]
Pixel = Annotated[int, whole("One lamp of the string", 0, 255)]


class Profile(StrEnum):
    """Whether this table takes money."""

    SIMULATED = "simulated"
    PRODUCTION = "production"


class Table(Section, frozen=True, kw_only=True):
    """What stands on the floor."""

    id: Annotated[str, written("The table's name in journal, screens and slips", NAME_PATTERN, NAME_EXPECTED)]
    game: Annotated[
        str,
        doc(
            "The game, as the paytables name it: minibaccarat, midibaccarat, baccarat, blackjack, "
            "ultimate_texas_holdem, criss_cross_poker or roulette",
            source="Chapters 617b-633b, 653b, 674b",
        ),
    ]
    profile: Annotated[Profile, doc("simulated: a bench, shown as such; production: takes money, no simulated device")]
    positions: Annotated[
        int, whole("Betting positions, numbered from the dealer's left", 1, 16, unit="positions", source="R3")
    ]
    decks: Annotated[int, whole("Decks in the shoe. Left out: a game without cards", 1, 8, unit="decks")] = 0
    wheel: Annotated[
        str,
        written(
            "The roulette wheel. On single_zero a double zero wheel may stand: 00 is no spin there. Left out: none",
            WHEEL_PATTERN,
            WHEEL_EXPECTED,
            source="617a.1(d), U4",
        ),
    ] = ""
    rounds_after_cut: Annotated[
        int, whole("Rounds dealt after the one in which the cut card came", 0, 5, unit="rounds")
    ] = 1
    declared_suit: Annotated[
        str,
        written(
            "The suit that the house declared for the 21+3 progressive; fixed while its meter lives. Left out: none",
            SUIT_PATTERN,
            SUIT_EXPECTED,
            source="633b.17(g), G4",
        ),
    ] = ""


class Timing(Section, frozen=True, kw_only=True):
    """Debounce and the decision window: the accepted set is final `present_ms` + `lateness_ms` after the button."""

    present_ms: Annotated[int, whole("A chip is present after this long without a change", 5, 500, unit="ms")] = 60
    absent_ms: Annotated[int, whole("A chip is gone after this long without a change", 5, 1000, unit="ms")] = 150
    lateness_ms: Annotated[
        int, whole("How late an edge may come and still count; a later one is a LateEdge", 0, 1000, unit="ms")
    ] = 100
    stable_ms: Annotated[int, whole("A button is pressed after this long without a change", 5, 500, unit="ms")] = 30


class Submission(Section, frozen=True, kw_only=True):
    """The casino's Rules Submission, as far as it isn't a wager or a meter."""

    reference: Annotated[str, words("The filing that this configuration carries out", 1, 80, source="601a.2")]
    expired_rules_accepted_by: Annotated[
        str,
        words(
            "Who accepts that paytables are played whose sections have lapsed by their own terms; journalled and "
            "shown. Empty: a lapsed paytable is refused",
            0,
            80,
            source="X26",
        ),
    ] = ""
    expired_rules_reason: Annotated[
        str, words("Why the lapsed paytables may be played; required with a name", 0, 200, source="X26")
    ] = ""
    quoted_texts: Annotated[
        dict[str, Annotated[str, words("The text of the section that is not in hand", 20, 4000)]],
        doc("By wager, the text that a production table needs where this program has not got it", source="W1, W2"),
    ] = msgspec.field(default_factory=dict)
    readings: Annotated[
        dict[str, str], doc("Readings of unclear rules that differ from the default, by id", source="readings")
    ] = msgspec.field(default_factory=dict)


class Wager(Section, frozen=True, kw_only=True):
    """One wager that the table offers. With `spots` it is sensed; without, called: its winning line is only shown.

    Where hands belong to positions, the game's own wager stands here too ("blackjack"; "ante" at the poker games): its
    sensors say who is dealt in. It has no chip value, and is not settled by this system.
    """

    paytable: Annotated[str, words('Which paytable, "-" where the section has but one', 1, 8)]
    minimum: Annotated[str, dollars("Smallest wager; left out, the chip's value")] = ""
    chip: Annotated[str, dollars("Value of the one chip that a sensed spot stands for", source="X11")] = ""
    spots: Annotated[
        list[Line], doc("The sensor of position 1, 2, ...; one for every position, or none", source="627b.3(a)(1)")
    ] = msgspec.field(default_factory=list)
    lamps: Annotated[
        list[Pixel],
        doc("The lamp of position 1, 2, ... on the string, numbered from 0; one for every spot, or none"),
    ] = msgspec.field(default_factory=list)

    @property
    def sensed(self) -> bool:
        """Whether the table sees this wager's chips."""
        return bool(self.spots)

    @property
    def chip_cents(self) -> int:
        """Value of a chip on a spot; 0 for a called wager without one."""
        return amounts.cents(self.chip) if self.chip else 0

    @property
    def minimum_cents(self) -> int:
        """Smallest wager; the chip's value where none is given."""
        return amounts.cents(self.minimum) if self.minimum else self.chip_cents


class Meter(Section, frozen=True, kw_only=True):
    """One progressive meter. What the regulation prints for its paytable must stand here as printed."""

    seed: Annotated[str, dollars("First value, and value after a win", source="605a.7, X13, X16")]
    reseed: Annotated[
        str, dollars("Value after a win, if not the seed. Where the seed is N/A: left out, the reserve", source="X16")
    ] = ""
    increment: Annotated[str, percent("Share of each wager added to the meter", source="605a.7(a)(1)")]
    reserve: Annotated[str, percent("Share of each wager kept for the next reseed", source="X15")] = "0"
    hidden: Annotated[
        str, percent("Share kept for the next reseed beside the reserve, filed as hidden", source="X15")
    ] = "0"
    limit: Annotated[
        str, dollars("Most that the meter shows; further shares go to its overflow. Left out: no limit")
    ] = ""
    overflow: Annotated[
        Overflow, doc("The overflow of a won meter. reseed: pays the reseed after the pools; keep: stays")
    ] = Overflow.RESEED

    @property
    def seed_micro(self) -> int:
        """First value in millionths of a dollar."""
        return amounts.micro(self.seed)

    @property
    def reseed_micro(self) -> int:
        """Value after a win in millionths of a dollar; the seed where none is given."""
        return amounts.micro(self.reseed or self.seed)

    @property
    def limit_micro(self) -> int | None:
        """Most that is shown, in millionths of a dollar; None without a limit."""
        return amounts.micro(self.limit) if self.limit else None

    @property
    def increment_ppm(self) -> int:
        """Increment rate in parts per million of the wager."""
        return amounts.parts_per_million(self.increment)

    @property
    def reserve_ppm(self) -> int:
        """Reserve rate in parts per million of the wager."""
        return amounts.parts_per_million(self.reserve)

    @property
    def hidden_ppm(self) -> int:
        """Hidden rate in parts per million of the wager."""
        return amounts.parts_per_million(self.hidden)


class Awards(Section, frozen=True, kw_only=True):
    """How awards are validated and paid. A meter's award is always validated and always paid by slip."""

    validated_over: Annotated[
        int,
        whole(
            "A line of a progressive wager that pays more than this for 1 waits for the floorperson; 0: every win does",
            0,
            200,
            unit="for 1",
            source="633b.21(e)(2), X20, X21",
        ),
    ] = 200
    inventory_limit: Annotated[
        str,
        dollars(
            "Largest award of a fixed amount that is paid from the table inventory container; a larger one is paid by "
            "slip. Left out: no limit",
            source="X19",
        ),
    ] = ""

    @property
    def inventory_limit_cents(self) -> int | None:
        """None: no limit."""
        return amounts.cents(self.inventory_limit) if self.inventory_limit else None


class Mystery(Section, frozen=True, kw_only=True):
    """The must-hit-by mystery bonus. Minimum, maximum and rate are the section's, by configuration; the house pays the
    minimum at every reset (M12)."""

    wager: Annotated[str, words("The progressive wager that feeds it", 1, 40, source="629b.3(h), 631b.6(c)(1)")]
    configuration: Annotated[
        str,
        words('Which configuration of the section, such as "2" or "B5"', 1, 8, source="629b.3(h), 631b.6(c)(4), M14"),
    ]
    maximum_wager: Annotated[
        str, dollars("Largest wager that feeds it: what it adds is kept free below the maximum", source="M3")
    ]
    paid_by: Annotated[PaidBy, doc("How it is paid, as the Rules Submission says", source="631b.6(c)(6), X19")]
    key_file: Annotated[
        str, path("The key that seals the trigger, made once by `tabled key draws`; keep a copy, not with the journal")
    ]
    bench_maximum: Annotated[str, dollars("A smaller maximum, so that a bench sees hits; simulated profile only")] = ""

    @property
    def largest_wager_cents(self) -> int:
        """`maximum_wager` in cents."""
        return amounts.cents(self.maximum_wager)

    def must_hit_by_cents(self, row: MysteryRow) -> int:
        """The maximum in cents."""
        return amounts.cents(self.bench_maximum) if self.bench_maximum else row.maximum_cents


class KeySwitch(Section, frozen=True, kw_only=True):
    """A change-over key switch: two contacts that must differ; equal for 100 ms is a wiring fault."""

    normally_closed: Annotated[str, line("Contact that is closed at rest")]
    normally_open: Annotated[str, line("Contact that is open at rest")]


class Keys(Section, frozen=True, kw_only=True):
    """The dealer's panel and the key switches. Buttons close to ground; the lock-out button opens (normally closed)."""

    lockout: Annotated[str, line('"No more bets"; normally closed, a cut wire is a press', source="627b.3(a)(2)")]
    confirm: Annotated[str, line("The chip count agrees; normally open")]
    call: Annotated[str, line("Mismatch or misdeal: calls the floorperson; normally open")]
    clear: Annotated[str, line("Cards collected, next round; normally open")]
    floor_key: Annotated[KeySwitch, doc("The floorperson's key")]
    reset_key: Annotated[KeySwitch, doc("Returns a won meter to its seed", source="605a.7(a)(5), (6)")]
    door: Annotated[
        str, line("Door of the meter's compartment; normally closed. Left out: none", source="605a.7(a)(6)")
    ] = ""
    folds: Annotated[
        list[Line],
        doc("The fold button of position 1, 2, ...; normally open. Where patrons may fold: one for every position"),
    ] = msgspec.field(default_factory=list)

    def devices(self) -> frozenset[str]:
        """The devices without which the table can't be played: those of the dealer's panel and of the keys."""
        switches = (self.floor_key, self.reset_key)
        contacts = [contact for key in switches for contact in (key.normally_closed, key.normally_open)]
        return frozenset(
            line.partition(":")[0]
            for line in (self.lockout, self.confirm, self.call, self.clear, *self.folds, *contacts)
        )


class Storage(Section, frozen=True, kw_only=True):
    """Where the daemon keeps and offers things. Relative paths lie under the run directory."""

    journal: Annotated[str, path("The journal, one SQLite file; its folder must be on a disk that keeps what it syncs")]
    signing_key: Annotated[
        str, path("The key that signs the journal's head, made once by `tabled key make`; never beside the journal")
    ] = "signing.key"
    noted_head: Annotated[
        str,
        path(
            "Where the daemon notes, signed, how far the journal has come, so that an old copy can't come back as "
            "current; best on another medium than the journal"
        ),
    ] = "noted-head.json"
    control: Annotated[str, path("Socket over which `hil` attaches")]


class Reports(Section, frozen=True, kw_only=True):
    """How accounts are drawn from the journal; nothing at the table depends on it."""

    gaming_day_starts: Annotated[
        str,
        written(
            "Local time at which the gaming day begins",
            HOUR_PATTERN,
            HOUR_EXPECTED,
            unit="HH:MM",
            source="601a.9",
        ),
    ] = "06:00"
    time_zone: Annotated[
        str, written("The table's time zone, by its name in the system's tables", ZONE_PATTERN, ZONE_EXPECTED)
    ] = "America/New_York"


class IdentityCheck(Section, frozen=True, kw_only=True):
    """Who says which software and configuration this table may run. What differs keeps wagering closed until two
    persons accept it (`tabled order accept-difference`). Both keys or none; a production table needs them."""

    manifest: Annotated[
        str, words("The signed manifest (`tabled manifest make`); relative to the run directory. Empty: none", 0, 200)
    ] = ""
    approver: Annotated[
        str,
        words("Public key of who signs it, 64 hexadecimal digits; its secret is on no table. Empty: none", 0, 80),
    ] = ""


class Settings(Section, frozen=True, kw_only=True):
    """A whole table."""

    table: Annotated[Table, doc("What stands on the floor")]
    rules_submission: Annotated[Submission, doc("The casino's Rules Submission")]
    timing: Annotated[Timing, doc("Debounce and the decision window")] = Timing()
    wagers: Annotated[dict[str, Wager], entries("Wagers offered, by name", 1)]
    weights: Annotated[
        dict[str, dict[str, str]],
        doc(
            "How often each value that the regulation lists is drawn, by wager: fractions above zero that sum to one, "
            "as certified. For b2b_roulette its odds to 1",
            source="617b.1(e), B3",
        ),
    ] = msgspec.field(default_factory=dict)
    meters: Annotated[dict[str, Meter], doc("Progressive meters, by name")] = msgspec.field(default_factory=dict)
    awards: Annotated[Awards, doc("How awards are validated and paid")] = Awards()
    mystery: Annotated[Mystery | None, doc("Must-hit-by mystery bonus; left out: none", source="629b.3(h)")] = None
    combinations: Annotated[
        dict[str, Annotated[list[Card], entries("A king and a nine", 2, 2)]],
        doc("Personal combination of each position: a king and a nine, by suit", source="627b.3(e)(5), R3"),
    ] = msgspec.field(default_factory=dict)
    keys: Annotated[Keys, doc("Dealer's panel and key switches")]
    looks: Annotated[Looks, doc("Lamp colours and patterns")] = Looks()
    lamps: Annotated[LampPolicy, doc("What a dark lamp means for the table")] = LampPolicy()
    devices: Annotated[dict[str, Device], entries("Devices, by name", 1)]
    storage: Annotated[Storage, doc("Journal, its key, and control socket")]
    reports: Annotated[Reports, doc("How accounts are drawn from the journal")] = Reports()
    identity: Annotated[IdentityCheck, doc("Who approves software and configuration")] = IdentityCheck()

    def in_role(self, role: str) -> tuple[tuple[str, Device], ...]:
        """Name and options of every device in a role ("lines", "lamps", "shoe", "board", "display")."""
        return tuple((name, device) for name, device in self.devices.items() if device.role == role)
