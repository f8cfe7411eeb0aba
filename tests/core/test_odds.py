"""Exact odds: the reductions against plain enumeration, sums, and figures that others have published."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import Card
from firmware.core.pays import Unpaid
from firmware.core.readings import ALLOWED, RECOMMENDED, Readings
from firmware.core.settlement import seed_micro
from firmware.core.wagers.baccarat import BACCARAT
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.lucky_shooter import ShooterLine
from firmware.core.wagers.midibaccarat import MIDIBACCARAT
from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import Pushed, Seat, Table, Wager
from firmware.interfaces.outcomes import READERS
from firmware.odds.baccarat import LAYOUT, VIEWS, View, count_over, outcomes
from firmware.odds.counting import COUNTINGS
from firmware.odds.deals import decks_of
from firmware.odds.report import NothingToReportError, fraction_text, odds_reports, percent_text, report_text
from firmware.odds.verdicts import Setup
from firmware.odds.wager_odds import UnknownOdds, WagerOdds, wager_odds
from firmware.settings.paytables import load_catalogue

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
REPORTS = odds_reports(CATALOGUE)


def _one(wager: str, paytable: str = "-", decks: int = 8, game: str = "minibaccarat") -> WagerOdds:
    found = [
        one
        for one in REPORTS
        if (one.game, one.wager, one.paytable.name, one.setup.decks) == (game, wager, paytable, decks)
    ]
    assert len(found) == 1
    assert isinstance(found[0], WagerOdds)
    return found[0]


def _seat(wager: Wager[TwoHands], table: Table, position: int = 1, readings: Readings = RECOMMENDED) -> Seat:
    """At the first of the wager's paytables; for Blazing 7's and Cover All that is the one with an N/A."""
    return Seat(position, table, PAYTABLES[wager.name][0], readings)


def _wager(name: str) -> Wager[TwoHands]:
    return WAGERS[name]


GAMES_OF_TWO_HANDS = (MINIBACCARAT, MIDIBACCARAT, BACCARAT)
WAGERS = {wager.name: wager for game in GAMES_OF_TWO_HANDS for wager in game.wagers}
PAYTABLES = {
    wager.name: CATALOGUE.paytables(game.name, wager.name) for game in GAMES_OF_TWO_HANDS for wager in game.wagers
}


# --- the reductions ---------------------------------------------------------------------------------------------------


def _plainly(cards: tuple[Card, ...]) -> Counter[TwoHands]:
    """What every order of the cards of a short shoe deals, by how many orders deal it; each is equally likely."""
    deals: Counter[TwoHands] = Counter()
    for order in itertools.permutations(cards, 6):
        dealt: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
        for card in order:
            due = next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])
            if due is None:
                break
            dealt[due] += (card,)
        deals[TwoHands(dealt[Hand.PLAYER], dealt[Hand.BANKER])] += 1
    return deals


def _assert_reduced_is_plain(
    cards: tuple[Card, ...], table: Table, position: int = 1, readings: Readings = RECOMMENDED
) -> None:
    plain = _plainly(cards)
    for wager in WAGERS.values():
        seat = _seat(wager, table, position, readings)
        by_order = count_over(wager, seat, ((orders, dealt) for dealt, orders in plain.items()))
        reduced = count_over(wager, seat, outcomes(VIEWS[wager.name], cards))
        assert reduced == by_order, wager.name


SHORT_SHOES = [
    "KS 9H KS 9H 9S KD 2C 3D",  # position 1's combination twice, so that the Mega is there
    "KH 9S KH 9S QD 9D JC 8C",  # another position's combination twice: Mega Envy
    "KS 9S QS 9S JD 9D AH 6C",
    "AS AS AH AD TC 6H 2C 3H",
    "2S 3H 4D 5C 6S 7H KD TC",
    "AS AS AS AS 7S 7S 2H",  # nine against nine with three cards each, of one suit
    "AH AD AH AD 7H 7D 3S",  # of one colour, each hand of one suit among them
    "AH AD AS 2C 7H 6D TS",
    "9S 9S 9H 9D 9S 2D",
]


@pytest.mark.parametrize("shoe", SHORT_SHOES)
def test_reduced_enumeration_equals_plain_enumeration(shoe: str) -> None:
    cards = tuple(Card.parse(text) for text in shoe.split())
    _assert_reduced_is_plain(cards, Table(2, LAYOUT))


def test_the_short_shoes_reach_every_line() -> None:
    reached = {
        (wager.name, line)
        for shoe in SHORT_SHOES
        for dealt in _plainly(tuple(map(Card.parse, shoe.split())))
        for wager in WAGERS.values()
        for line in getattr(wager.judge(dealt, _seat(wager, Table(2, LAYOUT))), "lines", ())
    }
    nines = {("heavenly_9_progressive", line) for line in WAGERS["heavenly_9_progressive"].lines}
    assert nines <= reached
    assert {("lucky_nines", line) for line in WAGERS["lucky_nines"].lines} <= reached


_FACES = "KS 9H KH 9S KD QD JC 9D TC AS 2H 3D 4C 5S 6H 7D 8C AH 7S"
FACES = [Card.parse(text) for text in _FACES.split()]


@settings(max_examples=6, deadline=None)
@given(
    st.lists(st.sampled_from(FACES), min_size=7, max_size=7),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in ALLOWED.items()}),
    st.sampled_from(sorted(LAYOUT)),
)
def test_reduced_equals_plain_on_any_short_shoe(cards: list[Card], readings: dict[str, str], position: int) -> None:
    _assert_reduced_is_plain(tuple(cards), Table(8, LAYOUT), position, Readings.choose(readings))


def test_every_wager_has_a_view() -> None:
    assert set(VIEWS) == set(WAGERS)


# --- sums -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "odds", REPORTS, ids=lambda odds: f"{odds.game}-{odds.wager}-{odds.paytable.name}-{odds.setup}"
)
def test_every_deal_lands_on_exactly_one_result(odds: WagerOdds | UnknownOdds) -> None:
    if isinstance(odds, UnknownOdds):
        assert odds.missing
        return
    assert sum((line.probability for line in odds.lines), odds.lose + odds.push) == 1
    for one in odds.lines:
        never = isinstance(one.line.pay, Unpaid) or one.line.name == ShooterLine.SEVEN_OR_ELEVEN  # J1 = b: goes on
        assert (one.probability > 0) is not never, one.line


@pytest.mark.parametrize("decks", [6, 8])
def test_the_count_of_all_deals(decks: int) -> None:
    size = 52 * decks
    six = size * (size - 1) * (size - 2) * (size - 3) * (size - 4) * (size - 5)
    for view, total in ((View.SCORES, six), (View.ROYALS, six // ((size - 4) * (size - 5)))):
        assert sum(ways for ways, _ in outcomes(view, decks_of(decks))) == total


# --- figures that others have published -------------------------------------------------------------------------------


def test_ways_of_eight_decks() -> None:
    """Banker, Player and Tie of eight decks: 2,292,252,566,437,888, 2,230,518,282,592,256 and 475,627,426,473,216 of
    4,998,398,275,503,360 deals (published by the Wizard of Odds, "Baccarat", combinations for eight decks)."""
    player, tie, banker = (
        Fraction(2_230_518_282_592_256, 4_998_398_275_503_360),
        Fraction(475_627_426_473_216, 4_998_398_275_503_360),
        Fraction(2_292_252_566_437_888, 4_998_398_275_503_360),
    )
    assert player + tie + banker == 1
    odds = _one("player")
    assert (odds.lines[0].probability, odds.push, odds.lose) == (player, tie, banker)


@pytest.mark.parametrize(
    ("wager", "decks", "percent"),
    [
        ("player", 8, "1.24"),  # the well-known edges of the game with eight decks
        ("tie", 8, "14.36"),
        ("tie", 6, "14.44"),
        ("banker", 8, "1.46"),  # commission-free, half on a six: 1.46 with eight decks
        ("player_pair", 8, "10.36"),
        ("banker_pair", 8, "10.36"),
        ("player_pair", 6, "11.25"),
        ("lucky_six", 8, "16.68"),  # reading C1, both hands six loses: 16.7
    ],
)
def test_known_house_edges(wager: str, decks: int, percent: str) -> None:
    assert percent_text(_one(wager, decks=decks).house_edge) == percent


def test_lucky_six_when_six_against_six_is_a_push() -> None:
    """Reading C1: six against six is one round in 52. The edge is 14.76%; 96 million simulated rounds gave 14.7%."""
    odds = _one("lucky_six")
    lucky_six = _wager("lucky_six")
    seat = _seat(lucky_six, Table(8, LAYOUT), readings=Readings(C1="push"))
    pushed = count_over(lucky_six, seat, outcomes(VIEWS["lucky_six"], decks_of(8)))
    (chance,) = [chance for verdict, chance in pushed.of.items() if isinstance(verdict, Pushed)]
    assert round(1 / chance) == 52
    assert percent_text(odds.house_edge - chance) == "14.76"


@pytest.mark.parametrize("decks", [6, 8])
def test_pairs_by_hand(decks: int) -> None:
    """The second card against the first: of 52n - 1, n - 1 are the same face, n of the other suit of the colour, 2n
    mixed.
    """
    left = 52 * decks - 1
    for wager in ("perfect_pairs_player", "perfect_pairs_banker"):
        odds = _one(wager, "A", decks)
        assert [line.probability for line in odds.lines] == [
            Fraction(decks - 1, left),
            Fraction(decks, left),
            Fraction(2 * decks, left),
        ]
    assert _one("player_pair", decks=decks).lines[0].probability == Fraction(4 * decks - 1, left)


@pytest.mark.parametrize(("paytable", "percent"), [("A", "4.10"), ("B", "3.37"), ("C", "2.17")])
def test_perfect_pairs_edges(paytable: str, percent: str) -> None:
    """17/415, 14/415 and 9/415 of the stake with eight decks."""
    odds = _one("perfect_pairs_player", paytable)
    assert odds.house_edge == {"A": Fraction(17, 415), "B": Fraction(14, 415), "C": Fraction(9, 415)}[paytable]
    assert percent_text(odds.house_edge) == percent


@pytest.mark.parametrize("decks", [6, 8])
def test_royal_9_by_hand(decks: int) -> None:
    """Off-suit own combination: ordered four-card deals counted by multiplication."""
    size = 52 * decks
    hands = size * (size - 1) * (size - 2) * (size - 3)
    own = 2 * decks * decks  # ordered hands of one stated king and one stated nine
    again = 2 * (decks - 1) * (decks - 1)
    other = (size - 2) * (size - 3)
    lines = {line.line.name: line.probability for line in _one("royal_9_progressive", "5", decks).lines}
    assert lines["mega_jackpot"] == Fraction(own * again, hands)
    assert lines["mega_envy"] == 5 * lines["mega_jackpot"]
    assert lines["major_jackpot"] == lines["minor_jackpot"] == Fraction(own * (other - again), hands)
    one_hand = Fraction(2 * 12 * decks * 4 * decks, size * (size - 1))
    royal_lines = sum(lines.values(), Fraction())
    both = sum(lines[name] for name in ("mega_jackpot", "mega_envy", "suited_royal_9_tie", "royal_9_tie"))
    assert royal_lines < 2 * one_hand
    assert royal_lines + Fraction(_both_royals(decks), hands) == 2 * one_hand
    assert both < Fraction(_both_royals(decks), hands)  # the rest are ties in which the own hand takes Major or Minor


def _both_royals(decks: int) -> int:
    """Ordered deals in which both hands are a Royal 9: the second face and nine come from what the first left."""
    faces, nines = 12 * decks, 4 * decks
    return 2 * faces * nines * 2 * (faces - 1) * (nines - 1)


def test_own_suited_major_beside_a_suited_royal_9() -> None:
    """Reading R7: with a suited own combination, Major beside a suited Royal 9 comes once in 167,596 rounds (8 decks).

    That figure is the Major alone: the own hand is the Banker hand and the Player hand another suited Royal 9."""
    royal = _wager("royal_9_progressive")
    layout = {1: frozenset((Card.parse("KS"), Card.parse("9S")))}
    verdicts = count_over(royal, _seat(royal, Table(8, layout)), outcomes(VIEWS[royal.name], decks_of(8)))
    competing = [
        chance
        for verdict, chance in verdicts.of.items()
        if getattr(verdict, "lines", ()) == ("major_jackpot", "suited_royal_9_tie")
    ]
    assert len(competing) == 1
    assert round(1 / competing[0]) == 167_596


@pytest.mark.parametrize("paytable", ["5", "1"])
@pytest.mark.parametrize("decks", [6, 8])
def test_break_even(paytable: str, decks: int) -> None:
    """At the break-even meter, the others at seed, the stake comes back on average."""
    odds = _one("royal_9_progressive", paytable, decks)
    assert odds.meters is not None and odds.meters.break_even_micro is not None
    assert odds.meters.meter == "royal_9.mega"
    stake_micro = Fraction(int(paytable) * 1_000_000)
    seeds = {
        seed.meter: Fraction(seed_micro(seed.amount, odds.paytable.denomination_cents or 0, RECOMMENDED) or 0)
        for seed in odds.paytable.seeds
    }
    chances = {line.line.name: line.probability for line in odds.lines}
    lesser = chances["major_jackpot"] * seeds["royal_9.major"] + chances["minor_jackpot"] * seeds["royal_9.minor"]
    for mega, edge in (
        (odds.meters.break_even_micro, Fraction(0)),
        (seeds["royal_9.mega"], odds.meters.seed_house_edge),
    ):
        assert odds.house_edge - (lesser + chances["mega_jackpot"] * mega) / stake_micro == edge


def test_midibaccarat_has_the_odds_of_minibaccarat() -> None:
    for wager in MIDIBACCARAT.wagers:
        for table in CATALOGUE.paytables("midibaccarat", wager.name):
            mini, midi = (_one(wager.name, table.name, 8, game.name) for game in (MINIBACCARAT, MIDIBACCARAT))
            assert [line.probability for line in mini.lines] == [line.probability for line in midi.lines]
            assert (mini.house_edge, mini.meters) == (midi.house_edge, midi.meters)


@pytest.mark.parametrize(
    ("wager", "paytable", "decks", "percent"),
    [
        ("fortune_7", "A", 8, "7.61"),  # as Dragon 7 of EZ Baccarat, 40 to 1: published as 7.611 (Wizard of Odds)
        ("golden_8", "A", 8, "10.19"),  # as Panda 8 of EZ Baccarat, 25 to 1: published as 10.188 (Wizard of Odds)
        ("blazing_7s_baccarat", "B", 8, "7.78"),  # 96 million simulated rounds: 7.9
        ("blazing_7s_baccarat", "A", 8, "7.29"),  # the same: 7.6; one standard error of it is 0.2
        ("cover_all", "A", 8, "9.25"),  # the same: 9.2
        ("cover_all", "B", 8, "2.97"),  # the same: 2.9; one standard error of it is 0.02
        ("player", "-", 8, "1.24"),
        ("tie", "-", 8, "14.36"),
    ],
)
def test_house_edges_of_baccarat(wager: str, paytable: str, decks: int, percent: str) -> None:
    assert percent_text(_one(wager, paytable, decks, "baccarat").house_edge) == percent


def _by_reading(wager: str, paytable: str, **chosen: str) -> WagerOdds:
    one = WAGERS[wager]
    table = CATALOGUE.paytable("baccarat", wager, paytable)
    seat = Seat(1, Table(8), table, Readings.choose(chosen))
    chances = count_over(one, seat, outcomes(VIEWS[wager], decks_of(8)))
    return wager_odds(wager, "baccarat", table, Setup(decks=8), chances)


def test_heavenly_9_by_both_readings_of_all_cards() -> None:
    """H2: of 96 million simulated rounds, one in about 470,000 (six) or 127,000 (each) won the meter, and 82.0% or
    84.5% came back, the tenth that goes to the meter counted. One in 470,000 is 204 hits; 172 with a standard error of
    13 are expected. The exact figures, 557,311 and 128,942, stand."""
    six, each = (_by_reading("heavenly_9_progressive", "-", H2=reading) for reading in ("six", "each"))
    assert round(1 / six.lines[0].probability) == 557_311
    assert round(1 / each.lines[0].probability) == 128_942
    for odds, percent in ((six, 82), (each, 84)):
        assert odds.meters is not None and odds.meters.seed_house_edge is not None
        assert round(100 * (1 - odds.meters.seed_house_edge + Fraction(1, 10))) == percent


def test_mixed_sevens_paid_as_two_cards_would_give_the_patron_the_edge() -> None:
    """T2: a two-card seven against a three-card seven is one round in 110; at 50 to 1 the patron would have 38%."""
    plain, paid = _by_reading("blazing_7s_baccarat", "B"), _by_reading("blazing_7s_baccarat", "B", T2="two_card")
    mixed = paid.lines[1].probability - plain.lines[1].probability
    assert round(1 / mixed) == 110
    assert percent_text(paid.house_edge) == "-38.46"
    assert _by_reading("cover_all", "B", T2="two_card").house_edge < 0  # T4: so would Cover All


def test_the_five_treasures_exclude_each_other() -> None:
    """T5: no round wins two of the four, so Cover All's chance is the sum of theirs."""
    for paytable in ("A", "B"):
        four = ("fortune_7", "golden_8", "heavenly_9", "blazing_7s_baccarat")
        lines = (line for wager in four for line in _one(wager, paytable, 8, "baccarat").lines)
        cover = _one("cover_all", paytable, 8, "baccarat")
        assert sum((line.probability for line in lines), Fraction()) == cover.lines[0].probability


@pytest.mark.parametrize("decks", [6, 8])
def test_lucky_nines_by_hand(decks: int) -> None:
    """Four cards without regard to order: the nines from 4n (of one suit n), the rest from 48n."""
    total = comb(52 * decks, 4)
    rest = 48 * decks
    one_suit = {count: 4 * comb(decks, count) for count in (2, 3)}
    ways = {
        "four_nines": comb(4 * decks, 4),
        "three_nines_same_suit": one_suit[3] * rest,
        "three_nines": (comb(4 * decks, 3) - one_suit[3]) * rest,
        "two_nines_same_suit": one_suit[2] * comb(rest, 2),
        "two_nines": (comb(4 * decks, 2) - one_suit[2]) * comb(rest, 2),
        "one_nine_diamonds": decks * comb(rest, 3),
        "one_nine": 3 * decks * comb(rest, 3),
    }
    for paytable in "ABCD":
        odds = _one("lucky_nines", paytable, decks, "baccarat")
        assert {line.line.name: line.probability for line in odds.lines} == {
            name: Fraction(count, total) for name, count in ways.items()
        }


# --- the command ------------------------------------------------------------------------------------------------------


def _tabled(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "firmware.cli", *arguments], cwd=ROOT, capture_output=True, check=False, timeout=60
    )


def test_the_json_of_one_wager() -> None:
    done = _tabled(
        "odds", "--json", "--game", "minibaccarat", "--wager", "perfect_pairs_player", "--paytable", "A", "--decks", "8"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == [
        {
            "wager": "perfect_pairs_player",
            "game": "minibaccarat",
            "section": "627b.1(e)",
            "paytable": "A",
            "decks": 8,
            "wheel": None,
            "lines": [
                {"line": "perfect_pair", "probability": "7/415", "pays": "25 to 1"},
                {"line": "colored_pair", "probability": "8/415", "pays": "12 to 1"},
                {"line": "mixed_pair", "probability": "16/415", "pays": "6 to 1"},
            ],
            "lose": "384/415",
            "push": "0/1",
            "house_edge": "17/415",
            "house_edge_percent": "4.10",
        }
    ]


def test_the_json_of_a_progressive_wager() -> None:
    done = _tabled("odds", "--json", "--wager", "royal_9_progressive", "--game", "minibaccarat")
    objects: list[dict[str, Any]] = json.loads(done.stdout)
    assert [(one["paytable"], one["decks"]) for one in objects] == [("5", 6), ("5", 8), ("1", 6), ("1", 8)]
    for one in objects:
        assert [line["pays"] for line in one["lines"][:3]] == [
            "100% of royal_9.mega",
            "100% of royal_9.major",
            "100% of royal_9.minor",
        ]
        assert one["break_even_meter"] == "royal_9.mega"
        assert one["assumes"]["position"] == 1
        total = sum(Fraction(line["probability"]) for line in one["lines"])
        assert total + Fraction(one["lose"]) + Fraction(one["push"]) == 1


@pytest.mark.parametrize(
    "call",
    [("--wager", "dragon_7"), ("--game", "faro"), ("--paytable", "Z"), ("--decks", "0"), ("--decks", "x"),
     ("--wager", "perfect_pairs_player", "--decks", "1")],
)  # fmt: skip
def test_a_filter_that_leaves_nothing_is_a_wrong_call(call: tuple[str, ...]) -> None:
    done = _tabled("odds", "--json", *call)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr and done.stderr


def test_odds_for_people() -> None:
    text = report_text([_one("royal_9_progressive", "5"), _one("player")])
    assert "100% of royal_9.mega" in text
    assert "house edge 49.77% without the meters" in text
    assert "assumes position: 1" in text
    assert "house edge 1.24%" in text


def test_the_edge_is_drawn_by_the_meter(tmp_path: Path) -> None:
    file = tmp_path / "edge.svg"
    call = ("odds", "--game", "baccarat", "--wager", "heavenly_9_progressive", "--decks", "8", "--plot", str(file))
    assert _tabled(*call).returncode == 0
    picture = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    texts = [element.text or "" for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "break-even $793,966, 0.00%" in texts
    assert "seed $10,000, 28.13%" in texts


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--wager", "heavenly_9_progressive"), b"2 pass the filters"),
        (("--wager", "lucky_nines", "--decks", "8", "--paytable", "A"), b"not progressive"),
        (("--wager", "heavenly_9_progressive", "--decks", "8", "--plot", "none/x.svg"), b"No such file"),
    ],
)
def test_what_can_not_be_drawn(tmp_path: Path, more: tuple[str, ...], told: bytes) -> None:
    done = _tabled("odds", "--game", "baccarat", "--plot", str(tmp_path / "x.svg"), *more)
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr and b"Traceback" not in done.stderr
    assert not (tmp_path / "x.svg").exists()


def test_nothing_to_report() -> None:
    with pytest.raises(NothingToReportError, match="tabled rules"):
        odds_reports(CATALOGUE, wager="nothing")


def test_rules() -> None:
    rules: list[dict[str, Any]] = json.loads(_tabled("rules", "--json").stdout)
    assert [set(rule) for rule in rules] == [
        {"wager", "game", "section", "paytables", "effective", "expires", "live"}
    ] * len(rules)
    assert {(rule["game"], rule["wager"]) for rule in rules} == {
        (game.name, wager.name) for game in GAMES.values() for wager in game.wagers
    }
    assert set(GAMES) == set(READERS) == set(COUNTINGS)
    royal = {
        "wager": "royal_9_progressive",
        "game": "minibaccarat",
        "section": "627b.3",
        "paytables": ["5", "1"],
        "effective": "2021-09-04",
        "expires": "2024-09-04",
        "live": True,
    }
    assert royal in rules
    text = _tabled("rules")
    assert text.returncode == 0
    assert len(text.stdout.splitlines()) == len(rules) + 1


@pytest.mark.parametrize(
    ("value", "percent"),
    [(Fraction(17, 415), "4.10"), (Fraction(-1, 100), "-1.00"), (Fraction(1, 20_000), "0.01"), (Fraction(0), "0.00"),
     (Fraction(-1, 100_000), "0.00"), (Fraction(1), "100.00")],
)  # fmt: skip
def test_percentages(value: Fraction, percent: str) -> None:
    assert percent_text(value) == percent


def test_fractions() -> None:
    assert [fraction_text(value) for value in (Fraction(0), Fraction(2, 4), Fraction(1))] == ["0/1", "1/2", "1/1"]
