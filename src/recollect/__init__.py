"""One long-term memory for all of a person's AI agents.

import recollect

with recollect.open() as memory:
    memory.remember("The gateway validates tokens with RS256.", tags=["auth"])
    for hit in memory.recall("how are tokens checked?"):
        print(hit.score, hit.record.text, hit.why)
"""

from importlib import import_module as _import_module

from recollect.errors import (
    Cancelled,
    CompleterError,
    ConfigError,
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    NewerStore,
    NotAStore,
    NotFound,
    ReadOnlyStore,
    RecollectError,
    SourceError,
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreLost,
    StoreReplaced,
    WrongClock,
)  # fmt: skip
from recollect.version import __version__

TYPE_CHECKING = False  # as `typing` has it, which takes long to import
if TYPE_CHECKING:
    from recollect.config import Settings, load_settings
    from recollect.engine.care.dream import Alike, Dream, Merge, Review
    from recollect.engine.care.forget import Forgotten
    from recollect.engine.care.keep import Compacted, restore
    from recollect.engine.care.ledger import Spending
    from recollect.engine.care.lifecycle import Maintained
    from recollect.engine.care.move import Moved, move
    from recollect.engine.care.summarize import Summary
    from recollect.engine.embedding.semantics import EmbeddingState
    from recollect.engine.graph.link import Fact, Neighborhood
    from recollect.engine.intake.results import (
        Differing,
        Imported,
        Ingested,
        IngestedFolder,
        IngestedRepo,
        IngestedSource,
        Project,
        ProjectStatus,
        SourceDraft,
        Synced,
    )
    from recollect.engine.memory import Memory, import_
    from recollect.engine.memory import open_memory as open
    from recollect.engine.read.brief import Brief
    from recollect.engine.read.stats import SpaceTally
    from recollect.engine.write.govern import Archived
    from recollect.engine.write.grounds import EvidenceState
    from recollect.engine.write.revise import Past
    from recollect.engine.write.sessions import Compaction, Repair
    from recollect.store.kept import Copied, Exported, Repaired
    from recollect.types import (
        Act,
        Adapter,
        Already,
        Change,
        Claim,
        Condensed,
        Draft,
        Entity,
        Evidence,
        FileProblem,
        Grounds,
        Hit,
        Message,
        Recall,
        Receipt,
        Record,
        Relation,
        Sampled,
        Segment,
        Session,
        Signals,
        Space,
        SpaceStats,
        Why,
    )

__all__ = [
    "Act", "Adapter", "Alike", "Already", "Archived", "Brief", "Cancelled", "Change", "Claim", "Compacted",
    "Compaction", "CompleterError", "Condensed", "ConfigError", "Conflict", "Copied", "Differing", "Draft", "Dream",
    "EmbedderError", "EmbeddingState", "Entity", "Evidence", "EvidenceState", "Exported", "Fact", "FileProblem",
    "Forbidden", "Forgotten", "Grounds", "Hit", "Imported", "Ingested", "IngestedFolder", "IngestedRepo",
    "IngestedSource", "InvalidInput", "Maintained", "Memory", "Merge", "Message", "Moved", "Neighborhood", "NewerStore",
    "NotAStore", "NotFound", "Past", "Project", "ProjectStatus", "ReadOnlyStore", "Recall", "Receipt", "RecollectError",
    "Record", "Relation", "Repair",
    "Repaired", "Review", "Sampled", "Segment", "Session", "Settings", "Signals", "SourceDraft", "SourceError",
    "Space", "SpaceStats", "SpaceTally", "Spending", "StoreAway", "StoreBusy", "StoreDamaged", "StoreError",
    "StoreFull", "StoreLost", "StoreReplaced", "Summary", "Synced", "Why", "WrongClock", "__version__", "import_",
    "load_settings", "move", "open", "restore",
]  # fmt: skip

_HOMES = {
    "recollect.config": ("Settings", "load_settings"),
    "recollect.engine.care.dream": ("Alike", "Dream", "Merge", "Review"),
    "recollect.engine.care.forget": ("Forgotten",),
    "recollect.engine.care.keep": ("Compacted", "restore"),
    "recollect.engine.care.ledger": ("Spending",),
    "recollect.engine.care.lifecycle": ("Maintained",),
    "recollect.engine.care.move": ("Moved", "move"),
    "recollect.engine.care.summarize": ("Summary",),
    "recollect.engine.embedding.semantics": ("EmbeddingState",),
    "recollect.engine.graph.link": ("Fact", "Neighborhood"),
    "recollect.engine.intake.results": (
        "Differing", "Imported", "Ingested", "IngestedFolder", "IngestedRepo", "IngestedSource", "Project",
        "ProjectStatus", "SourceDraft", "Synced",
    ),
    "recollect.engine.memory": ("Memory", "import_", "open"),
    "recollect.engine.read.brief": ("Brief",),
    "recollect.engine.read.stats": ("SpaceTally",),
    "recollect.engine.write.govern": ("Archived",),
    "recollect.engine.write.grounds": ("EvidenceState",),
    "recollect.engine.write.revise": ("Past",),
    "recollect.engine.write.sessions": ("Compaction", "Repair"),
    "recollect.store.kept": ("Copied", "Exported", "Repaired"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_NAMED_THERE = {"open": "open_memory"}


def __getattr__(name: str) -> object:
    """Brings in what is asked for, and no more: a client's hook is to answer before all of it is loaded."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_import_module(_HOME_OF.get(name, "recollect.types")), _NAMED_THERE.get(name, name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
