"""The real daemon with a stop-watch: `python -m tests.bench.measured_daemon --config C --run-dir R`.

Runs `firmware.app.main.run`. Around two of its methods stands a clock, nothing else is changed:

* lamp: from `LineChanged.decided_ns` (the earliest instant at which the chip can be known) until `Outputs.perform` has
  given the frame to the lamps' `show`; the commit lies between.
* lock-out: from the first edge of the button until the entry with `BettingClosed` is durable and carried out.

The figures are written to `R/figures.json` when the daemon ends.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from drivers.events import DeviceEvent, LineChanged
from firmware.app import clock, main
from firmware.app.inputs import Inputs
from firmware.app.outputs import Outputs
from firmware.core.effects import BettingClosed, LampChanged, LampShow

FIGURES = "figures.json"


def measure(lamp_ns: list[int], lock_out_ns: list[int]) -> None:
    """Put the clocks around the two methods of this process."""
    decided: dict[str, int] = {}
    real_take, real_perform = Inputs.take, Outputs.perform

    def take(inputs: Inputs, event: DeviceEvent) -> None:
        if isinstance(event, LineChanged) and event.active:
            decided[event.line] = event.decided_ns
        real_take(inputs, event)

    def perform(outputs: Outputs, *arguments: Any) -> Any:
        answer = real_perform(outputs, *arguments)
        now_ns = clock.monotonic_ns()
        given = arguments[0]
        for effect in getattr(given, "effects", given):
            match effect:
                case LampChanged(position, wager, LampShow.SENSED):
                    at_ns = decided.pop(f"{position}/{wager}", None)
                    if at_ns is not None:
                        lamp_ns.append(now_ns - at_ns)
                case BettingClosed(at_ns, "button"):
                    lock_out_ns.append(now_ns - at_ns)
        return answer

    Inputs.take = take  # type: ignore[method-assign]
    Outputs.perform = perform  # type: ignore[method-assign]


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.measured_daemon", description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--run-dir", type=Path, required=True)
    options = parser.parse_args()
    lamp_ns: list[int] = []
    lock_out_ns: list[int] = []
    measure(lamp_ns, lock_out_ns)
    status = main.run(options.config, options.run_dir, create_journal=True)
    (options.run_dir / FIGURES).write_text(json.dumps({"lamp_ns": lamp_ns, "lock_out_ns": lock_out_ns}))
    return status


if __name__ == "__main__":
    sys.exit(_main())
