"""Requests on the control socket of the simulated line chip: one JSON object a line, read with its types checked."""

from __future__ import annotations

import json
from typing import TypeVar

from msgspec.structs import fields

from hil.sim.chip_delivery import DeliveryFaults

Field = TypeVar("Field")


class BadRequestError(Exception):
    """A control request that makes no sense. The message says what was expected."""


class ChipRequest:
    """One control request, read with its types checked."""

    def __init__(self, line: bytes) -> None:
        try:
            value: object = json.loads(line)
        except ValueError as error:
            raise BadRequestError(f"not JSON: {error}") from error
        if not isinstance(value, dict):
            raise BadRequestError(f'got {type(value).__name__}; expected an object with "do"')
        self._fields: dict[str, object] = value

    def text(self, key: str) -> str:
        return self._typed(key, str)

    def flag(self, key: str) -> bool:
        return self._typed(key, bool)

    def whole(self, key: str) -> int:
        return self._typed(key, int)

    def number(self, key: str) -> float:
        return float(self._typed(key, int, float))

    def is_null(self, key: str) -> bool:
        return key in self._fields and self._fields[key] is None

    def steps(self, key: str) -> list[tuple[float, int, bool]]:
        steps = []
        for n, step in enumerate(self._typed(key, list)):
            match step:
                case [(int() | float()) as offset_us, int(line), bool(high)]:
                    steps.append((float(offset_us), line, high))
                case _:
                    raise BadRequestError(f"step {n} is {step!r}; expected [microseconds, line, true or false]")
        return steps

    def faults(self) -> DeliveryFaults:
        """Every fault by its name; what is not named is off."""
        known = {field.name: field for field in fields(DeliveryFaults)}
        wrong = sorted(set(self._fields) - {"do", *known})
        if wrong:
            raise BadRequestError(f"faults: no such fault {', '.join(wrong)}; expected some of {', '.join(known)}")
        given = set(self._fields)
        numbers = {name: self.number(name) for name in known if name in given and name not in ("reorder", "seed")}
        return DeliveryFaults(
            **numbers,
            reorder="reorder" in given and self.flag("reorder"),
            seed=self.whole("seed") if "seed" in given else 0,
        )

    def _typed(self, key: str, *kinds: type[Field]) -> Field:
        value = self._fields.get(key)
        # In Python a bool is an int; on this wire it is not.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = " or ".join(kind.__name__ for kind in kinds)
            raise BadRequestError(f'"{key}" is {value!r}; expected {names}')
        return value
