"""Is a text about another thing than the one that a question calls by a number, a letter, whose it is, or a way?

"Exam 2 is in hall C" is as near to "where is exam 1?" as "Exam 1 is in hall B", and newer; "Sara's brother lives in
Dresden" holds every word of "where does Sara live?", "Tomas's dentist" of "who is my dentist?", and "the bus from
Kalnes" of one to Kalnes. What a thing is called by stands beside the same word in the question and in the text that is
meant, and another stands there in the one that is not. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from msgspec import Struct

from recollect.pattern import pattern_of
from recollect.retrieve.restate import KEPT, LONGEST
from recollect.retrieve.time_words import DAYS, MONTHS
from recollect.store.terms import stop_terms, terms

_MOST_WORDS = 60
"""A longer text speaks of more than one thing."""
_WORD = pattern_of(r"[^\W_]+")
_OF_SEVERAL = pattern_of(r"(?<=s)['’](?= )")
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
frère sœur femme mari mère père fille fils enfant enfants ami amie tante oncle grand voisin voisine collègue chien
hermano hermana esposa esposo mujer marido madre padre hija hijo novia novio amigo amiga tía tío abuela abuelo vecino
vecina colega perro gato
fratello sorella moglie marito madre padre figlia figlio fidanzata fidanzato zia zio nonna nonno vicino cane gatto
irmão irmã esposa marido mãe pai filha filho namorada namorado avó avô cachorro
broer zus vrouw man moeder vader dochter zoon kind vriend vriendin buurman buurvrouw hond kat
brat siostra żona mąż matka ojciec córka syn przyjaciel sąsiad pies kot
брат сестра жена муж мать отец мама папа дочь сын друг подруга сосед собака кошка кот
"""
_OF = frozenset("of de di da do van von d del della du".split())
_ARTICLES = frozenset("the der den dem die la le les l el los las il lo i gli o os as het".split())
_MINE = frozenset(
    """
    i my our we me us mine ours mein meine meinen meinem meiner meines unser unsere unseren unserem unserer ich wir mir
    uns mon ma mes notre nos je nous moi mi mis nuestro nuestra nuestros nuestras yo mio mia miei mie nostro nostra io
    noi meu minha meus minhas nosso nossa eu nós mijn ons onze ik wij mój moja moje nasz nasza мой моя моё мои наш наша
    """.split()
)
_PLACES = """
up|down upstairs|downstairs before|after oben|unten vor|nach boven|beneden voor|na haut|bas avant|après arriba|abajo
antes|después sopra|sotto prima|dopo przed|po
"""
_WAYS = f"""
to|from in|out on|off nach|von nach|aus hin|zurück a|da naar|van do|z в|из {_PLACES}
"""
_REACH = 3
"""So many words may stand between a person and who belongs to them: "Sara's (older) brother"."""


class Called(Struct, frozen=True, eq=False):
    """What of a text tells which of several like things it is about."""

    words: tuple[str, ...]
    terms: frozenset[str]
    """Of what it speaks, without function words."""
    pairs: frozenset[tuple[str, str]]
    owned: frozenset[tuple[str, str]]
    """Who has what, as the term of it."""
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
    by_whom = any(one(asked, its, own) for one in (_is_kin, _lacks_kin, _is_theirs, _is_ours))
    return by_whom or _is_next(asked, its, own) or _leads_back(asked, its, own)


def go_other_ways(one: str, other: str) -> bool:
    """Does one text say to where the other says from, or before where it says after?"""
    first, second = read_called(one), read_called(other)
    ways = [way for way in _ways() if way[0] in first.words and way[1] not in first.words]
    return any(back in second.words and way not in second.words for way, back in ways if {way, back} != {"on", "off"})


def may_speak_of_another(question: str, other: str) -> bool:
    """Is there anything in a question and in a text by which that could be called otherwise?"""
    asked, own = read_called(question), read_called(other)
    ways = not _both_ways().isdisjoint(asked.words) and not _both_ways().isdisjoint(own.words)
    kin = _kin_in(own.words) or _kin_in(asked.words)
    return ways or bool(kin) or bool(own.owned) or bool(asked.owned) or _lacks_label(asked, own)


def _lacks_label(asked: Called, other: Called) -> bool:
    """Is something called otherwise than the question says, and not so as well?"""
    return any(word in other.labels and labels.isdisjoint(other.words) for word, labels in asked.labels.items())


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
    names = {word for word in set(asked.words) & set(meant.words) if len(word) > 1}
    known = set(asked.words) | set(meant.words)
    belonging = list(_belonging(other.words))
    if _kin_in(asked.words) & _kin_in(other.words) - {whose for whose, _ in belonging}:
        return False
    return any(whose in names for whose, kin in belonging if kin not in known)


def _lacks_kin(asked: Called, meant: Called, other: Called) -> bool:
    """Does the question ask for somebody who belongs to another, and is the other text of that one alone?"""
    wanted = [(whose, kin) for whose, kin in _belonging(asked.words) if kin in meant.words and whose in meant.words]
    return not _kin_in(other.words) and any(whose in other.words for whose, _ in wanted)


def _is_theirs(asked: Called, meant: Called, other: Called) -> bool:
    """Does somebody ask for something of their own, and has somebody else it in the other text?"""
    if _MINE.isdisjoint(asked.words) or _MINE.isdisjoint(meant.words) or not _MINE.isdisjoint(other.words):
        return False
    wanted = {thing for _, thing in other.owned if thing in asked.terms and thing in meant.terms}
    theirs = {whose for whose, thing in other.owned if thing in wanted}
    return bool(wanted) and theirs.isdisjoint(asked.words) and wanted.isdisjoint(thing for _, thing in meant.owned)


def _is_ours(asked: Called, meant: Called, other: Called) -> bool:
    """Does the question ask for what somebody else has, and has the other text that of whoever tells it?"""
    wanted = asked.owned & meant.owned
    return not _MINE.isdisjoint(other.words) and any(
        whose not in other.words and thing in other.terms for whose, thing in wanted
    )


def _kin_in(words: Iterable[str]) -> frozenset[str]:
    """Who is spoken of by what they are to somebody, also where there are several."""
    return frozenset(word for word in words if _is_kin_word(word))


def _is_kin_word(word: str) -> bool:
    return word in _kin() or (word.endswith("s") and word[:-1] in _kin())


def _belonging(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Who belongs to whom, as far as a text says: "Sara's (older) brother", "Leas Mutter", "the dog of Sara"."""
    for at, word in enumerate(words):
        if not _is_kin_word(word):
            continue
        for whose, mark in pairwise(words[max(at - _REACH, 0) : at + 1]):
            if mark == "s":
                yield whose, word
        if at and words[at - 1].endswith("s") and len(words[at - 1]) > 2:
            yield from ((words[at - 1], word), (words[at - 1][:-1], word))
        yield from ((whose, word) for whose in _of_whom(words, at))


def _of_whom(words: tuple[str, ...], at: int) -> tuple[str, ...]:
    """Whose it is, where that is said behind a word: the boat of (the) Meyers."""
    behind = words[at + 1 : at + 4]
    if len(behind) < 2 or behind[0] not in _OF:
        return ()
    return behind[2:3] if behind[1] in _ARTICLES else behind[1:2]


def _owned(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Who has what: "Tomas's (old) dentist", "la voiture de papa"."""
    for at, word in enumerate(words):
        if word == "s" and at:
            yield from ((words[at - 1], _term(thing)) for thing in words[at + 1 : at + _REACH])
        yield from ((whose, _term(word)) for whose in _of_whom(words, at))


def _term(word: str) -> str:
    return terms(word)[0]


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
    words = tuple([match[0].casefold() for match in _WORD.finditer(_OF_SEVERAL.sub("'s", text[:LONGEST]))])
    labels: dict[str, frozenset[str]] = {}
    for before, after in pairwise(words):
        if _names_a_thing(before) and _LABEL.fullmatch(after):
            labels[before] = labels.get(before, frozenset()) | {after}
    said = frozenset([term for word in words for term in terms(word) if word != "s"])
    return Called(words, said - stop_terms(), frozenset(pairwise(words)), frozenset(_owned(words)), labels)


def _names_a_thing(word: str) -> bool:
    said = terms(word)
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
