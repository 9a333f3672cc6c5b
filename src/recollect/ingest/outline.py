"""Where are the headings of a text that is written in reStructuredText, AsciiDoc or Org?"""

from __future__ import annotations

import re

OUTLINED = frozenset({".rst", ".adoc", ".asciidoc", ".org"})

_ASCIIDOC = re.compile(r"(={1,6})\s+(\S.*)")
_ORG = re.compile(r"(\*+)\s+(\S.*)")
_LISTING = re.compile(r"(-{4,}|\.{4,}|={4,}|\+{4,}|`{3,})\s*")
_ORG_BLOCK = re.compile(r"\s*#\+(begin|end)_\w+", re.IGNORECASE)
_RULE = re.compile(r"([=\-`:.'\"~^_*+#<>])\1{2,}\s*")

Heading = tuple[int, int, str]
"""Line (from 0), level (from 1), title."""


def find_headings(suffix: str, text: str) -> list[Heading]:
    """The headings of a text in its order, going by how names of such files end."""
    lines = text.split("\n")
    if suffix == ".rst":
        return _underlined(lines)
    return _marked(lines, _ORG if suffix == ".org" else _ASCIIDOC, _ORG_BLOCK if suffix == ".org" else _LISTING)


def _marked(lines: list[str], heading: re.Pattern[str], fence: re.Pattern[str]) -> list[Heading]:
    """Headings that begin with marks, one for each level; none inside a block that is shown as it is."""
    found: list[Heading] = []
    inside = ""
    for number, line in enumerate(lines):
        edge = fence.fullmatch(line) if fence is _LISTING else fence.match(line)
        if edge is not None:
            mark = edge.group(1).lower() if fence is _LISTING else "block"
            begins = mark if fence is _LISTING or edge.group(1).lower() == "begin" else ""
            inside = begins if not inside else ("" if mark == inside or not begins else inside)
        elif not inside and (match := heading.fullmatch(line.rstrip())):
            found.append((number, len(match.group(1)), match.group(2)))
    return found


def _underlined(lines: list[str]) -> list[Heading]:
    """Headings with a rule below them, and maybe one above; levels are in the order in which the rules first occur."""
    found: list[Heading] = []
    styles: list[str] = []
    for number in range(1, len(lines)):
        title, rule = lines[number - 1].rstrip(), _RULE.fullmatch(lines[number])
        if rule is None or not title.strip() or _RULE.fullmatch(title) or len(lines[number].rstrip()) < len(title):
            continue
        over = number >= 2 and lines[number - 2].rstrip() == lines[number].rstrip()
        if not over and title[0].isspace():
            continue
        style = rule.group(1) * (2 if over else 1)
        if style not in styles:
            styles.append(style)
        found.append((number - 2 if over else number - 1, styles.index(style) + 1, title.strip()))
    return found
