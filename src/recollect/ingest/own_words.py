"""Which lines of a message are the words of who sends it, and which were only put into it?

What somebody shows to an agent (an issue, a page, a thread, a file) speaks with "we" and "always" like its sender. So
a text that a line announces, or that a question is asked about, is nobody's word, up to the end of the message unless
it stands in a block of its own; and so are fields of a mail, lines of a thread, quotes, code and blocks of other
agents. An announcement of own rules ("our rules:", "from now on:") announces the sender's words.
"""

from __future__ import annotations

import re

from recollect.pattern import pattern_of

_BLOCK = pattern_of(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)", re.DOTALL)
_TAG = pattern_of(r"(?P<begins>^[ \t]*)?<(?P<tag>[A-Za-z][\w:-]*)(?:\s[^<>]*)?(?<!/)>", re.MULTILINE)
_CLOSED = pattern_of(r"</(?P<tag>[A-Za-z][\w:-]*)>")
_QUOTED = pattern_of(r"\s{0,3}>")
_NO_PROSE = pattern_of(r"\s{0,3}(?:\||#|\$ |\+|- \[|at |File \"|//|/\*|<!--)")
_TEXTS = (
    r"(?:read ?me|issue|ticket|bug report|report|log|output|error|exception|(?:stack ?)?trace|message|e-?mail|mail|letter|thread|slack|chat|discord|conversation|"
    r"transcript|page|web ?site|site|article|blog|post|tweet|comment|review|docs?|documentation|manual|handbook|wiki|file|diff|patch|pr|pull request|commit|"
    r"snippet|spec|text|paragraph|quote|description|changelog|release notes|response|reply|result|prompt|draft|screenshot|notes|minutes|reporter|author|"
    r"nachricht|fehler|ausgabe|datei|seite|artikel|erreur|fichier|courriel|correo|archivo|página|errore|pagina|bestand|bericht|plik|błąd|файл|письмо|ошибка)s?"
)
_OTHERS = pattern_of(
    rf"\b(?:of|from|in|by|per|on) (?:the|that|this|these|their|an?|his|her|another) (?:[\w./'-]+ ){{0,3}}?(?:{_TEXTS}|repo(?:sitory)?)\b|"
    rf"\b(?:their|his|her|vendor|upstream)(?:'s)?\b|^(?:the|this|that|an?) (?:[\w./'-]+ ){{0,2}}{_TEXTS}\b",
    re.IGNORECASE,
)
_LEAD = r"\W*(?:(?:please|pls|can you|could you|would you|hey|hi|ok(?:ay)?|so|and|now|then|let's|bitte)\b\W*)*"
_LOOK = pattern_of(
    rf"{_LEAD}(?:check|look|see|read|review|explain|summari[sz]e|translate|rephrase|rewrite|proofread|analy[sz]e|compare|parse|debug|consider|(?:have|take) a look|"
    r"what do you (?:think|make)|thoughts on|any idea|schau|lies|erklär\w*|übersetz\w*|fasse?|regarde|lis|explique|résume|traduis|mira|lee|explica|resume|traduce|"
    r"guarda|leggi|spiega|riassumi|kijk|lees|olha|lê|leia|przeczytaj|zobacz|посмотри|прочитай|объясни)\b",
    re.IGNORECASE,
)
_OWN = pattern_of(
    r"\b(?:rules?|conventions?|polic(?:y|ies)|preferences?|decisions?|guidelines?|standards?|principles|facts?|reminders?|remember(?: that| this)?|keep in mind|note|notes|"
    r"(?:don't|do not) forget|from now on|going forward|in future|in the future|by default|always|never|important|context|background|set-?up|stack|about me|for the record|fyi|"
    r"we (?:have |'ve )?(?:decided|agreed|settled|always|never|use|prefer)|i (?:prefer|like|decided)|decided|agreed|(?:a few|some|two|three|\d) things|in this (?:project|repo)|"
    r"for this (?:project|repo)|regeln|regel|entscheidung|entscheidungen|merk dir|denk daran|ab jetzt|ab sofort|künftig|règles?|désormais|à partir de maintenant|décisions?|"
    r"retiens|reglas?|a partir de ahora|decisiones|recuerda|regras?|a partir de agora|lembre-se|regole|regola|d'ora in poi|ricorda|regels|voortaan|vanaf nu|onthoud|zasady|od teraz|"
    r"zapamiętaj|правила|отныне|запомни)\b|规则|记住|从现在|ルール|今後",
    re.IGNORECASE,
)
_FIELD = pattern_of(
    r"\s*(?:[*_]{2})?(?:Title|Body|From|Subject|Cc|Author|Reporter|Reported by|Posted by|Comment by|Commit message|Betreff|Von|Objet|Asunto|Oggetto)(?:[*_]{2})?:(?:[*_]{2})?(?:\s|$)"
)
_SAID_BY = pattern_of(
    r"\s*(?:[-*•]\s+)?(?:\[?\d{1,2}[:.]\d\d\S*\s+)?(?P<who>[@\w][\w.@-]*(?: [\w.@-]+){0,2})(?:\s*[\[(][^\])\n]*[\])])?\s*:\s+\S"
)
_ABOUT_A_TEXT = pattern_of(r"\b(?:this|these|following|below)\b", re.IGNORECASE)
_MEANING = pattern_of(
    rf"{_LEAD}(?:what (?:does|do|is|are)|is|are|explain|summari[sz]e|translate|was (?:bedeutet|heißt|ist)|que (?:veut dire|signifie)|qué significa|cosa significa|o que significa|"
    r"wat betekent|co znaczy|что значит)\b.{0,30}\b(?:this|that|these|it|above|mean|true|real|legit|spam|das|cela|ça|esto|questo|isto|dit|to|это)\b",
    re.IGNORECASE,
)
_GOES_ON = pattern_of(
    r"\W*(?:also|and|but|btw|by the way|oh|ps|p\.s\.|one more|another thing|besides|anyway|außerdem|übrigens|und|aussi|además|inoltre)\b",
    re.IGNORECASE,
)
_SHORT = 14  # words of a line that asks for a look at what follows
_FEW = 3  # words between marks that are a name, and nobody's speech
_NAME = 400  # characters that a name may have
_MARK = "\0"  # stands for a block


def own_lines(text: str, role: str) -> list[str]:
    """The lines of a message that its sender says; in the place of others there are empty ones."""
    lines = _without_tagged(_BLOCK.sub(f"\n{_MARK}\n", text)).splitlines()
    lines = [_MARK if _QUOTED.match(line) else "" if _NO_PROSE.match(line) else line for line in lines]
    if role == "user" and _asks_of_all_before(lines):
        return []
    return [line.replace(_MARK, "") for line in _without_thread(lines[: _own_count(lines, role)])]


def _without_tagged(text: str) -> str:
    """A text without its blocks between tags; one that marks a name stays. One that begins a line and is left open goes
    on to the end.
    """
    kept: list[str] = []
    at = 0
    last = {close["tag"]: close.start() for close in _CLOSED.finditer(text)}
    while found := _TAG.search(text, at):
        tag = found["tag"]
        end = text.find(f"</{tag}>", found.end()) if last.get(tag, -1) >= found.end() else -1
        if end < 0 and found["begins"] is not None and "-" in tag:
            return "".join([*kept, text[at : found.start()]])
        if end < 0 or (end - found.end() < _NAME and len(text[found.end() : end].split()) < _FEW):
            kept.append(text[at : found.end()])
            at = found.end()
        else:
            kept += [text[at : found.start()], f"\n{_MARK}\n"]
            at = end + len(tag) + 3
    return "".join([*kept, text[at:]])


def _own_count(lines: list[str], role: str) -> int:
    """How many lines stand before a text that they only show."""
    before = ""
    for place, line in enumerate(lines):
        here = line.strip()
        if here:
            if _FIELD.match(line) or _begins_another(before, here, role):
                return place
            before = here
    return len(lines)


def _begins_another(before: str, here: str, role: str) -> bool:
    """Does a line begin a text that the one before it only announces, or asks about?"""
    if not before or _MARK in (before, here):
        return False  # a block has an end of its own
    if before.endswith((":", "：")):
        return announces_another(before, role)
    if role != "user" or _GOES_ON.match(here) or len(before.split()) > _SHORT:
        return False
    asks = before.endswith(("?", "？")) and (_ABOUT_A_TEXT.search(before) or _MEANING.match(before))
    return bool(asks) or (_LOOK.match(before) is not None and _ABOUT_A_TEXT.search(before) is not None)


def announces_another(head: str, role: str) -> bool:
    """Does a line that ends with a colon announce a text of somebody else? An agent's may announce what it did."""
    if _LOOK.match(head) or _OTHERS.search(head):
        return True
    if _OWN.search(head):
        return False
    return role == "user" or re.search(rf"\b{_TEXTS}\b", head, re.IGNORECASE) is not None


def _asks_of_all_before(lines: list[str]) -> bool:
    """Is the last line of several all that is asked, and what it asks the meaning of what stands before it?"""
    said = [line.strip() for line in lines if line.strip()]
    return len(said) > 1 and len(said[-1].split()) <= _SHORT and _MEANING.match(said[-1]) is not None


def _without_thread(lines: list[str]) -> list[str]:
    """The lines without those that two or more speakers say, each behind a name, and without what goes on there."""
    named = {place for place, line in enumerate(lines) if (by := _SAID_BY.match(line)) and not _OWN.search(by["who"])}
    if len(named) < 2:
        return lines
    kept: list[str] = []
    within = False
    for place, line in enumerate(lines):
        within = place in named or (within and bool(line.strip()))
        kept.append("" if within else line)
    return kept


_SAYS = r"(?:says?|said|states?|stated|reads|writes?|wrote|claims?|mentions?|recommends?|suggests?|instructs?|tells?|told|demands?|asks?)"
_REPORTS = pattern_of(
    rf"\b(?:it|they|(?:the|this|that|its|their|an?) (?:[\w./'-]+ ){{0,3}}?{_TEXTS}(?: (?:at|on|of|in|from|by) \S+)?|(?:\S{{0,80}}read ?me\S{{0,80}}|\S{{1,80}}\.(?:md|txt|rst|html|org|com|io|dev|example)\S{{0,80}})) "
    rf"(?:\w+ly |also |itself )?{_SAYS}\b|\baccording to\b|\bthe following[.:]|\b(?:laut|selon|según|secondo|segundo|volgens|według|согласно)\b",
    re.IGNORECASE,
)
_HAS_READ = pattern_of(
    r"\b(?:i|i've|i have) (?:just )?(?:read|fetched|opened|visited|browsed|summari[sz]ed)\b.*\b(?:read ?me\S*|\S+\.(?:md|txt|html)|pages?|issues?|articles?|docs?|documentation|(?:web ?)?site|"
    r"threads?|tickets?|e?-?mails?|posts?|pr|pull request|comments?|url|https?:\S+)|^summary of (?:the|this|that|their)\b",
    re.IGNORECASE,
)


def reports_text(sentence: str, role: str) -> bool:
    """Does a sentence tell what some text says? What an agent says after having read one may be of it, too."""
    return _REPORTS.search(sentence) is not None or (role != "user" and _HAS_READ.search(sentence) is not None)
