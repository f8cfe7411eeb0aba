"""`tabled run` as a process: what it refuses, how it says so, and that it is ready with every device away."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers.line_spec import NS_PER_MS
from firmware.app import program, registry
from firmware.journal.errors import JournalMissing, UnknownRules
from firmware.journal.writer import open_journal
from firmware.settings.load import decode
from firmware.settings.paytables import load_catalogue
from firmware.settings.rules import to_rules
from tests.app.rig import CONFIG, header

EX_CONFIG = 78
TEXT = CONFIG.read_text("utf-8")
COMMAND = [sys.executable, "-m", "firmware.cli", "run"]
ROOT = Path(__file__).parents[2]


def refused(folder: Path, text: str, *options: str) -> str:
    """The words on standard error of a start that must be refused with status 78."""
    config = folder / "table.toml"
    config.write_text(text, "utf-8")
    done = subprocess.run(
        [*COMMAND, "--config", config, "--run-dir", folder, *options],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == EX_CONFIG, f"status {done.returncode}: {done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def test_a_bad_configuration_is_refused_with_key_and_remedy(tmp_path: Path) -> None:
    words = refused(tmp_path, TEXT.replace('seed = "50000.00"', 'seed = "10.00"'))
    assert "royal_9.mega" in words
    assert "seed" in words
    assert not (tmp_path / "journal.sqlite").exists()


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    assert "lateness_s" in refused(tmp_path, TEXT.replace("lateness_ms = 100", "lateness_s = 100"))


def test_a_production_table_makes_no_journal_and_takes_no_simulated_device(tmp_path: Path) -> None:
    """The refusal comes last, after the devices; here they are simulated, and production refuses that before."""
    words = refused(tmp_path, TEXT.replace('profile = "simulated"', 'profile = "production"'))
    assert "simulated" in words
    assert not list(tmp_path.glob("*.sqlite"))
    with pytest.raises(JournalMissing):
        open_journal(tmp_path / "journal.sqlite", program.codec(), lambda outcome: None, create=False)


def test_a_back_end_that_is_not_there_is_named(tmp_path: Path) -> None:
    if Path("/dev/gpiochip0").exists():
        pytest.skip("this machine has GPIO lines")
    pi = (CONFIG.parent / "minibaccarat-pi.toml").read_text("utf-8")
    pi = pi.replace("REPLACE: public key, 64 hexadecimal digits", sha256(b"approver").hexdigest())
    pi = pi.replace("REPLACE", "TEST")
    words = refused(tmp_path, pi, "--create-journal")
    assert "devices" in words
    assert "lgpio" in words or "spidev" in words, words


def test_ready_with_every_device_away_and_stopped_in_order() -> None:
    with tempfile.TemporaryDirectory(prefix="main") as name:  # not tmp_path: a socket's path is short
        folder = Path(name)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.bind(str(folder / "notify"))
            systemd.settimeout(60)
            environment = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify")}
            with subprocess.Popen(
                [*COMMAND, "--config", CONFIG, "--run-dir", folder],
                cwd=ROOT, env=environment, stderr=subprocess.DEVNULL,
            ) as daemon:  # fmt: skip
                heard = []
                while "READY=1" not in heard:
                    heard.append(systemd.recv(4096).decode())
                status = [line for line in heard if line.startswith("STATUS=")][-1]
                assert "LINES OFFLINE" in status, status
                assert "SHOE OFFLINE" in status, status
                daemon.send_signal(signal.SIGTERM)
                assert daemon.wait(30) == 0
                while heard[-1] != "STOPPING=1":
                    heard.append(systemd.recv(4096).decode())


def test_a_header_gives_back_the_rules_it_was_written_under() -> None:
    catalogue = load_catalogue()
    rules = to_rules(decode(TEXT, "test"), catalogue)
    again = program.rules_of(header())
    assert replace(again, catalogue=rules.catalogue) == rules
    assert {text.wager for text in again.catalogue.texts} == {text.wager for text in rules.catalogue.texts}


def test_a_segment_of_other_rules_is_refused_with_the_version_that_can() -> None:
    for change in ({"rules_version": 999}, {"state_schema": 999}):
        with pytest.raises(UnknownRules, match=re.escape(f"Replay it with version {program.VERSION}")):
            program.programs(replace(header(), **change))


def test_times_of_the_configuration_reach_the_lines(tmp_path: Path) -> None:
    text = TEXT.replace("stable_ms = 30", "stable_ms = 12").replace("present_ms = 60", "present_ms = 61")
    lines = registry.build(decode(text, "test"), tmp_path).lines[0]
    window = lines._bank._window  # type: ignore[attr-defined]
    assert (window.present_ns, window.absent_ns) == (61 * NS_PER_MS, 150 * NS_PER_MS)
    assert (window.lateness_ns, window.stable_ns) == (100 * NS_PER_MS, 12 * NS_PER_MS)
