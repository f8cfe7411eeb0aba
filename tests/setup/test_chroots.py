"""The two commands on machines that have nothing: fresh Debian 12 and 13.

The tests of the project inside the chroot are a few that show the environment complete; running all of them again twice
would add nothing but time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.setup.chroot import Chroot, PackagesUnreachableError, fresh_debian, why_not

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(why_not()), reason=f"fresh Debian: {why_not()}"),
]
RELEASES = {"bookworm": "3.11", "trixie": "3.13"}


@pytest.fixture(scope="module", params=RELEASES)
def debian(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Chroot]]:
    """A fresh Debian with the project at a path with a space in it."""
    try:
        with fresh_debian(request.param, tmp_path_factory.mktemp("debian")) as chroot:
            chroot.copy_project("/home/some one/tabled")
            yield request.param, chroot
    except PackagesUnreachableError as error:
        pytest.skip(f"fresh Debian: {error}")


def setup(chroot: Chroot, *arguments: str) -> str:
    """Run `./setup.sh` inside, as root; return what it printed. Fails the test if it failed."""
    done = chroot.run("/home/some one/tabled/setup.sh", *arguments, environment={"SETUP_IN_CHROOT": "1"})
    assert done.returncode == 0, f"setup.sh {arguments}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def test_it_plays_fifty_rounds(debian: tuple[str, Chroot]) -> None:
    release, chroot = debian
    assert chroot.run("sh", "-c", "command -v python3 gcc").stdout == "", (
        "the base must not have what setup.sh installs"
    )
    output = setup(chroot, "run", "--rounds", "50")
    assert re.search(r"(?i)\b50 rounds\b|\brounds:? +50\b", output), output[-2000:]
    python = chroot.run("/home/some one/tabled/.venv/bin/python", "-c", "import sys; print(sys.version_info[:2])")
    assert ".".join(re.findall(r"\d+", python.stdout)) == RELEASES[release]
    assert chroot.run("sh", "-c", "command -v gcc").stdout == "", "no compiler may be needed"


def test_it_tests(debian: tuple[str, Chroot]) -> None:
    output = setup(debian[1], "test", "-q", "tests/settings", "tests/systemd", "tests/setup")
    assert re.search(r"\b[1-9]\d* passed", output)
    assert not re.search(r"\d+ failed", output)


def test_a_second_time_changes_nothing(debian: tuple[str, Chroot]) -> None:
    _, chroot = debian
    setup(chroot, "test", "--version")
    before = files(chroot.root / "home/some one/tabled")
    assert "installing" not in setup(chroot, "test", "--version")
    assert files(chroot.root / "home/some one/tabled") == before


def test_it_installs_and_a_second_time_changes_nothing(debian: tuple[str, Chroot]) -> None:
    """As on a Pi, hardware libraries from source included. It is last: it brings a compiler."""
    _, chroot = debian
    assert "wrote /etc/systemd/system/tabled.service" in setup(chroot, "install")
    assert sorted(chroot.run("id", "-nG", "tabled").stdout.split()) == ["dialout", "gpio", "i2c", "spi", "tabled"]
    assert chroot.run("stat", "-c", "%U %a", "/var/lib/tabled").stdout == "tabled 750\n"
    key = "/etc/tabled/signing.key"
    assert chroot.run("stat", "-c", "%U %a", key).stdout == "tabled 600\n"
    made = chroot.run("cat", key).stdout
    shown = chroot.run("runuser", "-u", "tabled", "--", "/opt/tabled/bin/tabled", "key", "show", key)
    assert shown.stdout.startswith("public key: "), shown.stderr
    program = "import lgpio, spidev; print(lgpio.__file__)"
    command = ("runuser", "-u", "tabled", "--", "/opt/tabled/bin/python", "-c", program)
    loaded = chroot.run(*command, environment={"LG_WD": "/tmp"})
    assert loaded.stdout.startswith("/opt/tabled/"), loaded.stderr
    checked = chroot.run("/opt/tabled/bin/tabled", "check", "/etc/tabled/table.toml")
    assert (checked.returncode, checked.stdout.count("still the example's")) == (78, 5), checked.stderr
    again = setup(chroot, "install")
    assert "wrote" not in again
    assert "installing" not in again
    assert chroot.run("cat", key).stdout == made, "a key is made once"


def files(folder: Path) -> dict[str, int]:
    """Every file with the time of its last change, but for what running Python itself leaves."""
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and not {"__pycache__", ".pytest_cache"} & set(path.parts)
    }
