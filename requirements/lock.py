"""Makes and checks the hash-pinned requirement files: `./setup.sh lock [--upgrade]`.

Each file pins everything that one use of the project installs, for Python 3.11 to 3.13 on x86-64 and arm64 alike, with
the hashes of all files of each release and without an address: which index is asked is for pip's configuration. Its
head carries a digest of what it was made from, so that `--check` can tell without a network whether it is still true.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent / "pyproject.toml"

FILES: dict[str, tuple[str, ...]] = {
    "run": (),
    "test": ("dev",),
    "pi": ("pi",),
    "rpigpio": ("rpigpio",),
    "neopixel-pwm": ("neopixel-pwm",),
    "neopixel-pio": ("neopixel-pio",),
    "lock": ("lock",),
}
"""File -> extras of pyproject.toml beside the dependencies themselves."""

WHEEL_PYTHONS = ("3.11", "3.12", "3.13")
WHEEL_MACHINES = ("x86_64", "aarch64")
WHEELS_ONLY = ("run", "test")
"""Files that must install without a compiler; what a Pi alone needs is partly published as source."""


def wanted(extras: tuple[str, ...]) -> list[str]:
    """Requirements that a file has to satisfy, the build back end among them: the project builds without a network."""
    with PROJECT.open("rb") as stream:
        project = tomllib.load(stream)
    requirements = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in extras:
        requirements += project["project"]["optional-dependencies"][extra]
    return sorted(requirements)


def digest(extras: tuple[str, ...]) -> str:
    """What a file was made from, as its head names it."""
    return hashlib.sha256(json.dumps(wanted(extras)).encode()).hexdigest()


def head(extras: tuple[str, ...]) -> str:
    """First lines of a file."""
    return f"# Made by `./setup.sh lock` from pyproject.toml; do not edit.\n# inputs sha256:{digest(extras)}\n"


def configured_index() -> list[str]:
    """The index that pip is configured with, as an option for uv; nothing where pip has its default."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return ["--default-index", answer] if answer else []


def make(name: str, extras: tuple[str, ...], *, upgrade: bool) -> None:
    """Write one file; pins that still fit stay as they are unless `upgrade`."""
    file = HERE / f"{name}.txt"
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--quiet", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "--output-file", str(file), *configured_index()]
    if name != "run":  # one environment may hold several files: what they share has one version
        command += ["--constraint", str(HERE / "run.txt")]
    if upgrade:
        command.append("--upgrade")
    if name in WHEELS_ONLY:
        command += ["--only-binary", ":all:"]
    subprocess.run(command, input="\n".join(wanted(extras)), text=True, check=True, stdout=subprocess.DEVNULL)
    file.write_text(head(extras) + file.read_text(encoding="utf-8"), encoding="utf-8")
    print(f"{file.name}: {len(pins(file.read_text(encoding='utf-8')))} packages")


def pins(text: str) -> dict[str, str]:
    """Normalized name -> version of every pin."""
    return {
        re.sub(r"[-_.]+", "-", name).lower(): version
        for name, version in re.findall(r"(?m)^([A-Za-z0-9._-]+)==([^\s;\\]+)", text)
    }


def problems(name: str, extras: tuple[str, ...]) -> list[str]:
    """What is wrong with a file as it stands; no network is asked."""
    from packaging.requirements import Requirement  # only where the test requirements are installed

    file = HERE / f"{name}.txt"
    if not file.is_file():
        return [f"{file.name} is missing"]
    text = file.read_text(encoding="utf-8")
    found = []
    if not text.startswith(head(extras)):
        found.append(f"{file.name} was made from other requirements than pyproject.toml has now")
    if "://" in text or re.search(r"(?m)^--(?!hash)", text):
        found.append(f"{file.name} names an index")
    pinned = pins(text)
    base = pins((HERE / "run.txt").read_text(encoding="utf-8")) if (HERE / "run.txt").is_file() else {}
    for shared in sorted(set(base) & set(pinned)):
        if base[shared] != pinned[shared]:
            found.append(f"{file.name} pins {shared} {pinned[shared]}, run.txt pins {base[shared]}")
    for requirement in map(Requirement, wanted(extras)):
        version = pinned.get(re.sub(r"[-_.]+", "-", requirement.name).lower())
        if version is None:
            found.append(f"{file.name} has no pin for {requirement.name}")
        elif not requirement.specifier.contains(version, prereleases=True):
            found.append(f"{file.name} pins {requirement.name} {version}, pyproject.toml wants {requirement}")
    for entry in re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]:
        if "--hash=sha256:" not in entry:
            found.append(f"{file.name}: {entry.split()[0]} has no hash")
    return found


def check_wheels(name: str) -> None:
    """Ask the index whether a file installs without a compiler on every Python and machine. Needs the network."""
    for python in WHEEL_PYTHONS:
        for machine in WHEEL_MACHINES:
            platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in (5, 17, 28, 31, 34, 36)]
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
            command += ["--only-binary=:all:", f"--python-version={python}", *platforms, "--no-cache-dir"]
            command += ["--dest", str(HERE.parent / "build" / "wheels"), "-r", str(HERE / f"{name}.txt")]
            subprocess.run(command, check=True)
            print(f"{name}.txt: wheels for Python {python} on {machine}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Make or check the hash-pinned requirement files.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file is out of date")
    parser.add_argument("--upgrade", action="store_true", help="take the newest releases that fit")
    options = parser.parse_args()
    if options.check:
        found = [problem for name, extras in FILES.items() for problem in problems(name, extras)]
        print("\n".join([*found, "Run ./setup.sh lock."] if found else ["requirement files are fresh"]))
        return 1 if found else 0
    for name, extras in FILES.items():
        make(name, extras, upgrade=options.upgrade)
    for name in WHEELS_ONLY:
        check_wheels(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
