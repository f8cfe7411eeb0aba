"""Whatever happens in whatever order: the core never raises, the books balance, and people can always go on.

A hypothesis state machine over the pure core. Events come as the world would send them and as nonsense; after any of
them a floorperson and a dealer who read the display bring the table back to open betting.
"""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core import meters, screen
from firmware.core.baccarat import Hand
from firmware.core.cards import DECK
from firmware.core.rounds import baccarat
from firmware.core.rounds.baccarat import round_of
from firmware.core.rules import TableRules
from firmware.core.state import Phase, initial_state
from firmware.core.step import step
from tests.core.table import MS, WAGERS, Table, rules
from tests.dealer import Dealer, Script


def _with_a_board(one: TableRules) -> TableRules:
    """Position 2 is sensed by a device of its own."""
    spots = tuple(replace(s, device="west" if s.position == 2 else "lines") for s in one.spots)
    return replace(one, spots=spots, spot_devices=("west",))


RULES = _with_a_board(rules(positions=2))
LINE_DEVICES = (*RULES.devices, *RULES.spot_devices)
SPOTS = st.tuples(st.integers(1, 2), st.sampled_from(sorted(WAGERS)))
CARDS = st.sampled_from([str(card) for card in DECK])
ROYAL = st.sampled_from(["KS", "9H", "KD", "9C", "KH", "9S"])  # cards that win meters, else no run would see an award
NUMBERS = st.integers(0, 5_000 * MS)
WINNERS = st.sampled_from(["player", "banker", "tie", "forced_end"])


class CoreBench:
    """`tests.dealer.Bench` with the core at once behind it."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def display(self) -> tuple[str, ...]:
        return self.table.shown()

    def chip(self, position: int, wager: str, covered: bool) -> None:
        if covered:
            self.table.place(position, wager)
        else:
            self.table.lift(position, wager)

    def chips(self) -> set[tuple[int, str]]:
        return {(s.position, s.wager) for s in self.table.state.spots if s.chip is not None}

    def lock_out(self) -> None:
        self.table.lock()

    def key(self, key: ev.Key) -> None:
        self.table.key(key)

    def floor_key(self, turned: bool) -> None:
        self.table.do(ev.FloorKeyTurned(turned, self.table.tick()))

    def floor_key_turned(self) -> bool:
        return self.table.state.panel.floor_turned

    def reset_key(self) -> None:
        self.table.reset_key()

    def card(self, hand: Hand, index: int, card: str) -> None:
        self.table.card(hand, card, index)

    def result(self, winner: str, player_pair: bool, banker_pair: bool) -> None:
        self.table.result(winner, player_pair, banker_pair)

    def wait(self) -> None:
        """Time passes, a finger leaves the button, a device comes back."""
        for timer in self.table.state.timers:
            self.table.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))
        self.table.do(ev.LockReleased(self.table.tick()))
        for down in self.table.state.down:
            if down.device == "west":
                self.table.do(ev.SpotsReady("west", self.table.tick(), ()))
            self.table.do(ev.DeviceUp(down.device, self.table.tick()))


class AnyOrder(RuleBasedStateMachine):
    """Rules that the world keeps to are chosen more often than nonsense, so that runs get deep into a round."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(RULES)
        self.accepted: dict[tuple[int, str], int] = {}
        self.round_effects = 0  # effects before this one belong to ended rounds
        self.awards: dict[int, str] = {}  # the last act of each award of this round
        self.award_effects = 0
        self.slips = 0

    @initialize(opened=st.booleans())
    def start(self, opened: bool) -> None:
        self.table.start()
        self.table.do(ev.SpotsReady("west", self.table.tick(), ()))
        if opened:
            self.table.floor("OPEN TABLE", "NEW SHOE")

    # --- as the world does it ---------------------------------------------------------------------------------------

    @rule(spot=SPOTS)
    def chip(self, spot: tuple[int, str]) -> None:
        self.table.place(*spot)

    @rule(spot=st.sampled_from([(p, "royal_9_progressive") for p in (1, 2)]))
    def progressive_chip(self, spot: tuple[int, str]) -> None:
        self.table.place(*spot)

    @rule(spot=SPOTS)
    def lift(self, spot: tuple[int, str]) -> None:
        self.table.lift(*spot)

    @rule(steps=st.integers(1, 12))
    def people_go_on(self, steps: int) -> None:
        """They do what the display says; so runs get through rounds, with the other rules in between."""
        dealer, script = Dealer(CoreBench(self.table)), Finish(self.table)
        if self.table.state.inputs_ready and not self.table.state.panel.wiring:
            for _ in range(steps):
                script.collected = False
                dealer.step(script)

    @rule()
    def lock_out(self) -> None:
        self.table.lock()

    @rule()
    def press_only(self) -> None:
        self.table.press()

    @rule(key=st.sampled_from(ev.Key))
    def key(self, key: ev.Key) -> None:
        self.table.key(key)

    @rule()
    def menu_line(self) -> None:
        """Something that the floorperson may do now."""
        self.table.do(ev.FloorKeyTurned(True, self.table.tick()))
        self.table.confirm()
        self.table.do(ev.FloorKeyTurned(False, self.table.tick()))

    @rule(card=CARDS | ROYAL | ROYAL)
    def due_card(self, card: str) -> None:
        due = baccarat.BACCARAT.due(self.table.state)
        if due is not None:
            self.table.card(Hand(due.hand), card)

    @rule()
    def true_result(self) -> None:
        state = self.table.state
        if state.phase is Phase.CHECKING:
            ours = baccarat._our_result(state)
            self.table.result(ours.winner, ours.player_pair, ours.banker_pair)

    @rule()
    def reset_key(self) -> None:
        self.table.reset_key()

    @rule()
    def timers(self) -> None:
        for timer in self.table.state.timers:
            self.table.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))

    # --- nonsense, faults and power cuts ----------------------------------------------------------------------------

    @rule(hand=st.sampled_from(Hand), index=st.integers(1, 4), card=CARDS | st.none())
    def any_card(self, hand: Hand, index: int, card: str | None) -> None:
        self.table.card(hand, card, index)

    @rule(winner=WINNERS, player_pair=st.booleans(), banker_pair=st.booleans())
    def any_result(self, winner: str, player_pair: bool, banker_pair: bool) -> None:
        self.table.result(winner, player_pair, banker_pair)

    @rule(back_ns=NUMBERS, spot=SPOTS, flags=st.tuples(*[st.booleans()] * 4), late_ns=NUMBERS)
    def any_verdict(self, back_ns: int, spot: tuple[int, str], flags: tuple[bool, ...], late_ns: int) -> None:
        """Evidence for this lock-out or for none, of any kind."""
        lock = self.table.state.lock
        press_ns = lock.press_ns if lock is not None else self.table.now_ns
        at_ns = press_ns - back_ns
        present, straddles, contradicted, arrived = flags
        verdict = ev.SpotVerdict(
            *spot, present, at_ns, at_ns + late_ns, straddles, contradicted, at_ns if arrived else None, arrived
        )
        self.table.do(ev.InputsSettled(press_ns, 160 * MS, 0, (verdict,)))

    @rule(
        event=st.one_of(
            st.builds(ev.LockEdge, NUMBERS),
            st.builds(ev.LockProved, NUMBERS),
            st.builds(ev.LockGlitch, NUMBERS, NUMBERS),
            st.builds(ev.LockReleased, NUMBERS),
            st.builds(ev.FloorKeyTurned, st.booleans(), NUMBERS),
            st.builds(ev.ResetKeyTurned, st.booleans(), NUMBERS),
            st.builds(ev.KeyWiringFailed, st.sampled_from(["floor_key", "reset_key"]), st.booleans(), NUMBERS),
            st.builds(ev.CardBurned, CARDS | st.none(), st.just("burn"), NUMBERS, st.just("00")),
            st.builds(ev.CardScanned, CARDS, NUMBERS, st.just("00")),
            st.builds(ev.CardHeldOver, CARDS, NUMBERS, st.just("00")),
            st.builds(ev.CutCardDrawn, NUMBERS),
            st.builds(ev.ReaderStarted, NUMBERS),
            st.builds(ev.ReaderError, st.integers(0, 63), st.just("overdraw"), NUMBERS),
            st.builds(ev.ReaderErrorCleared, st.integers(0, 63), NUMBERS),
            st.builds(ev.ReaderLocked, st.booleans(), NUMBERS),
            st.builds(ev.NoiseBurst, NUMBERS, st.integers(0, 72)),
            st.builds(ev.DeviceUp, st.sampled_from(LINE_DEVICES), NUMBERS),
            st.builds(ev.DeviceDown, st.sampled_from(LINE_DEVICES), st.just("gone"), NUMBERS),
            st.builds(ev.EffectFailed, st.just("board"), st.just("gone"), NUMBERS),
            st.builds(ev.JournalResumed, NUMBERS, st.integers(0, 9), st.just("disk")),
            st.builds(ev.TimerFired, st.sampled_from(ev.TimerKind), NUMBERS, NUMBERS),
            st.builds(ev.Tick, NUMBERS),
        )
    )
    def anything(self, event: ev.Event) -> None:
        self.table.do(event)

    @rule(spot=SPOTS, trouble=st.sampled_from(ev.SpotTrouble), covered=st.booleans(), late=st.booleans())
    def trouble(self, spot: tuple[int, str], trouble: ev.SpotTrouble, covered: bool, late: bool) -> None:
        self.table.do(ev.SpotFailed(*spot, trouble, self.table.tick()))
        self.table.do(ev.LateEdge(*spot, covered, self.table.now_ns, 1))
        if not late:
            self.table.do(ev.SpotRecovered(*spot, covered, self.table.tick()))

    @rule(new_boot=st.booleans(), covered=st.sets(SPOTS, max_size=3), held=st.booleans())
    def restart(self, new_boot: bool, covered: set[tuple[int, str]], held: bool) -> None:
        boot = f"boot-{self.table.now_ns}" if new_boot else self.table.state.boot_id or "boot-1"
        self.table.start(boot, covered, held)

    @rule(covered=st.sets(st.sampled_from(sorted(WAGERS)), max_size=3))
    def board(self, covered: set[str]) -> None:
        """The device of position 2 is back."""
        found = tuple(ev.CoveredSpot(2, wager) for wager in sorted(covered))
        self.table.do(ev.SpotsReady("west", self.table.tick(), found))

    # --- what must hold ---------------------------------------------------------------------------------------------

    @invariant()
    def meters_balance(self) -> None:
        for meter in self.table.state.meters:
            meters.check(meter)

    @invariant()
    def every_wager_is_accounted_for(self) -> None:
        """Accepted, and then settled, cancelled or void with its round: none is forgotten, none ends twice."""
        new, self.round_effects = self.table.effects[self.round_effects :], len(self.table.effects)
        for effect in new:
            match effect:
                case fx.WagerAccepted():
                    assert (effect.position, effect.wager) not in self.accepted
                    self.accepted[effect.position, effect.wager] = effect.cents
                case fx.WagerCancelled() | fx.SettlementShown():
                    self.accepted.pop((effect.position, effect.wager))
                case fx.RoundVoided():
                    self.accepted.clear()
                case fx.RoundEnded():
                    assert not self.accepted, f"round {effect.round} ended with wagers that nobody settled"

    @invariant()
    def every_award_is_paid_once(self) -> None:
        """Verified, validated, paid and, where it came from a meter, reset, in this order; none is left behind."""
        new, self.award_effects = self.table.effects[self.award_effects :], len(self.table.effects)
        for effect in new:
            match effect:
                case fx.AwardLocked():
                    assert effect.award not in self.awards
                    self.awards[effect.award] = f"locked {effect.meter}" if effect.meter else "locked"
                case fx.AwardVerified():
                    self._award(effect.award, "locked", "verified")
                case fx.AwardValidated():
                    self._award(effect.award, "verified", "validated")
                case fx.SlipIssued():
                    self.slips += 1
                    assert effect.slip == self.slips
                    self._award(effect.award, "validated", "slip")
                case fx.AwardPaid():
                    self._award(effect.award, "slip" if effect.slip is not None else "validated", "paid")
                case fx.MeterReset():
                    won = [award for award, act in self.awards.items() if act.endswith(effect.meter)]
                    assert won
                    for award in won:
                        self._award(award, "paid", "reset")
                case fx.AwardVoided():
                    assert self.awards.pop(effect.award).split(" ")[0] in ("locked", "verified")
                case fx.RoundEnded():
                    assert all(act == "paid" or act.startswith("reset") for act in self.awards.values()), self.awards
                    self.awards.clear()

    def _award(self, award: int, from_act: str, to_act: str) -> None:
        act, _, meter = self.awards[award].partition(" ")
        assert act == from_act, f"award {award}: {act} -> {to_act}"
        self.awards[award] = f"{to_act} {meter}" if meter else to_act

    def teardown(self) -> None:
        self._same_again()
        reached = self.table.state
        self._mend_without_a_restart()
        self._nobody_is_stuck()
        self.table.state = reached
        table = self.table
        table.start(table.state.boot_id or "boot-1", [(s.position, s.wager) for s in table.state.spots if s.chip])
        self._nobody_is_stuck()

    def _same_again(self) -> None:
        """The same events give the same effects and the same state, and the lamps told add up to what it shows."""
        state, seen = initial_state(RULES), []
        lit = screen.lamps(state)
        for event in self.table.events:
            state, effects = step(RULES, state, event)
            seen.extend(effects)
            told = {(e.position, e.wager): e for e in effects if isinstance(e, fx.LampChanged)}
            lit = [told.get((lamp.position, lamp.wager), lamp) for lamp in lit]
            assert lit == screen.lamps(state)
        assert state == self.table.state
        assert seen == self.table.effects

    def _mend_without_a_restart(self) -> None:
        """A restart settles what hangs in the window; the table must come out of it without one."""
        table = self.table
        table.do(ev.LockReleased(table.tick()))
        table.do(ev.FloorKeyTurned(False, table.tick()))
        if not table.state.inputs_ready:
            covered = tuple(ev.CoveredSpot(s.position, s.wager) for s in table.state.spots if s.chip)
            table.do(ev.InputsReady(table.tick(), covered, False, False, False))
        for device in RULES.devices:
            table.do(ev.DeviceUp(device, table.tick()))
        if table.state.phase is Phase.LOCKING:
            assert table.state.lock is not None
            table.settle(table.state.lock.press_ns)

    def _nobody_is_stuck(self) -> None:
        """Devices are mended, then people do what the display says until bets are open again."""
        table = self.table
        for key in table.state.panel.wiring:
            table.do(ev.KeyWiringFailed(key, True, table.tick()))
        table.do(ev.ReaderErrorCleared(2, table.tick()))
        dealer, script = Dealer(CoreBench(table)), Finish(table)
        for _ in range(300):
            if table.state.phase is Phase.BETTING:
                return
            if dealer.step(script):
                return
        raise AssertionError(f"stuck at {table.state.phase}: {table.shown()}, noted {table.state.noted}")


class Finish(Script):
    """A round that was found on the table: whatever card is due comes as a deuce, or as the next rank left."""

    def __init__(self, table: Table) -> None:
        super().__init__(chips=(), player=(), banker=())
        self._table = table
        held = {hand: len(round_of(table.state).hand(hand)) for hand in Hand}
        self.drawn = held
        self.result_said = True  # by a reader that nobody listened to: the floorperson resumes without it

    def cards(self, hand: Hand) -> list[str]:
        seen = self._table.state.shoe.seen
        left = next(str(card) for card, count in zip(DECK, seen, strict=True) if count < RULES.decks)
        return [left] * 4


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=80, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
