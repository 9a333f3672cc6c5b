"""What is decided, apart from the words by which somebody says that it is?

"We decided to use Redis for the session cache" and "Decision: Redis is used for the session cache" say one thing, and
"we switched from Redis to Valkey for the session cache" takes it back, though few words tell so.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.pattern import pattern_of
from recollect.replaced import replaced_in
from recollect.retrieve.restate import LONGEST, Statement, read_statement

_DECIDING = """
decide decided deciding decision final agree agreed settle settled choose chose chosen choice commit committed go going goes went let lets let's stick
use used uses using take taking run running keep we us our i team all actually actual no nope yes ok okay so just now finally please remember note that
wir uns unser haben sind beschlossen entschieden entscheidung nutzen verwenden benutzen nehmen setzen den dem der die das als jetzt nun bei beim im für
umgestiegen gewechselt umgestellt migriert ersetzt wurde nous avons décidé décision choisi utiliser utilisons passés passé remplacé la le les du des pour
hemos decidido decisión acordado usar usamos utilizar pasado pasamos cambiamos cambiado migramos el los las para decidimos acordamos decisão vamos o os as
mudamos passamos abbiamo deciso scelto decisione usare usiamo siamo passati il lo per nel nella della besloten gekozen gebruiken we hebben het de voor
overgestapt om te zdecydowaliśmy wybraliśmy decyzja używać używamy przeszliśmy dla мы решили выбрали решение использовать используем перешли для
"""
_RELATIONS = pattern_of(
    r"\b(?:before|after|until|since|against|over|under|above|below|without|except|only|unless|instead|rather|stop|should|must|may|can|could|would|always|never|"
    r"vor|nach|bis|seit|gegen|ohne|außer|nur|soll|muss|darf|avant|après|contre|sans|sauf|antes|después|contra|sin|salvo|prima|dopo|contro|senza|sem|depois|"
    r"tegen|zonder|przed|po|przeciw|bez|против|без|до|после)\b|n't\b|[?？]",
    re.IGNORECASE,
)
"""Words that say little by themselves, and that turn what is said."""
_LEAST = 2  # words without which nothing is said of anything
_LEAST_TURNED = 3  # of those that may begin with what others end with
_HALF = 0.5


@cache
def _deciding() -> frozenset[str]:
    return frozenset(term for word in _DECIDING.split() for term in read_statement(word).words)


def _matter(said: Statement) -> tuple[str, ...]:
    return tuple(part for one in said.order for part in one.split() if part not in _deciding())


def matter_of(text: str) -> str:
    """A text without the words by which it says that something is decided; nothing where it has none of them."""
    if _deciding().isdisjoint(read_statement(text).words):
        return ""
    return " ".join(word for word in text[:LONGEST].split() if not _deciding().issuperset(read_statement(word).words))


def decide_the_same(one: str, other: str) -> bool:
    """Do two texts say the same but for the words of deciding: of the same things, in the same order, alike in all else?"""
    if max(len(one), len(other)) > LONGEST or replaced_in(one) or replaced_in(other):
        return False
    own, its = read_statement(one), read_statement(other)
    words, others = _matter(own), _matter(its)
    if len(words) < _LEAST or sorted(words) != sorted(others) or own.numbers != its.numbers:
        return False
    turned = words == others or _is_turned(words, others)
    return own.negated == its.negated and turned and _relations(one) == _relations(other)


def _relations(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _RELATIONS.findall(text))


def _is_turned(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Does one begin with what the other ends with ("For the session cache …")?"""
    return len(words) >= _LEAST_TURNED and any(words[at:] + words[:at] == others for at in range(1, len(words)))


def takes_back(newer: str, older: str) -> bool:
    """Does a text say that something else stands in the place of what an older one says of the same thing?"""
    pair = replaced_in(newer)
    if pair is None or max(len(newer), len(older)) > LONGEST:
        return False
    was, now = (frozenset(_matter(read_statement(part))) for part in pair)
    stood, said = read_statement(older), frozenset(_matter(read_statement(older)))
    if (before := replaced_in(older)) is not None:
        said -= frozenset(_matter(read_statement(before[0])))  # what stood there even earlier
    if not was or not now or not was <= said or now <= said or stood.negated:
        return False
    of_it, rest = frozenset(_matter(read_statement(newer))) - was - now, said - was
    shared = len(of_it & rest)
    return shared >= _HALF * len(rest) and (shared >= _HALF * len(of_it) or not rest)
