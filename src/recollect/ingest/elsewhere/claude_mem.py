"""What does claude-mem keep?

A SQLite database of sessions: what was observed in each, the summaries, and what the person asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.ingest.elsewhere.found import Item, Left, Material, Note, Origin, Row, labels_of, text_of, time_of
from recollect.types import Json

_OBSERVATIONS, _SUMMARIES, _PROMPTS, _SESSIONS = "observations", "session_summaries", "user_prompts", "sdk_sessions"
_SUMMED = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_FILES = ("files_read", "files_modified", "files_edited")


def _databases(files: Material) -> list[str]:
    return [name for name in files.files if files.tables(name) >= {_OBSERVATIONS, _SESSIONS}]


def _fits(files: Material) -> bool:
    return bool(_databases(files))


def _read(files: Material) -> Iterator[Item]:
    for name in _databases(files):
        there = files.tables(name)
        projects: dict[str, str] = {}
        sessions: dict[str, str] = {}
        for row in files.rows(name, _SESSIONS):
            session = text_of(row, "content_session_id")
            projects[session] = text_of(row, "project")
            sessions[text_of(row, "memory_session_id", "sdk_session_id")] = session
        yield from (_observation(row, sessions) for row in files.rows(name, _OBSERVATIONS))
        if _SUMMARIES in there:
            yield from (_summary(row, sessions) for row in files.rows(name, _SUMMARIES))
        if _PROMPTS in there:
            yield from (_prompt(row, projects) for row in files.rows(name, _PROMPTS))


def _observation(row: Row, sessions: dict[str, str]) -> Item:
    facts = labels_of(row.get("facts"))
    parts = [text_of(row, "subtitle"), text_of(row, "narrative", "text"), *(f"- {fact}" for fact in facts)]
    said = [part for part in parts if part]
    return _note(row, "observation", said, sessions, kind=text_of(row, "type") or "memory")


def _summary(row: Row, sessions: dict[str, str]) -> Item:
    parts = [f"{name.replace('_', ' ').capitalize()}: {said}" for name in _SUMMED if (said := text_of(row, name))]
    return _note(row, "summary", parts, sessions, kind="summary")


def _prompt(row: Row, projects: dict[str, str]) -> Item:
    text = text_of(row, "prompt_text")
    session = text_of(row, "content_session_id")
    if not text:
        return Left("prompt", "it has no text")
    return Note(
        key=f"prompt-{row.get('id')}", text=text, kind="prompt", memory_type="episodic", role="user",
        session=session or None, project=projects.get(session) or None,
        at=time_of(row, "created_at_epoch", "created_at"),
    )  # fmt: skip


def _note(row: Row, what: str, parts: list[str], sessions: dict[str, str], *, kind: str) -> Item:
    """What was observed in a session has that name of it which its prompts have, as the person's client gave it."""
    if not parts:
        return Left(what, "it says nothing")
    own = text_of(row, "memory_session_id", "sdk_session_id")
    metadata: dict[str, Json] = {name: list(found) for name in _FILES if (found := labels_of(row.get(name)))}
    return Note(
        key=f"{what}-{row.get('id')}", text="\n".join(parts), title=text_of(row, "title", "request")[:200] or None,
        kind=kind, memory_type="episodic", project=text_of(row, "project") or None,
        tags=labels_of(row.get("concepts")), session=sessions.get(own) or own or None,
        at=time_of(row, "created_at_epoch", "created_at"), metadata=metadata,
    )  # fmt: skip


ORIGIN = Origin("claude-mem", _fits, _read)
