"""Which sentences of a conversation sound like something to keep?

No model is asked. A sentence is a keeper where its words say that something was decided, preferred, corrected, ruled,
found out or fixed, or where somebody asks to remember it; and where nothing in it says that it is a question, a wish of
the moment, a guess or a step of the work at hand. What a person says counts more easily than what an agent says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_SHORTEST, _LONGEST = 18, 400  # characters
_MOST = 3  # of one message
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"(?m)^\s{0,3}(?:>|\||#|\$ |\+|- \[|at |File \").*$")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(A-ZÄÖÜ0-9`])|\n+\s*(?:[-*•]\s+|\d+[.)]\s+)?")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


class Keeper(Struct, frozen=True):
    """A sentence worth keeping: what kind of statement it is, and which rule says so."""

    text: str
    kind: str
    why: str


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_ASKED = re.compile(
    r"(?:[\w #.&-]{1,30}:\s+(?=remember|keep in mind|don't forget|do not forget|merk dir))?(?:please |pls |also |and |ok(?:ay)?,? |so |just )*(?:remember|keep in mind|note|don't forget|do not forget|make a note|"
    r"for (?:the record|future reference|next time)|merk dir|fyi)\b(?:,? (?:this|that|too|also))*\s*[:,-]?\s*(?:that\s+)?(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)

_LIKING = (  # of something that has a name of its own: "I like it" is said of the moment
    r"^i (?:(?:really|strongly|much|always|usually|generally) ){0,2}(?:prefer|like|love|hate|dislike|don't like|do not like|can't stand) "
    r"(?!(?:it|this|that|these|those|the|what|how|where|when|your?|him|her|them|to)\b)",
    r"^ich (?:bevorzuge|mag|hasse) (?!(?:das|es|die|den|dein|deine|wie|was|nicht)\b)",
)
_RULES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("decision", "a decision", _any(
        r"\b(?:we|i|team|they)(?:'ve| have| had)? (?:all )?(?:decided|agreed|settled on|chose|have chosen|went with|committed to)\b",
        r"\b(?:let'?s|we(?:'ll| will| are going to)) (?:go with|stick with|stay with|standardi[sz]e on|settle on|keep using)\b",
        r"\bdecision(?: is| was)?:", r"\bwe(?:'re| are) (?:dropping|deprecating|moving to|switching to|migrating to|retiring)\b",
        r"\b(?:i|we)(?:'m| am|'re| are) going with\b", r"\bfinal (?:decision|answer|call)\b", r"\bwir haben (?:uns )?(?:beschlossen|entschieden)\b",
    )),
    ("preference", "a preference", _any(
        r"\bi(?:'d)? (?:really |strongly |much |always |usually |generally )?(?:prefer|like my|hate|can't stand|dislike|love|don't like|do not like)\b",
        r"\bmy (?:preference|favou?rite|preferred)\b", r"\bi(?:'d| would) rather\b(?!.*\b(?:now|today|this time)\b)", r"\bich (?:bevorzuge|mag kein)", *_LIKING,
    )),
    ("rule", "a rule", _any(
        r"^(?:always|never|from now on|going forward|in future|in the future|whenever|by default|don't ever|do not ever)\b",
        r"\b(?:you|we|everyone|nobody|agents?|it|they|one) (?:must|should|may|can) (?:always|never|not ever|only)\b", r"\b(?:must|may) (?:never|not|only|always)\b",
        r"^(?:please |pls )(?:always|never)\b", r"\bour \w+ (?:is|are) (?:always|never)\b",
        r"\bfrom now on\b", r"\bgoing forward\b", r"\b(?:we|i) (?:always|never)\b", r"\bour (?:convention|rule|policy|style guide|standard)\b",
        r"\b(?:the|a) (?:convention|rule|policy) (?:is|here is)\b", r"\bis (?:forbidden|not allowed|mandatory|off[- ]limits|required for every|required for all)\b",
        r"\bevery (?:pr|pull request|commit|release|migration|change|endpoint|test) (?:must|needs|has to|gets|requires)\b", r"^(?:don't|do not|please don't|never) (?:use|push|commit|merge|touch|edit|run|add|deploy|call|write|send|change)\b",
    )),
    ("correction", "a correction", _any(
        r"^(?:no|nope|wrong|actually|that's (?:wrong|not right|incorrect|outdated)|correction|not quite)\b[,.:;—– -]+.*\b(?:is|are|was|were|has|have|uses?|runs?|lives?|means?|moved|goes|should|called|comes?|starts?|ends?|belongs?|it's)\b",
        r"\b(?:is|was|are|were) (?:wrong|outdated|not true any ?more|no longer (?:true|valid|used|supported|in use|ours))\b", r"\bno longer (?:use|uses|works?|runs?|lives?|exists?)\b", r"\bnot .{2,40}, (?:but|it's)\b",
    )),
    ("fix", "a fix that worked", _any(
        r"\b(?:the )?(?:fix|solution|workaround|trick|remedy) (?:is|was|that worked|turned out)\b", r"\b(?:root cause|the culprit|the real cause|the actual cause|the cause) (?:is|was|of)\b",
        r"\b(?:it turns out|turns out|turned out)\b", r"\b(?:that|this|which|it) (?:fixed|solved|resolved) (?:it|the|this)\b", r"\bfixed (?:it |this |the \w+ )?by\b", r"\bsolved (?:it |this )?by\b",
        r"\b(?:bug|problem|issue|failure|flake|leak|crash|error|hang|test|outage) was caused by\b",
        r"\bthe (?:bug|problem|issue|failure|flake|leak|crash|error|hang) (?:was|came from|comes from|is caused by|was caused by)\b",
    )),
    ("fact", "a fact about a person or a system", _any(
        r"\bmy (?:name|wife|husband|partner|son|daughter|boss|manager|team|company|birthday|timezone|time zone|phone|dog|cat|doctor|address|role|job)(?:'s \w+)? (?:is|are|has)\b", r"\bi(?:'m| am) (?:allergic|vegetarian|vegan|based in|a \w+ (?:at|in|from)|an \w+ (?:at|in|from)|responsible for|on call|the (?:owner|lead|maintainer))\b",
        r"\bmy (?:sister|brother|mother|father|mum|mom|dad|wife|husband|partner|son|daughter|aunt|uncle|grandmother|grandfather)(?: \w+)? (?:is|has|lives|works)\b",
        r"\bi (?:live|work|moved|was born|own|maintain|report) (?:in|at|to|as|with|the|on)\b",
        r"\b(?:the )?(?:prod(?:uction)?|staging|dev|test|ci|backup|primary|main|master|release|nightly|build|database|db|server|cluster|api|service|repo(?:sitory)?|dashboard|cron|job|queue|bucket|domain|certificate|contract|license|office|deadline|budget|limit|quota|port|schema|endpoint|log)s?(?: \w+){0,5} (?:is|are|lives?|runs?|sits?|listens?|expires?|points? to|uses?|belongs? to|ends?|happens?|resets?|starts?|goes?|go|moves?|restarts?) (?:in|on|at|to|from|under|by|every|the|a|an|only|behind|owned|called|named|\d|port|postgres|version|with|frozen|read-only)",
        r"\b[A-Z][a-z]+ (?:owns|leads|maintains|is (?:our|the|responsible|on)|handles|runs|reviews|approves|works (?:at|on|in|from)|lives in|prefers|hates|likes)\b", r"\b(?:we|our \w+) (?:use|run|host|deploy|store|keep|ship|release|bill|pay)\b(?! (?:this|that|it)\b)",
    )),
)  # fmt: skip

_OUT = _any(
    r"^i (?:really )?(?:love|like) (?:how|what|it)\b",
    r"\?\s*$", r"^(?:can|could|would|should|do|does|did|is|are|was|what|why|how|when|where|who|which|shall|may)\b(?!.*\.\s*$)", r"\b(?:maybe|perhaps|probably|possibly|might|not sure|i think|i guess|i wonder|seems?|looks like|could be|what if|unless|would be|suppose|hypothetically|let me know)\b",
    r"^(?:let me|i'll|i will|i'm going to|i am going to|now i|next,? i|first,? i|let's see|let's (?:check|look|try|start|run)|checking|looking|running|reading)\b", r"\b(?:right now|for now|just this once|this time|for today|in this (?:file|function|test|commit|branch|pr|diff)|in the (?:next|following) step|(?:above|below)(?! \d)|here's|here is)\b",
    r"\bif you (?:want|like|prefer|need)\b", r"^i (?:have |'ve )?(?:just )?(?:added|updated|created|changed|removed|renamed|implemented|wrote|ran|edited|refactored|committed|pushed|moved the)\b", r"\b(?:example|e\.g\.|for instance|lorem|joking|kidding|just saying)\b", r"\b(?:thanks|thank you|great job|nice|sounds good|perfect)\b[.!]*$",
)  # fmt: skip
_AGENT_SAYS = ("decision", "fix")
_OF_MYSELF = _any(
    *_LIKING, r"\bi(?:'m| am) (?:allergic|vegetarian|vegan|lactose|diabetic|colou?r[- ]?blind|left[- ]handed)\b"
)
_WORDY = re.compile(r"[^\W\d_]{2,}")


def find_keepers(text: str, role: str) -> list[Keeper]:
    """The sentences of a message that are worth keeping, in order; at most three."""
    found: list[Keeper] = []
    for sentence in _sentences(text):
        keeper = _judge(sentence, role)
        if keeper is not None and all(keeper.text != one.text for one in found):
            found.append(keeper)
    return found[:_MOST]


def _sentences(text: str) -> Iterator[str]:
    prose = _QUOTED.sub("", _CODE.sub("\n", text))
    for part in _SENTENCE.split(prose):
        sentence = _BULLET.sub("", part or "").strip().replace("**", "")
        if sentence:
            yield " ".join(sentence.split())


def _judge(sentence: str, role: str) -> Keeper | None:
    asked = _ASKED.match(sentence) if role == "user" else None
    if asked is not None and not sentence.endswith("?"):
        said = asked["said"].strip()
        if len(said) >= _SHORTEST // 2 and len(_WORDY.findall(said)) >= 2:
            return Keeper(said[:1].upper() + said[1:_LONGEST], _kind_of(said), "asked to be remembered")
    least = 3 if _OF_MYSELF.search(sentence) else 5
    if not _SHORTEST <= len(sentence) <= _LONGEST or len(_WORDY.findall(sentence)) < least or _OUT.search(sentence):
        return None
    for kind, why, pattern in _RULES:
        if pattern.search(sentence) and (role == "user" or kind in _AGENT_SAYS):
            return Keeper(sentence, kind, why)
    return None


def _kind_of(said: str) -> str:
    return next((kind for kind, _, pattern in _RULES if pattern.search(said)), "fact")
