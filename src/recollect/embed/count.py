"""How many tokens does a text have, as the bundled model counts them?

Only the vocabulary is read for it: no model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from recollect.embed.wordpiece import WordPiece
from recollect.errors import EmbedderError


@cache
def token_counter() -> Callable[[str], int]:
    """Counts the wordpieces of a text, whatever its length."""
    try:
        words = (Path(__file__).parent / "model" / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    except OSError as error:
        raise EmbedderError(f"the bundled model's vocab.txt cannot be read ({error}); reinstall Recollect") from error
    return WordPiece(words).count
