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
from recollect.engine.write.grounds import judge
from recollect.errors import InvalidInput
from recollect.fields import filled_from
from recollect.ingest.entities import NAMES_VERSION, extract_names, phrases, unspaced
from recollect.store.base import Edit, Lexis, View
from recollect.store.terms import TERMS_VERSION, split_words, terms_of
from recollect.types import Claim, Draft, Grounds, Receipt, Record, Space, Stated

LEXIS_VERSION = 1000 * TERMS_VERSION + NAMES_VERSION
_CACHED_WORDS = 100_000
_LONGEST_CACHED = 48
_MOST_TOLD = 10
_record = filled_from(Stated, Record, ("id", "space", "event_time", "created_at", "recorded_at", "content_hash"))
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


def count_terms(title: str | None, text: str, grounds: Grounds | None = None) -> dict[int, int]:
    """How often each term occurs; a claim is found by its words too."""
    whole = text if title is None else f"{title}\n{text}"
    words = split_words(whole if grounds is None or grounds.claim is None else f"{whole}\n{_spoken(grounds.claim)}")
    return Counter(chain.from_iterable(map(_hashes.__getitem__, words)))


def _spoken(claim: Claim) -> str:
    """What a claim says of its subject, which itself is an id more often than not."""
    value = claim.value if isinstance(claim.value, str) else msgspec.json.encode(claim.value).decode()
    said = [claim.subject, claim.predicate.replace("_", " "), "" if claim.value is None else value, claim.object or ""]
    return " ".join(said)


def derive_lexis(
    view: View,
    record: Record,
    counted: Mapping[int, int] | None = None,
    *,
    any_known: bool | None = None,
    named: Sequence[str] | None = None,
) -> Lexis:
    """What the keyword index should know of a record, given the entities that its space knows.

    Who asks for many records may have counted their terms and looked for names in them, and know whether the space has
    entities at all.
    """
    words = count_terms(record.title, record.text, record.grounds) if counted is None else counted
    names = list(named) if named is not None else look_for_names(record.kind, record.text)
    if view.knows_names(record.space) if any_known is None else any_known:
        spoken = phrases(record.text)
        found = view.known_names(record.space, spoken, unspaced(record.text))
        said = set(spoken)
        names += [name for name in found if name in said or unspaced(name)]  # no "ana" in a banana between 汉字
    return Lexis(words, tuple(dict.fromkeys(names)))


def look_for_names(kind: str, text: str) -> list[str]:
    return [] if kind == "code" else extract_names(text)  # in code everything looks like a name


def ensure_space(edit: Edit, name: str) -> None:
    if edit.space(name) is None:
        edit.put_space(Space(name=name, created_at=edit.now))


def remember_many(
    core: Core,
    drafts: Sequence[Draft],
    space: str,
    *,
    alike: Sequence[str] = (),
    anywhere: bool = False,
    atomic: bool = False,
) -> list[Receipt]:
    """Stores drafts in one transaction: all that can be stored are, or none when something breaks.

    With `atomic` a draft that is rejected breaks all. A text that is already stored is stored again beside it where
    the two are not `alike` in all of some fields; with `anywhere`, it is not stored twice in a space at all.
    """
    counted = [count_terms(draft.title, draft.text, draft.grounds) for draft in drafts]
    with core.store.write(actor=core.actor) as edit:
        if not all(_RECALLED.match(draft.text) for draft in drafts):
            ensure_space(edit, space)
        any_known = edit.knows_names(space)
        hashes = [content_hash(draft.text) for draft in drafts]
        held = edit.held(space, hashes)
        receipts = [
            remember_one(
                core,
                edit,
                draft,
                space,
                count,
                any_known=any_known,
                alike=alike,
                anywhere=anywhere,
                held=held,
                hash=hash,
            )
            for draft, count, hash in zip(drafts, counted, hashes, strict=True)
        ]
        if atomic:
            _require_all(receipts)
    if any(receipt.stored for receipt in receipts):
        core.written()
    return receipts


def _require_all(receipts: Sequence[Receipt]) -> None:
    for i, receipt in enumerate(receipts):
        if receipt.outcome == "rejected":
            raise InvalidInput(f"drafts[{i}]", f"{receipt.reason}; nothing was stored")


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
    hash: str | None = None,
) -> Receipt:
    """Stores a draft in a transaction that is under way.

    Who stores many hands in the hash of its text, and the hashes of texts that the space holds; what is stored is
    added to them.
    """
    if _RECALLED.match(draft.text):
        reason = "this text was made by recall; remembering it again would store the same thing twice"
        return Receipt(outcome="rejected", id=None, space=space, reason=reason)
    record = make_record(core, edit, draft, space, hash)
    if draft.id is not None and (known := edit.get(Record, space, draft.id)) is not None:
        if known.content_hash == record.content_hash:
            return Receipt(outcome="deduplicated", id=known.id, space=space, reason="this id holds the same text")
        reason = f"the id {draft.id} already holds another text; use revise to change it"
        return Receipt(outcome="rejected", id=None, space=space, reason=reason)
    contradicts: tuple[str, ...] = ()
    reason = None
    if record.grounds is not None:
        ruling = judge(edit, record)
        if ruling.refusal is not None:
            return Receipt(outcome="rejected", id=None, space=space, reason=str(ruling.refusal))
        record, contradicts = ruling.record, ruling.contradicts
        reason = _told(contradicts)
    if _may_have_twin(record, alike, held):
        twin = edit.twin(record, alike, anywhere=anywhere)
        if twin is not None:
            return Receipt(outcome="deduplicated", id=twin, space=space, reason="the same text is already stored")
    if draft.session is not None or draft.source is not None:
        position = edit.next_position(space, draft.session, draft.source)
        record = msgspec.structs.replace(record, position=position)
    if held is not None:
        held.add(record.content_hash)
    lexis = derive_lexis(edit, record, counted, any_known=any_known)
    why = f"{draft.reason} ({reason})" if draft.reason and reason else draft.reason or reason
    _, entry = edit.put(record, verb="remember", lexis=lexis, reason=why)
    return Receipt(
        outcome="stored", id=record.id, space=space, reason=reason, entry=entry, status=record.status,
        entries=(entry,), contested=contradicts,
    )  # fmt: skip


def _told(contradicts: Sequence[str]) -> str | None:
    """Why a record is contested from the start; of many others only some are named."""
    more = f" and {len(contradicts) - _MOST_TOLD:,} more" if len(contradicts) > _MOST_TOLD else ""
    return f"contradicts {', '.join(contradicts[:_MOST_TOLD])}{more}" if contradicts else None


def _may_have_twin(record: Record, alike: Sequence[str], held: set[str] | None) -> bool:
    """What has grounds is the same as another by what it claims, and by its text only where the caller says so."""
    if record.grounds is not None and "grounds" not in alike:
        return False
    return held is None or record.content_hash in held


def make_record(core: Core, edit: Edit, draft: Draft, space: str, hash: str | None = None) -> Record:
    """The record that a draft becomes. Its place in a session or a source is given when it is really stored."""
    id = draft.id or core.new_id()
    return _record(draft, id, space, draft.event_time or edit.now, edit.now, edit.now, hash or content_hash(draft.text))
