"""What does a Jupyter notebook say?"""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec
from msgspec import Struct

from recollect.errors import SourceError
from recollect.forms import decode
from recollect.ingest.chunks import chunk_markdown, headings_of, plain_lines
from recollect.ingest.markdown import title_of
from recollect.ingest.parsed import Parsed, line_segments, local_adapter, storable


class _Cell(Struct):
    cell_type: str
    source: str | list[str] = ""


class _Notebook(Struct):
    cells: list[_Cell]


def parse_notebook(name: str, text: str, mode: str = "file") -> Parsed:
    """A notebook as Markdown, its code fenced; what the code printed is left out."""
    try:
        book = decode(text, _Notebook)
    except msgspec.DecodeError as error:
        raise SourceError(f"{name} is not a Jupyter notebook: {error}") from error
    parts = [_show(cell) for cell in book.cells]
    chunks = chunk_markdown("\n\n".join(part for part in parts if part))
    title = title_of(chunks) or PurePosixPath(name).stem
    return Parsed(
        source_kind="file",
        title=title,
        adapter=local_adapter("notebook", mode, "notebook_to_markdown"),
        segments=line_segments(title, chunks),
        headings=tuple(headings_of(chunks)),
        payload={"cells": len(book.cells)},
    )


def _show(cell: _Cell) -> str:
    source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
    body = storable(plain_lines(source)).strip("\n")
    if not body.strip() or cell.cell_type != "code":
        return body.strip()
    ticks = 3
    while "`" * ticks in body:
        ticks += 1
    return f"{'`' * ticks}\n{body}\n{'`' * ticks}"
