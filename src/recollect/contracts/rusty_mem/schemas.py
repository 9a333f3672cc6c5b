"""What does a client read about the tools of rusty-mem, and in which form does it hand arguments over?"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.contracts.rusty_mem.params import PROVIDERS, STRATEGIES, Defaults
from recollect.types import MEMORY_TYPES, Json

Schema = Mapping[str, Json]

INSTRUCTIONS = (
    "Use this server to index, search, and summarize project memories for agents. Index source text, then retrieve"
    " concise context via semantic search with project/type/tag/time filters; summarize time‑bounded entries when"
    " needed."
)
DESCRIPTIONS: Mapping[str, str] = {
    "search": (
        "Find the memories that answer a question. Keep `query_text` concise (≤ 512 chars) and prefer filters for"
        " precision: project, type, tags (any of them) and time. Answers the matches, best first, with their scores,"
        " and `context`: the same as a text ready for a prompt, with [id] citations."
    ),
    "push": (
        "Index a document: it is split into chunks of 256 to 1,024 tokens, and each is stored once. Push the same text"
        " again without harm: chunks that the project holds are skipped, or updated where tags or source_uri are new."
        " Use this instead of pasting long texts into prompts."
    ),
    "summarize": (
        "Consolidate what happened within a time range (episodic memories, unless told otherwise) into one semantic"
        " summary that names the memories it was made of. The summary is stored; asking again for the same memories"
        " answers the same one. `extractive` picks their own sentences, `abstractive` has a language model write."
    ),
    "get-collections": "List the collections that there are. Each is a memory of its own, with its own projects.",
    "new-collection": (
        "Make sure that a collection exists. Everything in it is kept if it does. `vector_size` may only be the"
        " dimension of the embedder in use."
    ),
    "metrics": "Say how many documents and chunks were indexed so far, and how large the last chunks could be.",
}
TITLES: Mapping[str, str] = {
    "search": "Search Memories",
    "push": "Index Document",
    "summarize": "Summarize Memories",
    "get-collections": "List Collections",
    "new-collection": "Create/Resize Collection",
    "metrics": "Metrics Snapshot",
}


def _object(properties: dict[str, Json], *required: str) -> Schema:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _text(description: str, **more: Json) -> Json:
    return {"type": "string", "description": description, **more}


def _time_range(description: str, *required: str) -> Json:
    bounds: dict[str, Json] = {
        "start": {"type": "string", "format": "date-time"},
        "end": {"type": "string", "format": "date-time"},
    }
    return {**_object(bounds, *required), "additionalProperties": False, "description": description}


def _tags(description: str) -> Json:
    return {"type": "array", "items": {"type": "string", "minLength": 1}, "description": description}


def write_schemas(defaults: Defaults) -> Mapping[str, Schema]:
    """The input schema of each tool; defaults and limits are those of the server."""
    collection = _text("Collection to use.", default=defaults.collection)
    project = _text("Project inside the collection.", default="default")
    kinds: list[Json] = list(MEMORY_TYPES)
    return {
        "search": _object(
            {
                "query_text": _text("What to search for, at most 512 characters if possible."),
                "project_id": {**_mapping(project), "description": "Project to search; also accepted as `project`."},
                "memory_type": _text("Only memories of this type; also accepted as `type`.", enum=kinds),
                "tags": _tags("Only memories with any of these tags."),
                "time_range": _time_range("Only memories of this time: RFC3339, one bound or both."),
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": defaults.max_limit, "default": defaults.limit,
                    "description": "How many results at most; also accepted as `k`.",
                },
                "score_threshold": {
                    "type": "number", "minimum": 0.0, "maximum": 1.0, "default": defaults.score_threshold,
                    "description": "Leave out what scores less.",
                },
                "collection": collection,
            },
            "query_text",
        ),
        "push": _object(
            {
                "text": _text("Document contents to index."),
                "collection": collection,
                "project_id": project,
                "memory_type": _text("What kind of memory it is.", enum=kinds, default="semantic"),
                "tags": _tags("Tags for each chunk."),
                "source_uri": _text("File path or URL that the text comes from."),
            },
            "text",
        ),
        "summarize": _object(
            {
                "project_id": project,
                "memory_type": _text("The type of memories to summarize.", enum=kinds, default="episodic"),
                "tags": _tags("Only memories with any of these tags."),
                "time_range": _time_range("The time to summarize: RFC3339, both bounds.", "start", "end"),
                "limit": {
                    "type": "integer", "minimum": 1, "maximum": defaults.max_limit,
                    "default": min(50, defaults.max_limit), "description": "How many memories at most, the newest.",
                },
                "strategy": _text("How to summarize.", enum=list(STRATEGIES), default="auto"),
                "provider": _text("Whose model writes an abstractive summary.", enum=list(PROVIDERS)),
                "model": _text("The provider's model."),
                "max_words": {
                    "type": "integer", "minimum": 1, "default": defaults.max_words,
                    "description": "The most words that the summary may have.",
                },
                "collection": collection,
            },
            "time_range",
        ),
        "get-collections": _object({}),
        "new-collection": _object(
            {
                "name": _text("Name of the collection."),
                "vector_size": {
                    "type": "integer", "minimum": 1, "description": "Vector dimension (default: the embedder's).",
                },
            },
            "name",
        ),
        "metrics": _object({}),
    }  # fmt: skip


def _mapping(schema: Json) -> Mapping[str, Json]:
    assert isinstance(schema, Mapping)
    return schema
