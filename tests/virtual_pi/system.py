"""The guest's root file system: Debian with systemd, the project put there by `setup.sh install`, the bench's ends.

Rules: what the project's own `install` does is not done here a second time. Added are only what a Pi has outside the
project (the chip, the board's revision), a table that fits the guest, its devices without hardware, and the agent. The
lamps are the simulated chip's, within the guest: there is no SPI. The image is a plain file, made without loop devices.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.setup.chroot import Chroot
from tests.virtual_pi.kernel import Architecture, Kernel, MissingError

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
PACKAGES = (
    "systemd", "systemd-sysv", "udev", "dbus", "python3", "python3-venv", "python3-dev", "gcc", "libc6-dev", "kmod",
    "procps", "util-linux", "e2fsprogs", "ca-certificates",
)  # fmt: skip
INSTALLED = (
    "firmware", "drivers", "hil", "config", "requirements", "systemd", "setup.sh", "pyproject.toml", "README.md",
    "tests/virtual_pi/guest", "tests/virtual_pi/system.py",
)  # fmt: skip
EXTRAS = {
    "amd64": ("--with", "rpigpio", "--with", "neopixel-pwm"),
    "arm64": ("--with", "rpigpio", "--with", "neopixel-pwm", "--with", "neopixel-pio"),
}
"""What a table can need beside the Pi's own packages. The library for a Pi 5's PIO is published for ARM only."""
TEMPORARY = "virtual-pi-"
IMAGE_BYTES = 3 << 30
DATA_BYTES = 256 << 20
SPOTS = (5, 6, 12, 13, 16, 17, 18)
REST = dict.fromkeys((*SPOTS, 20, 21, 22, 24, 26), 1) | dict.fromkeys((19, 23, 25), 0)
"""Levels with nothing on the table and nothing pressed: contacts close to ground, the lock-out button is closed."""
LAMPS = '[devices.lamps]\nkind = "lamps.simulated"\nsocket = "/run/lamps/chip.sock"\npixels = 7\n'
LAMP_CHIP = (
    "/opt/tabled/bin/python -m hil.sim.chip --socket /run/lamps/chip.sock --control /run/lamps/chip.ctl "
    "--lines 1 --pixels 7"
)
EARLY = "DefaultDependencies=no\nAfter=systemd-udevd.service local-fs.target\n"
UNITS = {
    "header.service": (
        "Type=oneshot\nRemainAfterExit=yes\nExecStart=/usr/local/lib/virtual-pi/prepare.sh\n", "sysinit.target", ""
    ),
    "agent.service": (
        "ExecStart=/usr/bin/python3 /usr/local/lib/virtual-pi/agent.py\nRestart=always\n", "multi-user.target",
        "After=header.service\nRequires=header.service\n",
    ),
    "lamps.service": (
        f"RuntimeDirectory=lamps\nUser=tabled\nExecStart={LAMP_CHIP}\n",
        "multi-user.target", "Before=tabled.service\n",
    ),
}  # fmt: skip


def build(architecture: Architecture, kernel: Kernel, cache: Path) -> Path:
    """The root image, from the cache if the project has not changed since. Raises MissingError."""
    image = cache / f"root-{architecture.name}.img"
    mark = image.with_suffix(".made-from")
    made_from = f"{kernel.version}\n{_project_stamp()}"
    if image.is_file() and mark.is_file() and mark.read_text("utf-8") == made_from:
        return image
    mark.unlink(missing_ok=True)
    base = _base(architecture, cache)
    for left in cache.glob(f"{TEMPORARY}*"):  # of a build that was killed; its mounts went with it
        _run("rm", "-rf", "--one-file-system", left)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=cache) as folder:
        root = Path(folder) / "root"
        root.mkdir()
        _run("tar", "-xpf", base, "-C", root)
        install(root)
        _add_bench(root, kernel)
        partial = image.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        with partial.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        _run("mke2fs", "-q", "-t", "ext4", "-d", root, partial)
        partial.rename(image)
    mark.write_text(made_from, "utf-8")
    return image


def install(root: Path, *options: str, then: Sequence[Sequence[str]] = ()) -> tuple[float, str]:
    """`setup.sh install` on a system that has nothing of ours, and commands after it: the seconds that the installation
    took, and what the commands printed. Raises MissingError."""
    chroot = Chroot(root)
    try:
        chroot.connect()
        chroot.copy_project("/usr/src/tabled")
        began = time.monotonic()
        done = chroot.run("/usr/src/tabled/setup.sh", "install", *options)
        seconds = time.monotonic() - began
        if done.returncode != 0:
            raise MissingError(f"setup.sh install failed:\n{(done.stdout + done.stderr)[-2_000:]}")
        printed = ""
        for command in (("systemctl", "enable", "tabled.service"), *then):
            done = chroot.run(*command)
            printed += done.stdout
            if done.returncode != 0:
                raise MissingError(f"{' '.join(command)[:60]} failed:\n{(done.stdout + done.stderr)[-2_000:]}")
        shutil.rmtree(root / "usr/src/tabled")
    finally:
        chroot.disconnect()
    return seconds, printed


def dependencies(architecture: Architecture, cache: Path, say: Callable[[str, str], None]) -> None:
    """Every package that a table can need, put on a fresh system of this architecture. Raises MissingError."""
    extras = EXTRAS[architecture.name]
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=cache) as folder:
        root = Path(folder) / "root"
        root.mkdir()
        _run("tar", "-xpf", _base(architecture, cache), "-C", root)
        python = "/opt/tabled/bin/python"
        modules = (python, "/usr/local/lib/modules.py")
        shutil.copy(HERE / "guest" / "modules.py", root / "usr/local/lib")
        seconds, printed = install(root, *extras, then=((python, "-m", "pip", "check"), modules))
    say(f"`setup.sh install {' '.join(extras)}`, {architecture.name}", f"{seconds:.0f} s")
    for line in printed.splitlines():
        if line.count(": "):
            say(*line.split(": ", 1))


def _run(*command: object) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, check=False)
    if done.returncode != 0:
        raise MissingError(f"{command[0]} ended with status {done.returncode}: {done.stderr.decode()[-1_000:]}")


def _project_stamp() -> str:
    """Of every file that is installed in the guest, as it is now."""
    listing = ["git", "-C", str(PROJECT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", *INSTALLED]
    names = subprocess.run(listing, capture_output=True, check=True).stdout.decode().split("\0")
    stamp = hashlib.sha256()
    for name in sorted(filter(None, names)):
        if (PROJECT / name).is_file():
            stamp.update(f"{name}\0".encode() + hashlib.sha256((PROJECT / name).read_bytes()).digest())
    return stamp.hexdigest()


def _base(architecture: Architecture, cache: Path) -> Path:
    archive = cache / f"base-{architecture.name}.tar"
    if not archive.is_file():
        if shutil.which("mmdebstrap") is None:
            raise MissingError("mmdebstrap is missing; install it")
        partial = archive.with_suffix(".partial.tar")
        _run(
            "mmdebstrap", "--quiet", "--variant=minbase", f"--architectures={architecture.name}",
            f"--include={','.join(PACKAGES)}", "bookworm", partial,
        )  # fmt: skip
        partial.rename(archive)
    return archive


def _add_bench(root: Path, kernel: Kernel) -> None:
    shutil.copytree(kernel.modules / "lib", root / "lib", dirs_exist_ok=True, symlinks=True)
    place = root / "usr/local/lib/virtual-pi"
    place.mkdir(parents=True)
    for name in ("agent.py", "prepare.sh", "race.py", "unsynced.py"):
        shutil.copy(HERE / "guest" / name, place / name)
    (place / "prepare.sh").chmod(0o755)
    wanted = root / "etc/systemd/system"
    for name, (service, target, order) in UNITS.items():
        early = (
            "DefaultDependencies=no\nAfter=systemd-udevd.service local-fs.target\n"
            if target == "sysinit.target"
            else ""
        )
        text = f"[Unit]\n{early}{order}\n[Service]\n{service}\n[Install]\nWantedBy={target}\n"
        (wanted / name).write_text(text, "utf-8")
        links = wanted / f"{target}.wants"
        links.mkdir(exist_ok=True)
        (links / name).symlink_to(f"/etc/systemd/system/{name}")
    rules = root / "etc/udev/rules.d/81-virtual-pi.rules"
    rules.write_text(
        'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"\n'
        + "".join(
            f'SUBSYSTEM=="tty", ATTRS{{serial}}=="{name.upper()}", SYMLINK+="tabled/{name}", GROUP="dialout"\n'
            for name in ("shoe", "board", "display")
        ),
        "utf-8",
    )
    (root / "etc/fstab").write_text("/dev/vda / ext4 rw 0 1\n/dev/vdb /var/lib/tabled ext4 rw,noatime 0 2\n", "utf-8")
    (root / "etc/tabled/table.toml").write_text(table(), "utf-8")
    (root / "etc/hostname").write_text("virtual-pi\n", "utf-8")


def table() -> str:
    """The Pi's example, filled in, with the lamps of the guest. It is a bench: its profile says so."""
    text = (PROJECT / "config/tables/minibaccarat-pi.toml").read_text("utf-8")
    text = text.replace('profile = "production"', 'profile = "simulated"').replace("REPLACE-MB-01", "VIRTUAL-PI")
    text = text.replace("REPLACE: ", "example ")
    text = re.sub(r"(?s)\[devices\.lamps\].*?\n(?=\n)", LAMPS, text)
    return re.sub(r"(?s)# What this table may run.*?(?=\[storage\])", "", text)


def data_image(path: Path) -> None:
    """An empty disk for the journal, of its own so that its writes can be logged."""
    with path.open("wb") as file:
        file.truncate(DATA_BYTES)
    _run("mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", path)
