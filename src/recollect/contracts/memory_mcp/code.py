"""What does each tool of memory-mcp about code do?"""

from __future__ import annotations

import math
from collections.abc import Mapping

from recollect.contracts.memory_mcp import answers as a
from recollect.contracts.memory_mcp import params as p
from recollect.contracts.tool import INDEX_SECONDS, WAIT_SECONDS, Call, view
from recollect.errors import InvalidInput, NotFound
from recollect.types import ProjectStatus


def index_project(given: p.IndexProject, call: Call) -> a.Indexed:
    def report(status: ProjectStatus) -> None:
        call.progress(status.indexed_files, status.total_files or None, "indexing")

    try:
        status = call.memory.index_project(
            given.path, space=call.space, watch=given.watch, wait=INDEX_SECONDS, progress=report
        )
    except (NotFound, InvalidInput) as error:
        raise NotFound(f"Invalid path: {given.path}") from error
    return a.Indexed(
        project_id=status.id, files_indexed=status.indexed_files, chunks_created=status.total_chunks
    )  # fmt: skip


def search_code(given: p.SearchCode, call: Call) -> a.CodeSearched:
    hits = call.memory.search_code(
        given.query, space=call.space, project=given.project_id, limit=given.limit, wait=WAIT_SECONDS,
        progress=call.report_vectors,
    )  # fmt: skip
    return a.CodeSearched(results=[a.view_code(hit.record, hit.score) for hit in hits], count=len(hits))


def get_index_status(given: p.CheckProject, call: Call) -> a.IndexStatus:
    try:
        status = call.memory.project_status(given.project_id, space=call.space)
    except (NotFound, InvalidInput) as error:
        raise NotFound(f"Project not found: {given.project_id}") from error
    return view(
        a.IndexStatus, status, project_id=status.id, status=status.state, progress_percent=round(status.percent, 1),
        eta_seconds=None if status.eta_seconds is None else math.ceil(status.eta_seconds),
    )  # fmt: skip


def list_projects(given: p.Nothing, call: Call) -> a.Projects:
    ids = [project.id for project in call.memory.projects(space=call.space)]
    return a.Projects(projects=ids, count=len(ids))


def delete_project(given: p.DeleteProject, call: Call) -> Mapping[str, int]:
    try:
        return {"chunks_deleted": call.memory.delete_project(given.project_id, space=call.space)}
    except (NotFound, InvalidInput):
        return {"chunks_deleted": 0}
