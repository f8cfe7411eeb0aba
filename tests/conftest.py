"""What holds for all tests: how hypothesis behaves, and which tests begin."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("tabled", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("tabled")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow ones first: on several processors none is left to wait for at the end. Otherwise in their order."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
