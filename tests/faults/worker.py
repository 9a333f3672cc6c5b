"""A process that does one thing to a store, told by its arguments; tests start it and end it."""

from __future__ import annotations

import sys
from datetime import timedelta
from itertools import count
from pathlib import Path

import recollect
from recollect import Memory, RecollectError, Settings


def write(memory: Memory, name: str) -> None:
    """Writes without end; every line is the id and the text of something acknowledged."""
    for number in count():
        text = f"Writer {name} says thing number {number}."
        print(memory.remember(text, session=name).id, text, sep="\t", flush=True)
        if number % 5 == 4:
            memory.remember_many([{"text": f"Batch {number} of {name}, part {part}."} for part in range(5)])
            memory.entity(f"Thing{number % 20}", aliases=[f"{name} {number}"])


def some(memory: Memory, name: str) -> None:
    """Fifty records, ten of which every writer writes."""
    for number in range(40):
        print(memory.remember(f"Writer {name} says thing number {number}.", session="all").id, flush=True)
    for number in range(10):
        memory.remember(f"Everyone says thing number {number}.")


def fill(memory: Memory, name: str) -> None:
    """Writes until it cannot, and says what stopped it."""
    try:
        for number in count():
            memory.remember(f"{name} {number} " + "filling words " * 500)
            print(number, flush=True)
    except RecollectError as error:
        print(error.code, error, sep="\t", flush=True)
        print("count", memory.count(), flush=True)
        print("found", len(memory.recall("filling words", limit=5)), flush=True)


def touch(memory: Memory, name: str) -> None:
    """Reads, then tries to write once."""
    print("read", memory.count(), flush=True)
    memory.remember(name)


def index(memory: Memory, name: str) -> None:
    """Indexes a folder; every line says how far it is."""
    status = memory.index_project(name, progress=lambda now: print(now.state, now.indexed_files, flush=True))
    print(status.state, status.indexed_files, status.total_chunks, flush=True)


def evict(memory: Memory, name: str) -> None:
    """Evicts all but so many records; every line is the beginning of a step."""
    memory.evict(cap=int(name), cancelled=lambda: bool(print("step", flush=True)))


def thin(memory: Memory, name: str) -> None:
    """Removes all history; every line is the beginning of a step."""
    del name
    memory.thin(older_than=timedelta(0), cancelled=lambda: bool(print("step", flush=True)))


def ingest(memory: Memory, name: str) -> None:
    """Brings in a folder of documents; every line says how far it is."""
    folder = memory.ingest_folder(name, progress=lambda done, total: print("done", done, total, flush=True))
    print("completed", folder.stored, folder.unchanged, flush=True)


def main() -> None:
    act, home, name, *more = sys.argv[1:]
    if more:
        import os

        os.setgid(int(more[0]))
        os.setuid(int(more[0]))
    try:
        with recollect.open(settings=Settings(home=Path(home), embedder="none")) as memory:
            print("open", flush=True)
            acts = (write, some, fill, touch, index, evict, thin, ingest)
            {known.__name__: known for known in acts}[act](memory, name)
    except RecollectError as error:
        print(error.code, error, sep="\t", flush=True)


if __name__ == "__main__":
    main()
