"""One long-term memory for all of a person's AI agents.

import recollect

with recollect.open() as memory:
    memory.remember("The gateway validates tokens with RS256.", tags=["auth"])
    for hit in memory.recall("how are tokens checked?"):
        print(hit.score, hit.record.text, hit.why)
"""

from recollect.config import Settings, load_settings
from recollect.engine.memory import Memory
from recollect.engine.memory import open_memory as open
from recollect.errors import (
    Cancelled,
    CompleterError,
    ConfigError,
    Conflict,
    EmbedderError,
    InvalidInput,
    NewerStore,
    NotAStore,
    NotFound,
    ReadOnlyStore,
    RecollectError,
    StoreBusy,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.types import (
    Appraised,
    Change,
    Compaction,
    Condensed,
    Draft,
    Dream,
    EmbeddingState,
    Entity,
    Fact,
    FileProblem,
    Hit,
    Imported,
    Ingested,
    Merge,
    Message,
    Neighborhood,
    Past,
    Project,
    ProjectStatus,
    Recall,
    Receipt,
    Record,
    Relation,
    Repair,
    Sampled,
    Scored,
    Session,
    Signals,
    Space,
    SpaceStats,
    SpaceTally,
    Spending,
    Summary,
    Upkeep,
    Weighed,
    Why,
)  # fmt: skip
from recollect.version import __version__

__all__ = [
    "Appraised", "Cancelled", "Change", "Compaction", "CompleterError", "Condensed", "ConfigError", "Conflict",
    "Draft", "Dream", "EmbedderError", "EmbeddingState", "Entity", "Fact", "FileProblem", "Hit", "Imported",
    "Ingested", "InvalidInput", "Memory", "Merge", "Message", "Neighborhood", "NewerStore", "NotAStore", "NotFound",
    "Past", "Project", "ProjectStatus", "ReadOnlyStore", "Recall", "Receipt", "RecollectError", "Record", "Relation",
    "Repair", "Sampled", "Scored", "Session", "Settings", "Signals", "Space", "SpaceStats", "SpaceTally", "Spending",
    "StoreBusy", "StoreError", "StoreFull", "Summary", "Upkeep", "Weighed", "Why", "__version__", "load_settings",
    "open",
]  # fmt: skip
