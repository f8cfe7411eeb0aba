"""The form of a configuration: what is accepted, and how each mistake is said."""

from __future__ import annotations

import string
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.settings import amounts
from firmware.settings.load import MAXIMUM_BYTES, decode, load, problems_of
from firmware.settings.model import Profile, Settings
from firmware.settings.problems import ConfigurationError
from firmware.settings.toml_lines import locate
from tests.settings.tables import TABLES, form_problems, simulated, text


def test_the_examples_load() -> None:
    names = sorted(path.name for path in TABLES.glob("*.toml"))
    assert names == [
        "baccarat-14.toml", "baccarat.toml", "blackjack.toml", "criss_cross_poker.toml", "midibaccarat.toml",
        "minibaccarat-boards.toml", "minibaccarat-pi.toml", "minibaccarat.toml", "roulette.toml",
        "ultimate_texas_holdem.toml",
    ]  # fmt: skip
    bench, pi = load(TABLES / "minibaccarat.toml"), load(TABLES / "minibaccarat-pi.toml")
    assert (bench.table.profile, pi.table.profile) == (Profile.SIMULATED, Profile.PRODUCTION)
    assert sum(len(offer.spots) for offer in bench.wagers.values()) == 63
    assert [wager for wager, offer in pi.wagers.items() if offer.sensed] == ["royal_9_progressive"]


MISTAKES = [
    ("positions = 7", "postions = 7", "table.postions", "Did you mean positions?"),
    ("positions = 7", "", "table.positions", "the key is missing; expected a whole number from 1 to 16"),
    ('confirm = "lines:65"', "", "keys.confirm", 'expected a line as "DEVICE:NUMBER"'),
    ('profile = "simulated"', "", "table.profile", "expected one of simulated, production"),
    ("positions = 7", "positions = 17", "table.positions", "a whole number from 1 to 16 [R3]"),
    ("positions = 7", "positions = 7.0", "table.positions", "got 7.0"),
    ("positions = 7", "positions = true", "table.positions", "got True"),
    ("positions = 7", 'positions = "7"', "table.positions", "got '7'"),
    ('profile = "simulated"', 'profile = "sim"', "table.profile", "got 'sim'"),
    ('seed = "50000.00"', "seed = 50000.00", 'meters."royal_9.mega".seed', "in quotes"),
    ('seed = "50000.00"', 'seed = "50,000.00"', 'meters."royal_9.mega".seed', "dollars and cents"),
    ('seed = "50000.00"', 'seed = "50000.00\\n"', 'meters."royal_9.mega".seed', "dollars and cents"),
    ('seed = "50000.00"', 'seed = "٥0000.00"', 'meters."royal_9.mega".seed', "dollars and cents"),
    ('increment = "1.5"', 'increment = "1.50001"', 'meters."royal_9.mega".increment', "at most four places"),
    ('increment = "1.5"', 'increment = "-1"', 'meters."royal_9.mega".increment', "a percentage"),
    ('1 = ["KS", "9H"]', '1 = ["KS"]', "combinations.1", "exactly 2 entries"),
    ('1 = ["KS", "9H"]', '1 = ["KS", "10H"]', "combinations.1.1", "a card as rank and suit"),
    ('lockout = "lines:64"', 'lockout = "lines"', "keys.lockout", 'as "DEVICE:NUMBER"'),
    ('"lines:3", "lines:4"', '"lines:3", 4', "wagers.player.spots[4]", "got 4"),
    ('kind = "lines.simulated"', 'kind = "lines.lgpoi"', "devices.lines.kind", "Did you mean lines.lgpio?"),
    ('kind = "lines.simulated"\n', "", "devices.lines.kind", "kind is missing"),
    ('kind = "lines.simulated"', 'kind = "lines.lgpio"', "devices.lines.socket", "no such key"),
    ("[wagers.tie]", "[[wagers.tie]]", "wagers.tie", "a table of keys"),
    ("floor_key = {", "floor_key = { colour = 1,", "keys.floor_key.colour", "no such key"),
    ("[storage]", '[looks.won]\ncolour = "red"\npattern = "steady"\n[storage]', "looks.won.colour", "#rrggbb"),
    ("[storage]", "[turbo]\n[storage]", "turbo", "no such key"),
]


@pytest.mark.parametrize(("old", "new", "key", "said"), MISTAKES)
def test_a_mistake_is_named_with_its_line(old: str, new: str, key: str, said: str) -> None:
    content = text("minibaccarat", (old, new))
    found = [problem for problem in form_problems(content) if problem.key == key]
    assert len(found) == 1, [problem.text("f") for problem in form_problems(content)]
    shown = found[0].text("table.toml")
    assert said in shown
    assert found[0].line > 0
    line = content.splitlines()[found[0].line - 1]
    assert found[0].path[-1] in line or found[0].path[-2] in line or "[" in line


def test_an_optional_number_keeps_its_range() -> None:
    found = form_problems(text("minibaccarat", ('url = "shoe.tty"', 'url = "shoe.tty"\nsilent_limit_s = 0')))
    assert [problem.key for problem in found] == ["devices.shoe.silent_limit_s"]
    assert "a whole number from 1 to 86400" in found[0].text("f")


def test_all_mistakes_at_once() -> None:
    changes = [(old, new) for old, new, key, _ in MISTAKES if key in ("table.postions", "keys.lockout", "turbo")]
    keys = [problem.key for problem in form_problems(text("minibaccarat", *changes))]
    assert keys == ["table.postions", "keys.lockout", "turbo"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[table\n", "no TOML"),
        (b"a = 1\na = 2\n", ":2: no TOML"),
        (b'[table]\nid = "\xff"\n', "byte 0xff is no UTF-8"),
        (b"", "table: the key is missing"),
        (b"#" * (MAXIMUM_BYTES + 1), "over 1 MiB"),
        (b"a = " + b"[" * 5000, "nested too deeply"),
        (b"a = " + b"1" * 5000, "digits"),
    ],
)
def test_what_is_no_configuration_at_all(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load(file)
    assert said in caught.value.report()


def test_files_that_can_t_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml"):
        with pytest.raises(ConfigurationError, match="can't be read"):
            load(path)


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    try:
        decode(content.decode("utf-8", errors="replace"), "f")
    except ConfigurationError as error:
        assert error.problems


SCALARS = st.one_of(st.booleans(), st.integers(-5, 400), st.text(string.printable, max_size=9), st.floats())
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abk", max_size=3), inner)
)
PLACES = sorted(locate(text("minibaccarat")))


@given(st.sampled_from(PLACES), TREES)
def test_any_value_anywhere_is_accepted_or_named(place: tuple[str, ...], value: object) -> None:
    """A valid file with one value replaced by anything: the result loads, or a ConfigurationError names problems."""
    data = tomllib.loads(text("minibaccarat"))
    node: object = data
    for part in place[:-1]:
        node = node[int(part)] if isinstance(node, list) else node[part]  # type: ignore[index]
    node[int(place[-1]) if isinstance(node, list) else place[-1]] = value  # type: ignore[index]
    found = problems_of(data)
    if not found:
        msgspec.convert(data, Settings)


@given(st.integers(0, 99_999_999_999))
def test_dollars_are_exact(cents: int) -> None:
    written = amounts.dollars_text(cents)
    assert amounts.cents(written) == cents
    assert amounts.micro(written) == cents * 10_000


@pytest.mark.parametrize(
    ("percent", "ppm"), [("0", 0), ("1", 10_000), ("1.2", 12_000), ("0.0001", 1), ("99.9999", 999_999)]
)
def test_rates_are_exact(percent: str, ppm: int) -> None:
    assert amounts.parts_per_million(percent) == ppm


@pytest.mark.parametrize(
    "wrong", ["", "1", "01.00", "1.0", "1.000", " 1.00", "1.00\n", "1e2", "-1.00", "1_0.00", "１.00"]
)
def test_what_is_no_amount(wrong: str) -> None:
    with pytest.raises(ValueError, match="dollars and cents"):
        amounts.cents(wrong)


@pytest.mark.parametrize("wrong", ["", "100", "1.23456", "1.", ".5", "01", "1,5", "1\n"])
def test_what_is_no_rate(wrong: str) -> None:
    with pytest.raises(ValueError, match="percentage"):
        amounts.parts_per_million(wrong)


def test_lines_are_found_through_every_form_of_toml() -> None:
    content = '''# comment = 1
top = """
fake = 1
""" # after
"quoted.key" = [
  # [no.header]
  "a]b", # x
  { deep = "}" , other = [1,
     2] },
]
dotted.key = 'it''s'
[a."b.c"] # [d]
k = 1
[[list]]
x = 1
[[list]]
x = 2
'''.replace("'it''s'", '"its"')
    tomllib.loads(content)
    places = locate(content)
    assert places[("top",)] == 2
    assert ("fake",) not in places
    assert places[("quoted.key",)] == 5
    assert places[("quoted.key", "0")] == 7
    assert places[("quoted.key", "1", "deep")] == 8
    assert places[("quoted.key", "1", "other", "1")] == 9
    assert places[("dotted", "key")] == 11
    assert places[("a", "b.c", "k")] == 13
    assert places[("list", "1", "x")] == 17


def test_devices_are_found_by_role() -> None:
    assert [name for name, _ in simulated().in_role("lines")] == ["lines"]
    assert simulated().in_role("lamps")[0][1].kind == "lamps.simulated"
