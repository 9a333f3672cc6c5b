"""How do many records become one that says what they say?

A summary is a record of kind "summary" whose metadata names the records that it was made of. The same records, asked
for in the same way, have one summary: it is found by its `source`, given back as it is while they stay as they are, and
written anew, in its place, when one of them has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from recollect.engine.care.condense import Plan, Way, condense
from recollect.engine.core import Core, records_of
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.write.remember import content_hash, make_record, put_of
from recollect.errors import NotFound
from recollect.store.base import View, Weight
from recollect.types import Condensed, Draft, Filter, Json, Metadata, Record, Summary

KIND = "summary"


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the metadata of a summary says of it; `digest` tells whether its sources are still what they were."""

    source_memory_ids: tuple[str, ...]
    digest: str
    strategy: str
    max_words: int
    provider: str | None = None
    model: str | None = None


def summarize(core: Core, semantics: Semantics, filter: Filter, limit: int, way: Way) -> Summary:
    """Summarises the newest records that a filter lets through, and keeps the summary in their space."""
    space = filter.spaces[0]
    with core.store.read() as view:
        records = _newest(view, filter, limit)
        held = _find(view, filter, _key(records, filter, way.plan, way.max_words))
    digest = _digest([record.content_hash + record.event_time.isoformat() for record in records])
    if held is not None and (known := _provenance(held)) is not None and known.digest == digest:
        return _told(held, known, stored=False, note=way.plan.note)
    texts, dates = [record.text for record in records], [record.event_time for record in records]
    made = condense(core, semantics, texts, dates, way)
    done = way.plan if made.strategy == "abstractive" else Plan()
    key = _key(records, filter, done, way.max_words)
    about = Provenance(
        source_memory_ids=tuple(record.id for record in records), digest=digest, strategy=made.strategy,
        max_words=way.max_words, provider=made.provider, model=made.model,
    )  # fmt: skip
    return _keep(core, space, filter, records, made, key, about)


def _newest(view: View, filter: Filter, limit: int) -> list[Record]:
    """The newest records by when they happened, in time order."""
    weights = sorted(view.select(Weight, filter), key=lambda weight: (weight.event_time, weight.version))[-limit:]
    records = records_of(view, [weight.version for weight in weights])
    if not records:
        raise NotFound("there are no memories in this scope; widen the time range, the project or the tags")
    return sorted(records, key=lambda record: (record.event_time, record.version))


def _key(records: Sequence[Record], filter: Filter, plan: Plan, max_words: int) -> str:
    """The `source` of the summary of just these records, made in this way."""
    way = [plan.provider or "", plan.model or "", str(max_words), *filter.projects]
    return f"summary:{_digest([*way, '', *sorted(record.id for record in records)])}"


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256(msgspec.json.encode(list(parts))).hexdigest()[:32]


def _find(view: View, filter: Filter, source: str) -> Record | None:
    where = Filter(spaces=filter.spaces, kinds=(KIND,), sources=(source,))
    return next(iter(view.select(Record, where, "newest", 1)), None)


def _provenance(record: Record) -> Provenance | None:
    """What a summary says it was made of; None where somebody wrote something else there."""
    try:
        return msgspec.convert(record.metadata, Provenance)
    except msgspec.ValidationError:
        return None


def _keep(
    core: Core,
    space: str,
    filter: Filter,
    records: Sequence[Record],
    made: Condensed,
    source: str,
    about: Provenance,
) -> Summary:
    """Stores a summary, or puts it in the place of the one that these records had."""
    named = [project for project in filter.projects if project]
    first, last = records[0].event_time.date().isoformat(), records[-1].event_time.date().isoformat()
    draft = Draft(
        text=made.text,
        kind=KIND,
        title=f"Summary of {first}" if first == last else f"Summary of {first} to {last}",
        project=named[0] if len(named) == 1 else None,
        tags=filter.tags,
        trust="system_generated",
        event_time=records[-1].event_time,
        source=source,
        metadata=_to_metadata(about),
    )
    with core.store.write(actor=core.actor) as edit:
        held = _find(edit, filter, source)
        record = make_record(core, edit, draft, space)
        if held is not None:
            record = msgspec.structs.replace(
                held, text=record.text, title=record.title, event_time=record.event_time, metadata=record.metadata,
                content_hash=content_hash(record.text),
            )  # fmt: skip
        changed = held is None or held.text != made.text or _provenance(held) != about
        if changed:
            edit.apply([put_of(edit, record, "summarize", held)])
    core.written()
    return _told(record, about, stored=changed, note=made.note)


def _to_metadata(about: Provenance) -> Metadata:
    told: dict[str, Json] = msgspec.to_builtins(about)
    return told


def _told(record: Record, about: Provenance, *, stored: bool, note: str | None = None) -> Summary:
    return Summary(
        id=record.id,
        space=record.space,
        text=record.text,
        sources=about.source_memory_ids,
        strategy="abstractive" if about.strategy == "abstractive" else "extractive",
        provider=about.provider,
        model=about.model,
        note=note,
        stored=stored,
    )
