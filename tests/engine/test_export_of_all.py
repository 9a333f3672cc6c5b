"""Does an export hold everything that a memory keeps, whatever kind of thing it is, and nothing that opens a door?"""

from __future__ import annotations

import hashlib
import io
import json
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from tests.conftest import Clock
from tests.engine.test_move import fill, open_at
from tests.engine.test_overheard import SAID, talk
from tests.pgserver import store_url

import recollect
from recollect import Memory
from recollect.engine.intake import overheard
from recollect.engine.tokens import create_token, find_token
from recollect.engine.write.screen import set_secrets

KEPT = {
    "answers", "captures", "code", "conflicts", "dream", "loose answers", "overheard", "overheard-settled",
    "paused", "projects", "runs", "settings", "steering", "undone", "vault", "vaults",
}  # fmt: skip
"""Bookkeeping that such a day leaves; that of a folder or a project has its name behind a colon."""


def exported(memory: Memory) -> bytes:
    file = io.BytesIO()
    memory.export(file)
    return file.getvalue()


def live_a_day(home: Path, beside: Path) -> None:
    """What a person, three agents and the schedule leave in a memory: acts of every kind."""
    fill(home)
    clock = Clock()
    clock.advance(days=40)
    with open_at(home, "bundled", clock) as memory:
        memory.capture(talk(beside, "s1", ("user", SAID), ("assistant", "Noted.")))
        memory.unasked.give_answers("What is the retry limit of the payment queue?", session="s2")
        memory.unasked.keep_made()
        overheard.settle(memory.core, "default", now_and_then=False)
        memory.once("key-1", memory.remember, "Kept once, with its answer.")
        set_secrets(memory.core, "reject")
        memory.unasked.steer(threshold=0.4)
        memory.unasked.pause(clock.now + timedelta(hours=1))
        notes = beside / "notes"
        notes.mkdir()
        memory.sync(notes)
        page = next(path for path in notes.rglob("*.md") if "linker" in path.read_text())
        page.write_text(page.read_text().replace("linker", "loader"))
        memory.revise("a", "Grace Hopper wrote an assembler for the countess.", space="default")
        memory.sync(notes)
        (beside / "code").mkdir()
        (beside / "code" / "a.py").write_text("def lamp():\n    return 'green'\n")
        memory.index_project(beside / "code", wait=60)
        memory.ingest_file(page)
        memory.dream()
        memory.remember("Of no worth.", importance=0.0, space="litter")
        memory.evict(space="litter", cap=0)
        memory.sweeping.finish()
        memory.embed_waiting()


def shelves(data: bytes) -> set[str]:
    rows = [line["shelf"] for line in map(json.loads, data.splitlines()) if "shelf" in line]
    return {row["shelf"].partition(":")[0] for row in rows}


def test_everything_that_a_memory_keeps_goes_to_postgresql_and_back_byte_for_byte(tmp_path: Path) -> None:
    live_a_day(tmp_path / "old", tmp_path)
    with open_at(tmp_path / "old") as memory:
        candidates = memory.list(statuses=["candidate"])
        before = exported(memory)
    assert shelves(before) == KEPT
    (tmp_path / "all.jsonl").write_bytes(before)
    with open_at(store_url(tmp_path)) as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert memory.check() == []
        assert exported(memory) == before
        (tmp_path / "again.jsonl").write_bytes(exported(memory))
    assert recollect.import_(tmp_path / "again.jsonl", tmp_path / "back")
    with open_at(tmp_path / "back") as memory:
        assert exported(memory) == before
        assert memory.list(statuses=["candidate"]) == candidates != []
        entry = memory.last_entry()
        assert memory.once("key-1", memory.remember, "Kept once, with its answer.").stored
        assert memory.last_entry() == entry


def forged(data: bytes, line: bytes) -> bytes:
    """An export with a line of a shelf more, which is whole by its own account."""
    *lines, end = data.splitlines(keepends=True)
    counts = json.loads(end)["end"]["lines"]
    whole = b"".join([*lines, line])
    told = {"lines": {**counts, "shelf": counts.get("shelf", 0) + 1}, "sha256": hashlib.sha256(whole).hexdigest()}
    return whole + json.dumps({"end": told}).encode() + b"\n"


@pytest.mark.parametrize("name", [b"tokens", b"t\\u006fkens"])
def test_access_tokens_stay_where_they_were_made_whatever_a_file_says(tmp_path: Path, name: bytes) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("The lamp is green.", id="lamp")
        theirs, token = create_token(memory.core, spaces=None, scope="admin")
        data = exported(memory)
    key = hashlib.sha256(theirs.encode()).hexdigest()
    assert key.encode() not in data
    line = b'{"shelf":{"shelf":"%s","key":"%s","value":%s}}\n' % (name, key.encode(), msgspec.json.encode(token))
    for number, file in enumerate((data, forged(data, line))):
        (tmp_path / f"{number}.jsonl").write_bytes(file)
        with open_at(tmp_path / f"new{number}") as memory:
            mine, _ = create_token(memory.core, spaces=None, scope="read")
            memory.import_(tmp_path / f"{number}.jsonl")
            assert memory.get("lamp") is not None
            assert find_token(memory.core, mine) is not None
            assert find_token(memory.core, theirs) is None
            assert exported(memory) == data


def test_what_a_store_does_by_itself_after_a_moment_changes_no_export(tmp_path: Path) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("The lamp is green.")
        before = exported(memory)
        while not memory.core.store.settle():
            continue
        assert exported(memory) == before
