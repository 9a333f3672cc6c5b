"""How does a document become chunks of so many tokens, each stored once?"""

from __future__ import annotations

import msgspec

from recollect.embed.count import token_counter
from recollect.engine.core import Core
from recollect.engine.write.remember import (
    count_terms,
    ensure_space,
    put_of,
    remember_all,
)  # fmt: skip
from recollect.errors import InvalidInput
from recollect.ingest.token_chunks import FULL, cut_chunks
from recollect.store.base import Edit, Shelf
from recollect.types import UNSET, Chunked, Draft, MemoryType, Record, Unset

COUNTERS = Shelf("counters", int)
"""Named numbers that go on counting when a process ends."""
DOCUMENTS, CHUNKS, CHUNK_TOKENS = "ingest.documents", "ingest.chunks", "ingest.chunk_tokens"
"""Counters that go on over restarts: documents and chunks so far, and the size that the last one was cut to."""


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of every chunk of a document. What is left unsaid stays as it is on a chunk that is held already."""

    project: str | None = None
    memory_type: MemoryType | Unset = UNSET
    tags: tuple[str, ...] | Unset = UNSET
    source: str | Unset | None = UNSET

    def changes(self) -> dict[str, object]:
        named = {"memory_type": self.memory_type, "tags": self.tags, "source": self.source}
        return {name: value for name, value in named.items() if value is not UNSET}


def ingest_chunks(core: Core, text: str, space: str, labels: Labels) -> Chunked:
    """Stores a document in one transaction. A chunk that its project holds already is renewed, or left alone."""
    texts = cut_chunks(text, token_counter())
    counted = [count_terms(None, chunk) for chunk in texts]
    given = labels.changes()
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        draft = msgspec.structs.replace(Draft(text="", kind="document", project=labels.project), **given)
        drafts = [msgspec.structs.replace(draft, text=chunk) for chunk in texts]
        ids: list[str] = []
        stored = updated = 0
        for receipt in remember_all(core, edit, drafts, space, counted, alike=("project",)):
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
    new = msgspec.structs.replace(old, **given)
    if new == old:
        return False
    edit.apply([put_of(edit, new, "ingest", old)])
    return True
