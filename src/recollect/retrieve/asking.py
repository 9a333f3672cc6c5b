"""Does a question ask for what was, or for what is now? And is a text a question itself?

A few words in the languages that people write notes in; a question that has none of them asks for what holds. A
question that was stored has the words of the next one like it, and answers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from recollect.pattern import pattern_of
from recollect.retrieve.interrogative import opens_as_question
from recollect.types import Hit, Query

_OF_AGE = r"(?!(?:m[ae]n|wom[ae]n|lad(?:y|ies)|fellow|dad|people|folks?|friends?|town|city|age|house|school)\b)"
_PAST = pattern_of(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|at first|used to|back then|earlier|"
    r"until (?:then|recently)|in the past|(?:the|our|my|their|his|her) "
    rf"(?:old (?={_OF_AGE})|first(?! (?:floor|time|prize|aid|name|class|thing|sign|of)\b))|"
    r"früher\w*|vorher|ursprünglich\w*|zuvor|damals|anfangs|avant|auparavant|à l'origine|autrefois|"
    r"antes|anteriormente|originalmente|al principio|prima|in origine|precedente\w*|antigamente|"
    r"wcześniej|poprzedni\w*|vroeger|eerder|oorspronkelijk\w*|раньше|прежде|önce\w*|eskiden)\b|以前|之前|原来|以前は|前は|이전|예전",
    re.IGNORECASE,
)
_NOW = pattern_of(
    r"\b(?:now|current(?:ly)?|today|these days|nowadays|still|at the moment|right now|latest|at present|any ?more|"
    r"jetzt|aktuell\w*|derzeit|momentan|inzwischen|noch|maintenant|actuel\w*|aujourd'hui|encore|"
    r"ahora|actual\w*|hoy|todavía|adesso|attual\w*|oggi|agora|atual\w*|teraz|obecn\w*|nu|momenteel|huidige|"
    r"сейчас|теперь|şimdi|hâlâ)\b|现在|目前|今|지금|현재",
    re.IGNORECASE,
)


_BEFORE = pattern_of(
    r"(?:before|earlier|zuvor|vorher|avant|antes|prima|wcześniej|eerder|прежде|önce\w*)", re.IGNORECASE
)
_WAS = pattern_of(
    r"\b(?:was|were|did|had|used|been|happened|went|passierte?|geschah|geschehen|war|waren|hatten?|gab|wurden?|hieß|étai\w*|avai\w*|fut|eran?|fue(?:ron)?|"
    r"estaba\w*|ten[íi]a\w*|había\w*|erano|fu|aveva\w*|foi|tinha\w*|estava\w*|był\w*|mia[łl]\w*|"
    r"был[аио]?|idi|vardı|\w+(?:ydı|ydi|ydu|ydü))\b",
    re.IGNORECASE,
)


_HABIT = pattern_of(
    r"\bdid\b.{1,60}\buse to\b|"
    r"\bused (?:(?:the|our|my|your|his|her|their|we|i|you|he|she|they|it)\b.{1,40}|[^\W\d_]+ )\bto be\b|"
    r"\b(?:was|were|had)\b(?: [^\W\d_]+){0,2} first [^\W\d_]+ed\b|"
    r"\b(?:was|were|did|had)\b.{1,60}\bfirst\W*\Z|\bdid\b(?: [^\W\d_]+){1,4} first [^\W\d_]+|"
    r"\bdid\b.{1,60}\b(?:start|begin) (?:out |off )?with\W*\Z|"
    r"\bhad (?:i|we|you|he|she|they)\b|\b(?:was|were)\b.{1,60}['’]s (?:very )?first\b",
    re.IGNORECASE,
)
"""What was so for a while, or at first: "where did we use to meet?", "which hotel was first planned?", "which
island had we wanted to see?".
"""
_ONCE = pattern_of(
    r"\b(?:at|since|from) the (?:start|beginning|end) of the (?:year|season|project|school year)\b|"
    r"\bearly in the year\b|\bback when\b|\blast (?:season|term|semester)\b|"
    r"\bwhen (?:i|we|they|he|she|it) (?:began|started|came|arrived)\b|"
    r"\b(?:in|during|last|over) (?:the |early |late )*(?:spring|summer|autumn|winter|fall)\b|"
    r"\bim (?:letzten |vorigen )?(?:frühjahr|frühling|sommer|herbst|winter)\b|"
    r"\b(?:zu|am) (?:beginn|anfang) des (?:jahres|projekts)\b",
    re.IGNORECASE,
)
"""A stretch of time that may be over, and is where the question tells of what was."""
_BEGINNING = pattern_of(
    r"\bin (?:early|late) \d{4}\b|\b(?:at|in) the (?:very )?(?:start|beginning|outset)(?: of \d{4})?\W*\Z",
    re.IGNORECASE,
)
_DONE_BY = pattern_of(
    r"\A\W*(?:and |so )?(?:who|what|(?:which|what|whose)"
    r"(?: (?!(?:is|are|be|must|should|can|may|has|have|will|to)\b)[^\W_]+){1,2}?) (?:[^\W\d_]{3,}ed|took|led|stood|"
    r"ran|made|gave|came|paid|sat|kept|held|sold|bought|drove|wrote|sent|taught|sang|built|began|lent|brought|found|"
    r"won|fed|hid|laid|lit|lost|rang|spent|threw|chose|flew|grew|knew|met|rode|shot|spoke|swam|wore)\b",
    re.IGNORECASE,
)
"""Somebody who did something, told by the verb alone: "who led the choir before Ines?"."""


_IMPERFECT = pattern_of(
    r"\b(?:avions|aviez|étions|(?![^\W\d_]*fait\b|souhait\b|connait\b|plait\b)[^\W\d_]{2,}(?<!r)ai(?:t|ent)|"
    r"(?:ouvr|couvr|livr|r?entr|montr|prépar|répar|tir)ai(?:t|ent)|"
    r"[^\W\d_]{2,}ab(?:a|an|as|amos)|(?:hac|pod|deb|viv|ven|quer|dec|pon|ten|hab|cog|abr)ía[ns]?|"
    r"(?:(?!leva\b|solleva\b)[^\W\d_]{2,}[ae]|(?:apr|usc|dorm|ven|fin|pul|costru|serv|copr|part|forn|gest|segu)i)"
    r"va(?:no|mo)?)\b",
    re.IGNORECASE,
)
"""Verbs of other languages that tell, beside a word for "before", of what was so for a while."""
_BEFORE_NAMED = pattern_of(
    r"\bvor (?!Ort\b|Beginn\b|Ablauf\b|Weihnachten\b|Ostern\b|Mitternacht\b|Gericht\b)[A-ZÄÖÜ]\w"
)
_PERFECT = pattern_of(
    r"\b(?:hat|haben|habe|hast)\b.{0,160}\b(?:(?:[^\W\d_]{2,4})?ge[^\W\d_]{2,}(?:t|en)|[^\W\d_]{3,}iert)\b|"
    r"\A\W*(?:und )?(?:wer|wen|wem|was|wo|woher|wohin|wann|womit|wie(?: viel\w*| oft| lange)?|"
    r"(?-i:[wW]elche[rsnm]? [A-ZÄÖÜ]\w+)) "
    r"(?-i:(?!(?:soll|woll|müss|könn|möch|dürf|hät|bräuch|bit)te)[a-zäöüß]{3,}te\b(?! ich\b)|"
    r"(?:be|ver|ent)?(?:kam|ging|lag|stand|saß|fuhr|nahm|gab|trug|schrieb|blieb|lief|hing|half|sprach|traf|fand|ließ|zog|hielt|schloss|aß|sang|trank|wusch)(?:en)?\b)",
    re.IGNORECASE,
)
"""German that tells of the past: "wer hat … geleitet", "wer leitete"."""
_BEFORE_NEW = pattern_of(
    r"\S before (?:(?-i:[A-Z])\w|"
    r"(?:the|our|my|we had) (?:new|current|present|change|move|switch|upgrade|rewrite|migration)\b|"
    r"(?:\S+ ){1,4}(?:took over|came|arrived|moved|left|joined|got)\b)",
    re.IGNORECASE,
)
"""Where something has no verb, what it is before of what there is now: "VPN client before WireGuard"."""
_OLD = pattern_of(
    r"\A\W*(?:what (?:is|was) |what's )?(?:the |our |my |his |her |their )?(?:old|earlier|initial) "
    rf"{_OF_AGE}[^\W_]",
    re.IGNORECASE,
)
_OLD_OF = pattern_of(r"['’]s (?:old|earlier) |\bl['’]ancien|\binicial", re.IGNORECASE)
_ASKING = pattern_of(
    r"\b(?:is|are|am|do|does|did|can|could|should|must|may|will|would|has|have|had|was|were|what|who|whom|whose|when|where|"
    r"why|how|which|needs?|to|check|take|ist|sind|muss|soll|kann|wer|wie|wann|womit|welche\w*|qui|que|quoi|qué|quién|"
    r"cuándo|dónde|chi|cosa|dove|quando)\b",
    re.IGNORECASE,
)
_ENDS_WITH_BEFORE = pattern_of(
    r"\b(?:which|who|what|how)\b(?!.*\b(?:must|should|needs?|have to|has to|to be)\b).*"
    r"(?<!\bas )(?<!\bday )(?<!\bnight )(?<!\bevening )(?<!\bweek )\bbefore\W*\Z",
    re.IGNORECASE,
)


def asks_past(question: str) -> bool:
    """Does a question ask for what held once? "Before" alone does not: that may be before a trip that is to come."""
    if _HABIT.search(question) or _OLD.search(question):
        return True
    found = [match[0] for match in _PAST.finditer(question)]
    if any(not _BEFORE.fullmatch(word) for word in found):
        return True
    told = tells_past(question)
    if found and (told or any(one.search(question) for one in (_DONE_BY, _IMPERFECT, _PERFECT, _ENDS_WITH_BEFORE))):
        return True
    if (told or _PERFECT.search(question)) and _BEFORE_NAMED.search(question):
        return True
    if told:
        return any(one.search(question) for one in (_ONCE, _BEGINNING, _OLD_OF))
    if _ASKING.search(question):
        return False  # what is left has no verb: "VPN client before WireGuard"
    return any(one.search(question) for one in (_BEGINNING, _OLD_OF)) or bool(found and _BEFORE_NEW.search(question))


_GERMAN = pattern_of(
    r"\b(?:ist|sind|muss|soll|der|die|das|den|dem|ich|wir|du|im|am|haben|hat|zu|vor|vorher|zuvor)\b", re.IGNORECASE
)


def tells_past(question: str) -> bool:
    """Is a question about something that is over? "Was" is such a word in English, and "what" in German."""
    said = {word.casefold() for word in _WAS.findall(question)}
    return bool(said) and (said != {"was"} or _GERMAN.search(question) is None)


_PRECEDES = pattern_of(r"\b(?:before|vor|avant|antes d[eo]s?|prima d(?:i|el)\w*|voor|vóór|przed|до)\b", re.IGNORECASE)


def said_after_before(question: str) -> str:
    """What a question for the past names as the later: of "who was treasurer before Oluf?" that is "Oluf?"."""
    found = _PRECEDES.search(question)
    return "" if found is None else question[found.end() :]


_ABOUT = pattern_of(
    r"(?:please )?(?:(?:do you (?:know|have|remember)|is there|have you got|got) )?(?:anything|something|everything)"
    r"(?: (?:you know|known|stored))?"
    r" (?:about|on|regarding) (?P<a>.+)|"
    r"(?:please )?(?:(?:can|could) you )?(?:tell me|show me|remind me|what do (?:you|we|i) (?:know|have|remember)|"
    r"what (?:is|s|is there) known|what is there)(?: (?:anything|something|everything|all|more))?(?: you know)?"
    r" (?:about|on|of) (?P<b>.+)|"
    r"(?:(?:weißt|weisst|hast) du )?(?:etwas|irgendwas|alles|was) (?:über|zu) (?P<c>.+)|"
    r"(?:was (?:weißt|weisst) du|was wissen wir|erzähl(?:e)? (?:mir )?(?:etwas|alles|was)?) ?(?:alles )?"
    r"(?:über|von|zu) (?P<d>.+)",
    re.IGNORECASE,
)
_END = " \t\n?!.…？！。"


def subject_of(question: str) -> str:
    """What a question is about that says nothing else: whose words are few is found by those that count."""
    found = _ABOUT.fullmatch(question.strip(_END))
    said = next(filter(None, found.groups()), "") if found else ""
    return said.strip(_END) or question


def asks_now(question: str) -> bool:
    return _NOW.search(question) is not None


_MARKS = ("?", "？", "؟")
_MOST_WORDS, _MOST_UNSPACED = 14, 40  # a longer text tells something, and asks at its end
_SENTENCES = pattern_of(r"[.!。！]\s")
_FOR_QUESTIONS = pattern_of(
    r"\bask|question|\bfrag|\bdemand|pregunt|domand|pergunt|vraag|вопрос|спраш|спрос|\bsor[du]|问|質問|聞|질문",
    re.IGNORECASE,
)
_WORTH = 0.4  # of a hit that only asks
_LIKELY, _SHARED, _NEAR = 0.3, 0.3, 0.5
_SAME = 0.75  # of a question's weight; what asks with so much of it asks the same


def is_question(text: str) -> bool:
    """Is a text one short question, and nothing else, with a mark or without?"""
    said = text.strip()
    short = len(said) <= _MOST_UNSPACED if " " not in said else len(said.split()) <= _MOST_WORDS
    if not short or _SENTENCES.search(said):
        return False
    return said.endswith(_MARKS) or opens_as_question(said)


def asked_among(hits: Sequence[Hit], question: str) -> list[Hit]:
    """The hits that only ask; none where somebody looks for questions."""
    return [] if _FOR_QUESTIONS.search(question) else [hit for hit in hits if _asks(hit)]


def _asks(hit: Hit) -> bool:
    """Of what was said in passing, everything that only asks; of what was noted, one short question."""
    return is_question(hit.record.text) or (hit.record.kind == "message" and only_asks(hit.record.text))


_ENDS = pattern_of(r"(?<=[.!?…])(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z]{2}\.)\s+|(?<=[。！？؟])\s*|\n+")
_ASKS = pattern_of(
    r"\W*(?:(?:so|and|but|ok(?:ay)?|hey|please|und|also)\b\W*)*(?:"
    r"(?:what|which|how (?:many|much|long|often))\W+(?:\w+\W+){0,2}?(?:do|does|did|should|shall|can|could|would)\b|"
    r"(?:what|which|who|whose|when|where|why|how)\W+(?:is|are|was|were|do|does|did|should|shall|can|could|would|will)\b|"
    r"(?:is|are|do|does|did|can|could|should|shall|would|will) (?:we|i|you|it|they|he|she|there)\b|"
    r"(?:is|are|does|did|could|should|would) (?:the|this|our|my)\b|"
    r"(?:was|wer|wann|wo|wie|warum|wieso) (?:ist|sind|war|waren|hat|haben|wird|kann|soll|sollen|muss)\b|"
    r"welche[rsnm]? \w+ (?:ist|sind|hat|haben|nutzt|nutzen|läuft|gilt|soll|sollen)\b)",
    re.IGNORECASE,
)
_DOUBTS = pattern_of(
    r"\b(?:maybe|perhaps|possibly|might|not sure|unsure|i wonder|wondering|what if|suppose|hypothetically|could be|"
    r"vielleicht|eventuell|womöglich|möglicherweise|nicht sicher|peut-être|quizás?|tal vez|forse|magari|talvez|"
    r"misschien|być może|może|возможно|может быть|наверное|belki)\b|也许|可能|或许|かもしれ|아마",
    re.IGNORECASE,
)

_AT_HAND = pattern_of(
    r"\b(?:th(?:is|ese)|your (?:last|latest|previous)) (?:\w+ )?(?:answer|article|class|code|comment|conversation|csv|"
    r"diff|edit|e?mail|expression|file|folder|function|image|line|list|loop|message|method|module|output|page|paragraph|"
    r"query|regex|reply|response|screenshot|script|sentence|snippet|table|test|text|thread|trace|variable)(?:e?s)?\b",
    re.IGNORECASE,
)
_HALF = 0.5  # of the weight of a prompt's words


def stated_in(text: str) -> str:
    """What a text states: without the sentences that ask or doubt."""
    told = [one for one in _ENDS.split(text) if not _only_asks(one) and not _DOUBTS.search(one)]
    return " ".join(told)


def only_asks(text: str) -> bool:
    """Is a text, however long, nothing but questions, with a mark or without?"""
    return all(map(_only_asks, filter(None, _ENDS.split(text.strip()))))


def _only_asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(_MARKS) or _ASKS.match(sentence) is not None


def not_at_hand(hits: Sequence[Hit], prompt: str) -> Sequence[Hit]:
    """The hits for a prompt; where it speaks of something that the session has before it ("this function"), and that no
    memory has, those alone that hold half of its words.
    """
    return hits if _AT_HAND.search(prompt) is None else [hit for hit in hits if hit.why.keyword >= _HALF]


def without_asked(hits: Sequence[Hit], prompt: str) -> Sequence[Hit]:
    """The hits without messages that only ask, unless somebody looks for questions: none of them answers a prompt."""
    if _FOR_QUESTIONS.search(prompt):
        return hits
    return [hit for hit in hits if hit.record.kind != "message" or not _asks(hit)]


def lower_questions(hits: tuple[Hit, ...], others: Sequence[Hit], query: Query) -> tuple[Hit, ...]:
    """The best of hits and of the `others`, which were judged without those that only ask, each record once.

    Where one of the others is likely to answer, what only asks is worth less, and so is what asks the very same, which
    answers nothing; else it stays as it is. Among few records one that has nothing of the question can look likely:
    what is said of such a one does not count.
    """
    answers = [hit for hit in others if hit.why.keyword >= _SHARED or (hit.why.vector or 0.0) >= _NEAR]
    answered = bool(answers) and answers[0].score >= _LIKELY
    best: dict[tuple[str, str], Hit] = {}
    for hit in (*hits, *answers):
        less = (answered or hit.why.keyword >= _SAME) and _asks(hit)
        worth = round(hit.score * _WORTH, 6) if less else hit.score
        held = best.get((hit.record.space, hit.record.id))
        if worth >= query.min_score and (held is None or worth > held.score):
            best[hit.record.space, hit.record.id] = msgspec.structs.replace(held or hit, score=worth)
    return tuple(sorted(best.values(), key=lambda hit: -hit.score)[: query.limit])
