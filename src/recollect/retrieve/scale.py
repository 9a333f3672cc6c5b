"""Where does a model's scale of cosines begin?

Models bunch their cosines at different heights: a question and a text that have nothing to do with each other
stand near 0 under one and above 0.7 under another. Embedding a few texts once tells a model's height.
"""

from __future__ import annotations

import numpy as np

from recollect.retrieve.fuse import UNRELATED_COSINE, Floats

UNRELATED_TEXTS = (
    "The ferry to the island leaves twice a day in winter.",
    "def area(radius): return 3.14159 * radius ** 2",
    "She cancelled her dentist appointment because of a cold.",
    "Basalt forms when lava cools quickly at the surface.",
    "How do I reset the password of my router?",
    "The committee voted against raising the membership fee.",
    "My sister plays the cello in a small orchestra.",
    "Whisk the eggs with sugar until the mixture turns pale.",
    "Interest rates rose by a quarter of a point in March.",
    "Which team won the handball final last year?",
    "The migration failed: column user_id does not exist.",
    "Bees tell each other by a dance where flowers are.",
)
"""Short texts of which no two are about the same thing."""


def measure_unrelated_cosine(questions: Floats, passages: Floats) -> float:
    """The mean cosine of `UNRELATED_TEXTS` with one another, within 0..0.95.

    They are embedded twice, as questions and as passages, since some models treat the two differently; rows
    have length 1.
    """
    count = len(passages)
    if count < 2:
        return UNRELATED_COSINE
    cosines = questions.astype(np.float64) @ passages.astype(np.float64).T
    mean = (float(cosines.sum()) - float(np.trace(cosines))) / (count * (count - 1))
    return min(max(mean, 0.0), 0.95)
