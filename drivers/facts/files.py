"""Reading small files of the kernel: what isn't there, or may not be read, is empty."""

from __future__ import annotations

from pathlib import Path


def text_of(file: Path) -> str:
    """The stripped text; empty where it can't be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def number_of(file: Path, base: int = 10) -> int | None:
    try:
        return int(text_of(file), base)
    except ValueError:
        return None


def first_of(root: Path, pattern: str) -> Path | None:
    """The first file that fits, by name."""
    try:
        return min(root.glob(pattern), default=None)
    except OSError:
        return None
