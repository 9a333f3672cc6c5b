"""How do memories and sessions come along from agentos?

From one JSON file: `memories`, each with its id, agent, content, role and time, and `sessions`, each with a list of
messages. A list is taken as it is, with whatever is wrong with it: `repair_session` is there to mend it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from recollect.engine.core import Core, as_one_act
from recollect.engine.intake.elsewhere import Taking
from recollect.engine.intake.results import Imported
from recollect.engine.parse import parse_label, parse_space
from recollect.engine.write.remember import ensure_space
from recollect.engine.write.sessions import put_messages
from recollect.errors import InvalidInput
from recollect.forms import convert
from recollect.ingest.elsewhere.found import Note
from recollect.types import DEFAULT_SPACE, Message

_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]")


class _Entry(Struct, frozen=True, kw_only=True):
    id: str
    content: str
    agent_id: str = DEFAULT_SPACE
    role: str = "user"
    timestamp: float = 0
    session_id: str | None = None
    importance: float = 0.5
    confidence: float = 1.0


class _Reference(Struct, frozen=True, kw_only=True):
    id: str | None = None
    role: str | None = None
    timestamp: float = 0


class _Session(Struct, frozen=True, kw_only=True):
    id: str
    agent_id: str = DEFAULT_SPACE
    messages: tuple[_Reference, ...] = ()


class _Export(Struct, frozen=True, kw_only=True):
    memories: tuple[_Entry, ...] = ()
    sessions: tuple[_Session, ...] = field(default=())


@as_one_act
def import_agentos(core: Core, file: Path, *, dry_run: bool) -> list[Imported]:
    """Takes over everything in a file, an agent at a time. What is there already does not come twice."""
    export = _read(file)
    agents = dict.fromkeys([*(one.agent_id for one in export.memories), *(one.agent_id for one in export.sessions)])
    return [_take(core, file, parse_space(agent, "agent_id"), export, dry_run=dry_run) for agent in agents]


def _read(file: Path) -> _Export:
    try:
        return convert(_snake(msgspec.json.decode(file.read_bytes())), _Export)
    except OSError as error:
        raise InvalidInput("file", f"{file} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("file", f"{file} is no export of agentos: {error}") from error


def _snake(value: object) -> object:
    """Names of fields in one form: agentos writes agent_id and agentId. Null is the same as nothing."""
    if isinstance(value, dict):
        given = {name: item for name, item in cast("dict[str, object]", value).items() if item is not None}
        return {_HUMP.sub(lambda hump: f"_{hump[0].lower()}", name): _snake(item) for name, item in given.items()}
    return [_snake(item) for item in cast("list[object]", value)] if isinstance(value, list) else value


def _take(core: Core, file: Path, agent: str, export: _Export, *, dry_run: bool) -> Imported:
    entries = {one.id: one for one in export.memories if one.agent_id == agent}
    taking = Taking(core, "agentos", agent, str(file), own=("memory", "fact"))
    done = taking.bring(list(map(_note, entries.values())), agent, dry_run=dry_run, progress=None)
    if dry_run:
        return done
    with core.store.write(actor=core.actor) as edit:
        ensure_space(edit, agent)
        for session in (one for one in export.sessions if one.agent_id == agent):
            listed = [_message(one, entries.get(one.id or "")) for one in session.messages]
            listed = [replace(one, role=None) if one.id in done.forgotten else one for one in listed]
            put_messages(edit, agent, parse_label(session.id, "sessions.id"), listed)
    return done


def _message(one: _Reference, entry: _Entry | None) -> Message:
    """A message of a session. What its list leaves out, the memory that it names knows."""
    role, at = one.role, one.timestamp
    if entry is not None:
        role, at = role or entry.role, at or entry.timestamp
    return Message(id=one.id or "", role=role, at=_moment(at))


def _note(one: _Entry) -> Note:
    return Note(
        key=one.id, text=one.content, role=one.role, session=one.session_id, memory_type="episodic",
        importance=one.importance, confidence=one.confidence, at=_moment(one.timestamp) if one.timestamp else None,
    )  # fmt: skip


def _moment(milliseconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput("timestamp", f"{milliseconds} is no time in milliseconds") from error
