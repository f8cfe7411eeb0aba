"""House rules that no linter knows. Each rule is a function that returns offences; each is shown to have teeth."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture import sources
from tests.architecture.sources import PACKAGES, PROJECT, imports, place, python_files, text_files, tree

CLOCK = ("firmware/app/clock.py",)
BACK_ENDS = ("drivers/gpio/simulated.py",)
"""Modules that are a back end and nothing else: whoever needs one imports it inside a function."""

BROAD = frozenset({"Exception", "BaseException"})
HARDWARE = frozenset({"lgpio", "RPi", "spidev", "neopixel", "neopixel_spi", "board", "gpiozero", "serial"})
MONEY_WORDS = re.compile(r"(cents|micro|seed|award|stake|meter_value|dollars)(_|$)")


def swallowed_exceptions(path: Path) -> list[str]:
    """`except Exception` (or wider) that neither raises nor, with its reason written beside it, hands the error on."""
    found = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ExceptHandler):
            names = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)} if node.type else BROAD
            inside = [inner for statement in node.body for inner in ast.walk(statement)]
            raises = any(isinstance(inner, ast.Raise) for inner in inside)
            used = any(isinstance(inner, ast.Name) and inner.id == node.name for inner in inside)
            reasoned = re.search(r"#.* \w{4}", lines[node.lineno - 1]) is not None
            if names & BROAD and not raises and not (used and reasoned):
                found.append(place(path, node.lineno))
    return found


def sleeps(path: Path) -> list[str]:
    """Sleeping in real time. On the virtual loop (`tests.virtual_time`) a sleep moves the clock; 0 only yields; and a
    loop that asks a real process for a condition, under `asyncio.timeout`, may pause between two questions.
    """
    found = []
    virtual = any(name == "tests.virtual_time" for _, name in imports(path))
    asking = {
        id(inner)
        for bounded in ast.walk(tree(path))
        if isinstance(bounded, ast.AsyncWith)
        and any("asyncio.timeout(" in ast.unparse(item.context_expr) for item in bounded.items)
        for loop in ast.walk(bounded)
        if isinstance(loop, ast.While) and not isinstance(loop.test, ast.Constant)
        for inner in ast.walk(loop)
    }
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            yields = len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
            harmless = called == "asyncio.sleep" and (virtual or id(node) in asking)
            if called.split(".")[-1] == "sleep" and not yields and not harmless:
                found.append(place(path, node.lineno))
    return found


def clocks(path: Path) -> list[str]:
    """Asking for the time: any use of `time`, and `now` or `today` of whatever object. Formatting a time is none."""
    found = [place(path, line) for line, name in imports(path) if name.split(".")[0] == "time"]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and re.fullmatch(r"(?!clock\.).*\.(now|today|utcnow)", ast.unparse(node.func)):
            found.append(place(path, node.lineno))
    return found


def mocks(path: Path) -> list[str]:
    """Use of mocks that answer to anything."""
    named = re.compile(r"\b(Magic|Async|NonCallable)?Mock\b")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [place(path, number) for number, line in enumerate(lines, 1) if named.search(line)]


def hardware_at_module_level(path: Path) -> list[str]:
    """Imports of hardware libraries, or of a back end that imports one, outside functions."""
    found = []
    back_ends = {name.removesuffix(".py").replace("/", ".") for name in BACK_ENDS}
    for node in tree(path).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        if any(name.split(".")[0] in HARDWARE or name in back_ends for name in names):
            found.append(place(path, node.lineno))
    return found


def floats_of_money(path: Path) -> list[str]:
    """Names of money that are annotated as float, and float() in the core."""
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            name = node.arg if isinstance(node, ast.arg) else getattr(node.target, "id", "")
            note = node.annotation
            if note is not None and isinstance(note, ast.Name) and note.id == "float" and MONEY_WORDS.search(name):
                found.append(place(path, node.lineno))
    return found


def fractions_in_the_core(path: Path) -> list[str]:
    """Float constants, `float` and true division: the core counts in integers."""
    return [
        place(path, node.lineno)
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.Name) and node.id == "float")
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
    ]


def without_a_head(path: Path) -> list[str]:
    """Files of the product that do not say what they answer for."""
    module = tree(path)
    return [] if not module.body or ast.get_docstring(module) else [place(path, 1)]


def machine_places(path: Path) -> list[str]:
    """Paths and addresses of a machine on which the project was built."""
    text = path.read_text(encoding="utf-8", errors="replace")
    # Put together here, so that this file does not offend itself.
    places = [
        r"/(?:work|root|home/\w+)/" + r"(?:main|shared|wt|\.)",
        "/tmp/" + "wt",
        r"https?://(?:localhost|\d+\.\d+)",
    ]
    return [
        place(path, number)
        for number, line in enumerate(text.splitlines(), 1)
        if any(re.search(pattern, line) for pattern in places)
    ]


Rule = Callable[[Path], list[str]]
REAL_TIME = {"bench", "virtual_pi"}
"""What measures, or waits for another machine."""
RULES: list[tuple[str, Rule, list[Path]]] = [
    ("no exception is swallowed", swallowed_exceptions, python_files(*PACKAGES, "tests", "requirements")),
    ("no test sleeps", sleeps, [path for path in python_files("tests") if not REAL_TIME & set(path.parts)]),
    ("no mock answers to anything", mocks, [p for p in python_files(*PACKAGES, "tests") if p != Path(__file__)]),
    (
        "time comes from the clock",
        clocks,
        [path for path in python_files("firmware") if str(path.relative_to(PROJECT)) not in CLOCK],
    ),
    (
        "hardware libraries are imported in their back end",
        hardware_at_module_level,
        [path for path in python_files(*PACKAGES) if str(path.relative_to(PROJECT)) not in BACK_ENDS],
    ),
    ("money is no float", floats_of_money, python_files(*PACKAGES)),
    ("the core has no fractions", fractions_in_the_core, python_files("firmware/core")),
    ("every file says what it answers for", without_a_head, python_files(*PACKAGES)),
    ("no place of a machine is named", machine_places, text_files()),
]


@pytest.mark.parametrize(
    ("rule", "files"), [(rule, files) for _, rule, files in RULES], ids=[name for name, _, _ in RULES]
)
def test_the_rule_is_kept(rule: Rule, files: list[Path]) -> None:
    assert files
    assert [offence for path in files for offence in rule(path)] == []


OFFENDERS: list[tuple[Rule, str]] = [
    (swallowed_exceptions, "try:\n    pass\nexcept Exception:\n    pass\n"),
    (swallowed_exceptions, "try:\n    pass\nexcept (ValueError, BaseException) as error:\n    print(error)\n"),
    (swallowed_exceptions, "try:\n    pass\nexcept:\n    pass\n"),
    (swallowed_exceptions, "try:\n    pass\nexcept Exception as error:\n    print(error)\n"),
    (sleeps, "import time\ntime.sleep(0.1)\n"),
    (sleeps, "import time\nimport tests.virtual_time\ntime.sleep(1)\n"),
    (sleeps, "import asyncio\nasync def f():\n    async with asyncio.timeout(1):\n        await asyncio.sleep(1)\n"),
    (sleeps, "from asyncio import sleep\nasync def f(x):\n    await sleep(x)\n"),
    (clocks, "def f():\n    from datetime import UTC, datetime\n    return datetime.now(UTC)\n"),
    (clocks, "import time as clock\n"),
    (mocks, "from unittest.mock import MagicMock\n"),
    (hardware_at_module_level, "import RPi.GPIO\n"),
    (hardware_at_module_level, "from gpiozero.pins import Pin\n"),
    (hardware_at_module_level, "from drivers.gpio import simulated\n"),
    (floats_of_money, "def pay(award_cents: float) -> None: ...\n"),
    (floats_of_money, "class A:\n    seed_micro: float = 0\n"),
    (fractions_in_the_core, "x = 1 / 2\n"),
    (fractions_in_the_core, "x = 0.5\n"),
    (without_a_head, "x = 1\n"),
    (machine_places, "see /tmp/" + "wt/x\n"),
]


@pytest.mark.parametrize(("rule", "offence"), OFFENDERS)
def test_the_rule_has_teeth(rule: Rule, offence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PROJECT", tmp_path)
    file = tmp_path / "offender.py"
    file.write_text(offence, encoding="utf-8")
    assert len(rule(file)) >= 1


def test_every_package_is_listed() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as stream:
        listed = set(tomllib.load(stream)["tool"]["setuptools"]["packages"])
    there = {
        ".".join(init.parent.relative_to(PROJECT).parts)
        for package in PACKAGES
        for init in (PROJECT / package).rglob("__init__.py")
    }
    assert listed == there


def test_every_folder_with_python_is_a_package() -> None:
    without = [p.parent for p in python_files(*PACKAGES, "tests") if not (p.parent / "__init__.py").is_file()]
    assert without == []


def test_no_file_is_too_long_for_one_idea() -> None:
    long = {
        str(path.relative_to(PROJECT)): count
        for path in python_files(*PACKAGES)
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 420
    }
    assert long == {}
