"""What can a caller learn of vectors, and have done about them?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.engine.core import Core
from recollect.engine.embedding.later import ToldLater, look_again, told_later
from recollect.engine.embedding.semantics import Behind, EmbeddingState, Semantics
from recollect.engine.parse import parse_filter, parse_limit, parse_space, parse_wait
from recollect.fields import Spaces
from recollect.types import DEFAULT_SPACE, Filter


class Embedding:
    """The vectors of a memory, as far as they are a caller's business."""

    core: Core
    semantics: Semantics

    def embedding(self) -> EmbeddingState:
        """What is known of the embedder, without loading it."""
        return self.semantics.state()

    def warm(self) -> None:
        """Has the embedding model loaded in the background; `embedding()` tells how far that is."""
        self.semantics.warm()

    def can_embed(self, seconds: float = 0.0) -> bool:
        """Will what is stored now get a vector? Where that is not known, the model is tried, for some seconds at most.
        A memory that is to have no vectors lacks none.
        """
        return not self.semantics.wanted or self.semantics.proven or self.semantics.warm(seconds)

    def behind(self, *, space: str = DEFAULT_SPACE, project: str | None = None, kinds: Sequence[str] = ()) -> Behind:
        """How many records of a scope have no vector yet, and how many seconds that will take."""
        return self.semantics.behind(parse_filter(space=parse_space(space), project=project, kinds=kinds))

    def embed_waiting(
        self,
        progress: Callable[[int, int], None] | None = None,
        *,
        space: Spaces = None,
        seconds: float | None = None,
    ) -> int:
        """Computes the vectors that are still missing, now, all or as many as some seconds allow. Answers how many
        stay missing.
        """
        vectors = self.semantics.load()
        spaces = parse_filter(space=space).spaces
        wait = parse_wait(seconds, "seconds")
        if vectors is None:
            return self.count_waiting(space=space)
        left = vectors.catch_up(spaces or None, seconds=wait, progress=progress)
        if not left and not self.core.client:  # a guest's writing is the owner's to look at
            look_again(self.core, vectors)
        return left

    def told_later(self, *, space: str = DEFAULT_SPACE, limit: int = 10) -> list[ToldLater]:
        """Records of the last week that were stored while no model was loaded, and turned out later, by their vectors,
        to say nearly what another says or something else of the same thing; the latest first, what was settled left
        out.
        """
        return told_later(self.core, parse_space(space), parse_limit(limit))

    def resume_embedding(self) -> None:
        """Goes on in the background with the vectors that others left to be computed. Nothing is loaded for it yet."""
        with self.core.store.read() as view:
            waits = view.waiting(None).count if view.models() else bool(view.spaces())
        if waits:
            self.semantics.go_on()

    def count_waiting(self, *, space: Spaces = None) -> int:
        """How many versions have no vector of the chosen model yet; of a model that is new here, none has one."""
        vectors = self.semantics.load()
        if not self.semantics.wanted:
            return 0
        name, spaces = None if vectors is None else vectors.embedder.name, parse_filter(space=space).spaces
        with self.core.store.read() as view:
            model = next((one for one in view.models() if one.name == name), None)
            names = [one.name for one in view.spaces() if one.name in spaces or not spaces]
            if model is None:
                return sum(view.count(Filter(spaces=(name,), valid_only=False)) for name in names)
            return view.waiting(model.no, names).count

    def problems(self) -> list[str]:
        """What keeps the memory from working as it should right now; empty when nothing does."""
        failed = self.semantics.problem
        return [] if failed is None else [f"vectors: {failed}"]
