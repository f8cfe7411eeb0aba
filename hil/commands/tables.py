"""`--table` of the commands that have a simulated table of their own: the name of one in config/tables, or a path."""

from __future__ import annotations

from pathlib import Path

TABLES = Path(__file__).resolve().parents[2] / "config" / "tables"
HELP = "a simulated table: a name of config/tables, such as roulette, or the path of its TOML file"


def table(text: str) -> Path:
    """A bare word is a name, unless a file is called so; anything else is a path. What is not there is left for its
    reader to tell."""
    path, named = Path(text), TABLES / f"{text}.toml"
    return named if path.name == text and not path.is_file() and named.is_file() else path
