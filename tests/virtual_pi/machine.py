"""A running virtual Pi: QEMU as a process, its serial adapters, its agent, and the plug of its power.

Rules: software emulation, since `/dev/kvm` may be there and be no use. The root is never written (a snapshot); the data
disk is. Serial adapters are the ptys of the simulators on this machine; each is a USB device of its own, so it can be
pulled. `cut_power` kills QEMU: what the guest had not flushed is gone with its memory.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.virtual_pi.kernel import Architecture, Kernel, MissingError

BOOT_LIMIT_S = 300.0
ANSWER_LIMIT_S = 120.0
LOGGED = "file.driver=raw,file.file=data-file,log.driver=raw,log.file=log-file,log-super-update-interval=1"


class GuestError(Exception):
    """The guest answered that something failed, or not at all."""


class _Lines:
    """A socket that speaks in JSON lines."""

    def __init__(self, path: Path, limit_s: float) -> None:
        until = time.monotonic() + limit_s
        self._socket = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self._socket.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)
        self._rest = b""

    def read(self, limit_s: float) -> dict[str, Any]:
        until = time.monotonic() + limit_s
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                raise GuestError(f"no answer within {limit_s:.0f} s")
            data = self._socket.recv(65536)
            if not data:
                raise GuestError("the machine is gone")
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    def write(self, question: Mapping[str, Any]) -> None:
        self._socket.sendall(json.dumps(question).encode() + b"\n")

    def close(self) -> None:
        self._socket.close()


class VirtualPi:
    """One power-on. A context manager; the power is cut at its end."""

    def __init__(
        self,
        architecture: Architecture,
        kernel: Kernel,
        root: Path,
        data: Path,
        folder: Path,
        adapters: Mapping[str, Path],
        *,
        write_log: Path | None = None,
        suite: Path | None = None,
    ) -> None:
        """`adapters`: pty by role ("shoe"). `write_log`: file for every write to the data disk, in order. `suite`:
        image of a third disk, read only."""
        self.folder = folder
        self.began = time.monotonic()
        if write_log is None:
            disk = ["-drive", f"file={data},if=none,id=data,format=raw"]
        else:
            disk = [
                "-blockdev", f"driver=file,filename={data},node-name=data-file",
                "-blockdev", f"driver=file,filename={write_log},node-name=log-file",
                "-blockdev", f"driver=blklogwrites,node-name=data,{LOGGED}",
            ]  # fmt: skip
        command = [
            architecture.emulator, "-M", architecture.machine, *architecture.cpu, "-accel", "tcg,thread=multi",
            "-smp", "2", "-m", "1024", "-display", "none", "-no-reboot", "-nodefaults",
            "-kernel", kernel.image, "-initrd", kernel.initrd,
            "-append", f"console={architecture.console} quiet net.ifnames=0 mitigations=off",
            "-drive", f"file={root},if=none,id=root,format=raw,snapshot=on",
            "-device", "virtio-blk-pci,drive=root", *disk, "-device", "virtio-blk-pci,drive=data",
            "-chardev", f"file,id=console,path={folder / 'console.log'}", "-serial", "chardev:console",
            "-device", "virtio-serial-pci", "-device", "virtio-rng-pci",
            "-chardev", f"socket,id=agent,path={folder / 'agent.sock'},server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent",
            "-qmp", f"unix:{folder / 'qmp.sock'},server=on,wait=off",
            "-device", "qemu-xhci,id=usb", *(("-device", "i6300esb") if architecture.name == "amd64" else ()),
        ]  # fmt: skip
        if suite is not None:
            command += ["-drive", f"file={suite},if=none,id=suite,format=raw,read-only=on"]
            command += ["-device", "virtio-blk-pci,drive=suite"]
        for name, pty in adapters.items():
            command += ["-chardev", f"serial,id={name},path={os.path.realpath(pty)}"]
            command += ["-device", f"usb-serial,chardev={name},id=usb-{name},serial={name.upper()},bus=usb.0"]
        self._log = (folder / "qemu.log").open("ab")
        self._process = subprocess.Popen([str(part) for part in command], stdout=self._log, stderr=self._log)
        self._turn = threading.Lock()
        self._agent: _Lines | None = None
        self._qmp: _Lines | None = None

    def __enter__(self) -> VirtualPi:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut_power()

    @property
    def pid(self) -> int:
        return self._process.pid

    def booted(self, limit_s: float = BOOT_LIMIT_S) -> float:
        """Wait until the agent answers; seconds since power-on. Raises GuestError."""
        try:
            self._agent = _Lines(self.folder / "agent.sock", 10.0)
            self._agent.read(limit_s)
        except (GuestError, OSError) as error:
            log = (self.folder / "qemu.log").read_text("utf-8", "replace")[-800:]
            console = self.folder / "console.log"
            said = console.read_text("utf-8", "replace")[-1_500:] if console.exists() else ""
            raise GuestError(f"the guest did not come up: {error}\n{log}\n{said}") from None
        return time.monotonic() - self.began

    def ask(self, question: Mapping[str, Any], limit_s: float = ANSWER_LIMIT_S) -> dict[str, Any]:
        """The agent's answer. Raises GuestError."""
        with self._turn:
            assert self._agent is not None, "booted() first"
            self._agent.write(question)
            answer = self._agent.read(limit_s)
        if "error" in answer:
            raise GuestError(str(answer["error"]))
        return answer

    def run(self, *command: str, good: Sequence[int] = (0,), limit_s: float = 60.0) -> str:
        """A command in the guest, as root; its output. Raises GuestError for another status."""
        answer = self.ask({"do": "run", "command": list(command), "limit_s": limit_s}, limit_s + 30)
        if answer["status"] not in good:
            raise GuestError(f"{' '.join(command)} ended with {answer['status']}: {answer['out'][-1_500:]}")
        return str(answer["out"])

    def levels(self, levels: Mapping[int, int]) -> None:
        """Keep these lines, and no others, at these levels from now on."""
        self.ask({"do": "levels", "levels": {str(line): level for line, level in levels.items()}})

    def status(self) -> dict[str, Any]:
        """The daemon's own status. Raises GuestError while there is none."""
        answer = self.ask({"do": "status"})["status"]
        assert isinstance(answer, dict)
        return answer

    def train(self, steps: Sequence[tuple[int, int, int]]) -> list[int]:
        """Set a line, wait so many nanoseconds, and so on; the guest's monotonic times before each."""
        answer = self.ask({"do": "train", "steps": [[str(line), level, wait] for line, level, wait in steps]})
        return [int(at) for at in answer["at_ns"]]

    def pull(self, name: str) -> None:
        """Unplug a serial adapter."""
        self._monitor("device_del", id=f"usb-{name}")

    def plug(self, name: str) -> None:
        self._monitor(
            "device_add", driver="usb-serial", chardev=name, id=f"usb-{name}", serial=name.upper(), bus="usb.0"
        )

    def cut_power(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        for lines in (self._agent, self._qmp):
            if lines is not None:
                lines.close()
        self._agent = self._qmp = None
        self._log.close()

    def _monitor(self, command: str, **arguments: object) -> None:
        if self._qmp is None:
            self._qmp = _Lines(self.folder / "qmp.sock", 10.0)
            self._qmp.read(10.0)
            self._say("qmp_capabilities", {})
        self._say(command, arguments)

    def _say(self, command: str, arguments: Mapping[str, object]) -> None:
        assert self._qmp is not None
        self._qmp.write({"execute": command, "arguments": arguments})
        while True:
            answer = self._qmp.read(10.0)
            if "error" in answer:
                raise GuestError(f"{command}: {answer['error']}")
            if "return" in answer:
                return


def needed(architecture: Architecture) -> None:
    """Raises MissingError where the emulator is not installed."""
    from shutil import which

    if which(architecture.emulator) is None:
        package = "qemu-system-x86" if architecture.name == "amd64" else "qemu-system-arm"
        raise MissingError(f"{architecture.emulator} is missing; install {package}")
