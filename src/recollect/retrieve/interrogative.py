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


_NO_VERB = (  # articles, pronouns and the like: after "where" or "when" they begin what is told
    r"(?:the|a|an|this|that|these|those|i|you|he|she|it|we|they|my|your|his|her|our|their|not|to|in|on|at|no|possible|"
    r"der|die|das|den|dem|des|ein|eine|einen|einem|einer|ich|du|er|sie|es|wir|ihr|man|mein\w*|dein\w*|sein\w*|unser\w*|"
    r"euer|eure\w*|nicht|kein\w*|zu|zum|zur|in|im|an|am|auf|bei|immer|gesagt|üblich|gehabt|sonst|möglich|nötig|"
    r"le|la|les|l|un|une|des|du|de|je|j|tu|il|elle|on|nous|vous|ils|elles|mon|ma|mes|ton|ta|tes|son|sa|ses|notre|"
    r"nos|votre|vos|leurs?|ce|cette|ces|pas|même|d|"
    r"el|los|las|una|unos|unas|yo|él|ella|nosotros|ellos|mi|mis|tu|tus|su|sus|nuestr[oa]s?|no|siempre|"
    r"lo|gli|i|uno|io|lui|lei|noi|voi|loro|non|sempre|di|da|"
    r"o|os|as|um|uma|eu|ele|ela|nós|eles|elas|meu|minha|seu|sua|nosso|nossa|não|"
    r"het|een|ik|jij|je|hij|zij|ze|wij|we|jullie|mijn|jouw|zijn|haar|ons|onze|niet|geen|altijd|"
    r"я|ты|он|она|оно|мы|вы|они|мой|моя|моё|мои|наш|наша|наше|наши|не|и|в|на|у|всегда|обычно|угодно)\b"
)
_OPENS = pattern_of(
    r"\W*(?:(?:and|so|but|und|also|et|y|e|en|а|и)\s+)?(?:"
    # English: a verb that asks must follow, or a measure
    r"(?:what|where|when|why|how|who|whom|whose|which)(?:['’]s| (?:is|are|was|were|do|does|did|has|have|had|can|could|"
    r"should|shall|will|would|must)) \w|"
    r"(?:what|which|whose|how (?:many|much|long|often|far|old)) (?:\w+ ){1,3}?(?:is|are|was|were|do|does|did|has|have|"
    r"had|can|could|should|will|would|must)\b|"
    r"(?:which (?!is\b|reminds\b|means\b)|who (?!knows\b|cares\b)|how (?:many|much|often) )(?:\w+ )*\w+s (?!are\b)\w|"
    r"who (?:wrote|made|built|owns|runs|leads|led|took|keeps|pays|paid|lives|works|wants|needs|told|said) \w|"
    r"whats (?:the|our|my|your)\b|"
    # German, Dutch: any verb
    rf"(?:wo|wann|warum|wieso|weshalb|wohin|woher|womit|wofür|wem|wen|wessen) (?!{_NO_VERB})(?-i:[^\W\d_A-ZÄÖÜ])|"
    r"(?:wer|wie|was) (?:ist|sind|war|waren|hat|haben|hatte|wird|werden|kann|können|soll|sollen|muss|müssen|darf|"
    r"heißt|heissen|heißen|geht|läuft|kostet|macht|machen|brauch\w*|bekomm\w*|liegt|steht|gibt|funktioniert|nimmt|"
    r"nehmen|komm\w*|find\w+|[a-zäöüß]{2,}(?:t|te|en)(?= (?:der|die|das|den|dem|mein|unser|ich|wir|man|im|am)))\b|"
    r"wie (?:viel\w*|lange|oft|alt|hoch|groß|teuer|weit) \w|welche[rsnm]? \w|"
    rf"(?:waar(?:om)?|wanneer|hoe|wat|wie) (?!{_NO_VERB})(?-i:[^\W\d_A-Z])\w* "
    r"(?:de|het|een|ik|je|we|wij|mijn|onze?|er)\b|"
    r"(?:waar|wanneer|hoe|wat|wie) (?:is|zijn|was|heeft|heet|kost|moet|kan)\b|hoeveel \w|welke? \w|"
    # French, Spanish, Italian, Portuguese
    rf"(?:où|combien|pourquoi|comment) (?!{_NO_VERB})(?-i:[^\W\d_A-ZÀ-Ý])|où (?:est|sont)\b|"
    r"(?:quel(?:le)?s?|qui|quand|que) (?:est|sont|était|"
    r"a|ont|doit|peut|va|sert|vient|fait)\b|quel(?:le)?s? \w+ \w|qu['’]est-ce\b|"
    r"(?:(?:a|de|en|con|por|para) )?(?:qué|quién(?:es)?|dónde|cuándo|cómo|cuál(?:es)?|cuánt[oa]s?) \w|"
    r"(?:donde|cuando|como|cual|quien|cuanto) (?:es|está|esta|están|estan|son|era|fue|hay|tiene|queda|vive|cuesta|"
    r"va|se)\b|"
    rf"(?:dove|quanto|quale|quali|perché|(?:che )?cosa) (?!{_NO_VERB})(?-i:[^\W\d_A-ZÀ-Ý])|"
    r"chi (?:è|ha|sono|era|cura|può|deve|fa|paga|tiene)\b|"
    r"(?:quando|come) (?:è|sono|era|si|va|viene|scade|inizia|comincia|parte|arriva|posso|devo|faccio|fa|funziona)\b|"
    r"(?:dov|com|qual|quand|cos)['’ ]?è\b|"
    r"quem (?:é|tem|são|foi|era|fica|cuida|pode|deve|faz|paga)\b|"
    rf"(?:onde|qual|quais|quanto|por que|o que) (?!{_NO_VERB})(?-i:[^\W\d_A-ZÀ-Ý])|"
    r"(?:quando|como) (?:é|são|foi|era|está|fica|se|vai|começa|termina|vence|faço|chega|chama)\b|"
    # Russian
    rf"(?!кто.* тот )(?:где|кто|кого|кому|куда|откуда|сколько|почему|зачем|чей|чья|чьё) (?!{_NO_VERB})"
    r"(?-i:[^\W\d_А-ЯЁ])|"
    r"(?:как(?:ой|ая|ое|ие)) \w|как (?:зовут|называется|пройти|попасть|сделать|работает|настроить)\b|"
    r"когда (?:будет|был[аио]?|начина\w+|истека\w+|заканчива\w+|открыва\w+|закрыва\w+)\b|что (?:такое|значит|делать)\b"
    r")",
    re.IGNORECASE,
)
_TELLS_ON = pattern_of(
    r"[:;,.!。，、：；！\n–—=→⇒>]| - |"
    r"(?<!\bin )(?<!\bsince )(?<!\bbefore )(?<!\bafter )(?<!\bseit )"
    r"(?<!\bim )(?<!\bjahr )(?<!\ben )(?<!\bnel )(?<!\bem )"
    r"(?<![\w.])[^\W\d]?\d\S*(?: ?[^\W\d]{1,7}| %)?\W*\Z|"
    r"\b(?:the|our|my|your|la|le|notre|mon|ma|el|mi|il|nostro|o|nosso) "
    r"(?-i:[^\W\d_A-ZÀ-Ý][^\W\d_]+(?: [A-ZÀ-Ý][\w.]*)+)\Z",
    re.IGNORECASE,
)
"""What follows, or a value at the end ("which port has staging 8081", "who is the dentist Dr Weiss"), is told."""
_SAYS_MORE = pattern_of(r"\s(?:is|are|was|were|means|reminds) ", re.IGNORECASE)
"""A second verb makes a subject of what looks like a question: "who has the keys is Mira"."""
_UNSPACED_ASKS = pattern_of(
    r"(?:(?<!没)(?<!有)(?:谁|誰|哪里|哪裡|哪儿|哪个|什么|什麼|多少|几点|几号|哪天)(?:了|呢)?|吗|嗎|怎么办|呢)\W*\Z|"
    r"\A\W*(?:谁(?!.*都)|什么时候|什麼時候|怎么|怎麼|为什么|為什麼|哪里|哪个|多少)\S|"
    r"(?:どこ|いつ|だれ|誰|何[時人日月年]|なに|なん|いくら|どれ|どう)(?:に|で|が|を)?(?:いる|ある|する)?(?:です|ます|でしょう)?か?\W*\Z"
)


def opens_as_question(text: str) -> bool:
    """Is one short sentence without a mark a question? What goes on after a colon or a comma tells something."""
    said = text.strip().rstrip(".")
    if _TELLS_ON.search(said):
        return False
    opened = _OPENS.match(said)
    if opened is not None:
        return _SAYS_MORE.search(said, opened.end()) is None
    return _UNSPACED_ASKS.search(said) is not None
