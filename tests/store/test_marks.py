"""Does what is gone for good leave a mark that is small, and always found?"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.store.test_sqlite import STORES

import recollect
from recollect import InvalidInput, Settings, StoreDamaged
from recollect.engine.care.keep import repair
from recollect.engine.core import forgotten_among, ways_out
from recollect.store.marks import (
    BUCKETS,
    LOOSE_FORGOTTEN,
    LOOSE_LEFT,
    Bucket,
    Mark,
    forgotten_at,
    keys_of,
    marks_in,
    missing_buckets,
    with_marks,
)
from recollect.store.sql.rows import to_json

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
MICROS = int(AT.timestamp() * 1e6)


def put(buckets: dict[str, Bucket], ids: Sequence[str], mark: Mark) -> None:
    """Marks some things as a thinning does, which reads only the buckets that they may stand in."""
    near = {key: buckets[key] for key in keys_of(ids) if key in buckets}
    for key, bucket in with_marks(near, {("record", id): mark for id in ids}).items():
        buckets.pop(key, None)
        if bucket is not None:
            buckets[key] = bucket


@pytest.mark.parametrize("at_once", [1, 7, 500])
def test_each_of_many_marks_is_found_in_the_buckets_of_its_id(at_once: int) -> None:
    ids = [f"m{n:011}" for n in range(3_000)]
    buckets: dict[str, Bucket] = {}
    for start in range(0, len(ids), at_once):
        put(buckets, ids[start : start + at_once], forgotten_at(MICROS))
    assert marks_in(buckets) == {("record", id): Mark("forget", MICROS // 1_000_000) for id in ids}
    for id in ids[::100]:
        near = {key: buckets[key] for key in keys_of([id]) if key in buckets}
        assert len(near) == 1
        assert ("record", id) in marks_in(near)
    assert max(len(ids) for bucket in buckets.values() for ids in bucket.held.values()) <= 36


def test_the_later_mark_of_a_thing_takes_the_place_of_the_one_before_unless_that_tells_that_it_was_forgotten() -> None:
    buckets: dict[str, Bucket] = {}
    put(buckets, ["a", "b"], Mark("evict"))
    put(buckets, ["a"], forgotten_at(MICROS + 1))
    put(buckets, ["a"], Mark("undo"))  # what came after it under its id
    assert marks_in(buckets) == {
        ("record", "a"): Mark("forget", MICROS // 1_000_000 + 1),  # never told as earlier than it was
        ("record", "b"): Mark("evict"),
    }


def test_marks_take_half_of_the_room_that_they_took_one_by_one() -> None:
    ids = [f"m{n:011}" for n in range(20_000)]
    buckets: dict[str, Bucket] = {}
    for start in range(0, len(ids), 200):
        put(buckets, ids[start : start + 200], forgotten_at(MICROS))
    loose = sum(len(f"forgotten record:{id} {MICROS}") for id in ids)
    assert sum(len(f"gone {key} {to_json(bucket)}") for key, bucket in buckets.items()) < 0.75 * loose


def test_marks_of_earlier_releases_tell_what_they_told(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember("One that stays", id="stays")
        with memory.core.store.write(actor=None) as edit:
            edit.keep(LOOSE_FORGOTTEN, {"record:old": MICROS, "record:both": MICROS}, space="default")
            edit.keep(LOOSE_LEFT, {"record:aged": "evict"}, space="default")
            edit.keep(BUCKETS, with_marks({}, {("record", "both"): Mark("evict")}), space="default")
        with memory.core.store.read() as view:
            ids = ["old", "aged", "both", "stays", "never"]
            assert forgotten_among(view, "default", "record", ids) == {"old": AT, "both": AT}
            assert ways_out(view, "default", "record", ids) == {
                "old": "forget", "aged": "evict", "both": "forget", "stays": "remember",
            }  # fmt: skip


KEY = next(iter(with_marks({}, {("record", "e5"): Mark("forget", 5)})))
SOUND = to_json(with_marks({}, {("record", "e5"): Mark("forget", 5)})[KEY])
WRONG = [
    "[1]", "{}", '{"held":{}}', '{"record forget":{"e5":5}}', SOUND.replace("5}", '"5"}', 1), SOUND.replace("e5", "e6"),
    SOUND.replace(":5}", ":6}"), SOUND.replace(":5}", f":{10**18}}}"), SOUND.replace(":5}", ":-1}"),
    SOUND.replace("record", "martian"), SOUND.replace("forget", "evict"), SOUND.replace('{"e5":5}', "{}"),
]  # fmt: skip


def thinned(folder: Path) -> None:
    """A memory in which it stays that one thing was forgotten, and an export of before."""
    with recollect.open(settings=Settings(home=folder, embedder="none")) as memory:
        memory.remember("One that stays", id="stays")
        memory.remember("What was forgotten", id="e5")
        memory.export(folder / "old.jsonl")
        memory.forget("e5")
        memory.remember("Another", id="another")
        memory.thin(older_than=timedelta(0))
        assert "e5" not in {one.object_id for one in memory.journal(limit=100)}


@pytest.mark.parametrize("wrong", WRONG)
def test_marks_that_are_not_as_written_are_told_and_set_aside(tmp_path: Path, wrong: str) -> None:
    thinned(tmp_path)
    with closing(sqlite3.connect(tmp_path / "recollect.db", isolation_level=None)) as db:
        assert db.execute("UPDATE shelves SET value = ? WHERE shelf = 'gone'", (wrong,)).rowcount == 1
    settings = Settings(home=tmp_path, embedder="none")
    with recollect.open(settings=settings) as memory:
        [told] = memory.check()
        assert told.startswith("up to 36 marks of what was forgotten or evicted are not as written (space default)")
        with pytest.raises(StoreDamaged, match="run `recollect doctor`"):
            memory.import_(tmp_path / "old.jsonl")
        assert memory.count() == 2
    done = repair(settings)
    assert (done.marks, done.set_aside, done.unreadable) == (36, 1, 0)
    assert done.kept_aside is not None
    assert '"shelf":"gone"' in (Path(done.kept_aside) / "rows.jsonl").read_text()
    with recollect.open(settings=settings) as memory:
        assert memory.check() == []
        assert memory.import_(tmp_path / "old.jsonl")[0].records == 1


@pytest.mark.parametrize("how", ["lost", "damaged"])
def test_a_row_of_marks_that_is_missing_among_its_siblings_is_told_and_an_empty_one_put_in_its_place(
    tmp_path: Path, how: str
) -> None:
    ids = [f"m{n:011}" for n in range(400)]
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember("One that stays", id="stays")
        buckets: dict[str, Bucket] = {}
        put(buckets, ids, forgotten_at(MICROS))
        with memory.core.store.write(actor=None) as edit:
            edit.keep(BUCKETS, buckets, space="default")
        assert (memory.check(), missing_buckets(buckets)) == ([], [])
    gone = next(key for key in sorted(buckets) if len(key) > 1 and key[0] == "2")
    lost = {id for _, id in marks_in({gone: buckets[gone]})}
    with closing(sqlite3.connect(tmp_path / "recollect.db", isolation_level=None)) as db:
        act = "DELETE FROM shelves" if how == "lost" else "UPDATE shelves SET value = '{}'"
        assert db.execute(f"{act} WHERE shelf = 'gone' AND key = ?", (gone,)).rowcount == 1
    settings = Settings(home=tmp_path, embedder="none")
    with recollect.open(settings=settings) as memory:
        [told] = memory.check()
        start = "36 marks or more of what was forgotten or evicted may be missing (space default, 1 of their rows)"
        assert told.startswith(start if how == "lost" else "up to 36 marks of what was forgotten or evicted are not")
    assert repair(settings).marks == 36
    with recollect.open(settings=settings) as memory:
        assert memory.check() == []
        with memory.core.store.read() as view:
            assert set(forgotten_among(view, "default", "record", ids)) == {*ids} - lost
            held = view.kept(BUCKETS, space="default")
        assert (set(held), marks_in({gone: held[gone]})) == (set(buckets), {})


@pytest.mark.parametrize("deep", [1, 2])
def test_marks_that_come_where_a_bucket_was_lost_take_nothing_from_its_siblings(tmp_path: Path, deep: int) -> None:
    ids = [f"m{n:011}" for n in range(100 * 4 ** (deep - 1))]
    new = [id for n in range(1_000) if keys_of([id := f"n{n}"])[1] == "2"][:60]  # for a bucket that is lost
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember("One that stays", id="stays")
        buckets: dict[str, Bucket] = {}
        put(buckets, ids, forgotten_at(MICROS))
        gone = {key for key in buckets if key.startswith("2")}
        lost = {id for _, id in marks_in({key: buckets[key] for key in gone})}
        with memory.core.store.write(actor=None) as edit:
            edit.keep(BUCKETS, {key: one for key, one in buckets.items() if key not in gone}, space="default")
        memory.remember_many([{"text": f"Forgotten as {id}", "id": id} for id in new])
        for id in new:
            memory.forget(id)
        memory.thin(older_than=timedelta(0))
        memory.thin(older_than=timedelta(0))
        with memory.core.store.read() as view:
            assert set(forgotten_among(view, "default", "record", [*ids, *new])) == {*ids, *new} - lost
        assert memory.check() == []


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("wrong", WRONG)
def test_an_export_whose_marks_are_not_as_written_is_refused(tmp_path: Path, wrong: str, empty: bool) -> None:
    thinned(tmp_path / "here")
    file = tmp_path / "all.jsonl"
    with recollect.open(settings=Settings(home=tmp_path / "here", embedder="none")) as memory:
        memory.export(file)
    *lines, end = file.read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if b'"shelf":"gone"' in line)
    line = json.loads(lines[place])
    lines[place] = json.dumps({"shelf": {**line["shelf"], "value": json.loads(wrong)}}).encode() + b"\n"
    last = json.loads(end)
    last["end"]["sha256"] = hashlib.sha256(b"".join(lines)).hexdigest()
    file.write_bytes(b"".join(lines) + json.dumps(last).encode() + b"\n")
    with recollect.open(settings=Settings(home=tmp_path / "there", embedder="none")) as memory:
        if not empty:
            memory.remember("Here before", id="before")
        with pytest.raises(
            InvalidInput, match=rf"line {place + 1}: marks of what is gone for good .* Nothing was taken"
        ):
            memory.import_(file)
        assert memory.count() == (not empty)


def test_the_marks_of_a_store_of_this_format_are_read(tmp_path: Path) -> None:
    shutil.copy(STORES / "format_12.db", tmp_path / "recollect.db")
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        assert "thinned" not in {one.object_id for one in memory.journal(limit=100)}
        with memory.core.store.read() as view:
            assert ways_out(view, "other", "record", ["thinned", "notes"]) == {"thinned": "forget", "notes": "remember"}
