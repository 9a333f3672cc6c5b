"""What is erased in a transaction, and how does no kept answer go on saying it?

What quotes it is taken out of the answers that are kept for who asks again; ids, outcomes and all else stay. Nor is a
hash left by which it could be guessed: what such a call was asked for is no longer compared. What was given with it
(metadata, tags) is in no answer that tells of it.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

import msgspec
from msgspec import Raw, Struct

from recollect.engine.core import records_of
from recollect.engine.once import ANSWERS, KEPT_FOR, LISTED, LOOSE, Answered, json_in, key_of, may_quote, replaced
from recollect.retrieve.quotes import Said, is_short, words_in
from recollect.store.base import Changes, Edit, Entities, Thing, View, normal_name
from recollect.store.terms import hash_term, terms
from recollect.types import CATALOGUE_KINDS, Change, Entity, Filter, Json, Record, Relation

_PAGE = 10_000  # entries
_ID = re.compile(r"(?:.*_)?ids?|.*Ids?")


class Erased(Struct, frozen=True, kw_only=True):
    """What is erased of a space: what it said, what is said still, which entries told of it. Or `everything` is.

    `beside` is what was given with it under names that somebody chose: those names with their values, and tags.
    """

    space: str
    ids: frozenset[str] = frozenset()
    said: Sequence[str] = ()
    beside: frozenset[tuple[str, bytes]] = frozenset()
    rest: Sequence[str] = ()
    entries: frozenset[int] = frozenset()
    everything: bool = False

    def but(self, left: Iterable[Thing]) -> Erased:
        """The same, where some things stay that say a part of it."""
        return msgspec.structs.replace(self, rest=[text for one in left for text in _texts(one)])


def all_of(view: View, space: str, ids: Collection[str]) -> Erased:
    """All versions of some records, entities and relations, before they are erased."""
    changes = list(_changes(view, Changes(space=space, object_ids=tuple(ids))))
    named = {
        (change.object_type, change.object_id, version)
        for change in changes
        for version in (change.before, change.after)
        if version is not None
    }
    records = sorted(version for type_, _, version in named if type_ == "record")
    found = records_of(view, records) if records else []
    versions: list[Thing | None] = [one for one in found if one.space == space]
    versions += [view.get(Entity, space, id, version=version) for type_, id, version in named if type_ == "entity"]
    versions += [view.get(Relation, space, id, version=version) for type_, id, version in named if type_ == "relation"]
    there = [one for one in versions if one is not None]
    return Erased(
        space=space, ids=frozenset(ids), said=[text for one in there for text in _texts(one)],
        beside=frozenset(pair for one in there for pair in _beside(one)),
        entries=frozenset(change.entry for change in changes),
    )  # fmt: skip


def _changes(view: View, where: Changes) -> Iterator[Change]:
    while some := view.journal(where, limit=_PAGE):
        yield from some
        where = msgspec.structs.replace(where, after=some[-1].entry)


def _texts(thing: Thing) -> Iterator[str]:
    """What somebody has said with it: its texts, names and whatever else was written there in words."""
    if isinstance(thing, Record):
        place = thing.source if thing.kind in CATALOGUE_KINDS else None
        told: list[Json] = [thing.text, thing.title, thing.file_name(), place, msgspec.to_builtins(thing.grounds)]
    elif isinstance(thing, Entity):
        told = [thing.name, thing.description, list(thing.aliases)]
    else:
        told = [thing.provenance]
    yield from _leaves(told)
    yield from (text for text in _leaves(msgspec.to_builtins(thing.metadata)) if not _is_place(text))


def _beside(thing: Thing) -> Iterator[tuple[str, bytes]]:
    """Metadata by name and value, also within each other, and tags, which have no name."""
    if isinstance(thing, Record):
        yield from (("", msgspec.json.encode(tag)) for tag in thing.tags)
    within = [cast("dict[str, Json]", msgspec.to_builtins(thing.metadata))]
    while within:
        for key, value in within.pop().items():
            yield key, msgspec.json.encode(value, order="sorted")
            within += [value] if isinstance(value, dict) else []


def _is_place(text: str) -> bool:
    """Is this a path or an address? Others have parts of it in common."""
    return ("/" in text or "\\" in text) and not any(letter.isspace() for letter in text)


def _leaves(value: Json, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if may_quote(value, name):
            yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, key)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one, name)


def unsay(edit: Edit, erased: Erased) -> None:
    """Something was erased in this transaction: no kept answer goes on saying it. That they were given is kept."""
    entries = erased.entries
    if erased.everything:
        since = Changes(space=erased.space, later_than=edit.now - KEPT_FOR)
        entries = frozenset(change.entry for change in _changes(edit, since))
    for _ in edit.roles():
        _unsay_answers(edit, erased, entries)


def _unsay_answers(edit: Edit, erased: Erased, entries: frozenset[int]) -> None:
    loose = _loose(edit)
    within = {one.of for one in edit.kept(ANSWERS, keys=[key_of(entry) for entry in entries]).values()}
    found = edit.kept(ANSWERS, keys=[key for key in {*loose, *within} if key])
    given = {key: one for key, one in found.items() if one.asked is not None}
    speaking = {} if erased.everything else {key: one.answer for key, one in given.items() if key in loose}
    unsaid = _Quotes(edit, erased).taken_out_of(speaking) if speaking else {}
    left: dict[str, Answered] = {}
    in_order = sorted(entries)
    for key, one in given.items():
        idle, first = loose.get(key, False), bisect(in_order, one.since)
        took_part = key in within or (first < len(in_order) and in_order[first] <= one.until)
        if erased.everything:
            if took_part or (idle and erased.space.encode() in bytes(one.answer)):
                left[key] = Answered(one.at)
            continue
        answer = unsaid.get(key, one.answer)
        named = set(_ids(msgspec.json.decode(one.answer))) if idle else set[str]()
        about = took_part or key in unsaid or (idle and not (named and named.isdisjoint(erased.ids)))
        if about:
            answer = Raw(msgspec.json.encode(_bare(msgspec.json.decode(answer), erased.beside)))
        asked = "" if took_part or (about and idle) else one.asked
        if (asked, bytes(answer)) != (one.asked, bytes(one.answer)):
            left[key] = msgspec.structs.replace(one, asked=asked, answer=answer)
    edit.keep(ANSWERS, left)


def _ids(value: Json, name: str = "") -> Iterator[str]:
    """What an answer names by an id, whatever it is."""
    if isinstance(value, str):
        if (within := json_in(value)) is not None:
            yield from _ids(within, name)
        elif _ID.fullmatch(name):
            yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _ids(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _ids(one, name)


def _bare(value: Json, beside: Collection[tuple[str, bytes]]) -> Json:
    """What an answer says of something without what was given with it."""
    if isinstance(value, str):
        within = json_in(value)
        left = None if within is None else _bare(within, beside)
        return value if within is None or left == within else msgspec.json.encode(left).decode()
    if isinstance(value, dict):
        stay = {key: one for key, one in value.items() if (key, msgspec.json.encode(one, order="sorted")) not in beside}
        return {key: _bare(one, beside) for key, one in stay.items()}
    if isinstance(value, list):
        return [_bare(one, beside) for one in value if ("", msgspec.json.encode(one)) not in beside]
    return value


def _loose(edit: Edit) -> dict[str, bool]:
    """The answers that are looked at in any case. Those of an earlier release, which are not listed, are removed."""
    loose = edit.kept(LOOSE)
    if not loose.pop(LISTED, False):
        every = edit.kept(ANSWERS)
        listed = {*loose, *(one.of for one in every.values())}
        edit.keep(ANSWERS, {key: Answered(one.at) for key, one in every.items() if not one.of and key not in listed})
        edit.keep(LOOSE, {LISTED: True})
    return loose


class _Quotes:
    """What is erased, as it may be quoted in answers."""

    def __init__(self, view: View, erased: Erased) -> None:
        self._view, self._space = view, erased.space
        self._places = {text for text in erased.said if _is_place(text)}
        self._said = Said((text for text in erased.said if text not in self._places), but=erased.rest)
        self._telling: set[str] = set()
        self._known: dict[str, bool] = {}

    def taken_out_of(self, answers: Mapping[str, Raw]) -> dict[str, Raw]:
        """Those of some answers that hold any, without them. Words tell quickly that most do not."""
        words = {key: self._said.words & words_in(bytes(answer)) for key, answer in answers.items()}
        counts = Counter(word for some in words.values() for word in some)
        self._telling = self._own(list(counts))
        looked_for = self._said.seldom(counts) | self._telling
        places = [msgspec.json.encode(place)[1:-1] for place in self._places]
        left: dict[str, Raw] = {}
        for key, some in words.items():
            if not looked_for.isdisjoint(some) or any(place in bytes(answers[key]) for place in places):
                found = msgspec.json.decode(answers[key])
                new = replaced(found, self._are_in)
                if new is not found:
                    left[key] = Raw(msgspec.json.encode(new))
        return left

    def _are_in(self, text: str, name: str) -> bool:
        if not may_quote(text, name):
            return False
        if _is_place(text):
            return text in self._places
        if self._said.is_quoted_in(text):
            return not is_short(text) or not self._is_known(text)
        telling = is_short(text) and not self._telling.isdisjoint(words_in(text.encode()))
        return telling and self._said.is_part(text) and not self._is_known(text)

    def _own(self, words: Sequence[str]) -> set[str]:
        """Those of some words that nobody else says."""
        if not words:
            return set()
        hashed = {word: [hash_term(term) for term in terms(word)] for word in words}
        held = self._view.mentions(self._space, [*{one for some in hashed.values() for one in some}], most=1)
        found = self._view.entities(Entities(space=self._space, names=tuple(words)))
        named = {normal_name(name) for one in found for name in (one.name, *one.aliases)}
        return {word for word, some in hashed.items() if word not in named and not all(held.get(one) for one in some)}

    def _is_known(self, text: str) -> bool:
        """Do others say these few words, too?"""
        if text not in self._known:
            hashed = [hash_term(term) for term in terms(text)]
            held = self._view.words([self._space], hashed, Filter(valid_only=False), 1, every=True).get(self._space)
            named = self._view.entities(Entities(space=self._space, names=(text,)), limit=1)
            self._known[text] = bool(named) or (held is not None and len(held.versions) > 0)
        return self._known[text]
