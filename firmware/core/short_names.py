"""Wagers in 8 characters or fewer, for the floorperson's line of the dealer's display: "CONFIRM P16 ROYAL 9".

Rules: what people call the wager, not its first letters; at one game no two are alike. A wager more is a line here.
"""

from __future__ import annotations

COLUMNS = 8
"""What a line of 20 leaves after the longest verb and position."""

SHORT_NAMES = {
    # the games' own wagers, which say who is dealt in
    "blackjack": "BLACKJCK",
    "ante": "ANTE",
    # baccarat
    "player": "PLAYER",
    "banker": "BANKER",
    "tie": "TIE",
    "player_pair": "PLR PAIR",
    "banker_pair": "BKR PAIR",
    "perfect_pairs_player": "PERF PLR",
    "perfect_pairs_banker": "PERF BKR",
    "lucky_six": "LUCKY 6",
    "royal_9_progressive": "ROYAL 9",
    "heavenly_9_progressive": "HVN PROG",
    "heavenly_9": "HEAVEN 9",
    "fortune_7": "FORTUNE7",
    "golden_8": "GOLDEN 8",
    "blazing_7s_baccarat": "BLAZ 7S",
    "cover_all": "COVERALL",
    "lucky_nines": "LUCKY 9S",
    # roulette
    "b2b_roulette": "B2B",
    "blazing_7s_roulette": "BLAZ 7S",
    "roulette_up": "UP",
    "roulette_up_progressive": "UP PROG",
    "roulette_x_straight": "ROUL X",
    # craps
    "hot_roller": "HOT ROLL",
    "lucky_shooter": "LUCKY SH",
    "all_small": "SMALL",
    "all_tall": "TALL",
    "make_em_all": "MAKE ALL",
    # blackjack
    "21_plus_3_progressive": "21+3",
    "royal_match_progressive": "ROYAL M",
    "kings_bounty": "K BOUNTY",
    "blazing_7s": "BLAZ 7S",
    "blazing_7s_multi_progressive": "7S MULTI",
    # poker
    "trips": "TRIPS",
    "bad_beat": "BAD BEAT",
    "play_the_board": "BOARD",
    "ultimate_pairs": "ULTPAIRS",
    # Crazy Time
    "number_1": "NUMBER 1",
    "number_2": "NUMBER 2",
    "number_5": "NUMBER 5",
    "number_10": "NUMBR 10",
    "coin_flip": "COINFLIP",
    "cash_hunt": "CASHHUNT",
    "pachinko": "PACHINKO",
    "crazy_time_world": "CRAZY T",
}


def short_name(wager: str) -> str:
    """The wager's short name; of one that no game here has, what fits of its own."""
    return SHORT_NAMES.get(wager, wager.upper().replace("_", " ")[:COLUMNS])
