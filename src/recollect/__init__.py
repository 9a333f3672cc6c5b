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
    SourceError,
    StoreBusy,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.types import (
    Adapter,
    Alike,
    Archived,
    Change,
    Claim,
    Draft,
    Dream,
    EmbeddingState,
    Entity,
    Evidence,
    EvidenceState,
    Fact,
    FileProblem,
    Grounds,
    Hit,
    Imported,
    Ingested,
    IngestedFolder,
    IngestedSource,
    Merge,
    Merged,
    Neighborhood,
    Past,
    Project,
    ProjectStatus,
    Recall,
    Receipt,
    Record,
    Relation,
    Scored,
    Segment,
    Session,
    Settled,
    Signals,
    SourceDraft,
    Space,
    SpaceStats,
    SpaceTally,
    Weighed,
    Why,
)  # fmt: skip
from recollect.version import __version__

__all__ = [
    "Adapter", "Alike", "Archived", "Cancelled", "Change", "Claim", "ConfigError", "Conflict", "Draft", "Dream",
    "EmbedderError", "EmbeddingState", "Entity", "Evidence", "EvidenceState", "Fact", "FileProblem", "Grounds", "Hit",
    "Imported", "Ingested", "IngestedFolder", "IngestedSource", "InvalidInput", "Memory", "Merge", "Merged",
    "Neighborhood", "NewerStore", "NotAStore", "NotFound", "Past", "Project", "ProjectStatus", "ReadOnlyStore",
    "Recall", "Receipt", "RecollectError", "Record", "Relation", "Scored", "Segment", "Session", "Settings", "Settled",
    "Signals", "SourceDraft", "SourceError", "Space", "SpaceStats", "SpaceTally", "StoreBusy", "StoreError",
    "StoreFull", "Weighed", "Why", "__version__", "load_settings", "open",
]  # fmt: skip
