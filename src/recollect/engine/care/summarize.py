"""How do many records become one that says what they say?

A summary is a record of kind "summary" whose metadata names the records that it was made of. The same records, asked
for in the same way, have one summary, which is given back as it is while they stay as they are. A scope (what was asked
for: projects, types, tags, time) has one too: when its records are others by now, or another length is asked for, the
summary is written anew in its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from recollect.engine.care.condense import Plan, Way, condense
from recollect.engine.core import Core, records_of
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.write.remember import content_hash, make_record, put_of
from recollect.engine.write.screen import Screen
from recollect.errors import NotFound
from recollect.forms import convert
from recollect.store.base import View, Weight
from recollect.types import Condensed, Draft, Filter, Json, Metadata, Record, least_trust


class Summary(Struct, frozen=True, kw_only=True):
    """A summary of records: the record `id` holds it, `sources` are the records that it was made of, in time order.

    `stored` is False where the same summary was there already.
    """

    id: str
    space: str
    text: str
    sources: tuple[str, ...]
    strategy: Literal["extractive", "abstractive"]
    provider: str | None = None
    model: str | None = None
    note: str | None = None
    stored: bool = True


KIND = "summary"
_MOST_LOOKED_AT = 1_000  # summaries of a space, the newest


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the metadata of a summary says of it; `digest` stands for its sources as they were and how it was made."""

    source_memory_ids: tuple[str, ...]
    digest: str
    scope: str = ""
    strategy: str
    max_words: int
    provider: str | None = None
    model: str | None = None


def summarize(core: Core, semantics: Semantics, filter: Filter, limit: int, way: Way) -> Summary:
    """Summarises the newest records that a filter lets through, and keeps the summary in their space."""
    space = filter.spaces[0]
    with core.store.read() as view:
        records = _newest(view, filter, limit)
        asked = _digest_of(records, filter, way.plan, way.max_words)
        held = _find(view, space, asked)
    if held is not None and (known := _provenance(held)) is not None:
        return _summary(held, known, stored=False, note=way.plan.note)
    texts, dates = [record.text for record in records], [record.event_time for record in records]
    made = condense(core, semantics, texts, dates, way)
    done = way.plan if made.strategy == "abstractive" else Plan()
    about = Provenance(
        source_memory_ids=tuple(record.id for record in records), scope=_scope_of(filter), strategy=made.strategy,
        digest=_digest_of(records, filter, done, way.max_words), max_words=way.max_words, provider=made.provider,
        model=made.model,
    )  # fmt: skip
    return _keep(core, space, filter, records, made, about)


def _newest(view: View, filter: Filter, limit: int) -> list[Record]:
    """The newest records by when they happened, in time order."""
    weights = sorted(view.select(Weight, filter), key=lambda weight: (weight.event_time, weight.version))[-limit:]
    records = records_of(view, [weight.version for weight in weights])
    if not records:
        raise NotFound("there are no memories in this scope; widen the time range, the project or the tags")
    return sorted(records, key=lambda record: (record.event_time, record.version))


def _digest_of(records: Sequence[Record], filter: Filter, plan: Plan, max_words: int) -> str:
    """Stands for just these records, as they are, and the way in which they are made short."""
    way = [plan.provider or "", plan.model or "", str(max_words), *filter.projects]
    said = [f"{record.id} {record.content_hash} {record.event_time.isoformat()}" for record in records]
    return _digest([*way, "", *said])


def _scope_of(filter: Filter) -> str:
    """Stands for what was asked for, whichever records that are."""
    bounds = ["" if bound is None else bound.isoformat() for bound in (filter.since, filter.until)]
    lists = (filter.projects, filter.memory_types, filter.tags)
    return _digest([*bounds, *(part for some in lists for part in ("", *sorted(some)))])


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256(msgspec.json.encode(list(parts))).hexdigest()[:32]


def _find(view: View, space: str, digest: str, scope: str | None = None) -> Record | None:
    """The summary of just these records or, where there is none, that of a scope."""
    held = view.select(Record, Filter(spaces=(space,), kinds=(KIND,)), "newest", _MOST_LOOKED_AT)
    known = [(record, about) for record in held if (about := _provenance(record)) is not None]
    same = next((record for record, about in known if about.digest == digest), None)
    return same or next((record for record, about in known if about.scope == scope), None)


def _provenance(record: Record) -> Provenance | None:
    """What a summary says it was made of; None where somebody wrote something else there."""
    try:
        return convert(record.metadata, Provenance)
    except msgspec.ValidationError:
        return None


def _keep(
    core: Core,
    space: str,
    filter: Filter,
    records: Sequence[Record],
    made: Condensed,
    about: Provenance,
) -> Summary:
    """Stores a summary, or puts it in the place of the one that these records or their scope had."""
    named = [project for project in filter.projects if project]
    first, last = records[0].event_time.date().isoformat(), records[-1].event_time.date().isoformat()
    draft = Draft(
        text=made.text,
        kind=KIND,
        title=f"Summary of {first}" if first == last else f"Summary of {first} to {last}",
        project=named[0] if len(named) == 1 else None,
        tags=filter.tags,
        trust=least_trust("system_generated", *(record.trust for record in records)),
        event_time=records[-1].event_time,
        source=f"summary:{about.scope}",
        metadata=_to_metadata(about),
    )
    with core.store.write(actor=core.actor) as edit:
        held = _find(edit, space, about.digest, about.scope)
        record = make_record(core, edit, Screen(edit, space).require(draft, "text"), space)
        if held is not None:
            record = msgspec.structs.replace(
                held, text=record.text, title=record.title, event_time=record.event_time, metadata=record.metadata,
                trust=record.trust, content_hash=content_hash(record.text),
            )  # fmt: skip
        changed = held is None or held.text != made.text or _provenance(held) != about
        if changed:
            edit.apply([put_of(edit, record, "summarize", held)])
    core.written()
    return _summary(record, about, stored=changed, note=made.note)


def _to_metadata(about: Provenance) -> Metadata:
    told: dict[str, Json] = msgspec.to_builtins(about)
    return told


def _summary(record: Record, about: Provenance, *, stored: bool, note: str | None = None) -> Summary:
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
