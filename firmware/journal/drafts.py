"""Where a file lies while it is made, before it gets its name whole.

Rules: what is there under the draft's name was left by an attempt that was cut off, and may be thrown away. So it is no
name that a person gives: "signing.key.new" beside "signing.key" is somebody's next key.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=8)
def draft_of(path: Path) -> Path:
    """A hidden name in the same folder.

    Kept: a daemon asks for the noted head's every round, and each new `Path` would use up a place in the table of texts
    that Python keeps once each, until that table doubles.
    """
    return path.with_name(f".{path.name}.draft")
