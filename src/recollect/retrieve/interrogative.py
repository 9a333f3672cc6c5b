"""Is a text a question by its words alone, and does it ask for something that it does not name?

"Where is the boat" asks for a place, and "is the boat red" for yes or no. Words such as "where" also begin what is told
("where the key is: under the mat", "when it rains, close the roof"): it is the word after them that shows which.
"""

from __future__ import annotations

import re

from recollect.pattern import pattern_of

_ASKS_FOR = pattern_of(
    r"\b(?:what|where|who|whom|whose|when|why|how|which|wo|wer|wen|wem|wessen|wann|warum|wieso|weshalb|wie|wohin|"
    r"woher|womit|wofür|worin|welche[rsnm]?|où|qui|quand|comment|pourquoi|combien|quel(?:le)?s?|quoi|"
    r"qué|quién(?:es)?|dónde|cuándo|cómo|cuál(?:es)?|cuánt[oa]s?|donde|cuando|cuanto|quien|"
    r"chi|dove|quando|quant[oaie]|perché|quale|quali|cosa|onde|quem|qual|quais|"
    r"wat|waar|wanneer|hoe|waarom|welke?|где|кто|кого|кому|чей|чья|чьё|когда|куда|откуда|сколько|почему|зачем|"
    r"как(?:ой|ая|ое|ие|ого|им|ую)?|что)\b|"
    r"\bwas\b(?=.*\b(?:ist|sind|hat|haben|der|die|das|den|dem|wir|ich|du|kostet|macht|gibt|im|zu)\b)|"
    r"谁|誰|哪|什么|甚麼|什麼|多少|怎么|怎麼|为什么|几[点个号时]|どこ|いつ|だれ|何|なに|なん|いくら|どう|なぜ|どの|どれ",
    re.IGNORECASE,
)
_EITHER = pattern_of(
    r"\b(?:or|oder|ou|oppure|или)\b|\bo (?:el|la|los|las|il|lo|una?)\b|还是|還是|それとも", re.IGNORECASE
)


def asks_for_something(question: str) -> bool:
    """Does a question ask for what it does not name: where, who, how much? Of two things it names one."""
    return _ASKS_FOR.search(question) is not None and not offers_choice(question)


def offers_choice(question: str) -> bool:
    """Does a question name what may answer it: "the boat or the car"?"""
    return _EITHER.search(question) is not None
