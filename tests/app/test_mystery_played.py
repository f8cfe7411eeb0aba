"""Tables with a mystery bonus, played by the real daemon: many hits, a restart, a lost key. `kill_sweep` kills it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from firmware.app.program import programs
from firmware.audit.draws import audit as audit_draws
from firmware.core.money import MICRO_PER_CENT
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC
from tests.app.audit import Audit, audit
from tests.app.evening import ROYAL, shoe_rounds
from tests.app.remote_bench import RemoteBench
from tests.dealer import Dealer, Script

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "config" / "tables"
CONTRIBUTION = 250_000
MICRO_PER_DOLLAR = 1_000_000


def draws(journal: Path) -> list[str]:
    with Reader(journal) as reader:
        return list(audit_draws(reader))


def meter_is_exact(found: Audit) -> None:
    """Seeds and contributions in, awards out, to the micro-dollar."""
    meter = next(m for m in found.state.meters if m.name == "mystery")
    lowest = 100 * MICRO_PER_DOLLAR
    assert meter.seeded_micro == lowest * (1 + meter.hits)
    put_in = meter.seeded_micro + meter.contributed_micro + meter.charged_micro - meter.reversed_micro
    assert meter.shown_micro + meter.paid_micro == put_in
    assert meter.paid_micro % MICRO_PER_CENT == 0
    assert meter.contributed_micro == CONTRIBUTION * meter.wagers


@pytest.mark.timeout(600)
def test_a_midibaccarat_table_plays_sixty_rounds_with_many_hits(tmp_path: Path) -> None:
    """629b.3(h) on the round machine of the other baccarat games. Stopped and started again after half of them."""
    bench = RemoteBench(TABLES / "midibaccarat.toml", tmp_path)
    dealer = Dealer(bench)
    scripts = list(islice(shoe_rounds(4), 60))
    scripts[7].void = scripts[20].void = True
    for half in (scripts[:30], scripts[30:]):
        bench.start()
        for script in half:
            dealer.play(script)
        bench.stop()
    journal = tmp_path / "journal.sqlite"
    found = audit(journal)  # verified, replayed, every payment as `tabled settle` has it
    assert found.rounds == list(range(1, 61))
    lines = draws(journal)
    hits = [line for line in lines if "as committed to at entry" in line]
    assert len(hits) >= 4
    assert lines[-1].startswith(f"in order: {len(hits) + 1} triggers drawn, {len(hits)} revealed as committed to")
    meter_is_exact(found)
    assert next(m for m in found.state.meters if m.name == "mystery").hits == len(hits)


BACCARAT = (
    "player", "banker", "tie", "heavenly_9_progressive", "fortune_7", "golden_8", "heavenly_9", "blazing_7s_baccarat",
    "cover_all", "perfect_pairs_player",
)  # fmt: skip


def baccarat_rounds() -> list[Script]:
    """Every line of Heavenly 9, and of 5 Treasures what comes with them; the same suit six times is shared by two."""
    everything = [(position, wager) for position in (1, 4) for wager in BACCARAT]
    hands = [
        (["2C", "2C", "5C"], ["2C", "3C", "4C"]),  # three-card nines, one suit: the meter, for two (H5)
        (["2S", "2C", "5S"], ["2C", "3S", "4C"]),  # one colour
        (["2H", "2C", "5D"], ["2D", "3S", "4C"]),  # neither
        (["AH", "2C", "6D"], ["KD", "4S", "2H"]),  # a player's nine of three cards
        (["2C", "7D"], ["KD", "4S"]),
    ]
    return [Script(chips=everything, player=player, banker=banker, new_shoe=True) for player, banker in hands]


def test_a_baccarat_table_plays_heavenly_9_and_its_bonus(tmp_path: Path) -> None:
    """Chapter 631b by configuration alone: wagers that are settled on the complete hands, a meter for two winners."""
    bench = RemoteBench(TABLES / "baccarat.toml", tmp_path)
    dealer = Dealer(bench)
    bench.start()
    for script in [*baccarat_rounds(), *baccarat_rounds(), *baccarat_rounds()]:
        script.check()
        dealer.play(script)
    bench.stop()
    found = audit(tmp_path / "journal.sqlite")
    assert len(found.rounds) == 15
    assert found.wagers == 15 * 2 * len(BACCARAT)
    heavenly = next(m for m in found.state.meters if m.name == "heavenly_9")
    assert heavenly.hits == 3
    assert heavenly.paid_micro > 30_000 * MICRO_PER_DOLLAR
    bonus = next(m for m in found.state.meters if m.name == "mystery")
    assert bonus.hits >= 1, "20 contributions of 10 cents always pass a range of $1.90"
    lines = draws(tmp_path / "journal.sqlite")
    assert f"{bonus.hits} revealed as committed to" in lines[-1]


def test_a_lost_key_stops_the_bonus_and_the_same_key_brings_it_back(tmp_path: Path) -> None:
    bench = RemoteBench(TABLES / "midibaccarat.toml", tmp_path)
    dealer = Dealer(bench)
    key, away = tmp_path / "mystery.key", tmp_path / "away"
    for present in (True, False, True):
        if not present:
            key.rename(away)
        elif away.exists():
            away.rename(key)
        bench.start()
        assert ("MYSTERY STOPPED" in bench.display()) is not present, bench.display()
        dealer.play(Script(chips=[(1, ROYAL), (2, "player")], player=["2C", "6D"], banker=["2D", "5C"]))
        bench.stop()
        assert key.exists() is present, "never made anew"
    lines = draws(tmp_path / "journal.sqlite")
    assert any("mystery stopped, trigger" in line and "key file is missing" in line for line in lines)
    assert any("mystery goes on with trigger" in line for line in lines)
    found = audit(tmp_path / "journal.sqlite")
    assert next(m for m in found.state.meters if m.name == "mystery").wagers == 2, "nothing fed it while it was stopped"
    meter_is_exact(found)


def test_nothing_that_the_daemon_leaves_behind_holds_the_secret(tmp_path: Path) -> None:
    """Journal, log and sockets: the trigger in force is nowhere but sealed, and the key nowhere but in its file."""
    bench = RemoteBench(TABLES / "midibaccarat.toml", tmp_path)
    bench.start()
    Dealer(bench).play(Script(chips=[(1, ROYAL)], player=["2C", "6D"], banker=["2D", "5C"]))
    bench.stop()
    from nacl.secret import SecretBox

    key = bytes.fromhex((tmp_path / "mystery.key").read_text().splitlines()[1])
    with Reader(tmp_path / "journal.sqlite") as reader:
        (segment,) = reader.segments()
        program = programs(HEADER_CODEC.decode(segment.header))
        entries = [program.codec.decode_entry(row) for row in reader.entries()]
    sealed = next(s for s in (getattr(e.event, "sealed", "") for e in reversed(entries)) if s)
    text = SecretBox(key).decrypt(bytes.fromhex(sealed))
    trigger = int.from_bytes(text[32:], "big")
    secrets = (text, text[:32], key)
    forms = [str(trigger).encode(), *secrets, *(secret.hex().encode() for secret in secrets)]
    for file in tmp_path.iterdir():
        if file.is_file() and file.name != "mystery.key":
            content = file.read_bytes()
            for form in forms:
                assert form not in content, f"{file.name} holds a secret"
