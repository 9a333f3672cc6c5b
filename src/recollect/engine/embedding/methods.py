"""What can a caller learn of vectors, and have done about them?"""

from __future__ import annotations

from collections.abc import Callable

from recollect.engine.core import Core
from recollect.engine.embedding.semantics import EmbeddingState, Semantics
from recollect.engine.parse import parse_filter
from recollect.fields import Spaces
from recollect.types import Filter


class Embedding:
    """The vectors of a memory, as far as they are a caller's business."""

    core: Core
    semantics: Semantics

    def embedding(self) -> EmbeddingState:
        """What is known of the embedder, without loading it."""
        return self.semantics.state()

    def embed_waiting(self, progress: Callable[[int, int], None] | None = None, *, space: Spaces = None) -> int:
        """Computes all vectors that are still missing, now. Answers how many stay missing."""
        vectors = self.semantics.load()
        spaces = parse_filter(space=space).spaces
        return 0 if vectors is None else vectors.catch_up(spaces or None, progress=progress)

    def count_waiting(self, *, space: Spaces = None) -> int:
        """How many versions have no vector of the chosen model yet; of a model that is new here, none has one."""
        vectors = self.semantics.load()
        if vectors is None:
            return 0
        spaces = parse_filter(space=space).spaces
        with self.core.store.read() as view:
            model = next((one for one in view.models() if one.name == vectors.embedder.name), None)
            names = [one.name for one in view.spaces() if one.name in spaces or not spaces]
            if model is None:
                return sum(view.count(Filter(spaces=(name,), valid_only=False)) for name in names)
            return view.waiting(model.no, names).count

    def problems(self) -> list[str]:
        """What keeps the memory from working as it should right now; empty when nothing does."""
        failed = self.semantics.problem
        return [] if failed is None else [f"vectors: {failed}"]
