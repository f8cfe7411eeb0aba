"""Where a device is: relative paths and sockets lie under the run directory; URLs stay as they are."""

from __future__ import annotations

from pathlib import Path


def url_of(url: str, run_dir: Path) -> str:
    return url if "://" in url else str(run_dir / url)
