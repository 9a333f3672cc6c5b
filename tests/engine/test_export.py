"""Does a memory that is written out come back as it was, and does it come together with another one?"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import sqlite3
import tracemalloc
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pyrage
import pytest
from tests.conftest import NOON, Clock
from tests.engine.test_move import QUESTIONS, fill, open_at, rows_of
from tests.pgserver import store_url

import recollect
from recollect import Conflict, Imported, InvalidInput, Memory, NotFound
from recollect.engine.care import age
from recollect.engine.care.identity import identity, set_identity
from recollect.engine.embedding.pace import PACE
from recollect.engine.write.sessions import messages
from recollect.store.base import Shelf
from recollect.store.portable import _OPTIONAL, NOUNS, travels


def exported(memory: Memory, **chosen: object) -> bytes:
    file = io.BytesIO()
    memory.export(file, **chosen)  # type: ignore[arg-type]  # passed on as given
    return file.getvalue()


def objects(data: bytes, noun: str) -> list[dict[str, object]]:
    return [line[noun] for line in map(json.loads, data.splitlines()) if noun in line]


def travelling(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows that an export holds."""
    rows = rows_of(home)
    return {**rows, "shelves": [row for row in rows["shelves"] if travels(NOUNS["shelf"], row)]}


def sealed(lines: bytes) -> bytes:
    """Lines of an export with the last one that belongs to them: what somebody forged, or an older release wrote."""
    counts = Counter(next(iter(json.loads(line))) for line in lines.splitlines()[1:])
    end = {"end": {"lines": counts, "sha256": hashlib.sha256(lines).hexdigest()}}
    return lines + json.dumps(end).encode() + b"\n"


def two(tmp_path: Path) -> tuple[Memory, Memory, Path]:
    """Two memories that were the same yesterday, and the file that made them so."""
    clock = Clock()
    first = open_at(tmp_path / "first", clock=clock)
    first.remember("Ada wrote the first program.", id="ada")
    first.remember("Babbage built an engine.", id="babbage")
    first.relate("Ada", "knows", "Babbage")
    first.export(tmp_path / "both.jsonl")
    second = open_at(tmp_path / "second", clock=Clock(NOON + timedelta(days=9)))
    second.import_(tmp_path / "both.jsonl")
    clock.advance(days=1)
    return first, second, tmp_path / "both.jsonl"


def test_an_export_comes_into_an_empty_memory_equal_in_every_row_and_every_byte(tmp_path: Path) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "all.jsonl"
    fill(old)
    with open_at(old) as memory:
        done = memory.export(file)
    assert recollect.import_(file, new)
    assert travelling(new) == travelling(old)
    assert done.complete
    assert done.lines["record"] == len(rows_of(old)["records"])
    with open_at(old) as memory, open_at(new) as other:
        assert exported(other) == file.read_bytes()
        assert other.check() == []
        assert identity(other.core, space="other") == "Ada's notes."
        for question in QUESTIONS:
            found = [hit.record.id for hit in memory.recall(question)]
            assert [hit.record.id for hit in other.recall(question)] == found


def test_an_export_is_the_same_after_the_vectors_of_what_came_are_there(tmp_path: Path) -> None:
    """As commands do it: what is stored waits for its vectors, and an import computes them."""
    with recollect.open(tmp_path / "old") as memory:
        memory.remember("The gateway validates tokens with RS256.")
        memory.remember("We chose Postgres over MySQL for billing.")
        memory.export(tmp_path / "all.jsonl")
    recollect.import_(tmp_path / "all.jsonl", tmp_path / "new")
    with recollect.open(tmp_path / "new") as memory:
        memory.embed_waiting()
        assert exported(memory) == (tmp_path / "all.jsonl").read_bytes()


def test_a_compressed_export_comes_into_an_empty_memory_and_into_one_that_holds_something(tmp_path: Path) -> None:
    first, second, file = two(tmp_path)
    packed = tmp_path / "both.jsonl.gz"
    packed.write_bytes(gzip.compress(exported(first)))
    [done] = recollect.import_(packed, tmp_path / "new")
    assert (done.records, done.facts) == (2, 1)
    with open_at(tmp_path / "new") as memory:
        assert exported(memory) == file.read_bytes()
    second.remember("Something else was here.", id="else")
    first.revise("ada", "Ada wrote the very first program.")
    packed.write_bytes(gzip.compress(exported(first)))
    second.import_(packed)
    assert {one.id: one.text for one in second.list(kinds=["memory"])} == {
        "ada": "Ada wrote the very first program.", "babbage": "Babbage built an engine.",
        "else": "Something else was here.",
    }  # fmt: skip


def test_what_a_machine_measured_of_itself_neither_leaves_nor_comes(tmp_path: Path) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("The gateway validates tokens with RS256.")
        with memory.core.store.write(actor=None) as edit:
            edit.keep(PACE, {"some-model": 0.25})
            edit.keep(Shelf("backups", str), {"problem": "no room"})
            edit.keep(Shelf("slots", int), {"backup": 1})
            edit.keep(Shelf("erased", bool), {"left": True})
        data = exported(memory)
    assert objects(data, "shelf") == []
    head, *lines = data.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.startswith(b'{"entry"'))
    lines.insert(at, b'{"shelf":{"shelf":"pace","key":"some-model","value":0.25}}\n')
    old = sealed(b"".join([head, *lines[:-1]]))
    (tmp_path / "old.jsonl").write_bytes(old)
    recollect.import_(tmp_path / "old.jsonl", tmp_path / "new")
    with open_at(tmp_path / "new") as memory, memory.core.store.read() as view:
        assert view.kept(PACE) == {}
        assert exported(memory) == data


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (lambda data: data, "line 10 is another export"), (lambda _: b'{"foo":1}\n', "line 10 is '{\"foo\":1}"),
        (lambda _: b"\n", "line 10 is"), (lambda _: b"x", "line 10 is 'x'"),
    ],
)  # fmt: skip
def test_a_line_after_the_last_one_is_refused_by_name(
    tmp_path: Path, more: Callable[[bytes], bytes], told: str
) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("Ada wrote the first program.", id="ada")
        memory.remember("Babbage built an engine.", id="babbage")
        data = exported(memory)
    (tmp_path / "two.jsonl").write_bytes(data + more(data))
    with open_at(tmp_path / "new") as memory:
        for filled, dry_run in ((False, True), (False, False), (True, True), (True, False)):
            if filled and dry_run:
                memory.remember("Something else was here.", id="else")
            before = exported(memory)
            with pytest.raises(InvalidInput, match=re.escape(f"goes on after its end: {told}")):
                memory.import_(tmp_path / "two.jsonl", dry_run=dry_run)
            assert exported(memory) == before


@pytest.mark.parametrize("wrong", [lambda data: data[:-9], lambda data: data[:200] + b"\0\0" + data[202:]])
def test_a_compressed_export_that_is_not_whole_is_refused(tmp_path: Path, wrong: Callable[[bytes], bytes]) -> None:
    _, second, file = two(tmp_path)
    packed = tmp_path / "both.jsonl.gz"
    packed.write_bytes(wrong(gzip.compress(file.read_bytes())))
    before = exported(second)
    with pytest.raises(InvalidInput, match=r"cut off|cannot be read|is damaged"):
        second.import_(packed)
    assert exported(second) == before


def test_an_export_goes_to_postgresql_and_back_byte_for_byte(tmp_path: Path) -> None:
    fill(tmp_path / "old")
    with open_at(tmp_path / "old") as memory:
        before = exported(memory)
        (tmp_path / "all.jsonl").write_bytes(before)
    with open_at(store_url(tmp_path)) as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert memory.check() == []
        assert exported(memory) == before
        memory.remember("The lighthouse has a new keeper.", id="new")
        (tmp_path / "more.jsonl").write_bytes(exported(memory))
    assert recollect.import_(tmp_path / "more.jsonl", tmp_path / "back")
    with open_at(tmp_path / "back") as memory:
        assert memory.recall("lighthouse")[0].record.id == "new"


def test_the_place_of_a_forgotten_message_comes_back_from_an_export_without_its_speaker(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    with open_at(tmp_path / "old") as memory:
        for id in ("a", "b", "c"):
            memory.remember(f"Message {id} of the talk.", id=id, session="talk", role=f"speaker-{id}")
        memory.remember("Alone in its session.", id="d", session="aside", role="speaker-d")
        memory.forget("b")
        memory.forget("d")
        file.write_bytes(exported(memory))
    assert [word for word in (b"speaker-b", b"speaker-d", b"aside") if word in file.read_bytes()] == []
    for home in (tmp_path / "new", store_url(tmp_path)):
        with open_at(home) as memory:
            memory.import_(file)
            assert exported(memory) == file.read_bytes()
            assert [one.role for one in messages(memory.core, "talk")] == ["speaker-a", None, "speaker-c"]
            memory.forget("a")
            memory.forget("c")
            assert objects(exported(memory), "message") == []


def test_an_encrypted_export_opens_with_its_passphrase_alone(tmp_path: Path) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("Ada wrote the first program.")
        memory.embed_waiting()  # nothing is written beside from here on
        done = memory.export(tmp_path, passphrase="orchard and rain")
        plain = exported(memory)
    path = Path(str(done.path))
    assert path.suffixes == [".jsonl", ".age"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes().startswith(b"age-encryption.org/v1\n")
    assert b"Ada" not in path.read_bytes()
    with open_at(tmp_path / "new") as memory:
        for wrong in ("orchard", None):
            with pytest.raises(InvalidInput, match="passphrase"):
                memory.import_(path, passphrase=wrong)
        memory.import_(path, passphrase="orchard and rain")
        assert exported(memory) == plain


@pytest.mark.parametrize("sealed_as", ["NFC", "NFD"])
def test_a_passphrase_opens_a_file_however_its_letters_are_composed(
    monkeypatch: pytest.MonkeyPatch, sealed_as: Literal["NFC", "NFD"]
) -> None:
    monkeypatch.setattr(age, "_WORK", 8)
    composed, decomposed = (unicodedata.normalize(form, "Über den Fluß nach Málaga") for form in ("NFC", "NFD"))
    file = io.BytesIO()
    with monkeypatch.context() as earlier:
        if sealed_as == "NFD":  # as an earlier release wrote it, which took the letters as they were typed
            earlier.setattr(age, "unicodedata", SimpleNamespace(normalize=lambda _, text: text))
        writer = age.Writer(file, decomposed)
        writer.write(b"The mill is closed.")
        writer.finish()
    for typed in (composed, decomposed):
        file.seek(0)
        assert io.BufferedReader(age.Reader(file, typed)).read() == b"The mill is closed."
    file.seek(0)
    with pytest.raises(InvalidInput, match="does not open"):
        age.Reader(file, composed.replace("ß", "ss")).read(1)


@pytest.mark.parametrize("size", [0, 1, age.CHUNK - 1, age.CHUNK, age.CHUNK + 1, 3 * age.CHUNK])
def test_age_opens_what_we_encrypt_and_so_do_we(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(age, "_WORK", 10)
    data, file = bytes(range(251)) * (size // 251 + 1), io.BytesIO()
    writer = age.Writer(file, "grün und blau")
    for start in range(0, size, 50_000):
        writer.write(data[start : min(start + 50_000, size)])
    writer.finish()
    assert pyrage.passphrase.decrypt(file.getvalue(), "grün und blau") == data[:size]
    assert io.BufferedReader(age.Reader(io.BytesIO(file.getvalue()), "grün und blau")).read() == data[:size]


def test_what_age_has_encrypted_is_opened() -> None:
    """A file that age wrote, of one byte: it takes seconds to find out how much work a passphrase is to be."""
    written = (
        "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCA3bDgwQ2N5UXNBcS9EbDdibzVTeHhBIDE2CjlKTzA2UGkzUVZyNEpJdGJTbkFtR1cy"
        "ZzRxOCswL01aUzZMblY3eDRJT1UKLS0tIEJUUEY3VGx3Q01YbjlPZkVwbTBFVk1xeFJvUFY3WjlwU2ZEd0d5WEdaaG8KPc0+xK6v7+OXcruN"
        "vU5Tzo85lurck9Fhz62MBydyF5Cb"
    )
    theirs = io.BytesIO(base64.b64decode(written))
    assert io.BufferedReader(age.Reader(theirs, "grün und blau")).read() == b"\x00"


def test_an_encrypted_file_that_asks_for_more_than_256_mb_of_memory_is_refused() -> None:
    file = io.BytesIO()
    age.Writer(file, "orchard").finish()
    with pytest.raises(InvalidInput, match=r"more work than is sensible: 2\^19, and not at most 2\^18"):
        age.Reader(io.BytesIO(file.getvalue().replace(b" 17\n", b" 19\n", 1)), "orchard").read(1)


def test_an_encrypted_file_that_was_changed_anywhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(age, "_WORK", 4)
    file = io.BytesIO()
    writer = age.Writer(file, "orchard")
    writer.write(b"a line of it\n" * 12_000)
    writer.finish()
    whole = file.getvalue()
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), len(whole) // 60)]
    swapped = whole[:-40] + whole[-80:-40]
    for data in (*changed, swapped, whole[:-1], whole[: len(whole) - age.CHUNK], whole[:150], whole + b"x"):
        with pytest.raises(InvalidInput):
            io.BufferedReader(age.Reader(io.BytesIO(data), "orchard")).read()


def test_what_is_new_there_comes_with_its_history_and_can_be_undone(tmp_path: Path) -> None:
    first, second, _ = two(tmp_path)
    with first, second:
        first.remember("The orchard is old.", id="orchard")
        first.revise("orchard", "The orchard is very old.", reason="measured")
        first.relate("Ada", "owns", "Orchard")
        first.export(tmp_path / "more.jsonl")
        (done,) = second.import_(tmp_path / "more.jsonl")
        assert (done.records, done.records_present, done.facts, done.facts_present) == (1, 2, 1, 1)
        assert [past.record.text for past in second.history("orchard") if past.record] == [
            "The orchard is old.", "The orchard is very old.",
        ]  # fmt: skip
        change = second.history("orchard")[-1].change
        assert (change.verb, change.reason) == ("revise", "measured")
        assert second.recall("how old is the orchard")[0].record.id == "orchard"
        second.undo(change)
        assert getattr(second.get("orchard"), "text", None) == "The orchard is old."
        assert second.check() == []
        assert {fact.object for fact in second.facts("Ada")} == {"Babbage", "Orchard"}


def test_whoever_has_gone_on_is_followed_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    first, second, old = two(tmp_path)
    with first, second:
        first.revise("ada", "Ada wrote the first program, in 1843.")
        first.undo(first.history("babbage")[0].change)
        first.export(tmp_path / "more.jsonl")
        (done,) = second.import_(tmp_path / "more.jsonl")
        assert (done.newer, done.differing) == (2, ())
        assert getattr(second.get("ada"), "text", None) == "Ada wrote the first program, in 1843."
        assert second.get("babbage") is None
        before = exported(second)
        assert second.import_(tmp_path / "more.jsonl")[0].records_present == 2
        assert second.import_(old)[0].records_present == 2
        assert exported(second) == before
        assert second.check() == []


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_a_large_export_comes_into_a_filled_memory_without_being_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passphrase: str | None
) -> None:
    monkeypatch.setattr(age, "_WORK", 4)
    file = tmp_path / "large.jsonl"
    with open_at(tmp_path / "first") as first, open_at(tmp_path / "second") as second:
        first.remember_many([{"text": f"{'x' * 60_000} {n}", "id": f"r{n}"} for n in range(100)])
        for n in range(0, 100, 10):
            first.revise(f"r{n}", f"Revised {n}.", reason=f"reason {n}")
        first.export(file, passphrase=passphrase)
        second.remember("There before.")
        tracemalloc.start()
        (done,) = second.import_(file, passphrase=passphrase)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (done.records, peak < file.stat().st_size / 2) == (100, True)
        told = {
            record.id: (record.text, second.history(record.id)[-1].change.reason) for record in second.list(limit=1_000)
        }
        assert [told[f"r{n}"] for n in (10, 90)] == [("Revised 10.", "reason 10"), ("Revised 90.", "reason 90")]
        assert len(told["r11"][0]) > 60_000
        assert second.import_(file, passphrase=passphrase)[0].records_present == 100


def test_what_was_changed_on_both_sides_is_kept_here_and_told(tmp_path: Path) -> None:
    first, second, _ = two(tmp_path)
    with first, second:
        first.revise("ada", "Ada wrote it in 1842.")
        second.revise("ada", "Ada wrote it in 1843.")
        second.forget("babbage")
        first.export(tmp_path / "more.jsonl")
        before = exported(second)
        (tried,) = second.import_(tmp_path / "more.jsonl", dry_run=True)
        (done,) = second.import_(tmp_path / "more.jsonl")
        assert tried == done
        (differing,) = done.differing
        assert (differing.id, differing.here, differing.there) == (
            "ada", "Ada wrote it in 1843.", "Ada wrote it in 1842.",
        )  # fmt: skip
        assert (differing.fields, differing.thinned) == ({"text": (differing.here, differing.there)}, False)
        assert done.forgotten == ("babbage",)
        assert exported(second) == before


def test_sides_that_differ_in_tags_or_in_a_fact_alone_are_told_by_their_fields_and_names(tmp_path: Path) -> None:
    first, second, _ = two(tmp_path)
    with first, second:
        first.revise("ada", tags=["math"])
        second.revise("ada", tags=["history"])
        first.relate("Ada", "knows", "Babbage", confidence=0.5)
        second.relate("Ada", "knows", "Babbage", confidence=0.7)
        first.export(tmp_path / "more.jsonl")
        (done,) = second.import_(tmp_path / "more.jsonl")
        record, relation = done.differing
        assert record.here == record.there
        assert record.fields == {"tags": ('["history"]', '["math"]')}
        assert relation.here == "Ada knows Babbage"
        assert [*relation.fields] == ["valid_until"]


@pytest.mark.parametrize("chosen", [{"space": "default"}, {"project": "garden"}, {"since": NOON}, {"until": NOON}])
def test_a_part_of_a_memory_says_the_same_after_a_detour_but_for_the_numbers_of_each_store(
    tmp_path: Path, chosen: dict[str, object]
) -> None:
    def told(data: bytes, noun: str) -> list[str]:
        rows = [{name: row[name] for name in row if name not in ("version", "checksum")} for row in objects(data, noun)]
        return sorted(json.dumps(row, sort_keys=True) for row in rows)

    fill(tmp_path / "old")
    with open_at(tmp_path / "old") as old, open_at(tmp_path / "new") as new:
        old.remember("In the garden.", project="garden", event_time=NOON - timedelta(days=9))
        (tmp_path / "part.jsonl").write_bytes(part := exported(old, **chosen))
        new.import_(tmp_path / "part.jsonl")
        again = exported(new, **chosen)
        assert objects(part, "record")
        for noun in ("record", "entity", "relation", "message"):
            assert told(again, noun) == told(part, noun)


def test_an_export_can_be_of_a_space_a_project_or_a_time(tmp_path: Path) -> None:
    clock = Clock()
    with open_at(tmp_path / "old", clock=clock) as memory:
        memory.remember("In the garden.", id="garden", project="garden", event_time=NOON - timedelta(days=9))
        memory.remember("In the house.", id="house", session="talk")
        memory.remember("At work.", id="desk", space="work")
        memory.relate("Ada", "knows", "Babbage")
        set_identity(memory.core, "The office.", space="work")
        assert {one["id"] for one in objects(exported(memory, space="work"), "record")} == {"desk"}
        assert objects(exported(memory, space="work"), "identity") == [{"space": "work", "text": "The office."}]
        garden = exported(memory, project="garden")
        assert [one["id"] for one in objects(garden, "record")] == ["garden"]
        assert [one["object_id"] for one in objects(garden, "entry")] == ["default", "garden"]
        assert [one["name"] for one in objects(garden, "space")] == ["default"]
        assert [one["name"] for one in objects(exported(memory, since=NOON), "space")] == ["default", "work"]
        assert objects(exported(memory, until=NOON - timedelta(days=5)), "space") == objects(garden, "space")
        assert b"work" not in exported(memory, project="attic")
        assert objects(garden, "relation") == objects(garden, "message") == []
        late = exported(memory, since=NOON, space="default")
        assert [one["id"] for one in objects(late, "record")] == ["house"]
        assert len(objects(late, "entity")) == 2
        assert [one["id"] for one in objects(late, "message")] == ["house"]
        with pytest.raises(NotFound, match="no space named 'attic'"):
            exported(memory, space="attic")
    (tmp_path / "late.jsonl").write_bytes(late)
    with open_at(tmp_path / "new") as memory:
        assert memory.import_(tmp_path / "late.jsonl") == [
            Imported(space="default", folder=str(tmp_path / "late.jsonl"), records=1, facts=1, entities=2)
        ]
        assert [one.id for one in messages(memory.core, "talk")] == ["house"]


SPOILED: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda lines: lines[:-1], "ends early, at line"),
    (lambda lines: [*lines[:-1], lines[-1][:40]], "ends early, at line"),
    (lambda lines: [*lines[:3], *lines[4:]], "was changed since it was written"),
    (lambda lines: [line.replace(b"first", b"last") for line in lines], "line 4: this record is not as it was written"),
    (lambda lines: [*lines[:4], *lines[4:][::-1][1:], lines[-1]], "line 6: entry 1 comes twice, or out of its order"),
    (lambda lines: [lines[0].replace(b'"format":1', b'"format":9'), *lines[1:]], "upgrade Recollect"),
    (lambda lines: [line.replace(b'"importance":0.5', b'"importance":"a lot"') for line in lines], "importance: "),
    (lambda lines: [line.replace(b'"kind"', b'"mood"') for line in lines], "record.mood is not known"),
    (lambda lines: [line.replace(b'"entry":{"entry":1', b'"page":{"entry":1') for line in lines], "no 'page'"),
    (lambda lines: [lines[0].replace(b'{"f', b'{"zzz":1,"f'), *lines[1:]], "line 1: recollect.zzz is not known"),
    (lambda lines: [lines[0].replace(b'{"f', b'{"chosen":{"mood":1},"f'), *lines[1:]], "recollect.chosen.mood is not"),
    (lambda lines: [line.replace(b'{"numbers":{', b'{"numbers":{"zzz":1,') for line in lines], "numbers.zzz is not"),
    (lambda lines: [*lines[:-1], lines[-1].replace(b'{"lines"', b'{"zzz":1,"lines"')], "end.zzz is not known"),
    (lambda lines: [*lines[:-1], b'{"identity":{"space":"a","mood":1}}\n', lines[-1]], "identity.mood is not known"),
    (lambda lines: [b"[1]\n", *lines], "line 1 is no line of an export"),
    (lambda lines: [lines[1], *lines], "is no export of Recollect"),
]


@pytest.mark.parametrize(("spoil", "told"), SPOILED)
def test_a_file_that_is_not_whole_is_refused_and_leaves_nothing(
    tmp_path: Path, spoil: Callable[[list[bytes]], list[bytes]], told: str
) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("Ada wrote the first program.")
        lines = exported(memory).splitlines(keepends=True)
    (tmp_path / "bad.jsonl").write_bytes(b"".join(spoil(lines)))
    with open_at(tmp_path / "new") as memory:
        before = exported(memory)
        with pytest.raises(InvalidInput, match=told):
            memory.import_(tmp_path / "bad.jsonl", origin="recollect")
        assert exported(memory) == before


def test_a_line_that_lacks_what_it_must_say_is_refused_by_name(tmp_path: Path) -> None:
    fill(tmp_path / "one")
    with open_at(tmp_path / "one") as memory:
        memory.export(tmp_path / "all.jsonl")
    head, _, *lines = (tmp_path / "all.jsonl").read_text().splitlines()
    tried = set[str]()
    with open_at(tmp_path / "two") as memory:
        memory.remember("Something else.")
        for n, line in enumerate(lines):
            [(noun, fields)] = json.loads(line).items()
            if noun in tried or noun not in NOUNS:
                continue
            tried.add(noun)
            lacking = next(name for name in ("created_at", "at", "last", "id", "value", "version") if name in fields)
            del fields[lacking]
            whole = [head, *lines[:n], json.dumps({noun: fields})]
            (tmp_path / "less.jsonl").write_text("\n".join(whole) + "\n")
            with pytest.raises(InvalidInput, match=rf"line {n + 2}: {noun}\.{lacking} is missing"):
                memory.import_(tmp_path / "less.jsonl")
        assert memory.count() == 1
    assert {"space", "record", "entity", "relation", "entry"} <= tried


def test_what_a_line_may_leave_out_is_what_a_store_may_leave_empty(tmp_path: Path) -> None:
    fill(tmp_path / "one")
    with closing(sqlite3.connect(tmp_path / "one" / "recollect.db")) as db:
        for noun, table in NOUNS.items():
            empty = {
                name
                for _, name, _, filled, _, key in db.execute(f"PRAGMA table_info({table.name})")
                if not filled and not key
            }
            assert set(_OPTIONAL.get(noun, ())) == empty & set(table.columns), noun


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


FORGED: list[tuple[str, str, str]] = [
    ("first program", "final program", "line 4: this record is not as it was written"),
    ("first program", "first\\u0000program", "line 4: record.text: contains a NUL character"),
    ("first program", "first" * 900_000, "line 4: record.text: has more than 4,000,000 bytes"),
    ('"importance":0.5', '"importance":5.0', "line 4: record.importance: must be from 0 to 1"),
    ('"status":"active"', '"status":"banana"', "line 4: record.status: must be one of"),
    ('"trust":"agent_inferred"', '"trust":"god"', "line 4: record.trust: must be one of"),
    ('"id":"ada"', '"id":"../../x\\n"', "line 4: record.id: must not contain control characters"),
    ('"version":1', f'"version":{2**70}', "line 4: record.version: .* is more than any store counts to"),
    ('"metadata":{}', f'"metadata":{nested(900)}', "line 3: space.metadata: is nested more than 128 levels deep"),
    ('"verb":"remember"', '"verb":"revise"', "line 6: this entry is not as it was written"),
    ('"description":""', '"description":"Mine."', "line 3: this space is not as it was written"),
]


@pytest.mark.parametrize(("old", "new", "told"), FORGED)
def test_a_forged_row_is_refused_by_its_line_wherever_it_is_to_come(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("Ada wrote the first program.", id="ada")
        *lines, _ = exported(memory).decode().splitlines(keepends=True)
    forged = "".join(lines).replace(old, new)
    assert forged != "".join(lines)
    (tmp_path / "bad.jsonl").write_bytes(sealed(forged.encode()))
    with pytest.raises(InvalidInput, match=f"file: bad.jsonl, {told}"):
        recollect.import_(tmp_path / "bad.jsonl", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with open_at(tmp_path / "new") as memory:
        memory.remember("Something else was here.", id="else")
        before = exported(memory)
        with pytest.raises(InvalidInput, match=told):
            memory.import_(tmp_path / "bad.jsonl")
        assert exported(memory) == before


def test_rows_without_checksums_and_a_mark_of_utf_8_are_taken_as_they_always_were(tmp_path: Path) -> None:
    fill(tmp_path / "old")
    with open_at(tmp_path / "old") as memory:
        *lines, _ = exported(memory).splitlines(keepends=True)
        texts = {one.id: one.text for one in memory.list(limit=100)}
    old = sealed(re.sub(rb'"checksum":\d+,?', b"", b"".join(lines)).replace(b",}", b"}"))
    (tmp_path / "old.jsonl").write_bytes(b"\xef\xbb\xbf" + old)
    with open_at(tmp_path / "filled") as memory:
        memory.remember("Something else was here.", id="else", space="elsewhere")
        memory.import_(tmp_path / "old.jsonl")
        assert {one.id: one.text for one in memory.list(limit=100)} == texts
    recollect.import_(tmp_path / "old.jsonl", tmp_path / "new")
    with open_at(tmp_path / "new") as memory:
        assert {one.id: one.text for one in memory.list(limit=100)} == texts


def test_what_a_merge_brought_and_an_undo_took_away_comes_back_by_the_same_import(tmp_path: Path) -> None:
    first, second, _ = two(tmp_path)
    with first, second:
        first.remember("The orchard is old.", id="orchard", space="work")
        first.revise("orchard", "The orchard is very old.", space="work")
        first.relate("Ada", "owns", "Orchard", space="work")
        first.export(tmp_path / "work.jsonl", space="work")
        (done,) = second.import_(tmp_path / "work.jsonl")
        (act,) = [one for one in second.acts(space="work") if one.verb == "import"]
        assert act.reason == f"from {tmp_path / 'work.jsonl'}"
        second.undo(act.entry, whole=True)
        assert second.list(space="work") == second.facts(space="work") == []
        first.revise("orchard", "The orchard is gone.", space="work")
        first.export(tmp_path / "later.jsonl", space="work")
        (again,) = second.import_(tmp_path / "later.jsonl")
        assert (again.records, again.facts, again.entities, again.records_present) == (1, 1, done.entities, 0)
        assert [one.text for one in second.list(space="work")] == ["The orchard is gone."]
        assert [(fact.subject, fact.object) for fact in second.facts(space="work")] == [("Ada", "Orchard")]
        assert second.import_(tmp_path / "later.jsonl")[0].records_present == 1
        assert second.check() == []


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    with open_at(tmp_path / "old") as memory:
        memory.remember("Ada wrote the first program.")
        (tmp_path / "notes.txt").write_text("mine")
        with pytest.raises(Conflict, match="is there already"):
            memory.export(tmp_path / "notes.txt")
        assert (tmp_path / "notes.txt").read_text() == "mine"
        with pytest.raises(InvalidInput, match="of none of the programs"):
            memory.import_(tmp_path / "notes.txt")


@pytest.mark.parametrize("grown", [False, True])
def test_what_two_machines_ingested_from_the_same_place_comes_once(tmp_path: Path, grown: bool) -> None:
    talk, notes = tmp_path / "talk.jsonl", tmp_path / "notes.md"
    said = ["Green tea.", "ok", "Black tea.", "ok"]

    def write(*more: str) -> None:
        lines = [
            {"type": "user", "sessionId": "s1", "timestamp": f"2026-05-10T12:0{n}:00.5Z",
             "message": {"role": "user", "content": text}}
            for n, text in enumerate([*said, *more])
        ]  # fmt: skip
        talk.write_text("".join(json.dumps(line) + "\n" for line in lines))
        notes.write_text("\n\n".join(f"# Part {n}\n\nSame words.\n\n{text}" for n, text in enumerate([*said, *more])))

    def held(memory: Memory) -> list[str]:
        return sorted(one.text for one in memory.list(kinds=["message", "document"], limit=100))

    write()
    first, second = open_at(tmp_path / "first"), open_at(tmp_path / "second")
    with first, second:
        for memory in (first, second):
            if grown and memory is second:
                write("Red tea.")
            memory.ingest_transcript(talk)
            memory.ingest_file(notes)
        away = next(one.id for one in first.list(kinds=["message"]) if one.text == "Black tea.")
        first.forget(away)
        second.export(tmp_path / "second.jsonl")
        before, ids = held(first), {one.id for one in first.list(limit=100)}
        (done,) = first.import_(tmp_path / "second.jsonl")
        more = ["Red tea.", "# Part 4\n\nSame words.\n\nRed tea."] if grown else []
        assert held(first) == sorted([*before, *more])
        assert (done.records, len(done.same), len(done.forgotten)) == (len(more), len(before), 1)
        assert {*done.same.values()} == ids
        assert {one.type for one in done.differing} <= ({"record"} if grown else set())
        once = exported(first)
        (again,) = first.import_(tmp_path / "second.jsonl")
        assert (again.records, again.same) == (0, done.same)
        assert exported(first) == once
        assert first.check() == []


def ingested_twice(tmp_path: Path) -> tuple[Memory, Memory]:
    """Two memories that have read the same conversation and the same document."""
    talk, guide = tmp_path / "talk.jsonl", tmp_path / "guide.md"
    lines = [
        {"type": "user", "sessionId": "s1", "timestamp": f"2026-05-10T12:0{n}:00.5Z",
         "message": {"role": "user", "content": text}}
        for n, text in enumerate(["Green tea.", "Black tea."])
    ]  # fmt: skip
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines))
    guide.write_text("# One\n\nWater first.\n\n# Two\n\nThen leaves.\n\n# Three\n\nThen wait.\n")
    first, second = open_at(tmp_path / "first"), open_at(tmp_path / "second")
    for memory in (first, second):
        memory.ingest_transcript(talk)
        memory.ingest_file(guide)
    return first, second


def test_a_conversation_and_a_document_that_were_forgotten_as_a_whole_stay_so(tmp_path: Path) -> None:
    first, second = ingested_twice(tmp_path)
    with first, second:
        first.remember("Something else.", id="else")
        (tmp_path / "guide.md").write_text("# One\n\nWater first.\n\n# Two\n\nThen leaves.\n")
        assert second.ingest_file(tmp_path / "guide.md").removed == 1
        for source in first.list(kinds=["source"]):
            first.forget(source.id)
        second.export(tmp_path / "second.jsonl")
        (done,) = first.import_(tmp_path / "second.jsonl")
        assert [one.id for one in first.list(limit=100)] == ["else"]
        assert (done.records, len(done.forgotten)) == (0, 2 + 2 + 3)
        assert b"Then wait." not in exported(first)


def test_a_section_that_was_forgotten_does_not_come_back_by_another_machines_export(tmp_path: Path) -> None:
    first, second = ingested_twice(tmp_path)
    with first, second:
        away = next(one.id for one in first.list(kinds=["document"]) if "Then leaves." in one.text)
        first.forget(away)
        before = {one.id for one in first.list(limit=100)}
        second.export(tmp_path / "second.jsonl")
        (done,) = first.import_(tmp_path / "second.jsonl")
        assert {one.id for one in first.list(limit=100)} == before
        assert (done.records, len(done.forgotten)) == (0, 1)
        assert b"Then leaves." not in exported(first)
