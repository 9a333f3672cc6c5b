"""How is a web page written in Markdown, block by block?

Headings, lists, code and tables stay what they are, and what frames a page (menus, footers, forms) is left out. A page
that is short enough is kept whole. Of a longer one it is the part that holds most of what is said outside of links,
without blocks that are mostly links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.ingest.elements import BLOCKS, Element, parse_elements

_FRAME = frozenset("script style noscript template nav footer aside form iframe svg button select title".split())
_FRAME_ROLES = ("navigation", "banner", "contentinfo", "search", "complementary")
_DEEPEST = 200
_PARTS = frozenset("article body center dd div dl li main ol section table tbody td tr ul".split())
_MOST_OF_IT = 0.75  # of what a page says outside of links
_LINKED, _FEWEST_LINKS = 0.6, 3


def page_to_markdown(html: str, *, main_part: bool = False) -> tuple[str | None, str]:
    """The title of a page, and what it (or its main part) says as Markdown."""
    title, root = _read(html)
    mains = root.find("main") or root.find("article")
    parts = [_narrowed(part) for part in mains or [root]] if main_part else mains or [root]
    blocks = [block for part in parts for block in _blocks(part, 0)]
    return title, re.sub(r"\n{3,}", "\n\n", "\n\n".join(blocks)).strip()


def page_to_text(html: str) -> tuple[str | None, str]:
    """The title of a page, and what it says, line by line."""
    title, root = _read(html)
    lines = [" ".join(line.split()) for line in root.text("\n").splitlines()]
    return title, "\n".join(line for line in lines if line)


def _read(html: str) -> tuple[str | None, Element]:
    """The title of a page, and its elements without what frames it."""
    root = parse_elements(html)
    title = next((_inline(each.text()) for each in root.walk() if each.tag == "title"), "")
    for element in root.walk():
        element.parts = [part for part in element.parts if isinstance(part, str) or not _frames(part)]
    return title or None, root


def _frames(element: Element) -> bool:
    return element.tag in _FRAME or element.role in _FRAME_ROLES


def _narrowed(root: Element) -> Element:
    """The innermost element that holds most of what is said outside of links, without blocks that are mostly links."""
    weights = _weigh(root)
    part = root
    while (inner := max(part.children, key=lambda child: weights[child].said, default=None)) is not None:
        if weights[inner].said < _MOST_OF_IT * weights[root].said or inner.tag not in _PARTS:
            break
        part = inner
    for element in part.walk():
        element.parts = [
            one for one in element.parts if isinstance(one, str) or one.tag not in _PARTS or not weights[one].is_menu
        ]
    return part


class _Weight(NamedTuple):
    """How many characters an element says outside of links, how many in them, and how many links that are."""

    said: int = 0
    linked: int = 0
    links: int = 0

    @property
    def is_menu(self) -> bool:
        return self.links >= _FEWEST_LINKS and self.linked > _LINKED * (self.said + self.linked)


def _weigh(root: Element) -> dict[Element, _Weight]:
    """The weight of every element, from the innermost out: each is looked at once."""
    weights: dict[Element, _Weight] = {}
    for node in reversed(list(root.walk())):
        own = sum(len(part.strip()) for part in node.parts if isinstance(part, str))
        inner = [weights[child] for child in node.children]
        said, linked = own + sum(one.said for one in inner), sum(one.linked for one in inner)
        links = sum(one.links for one in inner)
        weights[node] = _Weight(0, said + linked, links + 1) if node.tag == "a" else _Weight(said, linked, links)
    return weights


def _blocks(node: Element, depth: int) -> Iterator[str]:
    """The blocks of an element; what stands between them is a paragraph of its own."""
    own = _block(node, depth)
    if own is not None:
        yield from [own] if own.strip() else []
        return
    said: list[str] = []
    for part in node.parts:
        if isinstance(part, Element) and depth < _DEEPEST and _holds_blocks(part):
            yield from [text] if (text := _inline("".join(said))) else []
            yield from _blocks(part, depth + 1)
            said = []
        else:
            said.append(_spoken(part))
    yield from [text] if (text := _inline("".join(said))) else []


def _block(node: Element, depth: int) -> str | None:
    """An element that is one block of Markdown; None where it is made of others."""
    name = node.tag
    if re.fullmatch(r"h[1-6]", name):
        text = _inline(_spoken(node))
        return f"{'#' * int(name[1])} {text}" if text else ""
    if name == "pre":
        code = node.text().strip("\n")
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
        return f"{fence}\n{code}\n{fence}" if code.strip() else ""
    if name == "table" and depth < _DEEPEST:
        return _table(node)
    if name in ("ul", "ol") and depth < _DEEPEST:
        items = [child for child in node.children if child.tag == "li"]
        marks = (f"{number}." if name == "ol" else "-" for number in range(1, len(items) + 1))
        told = (("\n".join(_blocks(item, depth + 1)), mark) for item, mark in zip(items, marks, strict=True))
        return "\n".join(f"{mark} {_indented(text, len(mark) + 1)}" for text, mark in told if text)
    return None


def _indented(text: str, by: int) -> str:
    return text.replace("\n", "\n" + " " * by)


def _table(node: Element) -> str | None:
    rows = [[_inline(_spoken(cell)) for cell in _nearest(row, "td", "th")] for row in _nearest(node, "tr")]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows if any(row)]
    if not rows or max(map(len, rows)) < 2:
        return None  # it only lays the page out
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def _nearest(node: Element, *tags: str) -> Iterator[Element]:
    """The elements of some tags within one, but none that is within another of them or in a table of its own."""
    left = [*node.children][::-1]
    while left:
        one = left.pop()
        if one.tag in tags:
            yield one
        elif one.tag != "table":
            left += [*one.children][::-1]


def _holds_blocks(node: Element) -> bool:
    return any(each.tag in BLOCKS for each in node.walk())


def _spoken(part: Element | str) -> str:
    """The text of an element within a line; code is marked as such."""
    if isinstance(part, str):
        return part
    if part.tag == "br":
        return "\n"
    if part.tag in ("code", "kbd", "samp", "tt"):
        code = " ".join(part.text().split())
        return f"`{code}`" if code and "`" not in code else code
    return "".join(map(_spoken, part.parts))


def _inline(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line) if "\n" in text.strip() else " ".join(text.split())
