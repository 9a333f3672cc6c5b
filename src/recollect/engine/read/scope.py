"""Which projects does somebody see who works in a folder?

That of the repository around it or of the folder itself, whatever is of no project, and code that was indexed there or
in no repository: what belongs to another project is seen by whoever asks for it.
"""

from __future__ import annotations

from recollect.engine.core import Core
from recollect.engine.known import read_projects
from recollect.engine.workplaces import project_at


def projects_seen(core: Core, folder: str, *, plain: bool) -> tuple[str | None, ...]:
    """The project of a folder first, then None (what is of none), then ids of indexed code; empty outside of any."""
    with core.store.read() as view:
        name = project_at(view, folder, plain=plain)
        if name is None:
            return ()
        indexed = [one.id for one in read_projects(view) if project_at(view, one.path, plain=False) in (name, None)]
    return (name, None, *(id for id in indexed if id != name))
