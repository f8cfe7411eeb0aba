"""Published byte vectors of the serial protocols, with their meaning. Codecs and simulators are held to them."""

from __future__ import annotations

from drivers.codecs import alpha
from drivers.codecs import angeleye_messages as m

ANGELEYE: list[tuple[str, str, str, m.Message]] = [
    ("start", "05 30 53 03 36 30", "0", m.Started()),
    ("stand-by", "05 31 50 03 36 32", "1", m.StandBy()),
    ("player 1 8S", "05 32 44 81 B8 03 34 43", "2", m.CardInGame(m.Target.PLAYER, 1, "8S")),
    ("banker 1 KH", "05 33 44 91 CD 03 32 38", "3", m.CardInGame(m.Target.BANKER, 1, "KH")),
    ("player 2 AD", "05 34 44 82 91 03 36 30", "4", m.CardInGame(m.Target.PLAYER, 2, "AD")),
    ("banker 2 TC", "05 35 44 92 AA 03 34 41", "5", m.CardInGame(m.Target.BANKER, 2, "TC")),
    ("player wins", "05 36 47 90 03 45 32", "6", m.Result(m.Winner.PLAYER, False, False)),
    ("tie", "05 37 47 A0 03 44 33", "7", m.Result(m.Winner.TIE, False, False)),
    ("banker, banker pair", "05 38 47 C2 03 42 45", "8", m.Result(m.Winner.BANKER, False, True)),
    ("forced end", "05 39 47 F0 03 38 44", "9", m.Result(m.Winner.FORCED_END, False, False)),
    ("cut card", "05 41 43 03 30 31", "A", m.CutCard()),
    ("overdraw, error mode", "05 42 45 C2 03 43 36", "B", m.Error(2, True)),
    ("overdraw cancelled", "05 43 65 82 03 41 37", "C", m.ErrorCleared(2)),
    ("locked", "05 44 4C 81 03 38 41", "D", m.Lock(True)),
]
ANGELEYE_HOST_LOCK = "02 4F 50 4C 4B 30 32 03 31 42"

_HEAD = "00 00 00 00 00 01 5A 30 30 02 "
ALPHA: list[tuple[str, str, alpha.Command, bool]] = [
    ("text", _HEAD + "41 41 1B 20 62 48 45 4C 4C 4F 03 30 32 39 38 04", alpha.WriteText("A", ("HELLO",)), True),
    (
        "string",
        _HEAD + "47 31 24 31 32 2C 33 34 35 2E 36 37 03 30 32 36 37 04",
        alpha.WriteString("1", "$12,345.67"),
        True,
    ),
    (
        "text calling a string",
        _HEAD + "41 41 1B 20 62 4A 41 43 4B 50 4F 54 20 10 31 03 30 33 39 31 04",
        alpha.WriteText("A", ("JACKPOT ", alpha.StringCall("1"))),
        True,
    ),
    (
        "memory",
        _HEAD + "45 24 41 41 55 30 30 34 30 46 46 30 30 31 42 4C 30 30 32 30 30 30 30 30 03 30 35 33 36 04",
        alpha.ConfigureMemory((alpha.TextFile("A", 64, schedule="FF00"), alpha.StringFile("1", 32))),
        True,
    ),
    (
        "priority",
        _HEAD + "41 30 1B 20 63 1C 31 4A 41 43 4B 50 4F 54 04",
        alpha.WriteText("0", (alpha.Colour.RED, "JACKPOT"), alpha.Mode.FLASH),
        False,
    ),
    ("release", _HEAD + "41 30 04", alpha.ReleasePriority(), True),
    ("time", _HEAD + "45 20 31 34 33 30 03 30 31 33 32 04", alpha.SetTime(14, 30), True),
    ("run sequence", _HEAD + "45 2E 54 55 41 03 30 31 36 32 04", alpha.RunSequence("A"), True),
]


def chunks(data: bytes, sizes: list[int]) -> list[bytes]:
    """`data` cut into pieces of these sizes, the rest as the last piece."""
    pieces = []
    for size in sizes:
        pieces.append(data[:size])
        data = data[size:]
    return [*pieces, data]
