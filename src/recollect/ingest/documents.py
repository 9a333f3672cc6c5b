"""What is a file or a page, going by what is in it, and what does it say?

Its bytes decide (a PDF says that it is one, and so does HTML), then its name; what a server says of it comes last.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from recollect.errors import SourceError
from recollect.ingest import pdf
from recollect.ingest.chunks import chunk_text, headings_of, plain_lines
from recollect.ingest.markdown import parse_markdown, title_of
from recollect.ingest.notebook import parse_notebook
from recollect.ingest.outline import OUTLINED, find_headings
from recollect.ingest.parsed import Parsed, line_segments, local_adapter, storable

Form = Literal["markdown", "text", "html", "pdf", "notebook"]
Mode = Literal["file", "markdown", "pdf"]

MODES: tuple[Mode, ...] = ("file", "markdown", "pdf")
LARGEST_DOCUMENT = 10 * 1024 * 1024
"""Bytes of a file or a page; what is larger is not read."""

_FORMS: dict[str, Form] = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".mkd": "markdown", ".txt": "text",
    ".text": "text", ".rst": "text", ".adoc": "text", ".asciidoc": "text", ".org": "text", ".html": "html",
    ".htm": "html", ".xhtml": "html", ".pdf": "pdf", ".ipynb": "notebook",
}  # fmt: skip
DOCUMENTS = frozenset(_FORMS)
"""How names of documents end."""

_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*+-->\s*)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_TAG = re.compile(rb"<(?:p|div|h[1-6]|article|table|ul|span|a)\b[^<>]*>", re.IGNORECASE)
_MAGIC = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x7fELF",
    b"OggS",
    b"ID3",
    b"RIFF",
    b"BZh",
)
_LOOKED_AT = 4_096
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def sniff(name: str, data: bytes) -> Form:
    """What a document is written in. Something that is no document is an error that says what it looks like."""
    head = data[:_LOOKED_AT]
    if pdf.MAGIC in head[:1_024]:
        return "pdf"
    named = _FORMS.get(PurePosixPath(name).suffix.lower())
    if head.startswith(_MAGIC):
        raise SourceError(f"{name} is an image, an archive or a program, not a document")
    if named == "pdf":
        raise SourceError(f"{name} is called a PDF, but is none")
    if b"\0" in data and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{name} is binary, not text")
    if _HTML.match(head) or (named == "html" and _TAG.search(data)):
        return "html"
    return "text" if named in (None, "html") else named


def decode(name: str, data: bytes, charset: str | None = None) -> str:
    """The text of some bytes: as they are marked, else as someone says they are, else UTF-8. Nothing is guessed."""
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    encoding = marked or charset or "utf-8"
    try:
        return storable(plain_lines(data.decode(encoding)))
    except LookupError:
        return decode(name, data)
    except UnicodeDecodeError as error:
        raise SourceError(f"{name} is not {encoding.upper()} text (byte {error.start:,} does not fit)") from error


def parse_document(name: str, data: bytes, mode: Mode | None = None) -> Parsed:
    """A file in segments. A mode says how it must be read: `markdown`, `pdf`, or `file` as what it looks like."""
    form = sniff(name, data)
    if mode == "pdf" and form != "pdf":
        raise SourceError(f"{name} is not a PDF")
    if mode == "markdown" and form != "pdf":
        form = "markdown"
    elif mode == "markdown":
        raise SourceError(f"{name} is a PDF, not Markdown")
    try:
        parsed = parse_form(name, data, form, mode)
    except RecursionError as error:
        raise SourceError(f"{name} cannot be read: it is nested too deep") from error
    if not parsed.segments:
        raise SourceError(f"{name} has no text")
    return parsed if mode != "file" else msgspec.structs.replace(parsed, source_kind="file")


def parse_form(name: str, data: bytes, form: Form, mode: str | None = None) -> Parsed:
    """A document whose form is known."""
    stem = PurePosixPath(name).stem or name
    if form == "pdf":
        return pdf.parse_pdf(stem, data, mode or "pdf")
    if form == "html":
        from recollect.ingest.web import parse_page  # which reads documents, too

        return parse_page(stem, data, mode or "file")
    text = decode(name, data)
    if form == "markdown":
        return parse_markdown(stem, text, mode or "markdown")
    if form == "notebook":
        return parse_notebook(name, text, mode or "file")
    return parse_text(name, text, mode or "file")


def parse_text(name: str, text: str, mode: str = "file") -> Parsed:
    """A plain text; where its name says how headings look in it, it is cut at them."""
    path = PurePosixPath(name)
    outline = find_headings(path.suffix.lower(), text) if path.suffix.lower() in OUTLINED else []
    chunks = chunk_text(text, headings=outline)
    title = title_of(chunks) or path.stem or name
    return Parsed(
        source_kind="file",
        title=title,
        adapter=local_adapter("text", mode),
        segments=line_segments(title, chunks),
        headings=tuple(headings_of(chunks)),
    )
