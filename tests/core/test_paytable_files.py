"""The strict reader of paytable files: a wrong file is refused with its place, a new paytable needs no Python."""

from __future__ import annotations

from importlib import resources

import pytest

from firmware.core.pays import ToOne
from firmware.core.paytables import Catalogue
from firmware.settings.paytables import PaytableFileError, is_date, read_chapter

GOOD = (resources.files("config.paytables") / "627b.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('effective = "2021-09-04"', 'effective = "2021-9-4"', "effective"),
        ('effective = "2021-09-04"', "", "effective"),
        ('expires = "2024-09-04"', 'expires = "soon"', "expires"),
        ('game = "minibaccarat"', 'game = "minibacarat"', "minibacarat"),
        ('source = "51 Pa.B. 5607"', 'source = "51 Pa.B. 5607"\ncolour = 1', "colour"),
        ('names = ["tie"]', 'names = ["tye"]', "tye"),
        ('pays = "8 to 1"', 'pays = "8 to1"', "8 to1"),
        ('pays = "8 to 1"', 'pays = "8:1"', "8:1"),
        ('pays = "8 to 1"', 'pays = "0 to 1"', "0 to 1"),
        ('pays = "8 to 1"', 'pays = "-8 to 1"', "-8 to 1"),
        ('pays = "8 to 1"', "pays = 8", "pays"),
        ('pays = "$5,000"', 'pays = "$5000"', "5000"),
        ('pays = "$5,000"', 'pays = "$5,00"', "5,00"),
        ('pays = "100% of royal_9.mega"', 'pays = "10% of royal_9.mega"', "10%"),
        ('line = "any_royal_9"', 'line = "any_royal9"', "any_royal9"),
        ('at_least = "$50,000"', 'at_least = "50,000"', "50,000"),
        ('meter = "royal_9.mega", at_least = "$50,000"', 'meter = "royal_9.meda", at_least = "$50,000"', "seed"),
        ("denomination_cents = 500\n", "", "denomination"),
        ('section = "627b.2(j)"', "", "section"),
        ("[[wager]]", "[[wager]", "TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(old: str, new: str, told: str) -> None:
    assert old in GOOD
    with pytest.raises(PaytableFileError) as raised:
        read_chapter("627b.toml", GOOD.replace(old, new, 1))
    message = str(raised.value)
    assert message.startswith("627b.toml")
    assert told in message or told == "TOML"


def test_a_paytable_for_a_known_wager_is_added_in_the_file_alone() -> None:
    added = GOOD + (
        '\n[[wager]]\nnames = ["tie"]\nsection = "627x.1"\n[[wager.paytable]]\nname = "nine"\nsection = "627x.1(a)"\n'
        'lines = [{ line = "tie", pays = "9 to 1", section = "627x.1(a)", printed = "Tie" }]\n'
    )
    catalogue = Catalogue(read_chapter("627b.toml", added))
    assert catalogue.paytable("minibaccarat", "tie", "nine").lines[0].pay == ToOne(9, 1)


@pytest.mark.parametrize(("text", "good"), [("2024-02-29", True), ("2023-02-29", False), ("2024-02-29 ", False)])
def test_dates(text: str, good: bool) -> None:
    assert is_date(text) is good
