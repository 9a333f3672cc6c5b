"""How do Recollect's own tools show what is in a memory?"""

from __future__ import annotations

import math
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
_BEST_TOKENS = 20  # of the best hit's text, with all that is told of it
_FEWEST_TOKENS = 5  # of it, where little else is told
_CUT_TOKENS = 4  # that say that a text was cut
_CHARACTERS_PER_TOKEN = 3.0
_TITLE_TOKENS = 20
MOST_LISTED = 50
_MEMORY, _INFERRED, _ACTIVE = "memory", "agent_inferred", "active"


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
    kind: str = _MEMORY
    tags: tuple[str, ...] = ()
    session: str | None = None
    project: str | None = None
    source: str | None = None
    trust: str = _INFERRED
    status: str = _ACTIVE
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
    return view(RecordView, record, text=text, **told, **_usual(record))


def _usual(record: Record) -> dict[str, str]:
    """What is usual of a record, as what is left out is known by: being equal to it is not enough."""
    usual = {"kind": _MEMORY, "trust": _INFERRED, "status": _ACTIVE}
    return {name: value for name, value in usual.items() if getattr(record, name) == value}


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
    """The best hits that the budget holds, in order, with all that is around their texts; never more than that.

    Long texts are cut, so that one does not use up what all should share. Where not even the beginning of the best
    fits, it is told by itself, and else none.
    """
    hits, answer.left_out = answer.hits, len(answer.hits)
    answer.hits = []
    left = budget - _around(answer)
    for place, hit in enumerate(hits):
        sharing, least = min(len(hits) - place, _SHARING), _SHORTEST_CUT if place else _BEST_TOKENS
        shown = _fitted(hit, left, sharing, least)
        if place == 0 and (shown is None or shown.cut):
            plain = _fitted(_plain(hit), left, sharing, _FEWEST_TOKENS)
            shown = plain if shown is None or (plain is not None and not plain.cut) else shown
        if shown is None:
            break
        answer.hits.append(shown)
        answer.left_out -= 1
        left -= _cost(shown)
    if hits and not answer.hits:
        answer.problem = answer.problem or "nothing fits into so small a budget"
    return answer


def _fitted(hit: RecordView, left: int, sharing: int, least: int) -> RecordView | None:
    """A hit with as much of its text as there is room for; None where that would be too little of it."""
    around = _around(msgspec.structs.replace(hit, text=""))
    room = min(max(left // sharing - around, _WHOLE_TOKENS), left - around)
    if _text_cost(hit.text) <= room:
        return hit
    room -= _CUT_TOKENS
    if room < least:
        return None
    text, tokens = cut_text(hit.text, room), room
    while text and (over := _text_cost(text) - room) > 0:  # what is written with a backslash takes more
        tokens -= over
        text = cut_text(hit.text, tokens)
    return msgspec.structs.replace(hit, text=text, cut=True) if text else None


def _plain(hit: RecordView) -> RecordView:
    """A hit with what nobody can do without: what it says, when, and how far that holds."""
    return msgspec.structs.replace(
        hit, date=hit.date.replace(microsecond=0), why=None, title=None, tags=(), also=(), source=None, session=None,
        project=None,
    )  # fmt: skip


def _cost(hit: RecordView) -> int:
    return _around(msgspec.structs.replace(hit, text="")) + _text_cost(hit.text)


def _around(shown: Struct) -> int:
    """What the frame of an answer costs: its marks come in pairs and threes that are one token each."""
    return math.ceil((len(msgspec.json.encode(shown).decode()) + 1) / _CHARACTERS_PER_TOKEN)


def _text_cost(text: str) -> int:
    written = len(msgspec.json.encode(text).decode()) - 2
    return estimate_tokens(text) + math.ceil((written - len(text)) / _CHARACTERS_PER_TOKEN)
