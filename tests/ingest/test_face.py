"""What does code say of itself?"""

from __future__ import annotations

import pytest

from recollect.ingest.face import face_of, split_name


def test_a_face_has_name_and_place_in_words_the_comment_and_the_signature() -> None:
    code = 'def read_until(self, separator=b"\\n"):\n    """Read up to a separator.\n\n    Then stop.\n    """\n    x'
    assert face_of("StreamReader.read_until", "asyncio/streams.py", code) == (
        "stream reader read until (asyncio streams)\nRead up to a separator. Then stop.\n"
        'def read_until(self, separator=b"\\n"):'
    )


def test_comments_above_document_where_there_is_no_string() -> None:
    code = "/// Opens the gate.\n/// Slowly.\npub fn openGate(x: u8) {\n}"
    assert (
        face_of("openGate", "src/gate.rs", code)
        == "open gate (src gate)\nOpens the gate. Slowly.\npub fn openGate(x: u8) {"
    )


def test_code_without_a_name_has_the_face_of_its_file() -> None:
    assert face_of("tools/a_b.py", "tools/a_b.py", "x = 1") == "tools a b"


@pytest.mark.parametrize("name", ["readUntil", "read_until", "read/until", "ReadUntil"])
def test_a_name_has_the_same_words_however_it_is_written(name: str) -> None:
    assert split_name(name) == ["read", "until"]
