"""Is a file read as what it is, and what it is not refused?"""

from __future__ import annotations

import io
import json

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from recollect import SourceError
from recollect.ingest.chunks import CHUNK_CHARS, chunk_markdown, chunk_text
from recollect.ingest.documents import parse_document, sniff
from recollect.ingest.outline import find_headings


def make_pdf(*pages: str, title: str | None = None, password: str | None = None) -> bytes:
    """A PDF with a page for each text; an empty text makes a page without any."""
    writer = PdfWriter()
    for text in pages:
        page = writer.add_blank_page(595, 842)
        font = DictionaryObject({
            NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        })  # fmt: skip
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        shown = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n")) if text else ""
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 40 800 Td {shown} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
    if title is not None:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_pdf_is_read_page_by_page() -> None:
    parsed = parse_document("guide.pdf", make_pdf("The gateway\nchecks tokens.", "Keys rotate.", title="A guide"))
    assert (parsed.source_kind, parsed.title, parsed.payload) == ("pdf", "A guide", {"pages": 2})
    first, second = parsed.segments
    assert first.text == "The gateway\nchecks tokens."
    assert first.locator == {"kind": "page", "page": 1, "line_start": 1, "line_end": 2, "chunk_kind": "text"}
    assert (second.text, second.locator["page"], second.title) == ("Keys rotate.", 2, "A guide › page 2")
    assert len(PdfReader(io.BytesIO(make_pdf("x"))).pages) == 1


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (make_pdf("secret", password="open sesame"), "the PDF is encrypted"),
        (make_pdf("", ""), "has 2 pages but no text; a scanned PDF"),
        (make_pdf("whole")[:200], "the PDF cannot be read"),
        (b"%PDF-1.7\n" + b"\xff\x00garbage" * 50, "the PDF cannot be read"),
        (b"just text", "is called a PDF, but is none"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(data: bytes, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        parse_document("some.pdf", data)


def test_a_pdf_that_opens_with_an_empty_password_is_read() -> None:
    assert parse_document("a.pdf", make_pdf("Open to all.", password="")).segments[0].text == "Open to all."


@pytest.mark.parametrize(
    ("name", "data", "form"),
    [
        ("a.md", b"# A", "markdown"), ("a.txt", b"# A", "text"), ("a", b"text", "text"), ("a.bin", b"%PDF-1.4", "pdf"),
        ("a.txt", b"\n<!DOCTYPE html><p>x", "html"), ("a.html", b"no tags", "text"), ("a.htm", b"<p>x</p>", "html"),
        ("a.md", b"<div>x</div>", "markdown"), ("a.txt", "x".encode("utf-16"), "text"), ("a.ipynb", b"{}", "notebook"),
    ],
)  # fmt: skip
def test_content_decides_before_the_name(name: str, data: bytes, form: str) -> None:
    assert sniff(name, data) == form


@pytest.mark.parametrize(("end", "form"), [(b"text", "markdown"), (b"<html>", "html")])
def test_many_comments_do_not_keep_a_reader_busy(end: bytes, form: str) -> None:
    assert sniff("a.md", b"<!---->" * 500 + end) == form


def test_a_text_of_two_bytes_a_character_may_hold_a_nul() -> None:
    [segment] = parse_document("a.txt", "a\0b".encode("utf-16")).segments
    assert segment.text == "ab"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n", b"PK\x03\x04", b"\x7fELF", b"a\0b"])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(SourceError, match=r"not a document|binary"):
        parse_document("a.md", data)


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.txt", "é".encode("latin-1"), r"a\.txt is not UTF-8 text \(byte 0 does not fit\)"),
        ("a.md", b" \n\n", r"a\.md has no text"),
        ("a.ipynb", b"{]", "is not a Jupyter notebook"),
        ("a.html", b"<p></p>", "no readable text"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, data: bytes, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        parse_document(name, data)


def test_a_mode_decides_how_a_file_is_read() -> None:
    assert parse_document("a.txt", b"# A\nx", "markdown").segments[0].locator["heading_path"] == ["A"]
    as_file = parse_document("a.md", b"# A\nx", "file")
    assert (as_file.source_kind, as_file.adapter.mode) == ("file", "file")
    with pytest.raises(SourceError, match=r"a\.md is not a PDF"):
        parse_document("a.md", b"# A", "pdf")
    with pytest.raises(SourceError, match="is a PDF, not Markdown"):
        parse_document("a.pdf", make_pdf("x"), "markdown")


def test_a_document_is_named_by_its_front_matter_its_only_heading_or_its_file() -> None:
    titles = {b"---\ntitle: 'Guide'\n---\n# A\nx": "Guide", b"# A\nx\n## B\ny": "A", b"# A\nx\n# B\ny": "notes"}
    assert {data: parse_document("notes.md", data).title for data in titles} == titles
    [first, second] = parse_document("notes.md", b"# A\nx\n## B\ny").segments
    assert (first.title, second.title) == ("A", "A › B")


def test_a_very_long_page_is_read_in_one_way_alone() -> None:
    words = "A sentence of a very long page. " * 40_000
    parsed = parse_document(
        "a.html", f"<html><body><h1>Long</h1><p>{words}</p><p>{words}The end.</p></body></html>".encode()
    )
    assert parsed.segments[-1].text.endswith("The end.")


def test_a_notebook_is_read_as_markdown_with_its_code_fenced() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Load\n", "All of it."]},
        {"cell_type": "code", "source": "rows = '```'\n", "outputs": [{"text": "noise"}]},
    ]
    [segment] = parse_document("load.ipynb", json.dumps({"cells": cells}).encode()).segments
    assert (segment.text, segment.title) == ("# Load\nAll of it.\n\n````\nrows = '```'\n````", "Load")


@pytest.mark.parametrize(
    ("suffix", "text", "found"),
    [
        (".org", "* One\n** Two\n#+begin_src\n* no\n#+end_src\n* End", [(0, 1, "One"), (1, 2, "Two"), (5, 1, "End")]),
        (".adoc", "= Doc\n\n----\n== no\n----\n== Sub", [(0, 1, "Doc"), (5, 2, "Sub")]),
        (".rst", "====\nHead\n====\n\nSub\n---\ntext\n\nNext\n----", [(0, 1, "Head"), (4, 2, "Sub"), (8, 2, "Next")]),
    ],
)  # fmt: skip
def test_headings_of_other_markups_are_found(suffix: str, text: str, found: list[tuple[int, int, str]]) -> None:
    assert find_headings(suffix, text) == found
    assert [chunk.line_start for chunk in chunk_text(text, headings=found)] == [line + 1 for line, _, _ in found]


def test_front_matter_must_close_within_two_hundred_lines() -> None:
    chunks = {lines: chunk_markdown("---\n" + "a: b\n" * lines + "---\n# T\n") for lines in (198, 199)}
    assert (chunks[198][0].kind, chunks[198][0].line_end) == ("frontmatter", 200)
    assert "frontmatter" not in {chunk.kind for chunk in chunks[199]}


def test_a_table_that_fits_is_kept_whole_and_a_long_fence_stands_alone() -> None:
    table = "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 60
    fence = "```\n" + "x = 1\n" * 400 + "```"
    chunks = chunk_markdown(f"# T\n\n{'word ' * 200}\n\n{table}\n{fence}\n\nend")
    assert any(table.strip() in chunk.text for chunk in chunks)
    [code] = [chunk for chunk in chunks if chunk.kind == "code"]
    assert (code.text, code.heading_path) == (fence, ("T",))
    assert all(len(chunk.text) <= CHUNK_CHARS for chunk in chunks if chunk.kind != "code")


def test_headings_in_fences_quotes_comments_and_indented_code_do_not_count() -> None:
    text = "# A\n\n```\n# no\n```\n\n> # no\n\n<!--\n# no\n-->\n\n    # no\n\nSub\n---\n\n#not either\n"
    assert [chunk.heading_path for chunk in chunk_markdown(text)] == [("A",), ("A", "Sub")]
