"""What does a web page say, without its menus and advertisements?"""

from __future__ import annotations

import re

import msgspec

from recollect.errors import SourceError
from recollect.ingest.chunks import chunk_markdown, headings_of, plain_lines
from recollect.ingest.documents import decode, parse_form, sniff
from recollect.ingest.html import page_to_markdown, page_to_text
from recollect.ingest.parsed import Parsed, line_segments, local_adapter, storable
from recollect.types import Adapter

_HTML_TYPES = ("text/html", "application/xhtml+xml")
_MARKDOWN_TYPES = ("text/markdown", "text/x-markdown")
_TEXT_TYPES = re.compile(r"text/.*|application/(.*\+)?(json|xml|yaml|toml|javascript)|application/(x-)?(ndjson|sh)")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})")
_LARGE = 2_000_000  # characters; of a longer page only the lines of its text are kept
_SHORT = 20_000  # characters of Markdown; whoever writes more has menus and advertisements around it
_SUFFIXES = {"markdown": ".md", "text": ".txt"}


def parse_page(name: str, data: bytes, mode: str = "file", charset: str | None = None) -> Parsed:
    """The main text of an HTML document as Markdown, in segments; lines are those of the Markdown."""
    title, text, how = extract_page(decode_page(name, data, charset))
    if not text.strip():
        raise SourceError(
            f"{name} has no readable text; a page that is made by a program in the browser cannot be read"
        )
    chunks = chunk_markdown(text)
    title = title or name
    return Parsed(
        source_kind="file",
        title=title,
        adapter=local_adapter("html", mode, how),
        segments=line_segments(title, chunks),
        headings=tuple(headings_of(chunks)),
    )


def decode_page(name: str, data: bytes, charset: str | None) -> str:
    """The text of a page: as its server says, else as the page says itself, else UTF-8, else as browsers guess."""
    head = data[:4_096]
    said = _CHARSET.search(head) or _XML_CHARSET.search(head)
    for encoding in (charset, said.group(1).decode() if said else None, "utf-8"):
        try:
            if encoding is not None:
                return decode(name, data, encoding)
        except SourceError:
            continue
    return plain_lines(data.decode("windows-1252", errors="replace"))


def extract_page(html: str) -> tuple[str | None, str, str]:
    """Title and text of a page, and how it was read: a short page whole, of a longer one what seems its main part."""
    page = storable(html)
    if len(page) > _LARGE:
        (title, text), how = page_to_text(page), "page_to_text"
    else:
        (title, text), how = page_to_markdown(page), "page_to_markdown"
        if len(text) > _SHORT:
            (title, text), how = page_to_markdown(page, main_part=True), "main_part_to_markdown"
    return storable(title or "").strip()[:500] or None, storable(plain_lines(text)).strip(), how


def parse_fetched(name: str, data: bytes, media_type: str, charset: str | None) -> Parsed:
    """What a server sent, going by what is in it first, and by what the server says of it second."""
    if not data.strip():
        raise SourceError(f"{name} is empty")
    looks = sniff("page" if media_type in _HTML_TYPES else name, data)
    if looks == "text" and media_type in _HTML_TYPES and b"<" in data:
        looks = "html"
    if looks == "text" and media_type in _MARKDOWN_TYPES:
        looks = "markdown"
    if looks == "text" and media_type and not _TEXT_TYPES.fullmatch(media_type) and not _is_plain(data, media_type):
        raise SourceError(f"{name} is {media_type}, which is not read")
    if looks == "html":
        try:
            parsed = parse_page(name, data, "web", charset)
        except RecursionError as error:
            raise SourceError(f"{name} cannot be read: it is nested too deep") from error
    elif looks in _SUFFIXES:
        text = decode_page(name, data, charset)
        stem = name.rpartition("/")[2] or name
        parsed = parse_form(stem.removesuffix(_SUFFIXES[looks]) + _SUFFIXES[looks], text.encode(), looks, "web")
    else:
        parsed = parse_form(name.rpartition("/")[2] or name, data, looks, "web")
    if not parsed.segments:
        raise SourceError(f"{name} has no text")
    return msgspec.structs.replace(
        parsed, source_kind="pdf" if looks == "pdf" else "web", adapter=_web_adapter(parsed.adapter)
    )


def _is_plain(data: bytes, media_type: str) -> bool:
    """Is what a server calls bytes of no particular kind text all the same?"""
    if media_type not in ("application/octet-stream", "binary/octet-stream"):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _web_adapter(adapter: Adapter) -> Adapter:
    return msgspec.structs.replace(
        adapter, name=f"web_{adapter.name}", mode="web", supported_modes=("web",), default_privacy_class="public",
        origin_classification="public_web",
    )  # fmt: skip
