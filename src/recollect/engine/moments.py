"""Which stretch of time does a person mean by a few words?

`yesterday`, `last week`, `3 days ago`, `March`, `2026-03`: each is a stretch with a first and a last moment, in the
time zone of whoever says it, and in the words of ten languages (`retrieve/time_words.py`). `since` begins with the
first of them, `until` ends with the last.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, time, timedelta

from recollect.pattern import pattern_of
from recollect.retrieve.time_words import in_english

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_COUNTED = "one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {"a": 1, "an": 1} | {word: at for at, word in enumerate(_COUNTED, 1)}
_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600}
_AGO = pattern_of(
    r"(\d+|[a-z]+) (second|sec|minute|min|hour|h|day|week|month|year)s? ago|in (\d+|[a-z]+) (day|week|month|year)s?",
    re.ASCII,
)
_LONG_AGO = pattern_of(r"(?:\d+|[a-z]+) (year|month)s? ago", re.ASCII)
_UNIT = pattern_of(r"(last|this|next|past|previous|current) (week|month|year)")
_WEEKDAY = pattern_of(rf"(last |this |next |on )?({'|'.join(f'{day[:3]}(?:{day[3:]})?' for day in _DAYS)})")
_MONTH_NAME = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_NAMED = pattern_of(
    rf"(?:(\d{{1,2}})(?:st|nd|rd|th)?\.? )?(?:of )?({_MONTH_NAME})\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?(?=,|$| \d{{4}}))?"
    r"(?:,? (\d{4}))?",
    re.ASCII,
)
_YEAR, _MONTH, _DATE = (
    pattern_of(source, re.ASCII) for source in (r"\d{4}", r"(\d{4})-(\d\d?)", r"(\d{4})-(\d\d?)-(\d\d?)")
)
_LOCAL = pattern_of(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)
_A_TICK = timedelta(microseconds=1)

EXAMPLES = "2026-05-10T14:32:00Z, 2026-05-10, 2026-03, yesterday, last week or 3 days ago"


def read_moment(text: str, now: datetime, *, end: bool = False) -> datetime | None:
    """The first moment of what is meant, or its last; None where nothing is. `now` says when and in which time zone.

    Raises ValueError or OverflowError for a day that there is not.
    """
    words = " ".join(text.casefold().split())
    moment = _read(words, now, end=end)
    return _read(in_english(words), now, end=end) if moment is None and not words.isdigit() else moment


def read_period(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """The first and the last moment of what a question means: "two years ago" that year, and not a day of it."""
    words = in_english(" ".join(text.casefold().split()))
    first = read_moment(words, now)
    if first is not None and (ago := _LONG_AGO.fullmatch(words)):
        words = f"{first.year:04}" if ago[1] == "year" else f"{first.year:04}-{first.month:02}"
        first = read_moment(words, now)
    last = read_moment(words, now, end=True)
    return None if first is None or last is None else (first, last)


def _read(words: str, now: datetime, *, end: bool) -> datetime | None:
    if _LOCAL.fullmatch(words):
        return _zoned(datetime.fromisoformat(words), now)
    if words == "now":
        return now
    moment = _moment_ago(words, now)
    if moment is not None:
        return moment
    stretch = _stretch(words, now)
    if stretch is None:
        return None
    first, after = (_zoned(datetime(*day), now) for day in stretch)
    return after - _A_TICK if end else first


_Day = tuple[int, int, int]


def _stretch(words: str, now: datetime) -> tuple[_Day, _Day] | None:
    """The first day, and the day after the last."""
    today = datetime.combine(now.date(), time())
    for read in (_by_numbers, _by_name_of_day, _by_unit, _by_days_ago, _by_name_of_month):
        found = read(words, today)
        if found is not None:
            first, after = found
            return _day(first), _day(after)
    return None


def _by_numbers(words: str, today: datetime) -> tuple[datetime, datetime] | None:  # noqa: ARG001 - like the others
    if found := _DATE.fullmatch(words):
        day = datetime(int(found[1]), int(found[2]), int(found[3]))
        return day, day + timedelta(days=1)
    if found := _MONTH.fullmatch(words):
        first = datetime(int(found[1]), int(found[2]), 1)
        return first, _months_on(first, 1)
    if _YEAR.fullmatch(words):
        return datetime(int(words), 1, 1), datetime(int(words) + 1, 1, 1)
    return None


def _by_name_of_day(words: str, today: datetime) -> tuple[datetime, datetime] | None:
    near = {"yesterday": -1, "today": 0, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2}
    if words in near:
        day = today + timedelta(days=near[words])
        return day, day + timedelta(days=1)
    found = _WEEKDAY.fullmatch(words)
    if not found:
        return None
    wanted = next(at for at, name in enumerate(_DAYS) if name.startswith(found[2][:3]))
    back = (today.weekday() - wanted) % 7
    if found[1] == "next ":
        day = today + timedelta(days=7 - back)
    elif found[1] == "this ":
        day = today + timedelta(days=wanted - today.weekday())
    else:  # the last one; today's name alone is today
        day = today - timedelta(days=back or (7 if found[1] == "last " else 0))
    return day, day + timedelta(days=1)


def _by_unit(words: str, today: datetime) -> tuple[datetime, datetime] | None:
    found = _UNIT.fullmatch(words)
    if not found:
        return None
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1}[found[1]]
    if found[2] == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return monday, monday + timedelta(weeks=1)
    months = 1 if found[2] == "month" else 12
    first = _months_on(today.replace(day=1, month=today.month if months == 1 else 1), months * step)
    return first, _months_on(first, months)


def _by_days_ago(words: str, today: datetime) -> tuple[datetime, datetime] | None:
    found = _AGO.fullmatch(words)
    if not found:
        return None
    count, unit, sign = (found[1], found[2], -1) if found[1] else (found[3], found[4], 1)
    number = _number(count)
    if number is None:
        return None
    if unit in ("day", "week"):
        day = today + sign * timedelta(days=number * (7 if unit == "week" else 1))
    else:
        day = _months_on(today, sign * number * (12 if unit == "year" else 1))
    return day, day + timedelta(days=1)


def _by_name_of_month(words: str, today: datetime) -> tuple[datetime, datetime] | None:
    plain = words.removeprefix("last ")
    found = _NAMED.fullmatch(plain)
    if not found or (found[1] and found[3]) or (plain != words and (found[1] or found[3] or found[4])):
        return None
    month = next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(found[2][:3]))
    day = found[1] or found[3]
    year = int(found[4]) if found[4] else today.year
    first = datetime(year, month, int(day or 1))
    if (not found[4] and first > today) or (
        plain != words and month == today.month
    ):  # without a year the last one is meant
        first = first.replace(year=year - 1)
    return first, first + timedelta(days=1) if day else _months_on(first, 1)


def _moment_ago(words: str, now: datetime) -> datetime | None:
    found = _AGO.fullmatch(words)
    number = _number(found[1]) if found and found[1] else None
    if not found or number is None or found[2] not in _SECONDS:
        return None
    return now - timedelta(seconds=number * _SECONDS[found[2]])


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() else _NUMBERS.get(word)


def _months_on(day: datetime, months: int) -> datetime:
    """So many months later; the last day of a month that is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


def _day(moment: datetime) -> _Day:
    return moment.year, moment.month, moment.day


def _zoned(moment: datetime, now: datetime) -> datetime:
    """A time of the clock on the wall, in the zone of `now`; without a named zone, the machine's rules for that day."""
    return moment.astimezone() if now.tzinfo is None else moment.replace(tzinfo=now.tzinfo)
