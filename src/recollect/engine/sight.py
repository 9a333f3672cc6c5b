"""What does a model that is loaded anyway see of a text, for whoever cannot wait for one?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from recollect.types import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.store.search import Model


class Sight(Struct, frozen=True, eq=False):
    """A text as a model sees it, with what is needed to say how near another lies."""

    model: Model
    vector: NDArray[np.float32]

    def nearness(self, cosine: float) -> float | None:
        """Standard deviations above the cosine of unrelated texts; None where there is no vector to compare with."""
        return None if cosine != cosine else (cosine - self.model.floor) / self.model.spread  # NaN alone is not itself


class Eyes(Protocol):
    """Who has a model, perhaps. Nothing is loaded for a look, and no look takes long."""

    @property
    def wanted(self) -> bool:
        """Will there be vectors at all, now or later?"""
        ...

    @property
    def awake(self) -> bool:
        """Is the model loaded, and on this machine?"""
        ...

    def see(self, record: Record) -> Sight | None: ...
