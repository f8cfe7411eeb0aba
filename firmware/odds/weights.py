"""The weights of a Rules Submission, read from `tabled odds --config FILE`.

The file is TOML with one table for each distribution, a probability for each value, as an exact fraction:

    [weights."b2b_roulette"]
    1000 = "1/100"
    500 = "2/100"

Rules:
* Probabilities are fractions of whole numbers, above zero, and sum to one exactly. Every value that the regulation
  lists has one; a value that it does not list is refused, and so is a distribution that nothing uses.
* A file is good or refused with the place, what was found and what was expected (`WeightsError`).
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import msgspec

from firmware.odds.verdicts import Distribution, Weights

_FRACTION = re.compile(r"([1-9][0-9]{0,17})/([1-9][0-9]{0,17})", re.ASCII)


class WeightsError(Exception):
    """The file can't be used; the message is for the user."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    weights: dict[str, dict[str, str]]


def read_weights(path: Path, known: dict[str, Distribution]) -> Weights:
    """The distributions that the file states; `known` are all that any wager uses. Raises `WeightsError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WeightsError(f"{path}: {error.strerror}") from error
    try:
        file = msgspec.toml.decode(content, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WeightsError(f'{path}: {error}; expected tables [weights."NAME"] of VALUE = "1/38"') from error
    return {name: _distribution(f"{path}: weights.{name}", name, given, known) for name, given in file.weights.items()}


def _distribution(where: str, name: str, given: dict[str, str], known: dict[str, Distribution]) -> dict[str, Fraction]:
    if name not in known:
        raise WeightsError(f"{where}: no such distribution; there is {', '.join(sorted(known)) or 'none'}")
    distribution = known[name]
    weights = {value: _weight(f"{where}.{value}", text) for value, text in given.items()}
    for value in given:
        if value not in distribution.values and value not in distribution.optional:
            told = f"; expected {distribution.expected}" if distribution.expected else ""
            raise WeightsError(f"{where}.{value}: the regulation does not list this value for {name}{told}")
    for value in distribution.values:
        if value not in given:
            raise WeightsError(f"{where}.{value}: missing; every value that the regulation lists has a weight above 0")
    total = sum(weights.values(), Fraction())
    if total != 1:
        raise WeightsError(f"{where}: the weights sum to {total}, expected exactly 1")
    return weights


def _weight(where: str, text: str) -> Fraction:
    found = _FRACTION.fullmatch(text)
    if found is None:
        raise WeightsError(f"{where}: got {text!r:.60}, expected a fraction above zero such as '1/38'")
    return Fraction(int(found[1]), int(found[2]))
