"""The generator: exact counts with every byte once, no remainder, what is asked is what is answered."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.app.generator import MOST_REJECTED, Chance, Generator, GeneratorFault
from firmware.app.key_file import SecretKey
from firmware.core import effects as fx
from firmware.core.chances import Pick, Share, commitment, crossing, pick_of
from firmware.core.draw_events import Drawn, TriggerDrawn, TriggerHit, TriggerLost, TriggerTested
from firmware.core.state import MysteryBonus, State
from firmware.odds.report import distributions
from firmware.odds.weights import read_weights
from firmware.settings.paytables import load_catalogue
from tests.bench import generator as generator_bench

KEY = SecretKey(bytes(range(32)))


def feed(values: Iterator[bytes]) -> Callable[[int], bytes]:
    """Hands out these bytes, `count` at a time, one call for each."""

    def source(count: int) -> bytes:
        found = next(values)
        assert len(found) == count
        return found

    return source


def test_every_byte_once_gives_every_number_as_often() -> None:
    """Exact, not statistical: 256 bytes for each limit; a remainder would make small numbers likelier."""
    for limit in range(2, 257):
        chance = Chance(feed(iter(bytes([n]) for n in range(256))))
        counts: Counter[int] = Counter()
        try:
            while True:
                counts[chance.below(limit)] += 1
        except StopIteration:
            pass
        bits = (limit - 1).bit_length()
        assert counts == dict.fromkeys(range(limit), 256 >> bits), limit


@pytest.mark.parametrize("limit", [257, 300, 33_000, 65_535, 65_536])
def test_every_pair_of_bytes_once(limit: int) -> None:
    mixed = (n * 40_503 % 65_536 for n in range(65_536))  # each once, but no long run of what is thrown away
    chance = Chance(feed(n.to_bytes(2, "big") for n in mixed))
    counts: Counter[int] = Counter()
    try:
        while True:
            counts[chance.below(limit)] += 1
    except StopIteration:
        pass
    assert counts == dict.fromkeys(range(limit), 65_536 >> (limit - 1).bit_length())


def test_one_value_needs_no_randomness() -> None:
    assert Chance(feed(iter([b""]))).below(1) == 0


@given(st.integers(1, 2**70))
def test_always_below_the_limit(limit: int) -> None:
    assert 0 <= Chance().below(limit) < limit


@pytest.mark.parametrize("limit", [0, -5])
def test_nothing_is_below_nothing(limit: int) -> None:
    with pytest.raises(ValueError, match="nothing can be drawn"):
        Chance().below(limit)


def test_a_source_that_repeats_itself_ends_the_draw() -> None:
    asked = []

    def stuck(count: int) -> bytes:
        asked.append(count)
        return b"\xff" * count

    with pytest.raises(GeneratorFault, match="repeats itself"):
        Chance(stuck).below(200)
    assert len(asked) == MOST_REJECTED


def test_a_source_that_gives_too_little() -> None:
    with pytest.raises(GeneratorFault, match="gave 1 random bytes, 3 were asked for"):
        Chance(lambda count: b"\0").below(100_000)


# --- weights ----------------------------------------------------------------------------------------------------------


def test_weights_are_exact_fractions() -> None:
    pick = pick_of("b2b_roulette", {"1000": Fraction(1, 6), "500": Fraction(1, 4), "10": Fraction(7, 12)})
    assert pick.shares == (Share("1000", 2), Share("500", 3), Share("10", 7))
    chance = Chance(feed(iter(bytes([n << 4]) for n in range(16))))
    counts: Counter[str] = Counter()
    try:
        while True:
            counts[chance.pick(pick)] += 1
    except StopIteration:
        pass
    assert counts == {"1000": 2, "500": 3, "10": 7}


@pytest.mark.parametrize(
    "weights",
    [{}, {"a": Fraction(1, 2)}, {"a": Fraction(1), "b": Fraction()}, {"a": Fraction(3, 2), "b": Fraction(-1, 2)}],
    ids=str,
)
def test_weights_that_are_none(weights: dict[str, Fraction]) -> None:
    with pytest.raises(ValueError, match="expected fractions above zero that sum to one"):
        pick_of("x", weights)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=30))
def test_any_weights_keep_their_proportions(parts: list[int]) -> None:
    weights = {str(n): Fraction(part, sum(parts)) for n, part in enumerate(parts)}
    pick = pick_of("x", weights)
    assert {share.value: Fraction(share.parts, pick.parts) for share in pick.shares} == weights


# --- questions and answers --------------------------------------------------------------------------------------------


def test_a_public_draw_answers_each_pick() -> None:
    coin = Pick("coin", (Share("red", 1), Share("blue", 1)))
    generator = Generator("T", None, feed(iter([b"\x00", b"\x80", b"\x80"])))
    (drawn,) = generator.answers([fx.Draw(4, "flips", (coin, coin, coin))], State())
    assert isinstance(drawn, Drawn)
    assert (drawn.draw, drawn.values) == (4, ("red", "blue", "blue"))


def _bonus(drawn: TriggerDrawn) -> State:
    return State(mystery=MysteryBonus("m", drawn.draw, commitment=drawn.commitment, sealed=drawn.sealed))


def _drawn(generator: Generator, least: int, below: int) -> TriggerDrawn:
    question = fx.DrawTrigger("m", 1, least, below)
    (drawn,) = generator.answers([question], State(mystery=MysteryBonus("m")))
    assert isinstance(drawn, TriggerDrawn)
    return drawn


@given(least=st.integers(0, 10**9), width=st.integers(1, 10**9), data=st.data())
def test_the_answer_is_that_of_the_trigger_that_was_committed_to(least: int, width: int, data: st.DataObject) -> None:
    generator = Generator("T", KEY)
    drawn = _drawn(generator, least, least + width)
    steps = tuple(data.draw(st.lists(st.integers(1, width), min_size=1, max_size=9)))
    question = fx.TestTrigger("m", 1, least, steps)
    (answer,) = generator.answers([question], _bonus(drawn))
    (again,) = Generator("T", KEY).answers([question], _bonus(drawn))
    if isinstance(answer, TriggerHit):
        assert isinstance(again, TriggerHit)
        assert (answer.index, answer.trigger_micro, answer.nonce) == (again.index, again.trigger_micro, again.nonce)
        assert least <= answer.trigger_micro < least + width
        assert crossing(least, steps, answer.trigger_micro) == answer.index
        nonce = bytes.fromhex(answer.nonce)
        assert commitment("T", "m", 1, nonce, answer.trigger_micro) == drawn.commitment
    else:
        assert isinstance(answer, TriggerTested)
        assert isinstance(again, TriggerTested)
        assert answer.to_micro == least + sum(steps)


def test_what_is_sealed_has_one_length_and_is_never_the_same() -> None:
    generator = Generator("T", KEY)
    drawn = [_drawn(generator, least, least + 1) for least in (0, 0, 10**12)]
    assert len({len(one.sealed) for one in drawn}) == 1
    assert len({one.sealed for one in drawn}) == len({one.commitment for one in drawn}) == 3


def test_another_table_can_not_open_it() -> None:
    """A journal and key that were copied to another table's machine."""
    drawn = _drawn(Generator("T", KEY), 0, 1)
    (answer,) = Generator("U", KEY).answers([fx.TestTrigger("m", 1, 0, (1,))], _bonus(drawn))
    assert isinstance(answer, TriggerLost)
    assert answer.reason == "the sealed trigger is not the one that was committed to"


def test_without_a_key_nothing_is_drawn_in_its_place() -> None:
    for key in (None, SecretKey(b"", "gone")):
        questions = [fx.DrawTrigger("m", 1, 0, 10), fx.TestTrigger("m", 1, 0, (1,))]
        answers = list(Generator("T", key).answers(questions, State(mystery=MysteryBonus("m", sealed="00"))))
        assert [type(answer) for answer in answers] == [TriggerLost, TriggerLost]


def test_a_question_that_is_no_longer_open_is_not_answered() -> None:
    generator = Generator("T", KEY)
    stale = [fx.TestTrigger("m", 1, 0, (1,)), fx.DrawTrigger("m", 1, 0, 10)]
    assert list(generator.answers(stale, State(mystery=MysteryBonus("m", draw=2)))) == []
    assert list(generator.answers(stale, State())) == []


def _stream(_: int) -> tuple[int, str]:
    generator = Generator("T", KEY)
    return os.getpid(), _drawn(generator, 0, 10**12).commitment


def test_copies_of_one_process_draw_differently() -> None:
    """Forked after the generator was imported, with one key: as two Pis that were started from one disk image."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        drawn = pool.map(_stream, range(8), chunksize=1)
    assert len({one for _, one in drawn}) == 8


# --- the configured distributions, and the bench that measures them ---------------------------------------------------


class EveryPlace(Chance):
    """Draws 0, 1, 2, ... of whatever range is asked for."""

    def __init__(self) -> None:
        self._next = itertools.count()

    def below(self, limit: int) -> int:
        return next(self._next) % limit


def test_every_configured_distribution_is_drawn_exactly() -> None:
    """Each part once: every value comes exactly as often as the Rules Submission's weights say."""
    known = distributions(load_catalogue())
    weights = read_weights(generator_bench.WEIGHTS, known)
    assert weights.keys() == known.keys()
    for name, parts in weights.items():
        pick, chance = pick_of(name, parts), EveryPlace()
        counts = Counter(chance.pick(pick) for _ in range(pick.parts))
        assert {value: Fraction(count, pick.parts) for value, count in counts.items()} == parts, name


@pytest.mark.parametrize(
    ("statistic", "freedom", "probability"),
    [(3.841459, 1, 0.05), (18.307038, 10, 0.05), (149.449253, 99, 0.0008), (0.5, 4, 0.973501), (98.334, 99, 0.5)],
)
def test_probabilities_of_chi_square(statistic: float, freedom: int, probability: float) -> None:
    """Against printed tables."""
    assert abs(generator_bench.upper_gamma(freedom / 2, statistic / 2) - probability) < 3e-4


def test_the_bench_catches_a_remainder() -> None:
    assert generator_bench.nasty(generator_bench.with_remainder, 3 << 14, 5_000) < generator_bench.SUSPICIOUS
    biased = [900, 1_000, 1_100, 1_000]
    assert generator_bench.chi_square(biased, [1_000.0] * 4) < 0.001
