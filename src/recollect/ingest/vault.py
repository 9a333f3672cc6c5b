"""How is a record written as a Markdown file that people edit, and what does such a file say?

Above the text stands what else is known, as front matter; the text is the text. Names of entities are wiki links, in
the front matter under `about`, and wherever a person writes one. The same record always makes the same file.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence

from msgspec import Struct

from recollect.ingest.frontmatter import render_front_matter, split_front_matter
from recollect.types import Json

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
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_MARKS = re.compile(
    r"^<{7}[^\n]*\n(?P<ours>.*?)(?:^\|{7}[^\n]*\n.*?)?^={7}\n(?P<theirs>.*?)^>{7}[^\n]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ENDS = "\r\n"
_END = re.compile(r"\r+\n")
_WORDS = 8
_LONGEST = 60


class Page(Struct, frozen=True, kw_only=True):
    """What a file says: its text, the fields that a record has, by their names there, and whom it is about."""

    text: str
    id: str | None = None
    fields: Mapping[str, Json]
    about: tuple[str, ...] = ()


def plain_ends(text: str) -> str:
    """A text whose lines end as ours do, whichever editor wrote it."""
    return _END.sub("\n", text)


def parse_page(content: str) -> Page:
    """What a file says. Fields that are not a record's are kept among its metadata."""
    front, body = split_front_matter(plain_ends(content))
    fields: dict[str, Json] = {}
    own: dict[str, Json] = {}
    about: list[str] = []
    for key, value in front.items():
        if key == "about":
            named = value if isinstance(value, list) else [value]
            about += [name for one in named if isinstance(one, str) for name in links_in(one)]
        elif key in _FIELDS:
            fields[_FIELDS[key]] = _number(value) if key in _NUMBERS else value
        elif key != "id":
            own[key] = value
    if own:
        held = fields.get("metadata")
        fields["metadata"] = {**(held if isinstance(held, Mapping) else {}), PROPERTIES: own}
    id = front.get("id")
    text = body.strip("\r\n")
    return Page(
        text=text, id=id if isinstance(id, str) and id.strip() else None,
        fields={name: value for name, value in fields.items() if value is not None},
        about=tuple(dict.fromkeys([*about, *links_in(text)])),
    )  # fmt: skip


def _number(value: Json) -> Json:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def links_in(text: str) -> list[str]:
    """The names that a text links to; what stands in code is no link."""
    return [name for found in _LINK.finditer(_CODE.sub("", text)) if (name := found[1].strip())]


def render_page(page: Page) -> str:
    """The file of a page."""
    fields = dict(page.fields)
    own: Mapping[str, Json] = {}
    metadata = fields.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(held := metadata.get(PROPERTIES), Mapping):
        own = {name: value for name, value in held.items() if name not in _FIELDS and name not in ("id", "about")}
        fields["metadata"] = {name: value for name, value in metadata.items() if name != PROPERTIES}
    front: dict[str, Json] = {} if page.id is None else {"id": page.id}
    front |= {key: fields[name] for name, key in KEYS.items() if fields.get(name) not in (None, [], {}, ())}
    front |= {"about": [f"[[{name}]]" for name in page.about]} if page.about else {}
    return f"{render_front_matter({**front, **own})}\n{page.text.strip(_ENDS)}\n"


def name_page(page: Page, taken: Sequence[str] | set[str] = ()) -> str:
    """A name for a new file: what it is called, and a few letters that tell it from others."""
    title = page.fields.get("title")
    first = title if isinstance(title, str) else page.text.split("\n", 1)[0]
    plain = re.sub(r"[^\w\s-]", " ", unicodedata.normalize("NFC", first).replace("_", " "))
    words = "-".join(plain.lower().split()[:_WORDS])[:_LONGEST].strip("-") or "note"
    mark = hashlib.sha256((page.id or page.text).encode()).hexdigest()
    project = page.fields.get("project")
    folder = "" if not isinstance(project, str) else re.sub(r"[^\w-]+", "-", project).strip("-.")[:_LONGEST]
    for length in (6, 12, 24, 64):
        name = f"{folder}/{words}-{mark[:length]}.md" if folder else f"{words}-{mark[:length]}.md"
        if name.casefold() not in taken:
            break
    return name


def split_conflict(content: str) -> tuple[str, str] | None:
    """Both sides of a file in which a merge has left its marks; None where there are none."""
    if not _MARKS.search(content):
        return None
    return _MARKS.sub(lambda found: found["ours"], content), _MARKS.sub(lambda found: found["theirs"], content)
