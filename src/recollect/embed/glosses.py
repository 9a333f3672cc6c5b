"""What would a text in another language be, word by word, in English?

The bundled model reads English. A note in German is told to it in English words instead, and so is a question: either
then finds the other, and its own kind better. The word lists (`gloss/*.txt`, written for this) have some thousand
everyday words for each language, a line for an English gloss and the words that mean it. Endings are taken off,
compounds apart. What is in no list stays as it stands; a text that is not clearly in one of these languages is left
alone. Which small words tell of which language is told once more by itself (`gloss/small.txt`): to know that a text is
in English, no list need be read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

FOLDER = Path(__file__).with_name("gloss")
SMALL_WORDS = FOLDER / "small.txt"
_WORD = re.compile(r"[^\W\d_]+")
_SMALL = frozenset(
    "a about after again against all also always am an and any are as at be because been before behind between"
    " both but by can did do does during every few for from get has have he her here him his how i if in into is"
    " it its just less like many may me more most much must my never no nobody not nothing now of on one only or"
    " other our out over same she should since so some still than that the their them then there they this through"
    " to too under until up us use very was we were what when where which who whose why will with without would"
    " you your".split()
)
"""Words that say little, and by which English is known; in another language, the words that mean one of these."""
_PLAIN = str.maketrans("äöüáàâãåéèêëíìîïóòôõúùûñçłśźżćńąęýßёğışî", "aouaaaaaeeeeiiiioooouuunclszzcnaeysеgisi")
_ENGLISH_ENDINGS = ("s", "es", "ed", "ing")
_LEAST, _LEAST_STEM, _LEAST_BARE = 4, 3, 6
_LONGEST = 64
"""A longer word is none of these languages: no compound is looked for in it."""
_PARTICIPLE_WITHIN = 6
_SURELY = 3
"""So many small words of a language say which one it is."""


class Language(Struct, frozen=True):
    """How the words of a language change: endings, marks of a participle, what joins a compound."""

    code: str
    endings: frozenset[str]
    longest: int
    participles: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()


def _language(code: str, endings: str, participles: str = "", joints: str = "") -> Language:
    listed = frozenset(endings.split())
    joined = ("", *joints.split()) if joints else ()
    return Language(code, listed, max(map(len, listed)), tuple(participles.split()), joined)


LANGUAGES = (
    _language(
        "de", "e n s t r te en er es em et st tet ten ern est end sten ster stes ungen", "ge zu", "s es n en e er"
    ),
    _language("nl", "e n s t de te en er st je den ten tje ende eren tjes", "ge", "s en e n"),
    _language("sv", "a e s t n r en et er ar or na de te ad at ade ande orna erna arna aren", joints="s"),
    _language(
        "fr",
        "e s x i ee es er ez ir it is ees ent ant ait ais era ants ions iez aient erait eront issons issent eraient",
    ),
    _language(
        "es",
        "o a e s ar er ir os as es an en on io aba ado ada ido ida ara era ira aron aste iste aban amos emos imos ando"
        " ados adas idos idas iendo ieron",
    ),
    _language(
        "it",
        "i e o a are ere ire era ava eva ano ono ati ate ato ata uti ute uto uta iti ite ito ita iamo ando endo avano",
    ),
    _language(
        "pt",
        "o a e s m ar er ir ao os as es am em ou ei ns oes ava ado ada ido ida amos emos aram eram iram avam ando endo"
        " indo ados adas idos idas",
    ),
    _language(
        "tr",
        "a e i ı u ü n m y ya ye yı yi da de ta te ın in un ün im ım um üm sı si su sü dı di du dü tı ti tu tü lı li"
        " lar ler dan den tan ten nın nin nun nün mak mek mış miş lık lik ları leri daki deki acak ecek ıyor iyor"
        " uyor üyor larda lerde",
    ),
    _language(
        "ru",
        "а я о е ы и у ю ь й ой ей ый ий ая яя ое ее ые ие ую юю ам ям ом ем ах ях ов ев ью ть ет ит ут ют ат ят ал ил"
        " ла ло ли ами ями ого его ому ему ыми ими ешь ишь ать ять ить еть ала ила али или ает ует ают уют ться тся"
        " ется ится лся лась лось лись ание ения ение ания ением анием",
    ),
    _language(
        "pl",
        "a e y i o u l c ow om em ie ym im ej al ac ic yc ec my sz lo la li ami ach ego emu ymi imi ych ich ala ali cie"
        " ania anie aniem owanie owania",
    ),
)


class Glossary(Struct, frozen=True):
    """The words of one language, as they are listed; which of them are small; and where endings were taken off."""

    language: Language
    words: dict[str, str]
    small: frozenset[str]

    def find(self, word: str) -> str | None:
        """The gloss of a word in lower case; None where it is not known."""
        found = self.words.get(word)
        if found is None and _LEAST <= len(word) <= _LONGEST:
            found = self._find_stem(word)
            if found is None and self.language.joints and len(word) >= 2 * _LEAST:
                found = self._find_parts(word)
        return found

    def find_surely(self, word: str) -> str | None:
        """The gloss of a word that stands alone, where nothing else says that it is of this language.

        Few endings make words of two languages meet: "docker" is no form of the Swedish "dock", nor "backend" of the
        German "backen". So of an ending or a compound more is asked, unless a letter tells that it is not English.
        """
        if word in self.words or not word.isascii():
            return self.find(word)
        bare = next((stem for stem in _stems(word, self.language)[1:] if stem in self.words), "")
        if len(bare) >= _LEAST_BARE:
            return self.words[bare]
        cuts = range(len(word) - _LEAST, _LEAST - 1, -1) if self.language.joints else ()
        return (
            self.find(word) if any(self._is_joined(word[:cut]) and word[cut:] in self.words for cut in cuts) else None
        )

    def _is_joined(self, part: str) -> bool:
        return any(part.endswith(joint) and part.removesuffix(joint) in self.words for joint in self.language.joints)

    def _find_stem(self, word: str) -> str | None:
        known = _stems_of(self.language)
        spellings = [word]
        for mark in self.language.participles:  # ge-kündig-t, ab-ge-hol-t
            at = word.find(mark, 0, _PARTICIPLE_WITHIN)
            if at >= 0:
                spellings.append(word[:at] + word[at + len(mark) :])
        spellings += [spelling.translate(_PLAIN) for spelling in spellings]
        stems = (stem for spelling in spellings for stem in _stems(spelling, self.language))
        return next((known[stem] for stem in stems if stem in known), None)

    def _find_parts(self, word: str) -> str | None:
        """Of a compound: the longest beginning that is known, and the rest if that is known too."""
        for cut in range(len(word) - _LEAST, _LEAST_STEM - 1, -1):
            first = self._find_beginning(word[:cut])
            second = self.find(word[cut:]) if first else None
            if second is not None:
                return f"{first} {second}"
        return None

    def _find_beginning(self, part: str) -> str | None:
        known = _stems_of(self.language)
        for joint in self.language.joints:
            bare = part.removesuffix(joint) if part.endswith(joint) else ""
            if len(bare) >= _LEAST_STEM and bare not in self.small:
                found = self.words.get(bare)
                if found is None and len(bare) >= _LEAST:
                    found = known.get(bare) or known.get(bare.translate(_PLAIN))
                if found:
                    return found
        return None


def to_english(text: str, english: Container[str]) -> str:
    """The text with the words of its language told in English; as it is where it is in English or nobody knows.

    `english` holds the words that an English reader knows whole.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    glossary = _find_glossary(words, english)
    if glossary is None:
        return text
    return _WORD.sub(lambda found: glossary.find(found.group().lower()) or found.group(), text)


def _find_glossary(words: Sequence[str], english: Container[str]) -> Glossary | None:
    """That of the language in which most of the words are, by its small words, or since hardly one is English."""
    by_small = _small_words()
    counted = Counter(language for word in words for language in by_small.get(word, ()))
    said_in_english = any(word in _SMALL for word in words)
    if said_in_english and not counted:
        return None
    plain = [word for word in words if _is_english(word, english)]
    english_ones = set(plain)
    others = Counter(word for word in words if word not in english_ones)
    found: list[tuple[int, Glossary]] = []
    for language in counted if said_in_english else LANGUAGES:
        glossary, small = _read(language), counted[language]
        at_home = sum(word in _SMALL and word not in glossary.words for word in words)
        if at_home and small <= at_home:
            continue
        against = sum(word not in glossary.small for word in plain)
        enough = (against if small < _SURELY else against / 2) - small
        strange = {word: count for word, count in others.items() if word not in glossary.small}
        if sum(strange.values()) <= enough:  # whatever they mean
            continue
        find = glossary.find if small else glossary.find_surely
        known = sum(count for word, count in strange.items() if find(word) is not None)
        if known > enough and (known or small > 1):  # "door" by itself is no Dutch, though its small words have it
            found.append((small + known, glossary))
    return max(found, key=lambda one: one[0])[1] if found else None


@cache
def _small_words() -> dict[str, list[Language]]:
    found: dict[str, list[Language]] = defaultdict(list)
    listed = dict(line.split(": ") for line in SMALL_WORDS.read_text("utf-8").splitlines())
    for language in LANGUAGES:
        for word in listed[language.code].split(", "):
            found[word].append(language)
    return dict(found)


def gather_small_words() -> str:
    """What `gloss/small.txt` has to say, by the lists (`tools/write_small_words.py` writes it)."""
    return "".join(f"{language.code}: {', '.join(sorted(_read(language).small))}\n" for language in LANGUAGES)


def _is_english(word: str, english: Container[str]) -> bool:
    return word in english or any(
        word.endswith(ending) and word.removesuffix(ending) in english for ending in _ENGLISH_ENDINGS
    )


@cache
def _read(language: Language) -> Glossary:
    words: dict[str, str] = {}
    small: set[str] = set()
    for gloss, word in _lines(language):
        words.setdefault(word, gloss)
        if gloss in _SMALL and word not in _SMALL and len(word) > 1:
            small.add(word)
    return Glossary(language, words, frozenset(small))


def _lines(language: Language) -> Iterator[tuple[str, str]]:
    for line in (FOLDER / f"{language.code}.txt").read_text("utf-8").splitlines():
        gloss, _, listed = line.partition(": ")
        for word in listed.split(", "):
            yield gloss, word.partition("'")[0]


@cache
def _stems_of(language: Language) -> dict[str, str]:
    """The gloss of each listed word by what is left of it without endings and accents; the first listed counts."""
    found: dict[str, str] = {}
    listed = [(gloss, word) for gloss, word in _lines(language) if len(word) >= _LEAST and gloss not in _SMALL]
    listed += [(gloss, plain) for gloss, word in listed if (plain := word.translate(_PLAIN)) != word]
    for gloss, word in listed:
        found.setdefault(word, gloss)
    for gloss, word in listed:
        for stem in _stems(word, language):
            found.setdefault(stem, gloss)
    return found


def _stems(word: str, language: Language) -> list[str]:
    """A word whole, and without each of the endings that it has, the shortest first."""
    lengths = range(1, min(language.longest, len(word) - _LEAST_STEM) + 1)
    return [word, *[word[:-length] for length in lengths if word[-length:] in language.endings]]
