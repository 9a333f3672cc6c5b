"""What do the exports of accounts hold: ChatGPT's, Claude's, and Gemini's?

Each is a ZIP file, or the folder that it was unpacked to. Conversations come as conversations. What Claude has
remembered of a person stands in `memories.json`, what it was told of a project in `projects.json`; Gemini's prompts and
answers stand in `MyActivity.json` of a takeout, one entry each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import cast

import msgspec

from recollect.ingest.elsewhere.found import (
    Item,
    Left,
    Material,
    Note,
    Origin,
    Row,
    key_of,
    objects_of,
    paragraphs,
    text_of,
    time_of,
)
from recollect.ingest.exports import FILE, read_chatgpt, read_claude
from recollect.ingest.html import page_to_markdown
from recollect.ingest.opening import is_json
from recollect.ingest.talk import Conversation, Message, in_messages
from recollect.types import Json

_CONVERSATIONS = re.compile(r"(^|/)conversations(-\d+)?\.json$")
_ACTIVITY = re.compile(r"(^|/)My ?Activity\.json$|Gemini[^/]*/[^/]+\.json$", re.IGNORECASE)
"""Each language has names of its own for folder and file; Gemini is called so in all of them."""
_OF_GEMINI = re.compile(r"Gemini[^/]*/My ?Activity\.json$", re.IGNORECASE)
_PROMPTED = re.compile(r"^(Prompted|Asked|Eingegebener Prompt:|Said) +", re.IGNORECASE)
_MARKS = re.compile(rb'"(mapping|chat_messages)"')
_MEMORIES, _PROJECTS = re.compile(r"(^|/)memories(/[^/]+)?\.json$"), re.compile(r"(^|/)projects(/[^/]+)?\.json$")


def _named(files: Material, pattern: re.Pattern[str]) -> list[str]:
    return sorted(name for name in files.files if pattern.search(name))


def _conversations(files: Material, mark: bytes) -> list[str]:
    """Those whose conversations have a field of that name; what is said in them may have the other."""
    named = _named(files, _CONVERSATIONS) or (list(files.files) if len(files.files) == 1 else [])
    marks = ((name, _MARKS.search(files.head(name))) for name in named if is_json(files.head(name)))
    return [name for name, found in marks if found is not None and found[1] == mark]


def _others(files: Material, pattern: re.Pattern[str], held: list[str]) -> Iterator[Left]:
    """The files that are called like those of an export, and are not told by how they begin: damage is an error."""
    for name in _named(files, pattern):
        if name not in held and objects_of(files.read(name)):
            yield Left("file", "it is called like one of the export, and holds something else")


# ChatGPT


def _fits_chatgpt(files: Material) -> bool:
    return bool(_conversations(files, b"mapping"))


def _read_chatgpt(files: Material) -> Iterator[Item]:
    told: dict[str, tuple[datetime | None, str]] = {}
    held = _conversations(files, b"mapping")
    yield from _others(files, _CONVERSATIONS, held)
    for name in held:
        for one in read_chatgpt(files.read(name)):
            yield one
            at = one.changed or max((said.at for said in one.messages if said.at is not None), default=None)
            for what, text in one.told.items():
                before = told.get(what, (None, ""))[0]
                if what not in told or (at is not None and (before is None or before < at)):
                    told[what] = at, text
    for what, (at, text) in told.items():
        dated: dict[str, Json] = {} if at is None else {"updated_at": at.isoformat()}
        yield Note(key=f"user-{what}", text=text, kind="instruction" if what == "instructions" else "memory", at=at,
                   metadata={"from": "custom instructions", **dated})  # fmt: skip


# Claude


def _fits_claude(files: Material) -> bool:
    return bool(_conversations(files, b"chat_messages")) or any(
        b'"conversations_memory"' in files.head(name) for name in _named(files, _MEMORIES) or files.files[:1]
    )


def _read_claude(files: Material) -> Iterator[Item]:
    last: datetime | None = None
    held = _conversations(files, b"chat_messages")
    yield from _others(files, _CONVERSATIONS, held)
    for name in held:
        data = files.read(name)
        yield from read_claude(data)
        moments = [last, *(time_of(one, "updated_at", "created_at") for one in objects_of(data))]
        last = max(filter(None, moments), default=None)
    projects = {text_of(one, "uuid"): one for name in _named(files, _PROJECTS) for one in objects_of(files.read(name))}
    names = {key: text_of(one, "name") for key, one in projects.items()}
    alone = [name for name in files.files[:1] if b'"conversations_memory"' in files.head(name)]
    for name in _named(files, _MEMORIES) or alone:
        for one in objects_of(files.read(name)):
            yield from _remembered(one, names, last or files.changed(name))
    for key, one in projects.items():
        if told := text_of(one, "prompt_template"):
            yield Note(key=f"project-{key}", text=told, kind="instruction", project=names[key] or None,
                       at=time_of(one, "updated_at", "created_at"))  # fmt: skip
        docs = one.get("docs")
        if isinstance(docs, list) and docs:
            yield from [Left("document of a project", "`recollect ingest` reads documents")] * len(
                cast("list[object]", docs)
            )


def _remembered(one: Row, projects: Mapping[str, str], last: datetime | None) -> Iterator[Note]:
    dated: dict[str, Json] = {} if last is None else {"updated_at": last.isoformat()}
    whole = text_of(one, "account_uuid")
    for said in dict.fromkeys(paragraphs(text_of(one, "conversations_memory"))):
        yield Note(key=key_of("memory", said), text=said, metadata={"from": "conversations_memory", **dated},
                   whole=whole)  # fmt: skip
    held = one.get("project_memories")
    for key, text in cast("Mapping[str, object]", held).items() if isinstance(held, Mapping) else ():
        for said in dict.fromkeys(paragraphs(text)) if isinstance(text, str) else ():
            yield Note(key=key_of("memory", key, said), text=said, project=projects.get(key) or key, metadata=dated,
                       whole=f"{whole}\0{key}")  # fmt: skip


# Gemini


def _activity(files: Material) -> list[str]:
    named = _named(files, _ACTIVITY) or _alone(files)
    return [name for name in named if b'"Gemini' in files.head(name) and b'"time"' in files.head(name)]


def _alone(files: Material) -> list[str]:
    """The one file that there is, or the one of JSON among others."""
    named = list(files.files) if len(files.files) == 1 else [name for name in files.files if name.endswith(".json")]
    return named if len(named) == 1 else []


def _fits_gemini(files: Material) -> bool:
    return bool(_activity(files))


def _read_gemini(files: Material) -> Iterator[Item]:
    """Entries of one conversation, where they name it, are one; all others are one for each day."""
    talks: dict[str, list[Row]] = {}
    held = _activity(files)
    yield from _others(files, _OF_GEMINI, held)
    for name in held:
        for row in objects_of(files.read(name)):
            if "Gemini" not in f"{row.get('header')}{row.get('products')}":
                continue
            at = time_of(row, "time")
            if not (_PROMPTED.match(text_of(row, "title")) or row.get("safeHtmlItem")):
                yield Left("activity", "it is no prompt")
                continue
            if at is None:
                yield Left("prompt", "it does not say when it was")
                continue
            talks.setdefault(_talk_of(row) or f"{at:%Y-%m-%d}", []).append(row)
    for key, rows in talks.items():
        rows.sort(key=lambda row: text_of(row, "time"))
        messages = tuple(message for row in rows for message in _said(row))
        if not messages:
            yield Left("activity", "nothing is said in it")
            continue
        title = messages[0].text.split("\n")[0][:80]
        yield Conversation(
            format="gemini", messages=messages, id=f"gemini-{key}", title=title, origin={"host": "gemini.google.com"},
            left=tuple(FILE for row in rows for _ in _sent(row)),
        )  # fmt: skip


def _talk_of(row: Row) -> str | None:
    """The conversation that an entry names, if it names just one."""
    details = row.get("details")
    urls = {
        text_of(cast("Row", one), "url")
        for one in (cast("list[object]", details) if isinstance(details, list) else [])
        if isinstance(one, Mapping)
    }
    found = [url.rpartition("/")[2] for url in urls if "gemini.google.com/app/" in url]
    return found[0] if len(found) == 1 else None


def _said(row: Row) -> Iterator[Message]:
    at = time_of(row, "time")
    asked = _PROMPTED.sub("", text_of(row, "title"))
    for said in in_messages([asked, *(f"[file: {name}]" for name in _sent(row))]):
        yield Message("user", said, at)
    parts = row.get("safeHtmlItem")
    listed = cast("list[object]", parts) if isinstance(parts, list) else [parts]
    pages = [text_of(cast("Row", part), "html", "htmlValue") for part in listed if isinstance(part, Mapping)]
    for said in in_messages(["\n\n".join(page_to_markdown(page)[1] for page in pages if page)]):
        yield Message("assistant", said, at)


def _sent(row: Row) -> list[str]:
    """The names of the files that were sent with a prompt."""
    held = [row.get("attachedFiles"), row.get("imageFile")]
    listed = [one for some in held for one in (cast("list[object]", some) if isinstance(some, list) else [some])]
    return [name for one in listed if isinstance(one, str) and (name := one.strip())]


CHATGPT = Origin("chatgpt", _fits_chatgpt, _read_chatgpt)
CLAUDE = Origin("claude", _fits_claude, _read_claude)
GEMINI = Origin("gemini", _fits_gemini, _read_gemini)
BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading raises over files that are not what they seem to be."""
