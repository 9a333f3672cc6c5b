"""How does a document become chunks of so many tokens, each stored once?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from recollect.embed.count import token_counter
from recollect.engine.core import Core
from recollect.engine.parse import parse_draft, parse_fields, parse_space, parse_string
from recollect.engine.write.remember import count_terms, ensure_space, put_of, take_all
from recollect.engine.write.screen import Screen
from recollect.errors import InvalidInput
from recollect.ingest.secrets import drop_private
from recollect.ingest.token_chunks import FULL, cut_chunks
from recollect.store.base import Edit, Shelf
from recollect.types import DEFAULT_SPACE, UNSET, Record, Unset

COUNTERS = Shelf("counters", int)
"""Named numbers that go on counting when a process ends."""
DOCUMENTS, CHUNKS, CHUNK_TOKENS = "ingest.documents", "ingest.chunks", "ingest.chunk_tokens"
"""Counters that go on over restarts: documents and chunks so far, and the size that the last one was cut to."""


class Chunked(Struct, frozen=True, kw_only=True):
    """What became of a document that was cut by tokens: the records of its chunks, in order, and what was new."""

    ids: tuple[str, ...]
    chunk_tokens: int
    stored: int
    updated: int
    skipped: int


def ingest_chunks(
    core: Core,
    text: str,
    *,
    space: str = DEFAULT_SPACE,
    project: str | None = None,
    memory_type: str | Unset = UNSET,
    tags: Sequence[str] | Unset = UNSET,
    source: str | Unset | None = UNSET,
) -> Chunked:
    """Stores a document in chunks of 256 to 1,024 tokens, in one transaction.

    A chunk that its project holds is not stored again: it is `updated` where tags, source or memory type are given and
    were others, and what is left unsaid stays as it is. Counters tell what came in so far.
    """
    space, whole = parse_space(space), drop_private(parse_string(text, "text"))
    if not whole.strip():
        raise InvalidInput("text", "is blank; give it some text")
    named = {"memory_type": memory_type, "tags": tags, "source": source}
    said = {name: value for name, value in named.items() if value is not UNSET}
    given = parse_fields(said, named)
    draft = parse_draft({"text": "(a chunk)", "kind": "document", "project": project, **said}, {})
    with core.store.read() as view:
        texts = Screen(view, space).carry(cut_chunks(whole, token_counter()))
    counted = [count_terms(None, chunk) for chunk in texts]
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        drafts = [msgspec.structs.replace(draft, text=chunk) for chunk in texts]
        ids: list[str] = []
        stored = updated = 0
        for receipt in take_all(core, edit, drafts, space, counted, alike=("project",)).finish():
            if receipt.id is None:
                raise InvalidInput("text", receipt.reason or "was not stored")
            stored += receipt.stored
            updated += not receipt.stored and _renew(edit, space, receipt.id, given)
            ids.append(receipt.id)
        so_far = edit.kept(COUNTERS, keys=(DOCUMENTS, CHUNKS))
        came = {DOCUMENTS: so_far.get(DOCUMENTS, 0) + 1, CHUNKS: so_far.get(CHUNKS, 0) + len(texts)}
        edit.keep(COUNTERS, {**came, CHUNK_TOKENS: FULL})
    if stored:
        core.written()
    return Chunked(
        ids=tuple(ids), chunk_tokens=FULL, stored=stored, updated=updated, skipped=len(ids) - stored - updated
    )


def _renew(edit: Edit, space: str, id: str, given: dict[str, object]) -> bool:
    """Gives a chunk that is held what is newly said of it; False where that is what it says already."""
    old = edit.get(Record, space, id)
    if old is None:
        return False
    new = Screen(edit, space).require(msgspec.structs.replace(old, **given), "source")
    if new == old:
        return False
    edit.apply([put_of(edit, new, "ingest", old)])
    return True


def counters(core: Core, prefix: str = "") -> dict[str, int]:
    """Numbers that go on counting over restarts: `ingest.documents`, `ingest.chunks`, `ingest.chunk_tokens`."""
    with core.store.read() as view:
        wanted = parse_string(prefix, "prefix")
        return {name: count for name, count in view.kept(COUNTERS).items() if name.startswith(wanted)}
