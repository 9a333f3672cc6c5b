"""How does a repository become a source that can be cited, and a part of the graph?

One transaction writes the source with its map, a segment for each section of its documents and for the beginning of
each module, and the entities that the map speaks of: the repository, its languages, its foremost modules. What an
earlier map held and this one does not is taken back.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct

from recollect.engine.core import Core, as_one_act
from recollect.engine.graph.link import relink
from recollect.engine.graph.named import names_of, resolve
from recollect.engine.intake.reading import FAILED, MAPPED, Errand
from recollect.engine.intake.results import IngestedRepo, IngestedSource, SourceDraft
from recollect.engine.intake.sources import write_source
from recollect.engine.intake.workers import read_files
from recollect.engine.write.grounds import cites, source_id
from recollect.engine.write.remember import ensure_space
from recollect.errors import InvalidInput, NotFound, SourceError
from recollect.ingest.chunks import CHUNKER
from recollect.ingest.repo import Module, Parsed, RepoMap, Scan, Source, excerpt, internal_imports, map_repo, scan_repo
from recollect.ingest.repo_files import Patterns
from recollect.store.base import Edit, Relations, View
from recollect.store.ops import Put, Retire
from recollect.types import Adapter, Draft, Entity, Json, Metadata, Record, Relation, Segment
from recollect.working import meant_path

MODULE_NODES = 50
"""How many modules become entities: the graph should show the foremost, not repeat the map."""
ADAPTER = Adapter(
    name="repo",
    version="repo-adapter.v1",
    mode="repo",
    supported_modes=("repo",),
    declared_transformations=("repo_map", "code_index", "code_modules", "document_sections", CHUNKER),
    default_privacy_class="local_repo",
    origin_classification="local_repo",
)
_LANGUAGE = "language"
_SUMMARY_HEADINGS = 60
_LANGUAGE_NAMES = {
    "cpp": "C++", "csharp": "C#", "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TypeScript",
    "php": "PHP", "css": "CSS", "html": "HTML", "sql": "SQL", "objective-c": "Objective-C", "ocaml": "OCaml",
    "cmake": "CMake", "graphql": "GraphQL", "powershell": "PowerShell",
}  # fmt: skip


class Wish(Struct, frozen=True, kw_only=True):
    """What somebody asked for: a folder, which of its files, and whether agents' state belongs to it."""

    path: Path
    patterns: Patterns
    force: bool = False


@as_one_act
def ingest_repo(core: Core, wish: Wish, space: str, checkpoint: Callable[[], None]) -> IngestedRepo:
    """Writes the map of a repository. Nothing is written where neither its files nor the wish have changed."""
    root = _folder(wish.path)
    try:
        scan = scan_repo(root, wish.patterns, force=wish.force, checkpoint=checkpoint)
    except OSError as error:  # of what lies below, that which cannot be read is named among the problems
        raise SourceError(f"{root} cannot be read: {error.strerror}") from error
    if wish.patterns.include and not scan.code and not scan.documents:
        raise InvalidInput("include", "fits no code and no Markdown of this folder; nothing was stored")
    with core.store.read() as view:
        known = _unchanged(view, space, str(root), scan)
        if known is not None:
            return _answer_unchanged(known, scan, wish)
    mapped = map_repo(scan, partial(_read, checkpoint))
    graph = _Graph(str(root), mapped)
    fields = Draft(text="(a repository)", kind="document", trust="imported")
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        graph.settle(edit, space)
        before = edit.get(Record, space, source_id(str(root)))
        written = write_source(core, edit, _draft(mapped, wish, graph), space, fields)
        entries = (*written.entries, *_put_graph(edit, space, graph), *_drop_graph(edit, space, before, graph))
    core.written()
    done = _answer(written, entries, graph.node_ids, scan, wish, mapped.totals, _left_out(mapped))
    return msgspec.structs.replace(done, problems=mapped.problems)


def _read(checkpoint: Callable[[], None], root: Path, sources: Sequence[Source]) -> Iterator[tuple[str, Parsed | str]]:
    """What is in files that others wrote, read in processes with limits; whoever waits no longer says so."""

    def stopped() -> bool:
        checkpoint()
        return False

    errands = [Errand(source.path, MAPPED.name, form=source.language) for source in sources]
    for file in read_files(root, errands, stopped):
        yield file.path, file.problem or file.parsed or FAILED


def _folder(path: Path) -> Path:
    try:
        root = meant_path(path).resolve()
        if not root.exists():
            raise NotFound(f"there is no folder {str(path)!r}")
        if not root.is_dir():
            raise InvalidInput("path", f"{path} is a file; name the folder of a repository")
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput("path", f"{str(path)!r} cannot be looked at: {error}") from error
    return root


def _unchanged(view: View, space: str, location: str, scan: Scan) -> Record | None:
    known = view.get(Record, space, source_id(location))
    same = known is not None and known.status == "active" and known.metadata.get("fingerprint") == scan.fingerprint
    return known if same else None


# What the source holds


def _draft(mapped: RepoMap, wish: Wish, graph: _Graph) -> SourceDraft:
    segments = tuple(_segments(mapped))
    headings = dict.fromkeys(
        section.chunk.heading_path[-1] for section in mapped.sections if section.chunk.heading_path
    )
    languages = ", ".join(f"{language_name(name)} ({count})" for name, count in mapped.languages.items())
    summary = [
        f"Repository {mapped.name}: {_counted(mapped)}.",
        f"Languages: {languages}." if languages else "",
        f"Top level: {', '.join(mapped.top_level)}." if mapped.top_level else "",
        "\n".join(list(headings)[:_SUMMARY_HEADINGS]),
    ]
    return SourceDraft(
        location=mapped.root,
        source_kind="repo",
        title=mapped.name,
        fingerprint=mapped.fingerprint,
        adapter=ADAPTER,
        segments=segments,
        summary="\n".join(part for part in summary if part),
        payload=_payload(mapped, wish, graph),
    )


def _segments(mapped: RepoMap) -> Iterator[Segment]:
    for section in mapped.sections:
        chunk = section.chunk
        locator = {
            "kind": "line", "path": section.path, "line_start": chunk.line_start, "line_end": chunk.line_end,
            "heading_path": list(chunk.heading_path), "chunk_kind": chunk.kind,
        }  # fmt: skip
        yield Segment(text=chunk.text, locator=locator, title=" › ".join((section.path, *chunk.heading_path)))
    for module in mapped.modules:
        if module.beginning:
            yield Segment(
                text=module.beginning,
                locator={
                    "kind": "line", "path": module.source.path, "line_start": 1, "line_end": module.beginning_lines,
                    "heading_path": [], "chunk_kind": "code",
                },
                title=module.source.path,
            )  # fmt: skip


def _payload(mapped: RepoMap, wish: Wish, graph: _Graph) -> Metadata:
    payload: dict[str, Json] = {
        "summary": _short(mapped),
        "repo_name": mapped.name,
        "top_level_entries": list(mapped.top_level),
        "languages": dict(mapped.languages),
        "code_files": [source.path for source in mapped.code],
        "code_index": [
            {"path": one.path, "language": one.language, "line_count": one.lines, "hash": one.hash}
            for one in mapped.code
        ],
        "code_modules": [_module(module) for module in mapped.modules],
        "doc_index": [
            {"path": one.path, "title": _document_title(mapped, one.path), "line_count": one.lines, "hash": one.hash,
             "section_count": mapped.sections_of.get(one.path, 0)}
            for one in mapped.documents
        ],
        "document_sections": _sections(mapped),
        "counts": {**mapped.totals, "left_out": _left_out(mapped)},
        "chunking": {"strategy": CHUNKER},
        "repo_ingest": {
            "include_patterns": list(wish.patterns.include),
            "exclude_patterns": list(wish.patterns.exclude),
            "excluded_by_preflight": [] if wish.force else list(mapped.preflight),
            "force": wish.force,
        },
        "node_ids": graph.node_ids,
        "relation_ids": [relation.id for relation in graph.relations],
    }  # fmt: skip
    if mapped.problems:
        payload["problems"] = [{"path": one.path, "problem": one.problem} for one in mapped.problems[:100]]
    return payload


def _left_out(mapped: RepoMap) -> dict[str, int]:
    """What the map does not hold: what was passed over, and what there was more of than fits."""
    shown = {
        "code_files": len(mapped.code), "code_modules": len(mapped.modules), "documents": len(mapped.documents),
        "document_sections": len(mapped.sections),
    }  # fmt: skip
    over = {f"{name}_beyond_cap": mapped.totals[name] - count for name, count in shown.items()}
    over["modules_without_node"] = len(mapped.modules) - MODULE_NODES
    return {**mapped.left_out, **{name: count for name, count in over.items() if count > 0}}


def _short(mapped: RepoMap) -> str:
    first = next((section for section in mapped.sections if section.chunk.kind != "frontmatter"), None)
    told = f"{mapped.name}: {_counted(mapped)}"
    return told if first is None else f"{told}. {excerpt(first.chunk.text, 160)}"


def _counted(mapped: RepoMap) -> str:
    return f"{mapped.totals['code_files']} source files, {mapped.totals['documents']} documents"


def _sections(mapped: RepoMap) -> list[Json]:
    return [
        {
            "segment_id": f"seg-{number}",
            "path": section.path,
            "heading": section.chunk.heading_path[-1] if section.chunk.heading_path else "",
            "heading_path": list(section.chunk.heading_path),
            "excerpt": excerpt(section.chunk.text),
            "chunk_kind": section.chunk.kind,
            "locator": {
                "kind": "line", "path": section.path, "line_start": section.chunk.line_start,
                "line_end": section.chunk.line_end,
            },
        }
        for number, section in enumerate(mapped.sections, 1)
    ]  # fmt: skip


def _module(module: Module) -> Json:
    outline = module.outline
    return {
        "path": module.source.path,
        "module": module.name,
        "language": module.source.language,
        "imports": list(outline.imports),
        "classes": list(outline.named("class", "struct", "interface", "trait", "enum", "protocol", "object", "union")),
        "functions": list(outline.named("function", "method")),
        "symbols": [
            {"name": one.name, "kind": one.kind, "line_start": one.line_start, "line_end": one.line_end}
            for one in outline.symbols
        ],
        "line_start": 1,
        "line_end": module.source.lines,
    }


def _document_title(mapped: RepoMap, path: str) -> str:
    """The first heading of a document, or its path."""
    headed = (section.chunk.heading_path for section in mapped.sections if section.path == path)
    return next((headings[0] for headings in headed if headings), path)


def language_name(language: str) -> str:
    return _LANGUAGE_NAMES.get(language, language.capitalize())


# What the graph holds


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class _Node(Struct, frozen=True):
    id: str
    name: str
    type: str
    description: str
    aliases: tuple[str, ...] = ()


class _Edge(Struct, frozen=True):
    subject: str
    predicate: str
    object: str
    weight: float = 1.0

    @property
    def id(self) -> str:
        return f"rel:{_digest(self.subject, self.predicate, self.object)}"


class _Graph:
    """The entities and relations of a map. A language is the same for all repositories of a space."""

    def __init__(self, location: str, mapped: RepoMap) -> None:
        self.source = source_id(location)
        modules = mapped.modules[:MODULE_NODES]
        root = f"node:{_digest(location, '')}"
        told = f"Repository at {location}: {_short(mapped).partition(': ')[2]}"
        languages: Counter[str] = Counter()
        for name, count in mapped.languages.items():
            languages[language_name(name)] += count
        spoken = {name: f"node:{_digest(_LANGUAGE, name)}" for name in languages}
        ids = {module.source.path: f"node:{_digest(location, module.source.path)}" for module in modules}
        self.nodes = [
            _Node(root, mapped.name, "repository", told),
            *(_Node(id, name, _LANGUAGE, "A programming language") for name, id in spoken.items()),
            *(_module_node(ids[module.source.path], module, mapped.name) for module in modules),
        ]
        whole = max(languages.total(), 1)
        self.relations = [
            *(_Edge(root, "written_in", spoken[name], round(count / whole, 3)) for name, count in languages.items()),
            *(_Edge(root, "contains", id) for id in ids.values()),
            *(
                _Edge(ids[one], "imports", ids[other])
                for one, other in internal_imports(mapped.modules)
                if one in ids and other in ids
            ),
        ]

    @property
    def node_ids(self) -> list[str]:
        return [node.id for node in self.nodes]

    def settle(self, view: View, space: str) -> None:
        """A language that the space knows by another id is meant by that one."""
        known = {
            node.id: entity.id
            for node in self.nodes
            if node.type == _LANGUAGE and (entity := resolve(view, space, node.name)) is not None
        }
        self.nodes = [msgspec.structs.replace(node, id=known.get(node.id, node.id)) for node in self.nodes]
        self.relations = [
            msgspec.structs.replace(edge, object=known.get(edge.object, edge.object)) for edge in self.relations
        ]


def _module_node(id: str, module: Module, repo: str) -> _Node:
    path = module.source.path
    told = f"{language_name(module.source.language)} module of {repo}, {module.source.lines} lines"
    return _Node(id, f"{repo}/{path}", "module", told, (path,) if "/" in path else ())


def _put_graph(edit: Edit, space: str, graph: _Graph) -> list[int]:
    ops: list[Put] = []
    fresh: list[str] = []
    for node in graph.nodes:
        known = edit.get(Entity, space, node.id)
        if known is not None and node.type == _LANGUAGE:
            continue
        base = known or Entity(id=node.id, space=space, name=node.name, created_at=edit.now, recorded_at=edit.now)
        metadata = base.metadata if node.type == _LANGUAGE else {**base.metadata, "source_id": graph.source}
        new = msgspec.structs.replace(
            base, name=node.name, type=node.type, description=node.description, metadata=metadata,
            aliases=tuple(dict.fromkeys((*base.aliases, *node.aliases))),
        )  # fmt: skip
        if new != known:
            ops.append(Put(thing=new, verb="name" if known is None else "describe", before=known))
            fresh += names_of(new) if known is None else []
    entries = [done.entry for done in edit.apply(ops)]
    relink(edit, space, fresh)
    put = [op for edge in graph.relations for op in _put_relation(edit, space, edge, graph.source)]
    return [*entries, *(done.entry for done in edit.apply(put))]


def _put_relation(edit: Edit, space: str, edge: _Edge, source: str) -> list[Put]:
    known = edit.get(Relation, space, edge.id)
    if known is not None and known.weight == edge.weight and known.valid_until is None:
        return []
    made = Relation(
        id=edge.id, space=space, subject=edge.subject, predicate=edge.predicate, object=edge.object,
        weight=edge.weight, provenance=source, valid_from=edit.now if known is None else known.valid_from,
        metadata={"source_id": source}, created_at=edit.now if known is None else known.created_at,
        recorded_at=edit.now,
    )  # fmt: skip
    return [Put(thing=made, verb="relate", before=known)]


def _drop_graph(edit: Edit, space: str, before: Record | None, graph: _Graph) -> list[int]:
    """Takes back what an earlier map put into the graph; a node that others speak of stays."""
    if before is None:
        return []
    held = cast("Metadata", before.metadata.get("payload") or {})
    reason = f"no longer in {before.source}"
    entries: list[int] = []
    for id in _texts(held.get("relation_ids")):
        relation = edit.get(Relation, space, id)
        if relation is not None and id not in {edge.id for edge in graph.relations}:
            entries += edit.apply([Retire(thing=relation, verb="close", reason=reason)])[0].entries
    for id in _texts(held.get("node_ids")):
        node = edit.get(Entity, space, id)
        if node is None or id in graph.node_ids or node.type == _LANGUAGE or _is_spoken_of(edit, space, id):
            continue
        entries += edit.apply([Retire(thing=node, verb="replace", reason=reason)])[0].entries
        relink(edit, space, names_of(node))
    return entries


def _is_spoken_of(edit: Edit, space: str, id: str) -> bool:
    return bool(
        edit.count(Relations(space=space, subjects=(id,)))
        or edit.count(Relations(space=space, objects=(id,)))
        or cites(edit, space, [f"subject:{id}"], 1)
    )


def _texts(value: Json) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, Sequence) else []


# Answers


def _answer(
    written: IngestedSource,
    entries: Sequence[int],
    nodes: Sequence[str],
    scan: Scan,
    wish: Wish,
    counts: Mapping[str, int],
    left_out: Mapping[str, int],
) -> IngestedRepo:
    state = tuple(scan.listing.preflight)
    return IngestedRepo(
        source=written, nodes=tuple(nodes), entries=tuple(entries), agent_state=state,
        pending=() if wish.force else state, counts=dict(counts), problems=scan.problems,
        left_out=dict(left_out),
    )  # fmt: skip


def _answer_unchanged(known: Record, scan: Scan, wish: Wish) -> IngestedRepo:
    payload = cast("Metadata", known.metadata.get("payload") or {})
    segments = known.metadata.get("segments")
    source = IngestedSource(
        id=known.id, space=known.space, location=known.source or "", source_kind="repo", title=known.title or "",
        outcome="unchanged", fingerprint=scan.fingerprint, segments=segments if isinstance(segments, int) else 0,
    )  # fmt: skip
    counts = cast("Mapping[str, Json]", payload.get("counts") or {})
    told, left = (
        {name: count for name, count in held.items() if isinstance(count, int)}
        for held in (counts, cast("Mapping[str, Json]", counts.get("left_out") or {}))
    )
    return _answer(source, (), _texts(payload.get("node_ids")), scan, wish, told, left)
