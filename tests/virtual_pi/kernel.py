"""The guest's kernel: Debian's own, with the gpio-sim module that Debian does not build, made from Debian's source.

Rules: the version is what this machine's package source offers, never pinned. Nothing is installed here: the packages
are unpacked into the cache. `irq_sim` is linked into the module, since Debian's kernel has it off; it names a function
that modules can't reach, which is replaced by the inline one that can be. Everything is kept and made once a version.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from msgspec import Struct

TOOLS = {
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
    "make": "make",
    "gcc": "gcc",
    "cpio": "cpio",
    "xz": "xz-utils",
    "depmod": "kmod",
}
INITRD_MODULES = ("virtio_pci", "virtio_mmio", "virtio_blk", "ext4")
GUEST_MODULES = (
    *INITRD_MODULES, "virtio_console", "virtio_rng", "configfs", "xhci_pci", "ftdi_sio", "cdc_acm", "i6300esb",
    "gpio-sim",
)  # fmt: skip
INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
while read -r module; do /bin/busybox insmod "/modules/$module"; done </modules/order
n=0
until /bin/busybox mount -t ext4 /dev/vda /root 2>/dev/null; do
    n=$((n + 1)); [ $n -gt 100 ] && exec /bin/busybox sh
    /bin/busybox sleep 0.1
done
/bin/busybox umount /proc
exec /bin/busybox switch_root /root /lib/systemd/systemd
"""


class MissingError(Exception):
    """Something that the virtual Pi needs is not on this machine; the message names it and how to get it."""


class Architecture(Struct, frozen=True):
    """What differs between the guests. `cross`: prefix of the compiler on another machine."""

    name: str
    image: str
    kernel_arch: str
    cross: str
    emulator: str
    machine: str
    cpu: tuple[str, ...]
    console: str


AMD64 = Architecture(
    "amd64",
    "linux-image-6.12-amd64",
    "x86",
    "x86_64-linux-gnu-",
    "qemu-system-x86_64",
    "q35",
    ("-cpu", "max"),
    "ttyS0",
)
ARM64 = Architecture(
    "arm64", "linux-image-6.12-arm64", "arm64", "aarch64-linux-gnu-", "qemu-system-aarch64",
    "virt", ("-cpu", "cortex-a72"), "ttyAMA0",
)  # fmt: skip
ARCHITECTURES = {one.name: one for one in (AMD64, ARM64)}


class Kernel(Struct, frozen=True):
    """A kernel, its first file system, and its modules as they lie in the guest (`lib/modules` below `modules`)."""

    version: str
    image: Path
    initrd: Path
    modules: Path


def build(architecture: Architecture, cache: Path) -> Kernel:
    """The kernel for a guest, from the cache if it is there. Raises MissingError."""
    for tool, package in (
        ("apt-get", "apt"),
        ("dpkg-deb", "dpkg"),
        ("make", "make"),
        ("cpio", "cpio"),
        ("xz", "xz-utils"),
    ):
        if shutil.which(tool) is None:
            raise MissingError(f"{tool} is missing; install {package}")
    version = _offered(architecture)
    place = cache / f"kernel-{version}"
    kernel = Kernel(version, place / "vmlinuz", place / "initrd.img", place / "guest")
    if not kernel.initrd.is_file():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        _unpack(architecture, version, place)
        _compile(architecture, version, place)
        _gather(version, place)
        shutil.copy(place / "packages" / "boot" / f"vmlinuz-{version}", kernel.image)
        _make_initrd(version, place, kernel.initrd)
    return kernel


def _run(*command: object, cwd: Path | None = None, stdin: bytes | None = None) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace")[-1_500:]
        raise MissingError(f"{' '.join(map(str, command))[:200]} ended with status {done.returncode}:\n{said}")
    return done.stdout.decode(errors="replace")


def _offered(architecture: Architecture) -> str:
    """The kernel's version, "6.12.117+deb12-amd64"."""
    package = f"{architecture.image}:{architecture.name}"
    found = re.search(r"Depends: linux-image-([^\s:]+)", _run("apt-cache", "depends", package))
    if found is None:
        raise MissingError(
            f"the package source offers no {package}; on another architecture than this machine's: "
            f"dpkg --add-architecture {architecture.name} && apt-get update"
        )
    return found[1]


def _unpack(architecture: Architecture, version: str, place: Path) -> None:
    base = version.removesuffix(f"-{architecture.name}")
    kind = f":{architecture.name}"
    wanted = [
        f"linux-image-{version}{kind}", f"linux-headers-{version}{kind}", f"linux-headers-{base}-common",
        f"linux-kbuild-{base}", "linux-source-6.12",
    ]  # fmt: skip
    downloads = place / "downloads"
    downloads.mkdir()
    _run("apt-get", "download", "-q", *wanted, cwd=downloads)
    for package in downloads.glob("*.deb"):
        if not package.name.startswith("linux-source"):
            _run("dpkg-deb", "-x", package, place / "packages")
    source = next(downloads.glob("linux-source-6.12_*.deb"))
    names = [
        "linux-source-6.12/" + name
        for name in ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
    ]
    _run(
        "sh", "-c",
        'dpkg-deb --fsys-tarfile "$1" | tar -xO ./usr/src/linux-source-6.12.tar.xz | tar -xJ -C "$2" $3',
        "sh", source, place, " ".join(names),
    )  # fmt: skip
    shutil.rmtree(downloads)


def _compile(architecture: Architecture, version: str, place: Path) -> None:
    tree, module = place / "linux-source-6.12", place / "module"
    module.mkdir()
    sim = (tree / "drivers/gpio/gpio-sim.c").read_text("utf-8").replace('"../../gpio/gpiolib.h"', '"gpiolib.h"')
    irq = (tree / "kernel/irq/irq_sim.c").read_text("utf-8")
    out_of_reach = "irq_to_desc(irqnum)"
    if out_of_reach not in irq:
        raise MissingError(f"kernel {version}: irq_sim.c has no {out_of_reach}; see how it finds it now")
    (module / "sim.c").write_text(sim, "utf-8")
    (module / "irq_sim.c").write_text(irq.replace(out_of_reach, "irq_data_to_desc(irq_get_irq_data(irqnum))"), "utf-8")
    shutil.copy(tree / "drivers/gpio/gpiolib.h", module)
    (module / "Makefile").write_text("obj-m := gpio-sim.o\ngpio-sim-y := sim.o irq_sim.o\n", "utf-8")
    sources = place / "packages" / "usr" / "src"
    headers = sources / f"linux-headers-{version}"
    common = sources / f"linux-headers-{version.removesuffix(f'-{architecture.name}')}-common"
    (headers / "Makefile").write_text(f"include {common}/Makefile\n", "utf-8")  # it names its own place from the root
    (headers / "vmlinux").unlink(missing_ok=True)  # with it the build would want pahole, for type information
    _run("make", "-C", common, f"O={headers}", f"M={module}", f"ARCH={architecture.kernel_arch}", "modules")


def _gather(version: str, place: Path) -> None:
    """Of the kernel's modules only what the guest uses, with gpio-sim among them."""
    packages, target = place / "packages", place / "guest"
    modules = packages / "lib" / "modules" / version
    extra = modules / "extra"
    extra.mkdir(exist_ok=True)
    shutil.copy(place / "module" / "gpio-sim.ko", extra)
    _run("depmod", "-b", packages, version)
    for name in GUEST_MODULES:
        for path in _with_needs(packages, version, name):
            inside = target / path.relative_to(packages)
            inside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, inside)
    for listing in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        shutil.copy(modules / listing, target / "lib" / "modules" / version)
    _run("depmod", "-b", target, version)


def _with_needs(root: Path, version: str, name: str) -> list[Path]:
    """A module's file and those that it needs, in the order in which they load. Empty for what is built in."""
    said = _run("modprobe", "-d", root, "-S", version, "--show-depends", name)
    return [Path(line.split()[1]) for line in said.splitlines() if line.startswith("insmod ")]


def _make_initrd(version: str, place: Path, initrd: Path) -> None:
    root = place / "initrd"
    for folder in ("bin", "modules", "root", "dev", "proc"):
        (root / folder).mkdir(parents=True)
    busybox = _busybox(place)
    shutil.copy(busybox, root / "bin" / "busybox")
    order: list[str] = []
    for name in INITRD_MODULES:
        for path in _with_needs(place / "packages", version, name):
            if path.name not in order:
                order.append(path.name)
                plain = root / "modules" / path.name.removesuffix(".xz")
                if path.suffix == ".xz":
                    plain.write_bytes(subprocess.run(["xz", "-dc", path], check=True, capture_output=True).stdout)
                else:
                    shutil.copy(path, plain)
    (root / "modules" / "order").write_text("".join(f"{name.removesuffix('.xz')}\n" for name in order), "utf-8")
    (root / "init").write_text(INIT, "utf-8")
    (root / "init").chmod(0o755)
    listing = _run("find", ".", cwd=root).encode()
    initrd.write_bytes(
        subprocess.run(
            ["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=listing, check=True, capture_output=True
        ).stdout
    )


def _busybox(place: Path) -> Path:
    """The guest's own busybox, static."""
    folder = place / "busybox"
    folder.mkdir(exist_ok=True)
    kind = "arm64" if place.name.endswith("arm64") else "amd64"
    _run("apt-get", "download", "-q", f"busybox-static:{kind}", cwd=folder)
    _run("dpkg-deb", "-x", next(folder.glob("*.deb")), folder)
    return next(path for path in (folder / "bin" / "busybox", folder / "usr" / "bin" / "busybox") if path.exists())
