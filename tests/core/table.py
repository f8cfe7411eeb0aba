"""A table in memory for tests of the core: drives `step` as the app would, on a clock of its own."""

from __future__ import annotations

from collections.abc import Iterable

from firmware.core import events as ev
from firmware.core import floor
from firmware.core.baccarat import Hand
from firmware.core.effects import DisplayShown, Effect, LampChanged, LampShow
from firmware.core.rounds.baccarat import round_of
from firmware.core.rules import Combination, MeterRule, OfferRule, SpotRule, TableRules, Timing
from firmware.core.screen import board, display, lamps
from firmware.core.state import Phase, State, initial_state
from firmware.core.step import step
from firmware.settings.paytables import load_catalogue

MS = 1_000_000
WAGERS = {
    "player": 2500,
    "banker": 2500,
    "tie": 500,
    "perfect_pairs_player": 500,
    "perfect_pairs_banker": 500,
    "player_pair": 500,
    "banker_pair": 500,
    "lucky_six": 500,
    "royal_9_progressive": 500,
}
KINGS_AND_NINES = [("KS", "9H"), ("KD", "9C"), ("KH", "9S"), ("KC", "9D"), ("KS", "9S"), ("KH", "9H"), ("KD", "9S")]


def rules(positions: int = 7, **changes: object) -> TableRules:
    values: dict[str, object] = {
        "table_id": "T",
        "game": "minibaccarat",
        "decks": 8,
        "positions": positions,
        "offers": tuple(
            OfferRule(w, {"royal_9_progressive": "5"}.get(w, "A" if "perfect" in w else "-"), True, "royal" in w, cents)
            for w, cents in WAGERS.items()
        ),
        "spots": tuple(SpotRule(p, w, c) for w, c in WAGERS.items() for p in range(1, positions + 1)),
        "meters": (
            MeterRule("royal_9.mega", "royal_9_progressive", 50_000_000_000, 15_000, 5_000, 50_000_000_000),
            MeterRule("royal_9.major", "royal_9_progressive", 450_000_000, 10_000, 2_500, 450_000_000),
            MeterRule("royal_9.minor", "royal_9_progressive", 450_000_000, 10_000, 2_500, 450_000_000),
        ),
        "combinations": tuple(Combination(p, *own) for p, own in enumerate(KINGS_AND_NINES[:positions], start=1)),
        "readings": (),
        "timing": Timing(),
        "rounds_after_cut": 1,
        "devices": ("lines", "shoe", "board"),
        "line_devices": ("lines",),
        "card_readers": ("shoe",),
        "catalogue": load_catalogue(),
    }
    return TableRules(**{**values, **changes})  # type: ignore[arg-type]


class Table:
    """Every event given and every effect seen, in order."""

    def __init__(self, table_rules: TableRules | None = None) -> None:
        self.rules = table_rules or rules()
        self.state: State = initial_state(self.rules)
        self.now_ns = 1_000 * MS
        self.events: list[ev.Event] = []
        self.effects: list[Effect] = []

    def do(self, event: ev.Event) -> tuple[Effect, ...]:
        self.events.append(event)
        self.state, effects = step(self.rules, self.state, event)
        self.effects.extend(effects)
        return effects

    def tick(self, ms: float = 1) -> int:
        self.now_ns += int(ms * MS)
        return self.now_ns

    # --- the day's start ---------------------------------------------------------------------------------------------

    def start(
        self, boot_id: str = "boot-1", covered: Iterable[tuple[int, str]] = (), lockout_down: bool = False
    ) -> None:
        self.do(ev.Started(self.tick(), 0, True, boot_id))
        spots = tuple(ev.CoveredSpot(*spot) for spot in covered)
        self.do(ev.InputsReady(self.tick(), spots, lockout_down, False, False))
        for device in self.rules.devices:
            self.do(ev.DeviceUp(device, self.tick()))

    def opened(self) -> Table:
        self.start()
        self.floor("OPEN TABLE", "NEW SHOE")
        assert self.state.phase is Phase.BETTING, self.state.phase
        return self

    # --- people ------------------------------------------------------------------------------------------------------

    def floor(self, *labels: str) -> None:
        """Turn the key, find each line, take it, turn the key back."""
        self.do(ev.FloorKeyTurned(True, self.tick()))
        for label in labels:
            for _ in range(200):
                shown = self.menu_line()
                if shown == label or (label.endswith("*") and shown.startswith(label[:-1])):
                    break
                self.key(ev.Key.CALL)
            else:
                raise AssertionError(f"no menu line {label!r}: {self.menu()}")
            self.key(ev.Key.CONFIRM)
            if self.state.hint == "LOOK: MENU CHANGED":
                self.key(ev.Key.CONFIRM)
        self.do(ev.FloorKeyTurned(False, self.tick()))

    def menu(self) -> list[str]:
        return [line.label for line in floor.lines(self.rules, self.state)]

    def menu_line(self) -> str:
        return display(self.rules, self.state).lines[1].strip()

    def key(self, key: ev.Key) -> None:
        self.do(ev.KeyPressed(key, self.tick()))

    def confirm(self) -> None:
        self.key(ev.Key.CONFIRM)

    def call(self) -> None:
        self.key(ev.Key.CALL)

    def clear(self) -> None:
        self.key(ev.Key.CLEAR)

    def see_to_awards(self) -> None:
        """Everything that the display asks for while awards are open, by whoever it is that is asked."""
        while self.state.phase is Phase.AWARD:
            self.see_to_one()

    def see_to_one(self) -> None:
        match self.shown()[1].split(" ")[0]:
            case "VERIFY" | "PAY":
                self.confirm()
            case "FLOOR:":
                self.floor("SLIP *")
            case "FLOOR":
                self.floor("AWARD P*")
            case "TURN":
                self.reset_key()
            case _:
                raise AssertionError(f"nobody is asked for anything: {self.shown()}")

    def reset_key(self) -> None:
        self.do(ev.ResetKeyTurned(True, self.tick()))
        self.do(ev.ResetKeyTurned(False, self.tick()))

    def place(self, position: int, wager: str) -> int:
        at_ns = self.tick(100)
        self.do(ev.ChipPlaced(position, wager, at_ns, at_ns))
        return at_ns

    def lift(self, position: int, wager: str) -> None:
        at_ns = self.tick(1)
        self.do(ev.ChipLifted(position, wager, at_ns, at_ns))

    def press(self) -> int:
        """The lock-out button: first edge, proved, released. Returns the press's time."""
        at_ns = self.tick(100)
        self.do(ev.LockEdge(at_ns))
        self.do(ev.LockProved(at_ns))
        return at_ns

    def verdicts(self, press_ns: int) -> tuple[ev.SpotVerdict, ...]:
        """What well-behaved inputs would say of the chips that the state knows."""
        out = []
        for s in self.state.spots:
            if s.chip is not None:
                before = s.chip.not_after_ns < press_ns
                out.append(
                    ev.SpotVerdict(
                        s.position,
                        s.wager,
                        before,
                        s.chip.not_before_ns,
                        s.chip.not_after_ns,
                        s.chip.not_before_ns < press_ns <= s.chip.not_after_ns,
                        False,
                        None,
                        s.chip.not_before_ns >= press_ns,
                    )
                )
        return tuple(out)

    def settle(self, press_ns: int, spots: tuple[ev.SpotVerdict, ...] | None = None) -> None:
        self.now_ns = max(self.now_ns, press_ns + 160 * MS)
        self.do(ev.InputsSettled(press_ns, 160 * MS, 0, self.verdicts(press_ns) if spots is None else spots))
        self.do(ev.LockReleased(self.tick(200)))

    def lock(self) -> None:
        self.settle(self.press())

    # --- the shoe ----------------------------------------------------------------------------------------------------

    def card(self, hand: Hand, card: str | None, index: int | None = None) -> None:
        held = round_of(self.state).hand(hand)
        self.do(ev.CardRead(hand, len(held) + 1 if index is None else index, card, self.tick(500), "00"))

    def deal(self, player: str, banker: str) -> None:
        """Both hands in the order of the tableau: "KS 9H 4D", "2C 3H"."""
        p, b = player.split(), banker.split()
        order = [(Hand.PLAYER, p[0]), (Hand.BANKER, b[0]), (Hand.PLAYER, p[1]), (Hand.BANKER, b[1])]
        order += [(Hand.PLAYER, c) for c in p[2:]] + [(Hand.BANKER, c) for c in b[2:]]
        for hand, card in order:
            self.card(hand, card)

    def result(self, winner: str, player_pair: bool = False, banker_pair: bool = False) -> None:
        self.do(ev.ReaderResult(winner, player_pair, banker_pair, self.tick(), "00"))

    # --- what is seen ------------------------------------------------------------------------------------------------

    def lamp(self, position: int, wager: str) -> LampShow:
        return next(x.show for x in lamps(self.state) if x.position == position and x.wager == wager)

    def lit(self) -> dict[tuple[int, str], LampShow]:
        return {(x.position, x.wager): x.show for x in lamps(self.state) if x.show is not LampShow.OFF}

    def shown(self) -> tuple[str, ...]:
        return tuple(line.strip() for line in display(self.rules, self.state).lines)

    def sign(self) -> str:
        content = board(self.rules, self.state)
        return content.message or " | ".join([content.title, *(f"{n} {v}" for n, v in content.fields)])

    def meter(self, name: str) -> int:
        return next(m.shown_micro for m in self.state.meters if m.name == f"royal_9.{name}")

    def irregularities(self) -> list[str]:
        return [e.kind for e in self.effects if type(e).__name__ == "IrregularityNoted"]  # type: ignore[union-attr]

    def saw(self, kind: type[Effect]) -> list[Effect]:
        return [e for e in self.effects if isinstance(e, kind)]


__all__ = ["MS", "DisplayShown", "Hand", "LampChanged", "LampShow", "Phase", "Table", "rules"]
