"""How does a person bring in documents, folders, pages and transcripts?"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Annotated, Any

import typer
from msgspec import Struct, field

from recollect.cli.options import (
    AsJson,
    Home,
    SetProject,
    SetRoom,
    SetSource,
    SetTags,
    SetTitle,
    SetUser,
    SpaceName,
    decode,
)
from recollect.cli.output import many, put, put_json, say
from recollect.cli.place import open_or_make
from recollect.cli.progress import (
    Report,
    complete_vectors,
    count_waiting,
    follow_code,
    reporting,
    say_left_out,
    tell_waiting,
)
from recollect.engine.intake.results import Ingested, IngestedFolder, IngestedSource, ProjectStatus
from recollect.engine.memory import Memory
from recollect.errors import InvalidInput, SourceError
from recollect.types import DEFAULT_SPACE, FileProblem


class _Done(Struct, omit_defaults=False):
    """What came in, and what did not."""

    sources: list[IngestedSource] = field(default_factory=list[IngestedSource])
    folders: list[IngestedFolder] = field(default_factory=list[IngestedFolder])
    code: list[ProjectStatus] = field(default_factory=list[ProjectStatus])
    texts: list[Ingested] = field(default_factory=list[Ingested])
    failed: list[FileProblem] = field(default_factory=list[FileProblem])


class _Ask(Struct, frozen=True):
    """What is asked of everything that comes in."""

    space: str
    title: str | None
    source: str | None
    code: bool
    fields: dict[str, Any]


def ingest(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH|URL...]", help="Files, folders, addresses; - or nothing reads stdin."),
    ] = None,
    title: SetTitle = None,
    tag: SetTags = None,
    source: SetSource = None,
    project: SetProject = None,
    user: SetUser = None,
    room: SetRoom = None,
    no_code: Annotated[bool, typer.Option("--no-code", help="Of a folder, leave the source code out.")] = False,
    later: Annotated[
        bool, typer.Option("--later", help="Leave the vectors to the next recall instead of computing them now.")
    ] = False,
    space: SpaceName = DEFAULT_SPACE,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Bring in documents (Markdown, text, HTML, PDF, notebooks), folders, web pages, and transcripts of conversations.

    What came in before and has not changed is left alone; what has changed replaces what it was. Of a folder, documents
    become sources and source code is indexed. Transcripts are those of Claude Code, Codex, Cursor, Copilot, ChatGPT and
    Claude.

    \b
    Examples:
      recollect ingest notes.md ~/src/gateway --tag gateway
      recollect ingest https://example.com/handbook ~/.claude/projects
      pandoc report.docx -t markdown | recollect ingest - --title Report
    """
    given: dict[str, object] = {"tags": tag, "project": project, "user": user, "room": room}
    fields = {name: value for name, value in given.items() if value is not None}
    ask = _Ask(space, title, source, not no_code, fields)
    done = _Done()
    with open_or_make(home) as memory, reporting() as report:
        for place in places or ["-"]:
            try:
                _take(memory, place, ask, done, report, as_json=as_json)
            except (SourceError, InvalidInput) as error:
                done.failed.append(FileProblem(path=place, problem=str(error)))
        came = bool(done.sources or done.folders or done.code or done.texts)
        waiting = complete_vectors(memory, report, space=space) if came and not later else count_waiting(memory, space)
    if as_json:
        put_json(done)
    else:
        tell_waiting(waiting if came else 0)
    for failure in done.failed:
        say(f"failed: {failure.path}: {failure.problem}")
    return 1 if done.failed or any(status.state != "completed" for status in done.code) else 0


def _take(memory: Memory, place: str, ask: _Ask, done: _Done, report: Report, *, as_json: bool) -> None:
    """Brings in one thing, and says what became of it."""
    if place == "-":
        text = decode(sys.stdin.buffer.read(), "stdin")
        answer = memory.ingest(text, space=ask.space, source=ask.source, title=ask.title, **ask.fields)
        done.texts.append(answer)
        lines = [f"-: {answer.stored} stored, {answer.deduplicated} already there, {answer.removed} removed"]
    elif place.lower().startswith(("http://", "https://")):
        found = memory.ingest_url(place, space=ask.space, title=ask.title, **ask.fields)
        done.sources.append(found)
        lines = [_show(place, found)]
    elif os.path.isdir(os.path.expanduser(place)):
        lines = _take_folder(memory, place, ask, done, report)
    elif place.lower().endswith((".json", ".jsonl")) and memory.is_transcript(place):
        talks = memory.ingest_transcript(place, space=ask.space, **ask.fields)
        done.sources += talks
        lines = [_show(f"{place}: {talk.title}", talk) for talk in talks]
    else:
        found = memory.ingest_file(place, space=ask.space, title=ask.title, **ask.fields)
        done.sources.append(found)
        lines = [_show(place, found)]
    for line in () if as_json else lines:
        put(line)


def _take_folder(memory: Memory, place: str, ask: _Ask, done: _Done, report: Report) -> list[str]:
    status, far = None, partial(report, "documents")
    if ask.code:
        tell = follow_code(report, "code")
        folder, status = memory.ingest_project(place, space=ask.space, progress=far, tell=tell, **ask.fields)
    else:
        folder = memory.ingest_folder(place, space=ask.space, progress=far, **ask.fields)
    done.folders.append(folder)
    say_left_out(folder.problems)
    lines = [
        f"{place}: {many(folder.stored, 'document')} new, {folder.updated:,} changed, {folder.unchanged:,} unchanged,"
        f" {folder.archived:,} gone, {many(len(folder.problems), 'problem')}{_told_forgotten(folder.forgotten)}"
    ]
    if status is not None:
        done.code.append(status)
        if status.problem is not None:
            say(f"error: {status.problem}")
        lines.append(f"{place}: {many(status.indexed_files, 'file')} of code, {many(status.total_chunks, 'chunk')}")
    return lines


def _show(name: str, source: IngestedSource) -> str:
    if source.id in source.forgotten:
        return f"{name}: forgotten here, and stays so"
    stays = _told_forgotten(len(source.forgotten))
    if source.copied:
        stays += f"; {many(source.copied, 'message')} of another session, which this one goes on from, not taken again"
    if source.outcome != "updated":
        return f"{name}: {source.outcome}, {many(source.segments, 'segment')}{stays}"
    return f"{name}: updated, {source.added:,} new, {source.kept:,} kept, {source.removed:,} removed{stays}"


def _told_forgotten(count: int) -> str:
    was = "was forgotten here and stays so" if count == 1 else "were forgotten here and stay so"
    return f"; {count:,} {was}" if count else ""
