"""What can a caller learn of vectors, and have done about them?"""

from __future__ import annotations

from collections.abc import Callable

from recollect.engine.core import Core
from recollect.engine.embedding.later import ToldLater, look_again, told_later
from recollect.engine.embedding.semantics import Semantics
from recollect.engine.parse import parse_filter, parse_wait
from recollect.fields import Spaces
from recollect.types import DEFAULT_SPACE, Filter


class Embedding:
    """The vectors of a memory, as far as they are a caller's business."""

    core: Core
    semantics: Semantics

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

    def told_later(self, *, space: str = DEFAULT_SPACE, limit: int = 10) -> list[ToldLater]:
        """Records of the last week that were stored while no model was loaded, and turned out later, by their vectors,
        to say nearly what another says or something else of the same thing; the latest first, what was settled left
        out.
        """
        return told_later(self.core, space=space, limit=limit)
