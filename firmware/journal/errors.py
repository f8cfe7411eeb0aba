"""What can go wrong with a journal, as exceptions whose text says what, where, what was expected and what to do.

Rules: every error of this package is a `JournalError`. Nothing here is caught and passed over inside the package: a
reader's error reaches its caller, the writer's becomes an outcome (`writer.CommitFailed`, `writer.OpenFailed`).
"""

from __future__ import annotations


class JournalError(Exception):
    """Base of this package's errors."""


class RecordError(JournalError):
    """A value can't be written, or a stored text can't be read, as the type that was asked for."""


class JournalMissing(JournalError):
    """There is no file at the path. A missing journal is never made anew by itself: its meters would be lost."""


class NotAJournal(JournalError):
    """The path is no journal: a directory, an empty file, another program's database, or no database at all."""


class LaterSchema(JournalError):
    """The file was written by a later version of the firmware."""


class JournalLocked(JournalError):
    """Another process writes this journal."""


class UnsafeStorage(JournalError):
    """SQLite is too old, or did not accept a setting on which durability rests."""


class JournalDamaged(JournalError):
    """The contents contradict themselves. The text names the place (segment, entry or snapshot)."""


class JournalReplaced(JournalError):
    """A file of the journal was removed or exchanged while it was open, or entries that were acknowledged are gone."""


class WriterBlocked(JournalError):
    """The writer's thread still sits in a disk operation, so nothing else may write this file yet."""


class NotThisTable(JournalError):
    """The file is sound, but the configuration is not one under which it may go on. The text says why."""


class UnknownRules(JournalError):
    """No known version of the rules can replay a segment. The text names the version that can."""


class KeyMissing(JournalError):
    """There is no signing key at the path. One is made by a person, at the installation."""


class KeyUnusable(JournalError):
    """A signing key can't be used: others can read it, it is damaged, or it is not where it may be written."""
