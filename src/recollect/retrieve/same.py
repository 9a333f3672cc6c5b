"""Do two texts say the same, so surely that one may stand for both unasked?

Vectors cannot tell: "signed in March" and "signed in May" lie nearer to each other than most rephrasings do. So both
are brought into a normal form, in which only what never changes a meaning is left out: spacing, case where it says
nothing, a full stop at the end of the text, an article, a contraction, a bullet. The words of both must then be the
same, in the same order; what stands at the beginning of one and at the end of the other ("on Mondays") may have moved.
Every number, name, unit, negation and sign counts, and so does a mark inside: "No. Keep the logs" forbids nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from recollect.pattern import pattern_of

_SHORT, _KEPT = 1_000, 256
_LONG_DASH = pattern_of(r"(?:(?<!\s)\s++)?[\u2014\u2015]\s*+")  # it parts what a hyphen joins
_DASHES = pattern_of("[\u2010-\u2013\u2212]")
_QUOTES = pattern_of("[\u2018\u2019\u02bc]")
_DOUBLE_QUOTES = pattern_of("[«»„“”「」『』]")
_OPENING = pattern_of(
    r"^\s*(?:[-*•]\s+(?!\[)|#+\s+|(?:note|fyi|remember|reminder|important|merke|nota|note bien)\s*:\s*)+", re.IGNORECASE
)
_CONTRACTED = (
    (pattern_of(r"\bwon't\b", re.IGNORECASE), "will not"),
    (pattern_of(r"\bcan(?:'t|not)\b", re.IGNORECASE), "can not"),
    (pattern_of(r"(?<=[a-z])n't\b", re.IGNORECASE), " not"),
    (pattern_of(r"(?<=[a-z])'re\b", re.IGNORECASE), " are"),
    (pattern_of(r"(?<=[a-z])'ve\b", re.IGNORECASE), " have"),
    (pattern_of(r"(?<=[a-z])'ll\b", re.IGNORECASE), " will"),
    (pattern_of(r"\b(i)'m\b", re.IGNORECASE), r"\1 am"),
    (pattern_of(r"\b(it|he|she|that|there|here|what|who|where)'s\b", re.IGNORECASE), r"\1 is"),
)
_EMPHASIS = pattern_of(r"(?<![\w*])(\*{1,2})(?=[^\s*])([^*\n]+?)(?<=\S)\1(?![\w*])")
_AND = pattern_of(r"(?<=\w) & (?=\w)")
_JOINING = pattern_of(r"\b(?:and|or|und|oder|et|ou|y|o|e)\b", re.IGNORECASE)
_CLOSING = pattern_of(r"(,[^,.;:!?\n]+,[^,.;:!?\n]+),(?= (?:and|or|und|oder|et|ou|y|o|e) )")
_END = pattern_of(r"(?:(?<![\s.…])[.…。]++|\s*+[!！]++)++\s*\Z")  # a dot that stands by itself may be a folder
_LONGEST_END = 200  # characters
_LINES = pattern_of(r"(?:(?<![ \t])[ \t]++)?\n\s*+")
_LONG_LINE = 20  # characters: what is shorter was not wrapped
_LINE_END = "¶"
_TOKEN = pattern_of(
    r"\[[ xX]\]"  # a box that is ticked or not
    r"|(?<!\S)[-./~@$#%&=<>!*+^|\\]+[^\W\d_]\w*(?:['._@/+#-]?\w+)*[+#]*"  # a sign that begins a word: an option, a path
    r"|[+-]?\d+(?:[.,:/-]\d+)*"  # numbers, times, dates
    r"|[^\W\d_]+(?:['._@/+#-]?[\w]+)*[+#]*"  # words, and what is written as one: a file, an address, C++
    r"|[\w]+"
    r"|[^\s\w]"  # any sign
)
_UNIT = pattern_of(r"(?<=\d)(?=[^\W\d_])")
_OTHERWISE = {"each": "every", "[x]": "[x]", "okay": "ok", "via": "through"} | {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}
_ARTICLES = frozenset({"the", "a", "an"})
_WITH_ARTICLE = frozenset({"few", "little"})  # which say the opposite without one
_CASE_COUNTS = frozenset(
    "may march august polish turkey china mark bill will rose grace hope faith jack frank rich rob art drew pat sue"
    " apple windows slack word excel access teams signal discord go rust swift dart ruby python".split()
)
_MOVES = frozenset(
    "on at in during since until every each from after before by while"
    " am im in seit bis jeden jede jedes ab nach vor bei"
    " en le au aux depuis pendant chaque avant après dans el los cada desde hasta durante antes después"
    " nel dal ogni dopo prima na em todo toda".split()
)
_BINDING = frozenset(
    "only just even mainly mostly to that said says say told tells asked wants thinks knows promised"
    " nur auch zu dass sagt sagte seulement que dit solo sólo dice disse só apenas".split()
)
"""Words beside which a phrase belongs to what it stands next to: "we only deploy on Fridays"."""
_LONGEST_MOVE = 6  # words
_TODAY = pattern_of(
    r"\b(?:now|today|tonight|tomorrow|yesterday|currently|this (?:morning|afternoon|evening|week|month|year)"
    r"|(?:last|next) (?:night|week|month|year)|jetzt|heute|morgen|gestern|aujourd'hui|demain|hier|maintenant|hoy|mañana"
    r"|ayer|ahora|oggi|domani|ieri|adesso|hoje|amanhã|ontem|agora)\b|今天|明天|昨天|现在|今日|明日|昨日|сегодня|завтра|вчера|сейчас",
    re.IGNORECASE,
)


def say_the_same(one: str, other: str) -> bool:
    """Does each of two texts say nothing that the other does not say?"""
    own, its = (_short_form(text) if len(text) <= _SHORT else normal_form(text) for text in (one, other))
    if not any(token[-1].isalnum() for token in own):
        return False
    return _alike(own, its) or _moved(own, its) or _moved(its, own)


@lru_cache(maxsize=_KEPT)
def _short_form(text: str) -> tuple[str, ...]:
    """What is told now is compared with several, and they with what is told next."""
    return normal_form(text)


def depends_on_its_day(text: str) -> bool:
    """Does a text speak of today, so that the same words on another day say something else?"""
    return _TODAY.search(_QUOTES.sub("'", text)) is not None


def normal_form(text: str) -> tuple[str, ...]:
    """The words, signs and marks of a text that may carry meaning, in order."""
    text = _OPENING.sub("", _in_plain_signs(text))
    for pattern, words in _CONTRACTED:
        text = pattern.sub(words, text)
    text = _UNIT.sub(" ", _AND.sub(" and ", _without_idle_marks(text)))
    found: list[str] = _TOKEN.findall(text)
    tokens = [_OTHERWISE.get(token.lower(), token) for token in found]
    if tokens and _is_capitalized(tokens[0]) and tokens[0].lower() not in _CASE_COUNTS:
        tokens[0] = tokens[0].lower()  # it has its capital from where it stands
    after = [*tokens[1:], ""]
    return tuple(token for token, then in zip(tokens, after, strict=False) if not _is_idle_article(token, then))


def _in_plain_signs(text: str) -> str:
    """A text with one sign for all that are written in several ways."""
    text = _QUOTES.sub("'", unicodedata.normalize("NFC", text).replace("\xa0", " ").replace("`", ""))
    text = _DASHES.sub("-", _LONG_DASH.sub(" - ", _DOUBLE_QUOTES.sub('"', text)))
    return "".join(unicodedata.normalize("NFKC", char) if ord(char) >= 0xFF01 else char for char in text)


def _without_idle_marks(text: str) -> str:
    """A text without the few marks that never change what it says.

    These are the ones at its very end, stars around what is stressed, and the comma that closes a list of several; the
    end of a line is a mark, unless it was wrapped there.
    """
    text = text.strip()
    end = _END.search(text, max(0, len(text) - _LONGEST_END))
    text = _LINES.sub(_line_end, _EMPHASIS.sub(r"\2", text if end is None else text[: end.start()]))
    return _CLOSING.sub(r"\1", text) if len(_JOINING.findall(text)) == 1 else text


def _line_end(found: re.Match[str]) -> str:
    text, start, end = found.string, found.start(), found.end()
    wrapped = found[0].count("\n") == 1 and text[end : end + 1].islower()
    return " " if wrapped and start - (text.rfind("\n", 0, start) + 1) >= _LONG_LINE else f" {_LINE_END} "


def _is_capitalized(token: str) -> bool:
    return token[0].isupper() and token[1:].islower()


def _is_idle_article(token: str, then: str) -> bool:
    """A capital A may be a name: the team A, the plan A."""
    return token.lower() in _ARTICLES and token != "A" and then.lower() not in _WITH_ARTICLE


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) and all(map(_same_word, one, other))


def _same_word(one: str, other: str) -> bool:
    """Case says nothing but in short words (US, mW), in words that are also names, and in what is no plain word."""
    if one == other:
        return True
    if any(word[0].islower() and not word.islower() for word in (one, other)):
        return False  # userId, userID: names in code
    folded = one.casefold()
    return folded == other.casefold() and one.isalpha() and len(one) > 3 and folded not in _CASE_COUNTS


def _moved(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Is `other` the same but for its beginning ("on Mondays"), which stands at the end of `one`?"""
    if not other or other[0].casefold() not in _MOVES or not _is_free(one):
        return False
    longest = min(_LONGEST_MOVE, len(one) - 2)
    return any(_alike(one[-size:] + one[:-size], _without_comma(other, size)) for size in range(2, longest + 1))


def _without_comma(words: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The comma behind what stands at the beginning says nothing more."""
    return words[:place] + words[place + 1 :] if words[place : place + 1] == (",",) else words


def _is_free(words: tuple[str, ...]) -> bool:
    """Did only one phrase of that kind stand there? Where there are two, which of them belongs to what may change; and
    so it may where a mark or another word binds it.
    """
    folded = [word.casefold() for word in words]
    return sum(word in _MOVES for word in folded) == 1 and all(
        word not in _BINDING and word[-1].isalnum() for word in folded
    )
