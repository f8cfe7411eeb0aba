"""Runs in a root of the guest's: loads what only a Pi can use and says how far that goes here. Status 1: not installed.

A library that loads but finds no board says so with an error of its own; that one is expected here, and is named.
"""

import importlib
import importlib.metadata
import os
import sys
import tempfile

LIBRARIES = {
    "lgpio": "lgpio", "spidev": "spidev", "smbus2": "smbus2", "RPi.GPIO": "RPi.GPIO",
    "adafruit-circuitpython-neopixel-spi": "neopixel_spi", "adafruit-circuitpython-neopixel": "neopixel",
    "rpi_ws281x": "_rpi_ws281x", "adafruit-blinka-raspberry-pi5-neopixel": "adafruit_raspberry_pi5_neopixel_write",
    "gpiod": "gpiod",
}  # fmt: skip
NO_BOARD = (RuntimeError, NotImplementedError)

ARM_ONLY = ("adafruit-blinka-raspberry-pi5-neopixel",)

missing = False
os.environ["LG_WD"] = tempfile.mkdtemp()
for name, module in LIBRARIES.items():
    if name in ARM_ONLY and os.uname().machine == "x86_64":
        print(f"{name}: published for ARM only, not tried")
        continue
    try:
        importlib.import_module(module)
        how = "loads"
    except NO_BOARD as error:
        how = f"loads as far as the board that is not there ({str(error).splitlines()[0]})"
    except ImportError as error:
        missing, how = True, f"does not load ({error})"
    print(f"{name} {importlib.metadata.version(name)}: {how}")
sys.exit(missing)
