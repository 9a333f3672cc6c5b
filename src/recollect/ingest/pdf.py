"""What does a PDF say, page by page?"""

from __future__ import annotations

import io
import logging
import zlib

from recollect.errors import SourceError
from recollect.ingest.chunks import Chunk, chunk_text
from recollect.ingest.parsed import Parsed, local_adapter, storable
from recollect.types import Json, Segment

MAGIC = b"%PDF-"
MOST_PAGES = 5_000
_BROKEN = (
    ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError,
    zlib.error,
)  # fmt: skip
"""What the library raises, beside its own errors, over files that are not what they should be."""


def parse_pdf(name: str, data: bytes, mode: str = "pdf") -> Parsed:
    """The text of a PDF, in segments that say on which page they stand."""
    title, pages = _read(data)
    if not any(page.strip() for page in pages):
        count = f"{len(pages):,} page{'' if len(pages) == 1 else 's'}"
        raise SourceError(f"{name} has {count} but no text; a scanned PDF must go through text recognition first")
    title = title or name
    return Parsed(
        source_kind="pdf",
        title=title,
        adapter=local_adapter("pdf", mode, "pdf_to_text", modes=("pdf", "file")),
        segments=tuple(
            Segment(text=chunk.text, title=f"{title} › page {number}", locator=_locate(number, chunk))
            for number, page in enumerate(pages, 1)
            for chunk in chunk_text(page)
        ),
        payload={"pages": len(pages)},
    )


def _locate(page: int, chunk: Chunk) -> dict[str, Json]:
    at: dict[str, Json] = {
        "kind": "page", "page": page, "line_start": chunk.line_start, "line_end": chunk.line_end,
        "chunk_kind": chunk.kind,
    }  # fmt: skip
    if chunk.columns is not None:
        at["columns"] = list(chunk.columns)
    return at


def _read(data: bytes) -> tuple[str | None, list[str]]:
    from pypdf import PdfReader  # only where there is a PDF: it takes a fifth of a second to load
    from pypdf.errors import DeprecationError, PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong with a file is told by errors
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError("the PDF is encrypted; save a copy without a password first")
        if len(reader.pages) > MOST_PAGES:
            raise SourceError(f"the PDF has {len(reader.pages):,} pages; at most {MOST_PAGES:,} are read")
        pages = [storable(page.extract_text()) for page in reader.pages]
        named = None if reader.metadata is None else reader.metadata.title
    except (PyPdfError, DeprecationError, *_BROKEN) as error:
        raise SourceError(f"the PDF cannot be read: {str(error) or type(error).__name__}") from error
    return (storable(named).strip()[:500] or None) if named else None, pages
