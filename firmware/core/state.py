"""The table's whole state: what a snapshot holds and the state hash covers. Immutable; `step` makes the next one.

Rules:
* Everything that survives a power cut stands here; nothing else is remembered anywhere.
* A field added later needs a plain default (`stored.py`), so that old segments replay to their own hashes.
* Nothing is stored that `TableRules` says or that can be computed from the rest.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import field

from firmware.core.chances import Pick
from firmware.core.events import SpotTrouble, TimerKind
from firmware.core.faults import Irregularity
from firmware.core.identity import Standing
from firmware.core.order_data import Approval
from firmware.core.rounds.baccarat_round import BaccaratRound
from firmware.core.rounds.by_position_rounds import BlackjackRound, PokerTableRound
from firmware.core.rounds.roulette_round import RouletteRound, WheelMemory
from firmware.core.rules import MeterRule, TableRules
from firmware.core.service_data import HardwareFact, Lease
from firmware.core.settlement_data import PaidBy, Result
from firmware.core.stored import Stored
from firmware.core.wagers.wager import Stage

CardGameRound = BaccaratRound | BlackjackRound | PokerTableRound
GameRound = CardGameRound | RouletteRound
"""One record a round machine; a further one joins the union."""

RULES_VERSION = 1
"""Changes whenever the same events would give other effects or states than before."""

STATE_SCHEMA = 2
"""Changes whenever a state has another text than before; a field that is added with a plain default changes none."""


class Phase(StrEnum):
    """Where the table is in its round; the keys that act in each stand in `rounds/keys.py`."""

    CLOSED = "closed"  # until the floorperson opens the table
    LAMP_TEST = "lamp_test"  # opening: every lamp is lit, the dealer says whether all are seen
    PAUSED = "paused"  # open, but not taking wagers: a device is down, the button is held
    NEW_SHOE = "new_shoe"  # open, waits for a shoe
    BETTING = "betting"
    LOCKING = "locking"  # lock-out pressed, the decision window runs
    COUNTING = "counting"  # the dealer compares the chips with the board
    DEALING = "dealing"
    AWARD = "award"  # an award waits for the floorperson, a won meter for its reset
    PLAYING = "playing"  # the first cards are out and settled; the hands are played to their end
    CHECKING = "checking"  # hands complete, the reader's own result is awaited
    RESULT = "result"  # settled; the dealer pays, collects and clears
    STOPPED = "stopped"  # an irregularity: the floorperson decides
    VOIDED = "voided"  # wagers go back; the dealer clears


class Service(StrEnum):
    """Why a spot takes wagers or does not."""

    IN = "in"
    COVERED_AT_OPENING = "covered_at_opening"
    TROUBLE = "trouble"  # its line is out of order
    WAITING = "waiting"  # in order again, until the floorperson clears it
    FLOOR = "floor"  # taken out by the floorperson
    OFFLINE = "offline"  # what senses it is away; in again by itself once it is back


class Chip(Stored, frozen=True):
    """A chip on a spot; its time lies in the interval."""

    not_before_ns: int
    not_after_ns: int


class Spot(Stored, frozen=True):
    position: int
    wager: str
    chip: Chip | None = None
    service: Service = Service.IN
    trouble: SpotTrouble | None = None
    refused: bool = False  # the chip that lies there is no wager of this round


class Lock(Stored, frozen=True):
    """This round's lock-out. `press_ns` decides what counts; `card_ns` is set where the first card locked.

    `away`: devices of spots that were away at the press, so that their positions were closed. `lost`: those that went
    away inside the decision window, whether or not they are back.
    """

    press_ns: int
    by_card: bool = False
    card_ns: int | None = None  # kept, so that a button glitch falls back to it
    unapproved: bool = False  # a card came while wagering was closed for the software: no chip counts
    away: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    by_wheel: bool = False
    wheel_ns: int | None = None  # when the wheel closed betting; kept as `card_ns` is
    open_ns: int | None = None  # when the wheel was last heard to be open before that


class Increment(Stored, frozen=True):
    """What one wager added to one meter, so that it can be reversed exactly."""

    meter: str
    shown_micro: int
    reserve_micro: int
    hidden_micro: int = 0
    overflow_micro: int = 0
    won: bool = False  # a mystery hit has taken it since: the meter can't give it back any more

    @property
    def total_micro(self) -> int:
        return self.shown_micro + self.reserve_micro + self.hidden_micro + self.overflow_micro


class AcceptedWager(Stored, frozen=True):
    position: int
    wager: str
    cents: int
    at_ns: int
    increments: tuple[Increment, ...] = ()
    doubt: str | None = None  # set: the floorperson must confirm or cancel it before the deal


class Outcome(Stored, frozen=True):
    """One settled wager, as the dealer pays it."""

    position: int
    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    meter: str | None
    validation: bool
    section: str


class CalledLine(Stored, frozen=True):
    wager: str
    line: str


class AwardStatus(StrEnum):
    """How far an award has come; who acts next stands in `awards.DUE`."""

    LOCKED = "locked"  # hit; its amount is fixed
    VERIFIED = "verified"  # by the dealer: the hand wins, the lamp is lit
    VALIDATED = "validated"  # by the floorperson
    PAID = "paid"  # from the table inventory, or its slip's documentation is complete
    RESET = "reset"  # paid, and the meter that it came from stands at its reseed
    VOIDED = "voided"


class Award(Stored, frozen=True):
    """An award that needs the floorperson."""

    id: int
    position: int
    wager: str
    line: str
    meter: str | None
    cents: int
    stake_cents: int  # kept, since a wager may go back while its award stands
    paid_by: PaidBy
    section: str
    because_of: int | None = None  # an envy bonus: the position whose hand it is owed for
    slip: int | None = None  # its number, from validation on
    status: AwardStatus = AwardStatus.LOCKED
    held_micro: int | None = None  # mystery bonus: what the meter held with the contribution that won it


class Meter(Stored, frozen=True):
    """One progressive meter, in millionths of a dollar: what it holds, and counters that only grow. `meters.py` has the
    invariant between them."""

    name: str
    shown_micro: int
    reserve_micro: int = 0  # kept from wagers for the reseed (X15)
    hidden_micro: int = 0  # the same at a rate of its own, filed as hidden
    overflow_micro: int = 0  # what came in while the meter stood at its limit
    seeded_micro: int = 0  # put in by the house, over what the pools held
    contributed_micro: int = 0  # by wagers, to all four accounts
    transferred_in_micro: int = 0
    corrected_up_micro: int = 0
    charged_micro: int = 0  # to the house: reversals of what had been won meanwhile (X22)
    paid_micro: int = 0
    transferred_out_micro: int = 0
    corrected_down_micro: int = 0
    reversed_micro: int = 0  # given back by voids and cancellations
    reserve_in_micro: int = 0  # by wagers; part of `contributed_micro`
    reserve_out_micro: int = 0  # to reseeds
    wagers: int = 0
    hits: int = 0
    ahead_micro: int = 0  # after a mystery hit, until the reset: what the next amount holds beside its seed (M7)


class LineTally(Stored, frozen=True):
    """How often a line of a wager was hit in rounds that stood, and what it awarded."""

    line: str
    hits: int
    award_cents: int


class Tally(Stored, frozen=True):
    """What was bet on one wager and won by it since the journal began; all of it only grows."""

    wager: str
    wagers: int = 0  # accepted at lock-out
    coin_in_cents: int = 0
    voided_wagers: int = 0  # of those: cancelled, or of a voided round
    voided_cents: int = 0
    attendant_paid_cents: int = 0  # awards paid, each validated by a floorperson, meters included (605a.7(a)(3))
    lines: tuple[LineTally, ...] = ()  # in the order in which they were first hit


class Shoe(Stored, frozen=True):
    """The cards of one shoe that have been seen. `seen` counts by rank and suit in the order of `cards.DECK`."""

    number: int = 0
    open: bool = False
    seen: tuple[int, ...] = field(default_factory=lambda: (0,) * 52)
    unknown: int = 0  # burned unread: they can only loosen the check
    cut: bool = False
    burning: bool = False  # cards that come are burned, until the dealer says that it is done
    rounds_left: int = 0  # rounds that may still be dealt, the one in play included; counts from the cut card


class Noted(Stored, frozen=True):
    """An irregularity that the floorperson has not acknowledged."""

    kind: Irregularity
    position: int | None
    detail: str


class Down(Stored, frozen=True):
    """A device that does not work."""

    device: str
    reason: str


class Menu(Stored, frozen=True):
    """The floorperson's menu: which line is shown, and how far the entry of a card has come."""

    index: int = 0
    entering: bool = False
    rank: str | None = None
    changed: bool = False  # by an event, not by a key: the next CONFIRM was meant for what stood there before


class Timer(Stored, frozen=True):
    kind: TimerKind
    due_ns: int


class Panel(Stored, frozen=True):
    """Buttons and keys as they stand. A lock-out button down at start counts as stuck until it was seen released."""

    lockout_down: bool = False
    lockout_seen_released: bool = False
    floor_turned: bool = False
    reset_turned: bool = False
    wiring: tuple[str, ...] = ()  # buttons, keys and door whose line is out of order, by line or key switch


class OpenDraw(Stored, frozen=True):
    """A draw that the generator has not answered; after a restart it is asked again."""

    draw: int
    purpose: str
    picks: tuple[Pick, ...]


class BonusPhase(StrEnum):
    """Where the mystery bonus stands with its secret."""

    DRAWING = "drawing"  # a trigger is asked for
    READY = "ready"
    TESTING = "testing"  # the generator was asked about contributions, or whether the secret can be read
    STOPPED = "stopped"  # the secret can't be read: nothing feeds it and nobody can win it (M13)


class Stake(Stored, frozen=True):
    """A wager's contribution to the mystery bonus that has not been compared with the trigger."""

    position: int
    wager: str
    micro: int


class MysteryBonus(Stored, frozen=True):
    """The must-hit-by bonus, but for its money, which is a `Meter`. The trigger is only here sealed."""

    meter: str
    draw: int = 1  # triggers are numbered from 1; this one is asked for or in force
    phase: BonusPhase = BonusPhase.DRAWING
    commitment: str = ""  # empty until it is drawn
    sealed: str = ""
    batch: tuple[Stake, ...] = ()  # this round's contributions to be compared, in order of acceptance
    round: int = 0  # whose contributions have been put into a batch
    reason: str = ""  # why it is stopped

    @property
    def undecided(self) -> bool:
        """Whether a wager of the round may still turn out to have won."""
        return bool(self.batch)

    def feeds(self, meter: str) -> bool:
        """Whether contributions to a meter are taken: to every one but this bonus's while it is stopped."""
        return meter != self.meter or not self.reason


class State(Stored, frozen=True):
    phase: Phase = Phase.CLOSED
    resume: Phase | None = None  # where STOPPED goes back to; BETTING: PAUSED goes on with the round it paused
    boot_id: str = ""
    inputs_ready: bool = False
    round: int = 0
    spots: tuple[Spot, ...] = ()
    lock: Lock | None = None
    wagers: tuple[AcceptedWager, ...] = ()
    swept_from_ns: int | None = None  # chips that leave from here on are the dealer's sweep
    game: GameRound | None = None  # what the game itself keeps of the round; None: nothing yet
    held_over: str | None = None  # a card that opens the next round
    settled: tuple[Stage, ...] = ()  # in the order in which they were
    outcomes: tuple[Outcome, ...] = ()
    called: tuple[CalledLine, ...] = ()
    awards: tuple[Award, ...] = ()
    next_award: int = 1
    next_slip: int = 1
    meters: tuple[Meter, ...] = ()
    tallies: tuple[Tally, ...] = ()
    parameters: tuple[MeterRule, ...] = ()  # ordered by two persons, not yet in force
    shoe: Shoe = field(default_factory=Shoe)
    noted: tuple[Noted, ...] = ()
    down: tuple[Down, ...] = ()
    menu: Menu | None = None
    timers: tuple[Timer, ...] = ()
    panel: Panel = field(default_factory=Panel)
    wheel: WheelMemory = field(default_factory=WheelMemory)
    hint: str = ""  # why the last key had no effect
    clearing: Approval | None = None  # who ordered that the journal be cleared
    software: Standing = field(default_factory=Standing)
    wall_trusted: bool = False  # whether wall time in the journal can be relied on from here on
    mystery: MysteryBonus | None = None  # None where the table has no such bonus
    draws: tuple[OpenDraw, ...] = ()
    next_draw: int = 1
    leases: tuple[Lease, ...] = ()
    next_lease: int = 1
    hardware: tuple[HardwareFact, ...] = ()  # what of the machine under the table is not known to be good

    def lent(self, device: str) -> bool:
        """Whether a technician has this device."""
        return any(device in lease.devices for lease in self.leases)

    def meter(self, name: str) -> Meter:
        """The meter of this name, which the table must have."""
        return next(meter for meter in self.meters if meter.name == name)

    @property
    def under_way(self) -> Phase:
        """The phase, or that in which the round was stopped: a stop does not move a round on."""
        return self.resume if self.phase is Phase.STOPPED and self.resume is not None else self.phase


def initial_state(rules: TableRules) -> State:
    """A new table's state: closed, every meter at its seed, put in by the house."""
    return State(
        spots=tuple(Spot(s.position, s.wager) for s in rules.spots),
        meters=tuple(Meter(m.name, shown_micro=m.seed_micro, seeded_micro=m.seed_micro) for m in rules.meters),
        tallies=tuple(Tally(offer.wager) for offer in rules.offers if offer.sensed),
        down=tuple(Down(name, "not started") for name in (*rules.devices, *rules.spot_devices)),
        mystery=None if rules.mystery is None else MysteryBonus(rules.mystery.meter),
    )
