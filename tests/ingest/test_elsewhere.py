"""Do memories of other programs come along, once, with their times and sources?

The files in `elsewhere/` were written by the programs themselves: @modelcontextprotocol/server-memory 2026.8.31,
mem0ai 2.2.1, MemPalace 3.11.0, mcp-memory-service 12.4.0, basic-memory 0.23.2 and 0.24.1, and claude-mem 13.25.3. The
others follow what their programs document.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import zipfile
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Imported, InvalidInput, Memory, NotFound
from recollect.engine.care.arrive import told_by
from recollect.engine.care.export import is_encrypted
from recollect.engine.intake.again import WHOLES
from recollect.ingest.frontmatter import render_front_matter, split_front_matter
from recollect.ingest.transcripts import knows_transcript
from recollect.types import Json

HERE = Path(__file__).parent / "elsewhere"
CLAUDE_MEM = """
CREATE TABLE sdk_sessions(id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
CREATE TABLE observations(id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
    title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
CREATE TABLE session_summaries(id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
    investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT,
    created_at_epoch INTEGER);
CREATE TABLE user_prompts(id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_number INTEGER, prompt_text TEXT,
    created_at TEXT, created_at_epoch INTEGER);
INSERT INTO sdk_sessions VALUES(1, 'c1', 'm1', 'gateway');
INSERT INTO observations VALUES(1, 'm1', 'gateway', NULL, 'decision', 'Tokens use RS256', 'Keys rotate',
    '["The key is in vault"]', 'RS256 was chosen over HS256.', '["auth"]', '["a.py"]', '[]', 1, '', 1767100000000);
INSERT INTO observations VALUES(2, 'm1', 'gateway', NULL, 'change', NULL, NULL, '[]', NULL, '[]', '[]', '[]', 1, '', 0);
INSERT INTO session_summaries VALUES(1, 'm1', 'gateway', 'Make tokens safe', NULL, 'RS256 is enough', 'Merged', NULL,
    NULL, '2025-12-30T13:10:00Z', 1767100200000);
INSERT INTO user_prompts VALUES(1, 'c1', 1, 'Please make tokens safe', '', 1767099000000);
"""
BASIC = """---
title: Coffee Brewing
type: note
permalink: coffee/coffee-brewing
tags:
- coffee
- "slow mornings"
created: 2026-02-03T08:00:00Z
---

# Coffee Brewing

What I know of it.

## Observations
- [method] Pour over takes three minutes #brewing (measured twice)
- [ ] buy beans
- [x] clean the kettle

## Relations
- relates_to [[Tea Brewing]]
- [[Water]]
"""
ACTIVITY: list[dict[str, Json]] = [
    {
        "header": "Gemini Apps", "title": "Prompted how long does tea steep?", "time": "2026-03-04T05:06:07.008Z",
        "products": ["Gemini Apps"],
        "safeHtmlItem": [{"html": "<p>Three <b>minutes</b>.</p><ul><li>green: two</li></ul>"}],
        "details": [{"name": "x", "url": "https://gemini.google.com/app/aaaa"}],
    },
    {"header": "Gemini Apps", "title": "Prompted and black tea?", "time": "2026-03-04T05:07:00Z",
     "products": ["Gemini Apps"], "details": [{"name": "x", "url": "https://gemini.google.com/app/aaaa"}]},
    {"header": "Gemini Apps", "title": "Created a gem", "time": "2026-03-05T05:06:07Z", "products": ["Gemini Apps"]},
    {"header": "YouTube", "title": "Watched something", "time": "2026-03-05T05:06:07Z", "products": ["YouTube"]},
]  # fmt: skip
CLAUDE: dict[str, Json] = {
    "conversations.json": [
        {"uuid": "c-1", "name": "Tea", "created_at": "2026-01-01T10:00:00Z", "chat_messages": [
            {"uuid": "m-1", "sender": "human", "text": "Which tea is best?", "created_at": "2026-01-01T10:00:00Z"},
            {"uuid": "m-2", "sender": "assistant", "text": "Green tea.", "created_at": "2026-01-01T10:00:05Z"},
        ]},
    ],
    "memories.json": [
        {"conversations_memory": "**Work context**\n\nAda builds engines.\n\nShe prefers mornings.",
         "project_memories": {"p-1": "The orchard has ten trees."}, "account_uuid": "a"},
    ],
    "projects/p-1.json": {"uuid": "p-1", "name": "Orchard", "prompt_template": "Answer as a gardener.",
                          "docs": [{"filename": "trees.md", "content": "…"}], "created_at": "2026-01-01T09:00:00Z"},
    "users.json": [{"uuid": "a"}],
}  # fmt: skip
CHATGPT: list[dict[str, Json]] = [
    {
        "id": "g-1", "conversation_id": "g-1", "title": "Kettles", "create_time": 1767100000.5, "current_node": "b",
        "mapping": {
            "root": {"message": None, "parent": None, "children": ["a"]},
            "a": {"message": {"author": {"role": "user"}, "create_time": 1767100000.5,
                              "content": {"content_type": "text", "parts": ["Which kettle boils fastest?"]}},
                  "parent": "root", "children": ["b"]},
            "b": {"message": {"author": {"role": "assistant"}, "create_time": 1767100009.0,
                              "content": {"content_type": "text", "parts": ["One of steel."]}},
                  "parent": "a", "children": []},
        },
    }
]  # fmt: skip


def put(path: Path, value: Json | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def unpack(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name.removesuffix(".gz")).write_bytes(gzip.decompress((HERE / name).read_bytes()))
    return folder


def make(name: str, folder: Path) -> Path:
    """Files of a program, as they lie on somebody's disk."""
    if name == "server-memory":
        return HERE / "server-memory.jsonl"
    if name == "mem0":
        return unpack(folder, "mem0-history.db.gz") / "mem0-history.db"
    if name == "mempalace":
        return unpack(folder, "chroma.sqlite3.gz", "knowledge_graph.sqlite3.gz")
    if name == "mcp-memory-service":
        return unpack(folder, "mms.db.gz")
    if name == "claude-mem":
        return unpack(folder, "claude-mem.db.gz") / "claude-mem.db"
    if name == "basic-memory":
        return put(folder / "notes" / "coffee" / "Coffee Brewing.md", BASIC).parents[1]
    if name == "gemini":
        return put(folder / "Takeout" / "My Activity" / "Gemini Apps" / "MyActivity.json", list(ACTIVITY)).parents[2]
    folder.mkdir()
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        for member, value in CLAUDE.items() if name == "claude" else {"conversations.json": CHATGPT}.items():
            archive.writestr(member, json.dumps(value))
    return folder / "export.zip"


COUNTS = {
    "server-memory": (4, 1, 3), "mem0": (2, 0, 0), "mempalace": (3, 2, 0), "mcp-memory-service": (2, 0, 0),
    "claude-mem": (8, 0, 0), "basic-memory": (2, 2, 1), "chatgpt": (2, 0, 0), "claude": (6, 0, 0), "gemini": (3, 0, 0),
}  # fmt: skip
"""Records, facts and entities of each."""


@pytest.mark.parametrize("name", COUNTS)
def test_what_a_program_kept_is_told_by_its_content_and_comes_once(name: str, memory: Memory, tmp_path: Path) -> None:
    path = make(name, tmp_path / "files")
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert told_by(path) == name
    (tried,) = memory.import_(path, dry_run=True, space="brought")
    assert not memory.list(space="brought")
    (done,) = memory.import_(path, space="brought")
    assert tried == done
    assert (done.records, done.facts, done.entities) == COUNTS[name]
    entries = memory.last_entry()
    (again,) = memory.import_(path, space="brought")
    assert (again.records, again.records_present, again.facts) == (0, done.records, 0)
    assert memory.last_entry() == entries
    assert {record.trust for record in memory.list(space="brought", limit=100)} == {"imported"}
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    assert memory.check() == []


@pytest.mark.parametrize("name", COUNTS)
def test_what_was_forgotten_here_does_not_come_back_and_is_counted_as_such(
    name: str, memory: Memory, tmp_path: Path
) -> None:
    path = make(name, tmp_path / "files")
    memory.import_(path, space="brought")
    for record in memory.list(space="brought", limit=100):
        memory.forget(record.id, space="brought")
    facts = [fact.relation.id for fact in memory.facts(space="brought", active=False)]
    for id in [*facts, *(one.id for one in memory.entities(space="brought"))]:
        with suppress(NotFound):  # it went with another
            memory.forget_fact(id, space="brought")
    (tried,) = memory.import_(path, space="brought", dry_run=True)
    (again,) = memory.import_(path, space="brought")
    assert tried == again
    assert (again.records, again.records_present, again.facts, again.entities) == (0, 0, 0, 0)
    assert len(set(again.forgotten)) == len(again.forgotten) > 0
    assert set(facts) <= set(again.forgotten)
    assert memory.list(space="brought") == memory.facts(space="brought", active=False) == []
    assert memory.entities(space="brought") == []


@pytest.mark.parametrize("name", ["mem0", "server-memory"])
@pytest.mark.parametrize("thinned", [False, True])
def test_what_was_evicted_here_does_not_come_back_until_that_is_undone(
    memory: Memory, tmp_path: Path, name: str, thinned: bool
) -> None:
    path = make(name, tmp_path / name)
    (first,) = memory.import_(path)
    evicted = memory.evict(cap=1, min_importance=0)[0]
    if thinned:
        memory.thin(older_than=timedelta(0))
    again = bring(memory, path)
    assert (again.records, again.records_present, len(again.forgotten)) == (0, 1, first.records - 1)
    if not thinned:
        memory.undo(evicted.entry)
        assert bring(memory, path).records_present == first.records


@pytest.mark.parametrize("native", [False, True])
def test_of_what_a_file_tells_twice_neither_comes_back_once_it_was_forgotten(
    memory: Memory, tmp_path: Path, native: bool
) -> None:
    rows: list[Json] = [{"id": id, "memory": "Likes tea", "user_id": "ada"} for id in ("1", "2")]
    path = put(tmp_path / "all.json", {"results": [*rows, {"id": "3", "memory": "Lives in Oslo", "user_id": "ada"}]})
    if native:
        memory.remember("Likes tea", id="tea", user="ada")
    bring(memory, path)
    memory.forget("tea" if native else "mem0:1")
    again = bring(memory, path)
    assert (again.records, again.records_present, again.forgotten) == (0, 1, ("tea" if native else "mem0:1",))
    memory.remember("Likes tea", user="ada")  # which somebody means to keep, whatever was
    assert (bring(memory, path).records, texts(memory)) == (0, ["Likes tea", "Lives in Oslo"])


def test_of_a_conversation_that_went_on_only_what_is_new_comes_and_no_forgotten_message(
    memory: Memory, tmp_path: Path
) -> None:
    said = [("human", "Which tea is best?"), ("assistant", "Green tea."), ("human", "Why?"), ("assistant", "It is.")]

    def talk(*spoken: tuple[str, str]) -> Path:
        messages = [
            {"uuid": f"m-{n}", "sender": who, "text": text, "created_at": f"2026-01-01T10:00:{n:02}Z"}
            for n, (who, text) in enumerate(spoken)
        ]
        told = [{"uuid": "c-1", "name": "Tea", "created_at": "2026-01-01T10:00:00Z", "chat_messages": messages}]
        return put(tmp_path / f"{len(spoken)}" / "conversations.json", told)

    memory.import_(talk(*said), origin="claude")
    held = {one.text: one for one in memory.list(session="c-1", kinds=["message"])}
    memory.forget(held["Green tea."].id)
    (same,) = memory.import_(talk(*said), origin="claude")
    assert (same.records, same.records_present, same.forgotten) == (0, 3, (held["Green tea."].id,))
    (more,) = memory.import_(talk(*said, ("human", "Green tea."), ("assistant", "Yes.")), origin="claude")
    assert (more.records, more.records_present, more.forgotten) == (2, 3, (held["Green tea."].id,))
    now = memory.list(session="c-1", kinds=["message"], order="position")
    assert [(one.position, one.text) for one in now] == [
        (0, "Which tea is best?"), (2, "Why?"), (3, "It is."), (4, "Green tea."), (5, "Yes."),
    ]  # fmt: skip
    assert {one.id for one in now} >= {held[text].id for text in ("Which tea is best?", "Why?", "It is.")}


def test_observations_stay_with_their_entity_and_a_secret_among_them_is_masked(memory: Memory, tmp_path: Path) -> None:
    memory.import_(make("server-memory", tmp_path))
    texts = sorted(record.text for record in memory.list())
    assert texts[1:] == [
        "Ada Lovelace: Prefers mornings for proofs", "Ada Lovelace: Wrote the first program",
        "Analytical Engine: Was never finished",
    ]  # fmt: skip
    assert texts[0].startswith("Ada Lovelace: Her key is [")
    assert "q7Zk2PbXw9" not in texts[0]
    (fact,) = memory.facts("Ada Lovelace")
    assert (fact.predicate, fact.object) == ("wrote_programs_for", "Analytical Engine")
    assert [entity.type for entity in memory.find_entities("Ada Lovelace")] == ["person"]


def entity(name: str, *observed: str, type: str = "language") -> str:
    return json.dumps({"type": "entity", "name": name, "entityType": type, "observations": observed})


def test_entities_whose_names_differ_in_case_alone_come_as_two_and_the_first_has_the_id_that_it_always_had(
    memory: Memory, tmp_path: Path
) -> None:
    relation = {"type": "relation", "from": "python", "to": "Python", "relationType": "bites"}
    (alone,) = memory.import_(put(tmp_path / "1.jsonl", entity("Python")), space="earlier")
    lines = [entity("Python", "is typed"), entity("python", "is a snake", type="animal"), json.dumps(relation)]
    path = put(tmp_path / "2.jsonl", "\n".join(lines))
    for space, new in (("earlier", 1), ("now", 2)):
        (tried,) = memory.import_(path, space=space, dry_run=True)
        (done,) = memory.import_(path, space=space)
        assert tried == done
        assert (done.records, done.facts, done.entities, done.problems) == (2, 1, new, ())
        entries = memory.last_entry()
        assert memory.import_(path, space=space)[0].entities == 0
        assert memory.last_entry() == entries
        types = {one.name: (one.id, one.type) for one in memory.entities(space=space)}
        assert [types[name][1] for name in ("Python", "python")] == ["language", "animal"]
        assert types["Python"][0] == "server-memory:6f8c2d1aad8f66d7f47b"
        (fact,) = memory.facts(space=space)
        assert (fact.relation.subject, fact.relation.object) == (types["python"][0], types["Python"][0])
    assert alone.entities == 1
    assert memory.check() == []


def test_notes_of_basic_memory_whose_titles_differ_in_case_or_spacing_alone_are_two_entities(
    memory: Memory, tmp_path: Path
) -> None:
    for number, title in enumerate(("Tea time", "tea time", "Tea  time")):
        put(tmp_path / "notes" / f"{number}.md", f"---\ntitle: {title}\npermalink: tea-{number}\n---\n\nSome tea.\n")
    for new in (3, 0):
        (done,) = memory.import_(tmp_path / "notes")
        told = "2 memories left out: it is told there more than once"
        assert (done.entities, done.problems) == (new, (told,))


@pytest.mark.parametrize("forgotten", ["Python", "python"])
def test_of_two_entities_whose_names_differ_in_case_alone_only_the_forgotten_one_stays_away(
    forgotten: str, memory: Memory, tmp_path: Path
) -> None:
    path = put(tmp_path / "memory.jsonl", f"{entity('Python')}\n{entity('python')}")
    memory.import_(path)
    (id,) = [one.id for one in memory.entities() if one.name == forgotten]
    memory.forget_fact(id)
    (again,) = memory.import_(path)
    assert (again.entities, again.forgotten) == (0, (id,))
    assert [one.name for one in memory.entities()] == [forgotten.swapcase()[0] + "ython"]


def test_an_entity_with_a_secret_in_its_name_comes_once(memory: Memory, tmp_path: Path) -> None:
    path = put(tmp_path / "memory.jsonl", entity("key ghp_q7Zk2PbXw9Lm4Rt8Vn1Yc5Hd3Sf6Jg0Ka2B"))
    for new in (1, 0):
        (done,) = memory.import_(path)
        assert (done.entities, len(done.masked)) == (new, 1)
        assert len(memory.entities()) == 1


def test_a_history_of_mem0_gives_what_each_memory_became(memory: Memory, tmp_path: Path) -> None:
    (done,) = memory.import_(make("mem0", tmp_path / "m"))
    assert done.problems == ("1 memory left out: it was deleted there",)
    found = {record.text: record for record in memory.list()}
    assert set(found) == {"Likes green tea without sugar", "Works in Zurich"}
    tea = found["Likes green tea without sugar"]
    assert tea.event_time == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert (tea.id, tea.role, tea.source) == ("mem0:11111111-0000-4000-8000-000000000001", "user", "mem0")


def test_the_answer_of_mem0s_get_all_can_be_brought_along(memory: Memory, tmp_path: Path) -> None:
    told: Json = {"results": [{
        "id": "x1", "memory": "Likes green tea", "hash": "h", "user_id": "ada", "categories": ["food"],
        "created_at": "2026-03-01T01:00:00-08:00", "metadata": {"mood": "calm"},
    }]}  # fmt: skip
    memory.import_(put(tmp_path / "mem0.json", told))
    (record,) = memory.list()
    assert (record.user, record.tags, record.metadata) == ("ada", ("food",), {"mood": "calm"})
    assert record.event_time == datetime(2026, 3, 1, 9, tzinfo=UTC)


def branch(*said: str, updated: float) -> list[Json]:
    """An account's export with one conversation, as it was at a moment."""
    nodes: dict[str, Json] = {
        str(n): {
            "id": str(n), "parent": str(n - 1) if n else None, "children": [str(n + 1)] if n + 1 < len(said) else [],
            "message": {"author": {"role": "assistant" if n % 2 else "user"}, "create_time": 100.0 + n,
                        "content": {"content_type": "text", "parts": [text]}},
        }
        for n, text in enumerate(said)
    }  # fmt: skip
    return [{
        "title": "Cats", "conversation_id": "c-1", "create_time": 1.0, "update_time": updated, "mapping": nodes,
        "current_node": str(len(said) - 1),
    }]  # fmt: skip


def test_an_older_export_takes_nothing_out_of_a_conversation_and_a_newer_one_says_what(
    memory: Memory, tmp_path: Path
) -> None:
    older = put(tmp_path / "older.json", branch("Name my cat", "Rex", "Nicer", "Fido", updated=200.0))
    newer = put(tmp_path / "newer.json", branch("Name my cat", "Miso", updated=300.0))

    def said() -> list[str]:
        return [one.text for one in sorted(memory.list(kinds=["message"]), key=lambda one: one.position)]

    memory.import_(newer)
    (done,) = memory.import_(older)
    assert (done.records, done.removed, said()) == (0, 0, ["Name my cat", "Miso"])
    assert done.problems == ("1 conversation left out: what is here of it is of a later time",)
    newest = put(tmp_path / "newest.json", branch("Name my cat", "Tama", updated=400.0))
    (done,) = memory.import_(newest)
    assert (done.records, done.removed, said()) == (1, 1, ["Name my cat", "Tama"])


@pytest.mark.parametrize("named", [True, False])
def test_the_same_memory_of_two_users_or_agents_is_two_records(memory: Memory, tmp_path: Path, named: bool) -> None:
    owners = [{"user_id": "alex"}, {"user_id": "bob"}, {"user_id": "bob", "agent_id": "cook"}]
    told = [
        {"memory": "Likes tea", "hash": "x", **owner, **({"id": f"m{n}"} if named else {})}
        for n, owner in enumerate(owners)
    ]
    (done,) = memory.import_(put(tmp_path / "mem0.json", told))
    held = [(one.user, one.metadata.get("agent_id")) for one in memory.list()]
    assert (done.records, sorted(held, key=str)) == (3, [("alex", None), ("bob", "cook"), ("bob", None)])
    (again,) = memory.import_(put(tmp_path / "mem0.json", told))
    assert (again.records, again.records_present) == (0, 3)


def test_notes_that_basic_memory_wrote_come_with_their_observations_and_relations(memory: Memory) -> None:
    (done,) = memory.import_(HERE / "basic-memory")
    assert (done.records, done.facts, done.problems) == (5, 2, ())
    assert {(one.kind, one.text, one.tags) for one in memory.list()} == {
        ("note", "# Tea ceremony\n\nHow tea is served in Kyoto.", ("tea", "japan")),
        ("method", "Tea ceremony: Water at 80 degrees", ("tea", "japan", "brewing")),
        ("fact", "Tea ceremony: Matcha is whisked", ("tea", "japan")),
        ("note", "Some prose about green tea.", ("tea",)), ("origin", "Green Tea: Comes from Shizuoka", ("tea",)),
    }  # fmt: skip
    assert {(one.relation.predicate, one.object) for one in memory.facts("Tea ceremony")} == {
        ("part_of", "Japanese Culture"), ("relates_to", "Green Tea"),
    }  # fmt: skip
    assert memory.import_(HERE / "basic-memory")[0].records == 0


def test_a_note_of_basic_memory_gives_the_links_and_observations_that_the_program_sees_in_it_and_no_line_is_lost(
    memory: Memory,
) -> None:
    memory.import_(HERE / "basic-memory-links")
    assert {(fact.predicate, fact.object) for fact in memory.facts("Links")} == {
        ("links_to", name) for name in ("Bullet Link", "Gateway", "Inner", "Quoted", "Tail", "Tokens")
    }
    prose = next(one.text for one in memory.list() if one.id.endswith("#"))
    assert sorted(record.kind for record in memory.list()) == ["decision", "note", "note", "num", "star"]
    for line in ("See [[Tokens|the tokens]] and", "- [code] not an observation", "- plain bullet [[Bullet Link]]"):
        assert line in prose


def test_a_link_in_a_table_of_basic_memory_names_what_stands_before_its_backslash(
    memory: Memory, tmp_path: Path
) -> None:
    text = "---\ntitle: Cars\npermalink: cars\n---\n\n| who |\n|---|\n| [[Berta Benz\\|Berta]] |\n"
    memory.import_(put(tmp_path / "notes" / "Cars.md", text).parent)
    assert [fact.object for fact in memory.facts("Cars")] == ["Berta Benz"]


def test_a_note_of_basic_memory_is_of_the_time_of_its_file_and_an_edit_of_it_is_brought_along(
    memory: Memory, tmp_path: Path
) -> None:
    note = put(tmp_path / "notes" / "Port.md", "---\ntitle: Port\npermalink: port\n---\n\nThe port is 80.\n")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    memory.import_(note.parent)
    assert [one.event_time for one in memory.list()] == [datetime.fromtimestamp(1_700_000_000, UTC)]
    note.write_text(note.read_text().replace("80", "8443"))
    os.utime(note, (1_710_000_000, 1_710_000_000))
    memory.import_(note.parent)
    assert [one.text for one in memory.list()] == ["The port is 8443."]


def test_what_was_changed_there_since_is_brought_up_to_date_unless_it_was_changed_here(
    memory: Memory, tmp_path: Path
) -> None:
    def told(text: str, day: int) -> Path:
        rows: list[Json] = [
            {"id": id, "memory": f"{id} {text}", "hash": "x", "created_at": "2026-01-01T00:00:00Z",
             "updated_at": f"2026-01-{day:02}T00:00:00Z"}
            for id in ("a", "b")
        ]  # fmt: skip
        return put(tmp_path / f"mem0-{day}.json", rows)

    memory.import_(told("likes tea", 1))
    assert memory.import_(told("likes coffee", 2))[0].newer == 2
    memory.revise("mem0:b", "b likes water")
    (done,) = memory.import_(told("likes milk", 3))
    kept = "1 memory left out: it says something else here, which is kept"
    assert (done.records, done.newer, done.problems) == (0, 1, (kept,))
    (older,) = memory.import_(told("likes coffee", 2))
    assert (older.newer, older.problems) == (0, (kept.replace("1 memory", "2 memories"),))
    assert {one.text for one in memory.list()} == {"a likes milk", "b likes water"}
    assert [one.change.verb for one in memory.history("mem0:a")] == ["remember", "import", "import"]
    assert memory.check() == []


def test_what_was_forgotten_and_stands_twice_in_a_file_is_told_once(memory: Memory, tmp_path: Path) -> None:
    row: Json = {"id": "m1", "memory": "Alex likes pizza.", "user_id": "alex", "hash": "x"}
    file = put(tmp_path / "mem0.json", [row, row])
    memory.import_(file)
    memory.forget("mem0:m1")
    (done,) = memory.import_(file)
    assert done.forgotten == ("mem0:m1",)


def test_relations_of_mem0_become_facts_and_a_broken_one_is_told(memory: Memory, tmp_path: Path) -> None:
    held: dict[str, Json] = {
        "results": [{"id": "m1", "memory": "Alex likes pizza.", "user_id": "alex", "hash": "x"}],
        "relations": [
            {"source": "alex", "relationship": "likes", "target": "pizza"},
            {"source": "alex", "relationship": "works_at", "destination": "the mill"},
            {"source": "alex", "relationship": "", "target": "nobody"},
        ],
    }
    (done,) = memory.import_(put(tmp_path / "mem0.json", held))
    assert (done.records, done.facts, done.problems) == (1, 2, ("1 relation left out: an end is missing",))
    assert {(fact.predicate, fact.object) for fact in memory.facts("alex")} == {
        ("likes", "pizza"), ("works_at", "the mill"),
    }  # fmt: skip
    assert memory.import_(put(tmp_path / "mem0.json", held))[0].facts_present == 2


def test_the_kinds_of_masked_secrets_are_told(memory: Memory, tmp_path: Path) -> None:
    key = "AKIA" + "Z7QD3XW5RT2M6KLP"
    rows: list[Json] = [{"id": "m1", "memory": f"The key is {key}.", "user_id": "alex"}]
    (done,) = memory.import_(put(tmp_path / "mem0.json", rows))
    assert len(done.masked) == 1
    assert key not in memory.list()[0].text


def test_a_memory_file_that_is_cut_off_is_an_error_that_names_the_line(memory: Memory, tmp_path: Path) -> None:
    data = (HERE / "server-memory.jsonl").read_bytes()
    (tmp_path / "memory.jsonl").write_bytes(data[:-9])
    with pytest.raises(InvalidInput, match=rf"damaged or cut off.*line {len(data.splitlines())}: .* Nothing was taken"):
        memory.import_(tmp_path / "memory.jsonl")
    assert memory.spaces() == []
    (tmp_path / "marked.jsonl").write_bytes(b"\xef\xbb\xbf" + data)
    assert memory.import_(tmp_path / "marked.jsonl")[0].records == COUNTS["server-memory"][0]


def test_a_pipe_is_refused_without_waiting_for_anybody(memory: Memory, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for origin in (None, "recollect", "mem0"):
        with pytest.raises(InvalidInput, match="is no file but a pipe or a device"):
            memory.import_(tmp_path / "pipe", origin=origin)
    assert not is_encrypted(tmp_path / "pipe")


def test_wings_become_projects_and_facts_of_a_palace_keep_their_time(memory: Memory, tmp_path: Path) -> None:
    memory.import_(make("mempalace", tmp_path / "p"))
    stove = next(record for record in memory.list() if "stove" in record.text)
    assert (stove.project, stove.room, stove.source) == ("work", "kitchen", "notes.md")
    assert stove.event_time == datetime(2026, 11, 16, 2, 44, 17, 366339, UTC)
    lives = next(fact for fact in memory.facts("Ada", active=False) if fact.predicate == "lives_in")
    assert (lives.object, lives.relation.valid_until) == ("London", datetime(2026, 2, 4, tzinfo=UTC))


@pytest.mark.parametrize(
    ("until", "ends"),
    [("2026-01-02", datetime(2026, 1, 3, tzinfo=UTC)), ("2026-01-02T10:00:00", datetime(2026, 1, 2, 10, tzinfo=UTC))],
)
def test_a_fact_of_a_palace_that_ends_on_a_day_holds_through_that_day(
    until: str, ends: datetime, memory: Memory, tmp_path: Path
) -> None:
    path = unpack(tmp_path / "p", "knowledge_graph.sqlite3.gz") / "knowledge_graph.sqlite3"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE triples SET valid_from = '2026-01-02', valid_to = ?", [until])
    assert memory.import_(path)[0].problems == ()
    assert {fact.relation.valid_until for fact in memory.facts("Ada", active=False)} == {ends}


def test_kinds_tags_and_times_of_mcp_memory_service_stay(memory: Memory, tmp_path: Path) -> None:
    (done,) = memory.import_(make("mcp-memory-service", tmp_path / "s"))
    assert done.problems == ("1 memory left out: it was deleted there",)
    found = {record.kind: record for record in memory.list()}
    assert found["decision"].event_time == datetime(2025, 12, 30, 13, 6, 40, 500000, UTC)
    assert (found["note"].tags, found["note"].source) == (("ops", "deploy"), "standup")


def test_observations_summaries_and_prompts_of_claude_mem_belong_to_their_session(
    memory: Memory, tmp_path: Path
) -> None:
    memory.import_(make("claude-mem", tmp_path / "c"))
    found = {record.kind: record for record in memory.list(session="c-three")}
    assert sorted(found) == ["decision", "prompt", "summary"]
    assert found["decision"].text == "Keys rotate\nRS256 was chosen over HS256.\n- The key is in the vault"
    assert (found["decision"].title, found["decision"].project) == ("Tokens use RS256", "gateway")
    assert found["decision"].event_time == datetime(2026, 3, 1, 9, 10, tzinfo=UTC)
    assert found["summary"].text == "Request: Make tokens safe\nLearned: RS256 is enough\nCompleted: Merged"
    assert (found["prompt"].project, found["prompt"].role) == ("gateway", "user")
    saved = {record.text for record in memory.list(project="kitchen")}
    assert saved == {"Zeig mir das Rezept für Brot", "Manual memory\nBrot braucht zwölf Stunden Gare."}


def test_an_observation_of_claude_mem_that_says_nothing_is_left_out_and_told(memory: Memory, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "claude-mem.db")) as db:
        db.executescript(CLAUDE_MEM)
    (done,) = memory.import_(tmp_path / "claude-mem.db")
    assert done.problems == ("1 observation left out: it says nothing",)
    assert {(record.kind, record.session) for record in memory.list()} == {
        ("decision", "c1"), ("summary", "c1"), ("prompt", "c1"),
    }  # fmt: skip


def test_a_note_of_basic_memory_gives_observations_relations_and_its_text(memory: Memory, tmp_path: Path) -> None:
    memory.import_(make("basic-memory", tmp_path / "b"))
    found = {record.kind: record for record in memory.list()}
    method = found["method"]
    assert method.text == "Coffee Brewing: Pour over takes three minutes"
    assert (method.tags, method.metadata["context"]) == (("coffee", "slow mornings", "brewing"), "measured twice")
    assert (method.source, method.event_time) == ("coffee/Coffee Brewing.md", datetime(2026, 2, 3, 8, tzinfo=UTC))
    assert "- [ ] buy beans" in found["note"].text
    facts = {(fact.predicate, fact.object) for fact in memory.facts("Coffee Brewing")}
    assert facts == {("relates_to", "Tea Brewing"), ("links_to", "Water")}


def test_what_claude_remembered_comes_beside_the_conversations(memory: Memory, tmp_path: Path) -> None:
    (done,) = memory.import_(make("claude", tmp_path / "c"))
    assert done.problems == ("1 document of a project left out: `recollect ingest` reads documents",)
    texts = {record.text: record.project for record in memory.list(limit=20)}
    assert texts["Work context: Ada builds engines."] is None
    assert texts["The orchard has ten trees."] == texts["Answer as a gardener."] == "Orchard"
    said = [record.text for record in memory.list(session="c-1", kinds=["message"], order="position")]
    assert said == ["Which tea is best?", "Green tea."]


def test_what_was_pasted_into_claude_and_written_beside_it_comes_whole_and_a_file_without_text_is_told(
    memory: Memory, tmp_path: Path
) -> None:
    pasted = "".join(f"line {number}: the pump hums\n" for number in range(6_000))
    given: Json = {"command": "create", "title": "Plan", "content": "Dig."}
    artifact: Json = {"type": "tool_use", "name": "artifacts", "input": given}
    at = "2026-01-01T10:00:00Z"
    chat: Json = {"uuid": "c-2", "name": "Pump", "chat_messages": [
        {"sender": "human", "text": "What is this?", "created_at": at, "files": [{"file_name": "pump.png"}],
         "attachments": [{"file_name": "log.txt", "extracted_content": pasted},
                         {"file_name": "", "extracted_content": "Short paste."}]},
        {"sender": "assistant", "created_at": at, "content": [{"type": "text", "text": "A log."}, artifact]},
    ]}  # fmt: skip
    (done,) = memory.import_(put(tmp_path / "conversations.json", [chat]))
    assert done.problems == ("1 file left out: the export does not hold what is in it",)
    *asked, answer = [one.text for one in memory.list(session="c-2", kinds=["message"], order="position")]
    whole = f"What is this?\n[file: log.txt]\n{pasted.strip()}\n[pasted]\nShort paste.\n[file: pump.png]"
    assert ("\n".join(asked), len(asked)) == (whole, 2)
    assert answer == "A log.\n[artifact: Plan]\nDig."
    assert memory.import_(tmp_path / "conversations.json")[0].records == 0


def test_of_chatgpt_canvases_names_of_files_and_the_last_custom_instructions_come_along(
    memory: Memory, tmp_path: Path
) -> None:
    def said(role: str, content: Json, parent: str, recipient: str = "all", **metadata: Json) -> Json:
        message: Json = {"author": {"role": role}, "content": content, "recipient": recipient, "metadata": metadata}
        return {"message": message, "parent": parent, "children": []}

    def talk(id: str, at: float, instructions: str) -> Json:
        context: Json = {"content_type": "user_editable_context", "user_profile": "I am Ada.",
                         "user_instructions": instructions}  # fmt: skip
        shown: Json = {"content_type": "image_asset_pointer"}
        picture: Json = {"content_type": "multimodal_text", "parts": [shown, "Plan it."]}
        canvas: Json = {"content_type": "code", "text": json.dumps({"name": "Plan", "content": "Dig.\nPlant."})}
        return {"id": id, "title": "Garden", "update_time": at, "current_node": "d", "mapping": {
            "a": said("user", context, "", is_visually_hidden_from_conversation=True),
            "b": said("user", picture, "a"),
            "c": said("assistant", canvas, "b", "canmore.create_textdoc"),
            "d": said("user", {"parts": ["And this?"]}, "c", attachments=[{"id": "f", "name": "bed.pdf"}]),
        }}  # fmt: skip

    talks = [talk("new", 1767200000, "Be brief."), talk("old", 1767100000, "Be long.")]
    (done,) = memory.import_(put(tmp_path / "conversations.json", talks))
    assert done.problems == (
        "2 pictures left out: the export does not hold what is in it",
        "2 files left out: the export does not hold what is in it",
    )
    told = {one.id: (one.text, one.kind) for one in memory.list() if one.kind != "message"}
    assert told == {
        "chatgpt:user-profile": ("I am Ada.", "memory"), "chatgpt:user-instructions": ("Be brief.", "instruction"),
    }  # fmt: skip
    assert [one.text for one in memory.list(session="new", kinds=["message"], order="position")] == [
        "[image]\nPlan it.", "[canvas: Plan]\nDig.\nPlant.", "And this?\n[file: bed.pdf]",
    ]  # fmt: skip


def test_what_is_too_long_for_a_message_of_chatgpt_or_gemini_comes_whole_in_several(
    memory: Memory, tmp_path: Path
) -> None:
    long = "".join(f"line {number}: the pump hums\n" for number in range(6_000)).strip()
    canvas: Json = {"content_type": "code", "text": json.dumps({"name": "Plan", "content": long})}
    said: list[Json] = [
        {"author": {"role": "user"}, "content": {"parts": [long]}},
        {"author": {"role": "assistant"}, "content": canvas, "recipient": "canmore.create_textdoc"},
        {"author": {"role": "assistant"}, "content": {"parts": ["There it is."]}},
    ]
    nodes: Json = {
        f"{at}": {"message": one, "parent": f"{at - 1}", "children": [f"{at + 1}"]} for at, one in enumerate(said)
    }
    row: Json = {**ACTIVITY[0], "title": f"Prompted {long}", "safeHtmlItem": [{"html": f"<pre>{long}</pre>"}]}
    talks = put(tmp_path / "talks" / "conversations.json", [{"id": "c-3", "current_node": "2", "mapping": nodes}])
    for path, asked, answer in (
        (talks, long, f"[canvas: Plan]\n{long}\nThere it is."),
        (put(tmp_path / "MyActivity.json", [{**ACTIVITY[0], "time": "2026-03-04T00:00:00Z"}, row]), long, long),
    ):
        (done,) = memory.import_(path)
        held = [one for one in memory.list(kinds=["message"], order="position") if len(one.text) > 1_000]
        told = {role: "\n".join(one.text for one in held if one.role == role) for role in ("user", "assistant")}
        assert (told["user"], answer in told["assistant"], done.problems) == (asked, True, ())
        assert max(len(one.text) for one in held) <= 100_000
        assert memory.import_(path)[0].records == 0
        for one in held:
            memory.forget(one.id)


@pytest.mark.parametrize("size", [1_001, 65_536, 700_001])
@pytest.mark.parametrize("ends", ["x", "\\", '"', "ä"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_export_is_told_by_its_fields_whatever_long_text_stands_before_them(
    size: int, ends: str, encoding: str, memory: Memory, tmp_path: Path
) -> None:
    long = ends * size
    at = "2026-01-01T10:00:00Z"
    chat: Json = {"uuid": "c-4", "name": "Tea", "summary": long, "created_at": at, "chat_messages": [
        {"sender": "human", "created_at": at, "text": "Which tea is best?"},
        {"sender": "assistant", "created_at": at,
         "content": [{"type": "tool_use", "name": "chart", "input": {"mapping": {"author": "x"}}}]},
    ]}  # fmt: skip
    row: Json = {"title": f"Prompted {long}", "header": "Gemini Apps", "time": at}
    node: Json = {"message": {"author": {"role": "user"}, "content": {"parts": ["And this?"]}}}
    talk: Json = {"id": "g-4", "title": long, "mapping": {"a": node}}
    for name, rows in (("claude", [chat]), ("gemini", [row]), ("chatgpt", [talk])):
        path = tmp_path / f"{name}.json"
        path.write_bytes(json.dumps(rows, ensure_ascii=False).encode(encoding))
        assert told_by(path) == name
        assert memory.import_(path, dry_run=True)[0].records > 0
        if encoding == "utf-8" and name != "gemini":
            assert knows_transcript(path.read_bytes())


def test_prompts_of_gemini_are_put_together_by_conversation(memory: Memory, tmp_path: Path) -> None:
    (done,) = memory.import_(make("gemini", tmp_path / "g"))
    assert done.problems == ("1 activity left out: it is no prompt",)
    said = memory.list(kinds=["message"], order="position")
    assert [(one.role, one.text) for one in said] == [
        ("user", "how long does tea steep?"), ("assistant", "Three minutes.\n\n- green: two"),
        ("user", "and black tea?"),
    ]  # fmt: skip
    assert said[0].event_time == datetime(2026, 3, 4, 5, 6, 7, 8000, UTC)


def test_the_names_of_files_sent_to_gemini_stand_beside_the_prompt_and_are_told(memory: Memory, tmp_path: Path) -> None:
    row = {**ACTIVITY[0], "attachedFiles": ["plan.pdf"], "imageFile": "pot.png"}
    (done,) = memory.import_(put(tmp_path / "MyActivity.json", [row]))
    assert done.problems == ("2 files left out: the export does not hold what is in it",)
    said = memory.list(kinds=["message"], order="position")[0].text
    assert said == "how long does tea steep?\n[file: plan.pdf]\n[file: pot.png]"


def test_a_takeout_of_gemini_comes_whatever_its_files_are_called_in_the_language_of_the_account(
    memory: Memory, tmp_path: Path
) -> None:
    prompt = "Eingegebener Prompt: Wie lange zieht Tee?"
    row = {"header": "Gemini-Apps", "title": prompt, "time": "2026-03-04T05:06:07Z", "products": ["Gemini-Apps"]}
    folder = tmp_path / "Takeout" / "Meine Aktivitäten" / "Gemini-Apps"
    put(folder / "MeineAktivitäten.json", [row])
    (folder / "tea.png").write_bytes(b"\x89PNG")
    (tmp_path / "Takeout" / "Archiv_Übersicht.html").write_text("<html>")
    assert [memory.import_(path, dry_run=True)[0].records for path in (tmp_path, folder)] == [1, 1]
    memory.import_(tmp_path)
    assert [record.text for record in memory.list(kinds=["message"])] == ["Wie lange zieht Tee?"]


def test_a_prompt_of_gemini_that_does_not_say_when_it_was_is_told_as_such(memory: Memory, tmp_path: Path) -> None:
    timeless = {name: value for name, value in ACTIVITY[1].items() if name != "time"}
    (done,) = memory.import_(put(tmp_path / "MyActivity.json", [ACTIVITY[0], timeless, ACTIVITY[2]]))
    assert done.problems == (
        "1 prompt left out: it does not say when it was", "1 activity left out: it is no prompt",
    )  # fmt: skip


@pytest.mark.parametrize("broken", [{}, {"mapping": None}])
def test_a_conversation_of_chatgpt_without_messages_is_left_out_and_the_others_come(
    broken: dict[str, Json], memory: Memory, tmp_path: Path
) -> None:
    path = put(tmp_path / "conversations.json", [{"id": "g-0", "title": "Lost", **broken}, *CHATGPT])
    (done,) = memory.import_(path)
    assert (done.records, done.problems) == (2, ("1 conversation left out: nothing is said in it",))


def test_a_number_that_is_the_id_of_a_memory_of_mem0_is_kept(memory: Memory, tmp_path: Path) -> None:
    memory.import_(put(tmp_path / "all.json", {"results": [{"id": 7, "memory": "Likes tea", "user_id": "ada"}]}))
    assert [one.id for one in memory.list()] == ["mem0:7"]


@pytest.mark.parametrize("name", COUNTS)
def test_files_that_are_cut_short_or_empty_give_an_error_or_what_they_hold(
    name: str, memory: Memory, tmp_path: Path
) -> None:
    path = make(name, tmp_path / "files")
    for number, share in enumerate((0, 0.3, 0.9)):
        copy = tmp_path / f"cut{number}"
        for file in [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]:
            there = copy / (file.name if path.is_file() else file.relative_to(path))
            there.parent.mkdir(parents=True, exist_ok=True)
            data = file.read_bytes()
            there.write_bytes(data[: int(len(data) * share)])
        with suppress(InvalidInput):  # nothing else is raised, and nothing is half done
            memory.import_(copy, origin=name)
        assert memory.check() == []


@pytest.mark.parametrize("origin", [None, "its own"])
@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("name", ["mem0", "mempalace", "mcp-memory-service", "claude-mem", "chatgpt", "claude"])
def test_a_database_or_archive_that_is_cut_off_is_told_as_damage(
    name: str, share: float, origin: str | None, memory: Memory, tmp_path: Path
) -> None:
    path = make(name, tmp_path / "files")
    for file in [path] if path.is_file() else list(path.iterdir()):
        file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    with pytest.raises(InvalidInput, match=r"cut off.*Nothing was taken"):
        memory.import_(path, origin=origin and name)
    assert memory.list() == []


def test_an_archive_with_a_damaged_file_in_it_is_told_as_such(memory: Memory, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([{"title": f"Talk {number}"} for number in range(1_000)]))
    data = bytearray((tmp_path / "export.zip").read_bytes())
    data[200:300] = bytes(100)
    (tmp_path / "export.zip").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"conversations\.json cannot be read"):
        memory.import_(tmp_path / "export.zip")


@pytest.mark.parametrize("damaged", [b"{broken", b"\0\0\0\0", b""])
@pytest.mark.parametrize("name", ["chatgpt", "claude", "gemini"])
def test_of_an_export_with_a_file_that_is_damaged_at_its_beginning_nothing_is_taken(
    name: str, damaged: bytes, memory: Memory, tmp_path: Path
) -> None:
    good: dict[str, Json] = {
        "chatgpt": branch("Which tea?", updated=1767200000), "gemini": [*ACTIVITY],
        "claude": [{"uuid": "c-5", "chat_messages": [{"sender": "human", "text": "Which tea?"}]}],
    }  # fmt: skip
    first, second = "conversations.json", "conversations-001.json"
    if name == "gemini":
        first, second = "Gemini Apps/MyActivity.json", "more/Gemini Apps/MyActivity.json"
    for held, broken in ((first, second), (second, first)):
        with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(held, json.dumps(good[name]))
            archive.writestr(broken, damaged)
        with pytest.raises(InvalidInput, match=r"is damaged or cut off.*Nothing was taken"):
            memory.import_(tmp_path / "export.zip")
        assert memory.list() == []
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(first, json.dumps(good[name]))
        archive.writestr(second, "[]")
    assert memory.import_(tmp_path / "export.zip")[0].records > 0


def test_a_space_cannot_be_named_for_what_names_its_own(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Ada wrote the first program.")
    memory.export(tmp_path / "a.jsonl")
    with pytest.raises(InvalidInput, match="space: is told by the file itself"):
        memory.import_(tmp_path / "a.jsonl", space="other")
    with pytest.raises(InvalidInput, match="'palm-pilot' is not known; there are: recollect, trusty-memory, agentos"):
        memory.import_(tmp_path / "a.jsonl", origin="palm-pilot")
    with pytest.raises(InvalidInput, match="holds nothing that mem0 writes"):
        memory.import_(tmp_path / "a.jsonl", origin="mem0")
    assert isinstance(memory.import_(tmp_path / "a.jsonl")[0], Imported)


@pytest.mark.parametrize(
    "value", ["plain", "a: b", "- dash", "true", "12", "", " x ", '“q” "w"', "#no", "[x]", "x\ny", "null"]
)
def test_front_matter_is_read_as_it_was_written(value: str) -> None:
    fields: dict[str, Json] = {"one": value, "many": [value, "two"], "number": 3, "truth": True, "none": None}
    found, body = split_front_matter(render_front_matter(fields) + "\nText.\n---\nMore.\n")
    assert (found["one"], found["many"], found["truth"]) == (value, [value, "two"], True)
    assert body == "Text.\n---\nMore.\n"


COFFEE = """---
title: Coffee
permalink: coffee
---

## Observations
- [method] Pour over takes three minutes #brewing
- [method] A French press takes four minutes
- [fact] Beans are from Peru
"""

EDITED = COFFEE.replace("three", "five").replace("- [method] A French press takes four minutes\n", "")


def texts(memory: Memory) -> list[str]:
    return sorted(one.text for one in memory.list(limit=500))


def bring(memory: Memory, path: Path) -> Imported:
    """What an import tells, which its dry run told before."""
    (tried,) = memory.import_(path, dry_run=True)
    (done,) = memory.import_(path)
    assert tried == done
    assert memory.check() == []
    return done


def write_note(path: Path, text: str, day: int) -> Path:
    put(path, text)
    os.utime(path, (1_700_000_000 + day * 86_400,) * 2)
    return path.parent


def test_an_observation_that_was_edited_there_is_a_new_version_and_one_that_is_gone_is_retired(
    memory: Memory, tmp_path: Path
) -> None:
    note = tmp_path / "notes" / "Coffee.md"
    assert bring(memory, write_note(note, COFFEE, 1)).records == 3
    edited = COFFEE.replace("three", "five").replace("- [fact] Beans are from Peru\n", "- [fact] The kettle is steel\n")
    done = bring(memory, write_note(note, edited, 2))
    assert (done.records, done.newer, done.removed, done.records_present) == (1, 1, 1, 1)
    said = ["A French press takes four minutes", "Pour over takes five minutes", "The kettle is steel"]
    assert texts(memory) == [f"Coffee: {one}" for one in said]
    again = bring(memory, note.parent)
    assert (again.records, again.newer, again.removed, again.records_present) == (0, 0, 0, 3)
    older = bring(memory, write_note(note, COFFEE, 1))
    assert (older.records, older.newer, older.removed) == (0, 0, 0)
    assert older.problems == ("2 memories left out: what is here of it is of a later time",)
    assert bring(memory, write_note(note, COFFEE, 3)).newer == 1
    assert texts(memory)[1:] == ["Coffee: Beans are from Peru", "Coffee: Pour over takes three minutes"]


def test_a_note_of_the_same_name_in_another_folder_takes_nothing_from_this_one(memory: Memory, tmp_path: Path) -> None:
    bring(memory, write_note(tmp_path / "one" / "Coffee.md", COFFEE, 1))
    other = COFFEE.replace("permalink: coffee", "permalink: other/coffee").replace("Beans are", "Tea is")
    done = bring(memory, write_note(tmp_path / "two" / "Coffee.md", other, 2))
    assert (done.newer, done.removed) == (0, 0)
    assert "Coffee: Beans are from Peru" in texts(memory)


@pytest.mark.parametrize("permalink", ["permalink: coffee\n", ""])
def test_a_note_that_was_only_moved_to_another_folder_brings_nothing_twice(
    permalink: str, memory: Memory, tmp_path: Path
) -> None:
    put(tmp_path / "notes" / "Tea.md", "---\ntitle: Tea\npermalink: tea\n---\n\nGreen.\n")
    said = f"---\ntitle: Coffee\n{permalink}---\n\nSee [[Water]].\n- [fact] Beans are from Peru\n- relates_to [[Tea]]\n"
    note = put(tmp_path / "notes" / "drinks" / "Coffee.md", said)
    first = bring(memory, tmp_path / "notes")
    assert (first.records, first.facts) == (3, 2)
    (tmp_path / "notes" / "hot").mkdir()
    note.rename(tmp_path / "notes" / "hot" / "Coffee.md")
    moved = bring(memory, tmp_path / "notes")
    assert (moved.records, moved.facts, moved.facts_present, moved.removed) == (0, 0, 2, 0)
    assert len(memory.facts("Coffee")) == 2


def test_a_moved_note_without_permalink_brings_back_nothing_that_was_forgotten_of_it(
    memory: Memory, tmp_path: Path
) -> None:
    put(tmp_path / "notes" / "Tea.md", "---\ntitle: Tea\npermalink: tea\n---\n\nGreen.\n")
    said = "---\ntitle: Coffee\n---\n\nIt is dark.\n- [fact] Beans are from Peru\n- [fact] It keeps me awake\n"
    note = put(tmp_path / "notes" / "drinks" / "Coffee.md", said)
    bring(memory, tmp_path / "notes")
    held = {one.text: one.id for one in memory.list()}
    memory.forget(held["Coffee: Beans are from Peru"])
    for folder, gone in (
        ("hot", ["Coffee: Beans are from Peru"]),
        ("cold", ["Coffee: It keeps me awake", "It is dark."]),
    ):
        (tmp_path / "notes" / folder).mkdir()
        note = note.rename(tmp_path / "notes" / folder / "Coffee.md")
        moved = bring(memory, tmp_path / "notes")
        assert (moved.records, held["Coffee: Beans are from Peru"] in moved.forgotten) == (0, True)
        for text in {*gone} & {*texts(memory)}:
            memory.forget(held[text])
    assert bring(memory, tmp_path / "notes").records == 0
    assert texts(memory) == ["Green."]
    other = said.replace("Peru", "Chile").replace("dark", "hot")  # another note that is called so
    put(tmp_path / "notes" / "more" / "Coffee.md", other)
    assert bring(memory, tmp_path / "notes").records == 2


def test_what_was_changed_here_stays_when_its_part_was_edited_there(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "notes" / "Coffee.md"
    bring(memory, write_note(note, COFFEE, 1))
    here = next(one for one in memory.list() if "three" in one.text)
    memory.revise(here.id, "Coffee: Pour over takes six minutes")
    done = bring(memory, write_note(note, COFFEE.replace("three", "five"), 2))
    assert (done.newer, done.removed, done.records) == (0, 0, 0)
    assert done.problems == ("1 memory left out: it says something else here, which is kept",)
    assert "Coffee: Pour over takes six minutes" in texts(memory)
    gone = bring(memory, write_note(note, COFFEE.replace("- [method] Pour over takes three minutes #brewing\n", ""), 3))
    assert gone.removed == 0
    assert "Coffee: Pour over takes six minutes" in texts(memory)


def test_a_paragraph_that_claude_rewrote_is_a_new_version_of_the_one_that_came_before(
    memory: Memory, tmp_path: Path
) -> None:
    def told(work: str, orchard: str, account: str = "a") -> Path:
        held = {"conversations_memory": f"**Work**\n\n{work}\n\nShe prefers mornings.",
                "project_memories": {"p": orchard}, "account_uuid": account}  # fmt: skip
        return put(tmp_path / "memories.json", [held])

    bring(memory, told("Ada builds engines in Leeds.", "The orchard has ten trees."))
    done = bring(memory, told("Ada builds engines in York.", "The orchard has twelve trees."))
    assert (done.records, done.newer, done.removed, done.records_present) == (0, 2, 0, 1)
    said = ["The orchard has twelve trees.", "Work: Ada builds engines in York.", "Work: She prefers mornings."]
    assert texts(memory) == said
    other = bring(memory, told("Tom bakes bread.", "The bakery opens at six.", "b"))
    assert (other.newer, other.removed) == (0, 0)


@pytest.mark.parametrize("field", ["chroma:document", "room", "last_modified"])
def test_a_drawer_that_was_edited_is_a_new_version_though_it_says_no_later_time(
    memory: Memory, tmp_path: Path, field: str
) -> None:
    palace = unpack(tmp_path / "palace", "chroma.sqlite3.gz")
    bring(memory, palace)
    with closing(sqlite3.connect(palace / "chroma.sqlite3")) as held, held:
        was = held.execute("select string_value from embedding_metadata where id = 1 and key = ?", (field,)).fetchone()
        change = "update embedding_metadata set string_value = ? where id = 1 and key = ?"
        held.execute(change, ("2026-11-18T00:00:00" if field == "last_modified" else "kept cool", field))
    done = bring(memory, palace)
    assert (done.records, done.newer) == (0, 0 if field == "last_modified" else 1)
    if field != "last_modified":
        with closing(sqlite3.connect(palace / "chroma.sqlite3")) as held, held:
            held.execute(change, (*was, field))
        assert bring(memory, palace).newer == 0  # what was here before is no later than what is here


def test_a_memory_of_mcp_memory_service_follows_its_tags_and_what_took_its_place(
    memory: Memory, tmp_path: Path
) -> None:
    folder = unpack(tmp_path / "files", "mms.db.gz")
    bring(memory, folder)
    with closing(sqlite3.connect(folder / "mms.db")) as held, held:
        held.execute("update memories set tags = 'ops,friday', updated_at = updated_at + 60 where id = 1")
    assert bring(memory, folder).newer == 1
    with closing(sqlite3.connect(folder / "mms.db")) as held, held:
        held.execute(
            "insert into memories(content_hash, content, tags, memory_type, metadata, created_at, updated_at)"
            " values('bbbb', 'Deploys happen on Fridays', 'ops', 'note', '{}', 1800000000, 1800000000)"
        )
        held.execute("update memories set superseded_by = 'bbbb' where id = 1")
    for newer in (1, 0):
        done = bring(memory, folder)
        assert (done.records, done.newer, done.removed) == (0, newer, 0)
        assert "1 memory left out: another has taken its place there" in done.problems
    assert texts(memory) == ["Deploys happen on Fridays", "Use RS256 for tokens"]


def test_a_dry_run_counts_what_a_file_holds_twice_as_the_import_does(memory: Memory, tmp_path: Path) -> None:
    rows: list[Json] = [
        {"id": f"m{number}", "memory": f"Number {number % 150}", "user_id": "a", "hash": "x", "categories": ["one"]}
        for number in range(300)
    ]
    file = put(tmp_path / "mem0.json", rows)
    done = bring(memory, file)
    assert (done.records, done.records_present) == (150, 0)
    assert done.problems == ("150 memories left out: it is told there more than once",)
    put(file, json.loads(file.read_text().replace('["one"]', '["two"]')))
    assert bring(memory, file).newer == 150
    assert {one.tags for one in memory.list(limit=500)} == {("two",)}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_files_in_another_encoding_of_unicode_are_read_as_what_they_say(
    memory: Memory, tmp_path: Path, encoding: str
) -> None:
    def wide(text: str) -> bytes:
        return (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.replace("\n", "\r\n").encode(encoding)

    row: Json = {"id": "m1", "memory": "Zoë likes coffee.", "user_id": "a", "hash": "x"}
    (tmp_path / "mem0.json").write_bytes(wide(json.dumps([row], ensure_ascii=False)))
    assert bring(memory, tmp_path / "mem0.json").records == 1
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Coffee.md").write_bytes(wide(COFFEE.replace("Peru", "Perú")))
    (tmp_path / "notes" / "Old.md").write_bytes("---\npermalink: old\n---\n\nCafé.\n".encode("latin-1"))
    done = bring(memory, tmp_path / "notes")
    assert done.problems == ("1 note left out: it is not UTF-8 text",)
    assert {"Zoë likes coffee.", "Coffee: Beans are from Perú"} <= {*texts(memory)}


def test_parts_that_came_before_wholes_were_noted_are_known_again_and_not_doubled(
    memory: Memory, tmp_path: Path
) -> None:
    note = tmp_path / "notes" / "Coffee.md"
    bring(memory, write_note(note, COFFEE, 1))
    with memory.core.store.write(actor=None) as edit:
        edit.keep(WHOLES, dict.fromkeys(edit.kept(WHOLES, space="default")), space="default")
    done = bring(memory, write_note(note, EDITED, 2))
    assert (done.records, done.newer, done.removed, done.records_present) == (0, 1, 1, 1)
    bring(memory, write_note(note, COFFEE, 3))
    assert len(memory.list()) == 3
    assert bring(memory, note.parent).records_present == 3


def test_an_import_that_retired_and_renewed_is_taken_back_as_one(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "notes" / "Coffee.md"
    bring(memory, write_note(note, COFFEE, 1))
    before = texts(memory)
    bring(memory, write_note(note, EDITED, 2))
    memory.undo(next(iter(memory.acts())), whole=True)
    assert texts(memory) == before
    assert memory.check() == []
