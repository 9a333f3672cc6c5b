"""Does what stands in a secret's place look like one?

A value is judged by how it is mixed, and by what else it may be: a hole to fill, a name, a type, a version, a word
about it. How much is asked of it goes by how sure its place is: least after `password =`, most where a password is only
spoken of.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from recollect.pattern import pattern_of


def entropy(text: str) -> float:
    """Bits of each character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) if text else 0.0


def classes(text: str) -> int:
    """Of small letters, capitals and digits, how many there are."""
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, text)) for kind in kinds)


_RUN = pattern_of(r"(.)\1{5,}|0123456789|123456789012|abcdefghij|ABCDEFGHIJ")


def is_random(text: str) -> bool:
    """Letters and digits as a generator mixes them; no word, no counting, no row of the same sign."""
    return (
        entropy(text) >= 2.8
        and not _RUN.search(text)
        and "example" not in text.lower()
        and not text.startswith(_PUBLISHED)
    )


def is_key(text: str) -> bool:
    """So random that it can hardly be anything else: long, of three classes, and no path or name of words."""
    if len(text) < 20 or classes(text) < 3 or entropy(text) < 3.5 or not is_random(text):
        return False
    parts = re.split(r"[-_/.]", text)
    worded = len(_RUNS.findall(text)) * _WORD_LENGTH <= len(text)  # as TokenRefreshInterceptorV2 is
    return not worded and not all(part.isalpha() or part.isdigit() for part in parts) and not is_name(text)


_RUNS = pattern_of(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORD_LENGTH = 4
_PUBLISHED = ("pk_test_", "pk_live_")  # keys that are made to be shown
_HOLES = pattern_of(
    r"(?i)[<{\[(]|^[$%]\w*|\*\*\*|\.\.\.|…|^(?:x+|\W+|(?:your|my|the|some|a|an|new|old|test|fake|dummy|sample|placeholder|redacted|masked|"
    r"process|config|settings|self|this|args|options|env|os|secrets?|vault|request|req|ctx|user|data|props|state|params)"
    r"(?:[-_. ].*)?|null|none|true|false|undefined|string|str|text|bytes|int|changeme|change_me|todo|tbd|required|optional|"
    r"pass(?:word|wd|phrase)?|pwd|hidden|empty|unset|missing|invalid|expired|wrong|value|token|bearer|basic|digest|key|str(?:ing)?\d|\w+_password\d?|"
    r"(?-i:[A-Z]\w*(?:Token|Secret|Key|Type)\d?|Token\d|[a-z]\w*Password\d?)|!(?:vault|ref|sub|getatt|importvalue|env|secret|include|join|base64|lookup))$"
    r"|^\d+[-+]?(?:char|sign|letter|digit|bit|byte|zeichen|day|hour|week|month)|^\d{1,2}:\d\d|^pk_(?:test|live)_"
)  # what stands where a secret would: a hole to fill, a name, a type, a word about it
_NAME = pattern_of(
    r"(?![A-Z][a-z]+\.[A-Z][a-z]+\d+$)[A-Za-z_]+(?:\.[A-Za-z_][A-Za-z0-9_]*)*[;,]?$|[A-Z][A-Z0-9_]+$|[a-z]+(?:_[a-z0-9]+)+$"
)


def is_name(text: str) -> bool:
    """A name of a variable, a field or a constant."""
    return _NAME.match(text) is not None


def is_hole(text: str) -> bool:
    """What stands where a secret would, and is to be replaced by one, or says what it is."""
    return _HOLES.search(text) is not None


def is_filled(text: str) -> bool:
    """A value between quotes, or after `=`: anything that is no hole."""
    return len(text) >= 6 and not _HOLES.search(text) and not _RUN.search(text) and "example" not in text.lower()


def is_password(text: str) -> bool:
    """A value that nothing marks as one: it must not read like a name, a word or a time."""
    said = text.rstrip("!")  # which may end the sentence as well
    signs = any(not sign.isalnum() and sign not in "-_./:" for sign in said) and any(map(str.isalnum, said))
    return is_filled(text) and not is_name(said) and (_is_mixed(said) or signs) and "://" not in text


def _is_mixed(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


_NO_PASSWORD = pattern_of(
    r"(?i)(?:oauth|argon|bcrypt|scrypt|pbkdf|(?:sha|aes|rsa|utf|tls|ssl|iso|rfc|nist|http)[-_ /]?\d|md5|ed25519|base64|https?:|v?\d+\.\d|1pass)|[\w.-]+\.[a-z]{1,5}$"
)  # what people speak of together with passwords: ways to hash them, versions, files
_TURN = pattern_of(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def is_told(text: str) -> bool:
    """A value that a sentence says to be a password."""
    return is_password(text) and not is_beside_passwords(text)


def is_beside_passwords(text: str) -> bool:
    """Something that people speak of together with passwords."""
    return _NO_PASSWORD.match(text) is not None


def is_strong(text: str) -> bool:
    """A value that stands beside a word for a password: mixed as people mix one, and never in a name."""
    if not is_told(text) or not any(map(str.isdigit, text)):
        return False
    joined = any(sign in "-_" for sign in text) and classes(text) == 3
    return _has_signs(text) or joined or len(_TURN.findall(text)) >= 4 or _is_scattered(text)


def _is_scattered(text: str) -> bool:
    """Small letters, capitals and digits in runs of two or so: those of names are as long as words."""
    return len(text) >= 10 and classes(text) == 3 and text.isalnum() and len(_RUNS.findall(text)) * 2.4 >= len(text)


def _has_signs(text: str) -> bool:
    """Signs that no name holds. What ends a sentence counts behind two digits or more."""
    said = text if sum(map(str.isdigit, text)) > 1 else text.rstrip("!")
    return any(not sign.isalnum() and sign not in "-_./:" for sign in said)


_ELSE = pattern_of(
    r"(?i)^[#@~*&%$^!-]|&&|&#|&(?:amp|lt|gt|quot|nbsp|apos)$|%(?:2[0-9a-f]|3[a-f]|c3)(?!\d)|\+\+|->|\d\.\d|\.\w{1,5}#|\.[a-z]{1,5}!?$|@[\w-]+\.|@\d|^\d+%|(?-i:\$[A-Z_]{3})|^[A-Z]{1,3}&[A-Z]|"
    r"^(?:issue|ticket|bug|pr|mr|gh|case|order|room|step|item|[a-z])#|^(?:ctrl|cmd|alt|shift|windows|ubuntu|debian|python|postgres|java|node|office|server)[+\d]"
)  # what has such signs and is none: variables, versions, addresses, tickets, keys that are pressed


def is_made(text: str) -> bool:
    """So mixed as people make a password, and hardly anything else: wherever a password is spoken of, it is one."""
    if not 8 <= len(text) <= 64 or not _is_mixed(text) or not is_told(text) or _ELSE.search(text):
        return False
    if any(sign in "!#$%^&*~?" for sign in (text if _ENDS_COUNTED.search(text) else text.rstrip("!?"))):
        return True
    if "@" in text:
        return classes(text) == 3
    if not text.isascii() or not text.isalnum() or classes(text) < 3:
        return False
    return len(_TURN.findall(text)) >= 4 or _is_scattered(text)


_ENDS_COUNTED = pattern_of(r"\d\d!{1,3}$")


def is_card(text: str) -> bool:
    """A number as a card has it: of an issuer and its length, with the digit that checks the others."""
    digits = "".join(filter(str.isdigit, text))
    if not _ISSUED.fullmatch(digits) or len(set(digits)) < 2:
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


_ISSUED = pattern_of(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)\d+|3[47]\d{13}|3(?:0[0-5]|[689])\d{11,13}|35\d{14}|"
    r"(?:6011|64[4-9]|65)\d{12,13}|(?:62|81)\d{14,17}"
)


def is_seed(text: str) -> bool:
    """Words of a wallet's list, of which there are twelve or more; in a sentence there is a word that the list lacks."""
    words = _SEED_WORD.findall(text)
    return len(words) in _SEED_COUNTS and not _NO_SEED.search(text)


_SEED_COUNTS = (12, 13, 15, 18, 20, 21, 24, 25, 33)  # the lists' own, and with a word of one's own
_SEED_WORD = pattern_of(r"[a-z]{3,10}")
_NO_SEED = pattern_of(
    r"\b(?:the|and|for|are|was|not|your|has|have|from|with|our|but|its|were|been|into|should|must|never)\b"
)


def is_minted(text: str) -> bool:
    """What a key is said to be: letters and digits as a generator mixes them, also hexadecimal; no UUID, no name."""
    if not _is_mixed(text) or is_name(text) or _UUID.fullmatch(text) or not is_random(text):
        return False
    return len(_TURN.findall(text)) >= len(text) // 6


def is_issued(text: str) -> bool:
    """What a setting is that is named as a key of somebody: so long and mixed that it opens something."""
    return len(text) >= 16 and is_minted(text) and is_filled(text)


_UUID = pattern_of(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SPOKEN = pattern_of(
    r"(?i)\b(?:a|an|the|and|or|of|in|on|at|by|to|for|from|with|is|are|was|be|been|not|no|never|only|too|very|so|as|it|its|my|"
    r"your|our|this|that|than|then|when|where|here|there|long|short|enough|during|after|before|same|different|new|old|"
    r"set|kept|lost|known|hidden|optional|empty|wrong|\w+(?:ed|ing|ly|able))\b"
)  # words of sentences about a passphrase, which stand in none


def is_phrase(text: str) -> bool:
    return not _SPOKEN.search(text)


def is_quoted_value(text: str) -> bool:
    """Between quotes a word alone is none: `password: "string"`; a sentence is none either."""
    return is_filled(text) and not text.isalpha() and not text.startswith(("/", "./", "--")) and "://" not in text


def is_base32(text: str) -> bool:
    """As the secret of a one-time password is written: `JBSW Y3DP …`."""
    return any(map(str.isdigit, text)) and not _RUN.search(text)


def is_url_password(text: str) -> bool:
    return not _HOLES.search(text) and not _RUN.search(text)
