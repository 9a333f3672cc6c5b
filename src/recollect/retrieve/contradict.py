"""Does a text surely say something else of the thing that an older one speaks of?

Who is told that two statements may go together can look at both; what is left out of a brief, or of what a prompt is
given, nobody sees. So more is asked here than that two are alike: a question or a doubt overtakes nothing, and two
rules, or two things of like form, stand side by side. Two rules that set the same thing do not: who is to answer in
English no longer answers in German. Nor does what was replaced, as a later one says, stand beside what replaced it.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.pattern import pattern_of
from recollect.replaced import replaced_in
from recollect.retrieve.asking import stated_in
from recollect.retrieve.decided import takes_back
from recollect.retrieve.quotes import sentences_of
from recollect.retrieve.restate import LONGEST, SURE, Statement, differ, is_number, read_statement, resemblance
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
    return differ(new, old) and resemblance(new, old, {}) >= SURE and not _stand_together(said, older, new, old)


def _stand_together(newer: str, older: str, new: Statement, old: Statement) -> bool:
    """Do two that are alike both hold: of two things with names of their own, or two rules that ask for two things?"""
    called, before = _called(newer), _called(older)
    if any(called[thing].isdisjoint(before[thing]) for thing in called.keys() & before.keys()):
        return True
    if new.changing:
        return False
    ask_alike = new.negated == old.negated and (new.negated or (_is_rule(newer) and _is_rule(older)))
    if ask_alike and new.words - old.words and old.words - new.words:
        return new.negated or not _set_the_same(new, old)
    return len(new.order) == len(old.order) and _differs_often(new.order, old.order)


def _set_the_same(new: Statement, old: Statement) -> bool:
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
