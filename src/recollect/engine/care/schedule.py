"""When does upkeep run by itself while a memory is served?

At the moments that a cron expression names, in UTC, or every so often. The wall clock is looked at every half minute,
so that a machine that slept through such a moment catches up on the last one when it wakes. Whoever looks first takes
the slot in the store, in a transaction: however many processes serve a memory, each slot is worked once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from recollect.engine.care.backups import Backed, back_up, parse_command
from recollect.engine.care.lifecycle import Maintained, claim
from recollect.engine.loop import Loop
from recollect.errors import ConfigError, RecollectError

if TYPE_CHECKING:
    from recollect.config import Settings
    from recollect.engine.memory import Memory

LOOK_SECONDS = 30.0
STOP_SECONDS = 2.0
OFF = "off"
_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_EVERY = re.compile(r"every ([1-9][0-9]{0,4}) ?([smhd])")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_DAYS = 8 * 366 + 1  # the 29th of February comes round within eight years


class Cron(Struct, frozen=True):
    """A cron expression: the minutes, hours, days, months and weekdays (Sunday is 0) that it names."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool
    """Where both days and weekdays are restricted, one of them is enough: so cron has always had it."""

    def latest(self, now: datetime) -> datetime | None:
        """The last moment that it names, at or before now; None where there is none, such as the 30th of February."""
        moment = now.astimezone(UTC)
        for back in range(_LONGEST_DAYS):
            day = moment.date() - timedelta(days=back)
            if not self._means(day.month, day.day, day.isoweekday() % 7):
                continue
            for hour in reversed(self.hours):
                for minute in reversed(self.minutes):
                    slot = datetime.combine(day, time(hour, minute), UTC)
                    if slot <= moment:
                        return slot
        return None

    def _means(self, month: int, day: int, weekday: int) -> bool:
        if month not in self.months:
            return False
        fits = (day in self.days, weekday in self.weekdays)
        return any(fits) if self.either else all(fits)


class Every(Struct, frozen=True):
    """Every so many seconds, counted from midnight of the first of January 1970."""

    seconds: int

    def latest(self, now: datetime) -> datetime | None:
        return datetime.fromtimestamp(int(now.timestamp()) // self.seconds * self.seconds, UTC)


def parse_cron(text: str, setting: str) -> Cron | Every | None:
    """`0 3 * * *` and the like: numbers, `*`, ranges, lists and steps. Or `every 6h`. `off` is None."""
    if text.strip().lower() == OFF:
        return None
    parts = text.split()
    if parts[:1] == ["every"]:
        found = _EVERY.fullmatch(" ".join(parts))
        if found is None:
            raise ConfigError(f"{setting}: {text!r} cannot be read; write `every 6h`, with s, m, h or d")
        return Every(int(found[1]) * _UNITS[found[2]])
    if len(parts) != len(_FIELDS):
        raise ConfigError(
            f"{setting}: {text!r} is not a cron expression of five fields such as `0 3 * * *`,"
            " nor `every 6h`, nor `off`"
        )
    minutes, hours, days, months, weekdays = (
        _parse_field(part, name, least, most, setting) for part, (name, least, most) in zip(parts, _FIELDS, strict=True)
    )
    cron = Cron(
        minutes=tuple(sorted(minutes)), hours=tuple(sorted(hours)), days=days, months=months,
        weekdays=frozenset(day % 7 for day in weekdays),
        either=not parts[2].startswith("*") and not parts[4].startswith("*"),
    )  # fmt: skip
    if cron.latest(datetime(2028, 12, 31, 23, 59, tzinfo=UTC)) is None:
        raise ConfigError(f"{setting}: {text!r} names a day that never comes")
    return cron


def _parse_field(text: str, name: str, least: int, most: int, setting: str) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span == "*":
            first, last = str(least), str(most)
        elif not dash:
            last = str(most) if slash else first
        numbers = [first, last, step if slash else "1"]
        if not all(number.isascii() and number.isdigit() and len(number) < 4 for number in numbers):
            raise ConfigError(f"{setting}: {part!r} cannot be read as {name}; write a number, *, a range or */n")
        low, high, by = map(int, numbers)
        if not least <= low <= high <= most or by < 1:
            raise ConfigError(f"{setting}: {part!r} is no {name}: those go from {least} to {most}")
        found.update(range(low, high + 1, by))
    return frozenset(found)


class Task(Struct, frozen=True):
    """Something to be done at certain moments. `work` is told how to learn that it should stop."""

    name: str
    cron: Cron | Every
    work: Callable[[Callable[[], bool]], Sequence[Maintained | Backed]]
    made_up: bool = False
    """Is a moment made up for that passed while nobody looked?"""


_THINS_AT = "0 4 * * *"


def history_tasks(memory: Memory) -> list[Task]:
    """That history is thinned, where the settings of a memory say for how long it is kept."""
    days, cron = memory.settings.history_days, parse_cron(_THINS_AT, "history_days")
    acting = memory.acting_as("schedule")
    if days is None or cron is None or acting.core.store.site.limited:
        return []
    age = timedelta(days=days)
    return [Task("thin", cron, lambda stop: acting.thin(older_than=age, cancelled=stop), made_up=True)]


def upkeep_tasks(memory: Memory) -> list[Task]:
    """What the settings of a memory want to be done, and when."""
    settings = memory.settings
    consolidate = parse_cron(settings.consolidate_schedule, "consolidate_schedule")
    evict = parse_cron(settings.evict_schedule, "evict_schedule")
    acting = memory.acting_as("schedule")
    tasks: list[Task] = []
    if consolidate is not None:
        tasks.append(Task("consolidate", consolidate, lambda stop: acting.consolidate(cancelled=stop)))
    if evict is not None:
        tasks.append(Task("evict", evict, lambda stop: acting.evict(cancelled=stop)))
    return [*tasks, *history_tasks(memory)]


def backup_tasks(memory: Memory) -> list[Task]:
    """That the memory is backed up, where its settings want it."""
    settings = memory.settings
    cron = parse_cron(settings.backup_schedule, "backup_schedule")
    if settings.backup_command is not None:
        parse_command(settings.backup_command)
    core = memory.acting_as("schedule").core
    if core.store.site.limited:  # what it sees is not the memory
        return []
    return [] if cron is None else [Task("backup", cron, lambda stop: [back_up(core, stop)], made_up=True)]


_SCHEDULES = ("consolidate_schedule", "evict_schedule", "backup_schedule")


def wrong_schedules(settings: Settings) -> list[str]:
    """What is wrong with schedules, and with the command for backups, that cannot be read."""
    wrong: list[str] = []
    checks: list[Callable[[], object]] = [partial(parse_cron, getattr(settings, name), name) for name in _SCHEDULES]
    if settings.backup_command is not None:
        checks.append(partial(parse_command, settings.backup_command))
    for check in checks:
        try:
            check()
        except RecollectError as error:
            wrong.append(str(error))
    return wrong


class Scheduler:
    """Does tasks when they are due, from `start` to `stop`. `tell` hears what was done, and what went wrong."""

    def __init__(
        self,
        memory: Memory,
        tasks: Sequence[Task],
        *,
        clock: Callable[[], datetime],
        look_seconds: float = LOOK_SECONDS,
        tell: Callable[[str, Sequence[Maintained | Backed] | RecollectError], None] = lambda _name, _done: None,
    ) -> None:
        self._memory = memory
        self._tasks = tasks
        self._clock = clock
        self._tell = tell
        self._since = clock()
        self._taken: dict[str, datetime] = {}
        shortest = min((task.cron.seconds for task in tasks if isinstance(task.cron, Every)), default=look_seconds * 2)
        self._loop = Loop(
            "recollect-schedule", self.look, delay=min(look_seconds, shortest / 2), again=lambda: True,
            failed=lambda error: tell("schedule", error),
        )  # fmt: skip

    def start(self) -> None:
        if self._tasks:
            self._loop.wake()

    def stop(self) -> bool:
        """Ends it within two seconds; what was done by then is done. False if it would not end."""
        return self._loop.stop(STOP_SECONDS)

    def look(self) -> list[str]:
        """Does what has become due since it began to look. Answers the names of what it did."""
        now = self._clock()
        self._since = min(self._since, now)  # it may have begun by a clock that was ahead
        return [task.name for task in self._tasks if self._is_mine(task, now) and self._do(task)]

    def _is_mine(self, task: Task, now: datetime) -> bool:
        slot = task.cron.latest(now)
        if slot is None or self._loop.stopping.is_set() or (slot <= self._since and not task.made_up):
            return False
        if self._taken.get(task.name) == slot:  # and somebody whose clock is ahead has taken another since
            return False
        mine = claim(self._memory.core, task.name, slot, now)
        if mine:
            self._taken[task.name] = slot
        return mine

    def _do(self, task: Task) -> bool:
        try:
            self._tell(task.name, task.work(self._loop.stopping.is_set))
        except RecollectError as error:
            self._tell(task.name, error)
            return False
        return True
