"""How does a caller bring in what was written elsewhere?"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from recollect.engine.core import Core
from recollect.engine.intake import ingest as ingesting
from recollect.engine.intake import sources as sourcing
from recollect.engine.intake.results import (
    Ingested,
    IngestedFolder,
    IngestedRepo,
    IngestedSource,
    Project,
    ProjectStatus,
    SourceDraft,
)
from recollect.engine.parse import (
    parse_choice,
    parse_draft,
    parse_filter,
    parse_flag,
    parse_label,
    parse_labels,
    parse_metadata,
    parse_optional,
    parse_optional_time,
    parse_ref,
    parse_source_fields,
    parse_space,
    parse_string,
    parse_text,
    parse_wait,
)
from recollect.errors import InvalidInput
from recollect.fields import Moment, Spaces
from recollect.types import DEFAULT_SPACE, Record

if TYPE_CHECKING:
    from recollect.engine.intake.capture import Captured
    from recollect.engine.intake.projects import Projects


class Indexing:
    """What works on projects, once there is something to do."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.projects: Projects | None = None


class Ingesting:
    """What comes into a memory from documents, conversations, repositories and other programs."""

    core: Core
    _indexing: Indexing

    def ingest(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        source: str | None = None,
        title: str | None = None,
        progress: Callable[[int, int], None] | None = None,
        **fields: object,
    ) -> Ingested:
        """Stores a document in sections. Ingesting the same source again replaces what it held.

        `progress` is told how many of how many sections are done; what it raises takes all of them back.
        """
        whole = parse_string(text, "text")
        if not whole.strip():
            raise InvalidInput("text", "is blank; give it some text")
        for name in ("id", "grounds", "reason"):
            if name in fields:
                raise InvalidInput(name, "cannot be given: a document becomes several records")
        draft = parse_draft({"kind": "document", **fields, "text": "(a section)"}, {})
        return ingesting.ingest_text(
            self.core,
            whole,
            parse_space(space),
            parse_optional(source, "source"),
            parse_optional(title, "title"),
            draft,
            progress,
        )

    def ingest_conversation(
        self,
        messages: Sequence[Mapping[str, object]],
        *,
        session: str | None = None,
        space: str = DEFAULT_SPACE,
        title: str | None = None,
        origin: Mapping[str, object] | None = None,
        progress: Callable[[int, int], None] | None = None,
        **fields: object,
    ) -> Ingested:
        """Stores messages (role, content, and where known name, created_at, metadata) as one session, in order.

        With a title or an origin the conversation becomes a source. With a session, messages are added to what it
        holds; without one, they are the whole conversation, and take the place of what it held before.
        `progress` is told how many of how many messages are done; what it raises takes all of them back.
        """
        if "id" in fields:
            raise InvalidInput("id", "cannot be given: a conversation becomes several records")
        named = parse_optional(title, "title")
        label = None if session is None else parse_label(session, "session")
        if label is None and named is None and origin is None:
            raise InvalidInput("session", "is missing; name the conversation by session, title or origin")
        talk = ingesting.Talk(label, named, None if origin is None else parse_metadata(origin, "origin"))
        return ingesting.ingest_conversation(self.core, messages, parse_space(space), talk, fields, progress)

    def ingest_file(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        title: str | None = None,
        mode: str | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        **fields: object,
    ) -> IngestedSource:
        """Stores a document (Markdown, text, HTML, PDF, notebook) as a source. The same file again replaces it.

        What is in the file decides how it is read, unless `mode` (markdown, pdf, file) says so. What is large or hard
        to parse is read by a process of its own, within limits of time and memory, until `cancelled` says so.
        `progress` is told how many of how many parts are written; what it raises takes all of them back.
        """
        from recollect.engine.intake import files  # brings in what reads documents
        from recollect.ingest.documents import MODES

        return files.ingest_file(
            self.core, path, parse_space(space), parse_source_fields(fields), cancelled,
            title=parse_optional(title, "title"),
            mode=None if mode is None else parse_choice(mode, "mode", MODES), step=progress,
        )  # fmt: skip

    def ingest_folder(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        **fields: object,
    ) -> IngestedFolder:
        """Stores the documents and transcripts below a folder, each as a source, and archives those that are gone.

        What has not changed is left alone. `progress` is told how many of how many files are done.
        """
        from recollect.engine.intake import folders  # brings in what reads documents

        given = parse_source_fields(fields)
        return folders.ingest_folder(self.core, path, parse_space(space), given, progress, cancelled)[0]

    def ingest_project(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        progress: Callable[[int, int], None] | None = None,
        tell: Callable[[ProjectStatus], None] | None = None,
        **fields: object,
    ) -> tuple[IngestedFolder, ProjectStatus]:
        """Does what `ingest_folder` and then `index_project` do, in one walk through the folder.

        `progress` is told how many of how many documents are done, `tell` how far the code is.
        """
        from recollect.engine.intake import folders, reading  # bring in what reads documents

        home, given = parse_space(space), parse_source_fields(fields)
        with self.core.store.joined(in_steps=True) as act:
            documents, root, [code] = folders.ingest_folder(
                self.core, path, home, given, progress, beside=[reading.CODE]
            )
            begun = dict(cast("Mapping[str, int]", act))
        status = self._code().index(
            self.core, path, home, watch=False, wait=None, progress=tell, walked=(root, code), of=begun
        )
        return documents, status

    def ingest_url(
        self,
        url: str,
        *,
        space: str = DEFAULT_SPACE,
        title: str | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        **fields: object,
    ) -> IngestedSource:
        """Fetches a page of the public web and stores what it says as a source. The same address again replaces it.

        `progress` and `cancelled` are as for a file.
        """
        from recollect.engine.intake import files  # brings in what fetches pages

        return files.ingest_url(
            self.core, parse_string(url, "url"), parse_space(space), parse_source_fields(fields), cancelled,
            title=parse_optional(title, "title"), step=progress,
        )  # fmt: skip

    def ingest_transcript(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        **fields: object,
    ) -> tuple[IngestedSource, ...]:
        """Stores the conversations of a transcript or an export, each as a source.

        Known are those of Claude Code, Codex, Cursor, Copilot, ChatGPT and Claude, and messages with role and content
        (JSON or JSONL).
        """
        from recollect.engine.intake import files  # brings in what reads transcripts

        given = parse_source_fields(fields, memory_type="episodic")
        return files.ingest_transcript(self.core, path, parse_space(space), given, cancelled, progress)

    def capture(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        session: str | None = None,
        project: str | None = None,
        cwd: str | None = None,
        within: float | None = None,
        keep: bool = True,
        at: Moment = None,
    ) -> Captured:
        """Keeps what was said in a client's transcript since it was last read, and what in it sounds worth keeping.

        Messages are kept without calls of tools and without what was recalled for them. Session and project are what
        the transcript says (by its `cwd`: the repository there) unless they are given. With `within`, it stops after
        so many seconds, and the next call goes on. Any number of processes may call this for one transcript. Without
        `keep` it is passed over: what was said until now is kept neither now nor later. Nothing is kept that was said
        during a pause; what does not say when it was said counts as said when the client told of it (`at`, else now).
        """
        from recollect.engine.intake import capture  # brings in what reads transcripts

        wish = capture.Wish(
            session=parse_optional(session, "session"), project=parse_optional(project, "project"),
            cwd=parse_optional(cwd, "cwd"), within=parse_wait(within), keep=keep,
            at=parse_optional_time(at, "at"),
        )  # fmt: skip
        return capture.capture(self.core, path, parse_space(space), wish)

    def capture_said(
        self,
        messages: Sequence[Mapping[str, object]],
        *,
        session: str,
        space: str = DEFAULT_SPACE,
        project: str | None = None,
        cwd: str | None = None,
        keep: bool = True,
        at: Moment = None,
        transcript: str | os.PathLike[str] | None = None,
    ) -> Captured:
        """Keeps messages of a session as `capture` does, for a client that tells them: role, content, created_at.

        The same words of the same moment are kept once, so a client may tell the whole session every time; what was
        forgotten since does not come back. Of one that tells only what is new, its own `transcript` tells what was told
        in confidence before.
        """
        from recollect.engine.intake import capture, files  # bring in what reads transcripts

        said = [
            capture.Message(
                parse_label(one.get("role"), "role"), parse_text(one.get("content"), "content"),
                parse_optional_time(one.get("created_at"), "created_at"),
            )
            for one in messages
        ]  # fmt: skip
        wish = capture.Wish(
            project=parse_optional(project, "project"), cwd=parse_optional(cwd, "cwd"), keep=keep,
            at=parse_optional_time(at, "at"), before=() if transcript is None else files.said_before(transcript),
        )  # fmt: skip
        return capture.capture_said(self.core, said, parse_space(space), parse_label(session, "session"), wish)

    def is_transcript(self, path: str | os.PathLike[str], *, cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Is a file one that `ingest_transcript` can read? Its content decides."""
        from recollect.engine.intake import files  # brings in what reads transcripts

        return files.is_transcript(path, cancelled)

    def ingest_source(self, source: SourceDraft, *, space: str = DEFAULT_SPACE, **fields: object) -> IngestedSource:
        """Stores a source that somebody else has read, with its segments, in one transaction."""
        memory_type = "episodic" if source.source_kind == "conversation" else "semantic"
        given = parse_source_fields(fields, memory_type=memory_type)
        return sourcing.ingest_source(self.core, sourcing.parse_source(source), parse_space(space), given)

    def segments(self, id: str, *, space: str | None = None) -> list[Record]:
        """The parts of a source, in order."""
        return sourcing.segments_of(self.core, *parse_ref(id, space))

    def ingest_repo(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        force: bool = False,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> IngestedRepo:
        """Stores the map of a repository as one source: which code and documents there are, and what is in them.

        Patterns are compared with paths below the folder and with names. State of agents (`.codex`, `.claude`, …) is
        left out unless `force` is set. Nothing is written where nothing has changed.
        """
        from recollect.engine.intake.repo import Wish, ingest_repo  # brings in the parsers
        from recollect.ingest.repo_files import Patterns

        patterns = Patterns.of(parse_labels(include, "include"), parse_labels(exclude, "exclude"))
        wish = Wish(path=Path(path), patterns=patterns, force=parse_flag(force, "force"))
        return ingest_repo(self.core, wish, parse_space(space), checkpoint)

    def index_project(
        self,
        path: str | os.PathLike[str],
        *,
        space: str = DEFAULT_SPACE,
        watch: bool = False,
        wait: float | None = None,
        progress: Callable[[ProjectStatus], None] | None = None,
    ) -> ProjectStatus:
        """Indexes the source code in a folder: new and changed files are parsed, those that are gone are dropped.

        The work is done in the background; this waits until it is complete, or for at most `wait` seconds. With
        `watch`, changes are followed until the memory is closed.
        """
        return self._code().index(
            self.core,
            path,
            parse_space(space),
            watch=parse_flag(watch, "watch"),
            wait=parse_wait(wait),
            progress=progress,
        )

    def project_status(self, id: str, *, space: str = DEFAULT_SPACE) -> ProjectStatus:
        """How far the index of a project is."""
        return self._code().status(self.core, parse_label(id, "id"), parse_space(space))

    def projects(self, *, space: Spaces = DEFAULT_SPACE) -> list[Project]:
        """The projects that are indexed, by id."""
        return self._code().list(self.core, parse_filter(space=space).spaces or None)

    def delete_project(self, id: str, *, space: str = DEFAULT_SPACE) -> int:
        """Removes the index of a project for good (never its files). Answers how many chunks went."""
        return self._code().delete(self.core, parse_label(id, "id"), parse_space(space))

    def _code(self) -> Projects:
        """Loaded when first needed, and shared with whoever acts under another name."""
        from recollect.engine.intake.projects import Projects  # brings in what reads and parses files

        with self._indexing.lock:
            if self._indexing.projects is None:
                self._indexing.projects = Projects()
            return self._indexing.projects
