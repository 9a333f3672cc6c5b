"""How is a web page written in Markdown, block by block?

Headings, lists, code and tables stay what they are, and what frames a page (menus, footers, forms) is left out. A page
that is short enough is kept whole. Of a longer one it is the part that holds most of what is said outside of links,
without blocks that are mostly links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol, cast

_FRAME = (
    "script", "style", "noscript", "template", "nav", "footer", "aside", "form", "iframe", "svg", "button", "select",
    "head",
)  # fmt: skip
_FRAME_ROLES = ("navigation", "banner", "contentinfo", "search", "complementary")
_BLOCKS = frozenset(
    """address article blockquote body center dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 header
    hr html li main ol p pre section summary table ul""".split()
)
_DEEPEST = 200
_PARTS = frozenset("article body center dd div dl html li main ol section table tbody td tr ul".split())
_MOST_OF_IT = 0.75  # of what a page says outside of links
_LINKED, _FEWEST_LINKS = 0.6, 3


class Node(Protocol):
    """What is asked of an element of lxml, which has no types."""

    tag: object
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator[Node]: ...
    def iter(self, *tags: object) -> Iterator[Node]: ...
    def get(self, name: str) -> str | None: ...
    def findall(self, path: str) -> list[Node]: ...
    def findtext(self, path: str) -> str | None: ...
    def text_content(self) -> str: ...
    def drop_tree(self) -> None: ...
    def iterancestors(self) -> Iterator[Node]: ...


def page_to_markdown(html: str, *, main_part: bool = False) -> tuple[str | None, str]:
    """The title of a page, and what it (or its main part) says as Markdown."""
    title, root = _read(html)
    if root is None:
        return title, ""
    mains = root.findall(".//main") or root.findall(".//article")
    parts = [_narrowed(part) for part in mains or [root]] if main_part else mains or [root]
    blocks = [block for part in parts for block in _blocks(part, 0)]
    return title, re.sub(r"\n{3,}", "\n\n", "\n\n".join(blocks)).strip()


def page_to_text(html: str) -> tuple[str | None, str]:
    """The title of a page, and what it says, line by line."""
    title, root = _read(html)
    lines = [] if root is None else [" ".join(line.split()) for line in root.text_content().splitlines()]
    return title, "\n".join(line for line in lines if line)


def _read(html: str) -> tuple[str | None, Node | None]:
    """The title of a page, and its elements without what frames it; None where there are none."""
    from lxml import etree  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue] -- has no types
    from lxml.html import document_fromstring  # pyright: ignore[reportUnknownVariableType]

    try:
        root = cast("Node", document_fromstring(html))
    except (etree.LxmlError, ValueError):  # pyright: ignore[reportUnknownMemberType] -- empty, or of two minds on its encoding
        return None, None
    title = root.findtext(".//title")
    for framed in [*root.iter(*_FRAME), *root.iter(cast("object", etree.Comment))]:
        framed.drop_tree()
    for framed in [each for each in root.iter() if each.get("role") in _FRAME_ROLES]:
        framed.drop_tree()
    return _inline(title or "") or None, root


def _narrowed(root: Node) -> Node:
    """The innermost element that holds most of what is said outside of links, without blocks that are mostly links."""
    weights = _weigh(root)
    part = root
    while (inner := max(part, key=lambda child: weights[child].said, default=None)) is not None:
        if weights[inner].said < _MOST_OF_IT * weights[root].said or inner.tag not in _PARTS:
            break
        part = inner
    menus = [each for each in part.iter() if each.tag in _PARTS and each is not part and weights[each].is_menu]
    for menu in menus:
        if any(above is part for above in menu.iterancestors()):  # not one in another that has gone
            menu.drop_tree()
    return part


class _Weight(NamedTuple):
    """How many characters an element says outside of links, how many in them, and how many links that are."""

    said: int = 0
    linked: int = 0
    links: int = 0

    @property
    def is_menu(self) -> bool:
        return self.links >= _FEWEST_LINKS and self.linked > _LINKED * (self.said + self.linked)


def _weigh(root: Node) -> dict[Node, _Weight]:
    """The weight of every element, from the innermost out: each is looked at once."""
    weights: dict[Node, _Weight] = {}
    for node in reversed(list(root.iter())):
        own = len((node.text or "").strip()) if isinstance(node.tag, str) else 0
        inner = [weights[child] for child in node]
        tails = sum(len((child.tail or "").strip()) for child in node)
        said, linked = own + tails + sum(one.said for one in inner), sum(one.linked for one in inner)
        links = sum(one.links for one in inner)
        weights[node] = _Weight(0, said + linked, links + 1) if node.tag == "a" else _Weight(said, linked, links)
    return weights


def _blocks(node: Node, depth: int) -> Iterator[str]:
    """The blocks of an element; what stands between them is a paragraph of its own."""
    name = node.tag if isinstance(node.tag, str) else ""
    own = _block(node, name, depth)
    if own is not None:
        yield from [own] if own.strip() else []
        return
    said = [node.text or ""]
    for child in node:
        if depth < _DEEPEST and _holds_blocks(child):
            yield from [text] if (text := _inline("".join(said))) else []
            yield from _blocks(child, depth + 1)
            said = [child.tail or ""]
        else:
            said += [_spoken(child), child.tail or ""]
    yield from [text] if (text := _inline("".join(said))) else []


def _block(node: Node, name: str, depth: int) -> str | None:
    """An element that is one block of Markdown; None where it is made of others."""
    if re.fullmatch(r"h[1-6]", name):
        text = _inline(_spoken(node))
        return f"{'#' * int(name[1])} {text}" if text else ""
    if name == "pre":
        code = node.text_content().strip("\n")
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
        return f"{fence}\n{code}\n{fence}" if code.strip() else ""
    if name == "table" and depth < _DEEPEST:
        return _table(node)
    if name in ("ul", "ol") and depth < _DEEPEST:
        items = [child for child in node if child.tag == "li"]
        marks = (f"{number}." if name == "ol" else "-" for number in range(1, len(items) + 1))
        told = (("\n".join(_blocks(item, depth + 1)), mark) for item, mark in zip(items, marks, strict=True))
        return "\n".join(f"{mark} {_indented(text, len(mark) + 1)}" for text, mark in told if text)
    return None


def _indented(text: str, by: int) -> str:
    return text.replace("\n", "\n" + " " * by)


def _table(node: Node) -> str | None:
    rows = [[_inline(_spoken(cell)).replace("|", "\\|") for cell in row.iter("td", "th")] for row in node.iter("tr")]
    rows = [row for row in rows if any(row)]
    if not rows or max(map(len, rows)) < 2:
        return None  # it only lays the page out
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def _holds_blocks(node: Node) -> bool:
    return any(each.tag in _BLOCKS for each in node.iter())


def _spoken(node: Node) -> str:
    """The text of an element within a line; code is marked as such."""
    if not isinstance(node.tag, str):
        return ""
    if node.tag == "br":
        return "\n"
    if node.tag in ("code", "kbd", "samp", "tt"):
        code = " ".join(node.text_content().split())
        return f"`{code}`" if code and "`" not in code else code
    return "".join([node.text or "", *(part for child in node for part in (_spoken(child), child.tail or ""))])


def _inline(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line) if "\n" in text.strip() else " ".join(text.split())
