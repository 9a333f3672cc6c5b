"""Folders that are synced and files that are imported, as far as the store: what is taken over leaves it sound."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import recollect
from recollect import Memory, Settings

_FILES = ("all.jsonl", "memory.jsonl", "conversations.json", "MyActivity.json", "memories.json", "note.md")


def sync_folder(data: bytes) -> None:
    """A note that is known is overwritten, and another like it is new; what was synced has nothing left to do."""
    with _opened() as (held, place):
        folder = place / "notes"
        folder.mkdir()
        held.sync(folder)
        [known] = folder.glob("*.md")
        (folder / "new.md").write_bytes(data)
        known.write_bytes(known.read_bytes() + data if data[:3] != b"---" else data.replace(b"id: a", b"id: lamp"))
        held.sync(folder)
        again = held.sync(folder)
        assert not again.changed, again


def import_file(data: bytes) -> None:
    """A file whose first line is its name: it comes into a memory that holds something, wholly or not at all."""
    first, _, rest = data.partition(b"\n")
    name = first.decode("utf-8", "replace")
    with _opened() as (held, place):
        path = place / (name if name in _FILES else _FILES[0])
        path.write_bytes(rest)
        try:
            held.import_(path)
        finally:
            problems = held.check()
        assert not problems, problems
        held.list(limit=100)
        held.recall("lamp")


@contextmanager
def _opened() -> Iterator[tuple[Memory, Path]]:
    """A memory that holds something, and a folder beside it."""
    with tempfile.TemporaryDirectory(prefix="recollect-fuzz-") as named:
        folder = Path(named)
        shutil.copytree(_filled(), folder / "home")
        with recollect.open(settings=Settings(home=folder / "home", embedder="none")) as held:
            yield held, folder


@cache
def _filled() -> Path:
    """The folder of such a memory, to be copied: making one takes longer than what is tested."""
    folder = tempfile.mkdtemp(prefix="recollect-fuzz-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with recollect.open(settings=Settings(home=Path(folder), embedder="none")) as made:
        made.remember("The lamp is green.", id="lamp")
    return Path(folder)


@cache
def an_export() -> bytes:
    """What a memory of a few of all things writes."""
    with tempfile.TemporaryDirectory(prefix="recollect-fuzz-") as folder:
        path = Path(folder, _FILES[0])
        with recollect.open(settings=Settings(home=Path(folder, "home"), embedder="none")) as held:
            held.remember("The lamp is green.", id="lamp", tags=["light"])
            held.revise("lamp", "The lamp is blue.")
            held.relate("Ada", "knows", "Babbage")
            held.ingest("# Lamps\n\nThey are bright.\n", source="lamps.md")
            held.ingest_conversation([{"role": "user", "content": "Hello."}], session="day")
            held.export(path)
        return path.read_bytes()
