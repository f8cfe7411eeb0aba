"""A fresh Debian in a folder, for tests that must see the project on a machine that has nothing.

Rules: the release's base is built once by mmdebstrap and kept as an archive under `build/`; each use gets a copy of its
own that goes away. It reaches packages as this machine does: apt's sources that name a release get the wanted one,
pip's configuration, certificates, proxies and package folders are handed on. Nothing is known here of any host.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BUILD = PROJECT / "build" / "chroots"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HANDED_ON = re.compile(r"(?i)^(pip_.*|.*_proxy|ssl_cert_file|ssl_cert_dir|requests_ca_bundle|curl_ca_bundle)$")
"""Environment variables that say how to reach packages."""
CERTIFICATES = (Path("/etc/ssl/certs"), Path("/usr/share/ca-certificates"), Path("/usr/local/share/ca-certificates"))


def why_not() -> str:
    """Why no chroot can be made here; empty when one can."""
    if os.geteuid() != 0:
        return "a chroot needs root"
    if os.environ.get("SETUP_IN_CHROOT"):
        return "already inside a chroot of these tests"
    missing = [tool for tool in ("mmdebstrap", "mount", "chroot") if shutil.which(tool) is None]
    return f"missing here: {', '.join(missing)}" if missing else ""


class PackagesUnreachableError(Exception):
    """The base of a release could not be built: no package source answers here."""


@contextmanager
def fresh_debian(release: str, folder: Path) -> Iterator[Chroot]:
    """A Debian of `release` ("trixie") below `folder`. Raises PackagesUnreachableError when it can't be had."""
    archive = _base(release)
    root = folder / release
    root.mkdir()
    with tarfile.open(archive) as tar:
        tar.extractall(root, filter="fully_trusted")
    chroot = Chroot(root)
    try:
        chroot.connect()
        yield chroot
    finally:
        chroot.disconnect()


class Chroot:
    """One unpacked system."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._mounts: list[Path] = []

    def run(self, *command: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command inside, as root, with nothing of this process's environment but the way to packages."""
        handed_on = {name: value for name, value in os.environ.items() if HANDED_ON.match(name)}
        inside = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", **handed_on, **(environment or {})}
        return subprocess.run(
            ["chroot", str(self.root), *command], env=inside, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )

    def copy_project(self, target: str) -> None:
        """A clean clone of what is committed, with what is changed and not ignored on top, at `target` inside."""
        place = self.root / target.lstrip("/")
        place.mkdir(parents=True)
        listing = ["git", "-C", str(PROJECT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listing, check=True, capture_output=True).stdout.decode().split("\0")
        for name in filter(None, names):
            source = PROJECT / name
            if source.is_file():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place / name)

    def connect(self) -> None:
        """Mount what a process expects and hand on the way to packages."""
        for kind, place in (("proc", "proc"), ("sysfs", "sys"), ("devtmpfs", "dev"), ("devpts", "dev/pts")):
            self._mount(["-t", kind, kind], self.root / place)
        self._mount(["-t", "tmpfs", "-o", "mode=1777", "tmpfs"], self.root / "dev" / "shm")
        self._copy(Path("/etc/resolv.conf"))
        self._copy(Path("/etc/hosts"))
        for place in CERTIFICATES:
            self._copy(place)
        for place in _pip_files():
            self._copy(place)
        for place in _package_folders():
            inside = self.root / str(place).lstrip("/")
            inside.mkdir(parents=True, exist_ok=True)
            self._mount(["--bind", "-o", "ro", str(place)], inside)

    def disconnect(self) -> None:
        """Unmount everything, last first."""
        while self._mounts:
            subprocess.run(["umount", "--lazy", str(self._mounts.pop())], check=True)

    def _mount(self, arguments: list[str], place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *arguments, str(place)], check=True)
        self._mounts.append(place)

    def _copy(self, source: Path) -> None:
        """Copy a file's content, or a folder as it is: its links mean what they mean inside.

        No link is written through, since an absolute one inside would lead to this machine's own file.
        """
        inside = self.root / str(source).lstrip("/")
        if source.is_dir():
            inside.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", "--remove-destination", f"{source}/.", str(inside)], check=True)
        elif source.is_file():
            inside.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-L", "--remove-destination", str(source), str(inside)], check=True)


def _base(release: str) -> Path:
    """The archive of a release's base system, built if there is none yet."""
    archive = BUILD / f"{release}.tar"
    if archive.is_file():
        return archive
    BUILD.mkdir(parents=True, exist_ok=True)
    partial = archive.with_suffix(".partial.tar")
    sources = BUILD / f"{release}.sources"
    sources.write_text(_apt_sources(release), encoding="utf-8")
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates"]
    command += [f"--aptopt={option}" for option in _apt_options()]
    made = subprocess.run([*command, release, str(partial), str(sources)], capture_output=True, text=True)
    if made.returncode != 0:
        raise PackagesUnreachableError(f"mmdebstrap could not build {release}: {made.stderr[-400:]}")
    partial.rename(archive)
    return archive


def _apt_sources(release: str) -> str:
    """This machine's Debian sources, for another release. A suite "bookworm-updates" becomes "trixie-updates"."""
    own = re.search(r"(?m)^VERSION_CODENAME=(\S+)", Path("/etc/os-release").read_text(encoding="utf-8"))
    if own is None:
        raise PackagesUnreachableError("/etc/os-release names no release, so apt's sources can't be turned to another")
    texts = []
    for file in sorted([Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.sources")]):
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        stanzas = text.split("\n\n") if file.suffix == ".sources" else [text]
        texts += [stanza for stanza in stanzas if re.search(rf"\b{own[1]}\b", stanza)]
    if not texts:
        raise PackagesUnreachableError("apt has no source for this machine's own release")
    return re.sub(rf"\b{own[1]}\b", release, "\n\n".join(texts)) + "\n"


def _apt_options() -> list[str]:
    """How apt reaches its sources here: proxies, and whether dates are to be believed."""
    shown = subprocess.run(["apt-config", "dump", "Acquire"], check=True, capture_output=True, text=True).stdout
    wanted = re.compile(r"^Acquire::(Check-\S+|https?::(Proxy|CaInfo|Verify-\S+)\S*) ", re.MULTILINE)
    return [line.rstrip(";") for line in shown.splitlines() if wanted.match(line)]


def _pip_files() -> list[Path]:
    """Every file that configures pip here."""
    home = Path.home()
    places = [Path("/etc/pip.conf"), Path("/etc/xdg/pip"), home / ".config" / "pip", home / ".pip"]
    return [place for place in places if place.exists()]


def _package_folders() -> list[Path]:
    """Folders from which pip or apt take packages on this machine."""
    texts = [value for name, value in os.environ.items() if name.upper().startswith("PIP_")]
    for place in _pip_files():
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        texts += [file.read_text(encoding="utf-8", errors="replace") for file in files]
    found = {Path(path) for text in texts for path in re.findall(r"(?:file://)?(/[\w./-]+)", text)}
    # An index page in a folder "simple" may point to files beside that folder.
    folders = {path.parent if path.name == "simple" else path for path in found if path.is_dir()}
    return sorted(folder for folder in folders if len(folder.parts) > 2 and folder.parts[1] not in ("etc", "usr"))
