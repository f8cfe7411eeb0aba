"""Runs in the guest: a chip and a press of the lock-out button close together, decided by us and by arrival.

    race.py ours|callbacks SEED PAIRS GAP_NS

Prints one JSON line: how many pairs, how many were decided otherwise than they were made, how late edges came. The
edges are made by a process of its own through the chip's own switches; each order comes half the time. "ours" is the
table's own line device on lgpio; "callbacks" is gpiozero's Button on lgpio, deciding by which callback came first.
"""

import asyncio
import json
import multiprocessing
import random
import sys
import threading
import time
from pathlib import Path

SPOT, LOCKOUT = 5, 19
OPEN, CLOSED = "pull-up", "pull-down"
PLATFORM = Path("/sys/devices/platform")
SETTLE_S = 0.4


def switch(line):
    chip = next(PLATFORM.glob("gpio-sim.0/gpiochip*"))
    return (chip / f"sim_gpio{line}" / "pull").open("w", buffering=1)


def makes_edges(questions, answers, seed, pairs, gap_ns):
    """Another process: chip first or press first, by the seed; tells which, when asked for the next."""
    chance = random.Random(seed)
    spot, button = switch(SPOT), switch(LOCKOUT)

    def put(file, level):
        file.seek(0)
        file.write(level)
        file.flush()

    put(spot, OPEN)
    put(button, CLOSED)
    for _ in range(pairs):
        questions.get()
        chip_first = chance.random() < 0.5
        order = ((spot, CLOSED), (button, OPEN)) if chip_first else ((button, OPEN), (spot, CLOSED))
        put(*order[0])
        until = time.monotonic_ns() + gap_ns
        while time.monotonic_ns() < until:
            pass
        put(*order[1])
        answers.put(chip_first)
        questions.get()
        put(spot, OPEN)
        put(button, CLOSED)
        answers.put(None)


async def ours(questions, answers, pairs):
    from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
    from drivers.events import LineEdge, LinesReady, LinesSettled
    from drivers.gpio.backends import GpioBackend, gpio_pins
    from drivers.line_spec import LineRole, LineSpec

    lines = (
        LineSpec("spot", SPOT, LineRole.SPOT),
        LineSpec("lock-out", LOCKOUT, LineRole.LOCK_OUT, normally_closed=True),
    )
    device = GpioLineInputs(LineInputsSettings("lines", lines, settle_ns=200_000_000), gpio_pins(GpioBackend.LGPIO))
    events = asyncio.Queue()
    task = asyncio.create_task(device.run(events.put_nowait))

    async def until(kind):
        while True:
            event = await asyncio.wait_for(events.get(), 30)
            if isinstance(event, kind):
                return event

    await until(LinesReady)
    questions.put(1), answers.get(), questions.put(1), answers.get()  # puts the contacts right after the pulls
    await asyncio.sleep(SETTLE_S)
    wrong, latest_ns = 0, 0
    for _ in range(pairs):
        while not events.empty():
            events.get_nowait()
        questions.put(1)
        press = await until(LineEdge)
        device.settle(press.at_ns)
        settled = await until(LinesSettled)
        chip_first = await asyncio.to_thread(answers.get)
        (verdict,) = [v for v in settled.verdicts if v.line == "spot"]
        accepted = verdict.active and verdict.not_after_ns < press.at_ns
        wrong += accepted is not chip_first
        latest_ns = max(latest_ns, settled.worst_lateness_ns)
        device.unsettle()
        questions.put(1)
        await asyncio.to_thread(answers.get)
        await asyncio.sleep(SETTLE_S)
    task.cancel()
    return {"wrong": wrong, "latest_ms": latest_ns / 1e6}


def callbacks(questions, answers, pairs):
    from gpiozero import Button, Device
    from gpiozero.pins.lgpio import LGPIOFactory

    Device.pin_factory = LGPIOFactory()
    came, both = [], threading.Event()

    def note(what):
        came.append(what)
        if len(came) == 2:
            both.set()

    spot, button = Button(SPOT), Button(LOCKOUT)
    time.sleep(SETTLE_S)
    questions.put(1), answers.get(), questions.put(1), answers.get()  # puts the contacts right after the pulls
    time.sleep(SETTLE_S)
    spot.when_pressed = lambda: note("chip")
    button.when_released = lambda: note("press")
    wrong = lost = 0
    for _ in range(pairs):
        came.clear()
        both.clear()
        questions.put(1)
        chip_first = answers.get()
        if both.wait(2):
            wrong += (came[0] == "chip") is not chip_first
        else:
            lost += 1
        questions.put(1)
        answers.get()
        time.sleep(SETTLE_S)
    return {"wrong": wrong, "lost": lost}


def main():
    how, seed, pairs, gap_ns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    questions, answers = multiprocessing.Queue(), multiprocessing.Queue()
    maker = multiprocessing.Process(target=makes_edges, args=(questions, answers, seed, pairs + 1, gap_ns), daemon=True)
    maker.start()
    found = asyncio.run(ours(questions, answers, pairs)) if how == "ours" else callbacks(questions, answers, pairs)
    print(json.dumps({"pairs": pairs, "gap_ns": gap_ns, **found}))


if __name__ == "__main__":
    main()
