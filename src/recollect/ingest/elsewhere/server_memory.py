"""What does the reference memory server of the Model Context Protocol keep?

A file with one JSON object a line: entities with their observations, and relations between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import msgspec

from recollect.ingest.elsewhere.found import Item, Left, Material, Named, Note, Origin, Row, fact_of, key_of, text_of


def _fits(files: Material) -> bool:
    if len(files.files) != 1:
        return False
    first = files.head(files.files[0]).lstrip().split(b"\n", 1)[0]
    return first.startswith(b"{") and (
        (b'"type":"entity"' in first.replace(b" ", b"") and b'"entityType"' in first)
        or (b'"type":"relation"' in first.replace(b" ", b"") and b'"relationType"' in first)
    )


def _read(files: Material) -> Iterator[Item]:
    for number, line in enumerate(files.read(files.files[0]).splitlines(), 1):
        if not line.strip():
            continue
        try:
            found: object = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise msgspec.DecodeError(f"line {number:,}: {error}") from error
        if not isinstance(found, dict):
            yield Left("line", "it is no JSON object")
            continue
        yield from _items(cast("Row", found))


def _items(line: Row) -> Iterator[Item]:
    if line.get("type") == "relation":
        yield fact_of(text_of(line, "from"), text_of(line, "relationType"), text_of(line, "to"))
        return
    name = text_of(line, "name")
    if line.get("type") != "entity" or not name:
        yield Left("line", "it is neither an entity nor a relation")
        return
    kind = text_of(line, "entityType") or None
    yield Named(name=name, type=kind)
    observed = line.get("observations")
    for one in cast("list[object]", observed) if isinstance(observed, list) else []:
        if isinstance(one, str) and one.strip():
            yield Note(key=key_of(name, one), text=f"{name}: {one.strip()}", metadata={"entity": name})
        else:
            yield Left("observation", "it is no text")


ORIGIN = Origin("server-memory", _fits, _read)
