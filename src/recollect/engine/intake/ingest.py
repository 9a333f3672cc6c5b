"""How do a document and a conversation become records?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import islice

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, Step, stepping
from recollect.engine.intake.results import Ingested, SourceDraft
from recollect.engine.intake.sources import hash_of, ingest_source, read_segments
from recollect.engine.intake.withheld import away_among, forgotten_sections, put_away, stands_as
from recollect.engine.parse import parse_draft, parse_label, parse_optional_time, parse_text
from recollect.engine.write.grounds import source_id
from recollect.engine.write.remember import content_hash, ensure_space, make_record, put_of, remember_many, texts_in
from recollect.engine.write.screen import Screen
from recollect.errors import InvalidInput
from recollect.ingest.parsed import conversation_adapter
from recollect.ingest.secrets import drop_private
from recollect.ingest.text import split_sections
from recollect.store.base import Edit
from recollect.store.ops import Op, Retire
from recollect.types import Draft, Filter, Metadata, Receipt, Record, Segment

_TITLE = 80
_MOST_ORIGIN = 20  # texts of where a conversation took place, by which it is found
_RENEWED = (
    "memory_type", "role", "room", "project", "user", "tags", "importance", "confidence", "status", "trust",
    "valid_from", "locator", "metadata",
)  # fmt: skip
_MESSAGE_FIELDS = {"role", "content", "text", "name", "created_at", "at", "metadata"}


def ingest_text(
    core: Core, text: str, space: str, source: str | None, title: str | None, fields: Draft, step: Step | None = None
) -> Ingested:
    """Stores a document in sections. The same source again replaces what it held: unchanged sections stay."""
    sections = split_sections(drop_private(text))
    with core.store.read() as view:
        texts = Screen(view, space).carry([section.text for section in sections])
    drafts = [
        msgspec.structs.replace(
            fields,
            text=public,
            title=" › ".join([*([title] if title else []), *section.headings]) or None,
            source=source,
            locator={"lines": [section.first_line, section.last_line]},
        )
        for section, public in zip(sections, texts, strict=True)
    ]
    if source is None:
        return _summary(remember_many(core, drafts, space, step=step), 0)
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        held = Filter(spaces=(space,), sources=(source,), kinds=(fields.kind,), valid_only=False)
        answer = _replace_source(core, edit, drafts, space, edit.select(Record, held, "position"), step)
        if step is not None:
            step(len(drafts), len(drafts))
    core.written()
    return answer


def _replace_source(
    core: Core, edit: Edit, drafts: Sequence[Draft], space: str, before: Sequence[Record], step: Step | None
) -> Ingested:
    """Puts the sections of a document in place of those it had before; what else cites the source is left alone."""
    screen = Screen(edit, space)
    taken = [screen.take(draft) for draft in stepping(drafts, step, 0, 2)]
    masked = tuple(dict.fromkeys(kind for _, kinds in taken for kind in kinds))
    kept = [draft for draft, kinds in taken if draft.text.strip() and not (kinds and screen.policy == "reject")]
    held: dict[tuple[str | None, str], list[Record]] = {}
    for record in before:
        held.setdefault((record.title, record.text), []).append(record)
    away = forgotten_sections(edit, space, source_id(kept[0].source), kept, before) if kept and kept[0].source else {}
    ended = put_away(edit, space, before)
    ids: list[str] = []
    stored = 0
    ops: list[Op] = []
    for position, draft in enumerate(stepping(kept, step, 1, 2)):
        if position in away:
            continue
        same = held.get((draft.title, draft.text))
        if same:
            old = same.pop(0)
            new = _renewed(old, draft, position)
            if new != old and old.id not in ended:
                ops.append(put_of(edit, new, "ingest", old))
            ids.append(old.id)
        else:
            record = msgspec.structs.replace(make_record(core, edit, draft, space), position=position)
            ops.append(put_of(edit, record, "ingest"))
            ids.append(record.id)
            stored += 1
    gone = [record for records in held.values() for record in records]
    ops += [Retire(thing=record, verb="replace", reason=f"no longer in {record.source}") for record in gone]
    edit.apply(ops)
    return Ingested(
        ids=tuple(ids), stored=stored, deduplicated=len(ids) - stored, removed=len(gone),
        rejected=len(drafts) - len(kept), masked=masked,
    )  # fmt: skip


def _renewed(old: Record, draft: Draft, position: int) -> Record:
    """A section that a document still has, as the document and the caller now give it."""
    given = {name: getattr(draft, name) for name in _RENEWED if getattr(draft, name) is not None}
    until = draft.valid_until
    return msgspec.structs.replace(old, **given, position=position, valid_until=until, superseded_by=None)


class Talk(Struct, frozen=True):
    """How a conversation is named: the session that it belongs to, its title, and where it took place."""

    session: str | None
    title: str | None = None
    origin: Metadata | None = None


def ingest_conversation(
    core: Core, messages: Sequence[Mapping[str, object]], space: str, talk: Talk, fields: Mapping[str, object],
    step: Step | None = None,
) -> Ingested:  # fmt: skip
    """Stores the messages of a conversation in order. Messages that the session already holds are not stored again."""
    session = talk.session or "(a session)"
    given = {**fields, "session": session, **({} if talk.title is None else {"title": talk.title})}
    kept = talk.title is not None or talk.origin is not None
    given = {"trust": "imported", **given} if kept else given
    drafts = [_message(message, f"messages[{i}]", given) for i, message in enumerate(messages)]
    if not kept:
        left = _but_away(core, space, session, drafts)
        receipts = remember_many(core, left, space, step=step)
        return msgspec.structs.replace(_summary(receipts, 0), forgotten=len(drafts) - len(left))
    if not drafts:
        raise InvalidInput("messages", "must have at least one message")
    source = _draft_talk(talk, drafts, [_speaker(message) for message in messages])
    if talk.session is None and drafts[0].source is None:
        source = _told_apart(core, source, space, _place(talk, drafts[0], by=drafts[0].text))
    shared = msgspec.structs.replace(drafts[0], metadata={}, source=None)
    answer = ingest_source(core, source, space, shared, extend=talk.session is not None, told=True, step=step)
    with core.store.read() as view:
        held = view.get(Record, space, answer.id)
        ids = [] if held is None else [record.id for record in read_segments(view, held)]
    away = len(answer.forgotten)
    return Ingested(
        ids=tuple(ids), stored=answer.added, deduplicated=len(drafts) - answer.added - away, removed=answer.removed,
        forgotten=away, masked=answer.masked, rejected=answer.refused, source=answer,
    )  # fmt: skip


def _but_away(core: Core, space: str, session: str, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Messages without those that were forgotten or evicted of their session."""
    with core.store.read() as view:
        screen = Screen(view, space)
        kept = [msgspec.structs.replace(one, text=screen.text(one.text)[0]) for one in drafts]
        away = away_among(view, space, session, kept)
    return [one for place, one in enumerate(drafts) if place not in away]


def _speaker(message: Mapping[str, object]) -> Metadata:
    """Who said it and when, in the words of the caller."""
    told = {name: message.get(name) for name in ("role", "name")}
    at = parse_optional_time(message.get("created_at", message.get("at")), "created_at")
    said = {**told, "created_at": None if at is None else at.isoformat()}
    return {name: value for name, value in said.items() if isinstance(value, str)}


def _draft_talk(talk: Talk, drafts: Sequence[Draft], speakers: Sequence[Metadata]) -> SourceDraft:
    """A conversation as a source. Without a session it is known again by its title, its origin and how it begins."""
    origin = talk.origin or {}
    first = drafts[0]
    location = first.source or (_place(talk, first) if talk.session is None else f"conversation:{talk.session}")
    said = [
        msgspec.json.encode((draft.role, draft.text, draft.event_time, draft.metadata, speaker))
        for draft, speaker in zip(drafts, speakers, strict=True)
    ]
    segments = tuple(
        Segment(
            text=draft.text, title=talk.title, role=draft.role, event_time=draft.event_time, metadata=draft.metadata,
            locator={"kind": "message", "index": index, **speaker},
        )
        for index, (draft, speaker) in enumerate(zip(drafts, speakers, strict=True))
    )  # fmt: skip
    return SourceDraft(
        location=location, source_kind="conversation", title=talk.title or _short(first.text),
        fingerprint=hash_of([msgspec.json.encode((talk.title, origin)), *said]),
        adapter=conversation_adapter("messages"), segments=segments, session=talk.session or location,
        payload={"origin": origin, "messages": len(drafts)}, summary=" ".join(islice(texts_in(origin), _MOST_ORIGIN)),
    )  # fmt: skip


def _place(talk: Talk, first: Draft, by: str | None = None) -> str:
    """Where a conversation without a session is looked for. Its id is made of that, and outlives what was said in it:
    so one byte of a hash is all that it tells of how it begins. Earlier releases went `by` the text itself."""
    text = blake2b(first.text.encode("utf-8", "surrogatepass"), digest_size=1).hexdigest() if by is None else by
    begins = (talk.title, talk.origin or {}, first.role, text, first.event_time)
    return f"conversation:{hash_of([msgspec.json.encode(begins)])[:32]}"


def _told_apart(core: Core, draft: SourceDraft, space: str, earlier: str) -> SourceDraft:
    """The draft in a place of its own where another conversation merely begins as it does.

    It is the same one that was stored before if one of them goes on where the other ends.
    """
    said = [content_hash(segment.text) for segment in draft.segments]
    location = draft.location
    with core.store.read() as view:
        for place in (earlier, draft.location):
            location, number = place, 1
            while (known := view.get(Record, space, source_id(location))) is not None:
                held = {record.id: record.content_hash for record in read_segments(view, known)}
                if stands_as(view, space, location, held, said):
                    return msgspec.structs.replace(draft, location=location, session=location)
                number += 1
                location = f"{place}#{number}"
    return msgspec.structs.replace(draft, location=location, session=location)


def _short(text: str) -> str:
    line = " ".join(text[:400].split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"


def _message(message: Mapping[str, object], where: str, fields: Mapping[str, object]) -> Draft:
    if not isinstance(message, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers are not always typed
        raise InvalidInput(where, "must be an object with role and content")
    unknown = sorted(set(message) - _MESSAGE_FIELDS)
    if unknown:
        known = ", ".join(sorted(_MESSAGE_FIELDS))
        raise InvalidInput(f"{where}.{unknown[0]}", f"is not a known field; known are {known}")
    text = parse_text(message.get("content", message.get("text")), f"{where}.content")
    said_by = [parse_label(who, f"{where}.{name}") for name in ("name", "role") if (who := message.get(name))]
    given: dict[str, object] = {
        "role": next(iter(said_by), None),
        "event_time": parse_optional_time(message.get("created_at", message.get("at")), f"{where}.created_at"),
        "metadata": message.get("metadata") or {},
    }
    return parse_draft({"kind": "message", "memory_type": "episodic", **fields, **given, "text": text}, {}, f"{where}.")


def _summary(receipts: Sequence[Receipt], removed: int) -> Ingested:
    return Ingested(
        ids=tuple(receipt.id for receipt in receipts if receipt.id is not None),
        stored=sum(receipt.stored for receipt in receipts),
        deduplicated=sum(receipt.outcome == "deduplicated" for receipt in receipts),
        rejected=sum(receipt.outcome == "rejected" for receipt in receipts),
        removed=removed,
        masked=tuple(dict.fromkeys(kind for receipt in receipts for kind in receipt.masked)),
    )
