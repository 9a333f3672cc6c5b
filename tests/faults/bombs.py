"""Files that were made to take long or to take much."""

from __future__ import annotations

import json
import zlib
from pathlib import Path


def write_pdf(path: Path, *, operators: int) -> Path:
    """A small PDF whose page shows text for ever: what is compressed there, a parser must go through one by one."""
    stream = zlib.compress(b"BT /F1 12 Tf 72 700 Td " + b"(a) Tj 0 -1 Td [(a) 1 (b)] TJ " * operators + b"ET", 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    start = len(body)
    body += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    path.write_bytes(body + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)
    return path


def write_html(path: Path, *, deep: int) -> Path:
    """A page of elements within elements, none of which is closed."""
    path.write_text("<html><body>" + "<div><p>word <b>" * deep + "</body></html>")
    return path


def write_transcript(path: Path, *, megabytes: int, said: int = 200) -> Path:
    """A session of Claude Code, most of which is what tools answered; a line has a hundred kilobytes of that."""
    filler = "x" * 100_000
    with path.open("w") as file:
        for number in range(megabytes * 10):
            blocks = [
                {"type": "tool_result", "content": filler, "is_error": False},
                {"type": "text", "text": "w " * said},
            ]
            message = {"role": "user", "content": [*blocks, {"type": "text", "text": f"Turn {number}."}]}
            line = {"type": "user", "sessionId": "s1", "timestamp": "2026-01-01T00:00:00Z", "message": message}
            file.write(json.dumps(line) + "\n")
    return path


def write_export(path: Path, *, megabytes: int) -> Path:
    """An export of ChatGPT: one list on one line, with a conversation of a hundred kilobytes each."""
    with path.open("w") as file:
        for number in range(megabytes * 10):
            nodes = {
                "a": {"message": None, "parent": None, "children": ["b"]},
                "b": {
                    "message": {
                        "author": {"role": "user"}, "content": {"content_type": "text", "parts": ["word " * 20_000]},
                    },
                    "parent": "a", "children": [],
                },
            }  # fmt: skip
            one = {"title": f"Talk {number}", "mapping": nodes, "current_node": "b", "conversation_id": f"c{number}"}
            file.write(("[" if number == 0 else ",") + json.dumps(one))
        file.write("]")
    return path
