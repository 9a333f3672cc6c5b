"""Which projects does somebody see who works in a folder?

That of the repository around it, whatever is of no project, and code that was indexed there or in no repository: what
belongs to another project is seen by whoever asks for it.
"""

from __future__ import annotations

from recollect.engine.core import Core
from recollect.engine.known import read_projects
from recollect.ingest.worktree import project_of


def projects_seen(core: Core, folder: str) -> tuple[str | None, ...]:
    """The project of a folder first, then None (what is of none), then ids of indexed code; empty outside of any."""
    name = project_of(folder)
    if name is None:
        return ()
    with core.store.read() as view:
        indexed = [one.id for one in read_projects(view) if project_of(one.path) in (name, None)]
    return (name, None, *(id for id in indexed if id != name))
