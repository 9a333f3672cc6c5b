"""What does a question really ask for, and by which other words might it be answered?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

LONGEST = 400
"""Characters that a question may have; of more than that, the part that asks is looked for."""
MOST_TERMS = 64
_MOST_IDS = 8
SANITIZED = (
    "Long query text was sanitized before retrieval. Use query_sanitizer diagnostics to inspect the applied method."
)
_LABEL = r"(?:question|query|task|user question|用户问题|问题|任务)"
_LABELLED = re.compile(rf"[-*>#\s]*{_LABEL}\**\s*[:：]\**\s*|#+\s*{_LABEL}$", re.IGNORECASE)
_LABEL_BEFORE = re.compile(rf".*\b{_LABEL}\s*[:：]\s*(?=\S)|{_LABEL}\s*[:：]\s*", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"(?<=[。！？])|(?<=[!?])(?=\s|[\"')\]])|\n+"
    r"|(?<=\.)(?<!\b[A-Za-z]\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bMr\.)(?<!\bDr\.)(?<!\betc\.)(?<!\bMrs\.)\s+"
)  # a full stop ends a sentence where white space follows, but not that of "e.g." or "Dr."
_WORD = re.compile(r"[^\W_][\w.-]*", re.UNICODE)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[\u3040-\u30ff]+|[\uac00-\ud7af]+")
_ID = re.compile(r"[^\s,;()\[\]\"'`<>]*[^\s,;()\[\]\"'`<>.?!:]")
_STOPWORDS = frozenset(
    "a an and are as at be by can do does for from how i in is it my of on or our the this that to was we what when"
    " where which who why will with you your 一下 这个 那个 通过 什么 怎么".split()
)

_FILLERS = frozenset(
    "all any anything current currently else every everything find get give have item items latest left list me need"
    " needs newest next now please recent remain remaining remains right should show something still tell there things"
    " us work yet 所有 当前 还有 哪些".split()
)
"""Words that ask for objects without saying which."""


class Sanitized(Struct, frozen=True):
    """The diagnostics of `query_sanitizer`."""

    was_sanitized: bool
    method: str
    original_length: int
    clean_length: int


def sanitize(text: str) -> tuple[str, Sanitized]:
    """The question itself, where someone handed in a whole prompt with it."""
    whole = _on_one_line(text)
    if len(text.strip()) <= LONGEST:
        clean, method = whole, "passthrough"
    elif (labelled := _last_labelled(text.splitlines())) is not None:
        clean, method = labelled, "labeled_line"
    elif (asked := _last_asked(text)) is not None:
        clean, method = asked, "question_sentence"
    elif (labelled := _last_labelled(_SENTENCE_END.split(text))) is not None:
        clean, method = labelled, "labeled_line"
    else:
        clean, method = _on_one_line(text.strip()[-LONGEST:]), "tail_truncation"
    return clean, Sanitized(clean != whole, method, len(text), len(clean))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _last_labelled(lines: Sequence[str]) -> str | None:
    """What follows the last label: on its line, or on the next where the label is a line of its own."""
    rest: str | None = None
    for line in reversed([line for line in map(_on_one_line, lines) if line]):
        match = _LABELLED.match(line)
        told = None if match is None else line[match.end() :] or rest
        if told:
            return told[:LONGEST].strip()
        rest = line
    return None


def _last_asked(text: str) -> str | None:
    for sentence in reversed(_SENTENCE_END.split(text)):
        whole = _on_one_line(sentence).strip(" \"'()[]")
        if not whole.endswith(("?", "？")):
            continue
        asked = _LABEL_BEFORE.sub("", whole[-2 * LONGEST :], count=1)  # of a longer one the end is what asks
        if len(asked) >= 3:
            return asked[-LONGEST:].strip()
    return None


class Rule(NamedTuple):
    """Words that mean the same here, and the objects that a question with one of them is likely about."""

    words: tuple[str, ...]
    more: tuple[str, ...]
    likely: Mapping[str, tuple[str, ...]]


RULES = (
    Rule(
        (
            "待办", "待办项", "todo", "todos", "to-do", "to-dos", "task", "tasks", "任务", "work_item", "work_items",
            "work item", "work items", "action item", "action items", "next step", "next steps", "open work",
            "open issues", "open items", "unfinished", "incomplete", "outstanding", "backlog", "remaining work",
            "pending work", "do next", "left to do", "left to be done", "still to do", "to be done", "have to do",
            "not done", "what's left", "what is left", "what remains", "未完成",
        ), ("open", "pending", "blocked", "in progress"),
        {"object_types": ("work_item",), "statuses": ("open", "in_progress", "blocked", "pending")},
    ),
    Rule(("决策", "决定", "decision", "decisions"), (), {"object_types": ("knowledge",), "kinds": ("decision",)}),
    Rule(("偏好", "preference", "preferences"), (), {"object_types": ("knowledge",), "kinds": ("preference",)}),
    Rule(("流程", "procedure", "procedures"), (), {"object_types": ("knowledge",), "kinds": ("procedure",)}),
    Rule(("证据", "evidence", "source", "sources"), (), {"object_types": ("source", "knowledge")}),
    Rule(
        ("架构", "architecture", "codebase", "repo", "repository", "module", "modules", "源码", "代码"),
        ("code_index", "code_modules"), {"object_types": ("source", "node")},
    ),
)  # fmt: skip


class Plan(Struct, frozen=True):
    """A question as it is searched for: its phrase first, then its words, then words that mean the same."""

    query: str
    words: tuple[str, ...]
    synonyms: tuple[str, ...]
    inferred: Mapping[str, tuple[str, ...]]
    asks_for_kinds: bool = False
    """It says what kind of objects it wants, and nothing else: any of them answers."""
    ids: tuple[str, ...] = ()
    """What may be the id of an object, or the path or address of a source."""

    @property
    def terms(self) -> list[str]:
        """Everything that counts as a match, the phrase first."""
        phrase = [self.query.casefold()] if self.query else []
        return list(dict.fromkeys([*phrase, *self.words, *self.synonyms]))[:MOST_TERMS]


def plan_query(query: str) -> Plan:
    """Which terms a question is matched by, and which filters it suggests."""
    lowered = query.casefold().replace("’", "'")
    words = tuple(split_terms(lowered))
    held = set(words)
    synonyms: list[str] = []
    inferred: dict[str, list[str]] = {}
    rest = lowered
    for rule in RULES:
        spoken = [word for word in (*rule.words, *rule.more) if word in lowered and _occurs(word, lowered)]
        if not set(spoken) & set(rule.words):
            continue
        synonyms += [word for word in (*rule.words, *rule.more) if word not in held and " " not in word]
        for word in sorted(spoken, key=len, reverse=True):
            rest = re.sub(_whole(word), " ", rest)
        for name, values in rule.likely.items():
            inferred.setdefault(name, []).extend(value for value in values if value not in inferred.get(name, ()))
    return Plan(
        query, words, tuple(dict.fromkeys(synonyms)), {name: tuple(values) for name, values in inferred.items()},
        bool(inferred) and not set(split_terms(rest)) - _FILLERS,
        tuple(_ids(query)),
    )  # fmt: skip


def _whole(word: str) -> str:
    """A pattern of a word that is no part of another; scripts without spaces have no such bounds."""
    return rf"(?<!\w){re.escape(word)}(?!\w)" if word.isascii() else re.escape(word)


def _occurs(word: str, text: str) -> bool:
    return re.search(_whole(word), text) is not None


def _ids(query: str) -> list[str]:
    """Words that may be ids, paths or addresses: those with a mark in them, and one that stands alone."""
    found = dict.fromkeys(match[0] for match in _ID.finditer(query))
    return [word for word in found if len(found) == 1 or ":" in word or "/" in word or "." in word][:_MOST_IDS]


def split_terms(lowered: str) -> list[str]:
    """The words that say something, and the pairs of characters of scripts without spaces."""
    found: list[str] = []
    for match in _WORD.finditer(lowered):
        word = match[0].strip(".-")
        runs = _HAN.findall(word)
        if not runs:
            found.append(word)
            continue
        found += [run for run in runs if len(run) > 1]
        found += [run[i : i + 2] for run in runs if len(run) > 2 for i in range(len(run) - 1)]
        found += [part for part in _HAN.sub(" ", word).split() if part.isascii()]
    return list(dict.fromkeys(word for word in found if len(word) > 1 and word not in _STOPWORDS))


def matched_terms(terms: Sequence[str], *texts: str) -> list[str]:
    """Those of the terms that occur in one of the texts."""
    folded = [text.casefold() for text in texts]
    return [term for term in terms if any(term in text for text in folded)]
