"""Poker rounds that can't be settled, each with its code, and what every poker settlement keeps to."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.cards import DECK
from firmware.core.poker import HandRank, best_hand, hand_rank
from firmware.core.readings import ALLOWED, Readings
from firmware.core.settlement import resolve, settle
from firmware.core.settlement_data import Offer, Result, RoundToSettle
from firmware.core.wagers.criss_cross_poker import CRISS_CROSS_POKER
from firmware.core.wagers.poker_round import PokerRound
from firmware.core.wagers.ultimate_texas_holdem import BAD_BEAT, ULTIMATE_TEXAS_HOLDEM
from firmware.core.wagers.wager import LOST, PlacedWager, Seat, Table, Won
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()

HOLDEM: dict[str, Any] = {
    "id": "r1",
    "game": "ultimate_texas_holdem",
    "table": {"decks": 1},
    "offered": {"trips": {"paytable": "A"}, "bad_beat": {"paytable": "C"}, "play_the_board": {"paytable": "A"}},
    "wagers": [{"position": 1, "wager": "bad_beat", "cents": 500}, {"position": 2, "wager": "trips", "cents": 500}],
    "outcome": {
        "community": ["6S", "7H", "8D", "KC", "2S"],
        "dealer": ["9C", "TD"],
        "positions": {"1": ["5D", "4C"], "2": ["9H", "TC"], "5": ["AH", "AD"]},
        "folded": [2],
    },
}
CRISS_CROSS: dict[str, Any] = {
    "id": "r1",
    "game": "criss_cross_poker",
    "table": {},
    "offered": {"ultimate_pairs": {"paytable": "A"}},
    "wagers": [{"position": 1, "wager": "ultimate_pairs", "cents": 500}],
    "outcome": {"community": ["6S", "7H", "8D", "KC", "2S"], "positions": {"1": ["5D", "4C"]}, "folded": []},
}
AWAY = object()

Where = tuple[str | int, ...]


def _answer(good: dict[str, Any], path: Where = (), value: object = AWAY) -> dict[str, Any]:
    """The answer to a good line with one value set, or taken away."""
    line = copy.deepcopy(good)
    if path:
        place: Any = line
        for step in path[:-1]:
            place = place[step]
        if value is AWAY:
            del place[path[-1]]
        else:
            place[path[-1]] = value
    answer, settled = settle_line(json.dumps(line).encode(), CATALOGUE)
    parsed: dict[str, Any] = json.loads(answer)
    assert settled == ("error" not in parsed)
    return parsed


def _code(answer: dict[str, Any]) -> str:
    code: str = answer["error"]["code"]
    return code


def test_the_good_lines_settle() -> None:
    (trips, bad_beat) = _answer(HOLDEM)["settlements"]
    assert (trips["position"], trips["line"], trips["section"]) == (2, "straight", "653a.12(c)")  # although it folded
    assert (bad_beat["position"], bad_beat["line"], bad_beat["award_cents"]) == (1, "straight", 10_000)
    assert [one["result"] for one in _answer(CRISS_CROSS)["settlements"]] == ["lose"]


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("outcome", "community"), ["6S", "7H", "8D", "KC"], "bad_outcome"),
        (("outcome", "community"), ["6S", "7H", "8D", "KC", "2S", "3S"], "bad_outcome"),
        (("outcome", "community"), [], "bad_outcome"),
        (("outcome", "community"), "6S7H8DKC2S", "bad_outcome"),
        (("outcome", "community"), None, "bad_outcome"),
        (("outcome", "community", 0), "1S", "bad_card"),
        (("outcome", "community", 0), "10S", "bad_card"),
        (("outcome", "community", 0), "6s", "bad_card"),
        (("outcome", "community", 0), 6, "bad_card"),
        (("outcome", "community", 0), "7H", "impossible_cards"),  # twice on the board
        (("outcome", "community", 0), "9C", "impossible_cards"),  # the dealer's
        (("outcome", "community", 0), "5D", "impossible_cards"),  # a position's
        (("outcome", "community", 0), "AH", "impossible_cards"),  # of a position without a wager
        (("outcome", "dealer"), ["9C"], "bad_outcome"),
        (("outcome", "dealer"), ["9C", "TD", "3S"], "bad_outcome"),
        (("outcome", "dealer"), [], "bad_outcome"),
        (("outcome", "dealer", 1), "9C", "impossible_cards"),
        (("outcome", "dealer", 1), "4C", "impossible_cards"),
        (("outcome", "positions", "1"), ["5D"], "bad_outcome"),
        (("outcome", "positions", "5"), ["AH", "AD", "AS"], "bad_outcome"),
        (("outcome", "positions", "1"), [], "bad_outcome"),
        (("outcome", "positions", "5", 1), "AH", "impossible_cards"),
        (("outcome", "positions", "5", 1), "9H", "impossible_cards"),  # another position's
        (("outcome", "positions", "5", 1), "XX", "bad_card"),
        (("outcome", "positions"), [["5D", "4C"]], "bad_outcome"),
        (("outcome", "positions", "0"), ["3S", "3H"], "bad_outcome"),
        (("outcome", "positions", "one"), ["3S", "3H"], "bad_outcome"),
        (("outcome", "positions", "01"), ["3S", "3H"], "bad_outcome"),
        (("outcome", "folded"), [3], "bad_outcome"),  # has no cards
        (("outcome", "folded"), [2, 2], "bad_outcome"),
        (("outcome", "folded"), ["2"], "bad_outcome"),
        (("outcome", "folded"), [True], "bad_outcome"),
        (("outcome", "folded"), [2.0], "bad_outcome"),
        (("outcome", "folded"), 2, "bad_outcome"),
        (("outcome", "folded"), None, "bad_outcome"),
        (("outcome", "folded"), {"2": True}, "bad_outcome"),
        (("outcome", "folded"), [1], "bad_wager"),  # W2: position 1 has a Bad Beat
        (("outcome", "flop"), ["6S", "7H", "8D"], "unknown_field"),
        (("outcome", "community"), AWAY, "missing_field"),
        (("outcome", "dealer"), AWAY, "missing_field"),
        (("outcome", "positions"), AWAY, "missing_field"),
        (("outcome", "folded"), AWAY, "missing_field"),
        (("outcome",), [], "bad_outcome"),
        (("outcome", "positions", "1"), AWAY, "bad_wager"),  # a wager at a position without cards
        (("outcome", "positions"), {}, "bad_outcome"),  # position 2 folded cards that it has not
        (("wagers", 0, "position"), 3, "bad_wager"),
        (("wagers", 0, "position"), 0, "bad_wager"),
        (("wagers", 0, "cents"), 0, "bad_wager"),
        (("wagers", 0, "cents"), -500, "bad_wager"),
        (("wagers", 0, "cents"), 5.0, "bad_wager"),
        (("wagers", 0, "number"), 17, "unknown_field"),
        (("wagers", 1), {"position": 1, "wager": "bad_beat", "cents": 100}, "bad_wager"),  # twice
        (("wagers", 0, "wager"), "ultimate_pairs", "not_offered"),
        (("wagers", 0, "wager"), "hot_roller", "unknown_wager"),
        (("offered", "lucky_six"), {"paytable": "-"}, "unknown_wager"),
        (("offered", "trips", "paytable"), "F", "unknown_paytable"),
        (("offered", "trips", "paytable"), "a", "unknown_paytable"),
        (("offered", "bad_beat", "paytable"), "A", "unknown_paytable"),
        (("offered", "bad_beat", "paytable"), "B", "unknown_paytable"),
        (("offered", "play_the_board", "paytable"), "D", "unknown_paytable"),
        (("table", "decks"), 0, "bad_table"),
        (("table", "decks"), -1, "bad_table"),
        (("table", "decks"), 2, "bad_table"),  # no five of a kind in § 653a.6
        (("table", "decks"), "1", "bad_table"),
        (("table", "decks"), True, "bad_table"),
        (("table", "wheel"), "single_zero", "unknown_field"),
        (("table", "personal_combinations"), {}, "unknown_field"),
        (("readings",), {"W1": "dealer"}, "unknown_reading"),
        (("readings",), {"W2": "live"}, "unknown_reading"),
        (("meters",), {"royal_9.mega": "1.000000"}, "unknown_field"),
    ],
)
def test_refused_at_holdem(path: Where, value: object, code: str) -> None:
    assert _code(_answer(HOLDEM, path, value)) == code


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("outcome", "dealer"), ["9C", "TD"], "unknown_field"),
        (("outcome", "community"), AWAY, "missing_field"),
        (("outcome", "positions"), AWAY, "missing_field"),
        (("outcome", "folded"), AWAY, "missing_field"),
        (("outcome", "community"), ["6S", "7H", "8D", "KC"], "bad_outcome"),
        (("outcome", "positions", "1"), ["5D", "4C", "3C"], "bad_outcome"),
        (("outcome", "positions", "1"), ["5D", "5D"], "impossible_cards"),
        (("outcome", "positions", "1"), ["5D", "6S"], "impossible_cards"),
        (("outcome", "folded"), [2], "bad_outcome"),
        (("outcome", "positions"), {"2": ["5D", "4C"]}, "bad_wager"),
        (("offered", "ultimate_pairs", "paytable"), "F", "unknown_paytable"),  # it needs a dealer's hand: 653b.5 only
        (("offered", "trips"), {"paytable": "A"}, "unknown_wager"),
        (("wagers", 0, "wager"), "bad_beat", "unknown_wager"),
        (("table", "decks"), 2, "bad_table"),
    ],
)
def test_refused_at_criss_cross(path: Where, value: object, code: str) -> None:
    assert _code(_answer(CRISS_CROSS, path, value)) == code


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("table", "decks"), AWAY),  # one deck is meant
        (("outcome", "folded"), []),
        (("outcome", "folded"), [2, 5]),
        (("readings",), {"W1": "player", "C1": "push"}),
        (("wagers",), []),
        (("date",), "2026-03-22"),
    ],
)
def test_good_at_holdem(path: Where, value: object) -> None:
    assert "settlements" in _answer(HOLDEM, path, value)


def test_a_refusal_says_what_where_and_what_to_do() -> None:
    message = _answer(HOLDEM, ("outcome", "folded"), [1])["error"]["message"]
    assert "position 1" in message and "W2" in message and "by hand" in message
    message = _answer(HOLDEM, ("outcome", "dealer"), ["9C"])["error"]["message"]
    assert message == "outcome.dealer: got 1 cards (9C), expected 2"


@pytest.mark.parametrize(
    ("wager", "paytable", "date", "section"),
    [
        ("trips", "E", "2024-03-22", None),
        ("trips", "E", "2024-03-23", "653b.2(b)"),
        ("trips", "E", "2026-03-22", "653b.2(b)"),
        ("trips", "E", "2026-03-23", None),  # expired
        ("trips", "A", "2024-03-22", None),  # the day on which § 653a.12(c) came into force is not in hand
        ("trips", "A", "2024-03-23", "653a.12(c)"),  # 653b.2 only adds to it
        ("trips", "A", "2026-03-23", "653a.12(c)"),
        ("trips", "D", None, "653a.12(c)"),
        ("trips", "E", None, "653b.2(b)"),
        ("play_the_board", "A", "2026-03-23", None),
        ("play_the_board", "A", None, "653b.4(f)"),
        ("ultimate_pairs", "F", "2026-03-22", "653b.5(f)"),
    ],
)
def test_the_date_chooses_the_text(wager: str, paytable: str, date: str | None, section: str | None) -> None:
    line = copy.deepcopy(HOLDEM)
    line |= {"offered": {wager: {"paytable": paytable}}, "wagers": [{"position": 1, "wager": wager, "cents": 100}]}
    answer = _answer(line) if date is None else _answer(line, ("date",), date)
    if section is None:
        assert _code(answer) == "unknown_paytable"
    else:
        assert [one["section"] for one in answer["settlements"]] == [section]


def _bad_beat(reading: str, own: list[str], dealer: list[str]) -> tuple[str, str | None]:
    line = copy.deepcopy(HOLDEM) | {"readings": {"W1": reading}, "wagers": HOLDEM["wagers"][:1]}
    line["outcome"] |= {"positions": {"1": own}, "dealer": dealer, "folded": []}
    (one,) = _answer(line)["settlements"]
    return one["result"], one["line"]


@pytest.mark.parametrize(
    ("own", "dealer", "either", "player"),
    [
        (["5D", "4C"], ["9C", "TD"], ("win", "straight"), ("win", "straight")),  # 8-high, beaten by 10-high
        (["9C", "TD"], ["5D", "4C"], ("win", "straight"), ("lose", None)),  # the same, the dealer's is beaten
        (["KD", "KH"], ["9C", "TD"], ("win", "three_of_a_kind"), ("win", "three_of_a_kind")),
        (["9C", "TD"], ["KD", "KH"], ("win", "three_of_a_kind"), ("lose", None)),
        (["9C", "TD"], ["9D", "TH"], ("lose", None), ("lose", None)),  # a tie beats neither
        (["KD", "8C"], ["9C", "TD"], ("lose", None), ("lose", None)),  # two pair is too low, whoever holds it
        (["9C", "TD"], ["KD", "8C"], ("lose", None), ("lose", None)),
        (["AD", "QC"], ["AC", "JC"], ("lose", None), ("lose", None)),
    ],
)
def test_w1_by_setting(
    own: list[str], dealer: list[str], either: tuple[str, str | None], player: tuple[str, str | None]
) -> None:
    assert [_bad_beat(reading, own, dealer) for reading in ALLOWED["W1"]] == [either, player]


@pytest.mark.parametrize(
    ("community", "own", "dealer", "line"),
    [
        ("9H 8H 7H 6H 5H", "2C 3D", "TH 2S", "straight_flush"),  # the board's beaten by one from the dealer's ten
        ("9H 8H 7H 6H 5H", "TH JH", "2C 3D", "straight_flush"),
        ("KH QH JH TH 9H", "2C 3D", "AH 2S", "straight_flush"),  # by a royal flush
        ("8S 8H 8D 8C 2S", "KD 3C", "AC 3D", "four_of_a_kind"),  # by the fifth card alone
        ("8S 8H 8D 8C AS", "KD 3C", "QC 3D", None),  # the board plays for both: a tie
        ("AS KS QS JS TS", "AH AD", "2C 3D", None),  # nothing beats a royal flush
        ("AS KS QS JS 9S", "TS 2D", "8S 3D", "flush"),  # by a royal flush, which itself is not beaten
    ],
)
def test_the_highest_hands_that_are_beaten(community: str, own: str, dealer: str, line: str | None) -> None:
    good = copy.deepcopy(HOLDEM)
    good["wagers"] = good["wagers"][:1]
    good["outcome"] = {
        "community": community.split(), "dealer": dealer.split(), "positions": {"1": own.split()}, "folded": [],
    }  # fmt: skip
    (one,) = _answer(good)["settlements"]
    assert one["line"] == line


ACES_AND_DEALERS = [("AH AD", "AS AC"), ("AS AC", "AH AD"), ("AH AD", "AS KC"), ("AS AC", "AH KD"), ("AD AC", "2H 2C")]
"""Red aces against black ones, and so on; no paytable has both a row for four aces and one for the red ones."""


@pytest.mark.parametrize(
    ("paytable", "lines"),
    [
        ("A", ["aces"] * 5),
        ("B", ["aces"] * 5),
        ("C", ["red_aces", "aces", "red_aces", "aces", "aces"]),
        ("D", ["red_aces", "aces", "red_aces", "aces", "aces"]),
        ("E", ["aces"] * 5),
        ("F", ["four_aces", "four_aces", "aces", "aces", "aces"]),
    ],
)
def test_a_pair_of_aces_by_paytable(paytable: str, lines: list[str]) -> None:
    """W6, W7, at both games: at Criss-Cross there is no dealer and no table F."""
    for (own, dealer), line in zip(ACES_AND_DEALERS, lines, strict=True):
        for game in (HOLDEM, CRISS_CROSS) if paytable != "F" else (HOLDEM,):
            good = copy.deepcopy(game) | {
                "offered": {"ultimate_pairs": {"paytable": paytable}},
                "wagers": [{"position": 1, "wager": "ultimate_pairs", "cents": 500}],
            }
            good["outcome"] |= {
                "community": ["6S", "7H", "8D", "KH", "3S"],
                "positions": {"1": own.split()},
                "folded": [1],
            }
            if game is HOLDEM:
                good["outcome"]["dealer"] = dealer.split()
            (one,) = _answer(good)["settlements"]
            assert (one["result"], one["line"]) == ("win", line)


# --- properties -------------------------------------------------------------------------------------------------------

TABLES = {
    (game.name, wager.name): [table.name for table in CATALOGUE.paytables(game.name, wager.name)]
    for game in (ULTIMATE_TEXAS_HOLDEM, CRISS_CROSS_POKER)
    for wager in game.wagers
}
NEAR = [card for card in DECK if card.rank in "AKQJT" or card.suit in "HD"]  # so that good hands come often


@st.composite
def rounds(draw: st.DrawFn) -> RoundToSettle[PokerRound]:
    game = draw(st.sampled_from((ULTIMATE_TEXAS_HOLDEM, CRISS_CROSS_POKER)))
    cards = draw(st.lists(st.sampled_from(draw(st.sampled_from((DECK, NEAR)))), min_size=21, max_size=21, unique=True))
    positions = {position: tuple(cards[5 + 2 * position : 7 + 2 * position]) for position in range(1, 8)}
    folded = draw(st.frozensets(st.integers(1, 7)))
    places = [
        (position, wager.name)
        for position in positions
        for wager in game.wagers
        if not (wager is BAD_BEAT and position in folded)
    ]
    placed = draw(st.lists(st.sampled_from(places), unique=True, max_size=12))
    return RoundToSettle(
        game=game,
        table=Table(1),
        offered={wager.name: Offer(draw(st.sampled_from(TABLES[game.name, wager.name]))) for wager in game.wagers},
        wagers=tuple(PlacedWager(position, wager, draw(st.integers(1, 100_000))) for position, wager in placed),
        dealt=PokerRound(tuple(cards[:5]), positions, folded, tuple(cards[5:7]) if len(game.wagers) > 1 else ()),
        readings=Readings.choose({"W1": draw(st.sampled_from(ALLOWED["W1"]))}),
    )


@settings(deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(round_: RoundToSettle[PokerRound], random: object) -> None:
    settled = settle(round_, CATALOGUE)
    wagers = list(round_.wagers)
    random.shuffle(wagers)  # type: ignore[attr-defined]
    positions = dict(reversed(list(round_.dealt.positions.items())))
    dealt = PokerRound(
        tuple(reversed(round_.dealt.community)), positions, round_.dealt.folded, tuple(reversed(round_.dealt.dealer))
    )
    other = RoundToSettle(
        round_.game, round_.table, round_.offered, tuple(wagers), dealt, readings=round_.readings
    )  # fmt: skip
    assert settle(other, CATALOGUE) == settled
    assert len(settled.settlements) == len(round_.wagers)
    assert settled.envy == () and settled.meters_after == {}


@settings(deadline=None)
@given(rounds())
def test_every_wager_of_any_round_has_one_result(round_: RoundToSettle[PokerRound]) -> None:
    """Whether a wager wins is told again from the ranks of the hands alone."""
    dealt = round_.dealt
    for wager in round_.game.wagers:
        table = CATALOGUE.paytable(round_.game.name, wager.name, round_.offered[wager.name].paytable)
        for position, own in dealt.positions.items():
            verdict = wager.judge(dealt, Seat(position, round_.table, table, round_.readings))
            assert verdict is LOST or (isinstance(verdict, Won) and set(verdict.lines) <= set(wager.lines))
            resolved = resolve(verdict, table, 500, {}, round_.readings)
            assert resolved.result is (Result.WIN if _wins(wager.name, dealt, own, round_.readings) else Result.LOSE)
            if wager.name in ("trips", "play_the_board") and resolved.line is not None:
                hand = dealt.community + (own if wager.name == "trips" else ())
                name = hand_rank(best_hand(hand)).name.lower()
                assert resolved.line.name == ("pair_of_10s_or_better" if name == "pair" else name)


def _wins(wager: str, dealt: PokerRound, own: tuple[Any, ...], readings: Readings) -> bool:
    hand, dealer, board = (best_hand(dealt.community + cards) for cards in (own, dealt.dealer, ()))
    match wager:
        case "trips":
            return hand_rank(hand) >= HandRank.THREE_OF_A_KIND
        case "bad_beat":
            beaten = hand if hand < dealer else dealer if dealer < hand and readings.W1 == "either" else 0
            return hand_rank(beaten) >= HandRank.THREE_OF_A_KIND
        case "play_the_board":
            pairs = {card.rank for card in dealt.community if sum(card.rank == one.rank for one in dealt.community) > 1}
            rank = hand_rank(board)
            return rank > HandRank.PAIR or (rank is HandRank.PAIR and pairs <= set("TJQKA"))
        case _:
            ranks = {card.rank.value for card in own}
            return len(ranks) == 1 or ("A" in ranks and bool(ranks & set("KQJ")))
