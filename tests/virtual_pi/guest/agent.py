"""Runs in the guest: does what the host asks over a virtual port, one JSON line a question, one an answer.

    {"do": "run", "command": [...], "limit_s": 30}       -> {"status": 0, "out": "..."}
    {"do": "status"}                                     -> {"status": {...}}   the daemon's own
    {"do": "levels", "levels": {"19": 0, ...}}           -> {}      keep these lines, and no others, at these levels
    {"do": "train", "steps": [["5", 0, 1000000], ...]}   -> {"at_ns": [...]}   set a line, then wait so many ns

Rules: a simulated line follows the last pull that anybody set, and the daemon sets one when it opens the line; a
contact outside would win. So the levels asked for are put back, each 20 ms, until others are asked for.
"""

import json
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

PORT = Path("/dev/virtio-ports/agent")
CHIP = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
CHIP_ELSEWHERE = Path("/sys/devices/platform")
KEEP_S = 0.02
PULL = ("pull-down", "pull-up")

levels = {}
lock = threading.Lock()


def chip():
    return CHIP if CHIP.exists() else next(CHIP_ELSEWHERE.glob("gpio-sim.0/gpiochip*"))


def set_level(line, level):
    (chip() / f"sim_gpio{line}" / "pull").write_text(PULL[level])


def keep():
    while True:
        with lock:
            for line, level in levels.items():
                place = chip() / f"sim_gpio{line}" / "pull"
                if place.read_text().strip() != PULL[level]:
                    place.write_text(PULL[level])
        time.sleep(KEEP_S)


def answer(question):
    match question["do"]:
        case "run":
            done = subprocess.run(
                question["command"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=question.get("limit_s", 60), check=False,
            )  # fmt: skip
            return {"status": done.returncode, "out": done.stdout.decode(errors="replace")}
        case "status":
            with socket.socket(socket.AF_UNIX) as control:
                control.settimeout(10)
                control.connect("/run/tabled/control.sock")
                control.sendall(b'{"op": "status"}\n')
                said = b""
                while not said.endswith(b"\n"):
                    got = control.recv(1 << 20)
                    if not got:
                        raise OSError("the daemon closed the connection")
                    said += got
            return {"status": json.loads(said)}
        case "levels":
            with lock:
                levels.clear()
                levels.update(question["levels"])
            return {}
        case "train":
            at_ns = []
            with lock:
                for line, level, wait_ns in question["steps"]:
                    at_ns.append(time.monotonic_ns())
                    set_level(line, level)
                    if line in levels:
                        levels[line] = level
                    until = time.monotonic_ns() + wait_ns
                    while time.monotonic_ns() < until:
                        pass
            return {"at_ns": at_ns}


def main():
    port = os.open(PORT, os.O_RDWR)
    os.write(port, b'{"ready": true}\n')
    threading.Thread(target=keep, daemon=True).start()
    rest = b""
    while True:
        got = os.read(port, 65536)
        if not got:
            time.sleep(0.05)  # nobody is at the other end
            continue
        rest += got
        while b"\n" in rest:
            line, rest = rest.split(b"\n", 1)
            try:
                said = answer(json.loads(line))
            except (OSError, ValueError, KeyError, StopIteration, subprocess.TimeoutExpired) as error:
                said = {"error": repr(error)}
            data = json.dumps(said).encode() + b"\n"
            while data:
                data = data[os.write(port, data) :]


main()
