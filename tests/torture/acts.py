"""What is done to a memory while things go wrong: tables of acts, and what each promises once it is acknowledged.

In an act, `{new}` is a mark that is nowhere yet, `{id}` a record that is known and whose mark is `{old}`, `{path}` a
folder of its own, `{home}` the memory's, `{place}` what keeps it, `{got}` what the step before answered as `get`. A
mark stands in the text of a record, the name of an entity or the predicate of a fact. Acknowledged, every new mark is
there `leaves` times, and the old one, where the act `takes` it, no more. Until then both may be so or so, and never
twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

SAID = "The {new} was seen {new:words}."
"""Texts that differ in more than their mark, so that nothing takes two for one."""


class Act(NamedTuple):
    """Something that a person types: one command, or some in a row, of which the last may be torn."""

    steps: tuple[tuple[str, ...], ...]
    marks: int = 1
    leaves: int = 1
    takes: bool = False
    get: str = ""
    """Which field of a step's answer the next one is given."""
    files: Mapping[str, str] = {}  # what lies in {path} before
    stdin: str = ""
    again: bool = True
    """May it be asked for again, if it failed, and is it done once then?"""
    quiet: bool = False
    """Does it end with 0 whatever happened? Then only what was not torn has promised something."""
    steady: bool = False
    """Does it take out what is old, so that it is not done where clocks jump?"""
    alone: bool = False
    """May what others do meanwhile have it refused, or do nothing?"""
    files_only: bool = False
    """Is it of stores in a file alone?"""


class Call(NamedTuple):
    """A tool that an agent calls over stdio. Those of a contract are called in their order, in one session."""

    tool: str
    arguments: Mapping[str, Any]
    marks: int = 0
    leaves: int = 1
    takes: bool = False
    """Does the mark of the call before go?"""
    get: str = ""
    """Which field of the answer names what was made, for the calls after it."""


def _one(*argv: str, **more: Any) -> Act:
    return Act((argv,), **{"marks": sum("{new}" in word for word in argv), **more})


_TURN = {
    "session_id": "{new}", "transcript_path": "{path}/talk.jsonl", "cwd": "/", "hook_event_name": "Stop",
    "stop_hook_active": False,
}  # fmt: skip
_TALK = "\n".join(
    json.dumps({
        "type": role, "sessionId": "{new}", "timestamp": "2026-05-10T12:00:00Z",
        "message": {"role": role, "content": text},
    })
    for role, text in (("user", "What was seen {new:words}?"), ("assistant", SAID))
)  # fmt: skip
_REMEMBERED = ("remember", SAID, "--json")
_PYTHON = "def {new}():\n    return 'what was seen {new:words}'\n"

CLI: Mapping[str, Act] = {
    "remember": _one("remember", SAID),
    "revise": _one("revise", "{id}", SAID, takes=True),
    "forget": _one("forget", "{id}", "--yes", takes=True, again=False),
    "promote": Act((_REMEMBERED, ("contest", "{got}"), ("promote", "{got}")), get="id", again=False),
    "contest": _one("contest", "{id}", "--reason", "somebody said otherwise"),
    "undo": Act((_REMEMBERED, ("undo", "{got}")), leaves=0, get="entry", again=False),
    "relate": _one("relate", "Ada", "{new}", "the Engine"),
    "ingest": Act((("ingest", "{path}/page.md", "--later"),), files={"page.md": f"# A page\n\n{SAID}\n"}),
    "index": Act((("index", "{path}", "--later"),), files={"seen.py": _PYTHON}),
    "projects delete": Act(
        (("index", "{path}", "--later", "--json"), ("projects", "delete", "{got}", "--yes")), leaves=0, get="id",
        files={"seen.py": _PYTHON}, again=False,
    ),
    "import": Act(
        (
            ("remember", SAID, "--home", "{path}/other"),
            ("export", "{path}/other.jsonl", "--home", "{path}/other"),
            ("import", "{path}/other.jsonl", "--later"),
        ),
        again=False,
    ),
    "import from elsewhere": Act(
        (("import", "{path}/memory.jsonl", "--later"),),
        files={
            "memory.jsonl": json.dumps(
                {"type": "entity", "name": "Ada", "entityType": "person", "observations": [SAID]}
            )
            + "\n"
        },
    ),
    "export": Act((("export", "{path}/all.jsonl"), ("import", "{path}/all.jsonl", "--dry-run")), marks=0, again=False),
    "backup": Act(
        (("backup", "{path}/copy.db"), ("restore", "{path}/copy.db", "--home", "{path}/back"),
         ("doctor", "--home", "{path}/back")),
        marks=0, again=False, files_only=True,
    ),
    "move": Act(
        (("move", "--from", "{place}", "--to", "{path}/moved"), ("doctor", "--home", "{path}/moved")), marks=0,
        again=False, alone=True,
    ),
    "sync": Act((("sync", "{home}-notes", "--yes"),), marks=0, alone=True),
    "sync a file": Act(
        (("sync", "{home}-notes", "--yes"),), files={"../{home}-notes/{new}.md": f"{SAID}\n"}, alone=True
    ),
    "hook": Act(
        (("resume",), ("hook", "claude", "Stop", "--now")), stdin=json.dumps(_TURN), files={"talk.jsonl": _TALK},
        quiet=True, alone=True,
    ),
    "summarize": _one("summarize", "--strategy", "extractive"),
    "dream": _one("dream", "--budget", "1", steady=True, alone=True),
    "embed": _one("embed", again=False),
    "reindex": _one("reindex"),
    "compact": _one("compact", files_only=True, alone=True),
    "doctor": _one("doctor", "--secrets"),
    "pause": _one("pause", "--for", "30m", again=False),
    "resume": _one("resume"),
    "connect": _one("connect", "cursor", "--yes", alone=True),
    "disconnect": Act(
        (("connect", "cursor", "--yes"), ("disconnect", "cursor", "--yes")), marks=0, again=False, alone=True
    ),
    "plugin": _one("plugin", "{path}/plugins"),
    "spaces create": _one("spaces", "create", "litter", "--description", "Of no worth."),
    "spaces delete": Act(
        (("remember", SAID, "--space", "litter-{n}"), ("spaces", "delete", "litter-{n}", "--yes")), leaves=0,
        again=False,
    ),
    "spaces identity": _one("spaces", "identity", "default", "Notes of one who is tortured."),
    "spaces secrets": _one("spaces", "secrets", "default", "mask"),
    "spaces steer": _one("spaces", "steer", "default", "--capture"),
    "maintain evict": Act(
        (
            ("remember", SAID, "--space", "litter-{n}"),
            ("maintain", "evict", "--space", "litter-{n}", "--cap", "0", "--delete"),
        ),
        leaves=0, again=False, steady=True,
    ),
    "maintain consolidate": _one("maintain", "consolidate"),
    "maintain thin": Act(
        (
            ("remember", SAID, "--space", "old-{n}"),
            ("remember", "It was said otherwise.", "--id", "old-{n}", "--space", "old-{n}"),
            ("revise", "old-{n}", "Said for good.", "--space", "old-{n}"),
            ("maintain", "thin", "--space", "old-{n}", "--older-than", "0m"),
        ),
        again=False, steady=True,
    ),
    "token create": _one("token", "create", "--all-spaces"),
    "token revoke": Act(
        (("token", "create", "--all-spaces", "--json"), ("token", "revoke", "{got}")), marks=0, get="id", again=False
    ),
}  # fmt: skip
"""Every command that writes something."""
READS = frozenset(
    {
        "recall", "brief", "list", "show", "history", "journal", "explore", "search-code", "stats", "status", "watch",
        "open", "welcome", "spaces list", "spaces describe", "projects list", "token list", "serve", "up", "restore",
        "maintain merge",
    }
)  # fmt: skip
"""Commands that are no acts: they write nothing, serve (which the calls below do), are part of another act, or need a
model."""

_KNOW = {
    "kind": "fact", "title": "What was seen", "summary": SAID, "reason": "It guides later work.",
    "memory_source": "user_declared", "scope_refs": ["scope:project"],
}  # fmt: skip
CALLS: Mapping[str, tuple[Call, ...]] = {
    "native": (
        Call("remember", {"text": SAID}, 1, get="id"),
        Call("revise", {"id": "{got}", "text": SAID}, 1, takes=True, get="id"),
        Call("relate", {"subject": "Ada", "predicate": "{new}", "object": "the Engine"}, 1),
        Call("ingest", {"text": SAID, "source": "{new}.md"}, 1),
        Call("hook", {"prompt": "What was seen?", "session": "{new}"}),
        Call("remember", {"text": SAID}, 1, get="id"),
        Call("forget", {"id": "{got}"}, takes=True),
    ),
    "trusty-memory": (
        Call("palace_create", {"name": "attic"}),
        Call("memory_remember", {"palace": "attic", "text": SAID}, 1),
        Call("kg_assert", {"palace": "attic", "subject": "Ada", "predicate": "{new}", "object": "the Engine"}, 1),
        Call("memory_remember", {"palace": "attic", "text": SAID}, 1, get="drawer_id"),
        Call("memory_forget", {"palace": "attic", "drawer_id": "{got}"}, takes=True),
    ),
    "memory-mcp": (
        Call("store_memory", {"content": SAID}, 1, get="id"),
        Call("update_memory", {"id": "{got}", "content": SAID}, 1, takes=True, get="id"),
        Call("invalidate", {"id": "{got}", "reason": "It was long ago."}),
        Call("create_entity", {"name": "{new}"}, 1),
        Call("create_entity", {"name": "Ada"}),
        Call("create_entity", {"name": "Engine"}),
        Call("create_relation", {"from_entity": "Ada", "to_entity": "Engine", "relation_type": "{new}"}, 1),
        Call("store_memory", {"content": SAID}, 1, get="id"),
        Call("delete_memory", {"id": "{got}"}, takes=True),
        Call("index_project", {"path": "{path}"}, get="project_id"),
        Call("delete_project", {"project_id": "{got}"}),
    ),
    "memory-mcp --space emptied-{n}": (
        Call("store_memory", {"content": SAID}, 1, get="id"),
        Call("reset_all_memory", {"confirm": True}, takes=True),
    ),
    "memory-substrate": (
        Call("memory_ingest", {"args": {"mode": "conversation", "input_data": {
            "title": "What was seen", "messages": [{"role": "user", "content": SAID}],
        }}}, 1),
        Call("memory_remember", {"args": {"mode": "knowledge", "input_data": _KNOW}}, 1),
        Call("memory_maintain", {"args": {"mode": "decay_stale", "input_data": {}, "options": {"apply": True}}}),
    ),
    "rusty-mem": (
        Call("new-collection", {"name": "seen"}),
        Call("push", {"text": SAID, "project_id": "home", "memory_type": "episodic"}, 1),
        Call("push", {"text": SAID, "project_id": "home", "collection": "seen"}, 1),
        Call("summarize", {
            "project_id": "home", "strategy": "extractive",
            "time_range": {"start": "2001-01-01T00:00:00Z", "end": "2199-01-01T00:00:00Z"},
        }),
    ),
    "agentos": (
        Call("memory_kg_add", {"entity": {"id": "thing:{new}", "type": "thing"}}, 1),
        Call("memory_store", {"content": SAID, "agentId": "a", "sessionId": "{new}"}, 1),
        Call("memory_session_repair", {"sessionId": "{new}", "agentId": "a"}),
        Call("memory_session_compact", {"sessionId": "{new}", "agentId": "a"}),
        Call("memory_consolidate", {}),
        Call("memory_evict", {"maxAge": 1e15, "minImportance": 0, "cap": 100_000}),
    ),
}  # fmt: skip
"""Every tool of every contract that writes something, by what `serve --as` is given."""
