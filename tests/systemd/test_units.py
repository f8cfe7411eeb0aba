"""The units, judged by systemd itself after an install into a root of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.setup.installed import PROJECT, install_into

UNIT = PROJECT / "systemd" / "tabled.service"
ANALYZE = shutil.which("systemd-analyze")
needs_analyze = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not here (Debian package systemd)")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An install below a folder, with the distribution's own units beside it, which ours refers to."""
    folder = tmp_path_factory.mktemp("root")
    done = install_into(folder, "--without-pi")
    assert done.returncode == 0, done.stderr
    system = Path("/usr/lib/systemd/system")
    if system.is_dir():
        shutil.copytree(system, folder / "usr/lib/systemd/system", symlinks=True)
    yield folder


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    assert ANALYZE is not None
    return subprocess.run([ANALYZE, *arguments], capture_output=True, text=True)


def exposure(root: Path) -> float:
    """systemd's own figure for the installed unit, 0 (closed) to 10."""
    done = analyze("security", "--offline=true", f"--root={root}", "--no-pager", "tabled.service")
    found = re.search(r"Overall exposure level for tabled\.service: ([\d.]+)", done.stdout)
    assert found is not None, done.stdout[-2000:] + done.stderr
    return float(found[1])


@needs_analyze
def test_verify_has_nothing_to_say(root: Path) -> None:
    done = analyze("verify", "--man=no", f"--root={root}", "tabled.service")
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "tabled" in line]
    assert (done.returncode, ours) == (0, [])


@needs_analyze
def test_verify_would_find_a_mistake(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "usr/lib/systemd", tmp_path / "usr/lib/systemd", symlinks=True)
    unit = tmp_path / "etc/systemd/system/tabled.service"
    unit.parent.mkdir(parents=True)
    unit.write_text(UNIT.read_text(encoding="utf-8").replace("WatchdogSec=10", "WatchdogSek=10"), encoding="utf-8")
    done = analyze("verify", "--man=no", f"--root={tmp_path}", "tabled.service")
    assert "WatchdogSek" in done.stderr


@needs_analyze
def test_exposure(root: Path) -> None:
    assert exposure(root) <= 1.0


@needs_analyze
@pytest.mark.parametrize(("drop_in", "most"), [("tabled-network.conf", 1.5), ("tabled-scanner.conf", 1.2)])
def test_exposure_with_a_drop_in(root: Path, drop_in: str, most: float) -> None:
    folder = root / "etc/systemd/system/tabled.service.d"
    folder.mkdir()
    try:
        shutil.copy(root / "usr/share/doc/tabled" / drop_in, folder)
        assert exposure(root) <= most
    finally:
        shutil.rmtree(folder)


def settings() -> dict[str, str]:
    """The unit's settings that stand once each, by name."""
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    parser.read_string(UNIT.read_text(encoding="utf-8"))
    return {name: value for section in parser.sections() for name, value in parser[section].items()}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Type", "notify"),
        ("Restart", "always"),
        ("RestartPreventExitStatus", "78"),
        ("StartLimitIntervalSec", "0"),
        ("User", "tabled"),
        ("PrivateNetwork", "yes"),
        ("RestrictAddressFamilies", "AF_UNIX"),
        ("DevicePolicy", "closed"),
        ("CapabilityBoundingSet", ""),
        ("SystemCallFilter", "adjtimex clock_adjtime"),  # the last of three: whether the clock is synchronized
        ("StateDirectory", "tabled"),
        ("RuntimeDirectory", "tabled"),
    ],
)
def test_what_the_daemon_relies_on(name: str, value: str) -> None:
    assert settings()[name] == value


def test_the_clock_may_be_asked_and_not_set() -> None:
    """ProtectClock= forbids the question too; without CAP_SYS_TIME and the clock devices nothing is left to protect."""
    assert "ProtectClock" not in settings()
    assert "rtc" not in UNIT.read_text(encoding="utf-8")


def test_the_watchdog_bites() -> None:
    assert 2 <= int(settings()["WatchdogSec"]) <= 30


def test_lgpio_works_in_the_runtime_directory() -> None:
    assert "Environment=LG_WD=/run/tabled\n" in UNIT.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is not here (package systemd)")
def test_user_and_groups(root: Path) -> None:
    subprocess.run(["systemd-sysusers", f"--root={root}", "tabled.conf"], check=True, capture_output=True)
    groups = (root / "etc/group").read_text(encoding="utf-8")
    assert re.search(r"(?m)^tabled:", (root / "etc/passwd").read_text(encoding="utf-8"))
    for group in ("gpio", "spi", "i2c", "dialout"):
        assert re.search(rf"(?m)^{group}:[^:]*:\d+:tabled$", groups), groups


@pytest.mark.skipif(shutil.which("udevadm") is None, reason="udevadm is not here (Debian package udev)")
def test_udev_reads_its_rules(root: Path) -> None:
    rules = root / "etc/udev/rules.d/80-tabled.rules"
    if subprocess.run(["udevadm", "verify", "--help"], capture_output=True).returncode != 0:
        pytest.skip("this udevadm has no verify (systemd 254 or later)")
    done = subprocess.run(["udevadm", "verify", "--resolve-names=never", str(rules)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
