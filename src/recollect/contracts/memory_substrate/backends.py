"""Which engines was memory asked to use, and which really serve?

`file`, `kuzu` and `lancedb` name engines of another server. They are accepted and recorded with the space; Recollect's
own graph and vectors serve in their place, and every answer that names a backend says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.contracts.memory_substrate import schemas as s
from recollect.contracts.memory_substrate import view as v
from recollect.contracts.memory_substrate.answers import answer
from recollect.contracts.memory_substrate.objects import Objects
from recollect.contracts.tool import Call
from recollect.engine.care.indexes import compare_indexes
from recollect.engine.memory import Memory
from recollect.engine.read.stats import tally
from recollect.types import Json, Metadata

KEPT_AS = "memory_substrate"
"""Where the space's metadata records what was configured."""
_SERVES = "recollect"


def read_config(objects: Objects) -> dict[str, Json]:
    """What was configured for a space; None stands for a backend that nobody named."""
    kept: Mapping[str, Json] = v.mapping_in(_metadata(objects), KEPT_AS)
    return {"graph_backend": kept.get("graph_backend"), "semantic_backend": kept.get("semantic_backend")}


def _metadata(objects: Objects) -> Metadata:
    memory, space = objects.memory, objects.space
    return memory.describe_space(space)[0].metadata if memory.has_space(space) else {}


def configure(objects: Objects, given: s.ConfigureInput, options: s.Apply, call: Call) -> dict[str, object]:
    """Records the named backends with the space; what is not named stays as it was."""
    memory, before = objects.memory, read_config(objects)
    named = {"graph_backend": given.graph_backend, "semantic_backend": given.semantic_backend}
    config = {name: value or before[name] for name, value in named.items()}
    if config != before:
        memory.create_space(objects.space, metadata={**_metadata(objects), KEPT_AS: config})
    warnings = [] if any(named.values()) else ["Nothing was named: give graph_backend, semantic_backend or both."]
    data = {
        "status": "noop" if config == before else "completed",
        "config": config,
        "engines": engines(memory, config["graph_backend"], config["semantic_backend"]),
    }
    return answer("maintain_configure_result", data, warnings)


def engines(memory: Memory, graph: Json, semantic: Json) -> dict[str, object]:
    """Beside each backend that was asked for, the engine that serves."""
    state = memory.semantics.state()
    return {
        "graph": {"requested": graph, "serving": _SERVES, "note": "the store's own relations and references"},
        "semantic": {
            "requested": semantic,
            "serving": _SERVES if state.state != "none" else None,
            "model": state.model,
            "note": "the store's own vectors" if state.state != "none" else "no embedding model is configured",
        },
    }


def derived_indexes(objects: Objects) -> dict[str, dict[str, object]]:
    """What the indexes hold of what they should hold; both sides are counted."""
    memory, space, config = objects.memory, objects.space, read_config(objects)
    held = tally(memory.core, space=space)
    enabled = memory.semantics.state().state != "none"
    found = compare_indexes(memory.core, space)
    lexical = _index(_SERVES, found.records, found.worded)
    return {
        "graph": {
            "backend": config["graph_backend"],
            **_index(_SERVES, sum(found.referring.values()), sum(found.followed.values())),
            "missing_by_type": {name: count - found.followed[name] for name, count in found.referring.items()},
        },
        "lexical": lexical if found.fresh else {**lexical, "status": "rebuilding"},
        "semantic": {
            "backend": config["semantic_backend"],
            **_index(_SERVES if enabled else None, held.records if enabled else 0, held.vectors if enabled else 0),
            **({} if enabled else {"status": "disabled"}),
        },
    }


def _index(engine: str | None, records: int, indexed: int) -> dict[str, object]:
    missing = max(records - indexed, 0)
    return {
        "engine": engine, "status": "incomplete" if missing else "current", "records": records, "indexed": indexed,
        "missing": missing,
    }  # fmt: skip
