"""How does something new get into a memory?"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec

from recollect.engine.core import Core
from recollect.ingest.entities import NAMES_VERSION, extract_names, phrases, unspaced
from recollect.store.base import Edit, Lexis, View
from recollect.store.terms import TERMS_VERSION, split_words, terms_of
from recollect.types import Draft, Receipt, Record, Space

LEXIS_VERSION = 1000 * TERMS_VERSION + NAMES_VERSION
_CACHED_WORDS = 100_000
_LONGEST_CACHED = 48
_RECALLED = re.compile(r"\A\s*<recollect\b")  # what `Recall.context` begins with


def content_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def hash_term(term: str) -> int:
    return zlib.crc32(term.encode())


class _Hashes(dict[str, tuple[int, ...]]):
    """The hashed terms of words, worked out when a word is first met."""

    def __missing__(self, word: str) -> tuple[int, ...]:
        hashes = tuple(map(hash_term, terms_of(word)))
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = hashes
        return hashes


_hashes = _Hashes()


def count_terms(title: str | None, text: str) -> dict[int, int]:
    """How often each term occurs."""
    words = split_words(text if title is None else f"{title}\n{text}")
    return Counter(chain.from_iterable(map(_hashes.__getitem__, words)))


def derive_lexis(
    view: View, record: Record, counted: Mapping[int, int] | None = None, *, any_known: bool | None = None
) -> Lexis:
    """What the keyword index should know of a record, given the entities that its space knows.

    Who asks for many records may have counted their terms, and know whether the space has entities at all.
    """
    words = count_terms(record.title, record.text) if counted is None else counted
    names = [] if record.kind == "code" else extract_names(record.text)  # in code everything looks like a name
    if view.knows_names(record.space) if any_known is None else any_known:
        spoken = phrases(record.text)
        found = view.known_names(record.space, spoken, unspaced(record.text))
        said = set(spoken)
        names += [name for name in found if name in said or unspaced(name)]  # no "ana" in a banana between 汉字
    return Lexis(words, tuple(dict.fromkeys(names)))


def ensure_space(edit: Edit, name: str) -> None:
    if edit.space(name) is None:
        edit.put_space(Space(name=name, created_at=edit.now))


def remember_many(
    core: Core, drafts: Sequence[Draft], space: str, *, alike: Sequence[str] = (), anywhere: bool = False
) -> list[Receipt]:
    """Stores drafts in one transaction: all that can be stored are, or none when something breaks.

    A text that is already stored is stored again beside it where the two are not `alike` in all of some fields; with
    `anywhere`, it is not stored twice in a space at all.
    """
    counted = [count_terms(draft.title, draft.text) for draft in drafts]
    with core.store.write(actor=core.actor) as edit:
        if not all(_RECALLED.match(draft.text) for draft in drafts):
            ensure_space(edit, space)
        any_known = edit.knows_names(space)
        held = edit.held(space, [content_hash(draft.text) for draft in drafts])
        receipts = [
            remember_one(
                core, edit, draft, space, count, any_known=any_known, alike=alike, anywhere=anywhere, held=held
            )
            for draft, count in zip(drafts, counted, strict=True)
        ]
    if any(receipt.stored for receipt in receipts):
        core.written()
    return receipts


def remember_one(
    core: Core,
    edit: Edit,
    draft: Draft,
    space: str,
    counted: Mapping[int, int],
    *,
    any_known: bool | None = None,
    alike: Sequence[str] = (),
    anywhere: bool = False,
    held: set[str] | None = None,
) -> Receipt:
    """Stores a draft in a transaction that is under way.

    Who stores many hands in the hashes of texts that the space holds; what is stored is added to them.
    """
    if _RECALLED.match(draft.text):
        reason = "this text was made by recall; remembering it again would store the same thing twice"
        return Receipt(outcome="rejected", id=None, space=space, reason=reason)
    record = make_record(core, edit, draft, space)
    if draft.id is not None and (known := edit.get(Record, space, draft.id)) is not None:
        if known.content_hash == record.content_hash:
            return Receipt(outcome="deduplicated", id=known.id, space=space, reason="this id holds the same text")
        reason = f"the id {draft.id} already holds another text; use revise to change it"
        return Receipt(outcome="rejected", id=None, space=space, reason=reason)
    twin = edit.twin(record, alike, anywhere=anywhere) if held is None or record.content_hash in held else None
    if twin is not None:
        return Receipt(outcome="deduplicated", id=twin, space=space, reason="the same text is already stored")
    if draft.session is not None or draft.source is not None:
        position = edit.next_position(space, draft.session, draft.source)
        record = msgspec.structs.replace(record, position=position)
    if held is not None:
        held.add(record.content_hash)
    stored, entry = edit.put(record, verb="remember", lexis=derive_lexis(edit, record, counted, any_known=any_known))
    return Receipt(outcome="stored", id=stored.id, space=space, entry=entry)


def make_record(core: Core, edit: Edit, draft: Draft, space: str) -> Record:
    """The record that a draft becomes. Its place in a session or a source is given when it is really stored."""
    return Record(
        id=draft.id or core.new_id(),
        space=space,
        text=draft.text,
        kind=draft.kind,
        memory_type=draft.memory_type,
        title=draft.title,
        role=draft.role,
        room=draft.room,
        session=draft.session,
        project=draft.project,
        user=draft.user,
        tags=draft.tags,
        source=draft.source,
        locator=draft.locator,
        importance=draft.importance,
        confidence=draft.confidence,
        status=draft.status,
        trust=draft.trust,
        event_time=draft.event_time or edit.now,
        created_at=edit.now,
        recorded_at=edit.now,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        content_hash=content_hash(draft.text),
        metadata=draft.metadata,
    )
