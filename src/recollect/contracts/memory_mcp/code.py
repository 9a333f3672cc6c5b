"""What does each tool of memory-mcp about code do?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from recollect.contracts.memory_mcp import answers as a
from recollect.contracts.memory_mcp import params as p
from recollect.contracts.memory_mcp.calls import WAIT_SECONDS
from recollect.contracts.tool import Call
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, NotFound
from recollect.types import ProjectStatus

_INDEX_SECONDS = 10.0  # then the counts so far are answered, and the rest goes on in the background


class CodeCalls:
    """The calls behind the five code tools; all of them work on one space."""

    def __init__(self, memory: Memory, space: str, new_id: Callable[[], str]) -> None:
        self._memory = memory
        self._space = space
        self._new_id = new_id

    def _as(self, call: Call) -> Memory:
        return self._memory.acting_as(call.client or "mcp", new_id=self._new_id)

    def index(self, given: p.IndexProject, call: Call) -> a.Indexed:
        def report(status: ProjectStatus) -> None:
            call.progress(status.indexed_files, status.total_files or None, "indexing")

        try:
            status = self._as(call).index_project(
                given.path, space=self._space, watch=given.watch, wait=_INDEX_SECONDS, progress=report
            )
        except (NotFound, InvalidInput) as error:
            raise NotFound(f"Invalid path: {given.path}") from error
        return a.Indexed(
            project_id=status.id, files_indexed=status.indexed_files, chunks_created=status.total_chunks
        )  # fmt: skip

    def search(self, given: p.SearchCode, call: Call) -> a.CodeSearched:
        hits = self._memory.search_code(
            given.query, space=self._space, project=given.project_id, limit=given.limit, wait=WAIT_SECONDS,
            progress=lambda done, total: call.progress(done, total, "computing vectors"),
        )  # fmt: skip
        return a.CodeSearched(results=[a.view_code(hit.record, hit.score) for hit in hits], count=len(hits))

    def status(self, given: p.ByProject, call: Call) -> a.IndexStatus:  # noqa: ARG002  every tool has this shape
        try:
            status = self._memory.project_status(given.project_id, space=self._space)
        except (NotFound, InvalidInput) as error:
            raise NotFound(f"Project not found: {given.project_id}") from error
        return a.IndexStatus(
            project_id=status.id, status=status.state, total_files=status.total_files,
            indexed_files=status.indexed_files, total_chunks=status.total_chunks,
            progress_percent=round(status.percent, 1),
            eta_seconds=None if status.eta_seconds is None else math.ceil(status.eta_seconds),
            started_at=status.started_at, completed_at=status.completed_at,
        )  # fmt: skip

    def projects(self, given: p.Nothing, call: Call) -> a.Projects:  # noqa: ARG002  every tool has this shape
        ids = [project.id for project in self._memory.projects(space=self._space)]
        return a.Projects(projects=ids, count=len(ids))

    def delete(self, given: p.ByProject, call: Call) -> Mapping[str, int]:
        try:
            return {"chunks_deleted": self._as(call).delete_project(given.project_id, space=self._space)}
        except (NotFound, InvalidInput):
            return {"chunks_deleted": 0}
