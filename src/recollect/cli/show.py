"""How do people read what a memory answers?

In tables made by rich, which is loaded when the first one is drawn: what answers with one line does without.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.cli.output import clean, day, is_terminal, many, minute, one_line, put, say
from recollect.engine.care.ledger import Spending
from recollect.engine.graph.link import ByTime, Fact, Neighborhood
from recollect.engine.write.grounds import EvidenceState
from recollect.engine.write.revise import Past
from recollect.fields import fields_of
from recollect.types import (
    Act,
    Change,
    Grounds,
    Hit,
    Metadata,
    Record,
    Signals,
    Space,
    SpaceStats,
    Stated,
    Why,
    last_day,
)

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console

_PIPED_WIDTH = 140
_LEAST_WIDTH = 10
_SOFT_WIDTH = 18
_WHOLE_WIDTH = 40
_UNLIKELY = 0.25
_HEARD = 0.005
_SIGNALS = {
    "keyword": "words", "vector": "meaning", "graph": "graph", "neighbours": "around it", "recency": "recent",
    "importance": "important", "confidence": "sure", "tokens": "word by word", "deep": "read closely",
    "period": "of that time",
}  # fmt: skip


_TEXTS = [name for name, field in fields_of(Stated).items() if field.type == str | None and name != "role"]
"""Fields that are shown as they are; who said it is shown under another name."""


def console() -> Console:
    """Standard output: as wide as the terminal, in colour only there, and never wrapped to 80 in a pipe."""
    from rich.console import Console

    width = None if is_terminal(sys.stdout) else _PIPED_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)


class Column:
    """A column of a table: `wide` ones get the room that is left, `soft` ones are wrapped to a few words a line.

    All others keep to one line, and `whole` ones are never cut, since people copy what stands there.
    """

    def __init__(
        self, title: str, *, right: bool = False, wide: bool = False, soft: bool = False, whole: bool = False
    ) -> None:
        self.title = title
        self.right = right
        self.wide = wide
        self.soft = soft
        self.whole = whole


def put_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    cells = [[clean(cell) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, column in enumerate(columns):
        longest = max((len(row[number]) for row in cells), default=0)
        table.add_column(
            column.title, justify="right" if column.right else "left", style="cyan" if column.whole else "",
            overflow="fold", no_wrap=not (column.wide or column.soft), ratio=1 if column.wide else None,
            min_width=min(longest, _WHOLE_WIDTH) if column.whole else _LEAST_WIDTH if column.wide else None,
            max_width=_SOFT_WIDTH if column.soft else None,
        )  # fmt: skip
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console().print(table)


def who(record: Record) -> str:
    """Who said it, or what it is called."""
    return one_line(record.title or record.role or record.source or "", 40)


def put_hits(hits: Sequence[Hit], *, why: bool, with_space: bool) -> None:
    """A table of hits. Where any is of a project, a column says of which each is; a dash stands for none."""
    projects = any(hit.record.project for hit in hits)
    columns = [Column("score", right=True), Column("date"), Column("who / title", soft=True)]
    columns += [Column("text", wide=True), *([Column("space", soft=True)] if with_space else [])]
    columns += [*([Column("project", soft=True)] if projects else []), Column("id", whole=True)]
    put_table(columns, (_hit_row(hit, why=why, with_space=with_space, projects=projects) for hit in hits))


def _hit_row(hit: Hit, *, why: bool, with_space: bool, projects: bool) -> list[str]:
    folded = f" (+{len(hit.folded)} alike)" if hit.folded else ""
    text = one_line(hit.record.text) + _status(hit.record) + folded + (f"\n({render_why(hit.why)})" if why else "")
    row = [f"{hit.score:.2f}", day(hit.record.event_time), who(hit.record), text]
    where = [*([hit.record.space] if with_space else []), *([hit.record.project or "–"] if projects else [])]
    return [*row, *where, hit.record.id]


def _status(record: Record) -> str:
    """Behind a text, whether it is only a candidate, contested, archived: what nobody would take for plain fact."""
    return "" if record.status == "active" else f" ({record.status})"


def render_why(why: Why) -> str:
    """The signals that spoke for a hit: those that decide before those that only nudge."""
    values = [(getattr(why, name), word) for name, word in _SIGNALS.items()]
    return ", ".join(f"{word} {value:.2f}" for value, word in values if value is not None and value >= _HEARD)


def render_signals(signals: Signals) -> str:
    """How the search was made, in one sentence."""
    ways = [f"words ({many(signals.keyword_candidates, 'candidate')})"]
    if signals.embedder is not None:
        count = many(signals.vector_candidates, "candidate")
        ways.append(f"meaning ({count}, {signals.embedder})")
    return f"searched by {' and '.join(ways)} in {signals.milliseconds:.0f} ms"


def doubt(hits: Sequence[Hit]) -> str | None:
    """A warning where nothing that was found is likely to answer."""
    if not hits:
        return "nothing found"
    return "nothing here clearly answers that; these come closest" if hits[0].score < _UNLIKELY else None


def put_records(records: Sequence[Record], *, with_space: bool, changed: bool = False) -> None:
    columns = [
        Column("changed" if changed else "date"),
        Column("kind", soft=True),
        Column("who / title", soft=True),
        Column("text", wide=True),
    ]
    columns += [Column("space", soft=True)] if with_space else []
    columns.append(Column("id", whole=True))
    put_table(columns, (_record_row(record, with_space=with_space, changed=changed) for record in records))


def _record_row(record: Record, *, with_space: bool, changed: bool) -> list[str]:
    text = one_line(record.text) + _status(record)
    row = [day(record.recorded_at if changed else record.event_time), record.kind, who(record), text]
    return [*row, *([record.space] if with_space else []), record.id]


def put_record(record: Record, evidence: Sequence[EvidenceState] = ()) -> None:
    """Everything about one record that is worth reading, then its text."""
    shown: Mapping[str, str] = {
        "id": record.id, "space": record.space, "kind": f"{record.kind} ({record.memory_type})",
        "title": record.title or "", "who": record.role or "", "when": minute(record.event_time),
        "recorded": minute(record.recorded_at), "version": str(record.version), "valid from": minute(record.valid_from),
        "valid until": minute(record.valid_until), "status": record.status,
        "superseded by": record.superseded_by or "", "tags": ", ".join(record.tags),
        **{name: getattr(record, name) or "" for name in _TEXTS},
        "place": _place(record.locator or {}), "trust": record.trust.replace("_", " "),
        **_grounds(record.grounds or Grounds(), evidence),
        "importance": f"{record.importance:g}", "confidence": f"{record.confidence:g}",
        "metadata": ", ".join(f"{key}={value}" for key, value in record.metadata.items()),
    }  # fmt: skip
    put_pairs(shown)
    put()
    put(record.text)


def _place(locator: Metadata) -> str:
    """Where in its source a record stands: page, lines, message."""
    first, last, index = (locator.get(name) for name in ("line_start", "line_end", "index"))
    shown = [f"page {locator['page']}"] if "page" in locator else []
    if first is not None:
        shown.append(f"line {first}" if last in (None, first) else f"lines {first} to {last}")
    if isinstance(index, int):
        shown.append(f"message {index + 1}")
    return ", ".join(shown)


def _grounds(grounds: Grounds, evidence: Sequence[EvidenceState]) -> Mapping[str, str]:
    """What a record claims, on what it rests, and whether that is still so."""
    claim, shown = grounds.claim, ""
    if claim is not None:
        said = [str(part) for part in (claim.value, claim.object) if part is not None]
        shown = " ".join([claim.subject, claim.predicate, *said])
    return {
        "claims": shown, "about": ", ".join(grounds.subjects), "scopes": ", ".join(grounds.scopes),
        "rests on": "\n".join(_evidence(found) for found in evidence), "verified": minute(grounds.verified_at),
    }  # fmt: skip


def _evidence(found: EvidenceState) -> str:
    segment = found.segment or found.evidence.segment
    where = found.evidence.source if segment is None else f"{found.evidence.source} {segment}"
    return f"{where} ({found.state})"


def put_pairs(pairs: Mapping[str, str]) -> None:
    """Names and values, one on a line; empty ones are left out."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs.items():
        if value:
            table.add_row(Text(name), Text(clean(value)))
    console().print(table)


_CHANGE = (Column("entry", right=True), Column("act", right=True), Column("when"), Column("what"))


def put_history(past: Sequence[Past]) -> None:
    columns = [
        *_CHANGE, Column("by", soft=True), Column("why", soft=True), Column("version", right=True),
        Column("text", wide=True),
    ]  # fmt: skip
    put_table(columns, ([*_change_cells(step.change), *_state(step.record)] for step in past))
    if past and past[0].thinned is not None:
        say(f"what came before is gone: history was thinned up to {minute(past[0].thinned)}")


def _state(record: Record | None) -> tuple[str, str]:
    return ("", "(gone)") if record is None else (str(record.version), one_line(record.text))


def _change_cells(change: Change) -> list[str]:
    verb = change.verb if change.undoes is None else f"{change.verb} ({change.undoes})"
    act = str(change.entry if change.act is None else change.act)
    return [str(change.entry), act, minute(change.at), verb, change.actor or "", one_line(change.reason or "", 40)]


def put_acts(acts: Sequence[Act], *, with_space: bool) -> None:
    """One line for each thing that was done, with how many changes it took."""
    columns = [Column("entry", right=True), Column("when"), Column("what"), Column("changes", right=True)]
    columns += [Column("by", soft=True), Column("why", soft=True)]
    columns += [Column("space", soft=True)] if with_space else []
    columns.append(Column("about", wide=True))
    rows = (
        [
            str(act.entry), minute(act.at), act.verb if act.undone_by is None else f"{act.verb} (undone)",
            f"{act.count:,}", act.actor or "", one_line(act.reason or "", 40), *([act.space] if with_space else []),
            one_line(act.about or f"{act.object_type} {act.object_id}"),
        ]
        for act in acts
    )  # fmt: skip
    put_table(columns, rows)


def put_changes(changes: Sequence[Change], *, with_space: bool) -> None:
    columns = [*_CHANGE, Column("by", soft=True), Column("why", soft=True)]
    columns += [Column("space", soft=True)] if with_space else []
    columns.append(Column("object", whole=True))
    put_table(
        columns,
        (
            [*_change_cells(one), *([one.space] if with_space else []), f"{one.object_type} {one.object_id}"]
            for one in changes
        ),
    )


def put_facts(facts: Sequence[Fact]) -> None:
    ends = [Column("subject", soft=True), Column("predicate", soft=True), Column("object", soft=True)]
    columns = [*ends, Column("from"), Column("until"), Column("id", whole=True)]
    rows = (
        [fact.subject, fact.predicate, fact.object, day(one.valid_from), _last_day(one.valid_until), one.id]
        for fact in facts
        for one in [fact.relation]
    )
    put_table(columns, rows)


def _last_day(end: datetime | None) -> str:
    return "" if end is None else last_day(end).isoformat()


def put_stats(spaces: Sequence[tuple[Space, SpaceStats]]) -> None:
    numbers = ("records", "sessions", "entities", "relations")
    columns = [Column("space", soft=True), *(Column(name, right=True) for name in numbers)]
    columns += [Column("waiting", right=True), Column("newest"), Column("kinds", wide=True)]
    put_table(columns, (_stats_row(stats) for _, stats in spaces))


def _stats_row(stats: SpaceStats) -> list[str]:
    counts = (stats.records, stats.sessions, stats.entities, stats.relations, stats.waiting_for_vectors)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in stats.by_kind.items())
    return [stats.space, *(f"{count:,}" for count in counts), day(stats.newest), kinds]


def put_spending(days: Sequence[Spending]) -> None:
    """What language models were asked for, day by day."""
    put_heading("Language models")
    columns = [Column("day"), Column("provider")]
    columns += [Column(name, right=True) for name in ("calls", "tokens read", "tokens written", "spent")]
    put_table(
        columns,
        (
            [one.day, one.provider, f"{one.calls:,}", f"{one.tokens_in:,}", f"{one.tokens_out:,}", f"{one.spent:.4f}"]
            for one in days
        ),
    )


def put_heading(title: str) -> None:
    put()
    console().print(clean(title), style="bold")


def put_entity(name: str, around: Neighborhood | None, told: ByTime, mentions: Sequence[Record]) -> None:
    """What is known about an entity; of one that is only a name in texts, the texts."""
    if around is None:
        put_pairs({"name": name, "about": "only mentioned; no facts are stated about it"})
    else:
        start = around.start
        put_pairs({
            "name": start.name, "type": start.type or "", "also called": ", ".join(start.aliases),
            "about": start.description or "", "id": start.id,
        })  # fmt: skip
    titles = ("What is stated", "What was stated once", "What is to hold later")
    for title, some in zip(titles, (told.holding, told.past, told.coming), strict=True):
        if some:
            put_heading(title)
            put_facts(some)
    if around is not None and around.relations:
        put_heading("Neighbourhood")
        _put_relations(around)
    if mentions:
        put_heading("Mentioned in")
        put_records(mentions, with_space=False)


def _put_relations(around: Neighborhood) -> None:
    names = {entity.id: entity.name for entity in around.entities}
    ends = [(one, names.get(one.subject, one.subject), names.get(one.object, one.object)) for one in around.relations]
    columns = [Column("steps", right=True), *(Column(name, soft=True) for name in ("from", "predicate", "to"))]
    far = around.distances
    put_table(
        columns,
        (
            [str(max(far.get(one.subject, 0), far.get(one.object, 0))), subject, one.predicate, object_]
            for one, subject, object_ in ends
        ),
    )
