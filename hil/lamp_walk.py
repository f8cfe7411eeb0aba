"""The lamps in turn, through the table's own driver: which pixel stands at which spot, and in which order its colours
come. All lamps at once are lit at the configured limit of brightness, which is what the supply must carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec import Struct

from drivers.ports import Pixel
from hil.lease import Access, NoLease, devices
from hil.stepped import NotShown, stepped

DARK, WHITE = Pixel(0, 0, 0), Pixel(255, 255, 255)
COLOURS = {"red": Pixel(255, 0, 0), "green": Pixel(0, 255, 0), "blue": Pixel(0, 0, 255), "white": WHITE}


class Step(Struct, frozen=True):
    """What is lit, for people, and the frame."""

    what: str
    frame: tuple[Pixel, ...]


def steps(size: int, spots: Mapping[int, str]) -> Iterator[Step]:
    """The walk over a string of `size` pixels; `spots` names those that stand at one."""
    for pixel in range(size):
        frame = tuple(WHITE if other == pixel else DARK for other in range(size))
        yield Step(f"lamp {pixel}: {spots.get(pixel, 'stands at no spot')}", frame)
    for name, colour in COLOURS.items():
        yield Step(f"all lamps {name}", (colour,) * size)
    yield Step("all lamps dark", (DARK,) * size)


async def walk(access: Access, name: str, hold_s: float) -> int:
    """Exit status 0 when every frame has left for the lamps, 1 if the string failed. Raises as `devices`."""
    async with devices(access, [name]) as held:
        string = next((one for one in held.devices.lamps if one.device.name == name), None)
        if string is None:
            raise NoLease(f"{name} is no string of lamps")
        print(held.how)
        lamps = string.device
        spots = {pixel: f"position {spot.replace('/', ', ')}" for spot, pixel in string.pixels.items()}
        try:
            async with stepped(held, name, hold_s) as walked:
                for step in steps(lamps.size, spots):
                    await walked.step(step.what, partial(lamps.show, step.frame))
        except NotShown as error:
            print(f"NOT IN ORDER: {error}")
            return 1
    print("every frame has left for the lamps; what lit otherwise than told is wired or configured otherwise")
    return 0
