"""Made by `python -m firmware.odds.bad_beat`: how often a hand of each rank is beaten."""

from __future__ import annotations

from firmware.core.poker import HandRank

BEATEN = {
    HandRank.HIGH_CARD: 395_983_710_240,
    HandRank.PAIR: 683_256_278_484,
    HandRank.TWO_PAIR: 199_549_574_820,
    HandRank.THREE_OF_A_KIND: 32_024_879_724,
    HandRank.STRAIGHT: 9_135_538_488,
    HandRank.FLUSH: 9_717_104_296,
    HandRank.FULL_HOUSE: 4_217_612_688,
    HandRank.FOUR_OF_A_KIND: 235_520_256,
    HandRank.STRAIGHT_FLUSH: 5_150_296,
    HandRank.ROYAL_FLUSH: 0,
}
"""Deals in which the position's hand is of that rank and beaten by the dealer's; the dealer's is beaten in as many."""

TIED = 113_130_263_816
"""Deals in which both hands are equally strong."""
