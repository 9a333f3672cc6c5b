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
    SourceError,
    StoreBusy,
    StoreError,
    StoreFull,
)  # fmt: skip
from recollect.types import (
    Adapter,
    Alike,
    Archived,
    Audited,
    BrokenReference,
    Change,
    Chunked,
    Claim,
    Clarified,
    Concept,
    Concepts,
    Condensed,
    Doubt,
    Draft,
    Dream,
    EmbeddingState,
    Entity,
    Evidence,
    EvidenceState,
    Fact,
    FileProblem,
    GraphCluster,
    GraphHealth,
    GraphNode,
    Grounds,
    Hit,
    Imported,
    Ingested,
    IngestedFolder,
    IngestedRepo,
    IngestedSource,
    Mended,
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
    Resolution,
    Sampled,
    Scored,
    Segment,
    Session,
    Settled,
    Signals,
    SkippedTerm,
    SourceDraft,
    Space,
    SpaceStats,
    SpaceTally,
    Spending,
    Summary,
    Twins,
    Upkeep,
    Weighed,
    Why,
)  # fmt: skip
from recollect.version import __version__

__all__ = [
    "Adapter", "Alike", "Archived", "Audited", "BrokenReference", "Cancelled", "Change", "Chunked", "Claim",
    "Clarified", "CompleterError", "Concept", "Concepts", "Condensed", "ConfigError", "Conflict", "Doubt", "Draft",
    "Dream", "EmbedderError", "EmbeddingState", "Entity", "Evidence", "EvidenceState", "Fact", "FileProblem",
    "GraphCluster", "GraphHealth", "GraphNode", "Grounds", "Hit", "Imported", "Ingested", "IngestedFolder",
    "IngestedRepo", "IngestedSource", "InvalidInput", "Memory", "Mended", "Merge", "Merged", "Neighborhood",
    "NewerStore", "NotAStore", "NotFound", "Past", "Project", "ProjectStatus", "ReadOnlyStore", "Recall", "Receipt",
    "RecollectError", "Record", "Relation", "Resolution", "Sampled", "Scored", "Segment", "Session", "Settings",
    "Settled", "Signals", "SkippedTerm", "SourceDraft", "SourceError", "Space", "SpaceStats", "SpaceTally", "Spending",
    "StoreBusy", "StoreError", "StoreFull", "Summary", "Twins", "Upkeep", "Weighed", "Why", "__version__",
    "load_settings", "open",
]  # fmt: skip
