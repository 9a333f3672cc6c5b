"""Which time does a question name, and how far does that speak for a record?

"What did the doctor say in April?" is answered by what was told of April rather than by what was told of September. The
words are found here, in the languages of `time_words.py`; what they mean by a calendar is for others to say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recollect.pattern import pattern_of
from recollect.retrieve.change import read_said
from recollect.retrieve.time_words import DAYS, MONTHS, find_phrase, in_english
from recollect.types import Hit, Record

_ENGLISH = {
    "gestern": "yesterday", "vorgestern": "the day before yesterday", "woche": "week", "monat": "month", "jahr": "year",
    "tag": "day", "tagen": "day", "wochen": "week", "monaten": "month", "jahren": "year",
}  # fmt: skip
_STEP = {"letzt": "last", "vorig": "last", "vergangen": "last", "dies": "this", "nächst": "next"}
_MONTH = "|".join(f"{english}|{others}" for english, others in MONTHS.items())
_DAY = "|".join(f"{english}|{others}" for english, others in DAYS.items())
_TIME = pattern_of(
    rf"\b(?:(?P<side>before|until|till|since|after|vor|bis|seit|nach|avant|depuis|antes d[eo]|desde|"
    rf"prima d(?:i|el)|dal?|voor|sinds|до|с)(?: the| dem| der)? )?"
    rf"(?:(?P<in>in|im|of|during|während|from|on|am|vom|en|au|à|a|ad|pendant|durante?|de|del|nel|em|no|do|op|в|во)"
    rf"(?: the)? )?"
    rf"(?P<inyear>(?:(?:the|das|des|dem|el|lo|o|het) |n?ell?['’])?"
    rf"(?:year|jahre?s?|année|an|año|anno|ano|jaar)(?: of| de)? )?"
    rf"(?:(?P<ago>\d+|[a-z]+ )? ?(?P<agounit>day|week|month|year)s? ago"
    rf"|(?P<step>last|previous|past|this|next|(?:letzt|vorig|vergangen|dies|nächst)e[nrsm]?) "
    rf"(?P<unit>week|month|year|woche|monat|jahr|{_DAY}|{_MONTH})\b"
    rf"|(?P<word>the day before yesterday|yesterday|vorgestern|gestern)\b"
    rf"|(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? )?(?P<month>{_MONTH})(?:,? (?:de |del )?(?P<of>\d{{4}}))?\b"
    rf"|(?P<year>(?:19|20)\d\d(?:-\d\d){{0,2}})\b)",
    re.IGNORECASE,
)
_STEM = re.compile(r"(?:\w(?!\?))+")
_BY_NAME = (found[0] for name in f"{_MONTH}|{_DAY}".split("|") if (found := _STEM.match(name)))
SIGNS = ("ago", "yesterday", "gestern", "previous", "past", *_STEP, *_STEP.values(), "19", "20", *_BY_NAME)
"""Without one of these in a question there is no time in it that the pattern finds, which takes long to compile."""
_SAME = str.maketrans({"ı": "i", "\u0307": None})
_HAN_TIME = pattern_of(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)年(?:(?P<month>1[0-2]|0?[1-9])月)?(?![版型款製度])"
    r"(?:(?P<before>以前|之前|より前|前)|(?P<since>以来|以來|以后|以後|之后|之後|から|以降))?"
)
_BARE_YEAR = pattern_of(
    r"\b(?:war|waren|hat|haben|habe|hatten?|wurden?|gab)\b.*?\b(?P<year>(?:19|20)\d\d)\b(?= [a-zäöüß]|\W*\Z)"
)
"""German says a year without a word before it; a number of things has their name behind it."""
_OF_A_YEAR = frozenset("in im of during während from en pendant durant durante de del nel em do в во".split())
_AMBIGUOUS = ("may", "march", "august", "mai", "mars", "mei", "мая")  # words of another meaning, too
_BEFORE = (
    "before",
    "until",
    "till",
    "vor",
    "bis",
    "avant",
    "antes de",
    "antes do",
    "prima di",
    "prima del",
    "voor",
    "до",
)
_SINCE = ("since", "after", "seit", "nach", "depuis", "desde", "da", "dal", "sinds", "с")
_LIFT, _FALL, _ENOUGH = 2.5, 1.0, 0.25
_LATER, _MAY = 2.0, 0.15
_HARDLY = 0.03
_A_DAY = 86_400e6  # microseconds
_GRACE, _MOST_GRACE = 0.25, 7 * _A_DAY  # of a time's length: so long what happened in it is still told


class TimeWords(Struct, frozen=True):
    """A time as a question names it: in English words, all before it or since it, and what a text would call it."""

    words: str
    before: bool = False
    since: bool = False
    names: tuple[str, ...] = ()


class Period(Struct, frozen=True):
    """A time by the clock, in microseconds since 1970; `named` are the places of its names among a question's terms."""

    first: float
    last: float
    named: tuple[int, ...] = ()
    names: frozenset[str] = frozenset()
    over: bool = False
    """Does the question tell of what is over? Then a text that names the time was mostly written before it."""

    def holds(self, times: NDArray[np.integer]) -> NDArray[np.bool_]:
        return (times >= self.first) & (times <= self.last)

    def is_past_at(self, times: NDArray[np.integer] | NDArray[np.floating]) -> NDArray[np.bool_]:
        """At which times was it over for a while? What is told then was mostly not so yet; from a day on "before" which
        something was, that is told as it is since.
        """
        length = self.last - self.first
        grace = 0.0 if math.isinf(length) else min(max(_GRACE * length, _A_DAY), _MOST_GRACE)
        return (times > self.last + grace) & self.over

    def is_told_after(self, record: Record) -> bool:
        """Was a record told when it was over? Of what changes, that is not so yet, however soon it is told."""
        return self.over and record.event_time.timestamp() * 1e6 > self.last


def find_time(question: str) -> TimeWords | None:
    """The first words of a question that say a time."""
    if han := _HAN_TIME.search(question):
        month = f"-{int(han['month']):02}" if han["month"] else ""
        before, since = bool(han["before"]), bool(han["since"])
        return TimeWords(f"{han['year']}{month}", before, since, (han["year"],))
    folded = question.casefold().translate(_SAME)
    for found in _TIME.finditer(question) if any(sign in folded for sign in SIGNS) else ():
        side, into = (found["side"] or "").casefold(), found["in"]
        named = partial(TimeWords, before=side in _BEFORE, since=side in _SINCE)
        if found["ago"] and found["agounit"]:
            return named(f"{found['ago'].strip()} {found['agounit']}s ago".casefold())
        if found["step"]:
            return named(_by_step(found["step"].casefold(), found["unit"].casefold()))
        if found["word"]:
            word = found["word"].casefold()
            return named(_ENGLISH.get(word, word))
        if found["year"] and (side or found["inyear"] or (into or "").casefold() in _OF_A_YEAR):
            return named(found["year"], names=(found["year"],))
        month = (found["month"] or "").casefold()
        if month and (side or into or found["day"] or found["of"] or month not in _AMBIGUOUS):
            english = _month_in_english(month)
            words = " ".join(filter(None, (found["day"], english, found["of"])))
            return named(words, names=(month, english))
    phrase = find_phrase(question)
    if phrase is not None:
        return TimeWords(phrase)
    bare = _BARE_YEAR.search(question)
    return None if bare is None else TimeWords(bare["year"], names=(bare["year"],))


def _month_in_english(month: str) -> str:
    return month if month in MONTHS else in_english(month)


def _by_step(step: str, unit: str) -> str:
    """ "Last March" is the last that there was, as March alone is."""
    english = _ENGLISH.get(unit) or (unit if unit in MONTHS else in_english(unit))
    said = next((meant for stem, meant in _STEP.items() if step.startswith(stem)), step)
    return english if english in MONTHS else f"{said} {english}"


def lean(
    sure: NDArray[np.floating], inside: NDArray[np.bool_], named: NDArray[np.bool_], later: NDArray[np.bool_]
) -> NDArray[np.floating]:
    """Probabilities where a time is asked for: what is of it gains, and where that may answer, what is not loses; and
    what was told `later`, once that time was over, where something told until then may answer.

    What names the time in its text loses nothing.
    """
    if not inside.any() and not later.any():
        return sure
    odds = np.log(np.maximum(sure, 1e-9)) - np.log(np.maximum(1.0 - sure, 1e-9))
    odds = odds + _LIFT * inside
    if (inside & (odds >= np.log(_ENOUGH / (1.0 - _ENOUGH)))).any():
        odds = odds - _FALL * ~(inside | named)
    if (~later & (odds >= np.log(_MAY / (1.0 - _MAY)))).any():
        odds = odds - _LATER * (later & ~named)
    return np.where(sure > 0.0, 1.0 / (1.0 + np.exp(-odds)), sure)


def lean_by_validity(hits: Sequence[Hit], period: Period) -> list[Hit]:
    """Hits of which somebody said from when or until when they hold: what held at that time gains, what did not loses.

    What is of that time otherwise has gained already.
    """
    found: list[Hit] = []
    for hit in hits:
        record = hit.record
        if record.valid_from is None and record.valid_until is None:
            found.append(hit)
            continue
        held = _held(record, period)
        why = msgspec.structs.replace(hit.why, period=float(held))
        moved = _moved(hit, 0.0 if held and hit.why.period else _LIFT if held else -_LIFT)
        found.append(msgspec.structs.replace(moved, why=why))
    return _put_earlier_first(sorted(found, key=lambda hit: -hit.score), period)


def _put_earlier_first(hits: list[Hit], period: Period) -> list[Hit]:
    """Where the first tells of a change once that time was over, the best that was told until then stands before it."""
    if not hits or not _changed_later(hits[0].record, period):
        return hits
    for at, hit in enumerate(hits[1:], 1):
        if hit.score < _HARDLY:
            break
        if not period.is_told_after(hit.record):
            moved = [hit, *hits[:at], *hits[at + 1 :]]
            scores = [other.score for other in hits]
            return [msgspec.structs.replace(one, score=score) for one, score in zip(moved, scores, strict=True)]
    return hits


def _held(record: Record, period: Period) -> bool:
    """Did a record hold at a time, by what was said of that?"""
    ends = np.inf if record.valid_until is None else record.valid_until.timestamp() * 1e6
    happened = record.event_time.timestamp() * 1e6
    ever = -np.inf if ends <= happened else happened  # what had ended by then does not say since when it held
    begins = ever if record.valid_from is None else record.valid_from.timestamp() * 1e6
    return bool(begins <= period.last and ends >= period.first)


def _changed_later(record: Record, period: Period) -> bool:
    """Does a record tell of a change, once a time was over and without naming it? Then that was not so yet."""
    if not period.is_told_after(record):
        return False
    said = read_said(record.text)
    return said.changing.changing and period.names.isdisjoint(said.statement.words | said.statement.numbers)


def _moved(hit: Hit, by: float) -> Hit:
    """A hit whose odds are others, by so much of their logarithm."""
    sure = min(max(hit.score, 1e-9), 1.0 - 1e-9)
    odds = math.log(sure / (1.0 - sure)) + by
    return msgspec.structs.replace(hit, score=1.0 / (1.0 + math.exp(-odds)))
