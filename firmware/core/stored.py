"""The two bases of everything that the journal keeps as text: states and their parts, events and effects.

Rules of their text (`firmware/journal/codec.py` writes and reads it):
* A field that holds its plain default is left out. A field that is added later needs a plain default, and old texts and
  hashes stay what they were. For the same reason a default never changes: that would be another state schema.
* A plain default is None, a bool, an enum's member, an integer from -5 to 256, "" or (): of those Python keeps one
  object each, and msgspec tells a default by its identity. What a factory makes is always written.
* Nothing here refers to itself, so the collector of reference cycles need not look at it (`gc=False`).
"""

from __future__ import annotations

from msgspec import Struct


class Stored(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Part of a state, of an event or of an effect."""


class Message(Stored, frozen=True, tag_field="type", tag=True):
    """An event or an effect: one of many, so its text begins with its class name as `"type"`."""
