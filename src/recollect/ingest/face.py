"""What does a piece of code say of itself, in words?

People ask for code by what it does, and code says that in few places: its name, the place where it stands, its
signature and the comment that documents it. Together they are its face, which a model reads like a sentence.
"""

from __future__ import annotations

import re

_PARTS = re.compile(r"[_\W]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DOC = re.compile(r'[rRbBuU]{0,2}("""|\'\'\')(.*?)\1', re.DOTALL)
_COMMENT = re.compile(r"^\s*(?://[/!]?|#+(?!!)|--|\*|/\*\*?)\s?(.*?)(?:\*/)?\s*$")
_SIGNATURE = re.compile(
    r"^\s*(?:(?:export|public|private|protected|static|async|pub|abstract|final|override|default|inline|virtual)\s+)*"
    r"(?:def|class|function|func|fn|struct|enum|trait|interface|impl|module|type)\b.*"
)
_MOST = 500  # characters of what documents it


def face_of(name: str, path: str, code: str) -> str:
    """Name and place in words, what documents the code, and its signature."""
    place = " ".join(split_name(path.rsplit(".", 1)[0]))
    said = " ".join(split_name(name)) if name != path else ""
    lines = code.split("\n")
    signature = next((line.strip() for line in lines[:40] if _SIGNATURE.match(line)), "")
    return "\n".join(
        part for part in (f"{said} ({place})" if said else place, documentation_of(code), signature[:200]) if part
    )


def split_name(name: str) -> list[str]:
    """The words of a name: `readUntil`, `read_until` and `read/until` are the same."""
    return [part.lower() for part in _PARTS.split(name) if part]


def documentation_of(code: str) -> str:
    """The string or the comment that documents the code, its first paragraphs in one line."""
    found = _DOC.search(code[:4_000])
    if found:
        return " ".join(found[2].split())[:_MOST]
    spoken = [match[1] for line in code.split("\n")[:40] if (match := _COMMENT.match(line)) and match[1]]
    return " ".join(" ".join(spoken).split())[:_MOST]
