"""How do Recollect's own tools show what is in a memory?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, field

from recollect.contracts.tool import Call, view
from recollect.engine.embedding.later import ToldLater
from recollect.engine.graph.link import Fact
from recollect.engine.intake.results import IngestedSource, ProjectStatus
from recollect.retrieve.context import cut_text, estimate_tokens
from recollect.types import Act, Already, Change, Claim, Grounds, Receipt, Record, Why

MOST_ERRORS = 10
SHORT_TEXT_TOKENS = 150
_SHARING = 5  # long texts among the best that are to have room beside each other
_WHOLE_TOKENS = 80  # a text of no more is shown whole while there is room
_SHORTEST_CUT = 40  # tokens; a text that would be cut to less is left out, unless it is the best
_BEST_TOKENS = 20  # of the best hit's text, however small the budget
_TITLE_TOKENS = 20
MOST_LISTED = 50


class RecordView(Struct, omit_defaults=True, kw_only=True):
    """A record as an agent reads it: what is empty or usual is left out."""

    id: str
    text: str
    date: datetime
    score: float | None = None
    why: Why | None = None
    space: str | None = None
    title: str | None = None
    role: str | None = None
    kind: str = "memory"
    tags: tuple[str, ...] = ()
    session: str | None = None
    project: str | None = None
    source: str | None = None
    trust: str = "agent_inferred"
    status: str = "active"
    valid_until: datetime | None = None
    superseded_by: str | None = None
    also: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    cut: bool = False


class Written(Struct, omit_defaults=True, kw_only=True):
    """What became of a write: what is usual of its standing is left out."""

    outcome: str
    id: str | None
    space: str
    reason: str | None
    entry: int | None
    status: str | None = None
    contested: tuple[str, ...] = ()
    already: tuple[Already, ...] = ()
    masked: tuple[str, ...] = ()


class EvidenceView(Struct, omit_defaults=True, kw_only=True):
    source: str
    state: str
    segment: str | None = None


class StandingView(Struct, omit_defaults=True, kw_only=True):
    """How far a record can be believed, and why."""

    status: str
    trust: str
    confidence: float
    scopes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    claim: Claim | None = None
    evidence: tuple[EvidenceView, ...] = ()
    verified_at: datetime | None = None
    contradicts: tuple[str, ...] = ()


class Recalled(Struct, omit_defaults=True, kw_only=True):
    """What was found. `scope` is the project at hand where only that and what is of none was looked into."""

    hits: list[RecordView]
    scope: str | None = None
    brief: bool = False
    left_out: int = 0
    waiting_for_vectors: int = 0
    problem: str | None = None


class Indexed(Struct, omit_defaults=True, kw_only=True):
    """How far the index of a folder is; where it is not complete, it goes on."""

    project: str
    state: str
    files: int
    chunks: int
    left: int = 0
    eta_seconds: float | None = None
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    problem: str | None = None


class SourceView(Struct, omit_defaults=True, kw_only=True):
    """What became of something that was ingested as a source."""

    id: str
    title: str
    outcome: str
    segments: int
    added: int = 0
    removed: int = 0
    forgotten: tuple[str, ...] = ()


class Brought(Struct, omit_defaults=True, kw_only=True):
    """What came in from a path or an address: sources one by one, or the documents of a folder in numbers."""

    sources: tuple[SourceView, ...] = ()
    more: int = 0
    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    archived: int = 0
    segments: int = 0
    forgotten: int = 0
    unfinished: bool = False
    problems: Mapping[str, str] = {}
    code: Indexed | None = None


class FactView(Struct, omit_defaults=True, kw_only=True):
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_until: datetime | None = None
    confidence: float = 1.0
    provenance: str | None = None


class ChangeView(Struct, omit_defaults=True, kw_only=True):
    entry: int
    at: datetime
    verb: str
    act: int | None = None
    actor: str | None = None
    reason: str | None = None
    text: str | None = None


class ActView(Struct, omit_defaults=True, kw_only=True):
    """What was done in one go, by its first entry in the journal, and how many changes that took."""

    entry: int
    at: datetime
    verb: str
    changes: int
    actor: str | None = None
    about: str | None = None
    undone_by: int | None = None


class Explored(Struct, omit_defaults=True, kw_only=True):
    record: RecordView | None = None
    standing: StandingView | None = None
    history: list[ChangeView] = field(default_factory=list[ChangeView])
    entity: str | None = None
    type: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()
    facts: list[FactView] = field(default_factory=list[FactView])
    past_facts: list[FactView] = field(default_factory=list[FactView])
    coming_facts: tuple[FactView, ...] = ()
    neighbours: dict[str, int] = field(default_factory=dict[str, int])
    mentioned_in: list[RecordView] = field(default_factory=list[RecordView])
    problem: str | None = None


class SpaceView(Struct, kw_only=True):
    name: str
    records: int
    entities: int
    relations: int
    sessions: int


class StatusView(Struct, kw_only=True):
    version: str
    store: str | None
    """Where the store is, and how large: the owner is told."""
    bytes: int | None
    space: str
    spaces: list[SpaceView]
    embedder: str
    waiting_for_vectors: int
    lately: list[ActView]
    told_later: list[ToldLater]
    problems: list[str]


def act_view(act: Act) -> ActView:
    about = None if act.about is None else cut_text(act.about, _TITLE_TOKENS)
    return view(ActView, act, changes=act.count, about=about)


def written(receipt: Receipt) -> Written:
    status = None if receipt.status == "active" else receipt.status
    return view(Written, receipt, status=status, already=_cut(receipt.already))


def told_later(told: ToldLater) -> ToldLater:
    text = cut_text(told.text, SHORT_TEXT_TOKENS)
    return msgspec.structs.replace(told, text=text, already=_cut(told.already))


def _cut(already: tuple[Already, ...]) -> tuple[Already, ...]:
    return tuple(msgspec.structs.replace(one, text=cut_text(one.text, SHORT_TEXT_TOKENS)) for one in already)


def record_view(record: Record, tokens: int | None, **more: Any) -> RecordView:
    text = record.text if tokens is None else cut_text(record.text, tokens)
    told = {"space": None, "date": record.event_time, "lines": _lines(record), "cut": text != record.text, **more}
    return view(RecordView, record, text=text, **told)


def _lines(record: Record) -> tuple[int, int] | None:
    """Where a chunk of code, or a segment of a document, stands in its file."""
    at = record.locator or {}
    first, last = at.get("start_line", at.get("line_start")), at.get("end_line", at.get("line_end"))
    return (first, last) if isinstance(first, int) and isinstance(last, int) else None


def indexed(status: ProjectStatus) -> Indexed:
    return view(
        Indexed, status, project=status.id, files=status.indexed_files, chunks=status.total_chunks,
        left=status.total_files - status.indexed_files,
        errors={error.path: error.problem for error in status.errors[:MOST_ERRORS]},
    )  # fmt: skip


def brought(*sources: IngestedSource) -> Brought:
    views = tuple(view(SourceView, one) for one in sources[:MOST_LISTED])
    return Brought(sources=views, more=len(sources) - len(views))


def fact_view(fact: Fact) -> FactView:
    return view(FactView, fact.relation, subject=fact.subject, predicate=fact.predicate, object=fact.object)


def change_view(change: Change, record: Record | None) -> ChangeView:
    return view(ChangeView, change, text=None if record is None else cut_text(record.text, SHORT_TEXT_TOKENS))


def standing_view(record: Record, call: Call) -> StandingView:
    grounds = record.grounds or Grounds()
    rivals = call.memory.contradictions(record.id, space=record.space) if grounds.claim else []
    found = call.memory.evidence_state(record)[:MOST_LISTED]
    return view(
        StandingView, grounds, status=record.status, trust=record.trust, confidence=record.confidence,
        evidence=tuple(view(EvidenceView, one, source=one.evidence.source) for one in found),
        contradicts=tuple(rival.id for rival in rivals[:MOST_LISTED]),
    )  # fmt: skip


def within(answer: Recalled, budget: int) -> Recalled:
    """The best hits that the budget holds, and the first in any case; what is around their texts is measured.

    Long texts are cut, so that one does not use up what all should share.
    """
    hits, answer.left_out = answer.hits, len(answer.hits)
    answer.hits = []
    left = budget - _measure(answer)
    for place, hit in enumerate(hits):
        around = _measure(msgspec.structs.replace(hit, text="", cut=True))
        share = left // min(len(hits) - place, _SHARING) - around
        room = min(max(share, _WHOLE_TOKENS), left - around)
        whole = hit.text
        hit.text = cut_text(whole, max(room, _BEST_TOKENS) if place == 0 else room)
        hit.cut = hit.text != whole
        if place > 0 and (not hit.text or (hit.cut and room < _SHORTEST_CUT)):
            break
        answer.hits.append(hit)
        answer.left_out -= 1
        left -= _measure(hit)
    return answer


def _measure(shown: Struct) -> int:
    return estimate_tokens(msgspec.json.encode(shown).decode())
