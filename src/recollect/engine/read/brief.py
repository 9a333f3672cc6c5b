"""What should somebody know of a memory who asks nothing in particular?

No model is asked, and not every text is read: what is pinned, open, or of a telling kind is found by its fields, rules
and decisions that nobody marked by a few words, and what is left by importance. Where a memory stays open, what comes
first of each is kept there, and renewed with every change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache, partial

import msgspec
from msgspec import Struct

from recollect.engine.core import Core
from recollect.engine.read.foremost import Criterion, Foremost, find_first, importance_of
from recollect.engine.write.taken_back import taken_back
from recollect.engine.write.tell import find_already
from recollect.retrieve.brief import (
    DECISION_KINDS,
    DECISION_WORDS,
    FORBIDDING_WORDS,
    MUST_WORDS,
    OPEN_STATUSES,
    PINNED,
    RULE_KINDS,
    RULE_WORDS,
    SECTIONS,
    TODO_WORDS,
    Noted,
    Section,
    asks_by_name,
    is_called_a_rule,
    plan_brief,
    render_brief,
    section_by_text,
    section_of,
    weight_of_rule,
)
from recollect.retrieve.contradict import contradicts, statements_in
from recollect.retrieve.decided import matter_of
from recollect.retrieve.displace import displaces
from recollect.store.base import View
from recollect.store.terms import hash_term, query_terms, terms
from recollect.types import CAPTURED, Already, Filter, Record

_TALK = ("source", "document", "message", "code", "activity")  # what was there, not what is so
_MOST = 60  # of each list
_NOW = "now"
_STATED = "fact"
_MOST_BY_WORD = 300


class Brief(Struct, frozen=True):
    """What is worth knowing: records by section, the same as a text for a prompt, and how many others there are."""

    notes: tuple[Noted, ...]
    text: str
    left_out: int


_First = Callable[[View, Filter, Criterion, datetime, int], list[Record]]


def make_brief(
    core: Core,
    where: Filter,
    *,
    limit: int,
    budget_tokens: int | None,
    foremost: Foremost | None = None,
    only: Section | None = None,
    asked: str = "",
) -> Brief:
    """The brief of what a filter lets through; with `foremost`, from what is kept of it in memory. `only`
    one section of it, which then has what is pinned, too, and of rules first what is called so as it was `asked`.
    """
    first = find_first if foremost is None else foremost.first
    with core.store.read() as view:
        spaces = where.spaces or tuple(space.name for space in view.spaces())
        where = msgspec.structs.replace(where, spaces=spaces)
        without = tuple(dict.fromkeys((*_TALK, *where.without_kinds)))  # in one order: what is kept is found by it
        stated = where if where.kinds else msgspec.structs.replace(where, without_kinds=without)
        records = list(_gather(core, view, stated, first)) or _parts(view, where)
        away = taken_back(view, records)
        records = [one for one in records if (one.space, one.id) not in away]
        total = view.count(where)
        newer = None if where.as_of is not None else partial(said_since, view, surely=displaces)
        notes = plan_brief(_by_section(records, core.clock(), only, asked), limit, budget_tokens, newer)
    return Brief(notes=tuple(notes), text=render_brief(notes), left_out=total - len(notes))


def _by_section(
    records: Sequence[Record], now: datetime, only: Section | None = None, asked: str = ""
) -> dict[Section, list[Record]]:
    """Records where they belong, the most worthy first."""
    said = frozenset(query_terms(asked))
    found: dict[Section, list[Record]] = {section: [] for section in SECTIONS}
    for record in records:
        section = section_of(record) if only is None else section_by_text(record)
        if only in (None, section):
            found[section].append(record)
    for section, some in found.items():
        by_time = section in ("decisions", "open")
        some.sort(key=lambda one: (one.event_time, one.version), reverse=True)
        if section == "rules":
            some.sort(key=weight_of_rule, reverse=True)
            if only == "rules" and asks_by_name(asked):
                some.sort(key=lambda one: len(said.intersection(terms(one.text))) + is_called_a_rule(one), reverse=True)
        if not by_time:
            some.sort(key=lambda one: one.importance if section == "rules" else importance_of(one, now), reverse=True)
    return found


def said_since(view: View, record: Record, surely: Callable[[str, str], bool] = contradicts) -> Record | None:
    """What was stated last, of the same project, that surely says otherwise; None where a record still stands."""
    told = [one for text in statements_in(record) for one in _differing(view, record, text) if surely(one.text, text)]
    since = [one for one in told if one.date > record.event_time]
    said = [view.get(Record, record.space, one.id) for one in sorted(since, key=lambda one: one.date, reverse=True)]
    held = [one for one in said if one is not None and one.project == record.project]
    away = taken_back(view, held)
    return next((one for one in held if (one.space, one.id) not in away), None)


def _differing(view: View, record: Record, text: str) -> list[Already]:
    """What is stated that may contradict a text which a record holds."""
    stated = msgspec.structs.replace(record, kind=_STATED, text=text)  # a message is compared as what it says
    changing = msgspec.structs.replace(stated, text=f"{_NOW} {text}")  # who tells of a change uses other words
    told = [one for one in find_already(view, changing) if one.differs]
    if matter := matter_of(text):  # what takes a decision back shares few of the words of deciding
        told += find_already(view, msgspec.structs.replace(stated, text=matter))
    return told


def _parts(view: View, where: Filter) -> list[Record]:
    """What a memory without statements has: parts of documents and of conversations, but for what came by itself.

    What they are parts of is left out: a conversation is called as it began, whatever became of that.
    """
    said = msgspec.structs.replace(where, without_kinds=(*where.without_kinds, "code", "source"))
    told = view.select(Record, said, "newest", _MOST)
    return [record for record in told if CAPTURED not in record.metadata]


def _gather(core: Core, view: View, where: Filter, first: _First) -> Iterator[Record]:
    """Every record that a section may want, once."""
    seen: set[int] = set()
    for record in _lists(core.clock(), view, where, first):
        if record.version not in seen:
            seen.add(record.version)
            yield record


def _lists(now: datetime, view: View, where: Filter, first: _First) -> Iterator[Record]:
    narrow = msgspec.structs.replace
    marked: list[Filter] = []
    if not where.tags:
        marked.append(narrow(where, tags=(*PINNED, *RULE_KINDS, *DECISION_KINDS)))
    if not where.kinds:
        marked.append(narrow(where, kinds=(*RULE_KINDS, *DECISION_KINDS)))
    if not where.statuses:
        marked.append(narrow(where, statuses=OPEN_STATUSES))
    if not where.memory_types:
        marked.append(narrow(where, memory_types=("procedural",)))
    for one in marked:
        yield from first(view, one, "newest", now, _MOST)
    if where.as_of is None:
        rules = (*RULE_WORDS, *MUST_WORDS)
        lists = (rules, _MOST_BY_WORD), (FORBIDDING_WORDS, _MOST), (DECISION_WORDS, _MOST_BY_WORD), (TODO_WORDS, _MOST)
        for words, most in lists:
            versions = _holding(view, where.spaces, _hashes(tuple(words)), most)
            yield from view.select(Record, narrow(where, versions=versions)) if versions else ()
    yield from first(view, where, "importance", now, _MOST)


@cache
def _hashes(words: Sequence[str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(hash_term(terms(word)[0]) for word in words))


def _holding(view: View, spaces: Iterable[str], hashes: Sequence[int], most: int) -> tuple[int, ...]:
    """The newest versions that hold one of some words."""
    held = {version for space in spaces for some in view.mentions(space, hashes).values() for version in some}
    return tuple(sorted(held, reverse=True)[:most])
