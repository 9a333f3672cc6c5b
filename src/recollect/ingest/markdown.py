"""What are the title and the parts of a Markdown document?"""

from __future__ import annotations

import re

from recollect.ingest.chunks import Chunk, chunk_markdown, headings_of
from recollect.ingest.parsed import Parsed, line_segments, local_adapter

_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_QUOTES = "\"'"


def parse_markdown(name: str, text: str, mode: str = "markdown") -> Parsed:
    """A document in Markdown; `name` is what it is called where it does not say."""
    chunks = chunk_markdown(text)
    title = title_of(chunks) or name
    return Parsed(
        source_kind="markdown",
        title=title,
        adapter=local_adapter("markdown", mode, modes=("markdown", "file")),
        segments=line_segments(title, chunks),
        headings=tuple(headings_of(chunks)),
    )


def title_of(chunks: list[Chunk]) -> str | None:
    """What the front matter calls the document, else the one heading above all others; None where there is neither."""
    for chunk in chunks:
        if chunk.kind == "frontmatter" and (found := _TITLE.search(chunk.text)):
            named = found.group(1).strip(_QUOTES).strip()
            if named:
                return named[:500]
    tops = {chunk.heading_path[:1] for chunk in chunks if chunk.kind != "frontmatter"}
    only = next(iter(tops)) if len(tops) == 1 else ()
    return only[0][:500] if only else None
