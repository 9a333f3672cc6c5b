"""What may be given to the tools of rusty-mem? Defaults and limits are those of the server."""

from __future__ import annotations

from msgspec import Struct

from recollect.contracts.rusty_mem import arguments as a
from recollect.types import MEMORY_TYPES, MemoryType

DEFAULT_PROJECT = "default"
STRATEGIES = ("auto", "abstractive", "extractive")
PROVIDERS = ("ollama", "none")
_MOST_WORDS = 100_000
_MOST_DIMENSIONS = 2**31


class Defaults(Struct, frozen=True, kw_only=True):
    """What a server assumes where a call says nothing, and how far a call may go."""

    collection: str = "rusty-mem"
    limit: int = 5
    max_limit: int = 50
    score_threshold: float = 0.25
    max_words: int = 250
    dimension: int | None = None


class Nothing(Struct, frozen=True, kw_only=True):
    """No arguments."""


class Search(Struct, frozen=True, kw_only=True):
    query_text: str
    project_id: str
    memory_type: MemoryType | None
    tags: tuple[str, ...]
    time_range: a.TimeRange | None
    limit: int
    score_threshold: float
    collection: str | None


def search_arguments(server: Defaults) -> a.Arguments:
    return {
        "query_text": a.text("What to search for, at most 512 characters if possible."),
        "project_id": a.project("Project to search; also accepted as `project`.", DEFAULT_PROJECT),
        "memory_type": a.choice("Only memories of this type; also accepted as `type`.", MEMORY_TYPES),
        "tags": a.tags("Only memories with any of these tags."),
        "time_range": a.time_range("Only memories of this time: RFC3339, one bound or both.", both=False),
        "limit": a.count("How many results at most; also accepted as `k`.", server.limit, server.max_limit),
        "score_threshold": a.share("Leave out what scores less.", server.score_threshold),
        "collection": a.label("Collection to use.", default=server.collection),
    }


class Push(Struct, frozen=True, kw_only=True):
    """`memory_type` and `source_uri` are None, and `tags` empty, where nothing was said of them."""

    text: str
    collection: str | None
    project_id: str
    memory_type: MemoryType | None
    tags: tuple[str, ...]
    source_uri: str | None


def push_arguments(server: Defaults) -> a.Arguments:
    return {
        "text": a.text("Document contents to index."),
        "collection": a.label("Collection to use.", default=server.collection),
        "project_id": a.project("Project inside the collection.", DEFAULT_PROJECT),
        "memory_type": a.choice("What kind of memory it is.", MEMORY_TYPES, told="semantic"),
        "tags": a.tags("Tags for each chunk."),
        "source_uri": a.label("File path or URL that the text comes from."),
    }


class Summarize(Struct, frozen=True, kw_only=True):
    project_id: str
    memory_type: MemoryType
    tags: tuple[str, ...]
    time_range: a.TimeRange
    limit: int
    strategy: str
    provider: str | None
    model: str | None
    max_words: int
    collection: str | None


def summarize_arguments(server: Defaults) -> a.Arguments:
    most = server.max_limit
    return {
        "project_id": a.project("Project inside the collection.", DEFAULT_PROJECT),
        "memory_type": a.choice("The type of memories to summarize.", MEMORY_TYPES, "episodic"),
        "tags": a.tags("Only memories with any of these tags."),
        "time_range": a.time_range("The time to summarize: RFC3339, both bounds.", both=True),
        "limit": a.capped(f"How many memories at most, the newest; {most} where more are asked for.", 50, most),
        "strategy": a.choice("How to summarize.", STRATEGIES, "auto"),
        "provider": a.choice("Whose model writes an abstractive summary.", PROVIDERS),
        "model": a.label("The provider's model."),
        "max_words": a.positive("The most words that the summary may have.", _MOST_WORDS, server.max_words),
        "collection": a.label("Collection to use.", default=server.collection),
    }


class NewCollection(Struct, frozen=True, kw_only=True):
    name: str
    vector_size: int | None


NEW_COLLECTION: a.Arguments = {
    "name": a.label("Name of the collection.", required=True),
    "vector_size": a.positive("Vector dimension (default: the embedder's).", _MOST_DIMENSIONS),
}
