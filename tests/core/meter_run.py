"""A table that is bet on at random, won, voided, corrected, closed and restarted, its meters reckoned beside.

`python -m tests.core.meter_run [--wagers N] [--seed N]` plays a million wagers through the core and prints how long the
invariant held; the tests play some hundred on every kind of table.

Rules: the second account is made from what the casino would know (chips taken, slips paid, orders given), not from the
core's effects; the core's own invariant is checked by `step` after every event.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from msgspec.structs import replace

from firmware.app.program import codec
from firmware.core import awards
from firmware.core import events as ev
from firmware.core import order_effects as ofx
from firmware.core.order_data import Account, Approval, CorrectMeter, Order, Overflow, Transfer, TransferIn, TransferOut
from firmware.core.pays import Dollars
from firmware.core.paytables import Catalogue, WagerText
from firmware.core.rounds.baccarat import round_of
from firmware.core.rules import ReadingRule, TableRules
from firmware.core.state import AwardStatus, Meter, Phase, Service
from tests.core.table import KINGS_AND_NINES, Table, rules

ROYAL = "royal_9_progressive"
CENT = 10_000
TWO = Approval("Ann Lee", "Bob Roe", "a meter run")
ROUNDS_A_SHOE = 4
"""Eight hands: no card can come more often than eight decks have it."""

TABLES: dict[str, tuple[dict[str, object], tuple[ReadingRule, ...]]] = {
    "plain": ({}, ()),
    "limit, overflow feeds the reseed": ({"limit_micro": 451_000_000, "hidden_ppm": 1_000}, ()),
    "limit, overflow kept": ({"limit_micro": 450_200_000, "overflow": Overflow.KEEP}, ()),
    "reseed from the reserve": ({"reseed_micro": None, "reserve_ppm": 40_000}, ()),
    "small reseed, reserve into the meter": (
        {"seed_micro": 3_000_000, "reseed_micro": 1_000_000, "reserve_ppm": 40_000},
        (ReadingRule("X17", "max"),),
    ),
    "every winner the whole meter": ({}, (ReadingRule("X4", "each"),)),
    "reserve as a second meter": ({}, (ReadingRule("X15", "second_meter"),)),
    "increments stand when a round is void": ({}, (ReadingRule("X22", "refund_only"),)),
}
"""Name -> parameters of every meter (a mega of $50,000 is rarely won), and readings."""


def table_rules(name: str) -> TableRules:
    changes, readings = TABLES[name]
    plain = rules()
    figures = {"seed_micro": 450_000_000, "reseed_micro": 450_000_000, **changes}
    meters = tuple(replace(rule, **figures) for rule in plain.meters)
    texts = (text for text in plain.catalogue.texts if text.game == plain.game)
    return replace(plain, meters=meters, readings=readings, catalogue=Catalogue(map(_any_seed, texts)))


def _any_seed(text: WagerText) -> WagerText:
    """The regulation's paytable with a dollar as the least seed, so that small meters can be played too."""
    paytables = tuple(
        dataclasses.replace(table, seeds=tuple(replace(seed, amount=Dollars(100)) for seed in table.seeds))
        for table in text.paytables
    )
    return replace(text, paytables=paytables)


@dataclass
class Account2:
    """One meter as the casino's books have it: what was paid in for it, what was paid out for it."""

    paid_in: int = 0
    paid_out: int = 0


@dataclass
class Run:
    """One evening after another."""

    name: str
    chance: random.Random
    table: Table = field(init=False)
    books: dict[str, Account2] = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.table = Table(table_rules(self.name))
        self.books = {m.name: Account2(paid_in=m.shown_micro) for m in self.table.state.meters}
        self.table.opened()

    def play(self, wagers: int) -> None:
        """Play until so many progressive wagers were accepted."""
        while self.counts["wagers"] < wagers:
            self.round()
            self.between_rounds()
            self.table.events.clear()
            self.table.effects.clear()
            self.compare()

    # --- a round ----------------------------------------------------------------------------------------------------

    def round(self) -> None:
        table, chance = self.table, self.chance
        positions = [p for p in range(1, 8) if chance.random() < 0.7]
        for position in positions:
            table.place(position, ROYAL)
        if chance.random() < 0.1:
            table.place(1, "player")
        table.lock()
        self.counts["wagers"] += len(positions)
        for rule in table.rules.meters:
            self.books[rule.name].paid_in += (
                len(positions) * 5 * (rule.increment_ppm + rule.reserve_ppm + rule.hidden_ppm)
            )
        if positions and chance.random() < 0.05:
            table.call()
            for position in positions:
                self.decide(position)
        elif chance.random() < 0.05:
            self.void()
            self.lift_all()
            return
        if table.state.phase is Phase.COUNTING:
            table.confirm()
        if chance.random() < 0.05:
            self.restart()
        table.deal(self.hand(), self.hand())
        self.awards()
        if table.state.phase is Phase.CHECKING:
            if chance.random() < 0.05:
                self.restart()
            table.result(self.winner())
        if table.state.phase is Phase.RESULT and chance.random() < 0.04 and not self.decided():
            self.void()
        table.clear()
        self.lift_all()

    def decide(self, position: int) -> None:
        """A mismatch: the floorperson cancels or confirms each position."""
        cancel = self.chance.random() < 0.4
        self.table.floor(f"{'CANCEL' if cancel else 'CONFIRM'} P{position} ROYAL 9*"[:40])
        if cancel:
            self.counts["cancelled"] += 1
            self.given_back(1)

    def void(self) -> None:
        wagers = sum(w.wager == ROYAL for w in self.table.state.wagers)
        self.table.floor("VOID ROUND")
        assert self.table.state.phase is Phase.VOIDED
        self.counts["voids"] += 1
        self.given_back(wagers)
        self.table.clear()

    def given_back(self, wagers: int) -> None:
        """The patron gets the chip back; with X22 "refund_only" the house puts in what the meter keeps."""
        if self.table.rules.table_readings().X22 == "refund_only":
            return
        for rule in self.table.rules.meters:
            self.books[rule.name].paid_out += wagers * 5 * (rule.increment_ppm + rule.reserve_ppm + rule.hidden_ppm)

    def decided(self) -> bool:
        return awards.any_decided(self.table.state)

    def hand(self) -> str:
        """Two cards on which no third is drawn if the other hand is one of these too."""
        if self.chance.random() < 0.5:
            king, nine = self.chance.choice(KINGS_AND_NINES)
            return f"{king} {nine}"
        return self.chance.choice(["TS 8S", "QD 9H", "JH 9D", "5C 3D", "KC 8H"])

    def winner(self) -> str:
        points = [
            sum(int(dealt.card[0]) for dealt in hand if dealt.card[0].isdigit()) % 10  # no aces are dealt here
            for hand in (round_of(self.table.state).player, round_of(self.table.state).banker)
        ]
        return "tie" if points[0] == points[1] else "player" if points[0] > points[1] else "banker"

    def awards(self) -> None:
        """Everybody does what the display asks for; now and then the power goes between two acts."""
        table = self.table
        for _ in range(100):
            if table.state.phase is not Phase.AWARD:
                return
            if self.chance.random() < 0.1:
                self.restart()
            before = {m.name: m for m in table.state.meters}
            due = [a for a in table.state.awards if a.status is AwardStatus.PAID and a.meter is not None]
            table.see_to_one()
            for name in sorted({a.meter for a in due if a.meter is not None}):
                won = [a for a in due if a.meter == name]
                if next(m for m in table.state.meters if m.name == name).hits > before[name].hits:
                    self.won(before[name], sum(a.cents for a in won), len(won))
        raise AssertionError("the awards never end")

    def won(self, before: Meter, cents: int, winners: int) -> None:
        """The slips are paid; the house puts in what the pools did not have for the reseed."""
        self.counts[f"won {before.name}"] += 1
        rule = next(rule for rule in self.table.rules.meters if rule.name == before.name)
        shown_cents = before.shown_micro // CENT
        assert cents == shown_cents * (winners if self.table.rules.chosen_readings().X4 == "each" else 1)
        after = next(m for m in self.table.state.meters if m.name == before.name)
        book = self.books[before.name]
        book.paid_out += cents * CENT
        book.paid_in += (cents - shown_cents) * CENT
        pools = before.reserve_micro + before.hidden_micro + before.overflow_micro
        pools -= after.reserve_micro + after.hidden_micro + after.overflow_micro
        value = after.shown_micro - before.shown_micro % CENT
        if rule.reseed_micro is not None and self.table.rules.chosen_readings().X17 == "seed":
            assert value == rule.reseed_micro
        book.paid_in += value - pools

    def lift_all(self) -> None:
        for spot in self.table.state.spots:
            if spot.chip is not None:
                self.table.lift(spot.position, spot.wager)

    # --- between rounds ---------------------------------------------------------------------------------------------

    def between_rounds(self) -> None:
        self.counts["rounds"] += 1
        if self.counts["rounds"] % ROUNDS_A_SHOE == 0:
            self.table.floor("NEW SHOE")
        if self.chance.random() < 0.05:
            self.close_and_order()
        out = {s.position for s in self.table.state.spots if s.service is not Service.IN}
        for position in sorted(out):
            self.table.floor(f"POS {position} IN SERVICE")
        assert self.table.state.phase is Phase.BETTING, (self.table.state.noted, self.table.menu())

    def restart(self) -> None:
        """The power went: the state is what was durable, and nothing else is known."""
        table = self.table
        self.counts["restarts"] += 1
        table.state = codec().states.decode(codec().states.encode(table.state))
        covered = [(s.position, s.wager) for s in table.state.spots if s.chip is not None]
        table.start(f"boot-{self.counts['restarts'] + 1}", covered)

    def close_and_order(self) -> None:
        table = self.table
        table.floor("CLOSE TABLE")
        table.do(ev.FloorKeyTurned(True, table.tick()))
        table.do(ev.ResetKeyTurned(True, table.tick()))
        for _ in range(3):
            self.order(*self.an_order())
        table.do(ev.ResetKeyTurned(False, table.tick()))
        table.do(ev.FloorKeyTurned(False, table.tick()))
        if self.chance.random() < 0.5:
            self.restart()
        table.floor("OPEN TABLE")

    def an_order(self) -> tuple[Order, dict[str, int]]:
        """An order, and what it adds to the books of each meter; half of them state what is not so."""
        chance = self.chance
        one, other = chance.sample(self.table.state.meters, 2)
        account = chance.choice(list(Account))
        holds = getattr(one, f"{account}_micro")
        was = holds + chance.choice([0, 0, 0, 1])
        micro = chance.randrange(holds // 100 + 2)
        match chance.randrange(4):
            case 0:
                return CorrectMeter(one.name, account, was, holds - micro), {one.name: -micro}
            case 1:
                to = chance.choice(list(Account))
                return Transfer(one.name, account, was, micro, other.name, to), {one.name: -micro, other.name: micro}
            case 2:
                return TransferOut(one.name, account, was, micro, "table 9"), {one.name: -micro}
            case _:
                return TransferIn(one.name, account, was, micro, "table 9"), {one.name: micro}

    def order(self, order: Order, moved: dict[str, int]) -> None:
        before = self.table.state.meters
        effects = self.table.do(ev.OrderGiven(order, TWO, self.table.tick()))
        if any(isinstance(effect, ofx.OrderTaken) for effect in effects):
            self.counts["orders"] += 1
            for name, micro in moved.items():
                if micro > 0:
                    self.books[name].paid_in += micro
                else:
                    self.books[name].paid_out -= micro
        else:
            self.counts["orders refused"] += 1
            assert self.table.state.meters == before

    # --- the books --------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        for meter in self.table.state.meters:
            holds = meter.shown_micro + meter.reserve_micro + meter.hidden_micro + meter.overflow_micro
            book = self.books[meter.name]
            assert holds == book.paid_in - book.paid_out, (self.name, self.counts, meter, book)
        tally = next(t for t in self.table.state.tallies if t.wager == ROYAL)
        assert (tally.wagers, tally.coin_in_cents) == (self.counts["wagers"], self.counts["wagers"] * 500)


def main() -> None:
    parser = argparse.ArgumentParser(description="A million wagers, and every meter to the micro-dollar.")
    parser.add_argument("--wagers", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name in TABLES:
        began = time.monotonic()
        run = Run(name, random.Random(f"{chosen.seed} {name}"))
        run.play(chosen.wagers // len(TABLES))
        print(f"{name}: {dict(sorted(run.counts.items()))}; held in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
