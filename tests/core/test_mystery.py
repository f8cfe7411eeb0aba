"""The must-hit-by mystery bonus in the core, with the real generator and scripted randomness (629b.3(h), M1-M14)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware.app.key_file import SecretKey
from firmware.core import custody, mystery
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.chances import commitment
from firmware.core.draw_events import TriggerDrawn, TriggerHit, TriggerLost, TriggerTested
from firmware.core.machine_events import JournalBegun, Succession
from firmware.core.order_data import Approval
from firmware.core.screen import board
from firmware.core.settlement_data import PaidBy
from firmware.core.state import AwardStatus, BonusPhase, Phase, initial_state
from firmware.core.step import step
from tests.core.mystery_table import CENT, DOLLAR, KEY, LEAST, ROYAL, STEP, MysteryTable, Script, midi_rules


def opened(*triggers: int) -> MysteryTable:
    """Triggers in micro-dollars above the $100 at which the meter starts; each wager adds 250,000."""
    table = MysteryTable(triggers)
    table.opened()
    return table


# --- drawing ----------------------------------------------------------------------------------------------------------


def test_the_trigger_is_drawn_and_committed_to_before_the_table_opens() -> None:
    t = MysteryTable([1_234_567])
    t.start()
    (asked,) = t.saw(fx.DrawTrigger)
    assert asked == fx.DrawTrigger("mystery", 1, LEAST, 103 * DOLLAR - STEP), "M3: one contribution is left free"
    (drawn,) = (e for e in t.events if isinstance(e, TriggerDrawn))
    assert (t.bonus.phase, t.bonus.commitment) == (BonusPhase.READY, drawn.commitment)
    nonce = bytes(31) + b"\x01"
    assert drawn.commitment == commitment("MD-SIM", "mystery", 1, nonce, LEAST + 1_234_567)


def test_the_sign_says_that_there_is_a_bonus_and_by_when_it_is_hit() -> None:
    assert "MYSTERY $100.00" in opened(0).sign()
    assert "MUST HIT BY $103.00" in opened(0).sign()


@pytest.mark.parametrize("field", ["table", "meter", "draw", "nonce", "trigger"])
def test_a_commitment_binds_everything(field: str) -> None:
    one = {"table": "T", "meter": "m", "draw": 1, "nonce": bytes(32), "trigger": 5}
    other = {"table": "U", "meter": "n", "draw": 2, "nonce": bytes(31) + b"\x01", "trigger": 6}

    def of(values: dict[str, object]) -> str:
        return commitment(*values.values())  # type: ignore[arg-type]

    assert of(one) != of({**one, field: other[field]})
    assert of({**one, "table": "Tm", "meter": ""}) != of({**one, "table": "T", "meter": "m"}), "lengths count"


# --- who wins what ----------------------------------------------------------------------------------------------------


def test_nothing_is_asked_before_the_chip_count_is_over() -> None:
    t = opened(10 * STEP)
    t.bet(1, 2)
    assert (t.state.phase, t.asked()) == (Phase.COUNTING, [])
    t.confirm()
    assert t.asked() == [fx.TestTrigger("mystery", 1, LEAST, (STEP, STEP))]
    assert (t.state.phase, t.mystery.shown_micro) == (Phase.DEALING, LEAST + 2 * STEP)


def test_a_round_without_a_progressive_wager_asks_nothing() -> None:
    t = opened(0)
    t.place(1, "player")
    t.lock()
    t.finish()
    assert t.asked() == []
    assert t.state.phase is Phase.BETTING


def test_a_meter_that_only_reaches_the_trigger_is_not_won() -> None:
    """M1: in excess of it."""
    t = opened(2 * STEP, 0)
    t.round(1, 2)
    assert t.won() == []
    t.round(3)
    assert t.won() == [(3, 10075)]


def test_the_wager_whose_contribution_crosses_wins_in_order_of_acceptance() -> None:
    """M6: chips came at 7, 2, 5; the second contribution crosses. M2: it wins the meter, not the trigger."""
    t = opened(STEP + 1, 9 * STEP)
    t.bet(7, 2, 5)
    t.confirm()
    assert t.won() == [(2, 10050)]
    (award,) = t.state.awards
    assert (award.meter, award.line, award.wager, award.status) == ("mystery", "must_hit_by", ROYAL, AwardStatus.LOCKED)
    assert t.state.phase is Phase.AWARD
    assert "MUST HIT BY $100.50 POS 2" in t.sign()
    assert t.lamp(2, ROYAL) == "held"


def test_the_rest_of_the_batch_feeds_the_next_amount_and_the_house_pays_the_seed() -> None:
    """M7, M12."""
    t = opened(0, 9 * STEP)
    t.bet(1, 2, 3)
    t.confirm()
    assert t.mystery.shown_micro == LEAST + 3 * STEP, "a meter goes down only by its reset"
    t.pay_awards()
    assert t.state.phase is Phase.DEALING
    meter = t.mystery
    assert (meter.shown_micro, meter.paid_micro, meter.hits) == (LEAST + 2 * STEP, LEAST + STEP, 1)
    assert meter.seeded_micro == 2 * LEAST
    assert t.asked()[-1] == fx.TestTrigger("mystery", 2, LEAST, (STEP, STEP))
    t.finish()
    t.round(4)
    assert t.asked()[-1] == fx.TestTrigger("mystery", 2, LEAST + 2 * STEP, (STEP,))


def test_two_hits_in_one_batch() -> None:
    t = opened(0, STEP, 9 * STEP)
    t.bet(1, 2, 3, 4)
    t.confirm()
    assert t.won() == [(1, 10025), (3, 10050)]
    t.pay_awards()
    meter = t.mystery
    assert (meter.shown_micro, meter.paid_micro) == (LEAST + STEP, 2 * LEAST + 3 * STEP)
    assert (meter.seeded_micro, meter.hits, meter.ahead_micro) == (3 * LEAST, 2, 0)
    assert t.bonus.draw == 3


def test_the_second_amount_may_be_hit_after_the_first_was_paid_and_reset() -> None:
    """The answer about the rest of the batch comes late: the accounts come out the same."""
    t = opened(0, STEP, 9 * STEP)
    t.bet(1, 2, 3, 4)
    t.answering = False
    t.confirm()
    for answer in t.generator.answers(t.unanswered[:1], t.state):
        t.unanswered.clear()
        t.do(answer)
    assert t.won() == [(1, 10025)]
    t.pay_awards()
    assert t.shown()[:2] == ("BETTING CLOSED", "WAIT"), "no card is asked for while a wager may still win"
    t.answer()
    assert t.won() == [(1, 10025), (3, 10050)]
    assert t.state.phase is Phase.AWARD
    t.pay_awards()
    meter = t.mystery
    assert (meter.shown_micro, meter.seeded_micro, meter.hits) == (LEAST + STEP, 3 * LEAST, 2)
    t.finish()
    assert t.state.phase is Phase.BETTING


def test_the_slip_says_what_the_meter_held_with_the_winning_contribution() -> None:
    """Two in one batch: each slip is about its own amount, not about a share, and not about what came after."""
    t = opened(0, STEP, 9 * STEP)
    t.bet(1, 2, 3, 4)
    t.confirm()
    t.pay_awards()
    slips = [e for e in t.effects if isinstance(e, fx.SlipIssued)]
    assert [(s.position, s.cents, s.before_micro, s.after_micro, s.winners) for s in slips] == [
        (1, 10025, LEAST + STEP, LEAST, 1),
        (3, 10050, LEAST + 2 * STEP, LEAST, 1),
    ]
    assert {(s.line, s.section, s.wager, s.stake_cents) for s in slips} == {("must_hit_by", "629b.3(h)", ROYAL, 500)}


def test_it_may_be_paid_from_the_table_inventory() -> None:
    """X19: as the Rules Submission says."""
    rules = midi_rules()
    assert rules.mystery is not None
    t = MysteryTable([0, 9 * STEP])
    t.rules = replace(rules, mystery=replace(rules.mystery, paid_by=PaidBy.TABLE_INVENTORY))
    t.opened()
    t.round(1)
    assert t.saw(fx.AwardPaid) == [fx.AwardPaid(1, PaidBy.TABLE_INVENTORY, None)]
    assert t.saw(fx.SlipIssued) == []
    assert t.mystery.shown_micro == LEAST


def test_fractions_of_a_cent_stay() -> None:
    """Configuration C5's 0.5 % of $5 is 2.5 cents: what is paid is floored, the rest lies ahead."""
    rules = midi_rules()
    half = tuple(replace(m, increment_ppm=5_000) if m.name == "mystery" else m for m in rules.meters)
    t = MysteryTable([30_000, 2_000_000])
    t.rules = replace(rules, meters=half)
    t.opened()
    t.round(1)
    assert t.mystery.shown_micro == LEAST + 25_000
    t.round(1, 2)
    assert t.won() == [(1, 10005)]
    assert t.mystery.shown_micro == LEAST + 25_000
    t.round(3)
    t.round(4)
    assert t.mystery.shown_micro == LEAST + 75_000


@given(
    triggers=st.lists(st.integers(0, 2_749_999), min_size=60, max_size=60),
    rounds=st.lists(st.lists(st.integers(1, 9), max_size=9, unique=True), min_size=1, max_size=8),
)
def test_never_more_than_the_maximum_and_not_a_micro_dollar_lost(triggers: list[int], rounds: list[list[int]]) -> None:
    t = opened(*triggers)
    for positions in rounds:
        t.round(*positions)
    value, paid, draw = LEAST, [], 0
    for position in (p for positions in rounds for p in positions):
        value += STEP
        if value > LEAST + triggers[draw]:
            paid.append((position, value // CENT))
            value, draw = LEAST + value % CENT, draw + 1
    assert t.won() == paid
    assert all(cents <= 10_300 for _, cents in paid)
    meter = t.mystery
    assert meter.shown_micro == value
    assert meter.seeded_micro == LEAST * (1 + len(paid))
    assert meter.contributed_micro == STEP * sum(map(len, rounds))
    assert meter.paid_micro == sum(cents for _, cents in paid) * CENT


# --- doubts and voids -------------------------------------------------------------------------------------------------


def test_a_cancelled_wager_is_not_compared() -> None:
    t = opened(STEP, 0)
    t.bet(1, 2)
    t.call()
    t.floor("CANCEL P1 ROYAL 9", "CONFIRM P2 ROYAL 9")
    t.confirm()
    assert t.asked() == [fx.TestTrigger("mystery", 1, LEAST, (STEP,))]
    assert t.won() == []


def test_a_card_before_the_doubt_is_decided_asks_only_when_it_is() -> None:
    t = opened(9 * STEP)
    t.bet(1, 2)
    t.call()
    t.card(Hand.PLAYER, "2C")
    assert t.state.phase is Phase.STOPPED
    assert t.asked() == [], "one of them may still be cancelled"
    t.floor("CANCEL P1 ROYAL 9", "CONFIRM P2 ROYAL 9")
    assert [asked.steps for asked in t.asked()] == [(STEP,)]


def test_a_void_after_the_question_takes_the_contributions_back() -> None:
    t = opened(9 * STEP)
    before = t.mystery
    t.bet(1, 2)
    t.confirm()
    t.call()
    t.floor("VOID ROUND")
    assert t.mystery.shown_micro == before.shown_micro
    assert t.mystery.reversed_micro == 2 * STEP
    t.sweep()
    t.clear()
    t.round(3)
    assert t.asked()[-1] == fx.TestTrigger("mystery", 1, LEAST, (STEP,))


def test_no_void_while_the_generator_is_asked() -> None:
    """What it answers would stand (M9), so the void waits for it."""
    t = opened(0, 0)
    t.bet(1)
    t.answering = False
    t.confirm()
    t.do(ev.FloorKeyTurned(True, t.tick()))
    assert "VOID ROUND" not in t.menu()
    t.answer()
    assert "VOID ROUND" in t.menu()


def test_a_hit_stands_when_the_round_is_void() -> None:
    """M9, X22: the award is paid; what had been won is given back by the house, the rest by the meter."""
    t = opened(0, 9 * STEP)
    t.bet(1, 2, 3)
    t.confirm()
    t.call()
    t.floor("VOID ROUND")
    assert t.state.phase is Phase.VOIDED
    assert t.shown()[:3] == ("AWARD $100.25", "VERIFY P1 AND LAMP", "CARDS MUST STAY")
    t.sweep()
    t.clear()
    assert t.state.phase is Phase.VOIDED, "the table is not cleared while an award is open"
    assert t.saw(fx.ContributionCharged) == [fx.ContributionCharged(1, "mystery", STEP)]
    back = [e for e in t.effects if isinstance(e, fx.ContributionReversed) and e.meter == "mystery"]
    assert [e.position for e in back] == [2, 3]
    t.pay_awards()
    assert t.shown()[:2] == ("ROUND VOID", "RETURN ALL CHIPS")
    t.clear()
    assert t.state.phase is Phase.BETTING
    meter = t.mystery
    assert (meter.shown_micro, meter.paid_micro, meter.charged_micro) == (LEAST, LEAST + STEP, STEP)
    assert meter.reversed_micro == meter.contributed_micro == 3 * STEP
    t.round(5)
    assert t.asked()[-1] == fx.TestTrigger("mystery", 2, LEAST, (STEP,))


def test_a_round_may_be_void_after_its_mystery_award_was_paid() -> None:
    t = opened(0, 9 * STEP)
    t.bet(1, 2)
    t.confirm()
    t.pay_awards()
    t.call()
    t.floor("VOID ROUND")
    assert t.mystery.shown_micro == LEAST
    assert t.mystery.charged_micro == STEP
    t.sweep()
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_a_wager_that_is_cancelled_after_it_was_won() -> None:
    """A late signal says that the chip had been lifted: the floorperson cancels. The award was announced and stands."""
    t = opened(0, 9 * STEP)
    t.bet(1, 2)
    t.confirm()
    t.pay_awards()
    at_ns = t.state.lock.press_ns if t.state.lock is not None else 0
    for position in (1, 2):
        t.do(ev.LateEdge(position, ROYAL, False, at_ns - 1, 10**9))
        t.floor(f"CANCEL P{position} ROYAL 9")
    assert t.saw(fx.ContributionCharged) == [fx.ContributionCharged(1, "mystery", STEP)]
    assert (t.mystery.shown_micro, t.mystery.paid_micro) == (LEAST, LEAST + STEP)
    t.finish()
    assert t.state.phase is Phase.BETTING


# --- the question and its answer --------------------------------------------------------------------------------------


def test_a_restart_asks_again_and_pays_once() -> None:
    t = opened(0, 9 * STEP)
    t.bet(1, 2)
    t.answering = False
    t.confirm()
    t.unanswered.clear()  # killed before the answer was durable
    t.answering = True
    t.start("boot-2")
    assert t.asked()[0] == t.asked()[1], "the same question"
    assert t.won() == [(1, 10025)]
    hit = next(e for e in t.events if isinstance(e, TriggerHit))
    t.do(hit)
    assert t.won() == [(1, 10025)], "the same answer twice"


def test_every_answer_counts_once_wherever_the_daemon_was_killed() -> None:
    """After each event of a round with two hits: stop, start, and play on. Always the same awards and accounts."""
    triggers = [0, STEP, 9 * STEP]
    reference = opened(*triggers)
    began = len(reference.events)
    reference.round(1, 2, 3, 4)
    script = reference.events
    decided = 0
    for killed_after in range(began, len(script)):
        t = MysteryTable()
        t.answering = False
        for event in script[:killed_after]:
            t.do(event)
        before = len(t.won())
        t.unanswered.clear()
        t.answering = True
        t.source = Script(triggers[t.bonus.draw - (not t.bonus.commitment) :])
        t.use(KEY)
        t.start("boot-2")
        assert len(t.won()) >= before
        if any(w.wager == ROYAL for w in t.state.wagers) and t.state.swept_from_ns is not None:
            assert t.won() == [(1, 10025), (3, 10050)], killed_after
            t.pay_awards()
            assert t.mystery.paid_micro == 2 * LEAST + 3 * STEP
            assert t.mystery.shown_micro == LEAST + STEP
            decided += 1
    assert decided > 20


def test_an_answer_to_what_was_not_asked_changes_nothing() -> None:
    t = opened(9 * STEP)
    for answer in (
        TriggerTested("mystery", 1, LEAST, LEAST, 1),
        TriggerTested("mystery", 7, LEAST, LEAST, 1),
        TriggerDrawn("mystery", 1, "00", "00", 1),
        TriggerDrawn("mystery", 2, "00", "00", 1),
        TriggerHit("mystery", 1, LEAST, 0, LEAST, "00", 1),
        TriggerLost("mystery", 1, "no", 1),
        TriggerHit("other", 1, LEAST, 0, LEAST, "00", 1),
    ):
        state = t.state
        assert step(t.rules, state, answer) == (state, ()), answer


@pytest.mark.parametrize(
    "change",
    [{"trigger_micro": LEAST + 1}, {"nonce": "00" * 32}, {"nonce": "no hex"}, {"nonce": "00"}, {"index": 1}],
    ids=str,
)
def test_a_hit_that_is_not_what_was_committed_to_stops_the_bonus(change: dict[str, object]) -> None:
    t = opened(0, 0)
    t.bet(1, 2)
    t.answering = False
    t.confirm()
    (hit,) = t.generator.answers(t.unanswered, t.state)
    assert isinstance(hit, TriggerHit)
    t.do(replace(hit, **change))
    assert t.won() == []
    assert t.bonus.phase is BonusPhase.STOPPED
    assert "MYSTERY STOPPED" in t.sign() or t.shown()[2] == "MYSTERY STOPPED"


# --- a lost secret ----------------------------------------------------------------------------------------------------

LOST = SecretKey(b"", "the key file is missing")


def test_without_its_key_the_bonus_stops_and_says_so_and_is_never_redrawn() -> None:
    t = opened(9 * STEP)
    t.round(1)
    t.use(LOST)
    t.start("boot-2")
    assert t.bonus.phase is BonusPhase.STOPPED
    assert t.shown()[2] == "MYSTERY STOPPED"
    assert "MYSTERY STOPPED" in t.sign(), "the sign, too, says so"
    shown_micro = t.mystery.shown_micro
    t.round(2, 3)
    assert t.mystery.shown_micro == shown_micro, "nothing feeds what nobody can win"
    assert len(t.saw(fx.DrawTrigger)) == 1
    assert t.shown()[2] == "MYSTERY STOPPED", "acknowledged with the round, but still so"
    t.use(KEY)
    t.start("boot-3")
    assert t.bonus.phase is BonusPhase.READY
    assert len(t.saw(fx.DrawTrigger)) == 1, "the very same trigger"
    assert t.saw(fx.MysteryResumed) == [fx.MysteryResumed("mystery", 1)]
    assert t.shown()[2] == ""
    t.round(4)
    assert t.asked()[-1] == fx.TestTrigger("mystery", 1, shown_micro, (STEP,))


def test_another_key_does_not_open_it() -> None:
    t = opened(0)
    t.use(SecretKey(bytes(32)))
    t.start("boot-2")
    assert t.bonus.reason.startswith("the key does not open the sealed trigger")


def test_a_damaged_seal_does_not_open() -> None:
    t = opened(0)
    for sealed in ("", "00", "xyz", t.bonus.sealed[:-2], "ff" + t.bonus.sealed[2:], t.bonus.sealed[:-2] + "ff"):
        t.state = replace(t.state, mystery=replace(t.bonus, sealed=sealed, phase=BonusPhase.READY, reason=""))
        t.start("boot-2")
        assert t.bonus.phase is BonusPhase.STOPPED, sealed


def test_a_seal_of_another_draw_is_not_taken() -> None:
    """The ciphertext opens, but is not what this draw has committed to."""
    t = opened(0, 9 * STEP)
    first = t.bonus
    t.round(1)
    assert t.bonus.draw == 2
    t.state = replace(t.state, mystery=replace(t.bonus, sealed=first.sealed))
    t.start("boot-2")
    assert t.bonus.reason == "the sealed trigger is not the one that was committed to"


def test_a_key_that_is_lost_inside_a_round_leaves_its_contributions_on_the_meter() -> None:
    t = opened(0, 9 * STEP)
    t.use(LOST)
    t.bet(1, 2)
    t.confirm()
    assert t.bonus.phase is BonusPhase.STOPPED
    assert t.state.phase is Phase.DEALING, "the round goes on"
    assert t.mystery.shown_micro == LEAST + 2 * STEP
    t.use(KEY)
    t.start("boot-2")
    assert t.won() == [(1, 10025)], "within the round the same question is answered as soon as it can be"


def test_a_trigger_that_can_not_be_drawn_stops_the_bonus_until_it_can() -> None:
    t = MysteryTable([9 * STEP], LOST)
    t.start()
    assert (t.bonus.phase, t.bonus.commitment) == (BonusPhase.STOPPED, "")
    t.use(KEY)
    t.start("boot-2")
    assert t.bonus.phase is BonusPhase.READY
    assert [asked.draw for asked in t.saw(fx.DrawTrigger)] == [1, 1]


def test_a_trigger_that_may_have_been_revealed_in_lost_entries_is_never_played_again() -> None:
    t = opened(0, 9 * STEP)
    begun = JournalBegun(Succession.RESTORED, 2, "ab" * 32, 17, Approval("Ann", "Bob", "x"), (), "", t.tick())
    t.do(begun)
    assert t.bonus.phase is BonusPhase.READY, "nothing is lost"
    t.bet(1)
    t.do(replace(begun, lost=True))
    assert (t.bonus.phase, t.bonus.sealed, t.bonus.batch) == (BonusPhase.STOPPED, "", ())
    for boot in ("boot-2", "boot-3"):
        t.start(boot)
        assert t.bonus.phase is BonusPhase.STOPPED
        assert "a clearing draws another" in t.bonus.reason
    t.confirm()
    assert (t.won(), t.asked()) == ([], [])
    assert len(t.saw(fx.DrawTrigger)) == 1, "and no other is drawn"
    following = custody.cleared(t.rules, t.state).mystery
    assert following is not None
    assert (following.draw, following.phase, following.reason) == (2, BonusPhase.DRAWING, "")


# --- secrecy and replay -----------------------------------------------------------------------------------------------


def test_nothing_on_record_holds_the_trigger_before_the_hit() -> None:
    secret = 1_234_567
    t = opened(secret)
    t.round(1, 2)
    texts = [msgspec.json.encode(record) for record in (*t.events, *t.effects, t.state)]
    texts += [repr(t.generator).encode(), repr(KEY).encode()]
    for text in texts:
        for form in (str(LEAST + secret), f"{LEAST + secret:x}", f"101.{secret - DOLLAR}", bytes(range(32)).hex()):
            assert form.encode() not in text


def test_a_replay_needs_no_generator() -> None:
    t = opened(0, STEP, 9 * STEP)
    t.round(1, 2, 3)
    state = initial_state(t.rules)
    effects: list[fx.Effect] = []
    for event in t.events:
        state, made = step(t.rules, state, event)
        effects += made
    assert (state, effects) == (t.state, t.effects)


def test_a_table_without_the_bonus_knows_nothing_of_it() -> None:
    rules = midi_rules()
    plain = replace(rules, mystery=None, meters=rules.paytable_meters())
    state = initial_state(plain)
    assert state.mystery is None
    assert "MUST HIT BY" not in repr(board(plain, state))
    assert step(plain, state, TriggerDrawn("mystery", 1, "", "", 1)) == (state, ())


def test_the_range_leaves_the_largest_contribution_free() -> None:
    assert mystery.range_micro(midi_rules()) == (LEAST, 103 * DOLLAR - STEP)
