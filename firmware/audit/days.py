"""Gaming days: from one hour of the table's local time to the same hour of the next day.

Rules:
* The day of an entry follows from its wall time, which is an annotation: days group what stands in the order of the
  entries' numbers, they never reorder it. Where the clock was stepped back, a day comes again.
* Local time as the zone's own rules have it; on the days when clocks change a gaming day has 23 or 25 hours.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NS_PER_S = 1_000_000_000
_ONE_DAY = timedelta(days=1)


class UnknownZone(Exception):
    """The machine has no rules for the time zone."""


class Days(Protocol):
    """How accounts are cut into readings, and how times are written."""

    def day(self, wall_ns: int) -> str:
        """Name of the reading to which an entry belongs."""

    def calendar_day(self, wall_ns: int) -> str:
        """ISO date by local time."""

    def clock_time(self, wall_ns: int) -> tuple[str, str]:
        """Local time to the second, and how far it is from UTC: "2026-11-30 21:00:00", "-0500"."""


class GamingDays:
    """Day and local time of wall times."""

    def __init__(self, time_zone: str, starts: str) -> None:
        """`starts`: "06:00". Raises UnknownZone."""
        try:
            self._zone = ZoneInfo(time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise UnknownZone(
                f"reports.time_zone: this machine knows no zone {time_zone!r} ({error}); expected a name such as "
                '"America/New_York"; if that is what stands there, install the package tzdata'
            ) from error
        hour, minute = map(int, starts.split(":"))
        self._starts = timedelta(hours=hour, minutes=minute)
        self._day = ""
        self._from_ns = self._to_ns = 0

    def day(self, wall_ns: int) -> str:
        """ISO date of the gaming day."""
        if not self._from_ns <= wall_ns < self._to_ns:
            day = (self._local(wall_ns).replace(tzinfo=None) - self._starts).date()
            if wall_ns < self._start_ns(day):  # an hour that comes twice when clocks change
                day -= _ONE_DAY
            elif wall_ns >= self._start_ns(day + _ONE_DAY):
                day += _ONE_DAY
            self._from_ns, self._to_ns = self._start_ns(day), self._start_ns(day + _ONE_DAY)
            self._day = day.isoformat()
        return self._day

    def _start_ns(self, day: date) -> int:
        start = datetime.combine(day, time()) + self._starts
        return int(start.replace(tzinfo=self._zone).timestamp()) * NS_PER_S

    def calendar_day(self, wall_ns: int) -> str:
        return self._local(wall_ns).date().isoformat()

    def clock_time(self, wall_ns: int) -> tuple[str, str]:
        local = self._local(wall_ns)
        return local.strftime("%Y-%m-%d %H:%M:%S"), local.strftime("%z")

    def _local(self, wall_ns: int) -> datetime:
        return datetime.fromtimestamp(wall_ns // NS_PER_S, UTC).astimezone(self._zone)


class WholeJournal(GamingDays):
    """One reading of everything."""

    def day(self, wall_ns: int) -> str:
        return ""
