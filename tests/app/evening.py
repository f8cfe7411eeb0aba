"""What is played on the table while daemons are killed and the power goes: rounds as the dealer's scripts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import DECK, Card
from tests.blackjack_dealer import BlackjackScript
from tests.core.table import WAGERS
from tests.dealer import Script

SHOE_CARDS_DEALT = 402  # of 416; the cutting card lies behind them
ROYAL = "royal_9_progressive"


def three_rounds() -> list[Script]:
    """Two jackpots in one round, a void, a new shoe."""
    return [
        Script(  # position 1's combination against position 2's: two meters, two winners (R11)
            chips=[(1, ROYAL), (2, ROYAL), (2, "tie"), (5, "player")],
            player=["KS", "9H"],
            banker=["KD", "9C"],
        ),
        Script(
            chips=[(3, ROYAL), (3, "player"), (5, "lucky_six")],
            player=["4S", "4H"],
            banker=["2C", "5D"],
            void=True,
        ),
        Script(
            chips=[(1, ROYAL), (6, "banker_pair"), (7, "perfect_pairs_player"), (7, "player")],
            player=["2S", "2S", "7D"],
            banker=["KC", "KC", "4D"],
            new_shoe=True,
        ),
    ]


def evening() -> list[Script]:
    """The three rounds and what else moves a meter: the Mega and its envy, awards that fall with a void, an award that
    stands though the round is void, several amounts won by one batch."""
    return [
        *three_rounds(),
        Script(  # position 1's hand is won beside another wager, and then the dealer calls a misdeal
            chips=[(1, ROYAL), (1, "banker")],
            player=["9H", "KS"],
            banker=["2C", "5D"],
            void_award=True,
        ),
        Script(  # position 3 has both hands: the Mega, and its envy at the other position
            chips=[(1, ROYAL), (3, ROYAL), (3, "tie"), (4, "banker")],
            player=["KH", "9S"],
            banker=["9S", "KH"],
        ),
        Script(  # pairs of fixed odds, some of which need the floorperson
            chips=[(2, "perfect_pairs_player"), (2, "perfect_pairs_banker"), (4, "player_pair")],
            player=["4S", "4S"],
            banker=["3C", "3C"],
        ),
        *mystery_rounds(),
    ]


def mystery_rounds() -> list[Script]:
    """Midibaccarat; the range of the trigger is as wide as one contribution, so each of them wins (`mystery_table`)."""
    return [
        Script(  # three amounts won by one batch
            chips=[(3, ROYAL), (1, ROYAL), (2, ROYAL), (2, "banker")],
            player=["2C", "6D"],
            banker=["2D", "5C"],
        ),
        Script(  # what was won stands though the round is void
            chips=[(4, ROYAL), (3, "player")],
            player=["4S", "4H"],
            banker=["2C", "5D"],
            void=True,
        ),
    ]


def blackjack_rounds() -> list[Script]:
    """A Crown Treasure after the hole card and its envy; meters won by the first cards; a void; nothing that waits."""
    return [
        BlackjackScript(
            chips=[(1, "royal_match_progressive"), (4, "royal_match_progressive"), (4, "blazing_7s")],
            hands={"P1": "KS QS", "P4": "7H 2C", "DEALER": "KH QH"},
        ),
        BlackjackScript(
            chips=[(2, "blazing_7s_multi_progressive"), (2, "21_plus_3_progressive"), (5, "kings_bounty")],
            hands={"P2": "7D 7D", "P5": "KD KC", "DEALER": "7D AS"},
        ),
        BlackjackScript(
            chips=[(3, "blazing_7s_multi_progressive"), (6, "royal_match_progressive")],
            hands={"P3": "2S 3S", "P6": "9S KD", "DEALER": "4S 5S"},
            void=True,
        ),
        BlackjackScript(
            chips=[(7, "21_plus_3_progressive")],
            hands={"P1": "5C 6C", "P7": "2D 3H", "DEALER": "4C 5H"},
            new_shoe=True,
        ),
    ]


def blackjack_table(folder: Path) -> Path:
    """The Blackjack example, as a file in `folder`."""
    config = folder / "table.toml"
    config.write_text((Path(__file__).parents[2] / "config" / "tables" / "blackjack.toml").read_text("utf-8"), "utf-8")
    return config


def mystery_table(folder: Path) -> Path:
    """The Midibaccarat example with that range, as a file in `folder`."""
    text = (Path(__file__).parents[2] / "config" / "tables" / "midibaccarat.toml").read_text("utf-8")
    assert 'bench_maximum = "103.00"' in text
    config = folder / "table.toml"
    config.write_text(text.replace('bench_maximum = "103.00"', 'bench_maximum = "100.50"'), "utf-8")
    return config


def shoe_rounds(seed: int) -> Iterator[Script]:
    """Rounds dealt from eight shuffled decks, one after the other, up to the cutting card."""
    rng = random.Random(seed)
    cards = [str(card) for card in DECK] * 8
    rng.shuffle(cards)
    dealt = 0
    while dealt < SHOE_CARDS_DEALT:
        hands: dict[Hand, list[str]] = {Hand.PLAYER: [], Hand.BANKER: []}
        while True:
            hand = next_card(*(tuple(map(Card.parse, hands[h])) for h in (Hand.PLAYER, Hand.BANKER)))
            if hand is None:
                break
            hands[hand].append(cards[dealt])
            dealt += 1
        spots = [(p, w) for p in range(1, 8) for w in WAGERS]
        chips = sorted([*rng.sample(spots, rng.randint(0, 4)), (rng.randint(1, 7), ROYAL)])
        yield Script(chips=sorted(set(chips)), player=hands[Hand.PLAYER], banker=hands[Hand.BANKER])
