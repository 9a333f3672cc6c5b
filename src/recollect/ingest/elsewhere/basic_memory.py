"""What does basic-memory keep?

A folder of Markdown. Each note has front matter (title, type, permalink, tags), says what was observed in lines like
`- [category] text #tag (context)`, and what it relates to in lines like `- relates_to [[Other note]]`. When a note was
written, only its file tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from recollect.ingest.elsewhere.found import (
    Fact,
    Item,
    Left,
    Material,
    Named,
    Note,
    Origin,
    key_of,
    labels_of,
    text_of,
    time_of,
)
from recollect.ingest.frontmatter import split_front_matter
from recollect.types import Json

_OBSERVED = re.compile(r"^\s*(?:[-*+]|\d+[.)]) +\[(?P<category>[^\[\]()]+)\] +(?P<text>\S.*)$")
_LINK = re.compile(r"\[\[(?P<object>[^\[\]|]+?)(?:\\?\|[^\[\]]*)?\]\]")
_RELATED = re.compile(
    r"^\s*[-*+] +(?:(?P<predicate>[^\s\[\]]+|\"[^\"\[\]]+\"|'[^'\[\]]+') *)?" + _LINK.pattern + r"(?: *\([^()]*\))?$"
)
"""A word or a quoted label, a link, perhaps a context. Any other line with a link is a sentence, which stays one."""
_CODE = re.compile(r"`[^`]*`")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_CONTEXT = re.compile(r"\(([^()]*)\)\s*$")


def _notes(files: Material) -> list[str]:
    return [name for name in files.files if name.endswith(".md") and not name.startswith(".")]


def _fits(files: Material) -> bool:
    """Some of the first notes have the permalink that the program writes into each."""
    return any(re.search(rb"^permalink:", files.head(name), re.MULTILINE) for name in _notes(files)[:50])


def _read(files: Material) -> Iterator[Item]:
    for name in _notes(files):
        try:
            text = files.read(name).decode("utf-8-sig")
        except UnicodeDecodeError:
            yield Left("note", "it is not UTF-8 text")
            continue
        yield from _read_note(name, text, files.changed(name), f"{files.place}\0{name}")


def _observed(line: str) -> re.Match[str] | None:
    """A line that begins with a category; a box to tick (`[ ]`, `[x]`, `[/]`) is none."""
    found = _OBSERVED.match(line)
    category = "" if found is None else found["category"].strip()
    return found if len(category) > 1 or (category.isalnum() and category not in "xX") else None


def _read_note(name: str, text: str, changed: datetime | None, whole: str) -> Iterator[Item]:
    front, body = split_front_matter(text)
    title = text_of(front, "title") or name.rsplit("/", 1)[-1].removesuffix(".md")
    project = name.rpartition("/")[0] or None
    link = text_of(front, "permalink")
    key = link or name
    tags, since = labels_of(front.get("tags")), time_of(front, "created", "date", "modified")
    at, last = since or changed, time_of(front, "modified", "updated") or changed
    dated: dict[str, Json] = {} if last is None else {"updated_at": last.isoformat()}
    yield Named(name=title, type=text_of(front, "type") or None)
    prose: list[str] = []
    links: dict[str, None] = {}
    fenced = False
    for line in body.splitlines():
        fenced = fenced != bool(_FENCE.match(line))
        if fenced:
            prose.append(line)
            continue
        observed, related = _observed(line), _RELATED.match(line.rstrip())
        if related is None:
            links.update(dict.fromkeys(link["object"].strip() for link in _LINK.finditer(_CODE.sub("", line))))
        if observed is not None:
            said = observed["text"].strip()
            context = _CONTEXT.search(said)
            plain = _TAG.sub("", _CONTEXT.sub("", said)).strip()
            yield Note(
                key=key_of(key, said), text=f"{title}: {plain}", kind=observed["category"].strip(),
                tags=tuple(dict.fromkeys((*tags, *_TAG.findall(said)))), at=at, source=name, room=project, title=title,
                metadata=dated if context is None else {"context": context[1], **dated}, whole=whole,
                wherever=None if link else _wherever(name, said),
            )  # fmt: skip
        elif related is not None:
            predicate = (related["predicate"] or "").strip("\"' ") or "links_to"
            yield _fact(title, predicate, related["object"], since, name)
        else:
            prose.append(line)
    for link in filter(None, links):
        yield _fact(title, "links_to", link, since, name)
    said = re.sub(r"^#+ *(Observations|Relations)\s*$", "", "\n".join(prose), flags=re.MULTILINE).strip()
    said = re.sub(r"\n{3,}", "\n\n", said)
    if said and said.lstrip("# ").strip() != title:
        yield Note(key=f"{key}#", text=said, title=title, kind="note", tags=tags, at=at, source=name, room=project,
                   metadata=dated, whole=whole, wherever=None if link else _wherever(name, said))  # fmt: skip


def _wherever(name: str, said: str) -> str:
    return key_of("wherever", name.rpartition("/")[2], said)


def _fact(title: str, predicate: str, other: str, since: datetime | None, name: str) -> Fact:
    said = other.strip()
    return Fact(subject=title, predicate=predicate, object=said, since=since, provenance=name, wherever=True)


ORIGIN = Origin("basic-memory", _fits, _read)
