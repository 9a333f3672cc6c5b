"""Which password does a sentence or a note tell, also where it is a plain word?

"The root password is toor", `password: sunshine`, "le mot de passe du NAS, c'est …": a word for a password, perhaps
whose it is, a word or a sign that says what it is, and a value. A value that is mixed as passwords are is taken
wherever it is said so; a plain word only where nothing speaks against it: it is no word that people say about passwords
(wrong, expired, stored), it ends what is said, and it is no name in code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.ingest.secret_values import is_beside_passwords, is_hole, is_phrase, is_told
from recollect.ingest.secret_words import ABOUT, IS, OF, OF_PASSWORDS, PASSWORD_MARKS, PASSWORDS, STILL
from recollect.pattern import pattern_of

_CALLED = (
    r"(?:wi-?fi|wlan|wireless|wpa[23]?|hotspot)[ -]?(?:key|code|pass|pw|schlüssel)|(?:code|clé)(?: du)? wi-?fi|"
    r"clave(?: de acceso| de red| del? wi-?fi)?|(?:recovery|backup|rescue|emergency|unlock|reset) codes?|"
    r"(?:wiederherstellungs|notfall)codes?|codes? de (?:secours|récupération|recuperación)"
)  # what else opens something: only values that are mixed are taken for one
SAID_MARKS = (*PASSWORD_MARKS, "wifi", "wi-fi", "wlan", "clave", "recovery code", "backup code", "rescue code",
              "emergency code", "unlock code", "reset code", "scode", "lcode", "code de", "codes de")  # fmt: skip
_WORD = pattern_of(rf"(?:{_CALLED}|(?P<password>\bpw|{PASSWORDS}))(?!\w){OF_PASSWORDS}")
_BETWEEN = r"(?:\s{1,3}[\w'’@/()-]{1,24}(?:\.[\w@/-]{1,24}){0,3}[*_]{0,2}){0,6}?"
_LINK = pattern_of(
    rf"[*_\"'`]{{0,3}}(?P<between>{_BETWEEN})(?:[*_]{{0,2}}\s{{0,4}}(?P<sign>:=|=>|->|→|=(?!=)|[:：—–])[*_]{{0,2}}|"
    rf"\s{{1,3}}(?P<verb>(?i:{IS}|auf))(?!\w):?(?=\s)(?i:\s{STILL})?)\s{{0,4}}"
    r"(?P<mark>[*_\"'`«„“(]{0,3})(?P<secret>[^\s\"'`,;«»“”]{4,200})"
)
_NEXT = pattern_of(r"(?:,|\s(?:and|or|und|et|y|e|и))\s{1,3}[*_\"'`]{0,3}(?P<secret>[^\s\"'`,;«»“”]{6,200})")
_OWNED = pattern_of(rf"(?i)\s{{1,3}}(?:{OF}|\(|i\s|we\s|he\s|she\s|that\s|which\s|in\s)")
_NONE = pattern_of(
    rf"(?i)\b(?:a(?!\ssenha)|an|any|each|every|no|this|that|such|what|which|whose|ein|jedes|une?|una|uma?)\s(?:pw|{PASSWORDS})$"
)
_PLAIN_VERBS = frozenset("is was be to ist lautet est c'est c’est es é è remains stays bleibt reste".split())
_SET = pattern_of(r"(?i)\b(?:set|sets|change|changed|update|updated|switch|switched)\b[^.\n]{0,30}$")
_ENDED = pattern_of(
    r"(?i)[*_]{0,3}(?:[\"'`»”)]{0,2}(?:\s{0,3}(?:\Z|\n|#)|[.!?:)]{1,3}(?:\s|\Z)|[,;](?=\s)|\s(?:for|on|at|and|but|btw|please|now|"
    r"again|too|everywhere|until|since|because|so|und|für|aber|et|pour|mais|y|para|pero|per|ma|voor|en)\b|\s(?:/|-|—|–)\s))"
)
_PLAIN = pattern_of(r"(?:[^\W\d_]|\d{4})[^\W_]*(?:[-'’][^\W_]+)*!{0,3}")
_HUMP = pattern_of(r"[a-z][A-Z]|^[A-Z]{2,}[a-z]")
_ABOUT_IT = pattern_of(
    r"(?i)(?:\w{2,}(?:ed|ing|able|ible|less|ful|ive|ously|ally|ently|(?<!f)ly)|(?:ge|ver|be|ab|an|aus|ein|zurück)\w+(?:t|en)|"
    r"obliga\w+|requ[ie]\w+|opcion\w+|option\w+|incorrec\w+|segur\w+|\w+(?:isch|iert|lich|atoire|atorio|atoria|orio|oria|ada|ado|rée?|sée?|née?))$"
)  # how words about passwords end


def said_secrets(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Where the passwords stand that are told in words, or noted behind a sign."""
    for word in _WORD.finditer(lower):
        link = _LINK.match(text, word.end())
        if link is None:
            continue
        start, end = _trimmed(text, *link.span("secret"))
        if is_told(text[start:end]) and not _asks(link):
            yield start, end
            yield from _others(text, end)
        elif word["password"] and _is_owned(text, word, link):
            if _is_plain(text, start, end):
                yield start, end
            elif (phrase := _PHRASE.match(text, start)) and _is_passphrase(phrase.group()):
                yield phrase.span()


def _is_passphrase(text: str) -> bool:
    """Words that make no sentence about passwords."""
    return is_phrase(text) and sum(map(is_about, text.split())) < 2


_PHRASE = pattern_of(r"[a-z]{3,20}(?: [a-z]{3,20}){3,7}(?=[\"'`.!*_]|\s{0,3}(?:\n|\Z))")


def told_by_name(name: str, value: str) -> bool:
    """Is a value a password because of the name that it has, such as `password` or `admin password`?

    Unless it is a word about passwords, or a sentence that begins like one.
    """
    if not _NAMED.search(name.lower()) or not 4 <= len(value) <= _LONGEST_NAMED:
        return False
    return not is_about(value.split()[0]) and not _HUMP.search(value)


_NAMED = pattern_of(rf"(?:\bpw|{PASSWORDS})$")
_LONGEST_NAMED = 80  # signs


def is_about(word: str) -> bool:
    """A word that is said about passwords, or a hole to fill, where a password could stand."""
    said = word.lower().rstrip("!?.,:")
    if is_hole(said) or _A_WORD.fullmatch(said):
        return True
    return any(part in ABOUT or _ABOUT_IT.match(part) for part in re.split("[-'’]", said))


_A_WORD = pattern_of(PASSWORDS)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without what ends the sentence or the emphasis."""
    while end > start and text[end - 1] in ".?*_):":
        end -= 1
    return start, end


def _asks(link: re.Match[str]) -> bool:
    """`auf` says what a password is only where somebody set it so."""
    return link["verb"] is not None and link["verb"].lower() == "auf" and not _SET_SO.match(link.string, link.end())


_SET_SO = pattern_of(r"[\"'`]?\s(?:gesetzt|geändert|gestellt|umgestellt)")


def _others(text: str, end: int) -> Iterator[tuple[int, int]]:
    """What is told in one breath with a password: "… are A and B"."""
    while (other := _NEXT.match(text, end)) is not None:
        start, end = _trimmed(text, *other.span("secret"))
        if not is_told(text[start:end]):
            return
        yield start, end


def _is_owned(text: str, word: re.Match[str], link: re.Match[str]) -> bool:
    """Is it said of a certain password, in words or as a setting that is no code?"""
    if link["between"] and not _OWNED.match(link["between"]):
        return False
    before = text[max(0, text.rfind("\n", 0, word.start()) + 1, word.start() - 80) : word.start()]
    if link["sign"]:
        return "\n" not in link.group() and link["sign"] not in "—–->" and not _is_code(text, before, link)
    verb = link["verb"].lower()
    return (
        verb in _PLAIN_VERBS
        and not _NONE.search(before + word.group())
        and (verb != "to" or _SET.search(before) is not None)
    )


def _is_code(text: str, before: str, link: re.Match[str]) -> bool:
    """A value of a name in code is a name itself: in brackets, with a semicolon, in a line of its own block."""
    if any(before.rfind(opened) > before.rfind(closed) for opened, closed in ("()", "[]", "{}", "<>")):
        return True
    if text.startswith((";", "(", "[", "{", ".", "`;"), link.end()) and not _ENDED.match(text, link.end()):
        return True
    if text.startswith(";", link.end()) or (before[:1].isspace() and text.startswith(",", link.end())):
        return True
    spaced = link["sign"] in (":=", "=>") or (link["sign"] == "=" and text[link.start("sign") - 1].isspace())
    return spaced and _KEY_ALONE.fullmatch(before) is None


_KEY_ALONE = pattern_of(r"(?:[#>*-]{1,3}\s)?(?:export\s)?[A-Za-z0-9_-]{0,40}")


def _is_plain(text: str, start: int, end: int) -> bool:
    """A word or a number that ends what is said, and is not said about passwords."""
    value = text[start:end]
    return (
        _PLAIN.fullmatch(value) is not None
        and _ENDED.match(text, end) is not None
        and not _HUMP.search(value)
        and not is_about(value)
        and not is_beside_passwords(value)
    )
