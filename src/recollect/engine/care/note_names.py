"""What is a note called that a link names by its file, its number or an alias, and how has somebody called its file?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import TypeVar

import msgspec

from recollect.engine.care.note_pages import NoteFile
from recollect.ingest.secrets import drop_private, mask_secrets
from recollect.ingest.vault import PROPERTIES, name_page
from recollect.types import FILE_NAME, Draft, Json, Record

R = TypeVar("R", Draft, Record)

_NUMBERED = re.compile(r"(?P<number>[0-9]{8,17})(?:[ _.-]+(?P<rest>.*))?")
"""A Zettelkasten's: the moment in which a note was begun, and perhaps what it is about."""
_HEADING = re.compile(r"#{1,6} +(\S.*?)(?: +#+)?")


def located(record: R, file: NoteFile) -> R:
    """A record with the name of its file, by which it is found where it has no title: that which somebody has given it,
    unless it is not to be kept.
    """
    stem = PurePosixPath(file.path).stem
    mark = PurePosixPath(name_page(file.page)).stem.rpartition("-")[2]
    ours = file.page.id is not None and stem.rpartition("-")[2].startswith(mark)
    name = None if ours else stem
    if record.file_name() == name:
        return record
    if name is not None and (mask_secrets(name)[1] or drop_private(name) != name):
        name = None
        if record.file_name() is None:
            return record
    rest = {key: value for key, value in (record.locator or {}).items() if key != FILE_NAME}
    return msgspec.structs.replace(record, locator={**rest, **({FILE_NAME: name} if name else {})} or None)


def names_in(files: Iterable[NoteFile]) -> dict[str, str]:
    """By what a link may say in small letters, what the note is called; without what several notes are called."""
    found: dict[str, str] = {}
    several: set[str] = set()
    called = [_called(file) for file in files]
    shared = Counter(name for names, _ in called for name in {one.casefold() for one in names})
    for names, ways in called:
        name = next((one for one in names if shared[one.casefold()] == 1), names[-1])
        for way in {one.casefold() for one in ways} - {name.casefold()}:
            several |= {way} if found.setdefault(way, name) != name else set()
    return {way: name for way, name in found.items() if way not in several}


def _called(file: NoteFile) -> tuple[list[str], list[str]]:
    """What a note may be called, the likeliest first and last what no other is, and in which ways a link may say so."""
    path = PurePosixPath(file.path)
    numbered = _NUMBERED.fullmatch(path.stem)
    rest = None if numbered is None else numbered["rest"]
    heading = _HEADING.fullmatch(file.draft.text.lstrip().split("\n", 1)[0].strip())
    whole = str(path.with_suffix(""))
    names = [one.strip() for one in (file.draft.title, rest, heading and heading[1], path.stem, whole) if one]
    ways = [path.stem, path.name, whole, file.path, *_aliases(file.draft.metadata)]
    return names, ways if numbered is None else [*ways, numbered["number"], *([rest] if rest else [])]


def _aliases(metadata: Mapping[str, Json]) -> list[str]:
    held = metadata.get(PROPERTIES)
    said = (held.get("aliases") or held.get("alias")) if isinstance(held, Mapping) else None
    listed = said.split(",") if isinstance(said, str) else said if isinstance(said, list | tuple) else []
    return [one.strip() for one in listed if isinstance(one, str) and one.strip()]
