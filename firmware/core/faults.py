"""The irregularities a table knows: one row each, with what to tell the people at the table.

`stops`: the round stops until the floorperson has decided. `asks`: stays on the display until acknowledged.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Irregularity(StrEnum):
    LOCK_GLITCH = "lock_glitch"
    AUTO_LOCK = "auto_lock"
    CARD_BEFORE_CONFIRM = "card_before_confirm"
    DEALT_IN_DOUBT = "dealt_in_doubt"
    LATE_EDGE = "late_edge"
    CHIP_REMOVED = "chip_removed"
    STRADDLE = "straddle"
    LEVEL_CONTRADICTS = "level_contradicts"
    LOCK_INTERRUPTED = "lock_interrupted"
    INPUTS_OVERDUE = "inputs_overdue"
    MISMATCH = "mismatch"
    MISDEAL = "misdeal"
    UNREADABLE_CARD = "unreadable_card"
    CARD_OUT_OF_TURN = "card_out_of_turn"
    CARD_ON_NATURAL = "card_on_natural"
    ONE_TOO_MANY = "one_too_many"
    TOO_MANY_COPIES = "too_many_copies"
    CARD_WITHOUT_ROUND = "card_without_round"
    CARD_DURING_HOLD = "card_during_hold"
    SCAN_IGNORED = "scan_ignored"
    EXPOSED_CARD = "exposed_card"
    READER_SILENT = "reader_silent"
    READER_DISAGREES = "reader_disagrees"
    READER_ERROR = "reader_error"
    READER_DOWN = "reader_down"
    SPOTS_OFFLINE = "spots_offline"
    RESULT_NOT_READ = "result_not_read"
    SHOE_CHANGED = "shoe_changed"
    NOISE_BURST = "noise_burst"
    KEY_WIRING = "key_wiring"
    DOOR_OPEN = "door_open"
    SHOW_FAILED = "show_failed"
    JOURNAL_INTERRUPTED = "journal_interrupted"
    JOURNAL_REPLACED = "journal_replaced"
    PAYMENT_INTERRUPTED = "payment_interrupted"
    SOFTWARE_DIFFERS = "software_differs"
    CLOCK_STEPPED = "clock_stepped"
    MYSTERY_STOPPED = "mystery_stopped"
    HARDWARE_POOR = "hardware_poor"
    LAMP_DARK = "lamp_dark"
    NUMBER_AT_LOCK = "number_at_lock"
    NO_SPIN = "no_spin"
    BALL_OUT = "ball_out"
    NUMBERS_DIFFER = "numbers_differ"
    NUMBER_DOUBTED = "number_doubted"
    NUMBER_NOT_READ = "number_not_read"
    NUMBER_CHANGED = "number_changed"
    WHEEL_SILENT = "wheel_silent"
    WHEEL_FAULT = "wheel_fault"
    WHEEL_DOWN = "wheel_down"


class IrregularityRow(Struct, frozen=True):
    """`title` fits the dealer display (20 characters); `remedy` is for the floorperson, `check` for the technician."""

    title: str
    meaning: str
    remedy: str
    check: str
    stops: bool = False
    asks: bool = True


IRREGULARITIES: dict[Irregularity, IrregularityRow] = {
    Irregularity.LOCK_GLITCH: IrregularityRow(
        "LOCK-OUT GLITCH",
        "The lock-out button's contact did not stay closed for its stable time.",
        "None: the close was taken back and betting went on.",
        "hil status: lock-out line spikes, wiring",
        asks=False,
    ),
    Irregularity.AUTO_LOCK: IrregularityRow(
        "CARD BEFORE LOCK-OUT",
        "The first card came with no lock-out; betting was locked at the card's time.",
        "Confirm or cancel the wagers listed: those sensed in the second before the card.",
        "hil watch: lock-out button",
    ),
    Irregularity.CARD_BEFORE_CONFIRM: IrregularityRow(
        "CARD BEFORE CONFIRM",
        "A card was dealt before the chip count was confirmed; taken as confirmation.",
        "Compare the progressive chips with the board's count.",
        "hil watch: CONFIRM key",
    ),
    Irregularity.DEALT_IN_DOUBT: IrregularityRow(
        "DEALT IN DOUBT",
        "A card was dealt while wagers were in doubt.",
        "Confirm or cancel each position, then resume, or void the round.",
        "hil watch: spots, CONFIRM key",
        stops=True,
    ),
    Irregularity.LATE_EDGE: IrregularityRow(
        "LATE CHIP SIGNAL",
        "A chip's signal arrived after the decision window with an earlier time; nothing changed.",
        "Confirm or cancel the wager named; the journal has both times.",
        "hil status: lateness, processor load",
    ),
    Irregularity.CHIP_REMOVED: IrregularityRow(
        "CHIP REMOVED",
        "A chip left its spot after lock-out and before the count was confirmed; the wager stands.",
        "Confirm or cancel the position.",
        "hil watch: the spot",
    ),
    Irregularity.STRADDLE: IrregularityRow(
        "CHIP TIME UNCERTAIN",
        "Whether the chip lay there at the lock-out can't be said; it is not accepted.",
        "Return the chip, or void the round.",
        "hil status: lateness, reconciliation counter",
    ),
    Irregularity.LEVEL_CONTRADICTS: IrregularityRow(
        "SPOT CONTRADICTS",
        "The spot's level read disagrees with its edges; the position is closed for this round.",
        "Return the chip; have the sensor looked at.",
        "hil watch: the spot, reconciliation counter",
    ),
    Irregularity.LOCK_INTERRUPTED: IrregularityRow(
        "LOCK INTERRUPTED",
        "The daemon restarted, or the round stopped, inside the decision window; only wagers on record count.",
        "Compare the accepted wagers with the layout; void the round if they differ.",
        "tabled journal show",
    ),
    Irregularity.INPUTS_OVERDUE: IrregularityRow(
        "SENSORS SILENT",
        "The sensors did not answer after lock-out; only wagers already on record count.",
        "Compare the accepted wagers with the layout; void the round if they differ.",
        "hil status: lines",
    ),
    Irregularity.MISMATCH: IrregularityRow(
        "COUNT MISMATCH",
        "The dealer's chip count differs from the board's.",
        "Confirm or cancel each position, then the deal goes on.",
        "hil watch: spots",
    ),
    Irregularity.MISDEAL: IrregularityRow(
        "DEALER CALLED", "The dealer stopped the round.", "Resume or void the round.", "tabled journal show", stops=True
    ),
    Irregularity.UNREADABLE_CARD: IrregularityRow(
        "CARD NOT READ",
        "The reader could not read a card that a hand is due.",
        "Enter the card, or void the round.",
        "hil status: shoe",
        stops=True,
    ),
    Irregularity.CARD_OUT_OF_TURN: IrregularityRow(
        "CARD OUT OF TURN",
        "The reader gave a card to a hand that is not due one.",
        "Enter the card that is due, or void the round.",
        "hil status: shoe",
        stops=True,
    ),
    Irregularity.CARD_ON_NATURAL: IrregularityRow(
        "CARD ON A NATURAL",
        "A card was drawn although a hand holds a natural.",
        "Set the card aside, then resume, or void the round.",
        "hil status: shoe",
        stops=True,
    ),
    Irregularity.ONE_TOO_MANY: IrregularityRow(
        "ONE CARD TOO MANY",
        "A card was drawn although both hands are complete.",
        "Set the card aside, then resume, or void the round.",
        "hil status: shoe",
        stops=True,
    ),
    Irregularity.TOO_MANY_COPIES: IrregularityRow(
        "IMPOSSIBLE CARD",
        "More copies of a card were seen than the decks hold.",
        "Void the round and change the shoe.",
        "tabled journal show: cards of this shoe",
        stops=True,
    ),
    Irregularity.CARD_WITHOUT_ROUND: IrregularityRow(
        "CARD OUTSIDE A ROUND", "A card came while no round was in play.", "Set the card aside.", "hil status: shoe"
    ),
    Irregularity.CARD_DURING_HOLD: IrregularityRow(
        "CARD DURING HOLD",
        "A card was drawn while an award was waiting.",
        "Check the card's place on the layout; it counts if it was due.",
        "hil status: shoe",
    ),
    Irregularity.SCAN_IGNORED: IrregularityRow(
        "SCAN IGNORED",
        "A card was scanned while no hand was due one; it changes nothing.",
        "None, if the card had been scanned before; else deal only what the display asks for.",
        "tabled journal show",
        asks=False,
    ),
    Irregularity.EXPOSED_CARD: IrregularityRow(
        "EXPOSED CARD",
        "The card dealt last was set aside: it was exposed, or drawn in error. Its hand is due the next card.",
        "Put it into the discard rack, then resume, or void the round.",
        "tabled journal show",
    ),
    Irregularity.READER_SILENT: IrregularityRow(
        "SHOE SILENT",
        "A card is due and the reader has reported none for a minute.",
        "Deal on; if the reader is dead, enter the cards or void the round.",
        "hil status: shoe",
    ),
    Irregularity.READER_DISAGREES: IrregularityRow(
        "READER DISAGREES",
        "The reader's result is not ours.",
        "Compare the cards on the layout with the display; resume or void.",
        "tabled journal show",
        stops=True,
    ),
    Irregularity.READER_ERROR: IrregularityRow(
        "READER ERROR", "The reader reports an error of its own.", "Clear the error at the shoe.", "hil status: shoe"
    ),
    Irregularity.READER_DOWN: IrregularityRow(
        "SHOE OFFLINE",
        "The reader's link is down.",
        "Check cable and power; enter the cards that are due, or void the round.",
        "hil status: shoe",
    ),
    Irregularity.SPOTS_OFFLINE: IrregularityRow(
        "POSITIONS CLOSED",
        "The device that senses these positions is away. They take no wagers, the others play on; what a round had "
        "accepted stands.",
        "Return chips that lie there and are not accepted. They open again by themselves once the device is back.",
        "hil status: the device named; its power, cable and address",
    ),
    Irregularity.RESULT_NOT_READ: IrregularityRow(
        "NO READER RESULT",
        "The reader did not report its own result; ours could not be cross-checked.",
        "Compare the cards on the layout with the display.",
        "hil status: shoe",
    ),
    Irregularity.SHOE_CHANGED: IrregularityRow(
        "SHOE CHANGED",
        "The reader reports a new shoe while a round is in play.",
        "Void the round, or resume if the shoe was not changed.",
        "hil status: shoe",
        stops=True,
    ),
    Irregularity.NOISE_BURST: IrregularityRow(
        "NOISE ON ALL LINES",
        "Edges on nearly all lines at once that went away again; nothing changed.",
        "None.",
        "hil status: supply, grounding, cable",
        asks=False,
    ),
    Irregularity.KEY_WIRING: IrregularityRow(
        "KEY OR BUTTON FAULT",
        "A key, button or door line is out of order: it chatters, or its two contacts contradict each other.",
        "Call a technician; it is out of use.",
        "hil watch: its lines",
    ),
    Irregularity.DOOR_OPEN: IrregularityRow(
        "DOOR WAS OPENED",
        "The door of the meters' compartment was opened.",
        "Find out by whom, and put it on the access log.",
        "hil watch: the door's line",
    ),
    Irregularity.SHOW_FAILED: IrregularityRow(
        "DISPLAY FAILED",
        "An output could not be shown.",
        "Watch the other displays; call a technician.",
        "hil status: lamps, board, display",
    ),
    Irregularity.JOURNAL_INTERRUPTED: IrregularityRow(
        "JOURNAL INTERRUPTED",
        "The journal could not be written for a while; nothing was shown in that time.",
        "Compare the table with the display before going on.",
        "tabled journal verify",
    ),
    Irregularity.JOURNAL_REPLACED: IrregularityRow(
        "JOURNAL REPLACED",
        "The journal was cleared, or brought back from a copy: meters may differ from what the sign showed before.",
        "Compare the meters with the last record, and correct them by order.",
        "tabled journal show",
    ),
    Irregularity.PAYMENT_INTERRUPTED: IrregularityRow(
        "PAID BEFORE RESTART?",
        "The daemon restarted after an award was validated and before the dealer confirmed that it was paid.",
        "Find out whether the patron has been paid, pay if not, then CONFIRM.",
        "tabled journal show",
    ),
    Irregularity.SOFTWARE_DIFFERS: IrregularityRow(
        "SOFTWARE DIFFERS",
        "Software or configuration is not what the signed manifest approves; no wagers are taken.",
        "Call a technician: install what is approved, or turn both keys and let two persons accept by order.",
        "hil status; tabled manifest check; tabled order accept-difference",
    ),
    Irregularity.CLOCK_STEPPED: IrregularityRow(
        "WALL CLOCK WAS SET",
        "The time of day jumped. No timer, no order of entries and no award follows it.",
        "None.",
        "tabled journal show --type WallClockStepped; time synchronization of the machine",
        asks=False,
    ),
    Irregularity.MYSTERY_STOPPED: IrregularityRow(
        "MYSTERY STOPPED",
        "The secret of the mystery bonus can't be read: nothing feeds it and nobody can win it.",
        "Tell patrons, and call a technician: bring the key file back and start the daemon again. It is never redrawn.",
        "tabled journal draws; the file named by mystery.key_file",
    ),
    Irregularity.HARDWARE_POOR: IrregularityRow(
        "MACHINE IN TROUBLE",
        "The computer in the table is outside a limit: supply, heat, card, disk or clock.",
        "Call a technician; the table plays on while its devices do.",
        "hil check: its hardware facts",
        asks=False,
    ),
    Irregularity.LAMP_DARK: IrregularityRow(
        "LAMP IS DARK",
        "In the lamp test at the opening the dealer did not see every lamp lit.",
        "Have the lamp mended, then open the table again; or take its position out of service where the house opens "
        "with a dark lamp.",
        "hil lamp walk",
    ),
    Irregularity.NUMBER_AT_LOCK: IrregularityRow(
        "NUMBER BEFORE LOCK",
        "The wheel told a number while betting was open, or before the accepted wagers were final.",
        "Confirm or cancel the wagers in doubt, then resume; or void the round.",
        "hil watch: lock-out button",
        stops=True,
    ),
    Irregularity.NO_SPIN: IrregularityRow(
        "NO SPIN",
        "The spin is void by the wheel's own rules, or the ball rests on 00 of a single zero wheel.",
        "Announce no spin and spin again; the wagers stand.",
        "hil wheel trace",
    ),
    Irregularity.BALL_OUT: IrregularityRow(
        "BALL OUT OF WHEEL",
        "The wheel does not see the ball: it left the wheel or was removed.",
        "Find and inspect the ball, announce no spin and spin again; the wagers stand.",
        "hil wheel trace",
    ),
    Irregularity.NUMBERS_DIFFER: IrregularityRow(
        "NUMBERS DIFFER",
        "Two readers of the wheel told different numbers.",
        "Look at the wheel: CONFIRM the number shown, or CALL and take the right one from the menu.",
        "hil wheel trace",
    ),
    Irregularity.NUMBER_DOUBTED: IrregularityRow(
        "NUMBER IN DOUBT",
        "A wheel reader told two numbers for a spin, or one that nothing bears out.",
        "Look at the wheel: CONFIRM the number shown, or CALL and take the right one from the menu.",
        "hil wheel trace",
    ),
    Irregularity.NUMBER_NOT_READ: IrregularityRow(
        "ONE READER IS SILENT",
        "Of two readers one told the number and the other did not.",
        "Look at the wheel: CONFIRM the number shown, or CALL and enter the right one.",
        "hil status: the wheel's readers",
    ),
    Irregularity.NUMBER_CHANGED: IrregularityRow(
        "NUMBER CHANGED",
        "After the round was settled a reader told another number for the spin, or put it in doubt.",
        "Look at the wheel: resume if the number shown is right, else void the round.",
        "hil wheel trace",
        stops=True,
    ),
    Irregularity.WHEEL_SILENT: IrregularityRow(
        "WHEEL SILENT",
        "Betting has been closed for three minutes and no reader has told a number.",
        "Spin if the ball was not spun; else enter the number, or void the round.",
        "hil status: wheel",
    ),
    Irregularity.WHEEL_FAULT: IrregularityRow(
        "WHEEL FAULT",
        "The wheel reports a fault of its own, or its reader was reset.",
        "See to the wheel; spin again if it voided the spin.",
        "hil wheel trace",
    ),
    Irregularity.WHEEL_DOWN: IrregularityRow(
        "WHEEL OFFLINE",
        "The link to a reader of the wheel is down while a number is awaited.",
        "Check cable and power; enter the number, or void the round.",
        "hil status: wheel",
    ),
}
