"""Which folders of source code does a memory know, and who keeps their index in step?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from recollect.engine.core import Core, is_taken
from recollect.engine.intake.indexing import Run
from recollect.engine.intake.watching import watch_folder
from recollect.engine.write.remember import ensure_space
from recollect.errors import InvalidInput, NotFound
from recollect.store.base import IndexedProject, Turn, View
from recollect.store.ops import Erase
from recollect.types import Filter, Project, ProjectStatus

_ERASED_AT_ONCE = 1_000
_LOOKS_EVERY = 0.2  # seconds
_LAST_WORDS = 5.0  # seconds that a run has to end in

Key = tuple[str, str]
Tell = Callable[[ProjectStatus], None]


class _Work:
    """A run that goes on in a thread of this process."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.over = threading.Event()
        self.news = threading.Condition()
        self.last: IndexedProject | None = None

    def tell(self, project: IndexedProject) -> None:
        with self.news:
            self.last = project
            self.news.notify_all()


class Projects:
    """The runs and watches of one open memory. They end with it."""

    def __init__(self, core: Core) -> None:
        self._home = core.settings.home
        self._works: dict[Key, _Work] = {}
        self._watches: dict[Key, threading.Event] = {}
        self._threads: list[threading.Thread] = []
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
    ) -> ProjectStatus:
        project = _register(core, _folder(path), space)
        work = self._start(core, project)
        if watch:
            self._watch(core, project)
        deadline = None if wait is None else time.monotonic() + wait
        while not work.over.is_set() and (deadline is None or time.monotonic() < deadline):
            left = _LOOKS_EVERY if deadline is None else max(0.0, min(_LOOKS_EVERY, deadline - time.monotonic()))
            with work.news:
                work.news.wait(left)
            if progress is not None:
                progress(self.status(core, project.id, space))
        return self.status(core, project.id, space)

    def resume(self, core: Core) -> list[Project]:
        """Goes on with every run that was broken off when its process ended."""
        with core.store.read() as view:
            broken = [project for project in view.projects(None) if project.state == "indexing"]
        resumed = [project for project in broken if not is_taken(_turn(core, project))]
        for project in resumed:
            self._start(core, project)
        return [_to_project(project, watched=False) for project in resumed]

    def _start(self, core: Core, project: IndexedProject) -> _Work:
        """Begins a run in the background; if there is one already, that is the one."""
        key = (project.space, project.id)
        with self._lock:
            held = self._works.get(key)
            if held is not None and not held.over.is_set():
                return held
            work = self._works[key] = _Work()
            if self._stop.is_set():
                work.over.set()
                return work
            self._spawn(lambda: self._run(core, project, work), f"recollect-index-{project.id}")
        return work

    def _spawn(self, target: Callable[[], None], name: str) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=target, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run(self, core: Core, project: IndexedProject, work: _Work) -> None:
        try:
            with _turn(core, project, work.stop) as turn:
                if turn.mine:
                    with core.store.read() as view:
                        known = _find(view, project.id, project.space)
                    if known is not None:
                        work.tell(Run(core, known, work.stop, work.tell).go())
        finally:
            work.over.set()
            with work.news:
                work.news.notify_all()

    # Watching

    def _watch(self, core: Core, project: IndexedProject) -> None:
        key = (project.space, project.id)
        with self._lock:
            if key in self._watches or self._stop.is_set():
                return
            stop = self._watches[key] = threading.Event()
            ready = threading.Event()
            self._spawn(lambda: self._follow(core, project, stop, ready), f"recollect-watch-{project.id}")
        ready.wait(_LAST_WORDS)

    def _follow(self, core: Core, project: IndexedProject, stop: threading.Event, ready: threading.Event) -> None:
        key = (project.space, project.id)
        try:
            for _ in watch_folder(Path(project.path), stop, ready):
                work = self._start(core, project)
                while not work.over.wait(_LOOKS_EVERY) and not stop.is_set():
                    continue
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
        work = self._works.get(key)
        if work is not None and work.last is not None and work.last.state == "failed" and project.state == "indexing":
            project = work.last  # it could not be written down
        if project.state == "indexing" and not is_taken(_turn(core, project)):
            with core.store.read() as view:
                project = _find(view, id, space) or project
            if project.state == "indexing":
                project = msgspec.structs.replace(project, state="pending")
        return _to_status(project, core.clock(), watching=key in self._watches)

    def list(self, core: Core, spaces: Sequence[str] | None) -> list[Project]:
        with core.store.read() as view:
            found = view.projects(None)
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
        self._end((space, id))
        chunks = Filter(spaces=(space,), projects=(id,), kinds=("code",), valid_only=False)
        erase = Erase(where=msgspec.structs.replace(chunks, past=True), most=_ERASED_AT_ONCE)
        with _turn(core, project, self._stop):
            with core.store.read() as view:
                count = view.count(chunks)
            left = True
            while left and not self._stop.is_set():
                with core.store.write(actor=core.actor) as edit:
                    left = edit.apply([erase])[0].count > 0
                    if not left:
                        edit.drop_project(space, id)
        core.store.scrub()
        return count

    def _end(self, key: Key) -> None:
        with self._lock:
            watch, work = self._watches.get(key), self._works.get(key)
        if watch is not None:
            watch.set()
        if work is not None:
            work.stop.set()
            work.over.wait(_LAST_WORDS)

    def end(self, space: str) -> None:
        """Ends all runs and watches of a space, before it is emptied."""
        with self._lock:
            keys = {key for key in (*self._works, *self._watches) if key[0] == space}
        for key in keys:
            self._end(key)

    def stop(self) -> None:
        """Ends all runs and watches; what a run has not done yet, a later one does."""
        self._stop.set()
        with self._lock:
            for watch in self._watches.values():
                watch.set()
            for work in self._works.values():
                work.stop.set()
            threads = list(self._threads)
        deadline = time.monotonic() + _LAST_WORDS
        for thread in threads:
            thread.join(timeout=max(0.0, deadline - time.monotonic()))


def _folder(path: str | os.PathLike[str]) -> Path:
    try:
        root = Path(path).expanduser().resolve()
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        raise InvalidInput("path", f"{path!r} is not the path of a folder: {error}") from error
    if not is_folder:
        problem = "is a file; name the folder that it is in" if root.exists() else "does not exist"
        raise InvalidInput("path", f"{root} {problem}")
    if not os.access(root, os.R_OK | os.X_OK):
        raise InvalidInput("path", f"{root} cannot be read: permission denied")
    return root


def _register(core: Core, root: Path, space: str) -> IndexedProject:
    """The project of a folder; a new one is named for the folder, with a number where that name is taken."""
    with core.store.read() as view:
        known = next((project for project in view.projects(space) if project.path == str(root)), None)
    if known is not None:
        return known
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, space)
        there = edit.projects(space)
        known = next((project for project in there if project.path == str(root)), None)
        if known is not None:
            return known
        taken = {project.id for project in there}
        name, number = root.name or "root", 1
        id = name
        while id in taken:
            number += 1
            id = f"{name}-{number}"
        project = IndexedProject(id=id, space=space, path=str(root), created_at=edit.now)
        edit.put_project(project)
    return project


def _turn(core: Core, project: IndexedProject, stop: threading.Event | None = None) -> Turn:
    """One process at a time works on a project."""
    return core.store.turn(project.space, project.id, stop=stop)


def _find(view: View, id: str, space: str) -> IndexedProject | None:
    return next((project for project in view.projects(space) if project.id == id), None)


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
        started_at=project.started_at, completed_at=project.completed_at, watching=watching, skipped=project.skipped,
        errors=project.problems, problem=project.problem,
    )  # fmt: skip
