"""What is installed, what the approver signed, and the two held against each other by the command and by a daemon."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from firmware.app import installation, manifest
from firmware.app.program import code_hash, programs
from firmware.core.identity import Identity, ManifestState, Part
from firmware.core.machine_events import IdentityFound
from firmware.journal import signing
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC
from firmware.settings.model import IdentityCheck
from tests.app.rig import CONFIG

ROOT = Path(__file__).parents[2]
HERE = Identity("1.0", "c" * 64, "p" * 64, "f" * 64, ("apsw 3.51", "python 3.11.2"), "e" * 64)


# --- what is installed ----------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "a/__init__.py": "A = 1",
        "a/b.py": "B = 2",
        "a/__pycache__/b.cpython-311.pyc": "0123456789abcdefCODE",
        "a/data.toml": "x = 1",
        "a-1.0.dist-info/METADATA": "Name: a",
        "a-1.0.dist-info/RECORD": "a/b.py,,",
        ".git/config": "hidden",
        "x.pth": "import a",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def pipe(root: Path) -> None:
    os.mkfifo(root / "a" / "pipe")


def link_to_outside(root: Path) -> None:
    (root / "evil").symlink_to(root.parent, target_is_directory=True)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte": lambda root: (root / "a/b.py").write_text("B = 3"),
    "a file more": lambda root: (root / "a/c.py").touch(),
    "a file less": lambda root: (root / "a/data.toml").unlink(),
    "another name": lambda root: (root / "a/b.py").rename(root / "a/bb.py"),
    "two files swapped": lambda root: [
        (root / "a/b.py").write_text("A = 1"),
        (root / "a/__init__.py").write_text("B = 2"),
    ],
    "compiled code": lambda root: (root / "a/__pycache__/b.cpython-311.pyc").write_text("0123456789abcdefEVIL"),
    "a path file": lambda root: (root / "x.pth").write_text("import os"),
    "a pipe": pipe,
    "a package's version": lambda root: (root / "a-1.0.dist-info/METADATA").write_text("Name: b"),
    "a link": link_to_outside,
    "a dead link": lambda root: (root / "dead.py").symlink_to("nowhere"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_what_can_be_imported_changes_the_hash(tree: Path, change: str) -> None:
    (tree.parent / "outside.py").touch()
    before = installation.files_hash([tree])
    assert installation.files_hash([tree]) == before
    CHANGES[change](tree)
    assert installation.files_hash([tree]) not in (before, "")


def test_what_cannot_be_imported_does_not_count(tree: Path) -> None:
    before = installation.files_hash([tree])
    (tree / "a/__pycache__/b.cpython-311.pyc").write_text("another header..CODE")
    (tree / "a-1.0.dist-info/RECORD").write_text("where it was installed")
    (tree / ".git/config").write_text("changed")
    os.utime(tree / "a/b.py", (0, 0))
    assert installation.files_hash([tree]) == before


def test_a_module_in_an_archive_or_a_hidden_folder_is_seen_once_it_can_be_imported(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`PYTHONPATH` names them, and nothing that is installed has changed."""
    monkeypatch.setattr(sys, "path", [str(tree)])
    before = installation.files_hash(installation.import_roots())
    hidden, archive = tree / ".git", tree.parent / "more.zip"
    with zipfile.ZipFile(archive, "w") as more:
        more.writestr("msgspec.py", "")
    seen = {before}
    for place in (hidden, archive):
        monkeypatch.setattr(sys, "path", [str(place), str(tree)])
        seen.add(installation.files_hash(installation.import_roots()))
        installation.dependencies(installation.import_roots())
    archive.write_bytes(archive.read_bytes() + b" ")
    seen.add(installation.files_hash(installation.import_roots()))
    assert len(seen) == 4
    assert not any(text.startswith("unreadable") for text in seen)


def test_a_ring_of_links_ends(tree: Path) -> None:
    (tree / "a" / "ring").symlink_to(tree, target_is_directory=True)
    assert len(installation.files_hash([tree])) == 64


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_named(tree: Path) -> None:
    (tree / "a/b.py").chmod(0)
    assert installation.files_hash([tree]) == f"unreadable: {tree}/a/b.py: Permission denied"


def test_a_folder_that_went_away_is_named(tree: Path) -> None:
    assert installation.files_hash([tree / "gone"]) == f"unreadable: {tree}/gone: No such file or directory"


def test_this_installation() -> None:
    found = installation.find("text", whole=False)
    assert found.code == code_hash()
    assert found.environment == ""
    assert any(package.startswith("apsw 3.") for package in found.dependencies)
    assert f"python {sys.version.split()[0]}" in found.dependencies
    roots = installation.import_roots()
    assert any(Path(installation.__file__).is_relative_to(root) for root in roots)
    assert any(Path(msgspec.__file__).is_relative_to(root) for root in roots)
    assert not any(Path(json.__file__).is_relative_to(root) for root in roots), "the standard library is the system's"


# --- the manifest ---------------------------------------------------------------------------------------------------


@pytest.fixture
def key(tmp_path: Path) -> Path:
    signing.make_key(tmp_path / "approver.key")
    return tmp_path / "approver.key"


def signed(folder: Path, key: Path) -> IdentityCheck:
    """A manifest for HERE in `folder`, and the configuration that names it."""
    signer = signing.Signer.load(key)
    manifest.write(manifest.sign(HERE, signer), folder / "manifest.json")
    return IdentityCheck(manifest="manifest.json", approver=signer.public.hex())


def test_what_was_signed_is_read_again(tmp_path: Path, key: Path) -> None:
    found = manifest.look(signed(tmp_path, key), tmp_path)
    assert (found.state, found.approved) == (ManifestState.SIGNED, HERE)


def test_no_changed_byte_passes(tmp_path: Path, key: Path) -> None:
    """Every byte of the file: either it is refused, or it means the same (a space between two values)."""
    check = signed(tmp_path, key)
    file = tmp_path / "manifest.json"
    whole = file.read_bytes()
    refused = 0
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        found = manifest.look(check, tmp_path)
        refused += found.state is not ManifestState.SIGNED
        assert found.approved in (None, HERE)
    assert refused > len(whole) * 3 // 4
    for length in range(len(whole) - 1):
        file.write_bytes(whole[:length])
        found = manifest.look(check, tmp_path)
        assert found.approved is None, f"cut after {length} bytes"


def test_another_s_signature_and_another_label_are_forgeries(tmp_path: Path, key: Path) -> None:
    check = signed(tmp_path, key)
    signer = signing.Signer.load(key)
    stranger = tmp_path / "stranger.key"
    signing.make_key(stranger)
    for forged in (
        manifest.sign(HERE, signing.Signer.load(stranger)),
        replace(manifest.sign(HERE, signer), approved=replace(HERE, code="0" * 64)),
        replace(manifest.sign(HERE, signer), signature=signer.sign(msgspec.json.encode(HERE)).hex()),
        replace(manifest.sign(HERE, signer), signature=""),
    ):
        manifest.write(forged, tmp_path / "manifest.json")
        assert manifest.look(check, tmp_path).state is ManifestState.FORGED


def test_what_is_no_manifest_says_why(tmp_path: Path, key: Path) -> None:
    check = signed(tmp_path, key)
    file = tmp_path / "manifest.json"
    kept = file.rename(tmp_path / "kept")
    os.mkfifo(file)
    assert manifest.look(check, tmp_path).detail == "no regular file"
    kept.replace(file)
    for content, words in (
        (b"", "truncated"),
        (b"[]", "object"),
        (b"\xff\xfe", "invalid"),
        (b'{"approved": {}}', "missing"),
        (file.read_bytes().replace(b'"signature": "', b'"signature": "zz'), "hexadecimal"),
        (file.read_bytes().replace(b'"code"', b'"codes"'), "codes"),
    ):
        file.write_bytes(content)
        found = manifest.look(check, tmp_path)
        assert found.state is ManifestState.UNREADABLE
        assert words in found.detail
    file.unlink()
    assert manifest.look(check, tmp_path).state is ManifestState.MISSING
    file.mkdir()
    assert manifest.look(check, tmp_path).detail == "no regular file"
    assert manifest.look(IdentityCheck(), tmp_path).state is ManifestState.NOT_CONFIGURED


# --- a daemon of its own ------------------------------------------------------------------------------------------


NOT_FOR_THE_DAEMON = frozenset({"pillow", "fonttools", "fpdf2", "setuptools"})


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the daemon imports, out of the environment of the tests, where other programs leave compiled files."""
    target = tmp_path_factory.mktemp("packages")
    names = re.findall(r"(?m)^([a-z0-9-]+)==", (ROOT / "requirements" / "run.txt").read_text("utf-8"))
    assert "apsw" in names
    for name in set(names) - NOT_FOR_THE_DAEMON:
        with contextlib.suppress(metadata.PackageNotFoundError):  # not on this kind of machine
            for file in metadata.files(name) or ():
                if ".." not in file.parts and Path(str(file.locate())).exists():
                    (target / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(str(file.locate()), target / file)
    return target


class Copy:
    """A copy of the program, which may be tampered with, and a bench's table that names a manifest."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self.folder = folder
        self.program = folder / "program"
        for package in ("firmware", "drivers", "config"):
            shutil.copytree(ROOT / package, self.program / package, ignore=shutil.ignore_patterns("__pycache__"))
        self.config = folder / "table.toml"
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{self.program}:{packages}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONSAFEPATH": "1",
            "NOTIFY_SOCKET": str(folder / "notify"),
        }
        self.tabled("key", "make", "approver.key")
        public = signing.load_public(folder / "approver.key.pub").hex()
        identity = f'\n[identity]\nmanifest = "manifest.json"\napprover = "{public}"\n'
        self.config.write_text(CONFIG.read_text("utf-8") + identity, "utf-8")

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-S", "-m", "firmware.cli", *arguments]

    def tabled(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments), cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=100
        )

    def approve(self) -> None:
        done = self.tabled(
            "manifest", "make", "--config", "table.toml", "--key", "approver.key", "--output", "manifest.json"
        )
        assert done.returncode == 0, done.stderr

    def check(self) -> tuple[int, str]:
        done = self.tabled("manifest", "check", "--config", "table.toml")
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout

    def start(self) -> dict[str, object]:
        """Run the daemon until it has said what it runs; its status."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.bind(str(self.folder / "notify"))
            systemd.settimeout(60)
            command = self.command("run", "--config", "table.toml")
            with subprocess.Popen(command, cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL) as daemon:
                try:
                    while systemd.recv(4096) != b"READY=1":
                        pass
                    with socket.socket(socket.AF_UNIX) as control, control.makefile("rb") as answers:
                        control.settimeout(60)
                        control.connect(str(self.folder / "control.sock"))
                        control.sendall(b'{"op": "watch"}\n')
                        while (status := json.loads(answers.readline()))["software"] is None:
                            pass
                finally:
                    daemon.terminate()
                    daemon.wait(30)
            (self.folder / "notify").unlink()
        assert isinstance(status, dict)
        return status


@pytest.fixture
def copy(packages: Path) -> Iterator[Copy]:
    with tempfile.TemporaryDirectory(prefix="man") as name:  # not tmp_path: a socket's path is short
        yield Copy(Path(name), packages)


def test_the_command_and_the_daemon_find_what_was_tampered_with(copy: Copy) -> None:
    assert copy.check()[0] == 1, "nothing is approved yet"
    copy.approve()
    status, words = copy.check()
    assert status == 0, words
    running = copy.start()
    software = running["software"]
    assert isinstance(software, dict)
    assert (software["manifest"], software["differences"]) == ("signed", [])
    assert "SOFTWARE DIFFERS" not in running["not_wagering_because"]  # type: ignore[operator]

    source = copy.program / "firmware" / "core" / "money.py"
    source.write_text(source.read_text("utf-8") + "\n# a word more\n", "utf-8")
    status, words = copy.check()
    assert status == 1
    assert [line.split(":")[1].strip() for line in words.splitlines()] == [Part.CODE, Part.ENVIRONMENT]
    running = copy.start()
    software = running["software"]
    assert isinstance(software, dict)
    assert [d.split(":")[0] for d in software["differences"]] == [Part.CODE, Part.ENVIRONMENT]
    assert "SOFTWARE DIFFERS" in running["not_wagering_because"]  # type: ignore[operator]
    assert running["display"][2].strip() == "SOFTWARE DIFFERS"  # type: ignore[index]

    with Reader(copy.folder / "journal.sqlite") as reader:
        reader.verify()
        headers = [HEADER_CODEC.decode(row.header) for row in reader.segments()]
        codec = programs(headers[-1]).codec
        found = [e for row in reader.entries() if isinstance(e := codec.decode_entry(row).event, IdentityFound)]
    assert [event.found.code for event in found] == [header.code_hash for header in headers]
    assert len({event.found.environment for event in found}) == 2


def test_a_table_shows_and_its_approver_signs_elsewhere(copy: Copy) -> None:
    shown = copy.tabled("manifest", "show", "--config", "table.toml")
    (copy.folder / "found.json").write_text(shown.stdout)
    done = copy.tabled(
        "manifest", "make", "--found", "found.json", "--key", "approver.key", "--output", "manifest.json"
    )
    assert done.returncode == 0, done.stderr
    assert copy.check()[0] == 0


def test_a_wrong_call_is_said_without_a_traceback(copy: Copy) -> None:
    for arguments, status, words in (
        (("show", "--config", "none.toml"), 78, "none.toml"),
        (("make", "--found", "none.json", "--key", "approver.key", "--output", "m"), 2, "none.json"),
        (("make", "--config", "table.toml", "--key", "none.key", "--output", "m"), 2, "none.key"),
        (("make", "--config", "table.toml", "--key", "approver.key", "--output", "none/m"), 2, "none/m"),
        (("make", "--found", "table.toml", "--key", "approver.key", "--output", "m"), 2, "table.toml"),
        (("sign",), 2, "invalid choice"),
    ):
        done = copy.tabled("manifest", *arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
        assert words in done.stderr
