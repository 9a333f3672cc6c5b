"""Does a question ask for what was, or for what is now?

A few words in the languages that people write notes in; a question that has none of them asks for what holds.
"""

from __future__ import annotations

import re

_PAST = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|at first|used to|back then|earlier|"
    r"until (?:then|recently)|in the past|(?:the|our|my|their|his|her) (?:old|first)|"
    r"früher\w*|vorher|ursprünglich\w*|zuvor|damals|anfangs|avant|auparavant|à l'origine|autrefois|"
    r"antes|anteriormente|originalmente|al principio|prima|in origine|precedente\w*|antigamente|"
    r"wcześniej|poprzedni\w*|vroeger|eerder|oorspronkelijk\w*|раньше|прежде|önce\w*|eskiden)\b|以前|之前|原来|以前は|前は|이전|예전",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|current(?:ly)?|today|these days|nowadays|still|at the moment|right now|latest|at present|any ?more|"
    r"jetzt|aktuell\w*|derzeit|momentan|inzwischen|noch|maintenant|actuel\w*|aujourd'hui|encore|"
    r"ahora|actual\w*|hoy|todavía|adesso|attual\w*|oggi|agora|atual\w*|teraz|obecn\w*|nu|momenteel|huidige|"
    r"сейчас|теперь|şimdi|hâlâ)\b|现在|目前|今|지금|현재",
    re.IGNORECASE,
)


def asks_past(question: str) -> bool:
    return _PAST.search(question) is not None


def asks_now(question: str) -> bool:
    return _NOW.search(question) is not None
