"""How does text become index terms?

Text is normalised (NFKC, case, Latin diacritics), cut into words, and every word becomes one term or several:

- a word in a script that Snowball knows (Latin as English, Cyrillic as Russian, Greek, Arabic, Devanagari) is
  stemmed; a word of any other script that has spaces stays as it is;
- an identifier or a compound (`getUserName`, `os.path`, `e-mail`, `utf8`) gives the whole, run together, and
  its parts;
- a run of a script without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) and of Korean gives
  overlapping pairs of characters, a mark counting as part of the character that it stands on; a Han character
  is a term by itself as well, since many words are one character long and particles come between them.

Indexes are built of these terms: whoever changes what `terms` answers raises `TERMS_VERSION`.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from bisect import bisect
from collections.abc import Callable
from functools import cache
from itertools import chain, pairwise
from typing import TypeVar

import Stemmer

TERMS_VERSION = 2

CACHED_WORDS = 40_000
"""So many words are remembered with what was made of them: nearly all of any text, in 6 MB."""
_LONGEST_CACHED = 48
_LONGEST_TERM = 64

_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3005\u3007\u3041-\u30ff\u3131-\u318f\u31f0-\u31ff"  # Jamo, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"  # Han, Hangul
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff\u200c\u200d"  # Indic vowels are marks; joiners stand inside words
)
_JOINT = r"(?:_+|[.\-'’])"
_LETTERS, _SPACED_LETTERS = (rf"(?:[^\W_{apart}]|[{_MARKS}])+" for apart in (_PAIRED, ""))
# Patterns of many scripts take milliseconds to compile: `re` does it at their first use, and keeps them. A few words
# (most questions have no more, nor has the list of those that are left out of them) are read without.
_ANY_WORD = rf"[{_PAIRED}]+|{_LETTERS}(?:{_JOINT}{_LETTERS})*"
_SPACED_WORD = f"{_SPACED_LETTERS}(?:{_JOINT}{_SPACED_LETTERS})*"
_PLAIN_WORD = rf"[^\W_]+(?:{_JOINT}[^\W_]+)*"
_ASCII_WORD = re.compile(r"[A-Za-z0-9]++(?:(?:_++|[.\-'])[A-Za-z0-9]++)*+")
_NEEDS_ANY = rf"[{_PAIRED}{_MARKS}]"
_MARK = f"[{_MARKS}]"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FEW = 32  # characters
_SPLIT = re.compile(r"[_.\-'’]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])")
_CLITIC = re.compile(r"(?:['’](?:s|m|d|re|ve|ll)|n['’]t)$", re.IGNORECASE)

_FOLDED = str.maketrans({"đ": "d", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ё": "е"})


def _bounds(letters: str) -> list[int]:
    """Where each stretch of a class of characters begins, and what is behind it."""
    stretches: list[tuple[str, str, str]] = re.findall("(.)-(.)|(.)", letters)
    return sorted(bound for low, high, one in stretches for bound in (ord(low or one), ord(high or one) + 1))


_PAIRED_BOUNDS, _HAN_BOUNDS = _bounds(_PAIRED), _bounds(_HAN)


def _stemmer(language: str) -> Callable[[str], str]:
    return Stemmer.Stemmer(language, 0).stemWord  # pyright: ignore[reportUnknownVariableType]  # untyped C library


_stem_latin, _shorten_russian = _stemmer("english"), _stemmer("russian")


def _stem_russian(word: str) -> str:
    """Shortened until it stays: one step makes two terms of some words' forms (`дефицит`, `дефицитом`)."""
    while (shorter := _shorten_russian(word)) != word:
        word = shorter
    return word


_STEM_BY_BLOCK = {
    "LATIN": _stem_latin,
    "CYRILLIC": _stem_russian,
    "GREEK": _stemmer("greek"),
    "ARABIC": _stemmer("arabic"),
    "DEVANAGARI": _stemmer("hindi"),
}
W = TypeVar("W")


class PerWord(dict[str, W]):
    """What is made of a word: worked out when it is first met, and kept for when it comes again.

    When there is no more room, those words stay that came since there was none before.
    """

    def __init__(self, make: Callable[[str], W]) -> None:
        super().__init__()
        self._make, self._before = make, dict[str, W]()

    def __missing__(self, word: str) -> W:
        made = self._before.get(word)
        if made is None:
            made = self._make(word)
            if len(word) > _LONGEST_CACHED or word[0].isdigit():  # numbers and long strings seldom come again
                return made
        if 2 * len(self) >= CACHED_WORDS:
            self._before = dict(self)
            self.clear()
        self[word] = made
        return made


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repeats."""
    return list(chain.from_iterable(map(_known_terms.__getitem__, split_words(text))))


def hash_term(term: str) -> int:
    """A term as an index keeps it."""
    return zlib.crc32(term.encode())


def split_words(text: str) -> list[str]:
    """The words of a text as they stand there; `terms_of` says which terms each becomes."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    text = unicodedata.normalize("NFKC", text)
    if len(text) <= _FEW:
        if max(text) < chr(_PAIRED_BOUNDS[0]):
            return re.findall(_SPACED_WORD if re.search(_MARK, text) else _PLAIN_WORD, text)
        if all(map(_is_paired, text)):
            return [text]
    return re.findall(_ANY_WORD if re.search(_NEEDS_ANY, text) else _PLAIN_WORD, text)


def _is_paired(char: str) -> bool:
    """Is a character of a script without spaces?"""
    return bisect(_PAIRED_BOUNDS, ord(char)) % 2 == 1


def terms_of(word: str) -> tuple[str, ...]:
    """The terms of one word, worked out anew: for who remembers them in a form of its own."""
    if word.isascii() and len(word) <= _LONGEST_TERM:  # most words have no parts, which their letters tell at once
        if word.isalpha() and (word.islower() or word.istitle() or word.isupper()):
            return (_stem_latin(word.lower()),)
        if word.isdigit():
            return (word,)
    return tuple([term[:_LONGEST_TERM] for term in _terms_of(word)])


_known_terms = PerWord(terms_of)


def query_terms(text: str) -> list[str]:
    """The terms of a question: those of `terms` without stop words, unless nothing else would be left."""
    every = terms(text)
    return [term for term in every if term not in stop_terms()] or every


def is_pair(term: str) -> bool:
    """Is this of a script without spaces, and so perhaps no word but a pair that lies across two?"""
    return not term.isascii() and _is_paired(term[0])


def _terms_of(word: str) -> list[str]:
    if word.isascii():
        return _ascii_terms(word)
    if is_pair(word):
        return _pairs(word)
    word = _CLITIC.sub("", word) or word
    parts = [part for part in _SPLIT.split(word) if part]
    if len(parts) < 2:
        return [_stem(fold_letters(word))]
    whole = _stem(fold_letters("".join(parts)))
    return [whole, *(_stem(fold_letters(part)) for part in parts)]


def _ascii_terms(word: str) -> list[str]:
    """The same for words of plain letters."""
    if "'" in word:
        word = _CLITIC.sub("", word) or word
    parts = [part for part in _SPLIT.split(word) if part]
    if len(parts) < 2:
        return [_stem_latin(word.lower())]
    return [_stem_latin("".join(parts).lower()), *[_stem_latin(part.lower()) for part in parts]]


def _pairs(run: str) -> list[str]:
    if not any(unicodedata.category(char)[0] == "M" for char in run):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        return pairs + _han_of(run) or [run]
    clusters: list[str] = []
    for char in run:
        if clusters and unicodedata.category(char)[0] == "M":
            clusters[-1] += char
        else:
            clusters.append(char)
    return [first + second for first, second in pairwise(clusters)] or clusters


def _han_of(run: str) -> list[str]:
    if len(run) <= _FEW:
        return [char for char in run if bisect(_HAN_BOUNDS, ord(char)) % 2]
    return re.findall(f"[{_HAN}]", run)


def fold_letters(word: str) -> str:
    """Lower case, and Latin letters without their diacritics."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    folded = folded.translate(_FOLDED)
    if _block(folded) != "LATIN":
        return folded.replace("\u200c", "").replace("\u200d", "") or folded
    bare = "".join(char for char in unicodedata.normalize("NFD", folded) if not unicodedata.combining(char))
    return bare or folded


def _stem(word: str) -> str:
    if word.isascii():
        return _stem_latin(word) or word
    stem = _STEM_BY_BLOCK.get(_block(word))
    return (stem(word) or word) if stem else word


def _block(word: str) -> str:
    return unicodedata.name(word[0], "").partition(" ")[0]


_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both
but by can could did do does doing don down during each either else ever few for from further had has have
having he her here hers herself him himself his how i if in into is it its itself just me might more most
much must my myself nor not now of off on once only or other our ours out over own same shall she should
since so some such than that the their theirs them themselves then there these they this those though
through to too under until up upon us very was we were what when where whether which while who whom whose
why will with within without would yet you your yours yourself cannot im ive dont doesnt didnt isnt wasnt
arent werent cant couldnt wouldnt shouldnt havent hasnt hadnt wont

и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от
меня еще нет о из ему когда даже ну ли если или ни быть был него до вас нибудь уж вам ведь там потом себя
ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без чего раз тоже себе под будет
ж тогда кто этот того потому этого какой какая какие каких каким какую каком ним здесь этом почти мой тем
чтобы нее были куда зачем всех можно при об это эта эти сколько который которая которые которого которой
которых которую кем чему чей чья каков каково мы нас нам наш наша наше наши нашего нашей моя мои

der das ein eine einen einem einer eines und oder aber ist sind waren wird werden wurde wurden haben hatte
zu zum zur auf aus bei für mit nach von vom vor über unter durch gegen ohne als wie wer wen wem wo wann
warum welche welcher welches welchen nicht kein keine auch nur noch sich sein seine ich mir mich wir uns unser
unsere unserem unseren unserer unseres mein meine meinem meinen meiner meines

les une des du et où mais est sont était étaient été être ont avait dans par pour avec sans sous vers ce cet
cette ces leur leurs qui que quoi quel quelle quels quelles quand comment pourquoi combien ne il elle ils
elles je nous vous notre nos votre vos mes

el los las unos unas pero eran fue fueron ser había del en por para con entre como cómo qué quién quiénes
cuál cuáles cuándo cuánto cuántos cuántas dónde su sus se lo ese esa este esta esto muy más ya nuestro nuestra
nuestros nuestras

il gli uno di nel nella nei dal dalla sul sulla alla alle dei delle della dello degli che quale quali quando
quanto quanti quante dove perché è sono erano stato stata più suo sua suoi nostro nostra nostri nostre mio

um uma uns umas são foi foram tem têm ao aos em com sem quem qual quais quantos quantas onde porque seu sua
seus suas não mais nosso nossa nossos nossas meu meus minha minhas

de het een maar zijn wordt worden werd heeft hebben bij tot voor naar van door hoe wie waar wanneer waarom
welke welk niet geen ook nog dit deze ik wij ons onze mijn
"""

_STOP_PAIRS = """
的 了 是 在 有 和 与 及 或 也 都 就 而 被 把 对 从 到 为 以 于 其 之 这 那 哪 什 么 谁 何 怎 如 吗 呢 吧
个 我 你 他 她 它 们 什么 哪个 哪些 哪里 哪儿 哪年 哪位 哪种 哪一 多少 如何 怎么 怎样 为什 么时 时候 是什
是谁 是否 何时 何地 几个 的是 有什 有多 有哪 在哪 是哪 了多 少个 了什 的什 么是 我的 你的 他的 她的 です
ます した して いる ある これ それ から まで なに いつ どこ だれ 何を 何が
"""


@cache
def stop_terms() -> frozenset[str]:
    """Terms of function words, which a question leaves out. None of them is a content word of English."""
    return frozenset([*(term for word in _STOP_WORDS.split() for term in terms(word)), *_STOP_PAIRS.split()])
