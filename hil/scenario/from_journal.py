"""A scenario from what a journal recorded: people's and devices' acts of one round as steps, its decisions as the end.

Rules: what came in at the time is done again in the same order, each after the table has shown that it took the one
before; what the table decided then must be decided again. What a meter pays depends on the rounds before, which a fresh
table has not had: there it must only pay. A round that holds what the bench has no hands for (an order
of two persons, an unread card) is refused by name rather than told half.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from firmware.journal.reader import Reader
from hil.scenario.schema import ScenarioError

DECIDED = ("WagerAccepted", "WagerRefused", "SettlementShown", "AwardLocked", "RoundVoided", "RoundEnded")
"""Effects that the scenario expects again, with the fields that a second run has in common with the first."""
FIELDS = ("position", "wager", "result", "line", "award_cents", "stake_returned_cents")
NO_HANDS = ("OrderGiven", "CardScanned", "CardHeldOver", "SpotFailed", "LateEdge")

BY_MENU = "in round {} the floorperson decided by the menu, which is not told here"


def scenario(journal: Path, number: int | None) -> str:
    """The text of a scenario file. Raises ScenarioError, JournalError."""
    bodies = list(_bodies(journal))
    rounds = [one["round"] for body in bodies for one in body["effects"] if one["type"] == "RoundOpened"]
    if not rounds:
        raise ScenarioError(f"{journal}: no round was opened in it")
    wanted = rounds[-1] if number is None else number
    if wanted not in rounds:
        raise ScenarioError(f"{journal}: no round {wanted}; it has {rounds[0]} to {rounds[-1]}")
    inside = list(_of_round(bodies, wanted))
    lines = [
        f'about = "round {wanted} as a journal recorded it"', 'class = "disputes"', "", "[[step]]", 'do = "open"', "",
    ]  # fmt: skip
    for step in _steps(inside, wanted):
        lines += ["[[step]]", *(f"{key} = {_toml(value)}" for key, value in step.items()), ""]
    effects = [one for body in inside for one in body["effects"]]
    from_meters = {(one["position"], one["wager"]) for one in effects if one["type"] == "AwardLocked" and one["meter"]}
    for effect in effects:
        if effect["type"] in DECIDED:
            where = {key: effect[key] for key in FIELDS if isinstance(effect.get(key), str | int)}
            least = {}
            if where.get("award_cents") and (effect["position"], effect["wager"]) in from_meters:
                del where["award_cents"]
                least = {"award_cents": 1}
            lines += ["[[journal]]", f'type = "{effect["type"]}"']
            lines += [f"where = {_toml(where)}"] if where else []
            lines += [f"least = {_toml(least)}"] if least else []
            lines.append("")
    return "\n".join(lines)


def _bodies(journal: Path) -> Iterator[dict[str, Any]]:
    with Reader(journal) as reader:
        for row in reader.entries():
            yield msgspec.json.decode(row.body)


def _of_round(bodies: list[dict[str, Any]], number: int) -> Iterator[dict[str, Any]]:
    """From what opened the round to what ended it, or to the journal's end. One entry may end a round and open the
    next: of the first and the last entry only the effects of this round are given."""
    inside = False
    for body in bodies:
        effects = body["effects"]
        kinds = [(one["type"], one.get("round")) for one in effects]
        begin = kinds.index(("RoundOpened", number)) if ("RoundOpened", number) in kinds else 0
        end = kinds.index(("RoundEnded", number)) + 1 if ("RoundEnded", number) in kinds else len(effects)
        inside = inside or ("RoundOpened", number) in kinds
        if inside:
            yield body | {"effects": effects[begin:end]}
        if ("RoundEnded", number) in kinds:
            return


def _steps(inside: list[dict[str, Any]], number: int) -> Iterator[dict[str, object]]:
    cards = []
    for body in inside:
        event = body["event"]
        if event["type"] == "KeyPressed" and any(one["type"] == "RoundVoided" for one in body["effects"]):
            raise ScenarioError(BY_MENU.format(number))
        if event["type"] in NO_HANDS or (event["type"] == "CardRead" and event.get("card") is None):
            raise ScenarioError(f"round {number} has {event['type']}, which the bench has no hands for")
        if event["type"] == "CardRead":
            cards.append(event["card"])
    if cards:
        yield {"do": "device", "device": "shoe", "op": "load", "options": {"cards": cards}}
    yield from (step for _, step in sorted(_hands(inside), key=lambda one: one[0]))
    yield from _after_the_window(inside, number)
    if any(one["type"] == "RoundEnded" for body in inside for one in body["effects"]):
        yield {"do": "finish"}


def _hands(inside: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, object]]]:
    """Chips and the press, by their own times: they were decided later than they happened."""
    for body in inside:
        event = body["event"]
        match event["type"]:
            case "ChipPlaced":
                yield event["not_before_ns"], {"do": "place", "spots": [f"{event['position']}/{event['wager']}"]}
            case "ChipLifted":
                yield event["not_before_ns"], {"do": "take", "spots": [f"{event['position']}/{event['wager']}"]}
            case "LockEdge":
                yield event["at_ns"], {"do": "lock"}
            case "InputsSettled":
                return


def _after_the_window(inside: list[dict[str, Any]], number: int) -> Iterator[dict[str, object]]:
    """The count and the deal; what comes after the cards follows from them and is left to the people."""
    settled = floor = False
    for body in inside:
        event = body["event"]
        match event["type"]:
            case "InputsSettled":
                settled = True
                yield {"do": "see", "display": ["COUNT CHIPS" if _is_counted(inside) else "DEAL"]}
            case "FloorKeyTurned":
                floor = event["turned"]
            case "KeyPressed" if settled and floor:
                raise ScenarioError(BY_MENU.format(number))
            case "KeyPressed" if settled:
                yield {"do": "press", "key": event["key"]}
            case "CardRead":
                yield {"do": "deal"}
                return
            case _:
                pass


def _is_counted(inside: list[dict[str, Any]]) -> bool:
    """Whether the dealer had progressive chips to count."""
    return any(one["type"] == "Contributed" for body in inside for one in body["effects"])


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return msgspec.json.encode(value).decode()
