"""Is a text about another thing than the one that a question calls by a number, a letter, a person's name, or a way?

"Exam 2 is in hall C" is as near to "where is exam 1?" as "Exam 1 is in hall B", and newer; "Sara's brother lives in
Dresden" holds every word of "where does Sara live?", and "the bus from Kalnes" of one to Kalnes. What a thing is called
by stands beside the same word in the question and in the text that is meant, and another stands there in the one that
is not. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from msgspec import Struct

from recollect.pattern import pattern_of
from recollect.retrieve.restate import KEPT, LONGEST
from recollect.retrieve.time_words import DAYS, MONTHS
from recollect.store.terms import stop_terms, terms_of

_MOST_WORDS = 60
"""A longer text speaks of more than one thing."""
_WORD = pattern_of(r"[^\W_]+")
_LABEL = pattern_of(r"\d{1,3}[^\W\d_]?|[^\W\d_]{1,2}\d{1,3}|(?!s)[^\W\d_]")
"""How things are called in a row: sprint 12, class 3a, building C2, team B. Larger numbers are mostly values."""
_STILL = frozenset("still noch encore toujours todavía aún ancora ainda nog jeszcze ещё".split())
"""Who asks whether it is still channel 36 is answered by channel 52."""
_KIN = """
brother sister sibling wife husband mother father mum mom mummy dad daddy daughter son child children kid kids partner
girlfriend boyfriend fiancé fiancée friend cousin aunt uncle niece nephew grandmother grandfather grandma grandpa
parents boss neighbour neighbor colleague roommate flatmate assistant dog cat twin ex
bruder schwester frau mann mutter vater mama papa tochter sohn kind kinder partnerin freund freundin cousine tante
onkel nichte neffe oma opa großmutter großvater eltern chef chefin nachbar nachbarin kollege kollegin hund katze
frère sœur femme mari mère père fille fils enfant enfants ami amie tante oncle grand voisin voisine collègue chien chat
hermano hermana esposa esposo mujer marido madre padre hija hijo novia novio amigo amiga tía tío abuela abuelo vecino
vecina colega perro gato
fratello sorella moglie marito madre padre figlia figlio fidanzata fidanzato zia zio nonna nonno vicino cane gatto
irmão irmã esposa marido mãe pai filha filho namorada namorado avó avô cachorro
broer zus vrouw man moeder vader dochter zoon kind vriend vriendin buurman buurvrouw hond kat
brat siostra żona mąż matka ojciec córka syn przyjaciel sąsiad pies kot
брат сестра жена муж мать отец мама папа дочь сын друг подруга сосед собака кошка кот
"""
_OF = frozenset("of de di da do van von d del della du".split())
_WAYS = """
to|from in|out up|down on|off before|after nach|von nach|aus vor|nach hin|zurück a|da naar|van do|z в|из
"""
_REACH = 3
"""So many words may stand between a person and who belongs to them: "Sara's (older) brother"."""


class Called(Struct, frozen=True, eq=False):
    """What of a text tells which of several like things it is about."""

    words: tuple[str, ...]
    terms: frozenset[str]
    """Of what it speaks, without function words."""
    pairs: frozenset[tuple[str, str]]
    labels: Mapping[str, frozenset[str]]
    """Numbers and letters behind the word that things are called by: class 3a, team B."""


def speaks_of_another(question: str, meant: str, other: str) -> bool:
    """Does the other text speak of another thing than the one that is asked for, and what is `meant` of that?

    One that has a word of the question which the other text lacks is not passed over for that.
    """
    asked, its, own = read_called(question), read_called(meant), read_called(other)
    if max(len(its.words), len(own.words)) > _MOST_WORDS or not _STILL.isdisjoint(asked.words):
        return False
    if asked.terms & own.terms - its.terms:
        return False
    return _is_next(asked, its, own) or _is_kin(asked, its, own) or _leads_back(asked, its, own)


def may_speak_of_another(question: str, other: str) -> bool:
    """Is there anything in a question and in a text by which that could be called otherwise?"""
    asked, own = read_called(question), read_called(other)
    ways = not _both_ways().isdisjoint(asked.words) and not _both_ways().isdisjoint(own.words)
    return ways or not asked.labels.keys().isdisjoint(own.labels) or not _kin().isdisjoint(own.words)


def _is_next(asked: Called, meant: Called, other: Called) -> bool:
    """Is the other called otherwise where the question says what is meant: exam 2 for exam 1?"""
    for word, labels in asked.labels.items():
        wanted = labels & meant.labels.get(word, frozenset())
        instead = other.labels.get(word, frozenset()) - labels
        if wanted and instead and wanted.isdisjoint(other.words):
            return True
    return False


def _is_kin(asked: Called, meant: Called, other: Called) -> bool:
    """Does the other speak of somebody who belongs to the person whom the question and the text that is meant name?"""
    names = (set(asked.words) & set(meant.words)) - _kin()
    known = set(asked.words) | set(meant.words)
    if not _kin().isdisjoint(set(asked.words) & set(other.words)):
        return False
    return any(whose in names for whose, kin in _belonging(other.words) if kin not in known)


def _belonging(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Who belongs to whom, as far as a text says: "Sara's (older) brother", "Leas Mutter", "the dog of Sara"."""
    for at, word in enumerate(words):
        if word not in _kin():
            continue
        for whose, mark in pairwise(words[max(at - _REACH, 0) : at + 1]):
            if mark == "s":
                yield whose, word
            elif whose.endswith("s"):
                yield from ((whose, word), (whose[:-1], word))
        if words[at + 1 : at + 2] and words[at + 1] in _OF:
            yield from ((whose, word) for whose in words[at + 2 : at + 3])


def _leads_back(asked: Called, meant: Called, other: Called) -> bool:
    """Does the other lead the other way: from Bornholm, where the question and the text that is meant say to?"""
    for one, back in _ways():
        if one in asked.words and back not in asked.words and one not in other.words and back in other.words:
            beside = {pair for pair in asked.pairs & meant.pairs if one in pair}
            if any(tuple(back if word == one else word for word in pair) in other.pairs for pair in beside):
                return True
    return False


@lru_cache(maxsize=KEPT)
def read_called(text: str) -> Called:
    words = tuple([match[0].casefold() for match in _WORD.finditer(text[:LONGEST])])
    labels: dict[str, frozenset[str]] = {}
    for before, after in pairwise(words):
        if _names_a_thing(before) and _LABEL.fullmatch(after):
            labels[before] = labels.get(before, frozenset()) | {after}
    said = frozenset([term for word in words for term in terms_of(word)])
    return Called(words, said - stop_terms(), frozenset(pairwise(words)), labels)


def _names_a_thing(word: str) -> bool:
    said = terms_of(word)
    return word.isalpha() and len(word) > 1 and said[0] not in stop_terms() and word not in _times()


@cache
def _times() -> frozenset[str]:
    """Days and months by each name of them: what stands behind one is a date."""
    return frozenset(
        name for named in (MONTHS, DAYS) for english, others in named.items() for name in (english, *others.split("|"))
    )


@cache
def _kin() -> frozenset[str]:
    return frozenset(_KIN.split())


@cache
def _both_ways() -> frozenset[str]:
    return frozenset(way for pair in _ways() for way in pair)


@cache
def _ways() -> tuple[tuple[str, str], ...]:
    """Each way with the other, both times."""
    pairs = [tuple(pair.split("|")) for pair in _WAYS.split()]
    return tuple([(one, back) for first, second in pairs for one, back in ((first, second), (second, first))])
