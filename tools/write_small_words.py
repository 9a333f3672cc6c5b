"""Which small words tell of a language? Writes `gloss/small.txt` from the lists beside it, after one has changed."""

from __future__ import annotations

from recollect.embed.glosses import SMALL_WORDS, gather_small_words

if __name__ == "__main__":
    SMALL_WORDS.write_text(gather_small_words(), "utf-8")
