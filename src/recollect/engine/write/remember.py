"""How does something new get into a memory?"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import cast

import msgspec

from recollect.engine.core import Core, Step, space_of, stepping
from recollect.engine.write.grounds import judge
from recollect.engine.write.screen import ALL_PRIVATE, Screen, told_masked, told_masked_again, told_refused
from recollect.errors import InvalidInput
from recollect.fields import filled_from
from recollect.ingest.entities import NAMES_VERSION, extract_names, phrases, unspaced
from recollect.ingest.pieces import called
from recollect.store.base import Edit, Lexis, View
from recollect.store.ops import Put, PutMessages, PutSpace
from recollect.store.terms import TERMS_VERSION, PerWord, hash_term, split_words, terms_of
from recollect.types import (
    HIDDEN_STATUSES,
    REPEATED,
    Claim,
    Draft,
    Filter,
    Json,
    Message,
    Outcome,
    Receipt,
    Record,
    Space,
    Stated,
)

LEXIS_VERSION = 1000 * TERMS_VERSION + 10 * NAMES_VERSION + 3  # the last: what `count_stated` and `refs_of` answer
_MOST_TOLD = 10
_NOTHING: tuple[str, ...] = ()
_MOST_BESIDE = 4_000  # characters
_record = filled_from(Stated, Record, ("id", "space", "event_time", "created_at", "recorded_at", "content_hash"))
_MADE_BY_RECALL = "this text was made by recall; remembering it again would store the same thing twice"
_LOOKED_UP = 1_000  # texts at once
_encode = msgspec.json.Encoder(order="deterministic").encode
_RECALLED = re.compile(r"\A[\s>]*<recollect\b")  # what `Recall.context` begins with


def content_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_hashes = PerWord(lambda word: tuple([hash_term(term) for term in terms_of(word)]))


def count_terms(title: str | None, text: str, beside: str = "") -> dict[int, int]:
    """How often each term occurs in a text, its title, and what is said beside it."""
    words = split_words("\n".join([part for part in (title, text, beside) if part]) if title or beside else text)
    return Counter(chain.from_iterable(map(_hashes.__getitem__, words)))


def count_stated(one: Stated) -> dict[int, int]:
    """How often each term occurs in all that something is found by."""
    return count_terms(called(one), one.text, said_beside(one))


def said_beside(one: Stated) -> str:
    """What a record is found by beside its title and text.

    What has grounds: what it claims, where it holds, and what was noted with it. A message: who spoke, and what was
    noted with it.
    """
    grounds, locator = one.grounds, one.locator or {}
    if grounds is None and "role" not in locator:
        return ""
    claimed = [] if grounds is None or grounds.claim is None else [_spoken(grounds.claim)]
    noted = islice(chain(() if grounds is None else grounds.scopes, texts_in([locator.get("name"), one.metadata])), 100)
    return " ".join([*claimed, *noted])[:_MOST_BESIDE]


def texts_in(value: Json) -> Iterator[str]:
    """The texts in a value, however deep they stand."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(map(texts_in, value.values()))
    elif isinstance(value, Sequence):
        yield from chain.from_iterable(map(texts_in, value))


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
    words = count_stated(record) if counted is None else counted
    names = list(named) if named is not None else look_for_names(record.kind, record.text)
    if record.space in view.names([record.space]) if any_known is None else any_known:
        spoken = phrases(record.text)
        found = view.names([record.space], spoken, unspaced(record.text)).get(record.space, [])
        said = set(spoken)
        names += [name for name in found if name in said or unspaced(name)]  # no "ana" in a banana between 汉字
    return Lexis(words, tuple(dict.fromkeys(names)))


def look_for_names(kind: str, text: str) -> list[str]:
    return [] if kind == "code" else extract_names(text)  # in code everything looks like a name


def ensure_space(edit: Edit, name: str) -> None:
    if space_of(edit, name) is None:
        edit.apply([PutSpace(Space(name=name, created_at=edit.now))])


def make_room(edit: Edit, space: str, drafts: Sequence[Draft]) -> None:
    """Has a space for drafts, unless all of them will be rejected."""
    if not all(_RECALLED.match(draft.text) for draft in drafts):
        ensure_space(edit, space)


def put_of(
    view: View,
    record: Record,
    verb: str,
    before: Record | None = None,
    *,
    reason: str | None = None,
    undoes: int | None = None,
) -> Put:
    """The operation that writes a record, with what the keyword index should know of it."""
    lexis = derive_lexis(view, record)
    return Put(thing=record, verb=verb, before=before, lexis=lexis, reason=reason, undoes=undoes)


STAGES = 3
"""Drafts are counted, screened and put together, one by one in each stage."""


def remember_many(
    core: Core,
    drafts: Sequence[Draft],
    space: str,
    *,
    alike: Sequence[str] = (),
    anywhere: bool = False,
    atomic: bool = False,
    step: Step | None = None,
) -> list[Receipt]:
    """Stores drafts in one transaction: all that can be stored are, or none when something breaks.

    With `atomic` a draft that is rejected breaks all. A text that is already stored is stored again beside it where
    the two are not `alike` in all of some fields; with `anywhere`, it is not stored twice in a space at all.
    """
    counting = stepping(drafts, step, 0, STAGES)
    counted = list(map(count_stated, counting))
    with core.store.write(actor=core.actor) as edit:
        make_room(edit, space, drafts)
        receipts = take_all(core, edit, drafts, space, counted, alike=alike, anywhere=anywhere, step=step).finish()
        if atomic:
            _require_all(receipts)
        if step is not None:
            step(len(drafts), len(drafts))
    if any(receipt.stored for receipt in receipts):
        core.written()
    return receipts


def _require_all(receipts: Sequence[Receipt]) -> None:
    for i, receipt in enumerate(receipts):
        if receipt.outcome == "rejected":
            raise InvalidInput(f"drafts[{i}]", f"{receipt.reason}; nothing was stored")


def take_all(
    core: Core,
    edit: Edit,
    drafts: Sequence[Draft],
    space: str,
    counted: Sequence[Mapping[int, int]],
    *,
    alike: Sequence[str] = (),
    anywhere: bool = False,
    step: Step | None = None,
) -> Batch:
    """Drafts, whose terms are counted, on their way into a space; `finish` writes what is left of them, and answers."""
    screen = Screen(edit, space)
    taken = [screen.take(draft) for draft in stepping(drafts, step, 1, STAGES)]
    batch = Batch(core, edit, space, [draft for draft, _ in taken], alike=alike, anywhere=anywhere)
    for given, (draft, masked), count in zip(stepping(drafts, step, 2, STAGES), taken, counted, strict=True):
        if masked and screen.policy == "reject":
            batch.refuse(told_refused(masked))
        elif not draft.text.strip():
            batch.refuse(ALL_PRIVATE)
        else:
            batch.take(draft, count if draft is given else None, masked)
    return batch


class Batch:
    """Drafts on their way into a space: what is there is looked up for all of them, and they are written together."""

    def __init__(
        self, core: Core, edit: Edit, space: str, drafts: Sequence[Draft], *, alike: Sequence[str], anywhere: bool
    ) -> None:
        self._core = core
        self._edit = edit
        self._space = space
        self._alike = alike if anywhere else ("kind", "session", *alike)
        self._by_grounds = "grounds" in alike
        self._lists_repeats = anywhere
        hashes = [content_hash(draft.text) for draft in drafts]
        self._hashes = iter(hashes)
        self._twins: dict[str, list[Record]] = {}
        self._ids: dict[str, Record] = {}
        self._puts: list[Put] = []
        self._receipts: list[Receipt] = []
        self._waiting: list[int] = []
        self.written: list[Record] = []
        ids = tuple({draft.id for draft in drafts if draft.id is not None})
        self._any_known, held = edit.together(
            lambda: space in edit.names([space]), lambda: self._look_up(list(dict.fromkeys(hashes)), ids)
        )
        for record in held[0]:
            self._twins.setdefault(record.content_hash, []).append(record)
        self._ids = {record.id: record for record in held[1]}

    def _look_up(self, hashes: Sequence[str], ids: tuple[str, ...]) -> tuple[list[Record], list[Record]]:
        """The records that have one of the texts, and those that have one of the ids."""
        here = Filter(spaces=(self._space,))
        parts = [tuple(hashes[start : start + _LOOKED_UP]) for start in range(0, len(hashes), _LOOKED_UP)]
        asked = [msgspec.structs.replace(here, hashes=part) for part in parts]
        if ids:
            asked.append(msgspec.structs.replace(here, ids=ids, valid_only=False))
        found = self._edit.together(*(partial(self._edit.select, Record, where) for where in asked))
        return [record for some in found[: len(parts)] for record in some], list(found[-1]) if ids else []

    @property
    def pending(self) -> list[Record]:
        """What is to be written and has not been yet."""
        return [cast("Record", put.thing) for put in self._puts]

    def refuse(self, reason: str) -> None:
        next(self._hashes)
        self._answer("rejected", None, reason)

    def take(self, draft: Draft, counted: Mapping[int, int] | None, masked: tuple[str, ...] = ()) -> None:
        hash = next(self._hashes)
        if _RECALLED.match(draft.text):
            self._answer("rejected", None, _MADE_BY_RECALL)
            return
        record = make_record(self._core, self._edit, draft, self._space, hash)
        known = self._ids.get(draft.id) if draft.id is not None else None
        if known is not None:
            self._answer_known(draft, known, record)
            self._tell_masked(masked, told_masked_again)
            return
        contradicts, renews = _NOTHING, None
        if record.grounds is not None:
            self._write()  # evidence and claims are looked for in the store
            ruling = judge(self._edit, record)
            if ruling.refusal is not None:
                self._answer("rejected", None, str(ruling.refusal))
                return
            record, contradicts, renews = ruling.record, ruling.contradicts, ruling.renews
        twin = None if renews is not None else self._twin(record)
        if twin is not None:
            self._answer("deduplicated", twin.id, "the same text is already stored")
            self._tell_masked(masked, told_masked_again)
            if self._lists_repeats and draft.session is not None:
                self._list_repeat(draft.session, twin, record)
            return
        self._store(draft, record, counted, contradicts, renews)
        self._tell_masked(masked, told_masked)

    def _tell_masked(self, masked: tuple[str, ...], told: Callable[[Sequence[str]], str]) -> None:
        """Has the last receipt say what of its text is not kept; one that was rejected keeps nothing."""
        last = self._receipts[-1]
        if masked and last.outcome != "rejected":
            reason = "; ".join(filter(None, (last.reason, told(masked))))
            self._receipts[-1] = msgspec.structs.replace(last, reason=reason, masked=masked)

    def _list_repeat(self, session: str, twin: Record, record: Record) -> None:
        """What was said again is a message of its session, though the memory of it is an earlier one."""
        self._write()  # what came before it stands before it
        again = Message(id=twin.id, role=record.role, at=record.event_time, flag=REPEATED)
        self._edit.apply([PutMessages(space=self._space, session=session, messages=(again,), more=True)])

    def _answer(self, outcome: Outcome, id: str | None, reason: str) -> None:
        self._receipts.append(Receipt(outcome=outcome, id=id, space=self._space, reason=reason))

    def _answer_known(self, draft: Draft, known: Record, record: Record) -> None:
        if known.content_hash == record.content_hash:
            self._answer("deduplicated", known.id, "this id holds the same text")
        else:
            self._answer("rejected", None, f"the id {draft.id} already holds another text; use revise to change it")

    def _twin(self, record: Record) -> Record | None:
        """The record that holds now and says the same.

        What has grounds is the same as another by what it claims, and by its text only where the caller says so.
        """
        if record.grounds is not None and not self._by_grounds:
            return None
        found = self._twins.get(record.content_hash, ())
        return next((twin for twin in found if all(_same(twin, record, name) for name in self._alike)), None)

    def _store(
        self, draft: Draft, record: Record, counted: Mapping[int, int] | None, contradicts: tuple[str, ...],
        renews: Record | None,
    ) -> None:  # fmt: skip
        reason = _contradiction(contradicts)
        why = f"{draft.reason} ({reason})" if draft.reason and reason else draft.reason or reason
        lexis = derive_lexis(self._edit, record, None if renews else counted, any_known=self._any_known)
        last = draft.session is not None or draft.source is not None
        verb = "remember" if renews is None else "renew"
        self._puts.append(Put(thing=record, verb=verb, before=renews, lexis=lexis, last=last, reason=why))
        self._waiting.append(len(self._receipts))
        self._receipts.append(
            Receipt(
                outcome="stored", id=record.id, space=self._space, reason=reason, status=record.status,
                contested=contradicts,
            )
        )  # fmt: skip
        self._ids[record.id] = record
        if record.status not in HIDDEN_STATUSES and record.is_valid_at(self._edit.now):
            self._twins.setdefault(record.content_hash, []).append(record)

    def _write(self) -> None:
        """Writes what has come together, and gives the receipts their entries."""
        for place, done in zip(self._waiting, self._edit.apply(self._puts), strict=True):
            self._receipts[place] = msgspec.structs.replace(
                self._receipts[place], entry=done.entry, entries=done.entries
            )
            if isinstance(done.thing, Record):
                self.written.append(done.thing)
        self._puts, self._waiting = [], []

    def finish(self) -> list[Receipt]:
        self._write()
        return self._receipts


def _same(one: Record, other: Record, name: str) -> bool:
    """Do two records have the same in a field, or in one of their metadata, down to the form in which it is kept?"""
    field, _, key = name.partition(".")
    mine, theirs = ((getattr(each, field).get(key) if key else getattr(each, field)) for each in (one, other))
    return mine == theirs and (mine is None or isinstance(mine, str) or _encode(mine) == _encode(theirs))


def _contradiction(contradicts: Sequence[str]) -> str | None:
    """Why a record is contested from the start; of many others only some are named."""
    more = f" and {len(contradicts) - _MOST_TOLD:,} more" if len(contradicts) > _MOST_TOLD else ""
    return f"contradicts {', '.join(contradicts[:_MOST_TOLD])}{more}" if contradicts else None


def make_record(core: Core, edit: Edit, draft: Draft, space: str, hash: str | None = None) -> Record:
    """The record that a draft becomes. Its place in a session or a source is given when it is really stored."""
    id = draft.id or core.new_id()
    return _record(draft, id, space, draft.event_time or edit.now, edit.now, edit.now, hash or content_hash(draft.text))
