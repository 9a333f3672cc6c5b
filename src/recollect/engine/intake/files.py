"""How does a file, a page or a transcript become a source?"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec.structs import replace

from recollect.engine.core import Core, Step, as_one_act
from recollect.engine.intake.reading import FILE, LOOK, PAGE, TRANSCRIPT, Errand
from recollect.engine.intake.results import IngestedSource, SourceDraft
from recollect.engine.intake.sources import ingest_sources
from recollect.engine.intake.workers import read_alone, read_files
from recollect.engine.parse import begin
from recollect.engine.places import require_other
from recollect.engine.workplaces import claim_project
from recollect.errors import InvalidInput, SourceError
from recollect.ingest.documents import LARGEST_DOCUMENT, Mode
from recollect.ingest.editors import read_gemini
from recollect.ingest.lines import BROKEN
from recollect.ingest.regular import read_regular
from recollect.ingest.talk import Message
from recollect.ingest.walk_files import is_text
from recollect.types import Draft
from recollect.working import meant_path

LARGEST_TRANSCRIPT = 512 * 1024 * 1024

Cancel = Callable[[], bool]
"""Has the caller withdrawn its request?"""


def locate_file(path: str | os.PathLike[str], field: str = "path") -> Path:
    """The file or folder that a path names, from the root; it must be there."""
    text = os.fspath(path)
    if not text.strip() or "\0" in text:
        raise InvalidInput(field, f"{text!r} names no file or folder")
    try:
        found = Path(os.path.abspath(meant_path(text)))
    except RuntimeError as error:  # ~someone, where there is no such user
        raise InvalidInput(field, f"{text}: {error}") from error
    if not is_text(str(found)):
        raise InvalidInput(field, f"{str(found)!a} cannot be read: its name is not UTF-8")
    try:
        there = found.exists()
    except OSError as error:  # a name that is longer than any may be, or links in a circle
        raise InvalidInput(field, f"{begin(str(found))} cannot be read: {error.strerror}") from error
    if not there:
        raise InvalidInput(field, f"{found} does not exist")
    return found


def ingest_file(
    core: Core, path: str | os.PathLike[str], space: str, fields: Draft, cancelled: Cancel, *, title: str | None,
    mode: Mode | None, step: Step | None = None,
) -> IngestedSource:  # fmt: skip
    """Stores a document. For a file that is as it was, nothing is written."""
    found = _locate_regular(path, LARGEST_DOCUMENT)
    require_other(core.store, found)
    [source] = read_alone(found.parent, Errand(found.name, FILE.name, form=mode), cancelled).sources
    ready = msgspec.structs.replace(source, title=title or source.title).ready()
    return ingest_sources(core, [ready], space, fields, anew=False, step=step)[0]


def ingest_url(
    core: Core, url: str, space: str, fields: Draft, cancelled: Cancel, *, title: str | None, step: Step | None = None
) -> IngestedSource:
    """Stores a page of the web. What counts as its location is the address that was asked for."""
    from recollect.engine.intake.fetch import fetch  # brings in httpx: only when a page is asked for

    fetched = fetch(url, allow_private=core.settings.allow_private_addresses)
    errand = Errand(fetched.name, PAGE.name, form=fetched.media_type, body=fetched.body, charset=fetched.charset)
    [source] = read_alone(Path(), errand, cancelled).sources
    seen = {"url": fetched.asked, "final_url": fetched.url, "media_type": fetched.media_type}
    payload = {**source.payload, **seen, "bytes": len(fetched.body)}
    placed = msgspec.structs.replace(source, location=fetched.asked, title=title or source.title, payload=payload)
    return ingest_sources(core, [placed.ready()], space, fields, anew=False, step=step)[0]


def is_transcript(path: str | os.PathLike[str], cancelled: Cancel) -> bool:
    """Is a file a transcript, going by its content?"""
    found = locate_file(path)
    if not found.is_file() or found.stat().st_size > LARGEST_TRANSCRIPT:
        return False
    return all(file.problem is None for file in read_files(found.parent, [Errand(found.name, LOOK.name)], cancelled))


@as_one_act
def ingest_transcript(
    core: Core, path: str | os.PathLike[str], space: str, fields: Draft, cancelled: Cancel, step: Step | None = None
) -> tuple[IngestedSource, ...]:
    """Stores every conversation of a transcript or an export, each as a source."""
    found = _locate_regular(path, LARGEST_TRANSCRIPT)
    file = read_alone(found.parent, Errand(found.name, TRANSCRIPT.name), cancelled)
    sources = [source.ready() for source in file.sources]
    done: list[IngestedSource] = []
    for project, some in groupby(sources, key=lambda one: fields.project or _told_project(core, one.draft)):
        done += ingest_sources(core, list(some), space, replace(fields, project=project), anew=False, step=step)
    return tuple(done)


def said_before(path: str | os.PathLike[str]) -> tuple[Message, ...]:
    """What was said in a session so far, of a client that tells of one turn alone; nothing where it cannot be read."""
    try:
        return read_gemini(read_regular(Path(path), LARGEST_TRANSCRIPT // 8))
    except (OSError, *BROKEN):
        return ()


def _told_project(core: Core, source: SourceDraft) -> str | None:
    """The project of the folder that a conversation says it was held in."""
    origin = source.payload.get("origin")
    cwd = origin.get("cwd") if isinstance(origin, Mapping) else None
    return claim_project(core, cwd, plain=True) if isinstance(cwd, str) else None


def _locate_regular(path: str | os.PathLike[str], largest: int) -> Path:
    found = locate_file(path)
    if not found.is_file():
        raise InvalidInput("path", f"{found} is not a file")
    if (size := found.stat().st_size) > largest:
        raise SourceError(f"{found} has {size:,} bytes; at most {largest:,} are read")
    return found
