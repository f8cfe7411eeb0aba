"""What this process runs on: the identity that the journal keeps and the approver signs.

Rules:
* `environment` covers every file below the folders that Python imports from, ours and the packages', byte for byte, so
  that nothing can be imported which was not there when it was approved. The interpreter and its standard library are
  the distribution's: of them the version counts, among the dependencies.
* A compiled file counts without its header, which holds its source's time; what pip notes for itself does not count.
* A file that can't be read is part of the answer, not an error: such an environment is none that was approved.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import firmware
from firmware.app.program import VERSION, code_hash, paytables_hash, text_hash
from firmware.core.identity import Identity

NOTES_OF_PIP = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
"""Files of a `.dist-info` that say where, when and by what it was installed."""

PYC_HEADER_BYTES = 16
_OWN_PACKAGES = ("firmware", "drivers", "hil", "config")


def find(table_text: str, *, whole: bool) -> Identity:
    """What runs here, with a table's text. `whole`: with `environment`, which takes about a second for 100 MB."""
    roots = import_roots()
    return Identity(
        version=VERSION,
        code=code_hash(),
        paytables=paytables_hash(),
        configuration=text_hash(table_text),
        dependencies=dependencies(roots),
        environment=files_hash(roots) if whole else "",
    )


def import_roots() -> tuple[Path, ...]:
    """The folders, and archives, that modules are imported from, without the interpreter's own; none twice."""
    own = Path(firmware.__path__[0]).parent
    library = Path(os.__file__).parent  # sysconfig would take 10 ms to say so
    found = {Path(entry or os.curdir).resolve() for entry in sys.path if Path(entry or os.curdir).exists()}
    found -= {library.resolve(), (library / "lib-dynload").resolve()}
    if not any(own.is_relative_to(root) for root in found):  # a clone, reached through an editable install's finder
        found |= {own / package for package in _OWN_PACKAGES}
    return tuple(sorted(root for root in found if not any(_holds(other, root) for other in found)))


def _holds(folder: Path, inner: Path) -> bool:
    """Whether all of `inner` counts with `folder`: not below a hidden folder, which does not count there."""
    return folder in inner.parents and not any(part.startswith(".") for part in inner.relative_to(folder).parts)


def dependencies(roots: Iterable[Path]) -> tuple[str, ...]:
    """ "name version" of Python and of every package that is installed below the roots, sorted."""
    names = {
        entry.name for root in roots if root.is_dir() for entry in os.scandir(root) if entry.name.endswith(".dist-info")
    }
    packages = {" ".join(name.removesuffix(".dist-info").rsplit("-", 1)) for name in names}
    return tuple(sorted({p for p in packages if not p.startswith("tabled ")} | {f"python {platform.python_version()}"}))


def files_hash(roots: Iterable[Path]) -> str:
    """SHA-256, hex, over every file below each root, by path from there and content; or which could not be read."""
    digest = hashlib.sha256()
    try:
        for number, root in enumerate(roots):
            for name, path in sorted(_files(str(root), "", set())):
                digest.update(f"{number}/{name}\0".encode(errors="surrogateescape"))
                digest.update(hashlib.sha256(_content(path)).digest())
    except OSError as error:
        return f"unreadable: {error.filename}: {error.strerror}"
    return digest.hexdigest()


def _files(folder: str, prefix: str, seen: set[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Name from the root, and path, of everything that counts. Hidden folders do not: no module can be in one.

    A link to a folder is followed, as an import would; `seen` keeps a ring of links from being walked for ever.
    """
    status = os.stat(folder)  # noqa: PTH116  # 10,000 files, and Path costs more than their hash
    if not stat.S_ISDIR(status.st_mode):  # an archive that modules are imported from
        yield prefix, folder
        return
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    notes = NOTES_OF_PIP if folder.endswith(".dist-info") else frozenset[str]()
    for entry in os.scandir(folder):
        if entry.is_dir():
            if not entry.name.startswith("."):
                yield from _files(entry.path, f"{prefix}{entry.name}/", seen)
        elif entry.name not in notes:
            yield prefix + entry.name, entry.path


def _content(path: str) -> bytes:
    """What counts of a file. A pipe or a socket has nothing that could be imported, and reading it would wait."""
    if not os.path.isfile(path):  # noqa: PTH113  # as above
        return b"no file"
    content = Path(path).read_bytes()
    return content[PYC_HEADER_BYTES:] if path.endswith(".pyc") else content
