"""What does each tool of memory-mcp about code do?"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

from recollect.contracts.memory_mcp import answers as a
from recollect.contracts.memory_mcp import params as p
from recollect.contracts.tool import INDEX_SECONDS, Call, view
from recollect.engine.embedding.semantics import Behind
from recollect.engine.intake.results import ProjectStatus
from recollect.engine.read.stats import distinct
from recollect.errors import EmbedderError, InvalidInput, NotFound
from recollect.types import Filter

CODE = "code"
"""The kind of records that are code chunks here; every other kind is a memory."""
_TRIED_SECONDS = 1.0
_MOST_TOLD = 10
_LANGUAGES = ("rust", "python", "javascript", "typescript", "go")
"""Those that the contract names: there may be no code in one, but it is no mistake."""


def need_embedder(call: Call) -> None:
    """Raises an error where what is stored now would stay without a vector. Each new try asks the embedder again."""
    if not call.memory.semantics.can_embed(_TRIED_SECONDS):
        raise EmbedderError("the embedder does not answer")


def index_project(given: p.IndexProject, call: Call) -> a.Indexed:
    def report(status: ProjectStatus) -> None:
        call.progress(status.indexed_files, status.total_files or None, "indexing")

    need_embedder(call)
    began = time.monotonic()
    try:
        if not given.path.strip():
            raise InvalidInput("path", "is empty")
        status = call.memory.index_project(
            given.path, space=call.space, watch=given.watch, wait=INDEX_SECONDS, progress=report
        )
    except (NotFound, InvalidInput) as error:
        raise NotFound(f"Invalid path: {given.path}") from error
    left = INDEX_SECONDS - (time.monotonic() - began)
    if status.done and left > 0:
        call.memory.embed_waiting(
            lambda done, total: call.progress(done, total, "computing vectors"), space=call.space, seconds=left
        )
    return a.Indexed(
        project_id=status.id, files_indexed=status.indexed_files, chunks_created=status.total_chunks
    )  # fmt: skip


def known_project(id: str | None, call: Call) -> str | None:
    """A project that somebody names must be there, as a folder that is indexed or as a label of code."""
    if id is None:
        return None
    labels = [label for label in distinct(call.memory.core, "project", space=call.space, kinds=[CODE]) if label]
    there = sorted({*labels, *(project.id for project in call.memory.projects(space=call.space))})
    if id not in there:
        told = f"there are: {_few(there)}" if there else "none is indexed yet"
        raise InvalidInput("project_id", f"there is no project {id!r}; {told}")
    return id


def known_language(name: str | None, call: Call) -> str | None:
    """A language as chunks are labelled with it; one that neither they nor the contract know is an error."""
    if name is None:
        return None
    wanted, there = name.strip().lower(), distinct(call.memory.core, "tag", space=call.space, kinds=[CODE])
    if wanted not in (*there, *_LANGUAGES):
        told = f"there is code in: {_few(there)}" if there else "no code is indexed yet"
        raise InvalidInput("language", f"nothing is written in {name!r}; {told}")
    return wanted


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_TOLD:,} more" if len(names) > _MOST_TOLD else ""
    return f"{', '.join(names[:_MOST_TOLD])}{more}"


def search_code(given: p.SearchCode, call: Call) -> a.CodeSearched:
    hits = call.memory.search_code(
        given.query, space=call.space, project=known_project(given.project_id, call), limit=given.limit, fold=False,
    )  # fmt: skip
    return a.CodeSearched(results=[a.view_code(hit.record, hit.score) for hit in hits], count=len(hits))


def get_index_status(given: p.CheckProject, call: Call) -> a.IndexStatus:
    try:
        status = call.memory.project_status(given.project_id, space=call.space)
    except (NotFound, InvalidInput) as error:
        raise NotFound(f"Project not found: {given.project_id}") from error
    behind = call.memory.semantics.behind(Filter(spaces=(call.space,), projects=(status.id,), kinds=(CODE,)))
    state = status.state
    if state == "completed" and behind.waiting:
        state = "failed" if call.memory.semantics.state().state == "failed" else "indexing"
    eta = _eta(status, behind) if state == "indexing" else None
    return view(
        a.IndexStatus, status, project_id=status.id, status=state, progress_percent=_percent(status, behind),
        eta_seconds=None if eta is None else math.ceil(eta),
        completed_at=None if state == "indexing" else status.embedded_at or status.completed_at,
    )  # fmt: skip


def _percent(status: ProjectStatus, behind: Behind) -> float:
    """Of reading files, which counts as a tenth, and of computing the vectors of what was read."""
    computed = 1.0 - min(behind.waiting / max(status.total_chunks, 1), 1.0)
    return round(status.percent * (0.1 + 0.9 * computed), 1)


def _eta(status: ProjectStatus, behind: Behind) -> float | None:
    """Seconds that reading and the vectors of all chunks will take; of files not read yet as many are expected."""
    if behind.seconds is None and behind.waiting:
        return None
    vectors = behind.seconds or 0.0
    if status.state == "completed":
        return vectors
    if status.eta_seconds is None or not status.indexed_files:
        return None
    unread = max(status.total_files - status.indexed_files, 0) / status.indexed_files
    pace = vectors / behind.waiting if behind.waiting else 0.0
    return status.eta_seconds + vectors + pace * status.total_chunks * unread


def list_projects(given: p.Nothing, call: Call) -> a.Projects:
    ids = [project.id for project in call.memory.projects(space=call.space)]
    return a.Projects(projects=ids, count=len(ids))


def delete_project(given: p.DeleteProject, call: Call) -> Mapping[str, int]:
    try:
        return {"chunks_deleted": call.memory.delete_project(given.project_id, space=call.space)}
    except (NotFound, InvalidInput):
        return {"chunks_deleted": 0}
