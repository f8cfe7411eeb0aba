"""Hypothesis without a deadline: how long one example takes depends on what else the machine does."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("tabled", deadline=None)
settings.load_profile("tabled")
