"""Dealer, floorperson and patrons for tests: they do what the dealer display asks for, whatever happened before.

Rules:
* They look at the display and at what lies on the table, never into the daemon. So they can go on after it was killed
  at any point: a key that was lost is pressed again, a card that was drawn unseen is entered by the floorperson.
* What they do to the table stays done (`Bench` is the physical table): chips lie, cards are out of the shoe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from firmware.core.baccarat import Hand, next_card, points
from firmware.core.cards import Card
from firmware.core.events import Key

MOST_STEPS = 400
MENU_LIMIT = 120


class StuckError(AssertionError):
    """The display asks for nothing that people could do."""


class Bench(Protocol):
    """The physical table, as hands and eyes know it. Every action returns when the table has answered it."""

    def display(self) -> tuple[str, ...]:
        """The four lines, stripped."""

    def chip(self, position: int, wager: str, covered: bool) -> None: ...

    def chips(self) -> set[tuple[int, str]]:
        """What lies on the layout."""

    def lock_out(self) -> None:
        """Press and let go, and wait until betting is closed for good."""

    def key(self, key: Key) -> None: ...

    def floor_key(self, turned: bool) -> None: ...

    def floor_key_turned(self) -> bool: ...

    def reset_key(self) -> None:
        """Turn and turn back."""

    def card(self, hand: Hand, index: int, card: str) -> None: ...

    def result(self, winner: str, player_pair: bool, banker_pair: bool) -> None: ...

    def wait(self) -> None:
        """A device is away, or the decision window runs: a moment later the display says something else."""


@dataclass
class Script:
    """One round, and how far it has physically come."""

    chips: Sequence[tuple[int, str]]
    player: Sequence[str]
    banker: Sequence[str]
    void: bool = False  # the dealer calls a misdeal after the second card, the floorperson voids
    void_award: bool = False  # the same, but only when an award is already locked
    new_shoe: bool = False  # the floorperson opens a new shoe before betting closes
    drawn: dict[Hand, int] = field(default_factory=lambda: {Hand.PLAYER: 0, Hand.BANKER: 0})
    placed: bool = False
    shoe_opened: bool = False
    result_said: bool = False
    called: bool = False
    voided: bool = False
    collected: bool = False

    def cards(self, hand: Hand) -> Sequence[str]:
        return self.player if hand is Hand.PLAYER else self.banker

    def check(self) -> None:
        """The tableau deals these cards and no others."""
        player, banker = [Card.parse(c) for c in self.player], [Card.parse(c) for c in self.banker]
        held: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
        given = {Hand.PLAYER: player, Hand.BANKER: banker}
        while (hand := next_card(held[Hand.PLAYER], held[Hand.BANKER])) is not None:
            held[hand] = (*held[hand], given[hand][len(held[hand])])
        assert list(held[Hand.PLAYER]) == player, self
        assert list(held[Hand.BANKER]) == banker, self


class Dealer:
    """Plays scripts on a bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def play(self, script: Script) -> None:
        """Until the table is cleared and takes bets or wants a shoe. May be called again for the same script."""
        for _ in range(MOST_STEPS):
            if self.step(script):
                return
        raise StuckError(f"{MOST_STEPS} steps and no end: {self.bench.display()}")

    def step(self, script: Script) -> bool:
        """Do what the display asks for now; True when this round is over and the next may begin."""
        bench = self.bench
        if bench.floor_key_turned():
            bench.floor_key(False)
        first, second, third, _ = bench.display()
        match first:
            case "TABLE CLOSED":
                self.floor("OPEN TABLE")
            case "NEW SHOE NEEDED" if not script.collected:
                self.floor("NEW SHOE")
            case "BETTING OPEN" if not script.collected:
                self._bet(script)
            case "BETTING OPEN" | "NEW SHOE NEEDED":
                return True
            case "COUNT CHIPS":
                if third == "CALL FLOORPERSON":
                    self.floor("CONFIRM P*")
                else:
                    bench.key(Key.CONFIRM)
            case "DEAL":
                hand, _, index = second.split()  # "PLAYER CARD 3"
                self._deal(script, hand, int(index))
            case "PLAY THE HANDS" if second.endswith("CONFIRM"):
                bench.key(Key.CONFIRM)
            case _ if first.startswith("AWARD") and script.void_award and not script.called:
                script.called = True
                bench.key(Key.CALL)
            case _ if first.split(" ")[0] == "AWARD":
                self._award(second)
            case "WAIT FOR READER" if not script.result_said:
                self._say_result(script)
            case "WAIT FOR READER":  # the daemon was away when the reader said it
                bench.key(Key.CALL)
            case "ROUND STOPPED" if (script.void or script.void_award) and not script.voided:
                self.floor("VOID ROUND")
                script.voided = True
            case "ROUND STOPPED":
                self.floor("RESUME ROUND")
            case "PAY AND COLLECT" | "ROUND VOID" | "PLAY THE HANDS":
                for position, wager in sorted(bench.chips()):
                    bench.chip(position, wager, False)
                script.collected = True
                bench.key(Key.CLEAR)
            case "NO WAGERS" | "BETTING CLOSED":
                bench.wait()
            case _:
                raise StuckError(f"nobody knows what to do: {bench.display()}")
        return False

    def floor(self, label: str) -> None:
        """Turn the key, step to the line (a prefix where it ends in "*"), take it, turn the key back."""
        bench = self.bench
        bench.floor_key(True)
        for _ in range(MENU_LIMIT):
            shown = bench.display()[1]
            if shown == label or (label.endswith("*") and shown.startswith(label[:-1])):
                break
            bench.key(Key.CALL)
        else:
            raise StuckError(f"no menu line {label!r}: {bench.display()}")
        bench.key(Key.CONFIRM)
        bench.floor_key(False)

    def _bet(self, script: Script) -> None:
        if script.new_shoe and not script.shoe_opened:
            self.floor("NEW SHOE")
            script.shoe_opened = True
        for position, wager in script.chips:
            if (position, wager) not in self.bench.chips():
                self.bench.chip(position, wager, True)
        self.bench.lock_out()

    def _deal(self, script: Script, name: str, index: int) -> None:
        hand = Hand[name]
        card = script.cards(hand)[index - 1]
        if script.drawn[hand] >= index:  # it came out of the shoe while the daemon was away
            self._enter(name, card)
            return
        if script.void and not script.called and hand is Hand.PLAYER and index == 2:
            script.called = True
            self.bench.key(Key.CALL)
            return
        script.drawn[hand] += 1
        self.bench.card(hand, index, card)

    def _award(self, asked: str) -> None:
        match asked.split(" ")[0]:
            case "VERIFY" | "PAY":
                self.bench.key(Key.CONFIRM)
            case "FLOOR:":
                self.floor("SLIP *")
            case "FLOOR":
                self.floor("AWARD P*")
            case "TURN":
                self.bench.reset_key()
            case _:
                raise StuckError(f"nobody knows what to do: {self.bench.display()}")

    def _enter(self, hand: str, card: str) -> None:
        """A menu of three levels in one turn of the key: the card's rank, then its suit."""
        bench = self.bench
        parsed = Card.parse(card)
        bench.floor_key(True)
        for label in (f"ENTER {hand} CARD", f"CARD {parsed.rank}?", f"CARD {parsed.rank} {parsed.suit.name}?"):
            for _ in range(MENU_LIMIT):
                if bench.display()[1] == label:
                    break
                bench.key(Key.CALL)
            else:
                raise StuckError(f"no menu line {label!r}: {bench.display()}")
            bench.key(Key.CONFIRM)
        bench.floor_key(False)

    def _say_result(self, script: Script) -> None:
        player, banker = tuple(map(Card.parse, script.player)), tuple(map(Card.parse, script.banker))
        lead = points(player) - points(banker)
        winner = "tie" if lead == 0 else "player" if lead > 0 else "banker"
        script.result_said = True
        self.bench.result(winner, player[0].rank is player[1].rank, banker[0].rank is banker[1].rank)
