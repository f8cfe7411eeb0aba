"""Tests on virtual time. A test that imports this may sleep: it moves the clock."""

from hil.virtual_time import DeadEndError, VirtualLoop, run_virtual

__all__ = ["DeadEndError", "VirtualLoop", "run_virtual"]
