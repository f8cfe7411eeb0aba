"""The project's own files, for tests that read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("firmware", "drivers", "hil", "config")
LEFT_OUT = frozenset(
    {".git", ".venv", "build", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
)


def python_files(*folders: str) -> list[Path]:
    """Every Python file below the folders, in order."""
    return sorted(path for folder in folders for path in (PROJECT / folder).rglob("*.py"))


def text_files() -> list[Path]:
    """Every text file of the project, whatever it is."""
    found = []
    for path in sorted(PROJECT.rglob("*")):
        parts = set(path.relative_to(PROJECT).parts)
        if path.is_file() and not parts & LEFT_OUT and not any(part.endswith(".egg-info") for part in parts):
            found.append(path)
    return found


@cache
def tree(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every module that a file imports, also inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.lineno, node.module


def place(path: Path, line: int) -> str:
    """For messages."""
    return f"{path.relative_to(PROJECT)}:{line}"
