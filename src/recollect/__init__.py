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
    Change,
    Draft,
    Dream,
    Entity,
    Fact,
    FileProblem,
    Hit,
    Imported,
    Ingested,
    Merge,
    Neighborhood,
    Past,
    Project,
    ProjectStatus,
    Recall,
    Receipt,
    Record,
    Relation,
    Session,
    Signals,
    Space,
    SpaceStats,
    SpaceTally,
    Why,
)  # fmt: skip
from recollect.version import __version__

__all__ = [
    "Cancelled", "Change", "ConfigError", "Conflict", "Draft", "Dream", "EmbedderError", "Entity", "Fact",
    "FileProblem", "Hit", "Imported", "Ingested", "InvalidInput", "Memory", "Merge", "Neighborhood", "NewerStore",
    "NotAStore", "NotFound", "Past", "Project", "ProjectStatus", "ReadOnlyStore", "Recall", "Receipt",
    "RecollectError", "Record", "Relation", "Session", "Settings", "Signals", "Space", "SpaceStats", "SpaceTally",
    "StoreBusy", "StoreError", "StoreFull", "Why",
    "__version__", "load_settings", "open",
]  # fmt: skip
