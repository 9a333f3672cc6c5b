"""How does a person index and search source code?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import show
from recollect.cli.options import AllSpaces, AsJson, Home, Projects, SpaceName, Words, Yes, confirm, read_text
from recollect.cli.output import many, one_line, put, put_answer, put_json, say
from recollect.cli.place import asked_space, open_or_fail, open_or_make, open_to_read
from recollect.cli.progress import complete_vectors, count_waiting, follow_code, reporting, say_left_out, tell_waiting
from recollect.cli.read import say_left_out_of
from recollect.engine.core import wait_for_store
from recollect.engine.intake.results import ProjectStatus
from recollect.engine.memory import Memory
from recollect.types import DEFAULT_SPACE, Hit

_LINES_SHOWN = 3
_NO_WATCHES = "perhaps the system allows no more watches (on Linux, fs.inotify.max_user_watches says how many)"

projects = typer.Typer(
    help="The folders of source code that are indexed.\n\n\b\nExample:\n  recollect projects list",
    no_args_is_help=True,
)

Languages = Annotated[
    list[str] | None, typer.Option("--language", metavar="NAME", help="Only of this language; may be repeated.")
]


def index(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="The folder; without one, the current folder.")] = ".",
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and follow changes until Ctrl-C.")] = False,
    later: Annotated[
        bool, typer.Option("--later", help="Leave the vectors to the next search instead of computing them now.")
    ] = False,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Index the source code in a folder, to be found by search-code and recall.

    Only files that are new or have changed are read. What .gitignore and .memoryignore name is left out.

    \b
    Examples:
      recollect index ~/src/gateway
      recollect index . --watch
    """
    with open_or_make(home) as memory:
        started = time.monotonic()
        with reporting() as report:
            status = memory.index_project(path, space=space, watch=watch, progress=follow_code(report, "files"))
            seconds = time.monotonic() - started
            if later or status.state != "completed":
                waiting = count_waiting(memory, space)
            else:
                waiting = complete_vectors(memory, report, space=space)
            whole = None if later else time.monotonic() - started
        if as_json:
            put_json(status)
        else:
            _put_status(status, seconds, whole)
            tell_waiting(waiting)
        if watch and status.state == "completed" and not _follow(memory, status):
            say(f"error: {status.path} is there and can be watched no more; {_NO_WATCHES}")
            return 1
    return 0 if status.state == "completed" else 1


def _put_status(status: ProjectStatus, seconds: float, whole: float | None) -> None:
    say_left_out(status.errors)
    if status.problem is not None:
        say(f"error: {status.problem}")
    rate = f"{status.indexed_files / max(seconds, 1e-3):,.0f} files/s"
    put(
        f"{status.id}: {many(status.indexed_files, 'file')}, {many(status.total_chunks, 'chunk')}"
        f" in {seconds:.1f} s ({rate}){'' if whole is None else f', with vectors {whole:.1f} s'}"
    )


def _follow(memory: Memory, status: ProjectStatus) -> bool:
    """Waits for Ctrl-C, or for the folder to go; what changes is indexed by a thread of the memory. Answers whether the
    folder did not stay unwatched."""
    say(f"watching {status.path}; Ctrl-C ends it")
    while wait_for_store(lambda: memory.project_status(status.id, space=status.space).watching, say):
        time.sleep(1)
    return not Path(status.path).is_dir()


def search_code(
    query: Words = None,
    space: SpaceName = DEFAULT_SPACE,
    all_spaces: AllSpaces = False,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most so many.")] = 10,
    project: Projects = None,
    language: Languages = None,
    why: Annotated[bool, typer.Option("--why", help="Say which signals spoke for each hit.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Find code by what it does; the best places come first.

    \b
    Examples:
      recollect search-code "where are tokens validated?"
      recollect search-code "retry with backoff" --project gateway --language python
    """
    text = read_text(query, "query")
    with open_to_read(home, {"hits": [], "signals": None}, as_json=as_json) as memory:
        where = asked_space(memory, space, all_spaces=all_spaces)
        answer = memory.search_code(text, space=where, project=project, language=language, limit=limit)
    if as_json:
        put_json({"hits": answer.hits, "signals": answer.signals})
        return
    say_left_out_of(answer)
    doubt = show.doubt(answer)
    if doubt is not None:
        say(doubt)
    for hit in answer:
        _put_hit(hit, why=why)


def _put_hit(hit: Hit, *, why: bool) -> None:
    at = hit.record.locator or {}
    name = f"  {at['chunk_type']} {hit.record.title}" if at.get("name") else ""
    alike = f"  (+{len(hit.folded)} alike)" if hit.folded else ""
    put(f"{hit.score:.2f}  {at.get('path')}:{at.get('start_line')}-{at.get('end_line')}{name}{alike}")
    if why:
        put(f"      ({show.render_why(hit.why)})")
    lines = [line for line in hit.record.text.split("\n") if line.strip()]
    for line in lines[:_LINES_SHOWN]:
        put(f"      {one_line(line, 110)}")


@projects.command("list")
def list_projects(space: SpaceName = DEFAULT_SPACE, home: Home = None, as_json: AsJson = False) -> None:
    """Show which folders are indexed, and how far each is.

    \b
    Example:
      recollect projects list
    """
    with open_to_read(home, {"projects": []}, as_json=as_json) as memory:
        asked_space(memory, space)
        found = [memory.project_status(project.id, space=space) for project in memory.projects(space=space)]
    if as_json:
        put_json({"projects": found})
        return
    columns = [show.Column("id", whole=True), show.Column("state"), show.Column("files", right=True)]
    columns += [show.Column("chunks", right=True), show.Column("folder", wide=True)]
    rows = [
        [one.id, f"{one.state} {one.percent:.0f} %", f"{one.indexed_files:,}", f"{one.total_chunks:,}", one.path]
        for one in found
    ]
    show.put_table(columns, rows)


@projects.command("delete")
def delete_project(
    id: Annotated[str, typer.Argument(metavar="ID", help="The project, as `projects list` shows it.")],
    yes: Yes = False,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Remove the index of a project for good. The files themselves are not touched.

    \b
    Example:
      recollect projects delete gateway
    """
    with open_or_fail(home) as memory:
        status = memory.project_status(id, space=space)
        if not confirm(f"Remove {many(status.total_chunks, 'chunk')} of {status.path} from the memory?", yes=yes):
            say("nothing was changed")
            return 1
        gone = memory.delete_project(id, space=space)
    put_answer({"chunks_deleted": gone}, f"{id}: {many(gone, 'chunk')} removed", as_json=as_json)
    return 0
