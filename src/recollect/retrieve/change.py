"""Does a new statement change what an older one says, though few of their words are the same?

"Opening hours are now Tuesday to Saturday" shares a single word with "The shop is open Monday to Friday". Three things
speak for it all the same: the new one says itself that something changed, both give a value of the same kind (a day, an
hour, a price), and, where a model is loaded anyway, their vectors lie near each other. And against it speaks that the
values are of different kinds: what a gym costs is not changed by when it is closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter

import msgspec
from msgspec import Struct

from recollect.pattern import pattern_of
from recollect.retrieve.restate import (
    CHANGING,
    KEPT,
    LIKELY,
    NUMBERS_IN_WORDS,
    SETTING,
    Statement,
    are_values,
    differ,
    is_another,
    likelihood,
    read_statement,
    terms_among,
)
from recollect.retrieve.same import say_the_same
from recollect.retrieve.time_words import DAYS, MONTHS

_NEAR, _VERY_NEAR = 5.0, 6.5
"""Standard deviations above the cosine of unrelated texts: so near must be what words alone would tell, and what they
would not. Of what words would tell of 1,050 notes, and lies further apart, one in seven is meant."""
_BY_WORDS = 0.9  # of resemblance: whatever vectors say
_OF_OTHER_KINDS = 0.7  # of resemblance, where values are of different kinds
_LEAST_SHARED = 0.15
_SIGNS = """
new since again left gone sold closed retired retires handed hands lifted bumped shifted slips slipped pushed shortened
extended swapped cut cuts grew dropped drops rises
neu neue neuen neuer neues neuem seit wieder wechselt gewechselt nouveau nouvelle nouveaux depuis déménagé déménagée
nuevo nueva nuevos nuevas desde mudado mudada subió bajó nuovo nuova dal passato passata novo nova nieuw nieuwe sinds
nowy nowa od новый новая новое переехал переехала yeni artık अब
"""
_PHRASES = """
took.over takes.over gave.up went.(?:up|down) goes.(?:up|down) up.to down.to back.to as.of now.on
from.(?:this|today|now|next|january|february|march|april|may|june|july|august|september|october|november)
"""
_UNSPACED = "新 改 換 换 変わ から 변경 바뀌 부터"
_MEASURED = pattern_of(
    r"[$€£¥]|(?:(?<![\w)])[-+])?\d+(?:[.,:]\d+)*"
)  # money, and numbers with their signs and decimals
_MINUS = pattern_of("[\u2212\u2013](?=\\d)")
_SIGNED = pattern_of(r"[<>=!]=|[<>≤≥≠]|\b[^\W\d_]+(?:\+\+|#)(?!\w)")  # comparisons, and what a sign names: C#
_WORD = pattern_of(r"[^\W_]+")
_INITIALS = pattern_of(r"\b[A-Z]{2,4}\b")
_OPPOSED = """
before|after with|without up|down min|max minimum|maximum least|most above|below over|under on|off in|out left|right
more|less more|fewer first|last always|never all|some start|end open|closed enabled|disabled allow|deny true|false
am|pm once|twice rose|fell may|must must|should half|all half|whole and|or if|unless
vor|nach mit|ohne über|unter immer|nie avant|après avec|sans antes|después con|sin prima|dopo com|sem
"""
_MASK = "[masked: "
_HIDDEN = pattern_of(r"\[masked: [^\]\n]+\]")
_HAN = pattern_of("[\u3040-\u9fff]")


class Said(Struct, frozen=True, eq=False):
    """What of a text tells whether it changes another: its words, and whether it says itself that something changed."""

    text: str
    statement: Statement

    @property
    def changing(self) -> Statement:
        """The same, as one that tells of a change where it does in any of its words."""
        return _as_changing(self.text)

    @property
    def kinds(self) -> frozenset[str]:
        return _kinds_of(self.text)


@cache
def _changing(*, spaced: bool) -> re.Pattern[str]:
    """Signs by their first letters, so that few are tried at each word; and in unspaced scripts others."""
    signs = sorted(sign.replace(".", " ") for sign in (_SIGNS + _PHRASES).split())
    by_letter = [f"{first}(?:{'|'.join(sign[1:] for sign in some)})" for first, some in groupby(signs, itemgetter(0))]
    pattern = rf"\b(?:{'|'.join(by_letter)})\b"
    return re.compile(pattern if spaced else f"{pattern}|{'|'.join(_UNSPACED.split())}", re.IGNORECASE)


@cache
def changing_terms() -> frozenset[str]:
    """The terms of single words that tell of a change."""
    return terms_among(_SIGNS) | terms_among(_UNSPACED) | terms_among(CHANGING)


@cache
def _kinds() -> Mapping[str, re.Pattern[str]]:
    """How a value of each kind is written; compiled when the first statement is compared."""
    days, months = _named(DAYS), _named(MONTHS)
    spans = (
        "s|sec|seconds?|min|minutes?|hours?|h|days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|jours?"
        "|mois|semaines?|días?|semanas?|meses|giorni|mesi|dias|dagen|weken|maanden"
    )
    numbers = "|".join(NUMBERS_IN_WORDS.split())
    written = {
        "day": rf"{days}|\bweek(?:day|end)s?\b|\b(?:mon|tue|wed|thu|fri|sat|sun)\b",
        "clock": r"\b\d{1,2}[:.h]\d\d\b|\b\d{1,2} ?(?:am|pm|uhr|h)\b|\d{1,2}[点時时]",
        "money": r"[€$£¥元円]|\b(?:euros?|eur|pounds?|dollars?|usd|chf|zł|francs?|рубл\w*)\b",
        "percent": r"%|\bpercent\b|\bprozent\b",
        "month": rf"{months}|\b\d{{4}}-\d\d\b|\d月",
        "span": rf"\b(?:\d+|one|{numbers}) ?(?:{spans})\b|(?<!\d)\d+[天日年个]",
        "unit": r"\b\d+(?:[.,]\d+)? ?(?:kg|g|mg|mcg|km|m|cm|mm|l|ml|gb|mb|tb|kw|w|v|k)\b",
        "number": r"\d",
    }
    return {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in written.items()}


def _named(table: Mapping[str, str]) -> str:
    names = [name for english, others in table.items() for name in (english, *others.split("|"))]
    spaced = "|".join(name for name in names if not _HAN.search(name))
    unspaced = "|".join(name for name in names if _HAN.search(name))
    return rf"\b(?:{spaced})s?\b" + (f"|{unspaced}" if unspaced else "")


def read_said(text: str) -> Said:
    return Said(text, without_verbs(read_statement(text)))


def without_verbs(statement: Statement) -> Statement:
    """A statement without the words that say only that a thing has a value; as it is where nothing would be left."""
    setting = terms_among(SETTING)
    words = statement.words - setting
    if not words or len(words) == len(statement.words):
        return statement
    order = tuple(one for one in statement.order if one not in setting)
    return msgspec.structs.replace(statement, order=order, words=words, pairs=statement.pairs - setting)


@lru_cache(maxsize=KEPT)
def _as_changing(text: str) -> Statement:
    statement = without_verbs(read_statement(text))
    if statement.changing or not _changing(spaced=text.isascii()).search(text):
        return statement
    return msgspec.structs.replace(statement, changing=True)


@lru_cache(maxsize=KEPT)
def _kinds_of(text: str) -> frozenset[str]:
    return frozenset(kind for kind, pattern in _kinds().items() if pattern.search(text))


def worth_telling(
    new: Said, old: Said, weights: Mapping[str, float], near: float | None = None, *, nearest: bool = False
) -> float:
    """How sure it is that somebody who says one thing should hear of another; 0 where it is not worth telling.

    `near` says how far the cosine of both lies above that of unrelated texts, in standard deviations (None: nobody
    knows), `nearest` that nothing lies nearer. `weights` are the rarities of the new one's words.
    """
    changing = new.changing
    likely, both = likelihood(changing, old.statement, weights)
    very_near = nearest and near is not None and near >= _VERY_NEAR
    about = both >= _LEAST_SHARED and _share_subject(new.statement, old.statement)
    if likely < LIKELY and not (changing.changing and (very_near or about)):
        return 0.0
    if not changing.changing and _forbid_others(new.statement, old.statement):
        return 0.0
    apart = _are_apart(new.kinds, old.kinds)
    if likely >= (_OF_OTHER_KINDS if apart else LIKELY) and not is_another(changing, old.statement, both):
        return likely if near is None or near >= _NEAR or likely >= _BY_WORDS else 0.0
    if not changing.changing or apart:
        return 0.0
    of_a_kind = about and bool((new.kinds & old.kinds) - {"number"}) and (near is None or near >= _NEAR)
    return LIKELY if very_near or of_a_kind else 0.0


def differs(new: Said, old: Said) -> bool:
    """Does one say something that the other does not, or may it: was the same kind of secret masked in both?"""
    return hide_alike(new.text, old.text) or says_otherwise(new, old)


def hide_alike(one: str, other: str) -> bool:
    """Was the same kind of secret masked in both? Whether it was the same one nobody can know."""
    own, its = (_HIDDEN.findall(text) if _MASK in text else [] for text in (one, other))
    return not set(own).isdisjoint(its)


def says_otherwise(new: Said, old: Said) -> bool:
    """Does one say something that the other does not, or the same with two of its words in each other's place?"""
    if say_the_same(new.text, old.text):
        return False
    own, its = new.statement.order, old.statement.order
    moved = [place for place, pair in enumerate(zip(own, its, strict=False)) if pair[0] != pair[1]]
    turned = len(own) == len(its) and len(moved) == 2 and set(own) == set(its)
    return turned or differ(new.changing, old.statement) or _are_opposed(new.text, old.text)


def _are_opposed(new: str, old: str) -> bool:
    """Do two texts differ in what counts as little for what they are about: a sign, a decimal, "before" and "after"?"""
    if frozenset(_SIGNED.findall(new)) != frozenset(_SIGNED.findall(old)):
        return True
    for told in (_numbers_in, _initials_in):
        own, its = told(new), told(old)
        if own - its and its - own:
            return True
    added, dropped = (_words_in(one) - _words_in(other) for one, other in ((new, old), (old, new)))
    return any((one in added and other in dropped) or (other in added and one in dropped) for one, other in _opposed())


def _numbers_in(text: str) -> frozenset[str]:
    found: list[str] = _MEASURED.findall(_MINUS.sub("-", text))
    return frozenset(number.removeprefix("+") for number in found)


def _initials_in(text: str) -> frozenset[str]:
    """EU, US, QA: some of them are small words in one language or another."""
    return frozenset(_INITIALS.findall(text))


def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


@cache
def _opposed() -> tuple[tuple[str, str], ...]:
    """Words of which each says the opposite of the other."""
    return tuple((one, other) for one, _, other in (pair.partition("|") for pair in _OPPOSED.split()))


def _are_apart(new: frozenset[str], old: frozenset[str]) -> bool:
    """Has only one of both a number, or each some of another kind?"""
    own, its = new - {"number"}, old - {"number"}
    if ("number" in new) != ("number" in old):
        return own.isdisjoint(its)  # the day of a month says nothing more than the month
    return bool(own) and bool(its) and own.isdisjoint(its)


def _forbid_others(new: Statement, old: Statement) -> bool:
    """Does each say of another thing that it is not so, or not to be: "never commit secrets", "… generated files"?"""
    others = new.words - old.words and old.words - new.words
    return new.negated and old.negated and bool(others) and new.numbers == old.numbers


def _share_subject(new: Statement, old: Statement) -> bool:
    """Does one of both speak of what the other begins with, which is more than a day or a month?"""
    first, second = (one.order[0].split()[0] if one.order else "" for one in (new, old))
    return any(one in other.words and not are_values(one, one) for one, other in ((first, old), (second, new)))
