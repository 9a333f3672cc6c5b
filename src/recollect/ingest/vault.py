"""How is a record written as a Markdown file that people edit, and what does such a file say?

Above the text stands what else is known, as front matter; the text is the text. Names of entities are wiki links, in
the front matter under `about`, and wherever a person writes one. The same record always makes the same file.

What a file cannot show of a text stands above it as its form: the blank lines at its edges, and how its lines end, both
of which editors and git change at will; and that marks of a merge in it are text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import get_args

import msgspec
from msgspec import Struct

from recollect.errors import InvalidInput
from recollect.ingest.frontmatter import (
    Entry,
    is_lines,
    parse_entries,
    render_front_matter,
    render_lines,
    split_entries,
    split_front_matter,
)
from recollect.ingest.merged import count_blocks, has_marks, split_conflict
from recollect.types import Json, MemoryType, Status

KEYS: Mapping[str, str] = {
    "title": "title", "kind": "kind", "memory_type": "type", "tags": "tags", "project": "project", "room": "room",
    "user": "user", "role": "role", "status": "status", "importance": "importance", "confidence": "confidence",
    "trust": "trust", "event_time": "time", "valid_from": "valid_from", "valid_until": "valid_until",
    "source": "source", "metadata": "metadata",
}  # fmt: skip
"""What of a record stands in a file, and under which name, in this order."""
_FIELDS = {key: field for field, key in KEYS.items()}
_NUMBERS = ("importance", "confidence")
PROPERTIES = "properties"
"""Under which name of the metadata a file's own fields are kept, those that mean nothing to us."""
PROPERTIES_FORM = "properties_form"
"""Under which name of the metadata the lines of those fields are kept, where we would not write them so ourselves."""
_LINK = re.compile(  # in a table a backslash stands before the |, which would end its cell
    r"\[\[([^\[\]|#\n]{1,200}?(?:#(?=\]\]|\\?\|))?)(?:#[^\[\]|\n]+)?(?:\\?\|[^\[\]\n]*)?\]\]"
)
_ATTACHED = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|pdf|mp[34]|m4a|wav|ogg|webm|mov|canvas|base)$", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_ENDS = "\r\n"
_END = re.compile(r"(?<!\r)\r++\n")
_ANY_END = re.compile(r"(?:(?<!\r)\r++)?\n")
FORM = "text_form"
"""Under which key a file tells what it cannot show of its text."""
_VALUES: Mapping[str, tuple[str, ...]] = {"type": get_args(MemoryType), "status": get_args(Status)}
_APART = "recollect_"
"""What stands before a field of ours where the file has one of its own of that name, which says something else."""
_OURS = frozenset([*_FIELDS, "id", "about", FORM, *(_APART + name for name in (*_VALUES, *_NUMBERS))])
_CRLF = "crlf"
_LONG = 4_000
_MOST_RETURNS = 1_000_000
_HASH = "#"
_WORDS = 8
_LONGEST = 60


class Page(Struct, frozen=True, kw_only=True):
    """What a file says: its text, the fields that a record has, by their names there, and whom it is about."""

    text: str
    id: str | None = None
    fields: Mapping[str, Json]
    about: tuple[str, ...] = ()
    lines: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict[str, tuple[str, ...]])
    """The lines of some of those fields as somebody has written them, which say the same."""
    remarks: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """The comments behind what those fields say."""
    before: Mapping[str, Json] | None = None
    """The metadata as releases knew them that kept no lines of a file's own fields; None where they are the same."""


def plain_ends(text: str) -> str:
    """A text whose lines end as ours do, whichever editor wrote it."""
    return _END.sub("\n", text)


def parse_page(content: str) -> Page:
    """What a file says. Fields that are not a record's are kept among its metadata, as they stand there."""
    entries, body = split_entries(plain_ends(content))
    front: dict[str, Json] = {}
    own: list[Entry] = []
    lines: dict[str, tuple[str, ...]] = {}
    remarks: dict[str, str] = {}
    for entry in entries:
        if entry.is_astray():
            raise InvalidInput("front matter", f"{entry.lines[0].strip()[:60]!r} is of no field; begin it with `name:`")
        if not _is_ours(entry):
            own.append(entry)
            continue
        _require_read(entry)
        if entry.name.startswith(_APART):
            entry = msgspec.structs.replace(entry, name=entry.name.removeprefix(_APART))
        said, told = entry.value(), front.get(entry.name)
        if told not in (None, "") and (said in (None, "") or entry.name in ("id", "time")):
            continue  # a template's line, below what we have put on top
        if told not in (None, "", said):
            raise InvalidInput(entry.name, "stands twice above the text, and says two things; leave one of them")
        front[entry.name] = said
        own += [Entry("", (aside,)) for aside in entry.asides()]
        if (field := _FIELDS.get(entry.name)) is not None:
            remarks[field] = entry.remarks()
        if field is not None and field != "metadata":
            lines[field] = tuple(line for line in entry.lines if line.strip() and line.strip() not in entry.asides())
    fields = {field: _meant(key, front[key]) for key, field in _FIELDS.items() if key in front}
    before = None
    if own and isinstance(held := fields.get("metadata") or {}, Mapping):
        fields["metadata"] = _with_own(held, own)
        before = {**held, PROPERTIES: {entry.name: entry.value() for entry in own if entry.name}}
    id, about, form = front.get("id"), front.get("about"), front.get(FORM)
    named = about if isinstance(about, list) else [about]
    text = _formed(body.strip(_ENDS), form if isinstance(form, Mapping) else {})
    linked = [name for one in named if isinstance(one, str) for name in links_in(one)]
    return Page(
        text=text, id=id if isinstance(id, str) and id.strip() else None,
        fields={name: value for name, value in fields.items() if value is not None},
        about=tuple(dict.fromkeys([*linked, *links_in(text)])), lines=lines, remarks=remarks,
        before=None if before is None or says_same(before, fields["metadata"]) else before,
    )  # fmt: skip


def _is_ours(entry: Entry) -> bool:
    """Is it a field of a record? `type: book`, `status: reading`, `importance: high` and `about: ships` are none."""
    if entry.name not in _OURS or not entry.is_plain() or (said := entry.value()) is None:
        return entry.name in _OURS
    if entry.name == "about":
        return any(links_in(one) for one in (said if isinstance(said, list) else [said]) if isinstance(one, str))
    if entry.name in _NUMBERS:
        return not isinstance(_meant(entry.name, said), str | list)
    return entry.name not in _VALUES or said in _VALUES[entry.name]


def _require_read(entry: Entry) -> None:
    """A field of a record must be read whole: what is passed over would be lost when its file is written anew."""
    if entry.name in ("metadata", FORM):
        is_other = not isinstance(entry.value(), Mapping | None)
    else:
        is_other = entry.is_mapping() or (entry.name == "tags" and (entry.is_open() or entry.is_nested()))
    if not entry.is_plain() or is_other:
        wanted = f'`{entry.name}: "…"` on one line, or a list with `  - ` before each (with spaces, not tabs)'
        if entry.name in ("metadata", FORM):
            wanted = f'JSON on one line (`{entry.name}: {{"key":"value"}}`)'
        raise InvalidInput(entry.name, f"stands in a form that is not read; write it as {wanted}, and the file is read")


# A file's own fields: what they say is kept as properties, and their lines as well where ours would be others


def _with_own(metadata: Mapping[str, Json], own: Sequence[Entry]) -> dict[str, Json]:
    said = {entry.name: entry.value(numbers=True) for entry in own if entry.name and _is_said(entry)}
    lines = [line for entry in own for line in entry.lines]
    held = metadata.get(PROPERTIES)
    kept: dict[str, Json] = dict(metadata)
    if said:
        kept[PROPERTIES] = {**(held if isinstance(held, Mapping) else {}), **said}
    if lines != render_lines(said):
        kept[PROPERTIES_FORM] = "\n".join(lines)
    return kept


def _is_said(entry: Entry) -> bool:
    """Is what it says kept? What is long, and not as we would write it, is kept as its lines alone, and not twice."""
    if not entry.is_plain() or sum(map(len, entry.lines)) <= _LONG:
        return entry.is_plain()
    return [*entry.lines] == render_lines({entry.name: entry.value(numbers=True)})


def _own_lines(metadata: Mapping[str, Json]) -> tuple[list[str], dict[str, Json]]:
    """The lines of a file's own fields, and the metadata that they do not tell."""
    held, form = metadata.get(PROPERTIES), metadata.get(PROPERTIES_FORM)
    properties: Mapping[str, Json] = held if isinstance(held, Mapping) else {}
    entries = _entries_of(form) if isinstance(form, str) else []
    as_written = {
        entry.name for entry in entries
        if _is_said(entry) and entry.name in properties and says_same(entry.value(numbers=True), properties[entry.name])
    }  # fmt: skip
    lines: list[str] = []
    for entry in entries:
        if not entry.name or entry.name in as_written or not (entry.name in properties or _is_said(entry)):
            lines += entry.lines
    left: dict[str, Json] = {}
    for name, value in properties.items():
        if name in as_written:
            continue
        if _reads_back(name, value):
            lines += render_lines({name: value})
        else:
            left[name] = value
    rest = {name: value for name, value in metadata.items() if name != PROPERTIES_FORM or not entries}
    if left and len(left) < len(properties):
        rest[PROPERTIES] = left
    elif properties and not left:
        del rest[PROPERTIES]
    return lines, rest


def _entries_of(form: str) -> list[Entry]:
    """The fields of kept lines; none where a file could not have had these lines."""
    entries = parse_entries(form.split("\n")) if is_lines(form) else []
    return [] if any(map(_is_ours, entries)) else entries


def _reads_back(name: str, value: Json) -> bool:
    match parse_entries("\n".join(render_lines({name: value})).split("\n")):
        case [entry]:
            found = entry.is_plain() and entry.name == name and not _is_ours(entry)
            return found and says_same(entry.value(numbers=True), value)
        case _:
            return False


def says_same(one: Json | Mapping[str, Json], other: Json | Mapping[str, Json]) -> bool:
    """Is it the same in kind, too? 1, 1.0 and true are three."""
    first, second = (msgspec.msgpack.encode(value, order="deterministic") for value in (one, other))
    return first == second


def _meant(key: str, value: Json) -> Json:
    """What a text stands for in a field of ours that has a number, or tags: some are written on one line."""
    if key == "tags":
        return _tags_of(value)
    try:
        return float(value) if key in _NUMBERS and isinstance(value, str) else value
    except ValueError:
        return value


def _tags_of(value: Json) -> Json:
    """Tags as people write them: also on one line, as numbers, and with the # that they have in a text."""
    if isinstance(value, str):
        words = value.split()
        value = [*words] if all(word.startswith(_HASH) for word in words) else [*value.split(",")]
    if not isinstance(value, list):
        return value
    return [tag for one in value if (tag := _tag_of(one)) not in (None, "")]


def _tag_of(value: Json) -> Json:
    if isinstance(value, bool | int | float):
        return msgspec.json.encode(value).decode()
    return value.strip().removeprefix(_HASH).strip() if isinstance(value, str) else value


def _spelled_tags(tags: Json) -> Json:
    """Tags as they are read again: what begins with a # has another one before it."""
    listed = tags if isinstance(tags, list | tuple) else []
    return [f"{_HASH}{one}" if isinstance(one, str) and one.startswith(_HASH) else one for one in listed]


def links_in(text: str) -> list[str]:
    """The names that a text links to; what stands in code is no link, and a # before nothing is of the name (C#).

    A part of the same note (`^block`), and a picture or another file that is no note, is none.
    """
    names = (found[1].strip() for found in _LINK.finditer(_CODE.sub("", text)))
    return [name for name in names if name and name[0] != "^" and not _ATTACHED.search(name)]


def render_page(page: Page) -> str:
    """The file of a page."""
    fields = dict(page.fields)
    own: list[str] = []
    if isinstance(metadata := fields.get("metadata"), Mapping):
        own, fields["metadata"] = _own_lines(metadata)
    front: dict[str, Json] = {} if page.id is None else {"id": page.id}
    others = {entry.name for entry in parse_entries(own)}
    as_written: dict[str, Sequence[str]] = {}
    for name, key in KEYS.items():
        lines, mine = page.lines.get(name), _APART + key if key in others else key
        if lines and lines[0].startswith(f"{mine}:"):
            as_written[mine] = lines
        if mine in as_written or fields.get(name) not in (None, [], {}, ()):
            front[mine] = _spelled_tags(fields.get(name)) if name == "tags" else fields.get(name)
            if mine not in as_written and (remark := page.remarks.get(name)):
                first, *more = render_lines({mine: front[mine]})
                as_written[mine] = [f"{first}  {remark}", *more]
    about = [link for name in page.about if links_in(link := f"[[{name}]]") == [name]]
    front |= {"about": about} if about and "about" not in others else {}
    form = _form_of(page.text)
    text = plain_ends(page.text.strip(_ENDS))
    return f"{render_front_matter(front, own, {FORM: form} if form else {}, as_written)}\n{text}\n"


def _form_of(text: str) -> dict[str, Json]:
    """What a file cannot show of a text; nothing for most."""
    inner = text.strip(_ENDS)
    first = text.index(inner) if inner else len(text)
    ends = [len(end) - 1 for end in _ANY_END.findall(inner)]
    form: dict[str, Json] = {"before": text[:first], "after": text[first + len(inner) :]}
    if any(ends):
        form["ends"] = _CRLF if set(ends) == {1} else [*ends]
    if has_marks(plain_ends(inner)):
        form["marks"] = "text"
    return {name: value for name, value in form.items() if value}


def _formed(text: str, form: Mapping[str, Json]) -> str:
    """A text with what its file tells of it; what cannot be meant so is passed over."""
    ends = form.get("ends")
    lines = text.split("\n")
    if ends == _CRLF:
        text = "\r\n".join(lines)
    elif isinstance(ends, list):
        returns = [one if isinstance(one, int) and one > 0 else 0 for one in ends][: len(lines) - 1]
        if sum(returns) <= _MOST_RETURNS:
            after = [*("\r" * one + "\n" for one in returns), *["\n"] * (len(lines) - 1 - len(returns)), ""]
            text = "".join(line + end for line, end in zip(lines, after, strict=True))
    before, last = (
        edge if isinstance(edge := form.get(name), str) and not edge.strip(_ENDS) else ""
        for name in ("before", "after")
    )
    return before + text + last


def id_above(content: str) -> str | None:
    """The id in the lines at the top of a file, whether or not they are front matter as they should be."""
    held = split_front_matter(content)[0].get("id")
    if isinstance(held, str):
        return held
    lines = content.lstrip("\n").partition("\n\n")[0].split("\n")
    entries = parse_entries([line for line in lines if line.rstrip() != "---"])
    id = {entry.name: entry.value() for entry in entries}.get("id")
    return id if isinstance(id, str) else None


def name_page(page: Page, taken: Sequence[str] | set[str] = (), *, sorted: bool = True) -> str:
    """A name for a new file: what it is called, and a few letters that tell it from others; in a folder that is
    called like its project, if they are `sorted`.
    """
    title = page.fields.get("title")
    first = title if isinstance(title, str) else page.text.split("\n", 1)[0]
    plain = re.sub(r"[^\w\s-]", " ", unicodedata.normalize("NFC", first).replace("_", " "))
    words = "-".join(plain.lower().split()[:_WORDS])[:_LONGEST].strip("-") or "note"
    mark = hashlib.sha256((page.id or page.text).encode()).hexdigest()
    project = page.fields.get("project")
    folder = (
        "" if not sorted or not isinstance(project, str) else re.sub(r"[^\w-]+", "-", project).strip("-.")[:_LONGEST]
    )
    for length in (6, 12, 24, 64):
        name = f"{folder}/{words}-{mark[:length]}.md" if folder else f"{words}-{mark[:length]}.md"
        if name.casefold() not in taken:
            break
    return name


def sides_of(content: str, known: str | None = None) -> tuple[str, str] | None:
    """Both sides of a file in which a merge has left its marks; None where there are none, or where they are text.

    `known` is what the note is known to say; without that, nothing in a block of code is a merge.
    """
    if are_text(content):
        return split_conflict(content, content[: len(content) - len(split_front_matter(content)[1])].count("\n"))
    within = None if known is None else split_conflict(content, known=known)
    blocks = [count_blocks(split_front_matter(side)[1]) for side in within or ()]
    return within if known is not None and blocks and min(blocks) <= count_blocks(known) else split_conflict(content)


def are_text(content: str) -> bool:
    """Does a file say of itself that marks of a merge in its text are text?"""
    form = split_front_matter(content)[0].get(FORM)
    return isinstance(form, Mapping) and form.get("marks") == "text"
