"""The core as the journal replays it: rules from a segment's header, or those that are known to be the same."""

from __future__ import annotations

import io

from msgspec.structs import replace

from firmware.app import program
from firmware.settings.check_command import checked
from firmware.settings.rules import to_rules
from tests.app.rig import CONFIG, header


def test_what_a_start_has_checked_is_what_the_header_says() -> None:
    """Then `know` may be told so, and recovery reads no paytable a second time."""
    table = checked(CONFIG, "2026-11-30", io.StringIO())
    assert program.filed(table.text) == header().configuration
    rules = to_rules(table.settings, table.catalogue)
    program.know("another", rules)
    read = program.rules_of(header())
    assert read is not rules
    assert replace(read, catalogue=rules.catalogue) == rules
    assert tuple(read.catalogue.texts) == tuple(rules.catalogue.texts)
    program.know(header().configuration, rules)
    assert program.rules_of(header()) is rules
    other = replace(header(), configuration=header().configuration.replace("lateness_ms = 100", "lateness_ms = 99"))
    assert program.rules_of(other).timing.lateness_ms == 99
