"""Does a new statement say what an older one says, or something else of the same thing?

No model is asked: only words, numbers and their order. The weights were fitted on short notes in fifteen languages,
some of which change what an earlier one said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain

from msgspec import Struct

from recollect.pattern import pattern_of
from recollect.retrieve.time_words import DAYS, MONTHS
from recollect.store.terms import PerWord, is_pair, query_terms, split_words, stop_terms, terms, terms_of

LONGEST = 1_000
"""Characters of a statement: what is longer is a document, and says more than one thing."""
LIKELY = 0.3
"""From here on somebody is asked whether two statements go together."""
SURE = 0.75
"""From here on one of them takes the place of the other unasked."""
_LEAST = math.log(LIKELY / (1 - LIKELY))
_COMMON = 150  # records; a word that more of them hold says no less
_SHORT = 8  # words; up to here the order of words tells which of them name the subject
_LEAST_SHARED = 0.4  # of a short statement
_LEAST_OF_A_VALUE = 0.5  # where a word and a value differ side by side: "team lunch on Friday", "team retro on Monday"
_LEAST_CHANGING = 0.33  # of one that says itself that something changed
_MOST_WEIGHT = 30.0
_TELLING = 0.3  # of the words of a text, at least: the others say little
_BIAS, _NEW, _OLD, _BOTH, _WEIGHT, _NUMBERS, _CHANGES, _LONG_NEW, _LONG_OLD = (
    -0.75, 2.18, 2.65, 2.78, 0.193, 0.70, 1.57, -0.85, -1.73,
)  # fmt: skip
CHANGING = """
now moved moves instead longer anymore switched replaced upgraded raised lowered reduced rather became becomes
changed migrated relocated rewritten renamed postponed rescheduled rose
jetzt verschoben umgezogen statt nunmehr ab umgestellt geändert désormais maintenant remplacé
ahora cambiado cambió adesso ora cambiato agora mudou nu voortaan teraz już теперь вместо больше
"""
_NEGATING = """
against gegen contre contra contro tegen przeciw против
not no never without disabled off nicht kein keine nie pas jamais nunca non mai não niet geen не нет
никогда
"""


NUMBERS_IN_WORDS = """
two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred noon
"""


_HELD_BY_ONE = """
charge responsible responsibility lead leads led head heads chair chairs maintain maintains manage manages coordinate
coordinates zuständig verantwortlich leitet betreut dirige responsable lidera responsabile gestisce responsável leidt
verantwoordelijk kieruje prowadzi отвечает руководит ведёт
"""
"""What one person does at a time, so that another who does it does it in the place of the first."""


SETTING = """
use uses used using run runs running keep keeps kept store stores stored hold holds held take takes taking place put go
goes do does done make makes made write writes written pick picked belong belongs
plan planned schedule scheduled date every each version
listen listens happen happens track tracked get gets got send sends sent
nutzen nutzt verwenden verwendet benutzen benutzt läuft laufen liegt liegen steht stehen findet
utilise utilisons utiliser usar usa usamos usiamo gebruikt gebruiken używa używamy
использует используем
"""
"""Words that say of a thing only that it has a value, as "is" does: "we keep logs in Loki", "logs are stored in Loki".
"""


_RULED = """
always|never all|some enabled|disabled allow|deny allow|forbid accept|reject include|exclude show|hide
immer|nie immer|niemals toujours|jamais siempre|nunca sempre|mai sempre|nunca altijd|nooit zawsze|nigdy всегда|никогда
"""
"""Words of which each rules the opposite of the other, whatever stands behind it: they name no subject."""
_SPANS = "second minute hour day week month year"
_ONE = "one"
_SOLE = pattern_of(
    r"^\W*(?:\S+ ){1,3}?(?:(?:is|are) the|ist (?:der|die|das)|est (?:le|la|l['’])|es (?:el|la)|è (?:il|lo|la|l['’])"
    r"|é [oa]|is (?:de|het))\b",
    re.IGNORECASE,
)
"""Something is said to be the one of its kind: "Anna is the owner of the boat"; not "Anna is a member of the team"."""


class Statement(Struct, frozen=True, eq=False):
    """What of a text is compared: words and numbers in order, without those that say little."""

    order: tuple[str, ...]
    words: frozenset[str]
    pairs: frozenset[str]
    """Those of the words that count half: pairs that may lie across two words, and unless the other has them too parts
    of a name of several words, days, months and numbers.
    """
    numbers: frozenset[str]
    changing: bool
    negated: bool
    sole: bool = False
    """Does it say of something that it is the one of its kind?"""


@cache
def terms_among(words: str) -> frozenset[str]:
    return frozenset(term for word in words.split() for term in terms(word))


@cache
def _little(*, changes: bool) -> frozenset[str]:
    """Terms that say little: function words, and those that tell of a change where they do."""
    return stop_terms() | terms_among(CHANGING) if changes else stop_terms() - terms_among(CHANGING)


KEPT = 256
"""So many texts are kept with what was read of them: of four times as many, no more is saved than they take."""


@lru_cache(maxsize=KEPT)
def read_statement(text: str) -> Statement:
    """What is told now is like what was told just before, so that what was read is remembered for a while."""
    order: list[str] = []
    words: set[str] = set()
    numbers: set[str] = set()
    halves: set[str] = set()
    marks = 0
    before = ""
    first: tuple[str, ...] = ()
    for word in split_words(text[:LONGEST]):
        said, sort, mark = _WORDS[word]
        marks |= mark
        if not said:
            before = ""
            continue
        (numbers if sort == _NUMBER else words).update(said)
        if sort and sort == before:
            order[-1] += f" {said[0]}"  # a name of two words is one, and so are a time and a date
            halves.update(first, said)
        else:
            before = sort if order or sort == _NUMBER else ""  # what begins a text is written like a name
            order += said
            first = said
    if not text.isascii():
        halves.update(filter(is_pair, words))
    changing, negated = bool(marks & _CHANGES_SOMETHING), bool(marks & _NEGATES)
    halves.update(*(words & values for values in _values()))
    return Statement(
        tuple(order), frozenset(words), frozenset(halves & words), frozenset(numbers), changing, negated,
        _SOLE.match(text[:LONGEST]) is not None,
    )  # fmt: skip


_NUMBER, _NAME = "number", "name"
_CHANGES_SOMETHING, _NEGATES = 1, 2


def _read_word(word: str) -> tuple[tuple[str, ...], str, int]:
    """What a word says by itself: its terms, whether it is a number or written like a name, and whether it tells of a
    change or negates.
    """
    found = terms_of(word)
    spoken = found if is_pair(word) else found[:1]  # of an identifier, the whole
    if is_number(word):  # most others are met again, and known by then
        return spoken, _NUMBER, 0
    changes = spoken[0] in terms_among(CHANGING) and not word.casefold().endswith(("tion", "tions"))  # "run migrations"
    little = _little(changes=changes)
    said = tuple([term for term in spoken if term not in little])
    mark = _CHANGES_SOMETHING if changes else 0
    if spoken[0] in terms_among(_NEGATING) or word.endswith(("n't", "n’t")):
        mark |= _NEGATES
    return said, _NAME if word[0].isupper() else "", mark


def _compared(word: str) -> tuple[str, ...]:
    """The terms of a word that is compared as one."""
    said, sort, _ = _WORDS[word]
    return () if sort == _NUMBER else tuple([term for term in said if term not in terms_among(SETTING)])


_WORDS, _SAID = PerWord(_read_word), PerWord(_compared)


def is_number(word: str) -> bool:
    if word.isalpha():
        return False
    return word.replace(".", "").replace("-", "").replace(" ", "").isdigit()


_RARITIES = [math.log((_COMMON + 51) / (held + 0.5)) for held in (1, *range(1, _COMMON + 1))]


def rarity(held: int) -> float:
    """How much a word says that so many records hold; that none holds it yet says no more than that one does."""
    return _RARITIES[held if held < _COMMON else _COMMON]


_RARE = rarity(1)


def resemblance(new: Statement, old: Statement, weights: Mapping[str, float]) -> float:
    """How likely two statements are about the same thing, so that both should not stand.

    `weights` are the rarities of the new one's words.
    """
    likely, both = likelihood(new, old, weights)
    return likely if likely and not is_another(new, old, both) else 0.0


def likelihood(new: Statement, old: Statement, weights: Mapping[str, float]) -> tuple[float, float]:
    """By words and numbers alone, whatever their order; and the part of both that they share."""
    score, both = _compare(new, old.words, old.pairs, weights)
    if not both:
        return 0.0, 0.0
    apart = bool(new.numbers - old.numbers) and bool(old.numbers - new.numbers)
    return 1.0 / (1.0 + math.exp(-score - _NUMBERS * apart)), both


def may_resemble(new: Statement, text: str, weights: Mapping[str, float]) -> bool:
    """Is it worth to read a text, or are its words alone enough to see that it is not about the same thing?"""
    if not text.isascii():
        return True
    found = split_words(text)
    words = frozenset(chain.from_iterable(map(_SAID.__getitem__, found)))
    names = chain.from_iterable([_SAID[word] for word in found if word[0].isupper()])
    score, both = _compare(new, words, words.intersection(chain(names, *_values())), weights)
    return bool(both) and score + _NUMBERS >= _LEAST


class Gate:
    """What a text must share with a statement, at least, to be about the same thing: before it is read."""

    def __init__(self, new: Statement, weights: Mapping[str, float]) -> None:
        self._whole = _weigh(new.words, new.pairs, weights)
        self._fixed = _fixed(new) + _NUMBERS
        self.least = _Least(self._whole, self._fixed)
        """No text of so many words that tell something is let through that shares less than this."""

    def lets(self, weight: float, least: int, most: int, words: int) -> bool:
        """May one be that shares so much at most, in so many words, and has `words` that tell something at least?"""
        if weight <= 0.0:
            return False
        if words < least:
            words = least
        return self._fixed + _shared(self._whole, weight, words - most if words > most else 0, words)[0] >= _LEAST


class _Least(dict[int, float]):
    """What a text must share by its length, if it shares all that it has: `_shared` solved for the weight."""

    def __init__(self, whole: float, fixed: float) -> None:
        super().__init__()
        self._whole, self._fixed = whole, fixed

    def __missing__(self, words: int) -> float:
        rest = self._fixed + _OLD + _LONG_OLD * math.log1p(words) - _LEAST
        if rest >= 0.0 or not self._whole:
            self[words] = 0.0
        else:
            by_part, by_root = _NEW / self._whole + _WEIGHT, _BOTH / math.sqrt(self._whole)
            root = (math.sqrt(by_root * by_root - 4 * by_part * rest) - by_root) / (2 * by_part)
            self[words] = root * root * 0.999_999  # and no rounding counts
        return self[words]


def least_words(text: str) -> int:
    """So many words of a text tell something, at least."""
    return math.ceil(_TELLING * (text.count(" ") + 1)) if text.isascii() else 1


def _compare(
    new: Statement, words: frozenset[str], pairs: frozenset[str], weights: Mapping[str, float]
) -> tuple[float, float]:
    """How much two statements share, by their words alone: a score, and the part of both; 0 where that is nothing."""
    shared = new.words & words
    if not shared:
        return 0.0, 0.0
    halves = new.pairs - {word for word in shared & new.pairs if not is_pair(word)}
    weight = _weigh(shared, shared & halves, weights)
    only_old = len(words) - len(shared) - 0.5 * len(pairs - shared)
    score, both = _shared(_weigh(new.words, halves, weights), weight, only_old, len(words))
    return _fixed(new) + score, both


def _fixed(new: Statement) -> float:
    """The part of a score that a new statement has beside any other."""
    return _BIAS + _CHANGES * new.changing + _LONG_NEW * math.log1p(len(new.words))


def _shared(whole: float, weight: float, only_old: float, words: int) -> tuple[float, float]:
    """The rest of it, and the part of both: by what two statements share of the whole weight of the new one, by what
    only the old one has, and by how many words that has in all.
    """
    of_new, of_old = weight / whole, weight / (weight + _RARE * only_old)
    both = math.sqrt(of_new * of_old)
    known = _WEIGHT * (weight if weight < _MOST_WEIGHT else _MOST_WEIGHT)
    return _NEW * of_new + _OLD * of_old + _BOTH * both + known + _LONG_OLD * math.log1p(words), both


def _weigh(words: frozenset[str], pairs: frozenset[str], weights: Mapping[str, float]) -> float:
    """How much words say, those that are pairs by half."""
    whole = sum([weights.get(word, _RARE) for word in words])
    return whole - 0.5 * sum([weights.get(word, _RARE) for word in pairs]) if pairs else whole


def is_another(new: Statement, old: Statement, shared: float) -> bool:
    """Do two short statements speak of different things?

    They do where they put their words in the same order, and differ in the first of them or in more than one.
    """
    if max(len(new.order), len(old.order)) > _SHORT:
        return False
    if new.changing:
        return shared < _LEAST_CHANGING
    from difflib import SequenceMatcher  # of those alone who tell two statements apart

    its, own = _without_rules(old.order, new.order)
    steps = SequenceMatcher(None, its, own, autojunk=False).get_opcodes()
    same = sum(end - start for verb, start, end, _, _ in steps if verb == "equal")
    if same < len(set(own) & set(its)):
        return False
    replaced = [step for step in steps if step[0] == "replace"]
    pairs = [_unpaired(its[start:end], own[first:last]) for _, start, end, first, last in replaced]
    places = sum(words for words, _ in pairs)  # another number or day says something else of the same thing
    if places and any(values and (not words or shared < _LEAST_OF_A_VALUE) for words, values in pairs):
        return True  # and here it does of another thing
    begins = bool(replaced) and replaced[0][1] == 0 and replaced[0][3] == 0
    held_by_one = (new.sole and old.sole) or not terms_among(_HELD_BY_ONE).isdisjoint(new.words & old.words)
    if begins and len(steps) == 2 and places == 1 and held_by_one:
        return False  # somebody else is in charge
    return begins or places > 1 or shared < _LEAST_SHARED


def _without_rules(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of two statements without those by which each rules the opposite of the other."""
    ruled = _ruled()
    pairs = [(word, other) for word in old for other in ruled.get(word, ()) if other in new]
    gone = set(chain.from_iterable(pairs))
    return [one for one in old if one not in gone], [one for one in new if one not in gone]


@cache
def _ruled() -> Mapping[str, frozenset[str]]:
    """By the term of a word, those of words that rule the opposite."""
    found: dict[str, frozenset[str]] = {}
    for one, _, other in (pair.partition("|") for pair in _RULED.split()):
        for word, its in ((one, other), (other, one)):
            for term in terms(word):
                found[term] = found.get(term, frozenset()) | frozenset(terms(its))
    return found


def _unpaired(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Of two parts that stand in each other's place: how many words differ, and how many values of a kind."""
    rest, words = list(after), 0
    for one in before:
        value = next((other for other in rest if are_values(one, other)), None)
        if value is None:
            words += 1
        else:
            rest.remove(value)
    return min(words, len(rest)), len(after) - len(rest)


def are_values(before: str, after: str) -> bool:
    """Are both a number, a day, a month or a span of time?"""
    days, months, numbers = _values()
    counted = all(is_number(one) or one in numbers or one == _ONE for one in (before, after))
    both = {before, after}
    return counted or both <= days or both <= months or both <= terms_among(_SPANS)


@cache
def _values() -> tuple[frozenset[str], ...]:
    """The terms of days, those of months, and those of numbers in words."""
    times = ("|".join(chain.from_iterable(table.items())).split("|") for table in (DAYS, MONTHS))
    named = (terms_among(" ".join(filter(str.isalpha, names))) for names in times)
    return (*named, terms_among(NUMBERS_IN_WORDS))


def differ(new: Statement, old: Statement) -> bool:
    """Does each say something that the other does not, or one of them the opposite?"""
    if new.negated != old.negated:
        return True
    added, dropped = new.words - old.words, old.words - new.words
    return bool(new.numbers ^ old.numbers) or (bool(added) and (bool(dropped) or new.changing))


def lacks_a_name(newer: str, older: str, prompt: str) -> bool:
    """Does a prompt name what an older text names and a newer one does not? Then that may be of another thing."""
    asked = frozenset(query_terms(prompt))
    named = {term for word in split_words(older) if word[0].isupper() for term in terms(word)}
    return not asked.intersection(named).issubset(terms(newer))
