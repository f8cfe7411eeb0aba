"""Facts of the machine, read from real files in a folder that stands for /."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath

import pytest

from drivers import facts
from drivers.facts import clocks, ports, storage, supply
from drivers.facts.fact import Fact, Needs, Verdict
from firmware.app.hardware import HardwareWatch
from firmware.core.events import Event
from firmware.core.service_data import HardwareFound

GOOD, WARN, BAD, NOT_KNOWN = Verdict.GOOD, Verdict.WARN, Verdict.BAD, Verdict.NOT_KNOWN
FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
NEEDS = Needs(PurePosixPath("/var/lib/tabled"), 5_000, ("/dev/serial0", "/dev/ttyUSB0"))
PI4, PI5 = "Raspberry Pi 4 Model B Rev 1.5", "Raspberry Pi 5 Model B Rev 1.0"

MOUNTS = """\
/dev/root / ext4 rw,noatime 0 0
/dev/mmcblk0p1 /boot/firmware vfat rw 0 0
/dev/root /var/lib/tabled ext4 rw,nosuid,noatime 0 0
"""
PI4_FILES = {
    "proc/device-tree/model": PI4 + "\0",
    FIRMWARE: "0\n",
    "sys/class/thermal/thermal_zone0/temp": "54020\n",
    "boot/firmware/config.txt": "dtparam=spi=on\n[pi4]\ncore_freq=500 # fixed\ncore_freq_min=500\n[pi5]\ncore_freq=1\n",
    "boot/firmware/cmdline.txt": "console=tty1 root=PARTUUID=1 rootwait\n",
    "proc/cmdline": "8250.nr_uarts=1 console=tty1 root=/dev/mmcblk0p2\n",
    "sys/module/spidev/parameters/bufsiz": "32768\n",
    "sys/class/rtc/rtc0/name": "rtc-ds1307 1-0068\n",
    "sys/class/rtc/rtc0/battery_voltage": "2987000\n",
    "proc/self/mounts": MOUNTS,
    "sys/fs/ext4/mmcblk0p2/errors_count": "0\n",
    "sys/block/mmcblk0/device/life_time": "0x02 0x01\n",
    "sys/block/mmcblk0/device/pre_eol_info": "0x01\n",
    "sys/block/mmcblk0/stat": " 1 2 3 4 5 6 4096 8 9 10 11\n",
    "var/lib/tabled/journal.sqlite": "",
    "dev/ttyAMA0": "",
    "dev/ttyUSB0": "",
}


def machine(root: Path, changes: dict[str, str | None] | None = None, serial0: str = "ttyAMA0") -> dict[str, Fact]:
    """The facts of a healthy Pi 4 with files changed, or taken away by None."""
    for name, text in {**PI4_FILES, **(changes or {})}.items():
        if text is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
    (root / "dev/serial0").symlink_to(serial0)
    return {fact.name: fact for fact in facts.read(root, NEEDS)}


def test_a_healthy_pi_is_good_throughout(tmp_path: Path) -> None:
    found = machine(tmp_path)
    assert {name: fact.value for name, fact in found.items() if fact.verdict is not GOOD} == {}
    assert list(found) == [
        "machine", "temperature", "supply voltage", "throttling", "SPI clock", "SPI buffer", "UART of /dev/serial0",
        "console on /dev/serial0", "real-time clock", "disk space", "file system", "file system errors", "card wear",
    ]  # fmt: skip


CASES = [
    ({FIRMWARE: "50005"}, "supply voltage", BAD, "now: under-voltage (0x50005 from the kernel)"),
    ({FIRMWARE: "50005"}, "throttling", BAD, "now: throttled"),
    ({FIRMWARE: "50000"}, "supply voltage", WARN, "since the boot: under-voltage"),
    ({FIRMWARE: "a0000"}, "throttling", WARN, "since the boot: processor clock capped, soft temperature limit"),
    ({FIRMWARE: "nonsense"}, "supply voltage", NOT_KNOWN, "neither"),
    ({FIRMWARE: None, "sys/class/hwmon/hwmon1/name": "rpi_volt", "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "1"},
     "supply voltage", BAD, "under-voltage now"),
    ({FIRMWARE: None, "sys/class/hwmon/hwmon1/name": "rpi_volt", "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0"},
     "throttling", NOT_KNOWN, "neither"),
    ({"sys/class/thermal/thermal_zone0/temp": "75000"}, "temperature", WARN, "75.0 C"),
    ({"sys/class/thermal/thermal_zone0/temp": "81500"}, "temperature", BAD, "81.5 C"),
    ({"sys/class/thermal/thermal_zone0/temp": None}, "temperature", NOT_KNOWN, ""),
    ({"boot/firmware/config.txt": "dtparam=spi=on\n"}, "SPI clock", WARN, "changes with the load"),
    ({"boot/firmware/config.txt": "[pi5]\ncore_freq=500\ncore_freq_min=500\n"}, "SPI clock", WARN, "changes"),
    ({"boot/firmware/config.txt": "force_turbo=1\n"}, "SPI clock", GOOD, "fixed"),
    ({"boot/firmware/config.txt": None}, "SPI clock", NOT_KNOWN, ""),
    ({"proc/device-tree/model": PI5, "boot/firmware/config.txt": None}, "SPI clock", GOOD, "of its own"),
    ({"sys/module/spidev/parameters/bufsiz": "4096"}, "SPI buffer", BAD, "4096 bytes"),
    ({"sys/module/spidev/parameters/bufsiz": None}, "SPI buffer", NOT_KNOWN, "dtparam=spi=on"),
    ({"proc/cmdline": "console=ttyAMA0,115200"}, "console on /dev/serial0", BAD, "console=ttyAMA0 (running)"),
    ({"boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1"}, "console on /dev/serial0", BAD,
     "console=serial0 (cmdline.txt)"),
    ({"etc/systemd/system/getty.target.wants/serial-getty@ttyAMA0.service": ""}, "console on /dev/serial0", BAD,
     "serial-getty@ttyAMA0"),
    ({"proc/cmdline": "console=ttyAMA10"}, "console on /dev/serial0", GOOD, "none"),
    ({"proc/cmdline": None, "boot/firmware/cmdline.txt": None}, "console on /dev/serial0", NOT_KNOWN, ""),
    ({"sys/class/rtc/rtc0/battery_voltage": "310000"}, "real-time clock", WARN, "battery 0.31 V"),
    ({"sys/class/rtc/rtc0/battery_voltage": None}, "real-time clock", NOT_KNOWN, "does not tell"),
    ({"sys/class/rtc/rtc0/battery_voltage": None, "sys/class/rtc/rtc0/name": None}, "real-time clock", WARN, "none"),
    ({"proc/self/mounts": MOUNTS.replace("rw,nosuid", "ro,nosuid")}, "file system", BAD, "READ-ONLY"),
    ({"proc/self/mounts": None}, "file system", NOT_KNOWN, ""),
    ({"sys/fs/ext4/mmcblk0p2/errors_count": "3"}, "file system errors", BAD, "3 on record"),
    ({"sys/fs/ext4/mmcblk0p2/errors_count": None}, "file system errors", NOT_KNOWN, ""),
    ({"proc/self/mounts": "/dev/sda1 / btrfs rw 0 0"}, "file system errors", NOT_KNOWN, "ext4 only"),
    ({"sys/block/mmcblk0/device/life_time": "0x09 0x01"}, "card wear", WARN, "90 % of its life"),
    ({"sys/block/mmcblk0/device/life_time": "0x0b 0x01"}, "card wear", BAD, "beyond its life"),
    ({"sys/block/mmcblk0/device/pre_eol_info": "0x03"}, "card wear", BAD, "spare blocks 3"),
    ({"sys/block/mmcblk0/device/life_time": None, "sys/block/mmcblk0/device/pre_eol_info": None}, "card wear",
     NOT_KNOWN, "2 MiB written since the boot"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "name", "verdict", "says"), CASES)
def test_each_fact_by_its_limits(
    tmp_path: Path, changes: dict[str, str | None], name: str, verdict: Verdict, says: str
) -> None:
    fact = machine(tmp_path, changes)[name]
    assert (fact.verdict, says in fact.value) == (verdict, True), fact
    if verdict in (WARN, BAD):
        assert fact.remedy, "what is not good has a remedy"


def test_the_mini_uart_is_bad_and_an_adapter_has_neither_trouble(tmp_path: Path) -> None:
    found = machine(tmp_path, {"dev/ttyS0": ""}, serial0="ttyS0")
    assert found["UART of /dev/serial0"].verdict is BAD
    assert not any("ttyUSB0" in name for name in found)


def test_a_port_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    found = machine(tmp_path, {"dev/ttyAMA0": None})
    assert found["UART of /dev/serial0"].verdict is NOT_KNOWN
    assert "console on /dev/serial0" not in found


def test_links_go_round_in_the_folder_and_end(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/a").symlink_to("b")
    (tmp_path / "dev/b").symlink_to("/dev/a")
    assert ports.tty_of(tmp_path, "/dev/a") is None


def test_vcgencmd_is_asked_only_where_the_kernel_offers_no_file_and_is_named(tmp_path: Path) -> None:
    machine(tmp_path, {FIRMWARE: None})
    asked = []

    def run(command: object) -> str:
        asked.append(command)
        return "throttled=0x80008\n"

    found = {fact.name: fact for fact in facts.read(tmp_path, NEEDS, run)}
    assert asked == [("vcgencmd", "get_throttled")]
    assert found["throttling"].value == "now: soft temperature limit (0x80008 from vcgencmd)"
    (tmp_path / FIRMWARE).parent.mkdir(parents=True)
    (tmp_path / FIRMWARE).write_text("0")
    facts.read(tmp_path, NEEDS, run)
    assert len(asked) == 1


def test_nothing_at_all_is_not_known_and_never_good(tmp_path: Path) -> None:
    found = facts.read(tmp_path, NEEDS)
    assert [fact.name for fact in found if fact.verdict is GOOD] == []
    assert {fact.verdict for fact in found} <= {NOT_KNOWN, WARN}


def test_limits_of_space_and_words() -> None:
    assert [storage.judge_space(mib).verdict for mib in (1024, 1023, 200, 199)] == [GOOD, WARN, WARN, BAD]
    assert supply.throttled_word("throttled=0xzz") is None
    assert clocks.model_number("Raspberry Pi Compute Module 4 Rev 1.0") == 4
    assert clocks.model_number("Raspberry Pi Zero 2 W") == 0
    mount = storage.mount_of("/dev/sda1 /media/a\\040b vfat ro 0 0", PurePosixPath("/media/a b/c"))
    assert mount is not None
    assert mount[1] == "/media/a b"


def test_the_daemon_tells_changes_of_verdicts_alone(tmp_path: Path) -> None:
    machine(tmp_path)
    temperature = tmp_path / "sys/class/thermal/thermal_zone0/temp"

    async def play() -> list[tuple[str, str]]:
        told: list[Event] = []
        seen = asyncio.Event()

        def post(event: Event) -> None:
            told.append(event)
            seen.set()

        watch = HardwareWatch(NEEDS, post, (), root=tmp_path, period_s=0.01)
        running = asyncio.create_task(watch.run())
        async with asyncio.timeout(20):
            while not watch.latest:
                await asyncio.sleep(0)
            assert told == [], "all is good"
            for text in ("78000", "77000", "90000", "", "40000"):
                seen.clear()
                temperature.write_text(text)
                if text != "77000":
                    await seen.wait()
        running.cancel()
        return [(e.fact, e.verdict.value) for e in told if isinstance(e, HardwareFound)]

    assert asyncio.run(play()) == [("temperature", v) for v in ("warn", "bad", "not_known", "good")]


def test_what_the_state_knows_of_an_earlier_start_is_not_told_again(tmp_path: Path) -> None:
    from firmware.core.service_data import HardwareFact
    from firmware.core.service_data import Verdict as Told

    machine(tmp_path, {"sys/class/thermal/thermal_zone0/temp": "79000", "sys/fs/ext4/mmcblk0p2/errors_count": "1"})
    told: list[Event] = []

    async def play() -> None:
        watch = HardwareWatch(
            NEEDS, told.append, (HardwareFact("temperature", "78.0 C", Told.WARN),), root=tmp_path, period_s=3600
        )
        running = asyncio.create_task(watch.run())
        async with asyncio.timeout(20):
            while not watch.latest:
                await asyncio.sleep(0.001)
        running.cancel()

    asyncio.run(play())
    assert [e.fact for e in told if isinstance(e, HardwareFound)] == ["file system errors"]
