"""By what can a record be found through what it rests on?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from recollect.store.questions import Outline
from recollect.types import DOING_KINDS, Claim, Metadata, Record

SUMMARY = "summary"
"""The kind of records that say what others say, in fewer words."""
MADE_OF = "made_of:"
"""What a ref begins with that names a record which a summary was made of. Old versions are found by it, too."""
NAMING = ("source_memory_ids", "summary_of")
"""Under which names the metadata of a summary tells what it was made of."""


def claim_ref(kind: str, claim: Claim) -> str:
    """What all claims of one kind about the same subject and predicate have in common."""
    said = msgspec.json.encode((kind, claim.subject, claim.predicate))
    return f"claim:{hashlib.sha256(said).hexdigest()[:32]}"


def refs_of(record: Record | Outline) -> list[str]:
    """By what a record can be found through what it rests on, or was made of."""
    grounds = record.grounds
    if grounds is None:
        return _sources_of(record) if record.kind == SUMMARY else []
    refs = [f"evidence:{item.source}" for item in grounds.evidence]
    refs += [f"subject:{subject}" for subject in grounds.subjects]
    refs += [f"scope:{scope}" for scope in grounds.scopes]
    if grounds.claim is not None:
        refs += [claim_ref(record.kind, grounds.claim), f"subject:{grounds.claim.subject}"]
        refs += [] if grounds.claim.object is None else [f"object:{grounds.claim.object}"]
    if record.kind in DOING_KINDS:
        doing = record.metadata if isinstance(record, Record) else record.doing or {}
        refs += [f"named:{name}" for _, name in named_in(doing)]
    return list(dict.fromkeys([*refs, *_sources_of(record)]))


def made_of(record: Record | Outline) -> list[str]:
    """The ids of the records that a summary was made of, as far as it names them."""
    if record.kind != SUMMARY or not isinstance(record, Record):
        return []
    named = (record.metadata.get(name) for name in NAMING)
    return [id for some in named if isinstance(some, list | tuple) for id in some if isinstance(id, str)]


def _sources_of(record: Record | Outline) -> list[str]:
    return list(dict.fromkeys(f"{MADE_OF}{id}" for id in made_of(record)))


def named_in(doing: Metadata) -> Iterator[tuple[str, str]]:
    """The other objects that an activity or a work item names in its metadata: in lists, and by `…_ref`."""
    for field, value in doing.items():
        if isinstance(value, str):
            yield from [(field, value)] if field.endswith("_ref") else ()
        elif isinstance(value, Sequence):
            yield from ((field, item) for item in value if isinstance(item, str))
