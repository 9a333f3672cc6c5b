"""Do two texts say the same, so surely that one may stand for both unasked?

Vectors cannot tell: "signed in March" and "signed in May" lie nearer to each other than most rephrasings do. So both
are brought into a normal form, in which only what never changes a meaning is left out: spacing, case where it says
nothing, marks at the ends of words, an article, a contraction, a bullet. The words of both must then be the same, in
the same order; what stands at the beginning of one and at the end of the other ("on Mondays") may have moved. Every
number, name, unit, negation, sign and question mark counts.
"""

from __future__ import annotations

import re
import unicodedata

from recollect.pattern import pattern_of

_DASHES = pattern_of("[\u2010-\u2015\u2212]")
_QUOTES = pattern_of("[\u2018\u2019\u02bc]")
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
_TOKEN = pattern_of(
    r"\[[ xX]\]"  # a box that is ticked or not
    r"|[+-]?\d+(?:[.,:/-]\d+)*"  # numbers, times, dates
    r"|[^\W\d_]+(?:['._@/+#-]?[\w]+)*[+#]*"  # words, and what is written as one: a file, an address, C++
    r"|[\w]+"
    r"|[^\s\w.,;:!()\"'`*_\[\]{}«»„“”‚’‘…·、。，；：！（）「」『』-]"  # any sign that may mean something
)
_JOINED = pattern_of(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_UNIT = pattern_of(r"(?<=\d)(?=[^\W\d_])")
_OTHERWISE = {"each": "every", "[x]": "[x]", "okay": "ok", "via": "through"} | {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}
_ARTICLES = frozenset({"the", "a", "an"})
_CASE_COUNTS = frozenset(
    "may march august polish turkey china mark bill will rose grace hope faith jack frank rich rob art drew pat sue"
    " apple windows slack word excel access teams signal discord go rust swift dart ruby python".split()
)
_MOVES = frozenset(
    "on at in during since until every each from after before by while when if for"
    " am im in seit bis jeden jede jedes ab nach vor bei wenn für"
    " en le au aux depuis pendant chaque avant après dans si el los cada desde hasta durante antes después"
    " nel dal ogni dopo prima no na em todo toda".split()
)
_LONGEST_MOVE = 6  # words
_TODAY = pattern_of(
    r"\b(?:now|today|tonight|tomorrow|yesterday|currently|this (?:morning|afternoon|evening|week|month|year)"
    r"|(?:last|next) (?:night|week|month|year)|jetzt|heute|morgen|gestern|aujourd'hui|demain|hier|maintenant|hoy|mañana"
    r"|ayer|ahora|oggi|domani|ieri|adesso|hoje|amanhã|ontem|agora)\b|今天|明天|昨天|现在|今日|明日|昨日|сегодня|завтра|вчера|сейчас",
    re.IGNORECASE,
)


def say_the_same(one: str, other: str) -> bool:
    """Does each of two texts say nothing that the other does not say?"""
    own, its = normal_form(one), normal_form(other)
    if not own or len(own) != len(its):
        return False
    return _alike(own, its) or _moved(own, its) or _moved(its, own)


def depends_on_its_day(text: str) -> bool:
    """Does a text speak of today, so that the same words on another day say something else?"""
    return _TODAY.search(_QUOTES.sub("'", text)) is not None


def normal_form(text: str) -> tuple[str, ...]:
    """The words and signs of a text that may carry meaning, in order."""
    text = _DASHES.sub("-", _QUOTES.sub("'", unicodedata.normalize("NFC", text).replace("\xa0", " ")))
    text = "".join(unicodedata.normalize("NFKC", char) if ord(char) >= 0xFF01 else char for char in text)
    text = _OPENING.sub("", text)
    for pattern, words in _CONTRACTED:
        text = pattern.sub(words, text)
    text = _UNIT.sub(" ", _JOINED.sub(" ", text.replace("&", " and ")))
    found: list[str] = _TOKEN.findall(text)
    tokens = [_OTHERWISE.get(token.lower(), token) for token in found]
    if tokens and tokens[0].istitle() and tokens[0].lower() not in _CASE_COUNTS and len(tokens[0]) > 1:
        tokens[0] = tokens[0].lower()  # it has its capital from where it stands
    return tuple(token for token in tokens if not _is_article(token))


def _is_article(token: str) -> bool:
    """A capital A may be a name: the team A, the plan A."""
    return token.lower() in _ARTICLES and token != "A"


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) and all(map(_same_word, one, other))


def _same_word(one: str, other: str) -> bool:
    """Case says nothing but in short words (US, mW), in words that are also names, and in what is no plain word."""
    if one == other:
        return True
    folded = one.casefold()
    return folded == other.casefold() and one.isalpha() and len(one) > 3 and folded not in _CASE_COUNTS


def _moved(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Is `other` the same but for its beginning ("on Mondays"), which stands at the end of `one`?"""
    if not other or other[0].casefold() not in _MOVES:
        return False
    longest = min(_LONGEST_MOVE, len(one) - 2)
    return any(_alike(one[-size:] + one[:-size], other) and _is_free(one) for size in range(2, longest + 1))


def _is_free(words: tuple[str, ...]) -> bool:
    """Did only one phrase of that kind stand there? Where there are two, which of them belongs to what may change."""
    return sum(word.casefold() in _MOVES for word in words) == 1
