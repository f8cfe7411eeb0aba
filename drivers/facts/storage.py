"""The disk under the journal: space, read-only remount, errors of the file system, wear of the card.

Wear is told by eMMC and by few SD cards (`life_time`: tenths of the life used, two kinds of cells; `pre_eol_info`: 1
normal, 2 most spare blocks used, 3 nearly all). Of another card nobody knows it; what has been written since the boot
is told instead.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from drivers.facts.fact import Fact, Needs, Verdict
from drivers.facts.files import number_of, text_of

MIB = 1 << 20
SPACE_WARN_MIB, SPACE_BAD_MIB = 1024, 200
SECTOR_BYTES = 512
CARD_REMEDY = "tabled journal backup, then a new card of an endurance type."


def read(root: Path, needs: Needs) -> tuple[Fact, ...]:
    mount = mount_of(text_of(root / "proc/self/mounts"), needs.folder)
    disk = _disk_of(root, mount[0]) if mount is not None else None
    return (
        _space(root, needs.folder),
        _writable(mount),
        _errors(root, mount),
        _wear(root, disk),
    )


def mount_of(mounts: str, folder: PurePosixPath) -> tuple[str, str, str, frozenset[str]] | None:
    """(device, mount point, type, options) of the file system that `folder` lies on, from /proc/self/mounts."""
    found: tuple[str, str, str, frozenset[str]] | None = None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 4:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[1])
        inside = PurePosixPath(point) == folder or PurePosixPath(point) in folder.parents
        if inside and (found is None or len(point) >= len(found[1])):  # of two at one point the later lies on top
            found = (fields[0], point, fields[2], frozenset(fields[3].split(",")))
    return found


def _space(root: Path, folder: PurePosixPath) -> Fact:
    name, limits = "disk space", f"at least {SPACE_WARN_MIB} MiB; below {SPACE_BAD_MIB} MiB the journal may soon stop"
    try:
        stat = os.statvfs(root / str(folder).lstrip("/"))
    except OSError as error:
        return Fact(name, f"{folder}: {error.strerror}", Verdict.NOT_KNOWN, limits)
    free_mib = stat.f_bavail * stat.f_frsize // MIB
    return judge_space(free_mib, limits)


def judge_space(free_mib: int, limits: str = "") -> Fact:
    verdict = Verdict.BAD if free_mib < SPACE_BAD_MIB else Verdict.WARN if free_mib < SPACE_WARN_MIB else Verdict.GOOD
    remedy = "tabled journal rotate, and move old files to another medium."
    return Fact("disk space", f"{free_mib} MiB free", verdict, limits, remedy)


def _writable(mount: tuple[str, str, str, frozenset[str]] | None) -> Fact:
    name, limits = "file system", "mounted for writing"
    if mount is None:
        return Fact(name, "its mount can't be read", Verdict.NOT_KNOWN, limits)
    device, point, kind, options = mount
    read_only = "ro" in options
    value = f"{kind} {device} on {point}, {'READ-ONLY' if read_only else 'for writing'}"
    return Fact(name, value, Verdict.BAD if read_only else Verdict.GOOD, limits, f"The disk failed: {CARD_REMEDY}")


def _errors(root: Path, mount: tuple[str, str, str, frozenset[str]] | None) -> Fact:
    name, limits = "file system errors", "0 on record"
    if mount is None or mount[2] != "ext4":
        return Fact(name, "told by ext4 only", Verdict.NOT_KNOWN, limits)
    device = PurePosixPath(mount[0]).name
    count = number_of(root / "sys/fs/ext4" / _kernel_name(root, device) / "errors_count")
    if count is None:
        return Fact(name, f"{device} does not tell", Verdict.NOT_KNOWN, limits)
    return Fact(name, f"{count} on record", Verdict.BAD if count else Verdict.GOOD, limits, f"fsck, and {CARD_REMEDY}")


def _kernel_name(root: Path, device: str) -> str:
    """ "mmcblk0p2" for "root", which is a name that only the boot loader knows."""
    if device != "root":
        return device
    names = sorted(
        p.name for p in (root / "sys/fs/ext4").glob("*") if p.name.startswith(("mmcblk", "sd", "nvme", "vd"))
    )
    return names[0] if len(names) == 1 else device


def _disk_of(root: Path, device: str) -> str | None:
    """ "mmcblk0" for "/dev/mmcblk0p2"."""
    name = _kernel_name(root, PurePosixPath(device).name)
    blocks = sorted((p.name for p in (root / "sys/block").glob("*")), key=len, reverse=True)
    return next((disk for disk in blocks if re.fullmatch(re.escape(disk) + r"(p?\d+)?", name)), None)


def _wear(root: Path, disk: str | None) -> Fact:
    name, limits = "card wear", "below 80 % of its life, spare blocks normal"
    if disk is None:
        return Fact(name, "which disk it is can't be told", Verdict.NOT_KNOWN, limits)
    device = root / "sys/block" / disk / "device"
    tenths = [int(word, 16) for word in re.findall(r"0x[0-9a-fA-F]{2}", text_of(device / "life_time"))]
    spare = number_of(device / "pre_eol_info", 16)
    if not any(tenths) and not spare:
        written = written_mib(text_of(root / "sys/block" / disk / "stat"))
        since = f"; {written} MiB written since the boot" if written is not None else ""
        return Fact(name, f"{disk} does not tell{since}", Verdict.NOT_KNOWN, limits)
    used = max(tenths, default=0)
    value = f"{disk}: {'beyond' if used > 10 else f'{used * 10} % of'} its life, spare blocks {spare or 'not told'}"
    verdict = Verdict.BAD if used > 10 or spare == 3 else Verdict.WARN if used > 8 or spare == 2 else Verdict.GOOD
    return Fact(name, value, verdict, limits, CARD_REMEDY)


def written_mib(stat: str) -> int | None:
    """From /sys/block/*/stat: the seventh number is sectors written, of 512 bytes each."""
    fields = stat.split()
    return int(fields[6]) * SECTOR_BYTES // MIB if len(fields) >= 7 and fields[6].isdecimal() else None
