"""Which terms of some texts might deserve a memory of their own?

A concept is named again and again: by headings, in `code marks`, or in Words That Begin Large. Nothing here decides:
the candidates are for somebody to read up on, and every term that was passed over says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import Literal

from msgspec import Struct, field

from recollect.types import Metadata

CandidateType = Literal["concept", "procedure", "decision", "tool_library", "implementation_detail"]
SkipReason = Literal[
    "document_artifact", "format_marker", "action_phrase", "shortcut_marker", "generic_term", "too_long", "weak_term"
]


class Concept(Struct, frozen=True, kw_only=True):
    """A term that may deserve a memory: where it was found, and what speaks for and against it."""

    title: str
    key: str
    type: CandidateType
    score: float
    confidence: float
    occurrences: int
    bonuses: tuple[str, ...]
    penalties: tuple[str, ...]
    adjustment: float
    reasons: tuple[str, ...]
    evidence: tuple[tuple[str, str, Metadata | None], ...]
    evidence_count: int
    objects: tuple[str, ...]
    object_count: int
    source_count: int
    scopes: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The kind of knowledge that it would become."""
        return self.type if self.type in ("procedure", "decision") else "concept"


class SkippedTerm(Struct, frozen=True):
    """A term that was passed over, and why."""

    title: str
    reason: SkipReason
    occurrences: int


class Concepts(Struct, frozen=True):
    """The candidates, the strongest first, and what was passed over, the most frequent first; both cut to a length."""

    candidates: tuple[Concept, ...]
    eligible: int
    skipped: tuple[SkippedTerm, ...]
    skipped_count: int
    passages: int


LONGEST_TERM = 80
MOST_REFS = 5

_PHRASE = re.compile(
    r"(?<!`)`([^`\n]{2,120})`(?!`)"
    r"|\b((?:[A-Z][A-Za-z0-9]+)(?:[ /-](?:[A-Z][A-Za-z0-9]+)){1,5})\b"
    r"|[「『“]([^」』”\n]{2,40})[」』”]"
)
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_MARKS = re.compile(
    r"^ {0,3}(```+|~~~+)[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)"  # fenced code
    r"|^\s{0,3}#{1,6}\s.*$"  # headings, which are told apart from the text
    r"|^[^\S\n]*\[[^\]\n]{1,200}\]:\s.*$"  # where links lead to
    r"|</?[A-Za-z][^<>\n]{0,300}>|<!--[\s\S]*?(?:-->|\Z)|https?://\S+",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,200}\])")
_FRAGMENT = re.compile(r"[.!?;:,)\]] |[\[({]$|^\W|[$\"“”|=<>{}]|\*\*|\]\(")
_WORD = re.compile(r"[^\s/+:_-]+")
_PART = re.compile(r"[^\s/-]+")
_FORMAT = re.compile(
    r"(?:[a-z]{2}-[A-Za-z]{2}|[YMDHmsdy]{2,4}(?:[-/:. ][YMDHmsdy]{2,4})+|--?\w[\w-]*(?:[ =].*)?|<[^>]*>|[\[({].*"
    r"|.*[\])}=;]|~?\.{0,2}/.*|.*\\.*|(?:[\w.-]+/){2,}[\w.-]*|[\w./-]+\.(?:md|py|js|ts|tsx|jsx|json|ya?ml|toml|txt|rs|go|"
    r"java|c|h|cpp|css|html|lock|sh|sql|ini|cfg)|\S+/\S+/|[\w-]+:\S.*|[\w./-]+/[\w-]+\.\w{1,5}|\S+::\S+"
    r"|[a-z][\w -]* --?\w.*|(?:GET|POST|PUT|PATCH|DELETE|HEAD) /.*)"
)
_PLACEHOLDER = re.compile(r"^[a-z][\w-]*(?: .*)? (?:[A-Z]{1,12}|\[[A-Z]+\])$")  # as usage lines of commands have it
_STOPWORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it
    its may me more most must my no nor not of on only or our should so some such than that the their them then there
    these they this those to too was we were what when where which while who why will with would yes you your""".split()
)
_LEADING = frozenset(
    ("a", "an", "and", "the", "this", "that", "these", "those", "our", "your", "its", "in", "on", "for")
)
_GENERIC = frozenset(
    """api architecture background configuration content contents example examples faq features guide help how-to
    implementation index installation install intro introduction license links motivation notes options overview
    parameters quickstart readme reference references related requirements results setup summary table test tests
    testing todo usage
    概述 简介 介绍 安装 使用 目录 示例 参考 背景 总结 说明""".split()
)
_GENERIC_PHRASES = frozenset(
    ("getting started", "quick start", "table of contents", "how it works", "see also", "further reading",
     "code of conduct", "known issues", "new features", "bug fixes", "breaking changes", "best practices",
     "release notes", "miscellaneous chores", "performance improvements", "code refactoring", "dependency updates")
)  # fmt: skip
_ARTIFACT_ENDS = frozenset(
    """example examples feature features reference references task tasks todo todos usage changelog notes log steps step
    questions question checklist license licenses licence history conduct acknowledgements credits badge badges
    """.split()
)
_PASSING = frozenset(("current", "next", "open", "pending", "temporary", "active", "wip", "draft", "scratch"))
_ACTIONS = frozenset(
    """adds builds calls checks converts creates deletes displays evaluates generates gets handles includes keeps lists
    loads makes manages parses prints provides queries reads removes returns runs saves sends sets shows stores supports
    tracks updates uses writes add build call check click copy create delete edit enable install make open press remove
    run select set start stop update write""".split()
)
_KEYS = frozenset(("alt", "cmd", "command", "ctrl", "control", "esc", "escape", "shift", "tab", "enter", "option"))
_PROCEDURES = ("workflow", "process", "procedure", "protocol", "lifecycle", "pipeline", "流程", "步骤")
_DECISIONS = ("use ", "adopt ", "choose ", "select ", "prefer ")
_CORE = ("principle", "design", "architecture", "memory", "model", "policy", "原则", "设计", "架构")
_TOOLS = ("sdk", "cli", "api", "library", "framework", "plugin", "driver", "mcp")
_DETAILS = ("jsonl", "content-type", "config", "not null", "primary key", "varchar", "env var")


class Passage(Struct, frozen=True, kw_only=True):
    """A text in which terms are looked for, and what it is: a segment of a source, or an object that says something.

    `titles` are names of what it is part of: a document is no concept of itself.
    """

    text: str
    headings: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    source: str | None = None
    segment: str | None = None
    locator: Metadata | None = None
    object: str | None = None
    scopes: tuple[str, ...] = ()


class _Found(Struct):
    """A term while it is being counted."""

    title: str
    occurrences: int = 0
    reasons: set[str] = field(default_factory=set[str])
    evidence: dict[tuple[str, str], Metadata | None] = field(default_factory=dict[tuple[str, str], "Metadata | None"])
    objects: dict[str, None] = field(default_factory=dict[str, None])
    scopes: dict[str, None] = field(default_factory=dict[str, None])


def find_concepts(
    passages: Iterable[Passage], known: Set[str] = frozenset(), *, most: int = 10, most_skipped: int = 20
) -> Concepts:
    """The terms that some passages name again and again; `known` are keys (`concept_key`) of what is a concept now."""
    found: dict[str, _Found] = {}
    skipped: dict[str, tuple[str, SkipReason]] = {}
    skips: Counter[str] = Counter()
    headed: set[tuple[str | None, tuple[str, ...]]] = set()
    looked_at = 0
    for passage in passages:
        looked_at += 1
        own = {concept_key(title) for title in passage.titles}
        for raw, reason in _terms(passage, headed):
            title, key, why = _judge(raw)
            if not key or key in own:
                continue
            if why is not None:
                skipped.setdefault(key, (title, why))
                skips[key] += 1
            elif key not in known:
                _count(found.setdefault(key, _Found(title)), passage, reason)
    candidates = sorted(
        (_concept(key, one) for key, one in found.items() if _is_supported(one)),
        key=lambda one: (-one.score, -one.occurrences, one.title),
    )
    passed = sorted(skipped, key=lambda key: (-skips[key], skipped[key][0]))
    return Concepts(
        tuple(candidates[:most]),
        len(candidates),
        tuple(SkippedTerm(*skipped[key], skips[key]) for key in passed[:most_skipped]),
        len(skipped),
        looked_at,
    )


def concept_key(term: str) -> str:
    """The form in which terms are compared: letters and digits alone."""
    return "".join(filter(str.isalnum, term.casefold()))


@lru_cache(maxsize=20_000)
def _judge(raw: str) -> tuple[str, str, SkipReason | None]:
    """A term as it is shown and compared, and why it is passed over; the same few are met again and again."""
    title = _clean(raw)
    is_option = raw.lstrip(" `*_").startswith("-") or _PLACEHOLDER.search(title) is not None
    return title, concept_key(title), "format_marker" if is_option else skip_reason(title)


def _terms(passage: Passage, headed: set[tuple[str | None, tuple[str, ...]]]) -> Iterator[tuple[str, str]]:
    """What a passage names, and how; a heading that several passages of a source stand under counts once."""
    place = (passage.source, passage.headings)
    if passage.headings and place not in headed:
        headed.add(place)
        yield passage.headings[-1], "heading_path"
    text = _MARKS.sub("\n", passage.text) if passage.source else passage.text
    text = _LINK.sub(r"\1", text)
    reason = "knowledge_text" if passage.object is not None else "source_excerpt"
    for match in _PHRASE.finditer(text):
        yield match[match.lastindex or 0], reason


def _clean(term: str) -> str:
    words = term.strip(" \t\r\n`*_#:.,;-").split()
    while len(words) > 1 and words[0].casefold() in _LEADING:
        words.pop(0)
    return " ".join(words)


def skip_reason(term: str) -> SkipReason | None:
    """Why a term is not worth a memory; None where nothing speaks against it."""
    lower = term.casefold()
    words = [word.casefold() for word in _WORD.findall(term)]
    if lower in _GENERIC or lower in _GENERIC_PHRASES:
        return "generic_term"
    if len(term) > LONGEST_TERM:
        return "too_long"
    if _FORMAT.fullmatch(term) or _FRAGMENT.search(term):
        return "format_marker"
    if len(words) > 1:
        is_shouted = len(words) > 2 and term.isupper()  # as licences have it
        if is_shouted or words[-1] in _ARTIFACT_ENDS or (words[0] in _PASSING and len(words) <= 4):
            return "document_artifact"
        if _KEYS.intersection(words) and len(words) <= 4:
            return "shortcut_marker"
        if words[0] in _ACTIONS and not lower.startswith(_DECISIONS):
            return "action_phrase"
    if words and (words[0] in _STOPWORDS or words[-1] in _STOPWORDS):
        return "weak_term"
    lettered = [word for word in _PART.findall(term) if any(map(str.isalpha, word))]  # a_name_like_this is one word
    return None if len(lettered) >= 2 or (_CJK.search(term) and len(term) > 1) else "weak_term"


def _count(one: _Found, passage: Passage, reason: str) -> None:
    one.occurrences += 1
    one.reasons.add(reason)
    if passage.source is not None and passage.segment is not None:
        one.evidence.setdefault((passage.source, passage.segment), passage.locator)
    if passage.object is not None:
        one.objects.setdefault(passage.object)
    for scope in passage.scopes:
        one.scopes.setdefault(scope)


def _is_supported(one: _Found) -> bool:
    """Said more than once, in more than one place or by a heading."""
    places = len(one.evidence) + len(one.objects)
    return one.occurrences >= 2 and (places >= 2 or (places == 1 and "heading_path" in one.reasons))


def _concept(key: str, one: _Found) -> Concept:
    type_ = _type_of(one.title)
    bonuses, penalties = _signals(one, type_)
    adjustment = round(sum(bonuses.values()) + sum(penalties.values()), 3)
    places = len(one.evidence) + len(one.objects)
    sources = len({source for source, _ in one.evidence})
    support = min(0.24, 0.04 * one.occurrences) + min(0.24, 0.08 * places) + min(0.12, 0.06 * sources)
    return Concept(
        title=one.title,
        key=key,
        type=type_,
        score=round(min(1.0, max(0.0, 0.28 + support + adjustment)), 3),
        confidence=round(min(0.85, 0.45 + 0.05 * one.occurrences + 0.08 * places), 3),
        occurrences=one.occurrences,
        bonuses=tuple(bonuses),
        penalties=tuple(penalties),
        adjustment=adjustment,
        reasons=tuple(sorted(one.reasons)),
        evidence=tuple((*place, locator) for place, locator in list(one.evidence.items())[:MOST_REFS]),
        evidence_count=len(one.evidence),
        objects=tuple(one.objects)[:MOST_REFS],
        object_count=len(one.objects),
        source_count=sources,
        scopes=tuple(one.scopes)[:MOST_REFS],
    )


def _type_of(title: str) -> CandidateType:
    lower = title.casefold()
    words = lower.split()
    if any(mark in lower for mark in _DETAILS) or (title == lower and re.fullmatch(r"[a-z0-9_. -]+", lower)):
        return "implementation_detail"
    if any(mark in lower for mark in _PROCEDURES):
        return "procedure"
    if lower.startswith(_DECISIONS) or "decision" in words:
        return "decision"
    if words[-1] in _TOOLS or "/" in title:
        return "tool_library"
    return "concept"


def _signals(one: _Found, type_: CandidateType) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """What lifts a candidate and what lowers it, each by how much."""
    lower = one.title.casefold()
    lifts: dict[str, float] = {}
    lowers: dict[str, float] = {}
    if type_ in ("concept", "procedure", "decision"):
        lifts["durable_memory_candidate"] = 0.08
    if type_ == "procedure":
        lifts["workflow_or_process"] = 0.04
    if any(mark in lower for mark in _CORE):
        lifts["core_abstraction_term"] = 0.06
    if type_ == "tool_library":
        lowers["tool_or_library_name"] = -0.22
    if type_ == "implementation_detail":
        lowers["implementation_detail"] = -0.2
    if any(map(str.isdigit, one.title)) or "/" in one.title:
        lowers["version_or_package_marker"] = -0.04
    return lifts, lowers
