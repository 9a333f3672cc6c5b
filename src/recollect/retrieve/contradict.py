"""Does a text surely say something else of the thing that an older one speaks of?

Who is told that two statements may go together can look at both; what is left out of a brief, or of what a prompt is
given, nobody sees. So more is asked here than that two are alike: a question or a doubt overtakes nothing, and two
rules, or two things of like form, stand side by side. Two rules that set the same thing do not: who is to answer in
English no longer answers in German. Nor does what was replaced, as a later one says, stand beside what replaced it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache

from recollect.pattern import pattern_of
from recollect.replaced import replaced_in
from recollect.retrieve.asking import stated_in
from recollect.retrieve.change import without_verbs
from recollect.retrieve.decided import takes_back
from recollect.retrieve.quotes import sentences_of
from recollect.retrieve.restate import (
    LIKELY,
    LONGEST,
    SURE,
    Statement,
    are_values,
    differ,
    is_number,
    read_statement,
    resemblance,
)
from recollect.types import Record

_MOST_SENTENCES = 8
_RULE = pattern_of(
    r"\b(?:always|never|must|immer|niemals|nie|muss|müssen|toujours|jamais|doit|doivent|siempre|nunca|deben?|"
    r"sempre|mai|deve|devono|devem|altijd|nooit|moet|moeten|zawsze|nigdy|всегда|никогда|нельзя)\b|"
    r"总是|从不|不要|必须|必ず|決して|항상|절대",
    re.IGNORECASE,
)
_CALLED = pattern_of(r"\b([^\W\d_]{3,}) ([^\W\d_]+[-_]?\d[\w-]*)(?=\W+\w)")
"""A thing and its identifier ("module m01"), of which something is said after it."""

_OF_MANY = pattern_of(
    r"\b(owns?|reviews?|likes?|loves?|hates?|knows?|speaks?|plays?|contains?|includes?|supports?|teaches|taught|handles?|"
    r"maintains?|manages?|leads?|allergic|met|meets with|visited|bought|sold|ate|watched|wrote|flew|called|read|collects?|"
    r"mag|liebt|spricht|kennt|besitzt|spielt|allergisch|aime|parle|possède|habla|parla|fala|gosta|spreekt|говорит|любит)\b",
    re.IGNORECASE,
)
"""What may be said of one and the same with several things: who speaks Czech may speak Turkish as well."""
_UNITS = (
    "second minute hour day week month year euro dollar pound percent gb mb tb kg km cm mm ml stunde tag woche monat"
)
_PLACED = pattern_of(
    r"\b(?:in|at|on|under|near|behind|with|im|am|bei|unter|dans|chez|sur|en|nel|nella)\b", re.IGNORECASE
)
_POLITE = "please thanks bitte danke por favor grazie"
_ALTERNATIVES = (  # a thing that is set to one of these, where one of these words (or none at all) says that it is set
    (
        "english german french spanish italian portuguese dutch polish russian ukrainian turkish swedish danish norwegian finnish czech greek "
        "arabic hebrew hindi japanese chinese mandarin korean deutsch englisch französisch spanisch italienisch portugiesisch polnisch russisch "
        "anglais français allemand espagnol italien portugais inglés español alemán francés italiano portugués inglês alemão francês português "
        "inglese tedesco francese spagnolo engels duits frans nederlands angielsku polsku niemiecku по-английски по-русски по-немецки",
        "answer reply respond write speak talk say antworte antworten schreibe schreiben sprich sprechen rede reden réponds répondez écris écrivez parle "
        "responde responder escribe habla escreve fala rispondi scrivi parla antwoord schrijf spreek odpowiadaj pisz mów отвечай пиши говори",
    ),
    ("npm yarn pnpm bun", "use using prefer install verwende nutze utilise usa"),
    ("pip uv poetry pipenv conda", "use using prefer install verwende nutze utilise usa"),
    ("merge rebase squash", "use using prefer verwende nutze utilise usa"),
    ("tabs spaces", ""), ("single double", ""), ("british american", ""), ("metric imperial", ""), ("dark light", ""),
    ("formal informal", ""), ("short long", ""), ("brief detailed", ""), ("terse verbose", ""), ("snake_case camelCase PascalCase", ""),
)  # fmt: skip


@cache
def _alternatives() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    return tuple((_terms_of(values), _terms_of(said)) for values, said in _ALTERNATIVES)


@cache
def _terms_of(words: str) -> frozenset[str]:
    return frozenset(term for word in words.split() for term in read_statement(word).words)


def statements_in(record: Record) -> list[str]:
    """What is to be compared of a record: its text and, of a message, where it is said among other things ("Sure. …"),
    its first sentences.
    """
    told = sentences_of(record.text) if record.kind == "message" else []
    return [record.text, *(told[:_MOST_SENTENCES] if len(told) > 1 else [])]


def contradicts(newer: str, older: str) -> bool:
    """Does a text surely say something else of the thing that an older one speaks of?"""
    if max(len(newer), len(older)) > LONGEST:
        return False
    said = stated_in(newer)
    if replaced_in(said) is not None:
        return takes_back(said, older)  # it names what it takes back
    new, old = read_statement(said), read_statement(older)
    if not differ(new, old) or _stand_together(said, older, new, old):
        return False
    new_said, old_said = without_verbs(new), without_verbs(old)
    sure = resemblance(new, old, {}) >= SURE or _renames(said, older, new_said, old_said)
    return sure and not _says_of_another(new_said, old_said)


def _says_of_another(new: Statement, old: Statement) -> bool:
    """Does one give its value to another thing, which it names where the other names its own, before what they say of
    it: "the alarm code at Millgate is 5518", "at Harbour Row 7302"? Or differ they in more places than one?

    Whatever tells of a change beside it: "Signe wears 31", "Ottilie wears 26 now".
    """
    ends = _first_value(old, new), _first_value(new, old)
    values = None not in ends
    before, after = (old.order[: ends[0]], new.order[: ends[1]]) if values else (old.order, new.order)
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    replaced = [(before[a:b], after[c:d]) for verb, a, b, c, d in steps if verb == "replace"]
    places = sum(any(_are_things(*pair, new, old) for pair in zip(*parts, strict=False)) for parts in replaced)
    return places > 1 or (places == 1 and values)


def _first_value(one: Statement, other: Statement) -> int | None:
    """Where the first number, day or month stands that the other lacks."""
    return next((at for at, said in enumerate(one.order) if said not in other.order and _is_value(said)), None)


def _is_value(said: str) -> bool:
    return is_number(said) or are_values(said, said)


def _are_things(before: str, after: str, new: Statement, old: Statement) -> bool:
    """May each of two words that stand in the same place name something else? Numbers, days and units do not."""
    if _is_value(before) or _is_value(after):
        return False
    unknown = new.words.isdisjoint(before.split()) and old.words.isdisjoint(after.split())
    return unknown and _terms_of(_UNITS).isdisjoint((before, after))


def _renames(newer: str, older: str, new: Statement, old: Statement) -> bool:
    """Is all that differs a name or a day in the place of another: "the landlord is Mr. Havel", "Mrs. Brok"?"""
    own, its = _apart(new, old)
    if not own or not its or new.numbers or old.numbers or resemblance(new, old, {}) < LIKELY:
        return False
    of_a_kind = len(own) == len(its) == 1 and are_values(own[0], its[0])
    return of_a_kind or (_is_name(newer, own) and _is_name(older, its))


def _apart(new: Statement, old: Statement) -> tuple[list[str], list[str]]:
    """What only each of two says, in order."""
    return [one for one in new.order if one not in old.words], [one for one in old.order if one not in new.words]


def _stand_together(newer: str, older: str, new: Statement, old: Statement) -> bool:
    """Do two that are alike both hold: of two things with names of their own, or two rules that ask for two things?"""
    called, before = _called(newer), _called(older)
    if any(called[thing].isdisjoint(before[thing]) for thing in called.keys() & before.keys()):
        return True
    if new.changing:
        return False
    added, dropped = new.words - old.words, old.words - new.words
    if added and dropped and (new.negated != old.negated or _of_many(newer) & _of_many(older)):
        return new.order[0] == old.order[0]  # this is so and that is not, or both are
    if _of_other_kinds(newer, older, new, old) or _counts_others(new, old):
        return True
    ask_alike = new.negated == old.negated and (new.negated or (_is_rule(newer) and _is_rule(older)))
    if ask_alike and new.words - old.words and old.words - new.words:
        return new.negated or not set_the_same(new, old)
    return len(new.order) == len(old.order) and _differs_often(new.order, old.order)


def _of_many(text: str) -> set[str]:
    return {word.casefold() for word in _OF_MANY.findall(text)}


def _of_other_kinds(newer: str, older: str, new: Statement, old: Statement) -> bool:
    """Is all that two short ones share what they speak of, and is what they say of it not of one kind?

    "The car is red" says nothing against "the car is in the garage". A name may take the place of a name, in the same
    place, and a number or a day that of another.
    """
    if len(new.words & old.words) > 1 or new.numbers or old.numbers or new.negated != old.negated:
        return False
    own, its = _apart(new, old)
    if len(own) == len(its) == 1 and are_values(own[0], its[0]):
        return False
    placed = [_PLACED.search(text) is not None for text in (newer, older)]
    return placed[0] != placed[1] or not (_has_name(newer, own) and _has_name(older, its))


def _has_name(text: str, words: Sequence[str]) -> bool:
    return not _parts(words).isdisjoint(_written_like_names(text))


def _is_name(text: str, words: Sequence[str]) -> bool:
    return _parts(words) <= _written_like_names(text)


def _parts(words: Sequence[str]) -> set[str]:
    return {part for one in words for part in one.split()}


def _written_like_names(text: str) -> set[str]:
    return {term for word in text.split() if word[0].isupper() for term in read_statement(word).words}


def _counts_others(new: Statement, old: Statement) -> bool:
    """Do two give different numbers to different things: "14 in production" and "16 in staging", or two rooms by number
    and what each has?
    """
    if len(new.order) != len(old.order):
        return False
    other = [place for place, (one, two) in enumerate(zip(new.order, old.order, strict=True)) if one != two]
    numbers = {place for place in other if are_values(new.order[place], old.order[place])}
    if not numbers:
        return False
    units = _terms_of(_UNITS)
    after = [place for place in other if place - 1 in numbers and place not in numbers]
    if any(units.isdisjoint((new.order[place], old.order[place])) for place in after):
        return True
    return other[0] == 1 and 1 in numbers and len(other) > 1 and 2 not in other  # the first is what it is called


def set_the_same(new: Statement, old: Statement) -> bool:
    """Do two differ in one word alone, and does one of two such words hold at a time?"""
    added, dropped = new.words - old.words - _terms_of(_POLITE), old.words - new.words - _terms_of(_POLITE)
    both = added | dropped
    return len(added) == len(dropped) == 1 and any(
        both <= values and (not said or not said.isdisjoint(new.words & old.words)) for values, said in _alternatives()
    )


def _is_rule(text: str) -> bool:
    return _RULE.search(text) is not None


def _called(text: str) -> dict[str, set[str]]:
    """The identifiers of the things that a text says something of."""
    found: dict[str, set[str]] = {}
    for thing, name in _CALLED.findall(text.casefold()):
        found.setdefault(thing, set()).add(name)
    return found


def _differs_often(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Do two that put as many words in the same order differ in the first, or in more than one beside numbers?"""
    other = [place for place, (one, two) in enumerate(zip(new, old, strict=True)) if one != two]
    moved = not {new[place] for place in other}.isdisjoint(old)
    words = [place for place in other if not (is_number(new[place]) and is_number(old[place]))]
    return not moved and bool(words) and (words[0] == 0 or len(words) > 1)
