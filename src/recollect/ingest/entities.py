"""Which names does a text mention?

No model is asked. A name is what looks like one: a quoted phrase, an identifier, a capitalised phrase, a handle; and
whatever the space already knows as the name or alias of an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from recollect.pattern import pattern_of
from recollect.store.base import normal_name

NAMES_VERSION = 2  # raised by whoever changes what is taken for a name: indexes are then made anew
MAX_NAMES = 32
_LONGEST_PHRASE = 4
_SHORT = 3
_SCANNED = 20_000  # characters; names further down a very long text are not looked for

_QUOTED = pattern_of(r"`([^`\n]{2,60})`|\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”|«([^»\n]{2,60})»|「([^」\n]{2,60})」")
_IDENTIFIER = pattern_of(  # nothing is given back (++) where a shorter match could not end
    r"\b(?:[A-Za-z][A-Za-z0-9]*+(?:[_:/.-][A-Za-z0-9]++)+"  # snake_case, kebab-case, dotted.path, scope:name
    r"|[a-z]++(?:[A-Z][a-z0-9]++)+|(?:[A-Z][a-z0-9]++){2,}|[A-Z][A-Z0-9]++)\b"  # camelCase, PascalCase, ACRONYM
)
_PART_OF_ONE = pattern_of(  # what every identifier has: a joint, or a capital that does not begin a word
    r"[_:/.\-A-Z](?:(?<=[A-Za-z0-9][_:/.-])[A-Za-z0-9]|(?<=[A-Za-z0-9][A-Z])|[0-9])"
)
_HANDLE = pattern_of(r"[@#](?<![\w@#][@#])[A-Za-z][\w-]{1,50}")
_CAPITALISED = pattern_of(r"[^\W\d_a-z][\w'’-]*(?:[ ](?:(?:of|the|de|van|von|der|la|al)[ ])?[^\W\d_a-z][\w'’-]*)*")
_CAPITALISED_ASCII = pattern_of(r"[A-Z][\w'-]*(?:[ ](?:(?:of|the|de|van|von|der|la|al)[ ])?[A-Z][\w'-]*)*", re.ASCII)
_LOOKED_BACK = 60  # characters; enough to see whether a sentence or a list item begins here
_EDGE = "\"'`“”‘’«»()[]{}<>.,;:!?…*_~"
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # compiled when needed
_ONE_SCRIPT = pattern_of(rf"{_UNSPACED}+|(?:(?!{_UNSPACED})[^ ])+")
_JOINED = r"/—\u3000-\u303f\uff00-\uff0f\uff1a-\uff20" + _UNSPACED[1:-1]
"""What may stand right beside a name, other than a space: what joins two, and scripts without spaces."""
_COMMON_STARTS = frozenset(
    """a an and are as at be but by can could did do does for from had has have he her here his how i i'd i'll i'm i've
    if in is it it's its let me my no not now of oh ok okay on or our she should so some thanks that the their them then
    there these they this those to was we well were what when where which who why will with would wow yeah yes you your
    also however hey hi hello great good maybe just actually after before since while because""".split()
)


def extract_names(text: str) -> list[str]:
    """What looks like a name, in normal form, in order of appearance, each once."""
    head = text[:_SCANNED]
    found: dict[str, None] = {}
    for name in _looks_like_names(head):
        normal = normal_name(name.strip(_EDGE))
        if 2 <= len(normal) <= 80 and normal not in _COMMON_STARTS and not normal.isdigit():
            found.setdefault(normal)
        if len(found) >= MAX_NAMES:
            break
    return list(found)


def _looks_like_names(text: str) -> Iterator[str]:
    """Most texts have no quotes, handles or identifiers, which a glance tells sooner than a search."""
    if '"' in text or "`" in text or not text.isascii():
        for match in _QUOTED.finditer(text):
            yield next(group for group in match.groups() if group)
    if "@" in text or "#" in text:
        for match in _HANDLE.finditer(text):
            yield match.group()
    if _PART_OF_ONE.search(text):
        for match in _IDENTIFIER.finditer(text):
            yield match.group()
    if text.isascii():
        for match in _CAPITALISED_ASCII.finditer(text):
            yield from _capitalised(text, match.group(), match.start())
        return
    for match in _CAPITALISED.finditer(text):
        for run, at, is_beside in _runs(match.group()):
            yield from _capitalised(text, run, match.start() + at, is_beside=is_beside)


def _runs(phrase: str) -> Iterator[tuple[str, int, bool]]:
    """The words of a phrase that are capital, in one script and beside each other, and those that know no capitals
    unless a Latin word stands beside them: where each run begins, and whether it stands beside words of another script
    that are no name.
    """
    found: list[tuple[int, int, tuple[bool, str]]] = []
    for part in _ONE_SCRIPT.finditer(phrase):
        word, last = part[0], found[-1] if found else None
        is_joint = last is not None and last[2] == (True, _UPPER) and word in _JOINTS
        kind = (True, _UPPER) if is_joint else _kind_of(word)
        if last is not None and last[2] == kind and phrase[last[1] : part.start()] == " ":
            found[-1] = (last[0], part.end(), kind)
        else:
            found.append((part.start(), part.end(), kind))
    for place, (begin, end, (is_latin, case)) in enumerate(found):
        others = [kind for _, _, kind in found[max(place - 1, 0) : place + 2] if kind[0] != is_latin]
        if case == _UPPER:
            yield phrase[begin:end], begin, any(its != _UPPER for _, its in others)
        elif case == _CASELESS and not others:
            yield phrase[begin:end], begin, False


_UPPER, _LOWER, _CASELESS = "upper", "lower", "caseless"
_JOINTS = frozenset("of the de van von der la al".split())
_LAST_LATIN = "\u024f"


def _kind_of(word: str) -> tuple[bool, str]:
    """Is a word in Latin letters, and does it begin with a capital?"""
    first = word[0]
    case = _CASELESS if first.lower() == first.upper() else _LOWER if first.islower() else _UPPER
    return first <= _LAST_LATIN, case


def _capitalised(text: str, phrase: str, at: int, *, is_beside: bool = False) -> Iterator[str]:
    """A capitalised phrase, less the word that is only capital because a sentence begins with it; beside words of
    another script it is capital since it is a name.
    """
    words = phrase.split(" ")
    if words[0].casefold() in _COMMON_STARTS:
        words = words[1:]
    elif len(words) == 1 and not is_beside and _starts_sentence(text, at):
        after = text[at + len(phrase) :][:1]
        if after != ":":  # "Ada: ..." names the one who speaks
            return
    if words:
        name = " ".join(words)
        yield name.removesuffix("'s").removesuffix("’s")


def _starts_sentence(text: str, at: int) -> bool:
    if at == 0:
        return True
    before = text[max(0, at - _LOOKED_BACK) : at]
    solid = before.rstrip()
    gap = before[len(solid) :]
    return "\n" in gap or solid.endswith((".", "!", "?", ":", ";")) or (gap != "" and solid.endswith(("-", "*", "•")))


def phrases(text: str) -> list[str]:
    """Every run of one to four words, in normal form: what known names are looked up among."""
    words = [word for word in map(_plain, text[:_SCANNED].split()) if word]
    found = dict.fromkeys(words)
    for size in range(2, _LONGEST_PHRASE + 1):
        found.update(dict.fromkeys(map(" ".join, zip(*(words[at:] for at in range(size)), strict=False))))
    return list(found)


def _plain(word: str) -> str:
    return word.strip(_EDGE).casefold().removesuffix("'s").removesuffix("’s")


def unspaced(text: str) -> str:
    """The text itself, in normal form, if it is (partly) in a script without word boundaries; else nothing."""
    return normal_name(text[:_SCANNED]) if not text.isascii() and re.search(_UNSPACED, text) else ""


def mentions(text: str, name: str) -> bool:
    """Does a text mention this name, in the sense of `phrases` or `unspaced`?"""
    normal = normal_name(name)
    return normal in phrases(text) or (bool(unspaced(normal)) and normal in unspaced(text))


def names_within(text: str, names: Iterable[str]) -> set[str]:
    """Those of some names that stand in a text as words, and not as a piece of one: no C in C++ or a cat. A short one
    in capitals must stand so: IT is not "it".
    """
    as_is, normal = " ".join(text.split()), normal_name(text)
    found: set[str] = set()
    for name in names:
        is_short = len(name) <= _SHORT and name.isupper()
        said, sought = (as_is, name) if is_short else (normal, normal_name(name))
        if sought in said and (unspaced(sought) or _as_words(sought).search(said)):
            found.add(name)
    return found


def _as_words(name: str) -> re.Pattern[str]:
    edge = re.escape(_EDGE)
    begins, ends = rf"(?:\A|[\s@{_JOINED}])[{edge}]*", rf"(?:['’]s)?[{edge}]*(?:\Z|[\s{_JOINED}])"
    return re.compile(f"{begins}{re.escape(name)}{ends}")
