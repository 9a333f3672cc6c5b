"""Which folders of source code does a memory know, and who keeps their index in step?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from recollect.engine.core import AWAY_SECONDS, Core, is_taken
from recollect.engine.erased import all_of
from recollect.engine.intake.indexing import Pass
from recollect.engine.intake.results import Project, ProjectStatus
from recollect.engine.intake.watching import watch_folder
from recollect.engine.known import PROJECTS, IndexedProject, code_files, read_projects
from recollect.engine.loop import Loop
from recollect.engine.settle import note_erased, scrub
from recollect.engine.write.remember import ensure_space
from recollect.errors import Cancelled, InvalidInput, NotFound, RecollectError, StoreError
from recollect.ingest.walk_files import Walked, is_text
from recollect.store.base import Ident, Turn, View
from recollect.store.ops import Erase
from recollect.types import Filter
from recollect.working import meant_path

_ERASED_AT_ONCE = 1_000
_LOOKS_EVERY = 0.2  # seconds
_LAST_WORDS = 5.0  # seconds that a run has to end in

UNFINISHED = "the last run did not end, and is not gone on with unasked; index the folder again to do so"

Key = tuple[str, str]
Tell = Callable[[ProjectStatus], None]


class _ProjectRun:
    """A run that goes on in this process."""

    def __init__(self, name: str, run: Callable[[_ProjectRun], None]) -> None:
        self.loop = Loop(name, lambda: run(self), failed=lambda _: self.end())
        self.news = threading.Condition()
        self.last: IndexedProject | None = None
        self.callers = 1
        """Those who asked for it and have not withdrawn that."""
        self._done = False

    @property
    def over(self) -> bool:
        """Has it ended, or was it told to before it began?"""
        return self._done or not self.loop.running

    def tell(self, project: IndexedProject) -> None:
        with self.news:
            self.last = project
            self.news.notify_all()

    def end(self) -> None:
        with self.news:
            self._done = True
            self.news.notify_all()


class Projects:
    """The runs and watches of one open memory. They end with it."""

    def __init__(self) -> None:
        self._runs: dict[Key, _ProjectRun] = {}
        self._watches: dict[Key, Loop] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()

    # Indexing

    def index(
        self,
        core: Core,
        path: str | os.PathLike[str],
        space: str,
        *,
        watch: bool,
        wait: float | None,
        progress: Tell | None,
        walked: tuple[Path, Walked] | None = None,
        of: Mapping[str, int] | None = None,
    ) -> ProjectStatus:
        """Brings a project in step with its folder: one act, or a part `of` one that has begun.

        A walk through that very folder need not be made again.
        """
        project = _register(core, _folder(path), space)
        run = self._start(core, project, walked[1] if walked and str(walked[0]) == project.path else None, of)
        if watch:
            self._watch(core, project)
        deadline = None if wait is None else time.monotonic() + wait
        while not run.over and (deadline is None or time.monotonic() < deadline):
            left = _LOOKS_EVERY if deadline is None else max(0.0, min(_LOOKS_EVERY, deadline - time.monotonic()))
            with run.news:
                run.news.wait(left)
            if progress is not None:
                self._tell(progress, self.status(core, project.id, space), run)
        if isinstance(run.loop.problem, RecollectError):
            raise run.loop.problem
        return self.status(core, project.id, space)

    def _tell(self, progress: Tell, far: ProjectStatus, run: _ProjectRun) -> None:
        """A caller who wants to know no longer, and is the only one, ends the run; a later one goes on with it."""
        try:
            progress(far)
        except Cancelled:
            with self._lock:
                run.callers -= 1
                unwanted = not run.callers
            if unwanted:
                run.loop.end()
            raise

    def _start(
        self, core: Core, project: IndexedProject, walked: Walked | None = None, of: Mapping[str, int] | None = None
    ) -> _ProjectRun:
        """Begins a run in the background; if one goes on already, that is the one. What ends has its turn first."""
        key = (project.space, project.id)
        with self._lock:
            held = self._runs.get(key)
            if held is not None and not held.over and not held.loop.stopping.is_set():
                held.callers += 1
                return held
            walks = iter([walked])  # who has to begin anew walks anew
            name = f"recollect-index-{project.id}"
            run = _ProjectRun(name, lambda run: self._run(core, project, run, next(walks, None), of))
            self._runs[key] = run
            if not self._stop.is_set():
                run.loop.wake()
        return run

    def _run(
        self,
        core: Core,
        project: IndexedProject,
        run: _ProjectRun,
        walked: Walked | None,
        of: Mapping[str, int] | None,
    ) -> None:
        stop = run.loop.stopping
        with _turn(core, project, stop) as turn, core.store.joined(in_steps=True, of=of):
            if turn.mine:
                with core.store.read() as view:
                    known = _find(view, project.id, project.space)
                if known is not None:
                    run.tell(Pass(core, known, stop, run.tell).go(walked))
        run.end()

    # Watching

    def _watch(self, core: Core, project: IndexedProject) -> None:
        key = (project.space, project.id)
        with self._lock:
            if key in self._watches or self._stop.is_set():
                return
            ready = threading.Event()
            watch = Loop(f"recollect-watch-{project.id}", lambda: self._follow(core, project, watch.stopping, ready))
            self._watches[key] = watch
            watch.wake()
        ready.wait(_LAST_WORDS)

    def _follow(self, core: Core, project: IndexedProject, stop: threading.Event, ready: threading.Event) -> None:
        key = (project.space, project.id)
        try:
            for _ in watch_folder(Path(project.path), stop, ready):
                _wait(self._runs.get(key), stop)  # which may have read what has changed since
                while not stop.is_set() and _wait(self._start(core, project), stop):
                    stop.wait(AWAY_SECONDS)
        finally:
            ready.set()
            with self._lock:
                self._watches.pop(key, None)

    # Looking

    def status(self, core: Core, id: str, space: str) -> ProjectStatus:
        with core.store.read() as view:
            project = _find(view, id, space)
        if project is None:
            raise NotFound(f"there is no project {id!r} in space {space!r}")
        key = (space, id)
        run = self._runs.get(key)
        if run is not None and run.last is not None and run.last.state == "failed" and project.state == "indexing":
            project = run.last  # it could not be written down
        if project.state == "indexing" and not is_taken(_turn(core, project)):
            with core.store.read() as view:
                project = _find(view, id, space) or project
            if project.state == "indexing":
                project = msgspec.structs.replace(project, state="pending", problem=UNFINISHED)
        return _to_status(project, core.clock(), watching=key in self._watches)

    def list(self, core: Core, spaces: Sequence[str] | None) -> list[Project]:
        with core.store.read() as view:
            found = read_projects(view)
        return [
            _to_project(project, watched=(project.space, project.id) in self._watches)
            for project in found
            if spaces is None or project.space in spaces
        ]

    # Ending

    def delete(self, core: Core, id: str, space: str) -> int:
        """Ends what works on a project and removes its index for good."""
        with core.store.read() as view:
            project = _find(view, id, space)
        if project is None:
            raise NotFound(f"there is no project {id!r} in space {space!r}")
        self._end(lambda key: key == (space, id))
        chunks = Filter(spaces=(space,), projects=(id,), kinds=("code",), valid_only=False)
        every = msgspec.structs.replace(chunks, past=True)
        with _turn(core, project, self._stop):
            with core.store.read() as view:
                count = view.count(chunks)
            left = True
            while left and not self._stop.is_set():
                with core.store.write(actor=core.actor) as edit:
                    some = edit.select(Ident, every, limit=_ERASED_AT_ONCE)
                    left = bool(some)
                    ids = tuple(dict.fromkeys(one.id for one in some))
                    erased = all_of(edit, space, ids)
                    edit.apply([Erase(where=msgspec.structs.replace(every, ids=ids))] if left else [])
                    note_erased(edit, erased)
                    if not left:
                        edit.keep(code_files(id), {}, space=space, only=True)
                        edit.keep(PROJECTS, {id: None}, space=space)
        scrub(core)
        return count

    def end(self, space: str) -> None:
        """Ends all runs and watches of a space, before it is emptied."""
        self._end(lambda key: key[0] == space)

    def stop(self) -> None:
        """Ends all runs and watches; what a run has not done yet, a later one does."""
        self._stop.set()
        self._end(lambda _: True)

    def _end(self, which: Callable[[Key], bool]) -> None:
        with self._lock:
            watches = [watch for key, watch in self._watches.items() if which(key)]
            loops = watches + [run.loop for key, run in self._runs.items() if which(key)]
        for loop in loops:
            loop.end()
        deadline = time.monotonic() + _LAST_WORDS
        for loop in loops:
            loop.wait(max(0.0, deadline - time.monotonic()))


def _wait(run: _ProjectRun | None, stop: threading.Event) -> bool:
    """Waits for the end of a run; answers whether it found no store."""
    while run is not None and not run.loop.wait(_LOOKS_EVERY) and not stop.is_set():
        continue
    return run is not None and isinstance(run.loop.problem, StoreError)


def _folder(path: str | os.PathLike[str]) -> Path:
    try:
        root = meant_path(path).resolve()
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        raise InvalidInput("path", f"{path!r} is not the path of a folder: {error}") from error
    if not is_folder:
        problem = "is a file; name the folder that it is in" if root.exists() else "does not exist"
        raise InvalidInput("path", f"{root} {problem}")
    if not is_text(str(root)):
        raise InvalidInput("path", f"{str(root)!a} cannot be read: its name is not UTF-8")
    if not os.access(root, os.R_OK | os.X_OK):
        raise InvalidInput("path", f"{root} cannot be read: permission denied")
    return root


def _register(core: Core, root: Path, space: str) -> IndexedProject:
    """The project of a folder; a new one is named for the folder, with a number where that name is taken."""
    with core.store.read() as view:
        known = _placed(view.kept(PROJECTS, space=space), root)
    if known is not None:
        return known
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        there = edit.kept(PROJECTS, space=space)
        known = _placed(there, root)
        if known is not None:
            return known
        name, number = root.name or "root", 1
        id = name
        while id in there:
            number += 1
            id = f"{name}-{number}"
        project = IndexedProject(id=id, space=space, path=str(root), created_at=edit.now)
        edit.keep(PROJECTS, {id: project}, space=space)
    return project


def _placed(projects: Mapping[str, IndexedProject], root: Path) -> IndexedProject | None:
    return next((project for project in projects.values() if project.path == str(root)), None)


def _turn(core: Core, project: IndexedProject, stop: threading.Event | None = None) -> Turn:
    """One process at a time works on a project."""
    return core.store.turn(project.space, project.id, stop=stop)


def _find(view: View, id: str, space: str) -> IndexedProject | None:
    return view.kept(PROJECTS, space=space, keys=[id]).get(id)


def _to_project(project: IndexedProject, *, watched: bool) -> Project:
    return Project(
        id=project.id, space=project.space, path=project.path, created_at=project.created_at, watched=watched
    )


def _to_status(project: IndexedProject, now: datetime, *, watching: bool) -> ProjectStatus:
    share = 1.0 if project.state == "completed" else project.done / project.total if project.total else 0.0
    eta = None
    if project.state == "indexing" and project.started_at is not None and project.done > project.base:
        elapsed = (now - project.started_at).total_seconds()
        eta = round(elapsed * (project.total - project.done) / (project.done - project.base), 1)
    return ProjectStatus(
        id=project.id, space=project.space, path=project.path, state=project.state, total_files=project.total,
        indexed_files=project.done, total_chunks=project.chunks, percent=round(100 * share, 1), eta_seconds=eta,
        started_at=project.started_at, completed_at=project.completed_at, embedded_at=project.embedded_at,
        watching=watching, skipped=project.skipped, errors=project.problems, problem=project.problem,
    )  # fmt: skip
