"""Every way in which a line can be wrong, each with its code, and the streams of the command.

The lines are one good round with one thing changed: `_with(("table", "decks"), 0)` sets a value, `_without` takes a
key away.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.errors import SettlementError
from firmware.interfaces.settle_lines import settle_line
from firmware.interfaces.strict_json import _careful, _quick
from firmware.settings.paytables import load_catalogue

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
COMMAND = [sys.executable, "-m", "firmware.cli", "settle"]

GOOD: dict[str, Any] = {
    "id": "r1",
    "game": "minibaccarat",
    "table": {"decks": 8, "personal_combinations": {"1": ["KS", "9H"], "2": ["KD", "9C"]}},
    "offered": {
        "perfect_pairs_player": {"paytable": "A"},
        "royal_9_progressive": {"paytable": "5", "denomination_cents": 500},
        "tie": {"paytable": "-"},
    },
    "meters": {"royal_9.mega": "50000.000000", "royal_9.major": "450.000000", "royal_9.minor": "450.000000"},
    "seeds": {"royal_9.mega": "60000.000000"},
    "reserves": {"royal_9.minor": "100.000000"},
    "date": "2023-01-31",
    "readings": {"C1": "push", "U1": "not"},
    "wagers": [
        {"position": 1, "wager": "royal_9_progressive", "cents": 500},
        {"position": 2, "wager": "perfect_pairs_player", "cents": 2500},
    ],
    "outcome": {"player": ["KS", "9H"], "banker": ["4D", "2C"]},
}

Path_ = tuple[str | int, ...]


def _with(path: Path_, value: object) -> dict[str, Any]:
    line = copy.deepcopy(GOOD)
    place: Any = line
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return line


def _without(*path: str | int) -> dict[str, Any]:
    line = copy.deepcopy(GOOD)
    place: Any = line
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return line


def _answer(line: dict[str, Any] | str | bytes) -> dict[str, Any]:
    raw = line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
    answer, settled = settle_line(raw, CATALOGUE)
    parsed: dict[str, Any] = json.loads(answer)
    assert settled == ("error" not in parsed)
    return parsed


def _code(line: dict[str, Any] | str | bytes) -> str:
    answer = _answer(line)
    assert "error" in answer, answer
    assert set(answer) == {"id", "error"}
    assert set(answer["error"]) == {"code", "message"}
    assert len(answer["error"]["message"]) > 10
    return str(answer["error"]["code"])


def test_the_good_line_settles() -> None:
    answer = _answer(GOOD)
    assert answer["meters_after"] == {
        "royal_9.mega": "50000.000000",
        "royal_9.major": "450.000000",
        "royal_9.minor": "450.000000",
    }
    assert answer["reserves_after"] == {"royal_9.minor": "0.000000"}


WRONG_NUMBERS: list[object] = [True, False, 5.0, 1e3, "5", "", None, [], {}, 0, -1]


@pytest.mark.parametrize("value", WRONG_NUMBERS)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("wagers", 0, "cents"), "bad_wager"),
        (("wagers", 0, "position"), "bad_wager"),
        (("table", "decks"), "bad_table"),
        (("offered", "tie", "denomination_cents"), "bad_table"),
        (("offered", "royal_9_progressive", "denomination_cents"), "bad_table"),
    ],
)
def test_numbers(path: Path_, code: str, value: object) -> None:
    assert _code(_with(path, value)) == code


NO_TEXT: list[object] = [None, True, 5, 5.5, [], {}, ["tie"]]


@pytest.mark.parametrize("value", NO_TEXT)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("game",), "unknown_game"),
        (("wagers", 0, "wager"), "unknown_wager"),
        (("offered", "tie", "paytable"), "unknown_paytable"),
        (("meters", "royal_9.mega"), "bad_table"),
        (("seeds", "royal_9.mega"), "bad_table"),
        (("reserves", "royal_9.minor"), "bad_table"),
        (("date",), "bad_table"),
        (("readings", "C1"), "unknown_reading"),
        (("outcome", "player", 0), "bad_card"),
        (("table", "personal_combinations", "1", 0), "bad_card"),
    ],
)
def test_texts(path: Path_, code: str, value: object) -> None:
    assert _code(_with(path, value)) == code


@pytest.mark.parametrize("value", [None, True, 5, "x", [1]])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("table",), "bad_table"),
        (("table", "personal_combinations"), "bad_table"),
        (("table", "personal_combinations", "1"), "bad_table"),
        (("offered",), "bad_table"),
        (("offered", "tie"), "bad_table"),
        (("meters",), "bad_table"),
        (("seeds",), "bad_table"),
        (("reserves",), "bad_table"),
        (("readings",), "unknown_reading"),
        (("wagers",), "bad_wager"),
        (("wagers", 0), "bad_wager"),
        (("outcome",), "bad_outcome"),
    ],
)
def test_objects(path: Path_, code: str, value: object) -> None:
    assert _code(_with(path, value)) == code


@pytest.mark.parametrize(
    "path",
    [
        ("extra",),
        ("table", "deck"),
        ("table", "wheel"),
        ("offered", "tie", "pays"),
        ("wagers", 1, "number"),
        ("outcome", "burn"),
        ("meters", "royal_9.jackpot"),
        ("seeds", "heavenly_9"),
        ("reserves", "royal_9"),
    ],
)
def test_unknown_fields(path: Path_) -> None:
    assert _code(_with(path, "1.000000")) == "unknown_field"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        *(((key,), "missing_field") for key in ("id", "game", "table", "offered", "wagers", "outcome")),
        (("table", "decks"), "missing_field"),
        (("table", "personal_combinations"), "missing_field"),
        (("table", "personal_combinations", "1"), "bad_table"),
        (("offered", "tie", "paytable"), "missing_field"),
        (("offered", "royal_9_progressive"), "not_offered"),
        (("wagers", 0, "position"), "missing_field"),
        (("wagers", 0, "wager"), "missing_field"),
        (("wagers", 0, "cents"), "missing_field"),
        (("outcome", "player"), "missing_field"),
        (("outcome", "banker"), "missing_field"),
        (("meters",), "missing_meter"),
        (("meters", "royal_9.mega"), "missing_meter"),
        (("meters", "royal_9.major"), "missing_meter"),
        (("meters", "royal_9.minor"), "missing_meter"),
    ],
)
def test_missing(path: Path_, code: str) -> None:
    assert _code(_without(*path)) == code


@pytest.mark.parametrize(
    "amount",
    ["", "450", "450.0", "450.00000", "450.0000000", ".450000", "0450.000000", "-450.000000", "+450.000000", "4e2",
     " 450.000000", "450.000000\n", "450,000000", "1_000.000000", "٤٥٠.000000", "1000000000000.000000", "nan"],
)  # fmt: skip
def test_meters_that_are_no_six_place_decimals(amount: str) -> None:
    assert _code(_with(("meters", "royal_9.minor"), amount)) == "bad_table"


@pytest.mark.parametrize(
    "date", ["", "2023-1-31", "20230131", "2023-02-30", "2023-01-31T00:00", "31.01.2023", "0000-01-01"]
)
def test_dates_that_are_no_days(date: str) -> None:
    assert _code(_with(("date",), date)) == "bad_table"


@pytest.mark.parametrize("date", ["2021-09-03", "2024-09-04", "2025-01-01"])
def test_no_text_in_force(date: str) -> None:
    assert _code(_with(("date",), date)) == "unknown_paytable"


@pytest.mark.parametrize(
    ("date", "section"),
    [(None, "627b.1(e)"), ("2021-09-04", "627b.1(e)"), ("2024-09-03", "627b.1(e)"), ("2024-11-02", "627c.1(d)")],
)
def test_the_date_chooses_the_text(date: str | None, section: str) -> None:
    line = _without("date") if date is None else _with(("date",), date)
    line["offered"] = {"perfect_pairs_player": {"paytable": "A"}}
    line["wagers"] = line["wagers"][1:]
    assert [one["section"] for one in _answer(line)["settlements"]] == [section]


@pytest.mark.parametrize("card", ["", "T", "1H", "10H", "th", "TX", "HT", " TH", "TH ", "T♥", "JOKER"])
def test_cards(card: str) -> None:
    assert _code(_with(("outcome", "banker", 1), card)) == "bad_card"


@pytest.mark.parametrize(
    ("player", "banker", "code"),
    [
        ([], ["4D", "2C"], "bad_outcome"),
        (["KS"], ["4D", "2C"], "bad_outcome"),
        (["2S", "2H", "KS", "KS"], ["4D", "2C"], "bad_outcome"),
        (["KS", "9H", "2S"], ["4D", "2C"], "impossible_cards"),
        (["KS", "5H"], ["4D", "2C"], "impossible_cards"),
        (["KS", "6H"], ["4D", "AC"], "impossible_cards"),
        (["KS", "6H"], ["4D", "2C", "2C"], "impossible_cards"),
        (["KS", "5H", "KD"], ["4D", "2C", "2C"], "impossible_cards"),
        (["KS", "5H", "6D"], ["4D", "2C"], "impossible_cards"),
        (["KS", "5H", "6D", "2C"], ["4D", "2C"], "bad_outcome"),
    ],
)
def test_hands_that_the_tableau_forbids(player: list[str], banker: list[str], code: str) -> None:
    assert _code(_with(("outcome",), {"player": player, "banker": banker})) == code


def test_more_copies_than_the_decks_hold() -> None:
    line = _with(("outcome",), {"player": ["4D", "4D"], "banker": ["4D", "5D"]})
    line["table"]["decks"] = 3
    assert "settlements" in _answer(line)
    line["table"]["decks"] = 2
    assert _code(line) == "impossible_cards"


@pytest.mark.parametrize(
    "combinations",
    [
        {"1": ["KS", "9H"], "2": ["9H", "KS"]},  # the same pair, in the other order
        {"1": ["QS", "9H"]},
        {"1": ["KS", "KS"]},
        {"1": ["9S", "9H"]},
        {"1": ["KS", "TH"]},
        {"1": ["KS"]},
        {"1": ["KS", "9H", "9H"]},
        {"1": []},
        {},
        {"2": ["KS", "9H"]},
        {"0": ["KS", "9H"]},
        {"01": ["KS", "9H"]},
        {"-1": ["KS", "9H"]},
        {"+1": ["KS", "9H"]},
        {"1.0": ["KS", "9H"]},
        {"one": ["KS", "9H"]},
        {"1": ["KS", "9H"], "²": ["KD", "9H"]},
    ],
)
def test_layouts(combinations: dict[str, list[str]]) -> None:
    assert _code(_with(("table", "personal_combinations"), combinations)) == "bad_table"


def test_a_layout_is_judged_without_a_wager_on_it() -> None:
    line = _with(("wagers",), [{"position": 1, "wager": "tie", "cents": 100}])
    line["table"]["personal_combinations"]["2"] = ["KS", "9H"]
    assert _code(line) == "bad_table"


@pytest.mark.parametrize(
    ("wager", "cents", "code"),
    [
        ("royal_9_progressive", 499, "bad_wager"),
        ("royal_9_progressive", 1000, "bad_wager"),
        ("royal_9_progressive", 100, "bad_wager"),
        ("tie", 10**13 + 1, "bad_wager"),
        ("tie", 10**400, "bad_wager"),
        ("royal_9", 500, "unknown_wager"),
        ("Tie", 500, "unknown_wager"),
        ("lucky_nines", 500, "unknown_wager"),
        ("banker", 500, "not_offered"),
    ],
)
def test_wagers(wager: str, cents: int, code: str) -> None:
    assert _code(_with(("wagers",), [{"position": 1, "wager": wager, "cents": cents}])) == code


def test_a_wager_placed_twice() -> None:
    tie = {"position": 1, "wager": "tie", "cents": 100}
    assert _code(_with(("wagers",), [tie, {**tie, "cents": 200}])) == "bad_wager"
    assert "settlements" in _answer(_with(("wagers",), [tie, {**tie, "position": 2}]))


def test_a_position_beyond_any_layout() -> None:
    assert _code(_with(("wagers",), [{"position": 10**30, "wager": "tie", "cents": 100}])) == "bad_wager"


@pytest.mark.parametrize("wager", ["lucky_nines", "fortune_7", "21_plus_3_progressive", "dragon_7", ""])
def test_an_offer_of_another_games_wager(wager: str) -> None:
    assert _code(_with(("offered", wager), {"paytable": "A"})) == "unknown_wager"


@pytest.mark.parametrize("paytable", ["", "-", "a", "D", "AA", " A"])
def test_paytables(paytable: str) -> None:
    assert _code(_with(("offered", "perfect_pairs_player", "paytable"), paytable)) == "unknown_paytable"


def test_a_denomination_that_is_not_the_paytables() -> None:
    assert _code(_with(("offered", "royal_9_progressive", "denomination_cents"), 100)) == "bad_table"


@pytest.mark.parametrize(
    ("paytable", "cents", "meter", "least"),
    [("5", 500, "mega", "50000.000000"), ("5", 500, "major", "450.000000"), ("5", 500, "minor", "450.000000"),
     ("1", 100, "mega", "10000.000000"), ("1", 100, "major", "90.000000"), ("1", 100, "minor", "90.000000")],
)  # fmt: skip
def test_seeds_under_the_minimum(paytable: str, cents: int, meter: str, least: str) -> None:
    line = _with(("seeds",), {f"royal_9.{meter}": least})
    line["offered"]["royal_9_progressive"] = {"paytable": paytable}
    line["wagers"][0]["cents"] = cents
    assert "settlements" in _answer(line)
    line["seeds"] = {f"royal_9.{meter}": f"{int(float(least)) - 1}.999999"}
    assert _code(line) == "bad_table"


def test_a_single_deck_holds_no_perfect_pair() -> None:
    assert _code(_with(("table", "decks"), 1)) == "bad_table"


@pytest.mark.parametrize(
    ("readings", "fine"),
    [({"C1": "lose"}, True), ({"X4": "each", "J1": "c"}, True), ({"c1": "push"}, False), ({"C1": "win"}, False),
     ({"C9": "lose"}, False), ({"C1": "Push"}, False), ({"": ""}, False), ({"choose": "lose"}, False)],
)  # fmt: skip
def test_readings(readings: dict[str, str], fine: bool) -> None:
    line = _with(("readings",), readings)
    if fine:
        assert "settlements" in _answer(line)
    else:
        assert _code(line) == "unknown_reading"


def _raw(text: str) -> str:
    """The good line with its id's value replaced by raw text."""
    return json.dumps(GOOD).replace('"r1"', text)


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "{",
        "null",
        "1",
        '"text"',
        "[]",
        "{} {}",
        "{'id': 1}",
        _raw("NaN"),
        _raw("Infinity"),
        _raw("-Infinity"),
        _raw('"\\ud800"'),
        _raw('"\\udc00x"'),
        _raw('"r1", "id": "r1"'),
        _raw("1" * 5000),
        _raw("[" * 100_000),
        _raw("[" * 100_000 + "]" * 100_000),
        json.dumps(GOOD).replace('"decks": 8', '"decks": 8, "decks": 8'),
        json.dumps(GOOD).replace('"decks": 8', '"decks": NaN'),
        json.dumps(GOOD)[:-1],
        "\ufeff" + json.dumps(GOOD),
    ],
    ids=lambda line: line[:20],
)
def test_bad_json(line: str) -> None:
    assert _code(line) == "bad_json"
    assert _answer(line)["id"] is None


def test_bytes_that_are_not_utf_8() -> None:
    assert _code(b'{"id": "\xff"}') == "bad_json"
    assert _code(json.dumps(GOOD).encode("utf-16")) == "bad_json"


def test_an_id_that_is_no_text_is_refused_and_a_pair_of_surrogates_is_a_character() -> None:
    for value in (None, 5, True, ["r1"]):
        assert _code(_with(("id",), value)) == "bad_json"
    assert _answer(_raw('"\\ud83c\\udca1"'))["id"] == "\U0001f0a1"


@pytest.mark.parametrize("exponent", ["1e999", "-1e999", "1e-999"])
def test_a_number_that_only_a_float_could_hold(exponent: str) -> None:
    assert _code(json.dumps(GOOD).replace('"cents": 500', f'"cents": {exponent}')) == "bad_wager"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def _places(value: object, path: Path_ = ()) -> list[Path_]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += _places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += _places(item, (*path, index))
    return found


@settings(max_examples=300, deadline=None)
@given(path=st.sampled_from(_places(GOOD)), value=JSON_VALUES)
def test_any_value_in_any_place_is_answered(path: Path_, value: object) -> None:
    answer = _answer(_with(path, value))
    assert ("error" in answer) != ("settlements" in answer)


@settings(max_examples=200, deadline=None)
@given(raw=st.binary(max_size=60))
def test_any_bytes_are_answered(raw: bytes) -> None:
    answer, settled = settle_line(raw, CATALOGUE)
    assert not settled
    assert json.loads(answer)["error"]["code"] in {"bad_json", "missing_field", "unknown_field"}


# --- the command ------------------------------------------------------------------------------------------------------


def test_file_and_standard_input_give_the_same_and_the_status_tells(tmp_path: Path) -> None:
    rounds = tmp_path / "rounds.jsonl"
    rounds.write_text(json.dumps(GOOD) + "\n")
    by_file = subprocess.run([*COMMAND, str(rounds)], cwd=ROOT, capture_output=True, check=False)
    by_stdin = subprocess.run(COMMAND, cwd=ROOT, input=rounds.read_bytes(), capture_output=True, check=False)
    assert (by_file.returncode, by_file.stdout) == (0, by_stdin.stdout)
    assert by_stdin.returncode == 0
    rounds.write_text("[]\n" + json.dumps(GOOD) + "\n")
    bad = subprocess.run([*COMMAND, str(rounds)], cwd=ROOT, capture_output=True, check=False)
    assert bad.returncode == 1
    assert len(bad.stdout.splitlines()) == 2


@pytest.mark.parametrize("call", [["settle", "no-such-file"], ["settle", "."], ["settle", "a", "b"], ["settles"], []])
def test_a_wrong_call(call: list[str]) -> None:
    done = subprocess.run([*COMMAND[:-1], *call], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [0, 1])
def test_a_closed_stream_is_a_wrong_call(closed: int) -> None:
    shell = f'exec "$@" {"<" if closed == 0 else ">"}&-'
    done = subprocess.run(["sh", "-c", shell, "sh", *COMMAND], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"is closed" in done.stderr and b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(json.dumps(GOOD).encode() + b"\n")
    process.stdin.flush()
    assert process.stdout.readline()  # answered at once: every line is flushed
    process.stdout.close()
    process.stdin.write(json.dumps(GOOD).encode() + b"\n")
    process.stdin.close()
    assert process.wait(timeout=30) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            COMMAND, cwd=ROOT, input=json.dumps(GOOD).encode(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr


def test_settle_starts_without_the_daemons_libraries() -> None:
    code = (
        "import sys, io; from firmware.cli import main; main(['settle', '/dev/null']); "
        "print([m for m in ('asyncio', 'gpiozero', 'apsw', 'serial', 'firmware.app', 'firmware.odds.report') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, env=os.environ)
    assert done.stdout == b"[]\n"


# --- the fast reader and the careful one ------------------------------------------------------------------------------

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=True)
    | st.text(max_size=6)
    | st.sampled_from(["a", "b", '"', "\\", "\ud800"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def _read(raw: bytes) -> object:
    try:
        return _careful(raw)
    except SettlementError as error:
        return error.code


@settings(max_examples=500, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), _VALUES, max_size=3), st.booleans(), st.data())
def test_the_fast_reader_gives_what_the_careful_one_gives_or_nothing(
    value: dict[str, object], escaped: bool, data: st.DataObject
) -> None:
    raw = bytearray(json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass"))
    for _ in range(data.draw(st.integers(0, 2))):  # and with bytes changed, put in or taken out
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.sampled_from([b"", b'"', b"a", b",", b"}", b"1", b"\xff"])
        )
    quick = _quick(bytes(raw))
    assert quick is None or repr(quick) == repr(_read(bytes(raw)))


@pytest.mark.parametrize(
    "raw",
    [b'{"a":1,"a":1}', b'{"a":{"b":1,"b":2}}', b'{"a":"x","a":"y"}', b'{"a":[{"b":1,"c":2,"b":3}]}', b'{"a":NaN}',
     b"[]", b'{"a":1234567890123456789012}', b'{"a":1}x', b'{"a":"\\ud800"}', b'{"\\u0061":1,"a":2}',
     b"\xef\xbb\xbf{}", b""],
)  # fmt: skip
def test_what_the_fast_reader_leaves_to_the_careful_one(raw: bytes) -> None:
    assert _quick(raw) is None


def test_the_usual_line_is_read_fast() -> None:
    raw = json.dumps(GOOD).encode()
    assert _quick(raw) == GOOD == _careful(raw)
