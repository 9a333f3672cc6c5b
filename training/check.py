"""Is any text of a measurement set among the training texts?

    python -m training.check --texts texts.jsonl.gz --sets FOLDER

Texts are compared by hashes of their letters and digits, so that case, spacing and punctuation hide nothing. Of a
measurement set count: every question, every document, every sentence and line of a document, and each of
these without the speaker before it. Ends with an error when one is found.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_SPEAKER = re.compile(r"^(?:\[[^\]\n]{1,40}\]\s*)?[^\s:][^:\n]{0,30}:\s+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")
SHORTEST = 12  # letters and digits; below that a text ("Thank you!") belongs to nobody


def normalise(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def strip_speaker(text: str) -> str:
    return _SPEAKER.sub("", text, count=1)


def hash_text(text: str) -> bytes | None:
    """None for a text that is too short to belong to anyone."""
    plain = normalise(text)
    return hashlib.sha256(plain.encode()).digest()[:16] if len(plain) >= SHORTEST else None


def hash_forms(text: str) -> set[bytes]:
    """Hashes of a text as it is, and without its speaker."""
    forms = (hash_text(form) for form in (text, strip_speaker(text)))
    return {form for form in forms if form is not None}


def hash_document(text: str) -> set[bytes]:
    """Hashes of a document, and of each sentence and line in it."""
    found = hash_forms(text)
    for part in _SENTENCE.split(strip_speaker(text)):
        found |= hash_forms(part)
    return found


def read_rows(path: Path) -> Iterator[dict[str, object]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def hash_sets(folder: Path) -> set[bytes]:
    """Hashes of all that the measurement sets in a folder hold."""
    found: set[bytes] = set()
    for path in sorted(folder.glob("*/corpus.jsonl")):
        for row in read_rows(path):
            found |= hash_document(str(row["text"]))
    for path in sorted(folder.glob("*/queries.jsonl")):
        for row in read_rows(path):
            found |= hash_forms(str(row["query"]))
    if not found:
        sys.exit(f"{folder}: no measurement sets (NAME/corpus.jsonl and NAME/queries.jsonl)")
    return found


def find_leaks(texts: Iterable[str], measured: set[bytes]) -> list[str]:
    return [text for text in texts if hash_forms(text) & measured]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, required=True, help="what prepare.py wrote: rows with `text`")
    parser.add_argument("--sets", type=Path, required=True, help="the folder that holds the measurement sets")
    args = parser.parse_args()
    measured = hash_sets(args.sets)
    texts = [str(row["text"]) for row in read_rows(args.texts)]
    leaks = find_leaks(texts, measured)
    for text in leaks[:20]:
        print(f"measured: {text}")
    if leaks:
        sys.exit(f"{len(leaks)} of {len(texts)} training texts stand in a measurement set")
    print(f"none of {len(texts)} training texts is among the {len(measured)} hashes of the measurement sets")


if __name__ == "__main__":
    main()
