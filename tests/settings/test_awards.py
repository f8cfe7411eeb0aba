"""`[awards]`: what the house may set, and what reaches the core."""

from __future__ import annotations

import pytest

from firmware.core.rules import AwardRule
from firmware.settings.problems import ConfigurationError
from firmware.settings.rules import to_rules
from tests.settings.tables import CATALOGUE, simulated

KEYS = "[keys]\n"


def with_awards(text: str) -> tuple[str, str]:
    return (KEYS, f"[awards]\n{text}\n\n{KEYS}")


def test_without_a_section_it_is_over_200_for_1_and_no_limit() -> None:
    assert to_rules(simulated(), CATALOGUE).awards == AwardRule(200, None)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("validated_over = 0", AwardRule(0, None)),
        ('inventory_limit = "1499.99"', AwardRule(200, 149_999)),
        ('validated_over = 50\ninventory_limit = "0.00"', AwardRule(50, 0)),
    ],
)
def test_what_is_set_reaches_the_core(text: str, rule: AwardRule) -> None:
    assert to_rules(simulated(with_awards(text)), CATALOGUE).awards == rule


@pytest.mark.parametrize(
    ("text", "where", "expected"),
    [
        ("validated_over = 201", "awards.validated_over", "0 to 200"),
        ("validated_over = -1", "awards.validated_over", "0 to 200"),
        ("inventory_limit = 1500", "awards.inventory_limit", "dollars and cents in quotes"),
        ('inventory_limit = "1500"', "awards.inventory_limit", "dollars and cents in quotes"),
        ("tray_limit = 3", "awards.tray_limit", "inventory_limit"),
    ],
)
def test_what_the_sections_do_not_allow_is_refused_by_name(text: str, where: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        simulated(with_awards(text))
    assert where in refused.value.report()
    assert expected in refused.value.report()
