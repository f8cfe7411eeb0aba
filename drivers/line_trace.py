"""What a line did: its edges, and the walk over them from one run of a level to the next. No clock, no I/O."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from drivers.line_spec import LineTiming


class Run(Struct, frozen=True):
    """A level and when it began: somewhere after `not_before_ns` and up to `not_after_ns`; both equal where known."""

    active: bool
    not_before_ns: int
    not_after_ns: int


class Edge(Struct, frozen=True):
    """A change of level, as stamped at its source or found by a read."""

    at_ns: int
    active: bool
    not_before_ns: int  # below at_ns only where a level read found the change
    arrived_ns: int


class Trace(Struct, frozen=True):
    """Where the walk over the edges stands: the debounced run, and the raw run."""

    run: Run
    raw: Run

    def settled(self, until_ns: int, timing: LineTiming) -> Trace:
        """The same after nothing more happened until `until_ns`."""
        proved = until_ns - self.raw.not_after_ns >= timing.stable_ns(self.raw.active)
        return Trace(self.raw, self.raw) if self.raw.active != self.run.active and proved else self

    def after(self, edge: Edge) -> Trace:
        return replace(self, raw=Run(edge.active, edge.not_before_ns, edge.at_ns))
