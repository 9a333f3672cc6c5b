"""Which elements does a web page have, also one that is written badly?

Tags and texts are told apart as browsers do it, and elements that nobody closed end where they cannot go on: a row with
the next row, a paragraph with the next block. Every character is looked at a fixed number of times, whatever the page
holds, and nothing is nested deeper than `DEEPEST`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

DEEPEST = 250
_FRAME = frozenset(("html", "head", "body"))  # are there whether they are written or not
_EMPTY = frozenset("area base br col embed frame hr img input keygen link meta param source track wbr".split())
_RAW = frozenset("script style xmp iframe noembed noframes title textarea".split())  # what they hold is no markup
_SPOKEN = ("title", "textarea")  # of those: what may have character references
BLOCKS = frozenset(
    """address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section summary table ul""".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS, _SECTIONS = frozenset(("td", "th")), frozenset(("thead", "tbody", "tfoot", "caption", "colgroup"))
_WITHIN_CELL = frozenset(("td", "th", "caption", "table", "button", "object"))
# What the beginning of an element ends, and what it does not reach beyond.
_ENDS = {
    "li": (frozenset(("li",)), frozenset(("ul", "ol", "menu", *_WITHIN_CELL))),
    **dict.fromkeys(("dt", "dd"), (frozenset(("dt", "dd")), frozenset(("dl", *_WITHIN_CELL)))),
    **dict.fromkeys(_CELLS, (_CELLS, frozenset(("table",)))),
    "tr": (frozenset(("tr", "caption", "colgroup")), frozenset(("table",))),
    **dict.fromkeys(_SECTIONS, (_SECTIONS | {"tr"}, frozenset(("table",)))),
    "option": (frozenset(("option",)), frozenset(("select", "datalist"))),
    "a": (frozenset(("a",)), _WITHIN_CELL),
}
_PARAGRAPH = frozenset(("p",)), _WITHIN_CELL
# An end closes its element, and with it whatever is open inside of it and stands no higher.
_STANDING = {
    **dict.fromkeys(BLOCKS, 2), "p": 0, **dict.fromkeys(_CELLS, 3), "tr": 4, **dict.fromkeys(_SECTIONS, 5), "table": 6,
}  # fmt: skip
_INLINE = 1

_MARKUP = re.compile(r"</?[a-zA-Z]|<[/!?]")
_TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+)>""")
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""")


class Element:
    """A tag, the role that it says it has, and what stands inside of it: texts and elements, in their order."""

    __slots__ = ("parts", "role", "tag")

    def __init__(self, tag: str, role: str = "") -> None:
        self.tag = tag
        self.role = role
        self.parts: list[Element | str] = []

    @property
    def children(self) -> Iterator[Element]:
        return (part for part in self.parts if isinstance(part, Element))

    def walk(self) -> Iterator[Element]:
        """This element and all inside of it, as they are written; what is taken out on the way is not gone into."""
        waiting: list[Element] = [self]
        while waiting:
            yield (element := waiting.pop())
            waiting.extend(reversed(list(element.children)))

    def find(self, *tags: str) -> list[Element]:
        return [element for element in self.walk() if element.tag in tags]

    def text(self, between_blocks: str = "") -> str:
        """All texts inside of it; what begins or ends a block can be kept apart."""
        said: list[str] = []
        waiting: list[Element | str] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                said.append(part)
                continue
            apart = [between_blocks] if between_blocks and (part.tag in BLOCKS or part.tag == "br") else []
            waiting.extend([*apart, *reversed(part.parts), *apart])
        return "".join(said)


def parse_elements(html: str) -> Element:
    """The body of a page, with all that stands in it or before it."""
    root = Element("body")
    opened = [root]
    for part in _tokens(html):
        if isinstance(part, str):
            opened[-1].parts.append(part)
        elif isinstance(part, Element):
            _begin(opened, part)
        else:
            _end(opened, part[0])
    return root


def _tokens(html: str) -> Iterator[str | Element | tuple[str]]:
    """Texts, elements that begin, and the names of those that end."""
    at = 0
    while (found := html.find("<", at)) >= 0:
        if _MARKUP.match(html, found) is None:
            yield unescape(html[at : found + 1])
            at = found + 1
            continue
        if found > at:
            yield unescape(html[at:found])
        tag = _TAG.match(html, found)
        if tag is None:
            at = _after_comment(html, found)
            continue
        at = tag.end()
        closes, name, attributes = tag.groups()
        name = name.lower()
        if name in _FRAME:
            continue
        if closes:
            yield (name,)
            continue
        element = Element(name, _role(attributes))
        if name in _RAW:
            ends = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, at)
            held = html[at : ends.start() if ends else len(html)]
            element.parts.append(unescape(held) if name in _SPOKEN else held)
            at += len(held)
        yield element
    yield unescape(html[at:])


def _after_comment(html: str, at: int) -> int:
    """Where a comment ends, or one of the things that browsers take for one; what nothing ends goes on to the end."""
    if html[at + 1] not in "/!?" or (html[at + 1] == "/" and html[at + 2 : at + 3].isalpha()):
        return len(html)  # a tag that does not end
    mark, inside = ("-->", 2) if html.startswith("<!--", at) else (">", 1)
    ends = html.find(mark, at + inside)
    return len(html) if ends < 0 else ends + len(mark)


def _role(attributes: str) -> str:
    if "role" not in attributes.lower():
        return ""
    found = (match.groups() for match in _ATTRIBUTE.finditer(attributes))
    return next((unescape(next(filter(None, said), "")).lower() for name, *said in found if name.lower() == "role"), "")


def _begin(opened: list[Element], element: Element) -> None:
    name = element.tag
    if name in BLOCKS:
        _close(opened, *_PARAGRAPH)
    if name in _HEADINGS and opened[-1].tag in _HEADINGS:
        opened.pop()
    if name in _ENDS:
        _close(opened, *_ENDS[name])
    opened[-1].parts.append(element)
    if name not in _EMPTY and name not in _RAW and len(opened) < DEEPEST:
        opened.append(element)


def _close(opened: list[Element], tags: Iterable[str], beyond: Iterable[str]) -> None:
    """Ends the outermost open element that has one of these tags, short of those that are not reached beyond."""
    ends = len(opened)
    for at in range(len(opened) - 1, 0, -1):
        if opened[at].tag in tags:
            ends = at
        elif opened[at].tag in beyond:
            break
    del opened[ends:]


def _end(opened: list[Element], name: str) -> None:
    standing = _STANDING.get(name, _INLINE)
    for at in range(len(opened) - 1, 0, -1):
        if opened[at].tag == name:
            del opened[at:]
            return
        if _STANDING.get(opened[at].tag, _INLINE) > standing:
            return
