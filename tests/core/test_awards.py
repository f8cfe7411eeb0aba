"""Awards, from the hit to the reset meter: who acts when, what is paid how, and that each is paid once."""

from __future__ import annotations

from dataclasses import replace as replace_dataclass

import pytest
from msgspec.structs import replace

from firmware.core import events as ev
from firmware.core import meters
from firmware.core.awards import Due, open_awards
from firmware.core.effects import (
    AwardLocked,
    AwardPaid,
    AwardValidated,
    AwardVerified,
    AwardVoided,
    Effect,
    KeyRefused,
    MeterReset,
    SlipIssued,
)
from firmware.core.pays import ToOne
from firmware.core.paytables import Catalogue, EnvyLine
from firmware.core.rules import AwardRule, TableRules
from firmware.core.settlement_data import PaidBy
from tests.core.table import MS, Hand, LampShow, Phase, Table, rules

ROYAL = "royal_9_progressive"
ACTS = (AwardVerified, AwardValidated, SlipIssued, AwardPaid, MeterReset, AwardVoided)


def dealt(player: str, banker: str, *positions: int, table_rules: TableRules | None = None) -> Table:
    """A table whose positions bet on Royal 9 and whose round has been dealt these two hands."""
    t = Table(table_rules).opened()
    for position in positions:
        t.place(position, ROYAL)
    t.lock()
    t.confirm()
    t.deal(player, banker)
    return t


def major() -> Table:
    """Position 2's own king and nine in the Banker hand: a share of a meter, paid by slip."""
    return dealt("2C 3H", "KD 9C", 2)


def acts(t: Table) -> list[Effect]:
    return [e for e in t.effects if isinstance(e, ACTS)]


def paid_once(t: Table) -> None:
    """Every award of the round was verified, validated and paid exactly once, and no other."""
    locked = sorted(e.award for e in t.effects if isinstance(e, AwardLocked))
    for act in (AwardVerified, AwardValidated, AwardPaid):
        assert sorted(e.award for e in t.effects if isinstance(e, act)) == locked, act
    by_slip = [e.award for e in t.effects if isinstance(e, AwardLocked) and e.paid_by is PaidBy.SLIP]
    slips = [e for e in t.effects if isinstance(e, SlipIssued)]
    assert sorted(s.award for s in slips) == sorted(by_slip)
    assert [s.slip for s in slips] == list(range(1, len(slips) + 1))


# --- one award, step by step ------------------------------------------------------------------------------------------


def test_a_meter_award_goes_from_hit_to_reset() -> None:
    t = major()
    before = t.meter("major")
    assert t.state.phase is Phase.AWARD
    assert t.lamp(2, ROYAL) is LampShow.HELD
    assert t.sign() == "MAJOR JACKPOT $450.05 POS 2"
    assert t.shown() == ("AWARD $450.05", "VERIFY P2 AND LAMP", "CARDS MUST STAY", "CONFIRM CALL")
    t.confirm()
    assert t.shown() == ("AWARD $450.05", "FLOOR KEY: VALIDATE", "CARDS MUST STAY", "CONFIRM CALL")
    t.floor("AWARD P2 $450.05")
    assert t.shown() == ("AWARD $450.05", "FLOOR: SLIP 000001", "CARDS MUST STAY", "CONFIRM CALL")
    t.floor("SLIP 000001 COMPLETE")
    assert t.shown() == ("AWARD $450.05", "TURN RESET KEY", "", "CONFIRM CALL")
    assert t.meter("major") == before, "nothing but the reset key lowers a meter"
    assert t.lamp(2, ROYAL) is LampShow.HELD
    t.reset_key()
    assert t.state.phase is Phase.CHECKING, "Banker has a natural: the hands are complete"
    assert t.lamp(2, ROYAL) is LampShow.WON
    assert [type(e) for e in acts(t)] == [AwardVerified, AwardValidated, SlipIssued, AwardPaid, MeterReset]
    [reset] = t.saw(MeterReset)
    assert isinstance(reset, MeterReset)
    assert (reset.paid_cents, reset.from_reserve_micro, reset.value_micro) == (45_005, 12_500, 450_000_000)
    assert reset.from_house_micro == 450_000_000 - 12_500
    paid_once(t)


def test_a_slip_holds_all_that_is_printed_on_it() -> None:
    t = major()
    t.see_to_awards()
    [slip] = t.saw(SlipIssued)
    assert slip == SlipIssued(
        slip=1,
        award=1,
        table="T",
        round=1,
        position=2,
        wager=ROYAL,
        paytable="5",
        line="major_jackpot",
        printed="Personal King 9 on Banker Hand",
        section="627b.3(f)",
        stake_cents=500,
        cents=45_005,
        cards=("PLAYER 2C 3H = 5", "BANKER KD 9C = 9"),
        because_of=None,
        meter="royal_9.major",
        winners=1,
        before_micro=450_050_000,
        after_micro=450_000_000,
    )


def test_a_fixed_award_over_200_for_1_is_validated_and_paid_from_the_table_inventory() -> None:
    t = dealt("KH 9H", "QS 9S", 5)  # suited Royal 9 tie: $1,500 on $5; position 6's own hand is not played
    assert t.state.phase is Phase.AWARD
    assert t.shown() == ("AWARD $1,500.00", "VERIFY P5 AND LAMP", "", "CONFIRM CALL")
    t.confirm()
    t.floor("AWARD P5 $1,500.00")
    assert t.shown() == ("AWARD $1,500.00", "PAY P5, CONFIRM", "", "CONFIRM CALL")
    t.confirm()
    assert t.state.phase is Phase.CHECKING
    assert t.saw(AwardPaid) == [AwardPaid(1, PaidBy.TABLE_INVENTORY, None)]
    assert t.saw(SlipIssued) == []
    paid_once(t)


@pytest.mark.parametrize(("limit_cents", "by_slip"), [(150_000, False), (149_999, True), (0, True)])
def test_over_the_house_s_limit_a_fixed_award_is_paid_by_slip(limit_cents: int, by_slip: bool) -> None:
    t = dealt("KH 9H", "QS 9S", 5, table_rules=rules(awards=AwardRule(inventory_limit_cents=limit_cents)))
    t.see_to_awards()
    assert bool(t.saw(SlipIssued)) is by_slip
    if by_slip:
        [slip] = t.saw(SlipIssued)
        assert isinstance(slip, SlipIssued)
        assert (slip.meter, slip.before_micro, slip.after_micro, slip.winners) == (None, None, None, 1)
    assert t.state.phase is Phase.CHECKING, "no meter, no reset"
    paid_once(t)


def test_a_meter_is_never_paid_from_the_table_inventory_however_high_the_limit() -> None:
    t = dealt("2C 3H", "KD 9C", 2, table_rules=rules(awards=AwardRule(inventory_limit_cents=10**12)))
    assert [a.paid_by for a in t.state.awards] == [PaidBy.SLIP]


@pytest.mark.parametrize(
    ("over_for_one", "held"),
    [(200, False), (50, False), (49, True), (0, True)],  # Royal 9 tie: $250 on $5 is 50 for 1
)
def test_the_threshold_of_validation_is_a_setting(over_for_one: int, held: bool) -> None:
    t = dealt("KC 9H", "QS 9S", 5, table_rules=rules(awards=AwardRule(validated_over_for_one=over_for_one)))
    assert (t.state.phase is Phase.AWARD) is held
    assert t.lamp(5, ROYAL) is (LampShow.HELD if held else LampShow.WON)


def test_every_win_of_any_size_lights_its_position_and_no_loss_does() -> None:
    t = Table().opened()
    for position, wager in ((1, "player"), (2, "banker"), (3, "tie"), (4, ROYAL), (5, "perfect_pairs_player")):
        t.place(position, wager)
    t.lock()
    t.confirm()
    t.deal("QS 9H", "2C 6D")  # any Royal 9: 5 for 1, far below the threshold
    t.result("player")
    assert t.lit() == {(1, "player"): LampShow.WON, (4, ROYAL): LampShow.WON}


# --- who may do what, and when ----------------------------------------------------------------------------------------


def test_nobody_acts_out_of_turn() -> None:
    """Each key at each step; only the one that the display asks for changes an award."""
    t = major()
    for asked in (Due.VERIFY, Due.VALIDATE, Due.DOCUMENT, Due.RESET):
        [(award, waits_for)] = open_awards(t.state)
        assert waits_for is asked
        refused = []
        if asked is not Due.VERIFY:
            t.confirm()
            refused.append("FLOORPERSON FIRST")
            assert t.shown()[2] == "FLOORPERSON FIRST"
        if asked is not Due.RESET:
            t.reset_key()
            refused.append("AWARD IS NOT PAID")
        t.clear()
        refused.append("CLEAR NOT NOW")
        assert [e.why for e in t.saw(KeyRefused) if isinstance(e, KeyRefused)][-len(refused) :] == refused
        award_lines = [label for label in t.menu() if label.startswith(("AWARD", "SLIP"))]
        assert bool(award_lines) is (asked in (Due.VALIDATE, Due.DOCUMENT))
        assert open_awards(t.state) == ((award, waits_for),), "nothing has moved"
        match asked:
            case Due.VERIFY:
                t.confirm()
            case Due.RESET:
                t.reset_key()
            case _:
                t.floor(*award_lines)
    assert t.state.phase is Phase.CHECKING
    assert len(t.saw(KeyRefused)) == 3 + 3 + 4
    paid_once(t)


def test_no_key_acts_on_an_award_while_the_round_is_stopped_but_the_floorperson_s() -> None:
    t = major()
    t.call()
    assert t.state.phase is Phase.STOPPED
    t.confirm()
    t.reset_key()
    assert [what for _, what in open_awards(t.state)] == [Due.VERIFY]
    t.floor("RESUME ROUND")
    t.see_to_awards()
    paid_once(t)


@pytest.mark.parametrize("verified", [False, True])
def test_an_award_that_is_not_validated_falls_with_the_round(verified: bool) -> None:
    t = major()
    if verified:
        t.confirm()
    t.floor("VOID ROUND")
    assert t.saw(AwardVoided) == [AwardVoided(1)]
    assert t.saw(SlipIssued) == []
    assert (t.meter("major"), open_awards(t.state)) == (450_000_000, ())


@pytest.mark.parametrize("acts_done", [2, 3])
def test_a_validated_award_can_not_be_voided(acts_done: int) -> None:
    t = major()
    t.confirm()
    t.floor("AWARD P2*")
    if acts_done == 3:
        t.floor("SLIP 000001 COMPLETE")
    t.call()
    assert "VOID ROUND" not in t.menu()


def test_two_alike_awards_at_one_position_do_not_look_like_one_that_was_not_taken() -> None:
    """Two wagers of one position with the same amount: the display must move at every press."""
    t = major()
    t.state = replace(t.state, awards=(t.state.awards[0], replace(t.state.awards[0], id=2)))
    before = t.shown()
    t.confirm()
    assert t.shown() != before


# --- several winners, several meters ----------------------------------------------------------------------------------


def test_mega_pays_the_owner_and_envy_to_every_other_wager_listed_until_paid() -> None:
    t = dealt("KS 9H", "KS 9H", 1, 3, 4)
    locked = [e for e in t.saw(AwardLocked) if isinstance(e, AwardLocked)]
    assert [(e.position, e.line, e.cents, e.paid_by) for e in locked] == [
        (4, "mega_envy", 500_000, PaidBy.TABLE_INVENTORY),
        (3, "mega_envy", 500_000, PaidBy.TABLE_INVENTORY),
        (1, "mega_jackpot", 5_000_022, PaidBy.SLIP),
    ]
    assert t.sign() == "MEGA ENVY $5,000.00 POS 3 4 * MEGA JACKPOT $50,000.22 POS 1"
    for position in (4, 3, 1):
        assert t.shown()[1] == f"VERIFY P{position} AND LAMP"
        t.confirm()
    for position in (4, 3, 1):
        t.floor(f"AWARD P{position}*")
    assert t.shown()[:2] == ("AWARD $5,000.00", "PAY P4, CONFIRM")
    t.confirm()
    assert t.sign() == "MEGA ENVY $5,000.00 POS 3 * MEGA JACKPOT $50,000.22 POS 1", "position 4 has been paid"
    assert t.shown()[:2] == ("AWARD $5,000.00", "PAY P3, CONFIRM")
    t.confirm()
    assert t.sign() == "MEGA JACKPOT $50,000.22 POS 1"
    t.floor("SLIP 000001 COMPLETE")
    t.reset_key()
    assert t.meter("mega") == 50_000_000_000 + 5_000, "the fraction of a cent stays"
    assert t.state.phase is Phase.CHECKING
    paid_once(t)


def test_envy_is_owed_although_nobody_sits_at_the_matching_position() -> None:
    t = dealt("KD 9C", "KD 9C", 1, 7)
    assert [(a.position, a.line) for a in t.state.awards] == [(7, "mega_envy"), (1, "mega_envy")]
    t.see_to_awards()
    assert t.saw(MeterReset) == [], "no meter was won"
    paid_once(t)


def test_two_meters_won_in_one_round_are_reset_each_when_its_own_slips_are_complete() -> None:
    t = dealt("KS 9S", "KD 9C", 2, 5)  # Banker hand is position 2's: Major; Player hand position 5's: Minor
    assert [(a.position, a.meter) for a in t.state.awards] == [(5, "royal_9.minor"), (2, "royal_9.major")]
    t.confirm()
    t.confirm()
    t.floor("AWARD P2*", "AWARD P5*", "SLIP 000001 COMPLETE")
    t.reset_key()
    assert [e.meter for e in t.saw(MeterReset) if isinstance(e, MeterReset)] == ["royal_9.major"]
    assert t.state.phase is Phase.AWARD
    t.floor("SLIP 000002 COMPLETE")
    t.reset_key()
    assert [e.meter for e in t.saw(MeterReset) if isinstance(e, MeterReset)] == ["royal_9.major", "royal_9.minor"]
    assert t.state.phase is Phase.CHECKING
    paid_once(t)


def shared_meter() -> Table:
    """Two wagers on one meter do not exist in Chapter 627b; here the state is given two shares of the Major."""
    t = major()
    [award] = t.state.awards
    shares = (replace(award, cents=22_503), replace(award, id=2, position=2, cents=22_502))
    t.state = replace(t.state, awards=shares, next_award=3)
    return t


def test_shares_of_a_meter_are_reset_together_and_their_slips_agree() -> None:
    t = shared_meter()
    t.confirm()
    t.confirm()
    t.floor("AWARD P2 $225.03", "AWARD P2 $225.02", "SLIP 000001 COMPLETE")
    t.reset_key()
    assert t.saw(MeterReset) == [], "the other share is not paid"
    t.floor("SLIP 000002 COMPLETE")
    t.reset_key()
    slips = [e for e in t.effects if isinstance(e, SlipIssued)]
    assert [(s.cents, s.winners, s.before_micro, s.after_micro) for s in slips] == [
        (22_503, 2, 450_050_000, 450_000_000),
        (22_502, 2, 450_050_000, 450_000_000),
    ]
    [reset] = [e for e in t.effects if isinstance(e, MeterReset)]
    assert (reset.paid_cents, reset.value_micro) == (45_005, 450_000_000)


def test_a_meter_won_again_after_its_reset_in_the_same_round_pays_the_new_award_only() -> None:
    """No line of Chapter 627b wins twice in a round; a bonus that a contribution wins can."""
    t = major()
    [first] = t.state.awards
    t.see_to_awards()
    again = replace(first, id=2, cents=45_000)
    t.state = replace(t.state, phase=Phase.AWARD, awards=(*t.state.awards, again), next_award=3)
    t.see_to_awards()
    slips = [e for e in t.effects if isinstance(e, SlipIssued)]
    assert [(s.slip, s.cents, s.winners) for s in slips] == [(1, 45_005, 1), (2, 45_000, 1)]
    assert [e.paid_cents for e in t.effects if isinstance(e, MeterReset)] == [45_005, 45_000]


def test_slip_numbers_go_on_through_rounds_and_restarts() -> None:
    t = major()
    for number in (1, 2, 3):
        t.see_to_awards()
        t.result("banker")
        t.clear()
        assert t.state.next_slip == number + 1
        t.start(f"boot-{number}", [(2, ROYAL)])
        t.lock()
        t.confirm()
        t.deal("2C 3H", "KD 9C")
    assert [e.slip for e in t.effects if isinstance(e, SlipIssued)] == [1, 2, 3]


def test_an_envy_bonus_beside_the_paytable_is_owed_as_an_award_of_its_own() -> None:
    """633b.18(k) on this table's paytable: no live game has one yet, and none may be forgotten when one does."""
    base = rules()
    texts = []
    for text in base.catalogue.texts:
        if text.wager == ROYAL:
            envy = (EnvyLine("any_royal_9", ToOne(500, 1), "633b.18(k)"),)
            text = replace(text, paytables=tuple(replace_dataclass(p, envy=envy) for p in text.paytables))
        texts.append(text)
    t = dealt("QS 9H", "2C 6D", 3, 6, table_rules=replace(base, catalogue=Catalogue(texts)))
    owed = [(e.position, e.line, e.cents, e.because_of, e.section) for e in t.effects if isinstance(e, AwardLocked)]
    assert owed == [(6, "envy_bonus", 250_000, 3, "633b.18(k)"), (3, "envy_bonus", 250_000, 6, "633b.18(k)")]
    assert t.lamp(3, ROYAL) is LampShow.HELD
    t.see_to_awards()
    paid_once(t)


# --- power cuts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut_after", range(9))
@pytest.mark.parametrize("boot", ["boot-1", "boot-2"])
def test_a_power_cut_at_any_step_pays_nothing_twice_and_forgets_nothing(cut_after: int, boot: str) -> None:
    """Mega and two envies; the daemon starts again after so many of the acts that they need."""
    t = dealt("KS 9H", "KS 9H", 1, 3, 4)
    while t.state.phase is Phase.AWARD:
        if len(acts(t)) >= cut_after and t.state.boot_id == "boot-1":
            awards, meters_before = t.state.awards, t.state.meters
            if boot == "boot-2":
                t.now_ns = 5 * MS
            t.start(boot, [(p, ROYAL) for p in (1, 3, 4)])
            assert (t.state.awards, t.state.meters) == (awards, meters_before)
            if boot == "boot-1":
                t.state = replace(t.state, boot_id="boot-1 again")
        step_once(t)
    paid_once(t)
    assert t.meter("mega") == 50_000_005_000
    assert len(t.saw(MeterReset)) == 1


def step_once(t: Table) -> None:
    """What the display asks for now, once."""
    match t.shown()[1].split(" ")[0]:
        case "VERIFY" | "PAY":
            t.confirm()
        case "FLOOR:":
            t.floor("SLIP *")
        case "FLOOR":
            t.floor("AWARD P*")
        case _:
            t.reset_key()


def test_after_a_restart_the_dealer_is_asked_whether_an_award_had_been_paid() -> None:
    """Chips may have changed hands just before the power went: nobody pays again unasked."""
    t = dealt("KH 9H", "QS 9S", 5)
    t.confirm()
    t.start(covered=[(5, ROYAL)])
    assert t.state.noted == (), "nothing was due to be paid"
    t.floor("AWARD P5*")
    t.start(covered=[(5, ROYAL)])
    assert t.shown()[2] == "PAID BEFORE RESTA P5"
    t.floor("OK PAID*")
    t.confirm()
    assert t.state.phase is Phase.CHECKING
    paid_once(t)


def test_a_slip_is_not_asked_about_it_has_its_number() -> None:
    t = major()
    t.confirm()
    t.floor("AWARD P2*")
    t.start(covered=[(2, ROYAL)])
    assert t.state.noted == ()
    assert t.shown()[1] == "FLOOR: SLIP 000001"


# --- every order ------------------------------------------------------------------------------------------------------


def positions_of(t: Table) -> tuple[object, ...]:
    """What tells two situations apart: awards, phase, meters, menu lines."""
    return (t.state.awards, t.state.phase, t.state.meters, t.state.next_slip)


def branches(t: Table) -> list[str]:
    lines = [label for label in t.menu() if label.startswith(("AWARD P", "SLIP", "VOID", "RESUME"))]
    return ["CONFIRM", "CALL", "CLEAR", "RESET", "RESTART", "CARD", *lines]


def do(t: Table, act: str) -> None:
    match act:
        case "CONFIRM":
            t.confirm()
        case "CALL":
            t.call()
        case "CLEAR":
            t.clear()
        case "RESET":
            t.reset_key()
        case "RESTART":
            t.start(covered=[(p, ROYAL) for p in (1, 2, 5)])
        case "CARD":
            t.card(Hand.PLAYER, "2H", 3)
        case label:
            t.floor(label)


def copy(t: Table) -> Table:
    new = Table(t.rules)
    new.state, new.now_ns = t.state, t.now_ns
    new.effects = [e for e in t.effects if isinstance(e, (*ACTS, AwardLocked))]
    return new


def test_in_whatever_order_people_act_each_award_is_paid_once_and_each_meter_reset_after_its_slips() -> None:
    """Every reachable situation of a round with a slip, an envy bonus over the limit and two meters, by every key."""
    start = dealt("KS 9S", "KD 9C", 2, 5)
    won = {"royal_9.major": 1, "royal_9.minor": 1}
    todo, seen, ends = [start], {positions_of(start)}, {"paid": 0, "void": 0}
    while todo:
        t = todo.pop()
        if t.state.phase is Phase.VOIDED:
            ends["void"] += 1
            assert not [e for e in t.effects if isinstance(e, SlipIssued | AwardPaid | MeterReset)]
            continue
        if t.state.phase not in (Phase.AWARD, Phase.STOPPED):
            ends["paid"] += 1
            paid_once(t)
            assert {e.meter: 1 for e in t.effects if isinstance(e, MeterReset)} == won
            assert len(t.saw(MeterReset)) == 2
            continue
        for act in branches(t):
            after = copy(t)
            do(after, act)
            for meter in after.state.meters:
                meters.check(meter)
            paid_now = [e.award for e in after.effects if isinstance(e, AwardPaid)]
            assert len(paid_now) == len(set(paid_now))
            reset_meters = {e.meter for e in after.effects if isinstance(e, MeterReset)}
            for award in after.state.awards:
                assert award.meter not in reset_meters or award.id in paid_now
            if positions_of(after) not in seen:
                seen.add(positions_of(after))
                todo.append(after)
    assert ends["paid"] >= 1 and ends["void"] >= 1
    assert len(seen) > 50, "the search went nowhere"


def test_an_act_of_an_earlier_round_s_award_is_no_line_of_the_menu() -> None:
    t = major()
    t.see_to_awards()
    t.result("banker")
    t.clear()
    assert t.state.awards == ()
    assert not [label for label in t.menu() if label.startswith(("AWARD", "SLIP"))]


@pytest.mark.parametrize(
    ("cents", "line", "title"),
    [
        (99_999, "AWARD P16 $999.99", "AWARD $999.99"),
        (99_999_999, "AWARD P16 999999.99", "AWARD $999,999.99"),
        (100_000_000, "AWARD P16 1000000.00", "AWARD $1,000,000.00"),
        (9_999_999_999, "AWARD P16", "AWARD $99,999,999.99"),
        (99_999_999_999, "AWARD P16", "AWARD 999999999.99"),
    ],
)
def test_an_amount_is_shown_whole_or_not_at_all(cents: int, line: str, title: str) -> None:
    t = major()
    t.state = replace(t.state, awards=(replace(t.state.awards[0], position=16, cents=cents),))
    t.confirm()
    assert next(label for label in t.menu() if label.startswith("AWARD")) == line
    assert t.shown()[0] == title


def test_a_hasty_second_press_does_not_complete_a_slip() -> None:
    """Two presses on the line of an award: validated, and its slip is still to be printed."""
    t = major()
    t.confirm()
    t.do(ev.FloorKeyTurned(True, t.tick()))
    t.confirm()
    t.confirm()
    assert not any(isinstance(e, AwardPaid) for e in t.effects)
    assert (t.state.hint, t.menu_line()) == ("LOOK: MENU CHANGED", "SLIP 000001 COMPLETE")
    t.confirm()
    assert any(isinstance(e, AwardPaid) for e in t.effects)
