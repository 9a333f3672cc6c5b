"""What does a text say has taken the place of what?

"We switched from Redis to Valkey for the session cache" names both: what was, and what is instead. A few turns of
phrase in the languages that people write notes in.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from recollect.pattern import pattern_of

_WAS, _IS = r"(?P<was>[^\s,.;:!?][^,;:!?\n]{0,50}?)", r"(?P<now>[^\s,.;:!?][^,;:!?\n]{0,50}?)"
_END = (
    r"(?=[.,;:!?)]*\s*$|[.,;:!?)]+\s|\s(?:for|in|on|as|at|because|since|last|now|when|after|before|everywhere|für|im|bei|beim|seit|als|jetzt|pour|dans|depuis|"
    r"para|en|desde|como|per|nel|nella|da|come|voor|sinds|dla|w|do|od|для|в|с)\b)"
)
_TURNS = (
    r"\bwe(?:'ve| have| had)? (?:\w+ly |now |just |since )?(?:switched|moved|migrated|changed|transitioned|went)(?: over| away| (?:the|our|all|its|their) [^,;:!?\n]{{2,40}}?)? from {was} to {now}{end}",
    r"\bwe(?:'ve| have| had)? (?:\w+ly |now |just |since )?(?:replaced|swapped) {was} (?:by|with|for) {now}{end}",
    r"(?:^|[,;:.] )(?:(?:actually|no|the|our|and|but),? )*{was} (?:was|were|has been|have been|is|are|got) (?:now )?replaced (?:by|with) {now}{end}",
    r"\bno longer (?:use |using |run |on |with |in )?{was},? but (?:use |on |with |in )?{now}{end}",
    r"\binstead of {was},? (?:we|now we) (?:now )?(?:use|run|take|have) {now}{end}",
    r"\bwe (?:now )?use {now}(?: now)? instead of {was}{end}",
    r"\bvon {was} (?:auf|zu) {now} (?:umgestiegen|gewechselt|umgestellt|migriert|umgezogen)\b",
    r"(?:^|[,;:.] )(?:(?:der|die|das|unser|unsere) )?{was} (?:wurde|wurden|ist) durch {now} ersetzt\b",
    r"\b(?:statt|anstelle von|anstatt) {was},? (?:nutzen|verwenden|benutzen|nehmen|haben) wir (?:jetzt |nun )?{now}{end}",
    r"\b(?:wir )?(?:nutzen|verwenden|benutzen|nehmen|haben) (?:wir )?(?:(?:aber|jetzt|nun|künftig) )*{now} (?:statt|anstelle von|anstatt) {was}{end}",
    r"\bnicht (?:mehr|länger) {was},? sondern {now}{end}",
    r"\b(?:sommes|est|avons) (?:passée?s?|migrée?s?) de {was} (?:à|vers) {now}{end}",
    r"(?:^|[,;:.] ){was} a été remplacée? par {now}{end}",
    r"\bau lieu de {was},? (?:nous utilisons|on utilise) (?:maintenant |désormais )?{now}{end}",
    r"\b(?:pasamos|cambiamos|migramos|hemos (?:pasado|cambiado|migrado)) de {was} a {now}{end}",
    r"(?:^|[,;:.] ){was} (?:fue|ha sido) (?:reemplazad[oa]|sustituid[oa]) por {now}{end}",
    r"\ben (?:lugar|vez) de {was},? (?:ahora )?(?:usamos|utilizamos) (?:ahora )?{now}{end}",
    r"\bya no (?:usamos )?{was},? sino {now}{end}",
    r"\b(?:mudamos|migramos|passamos|trocamos) de {was} para {now}{end}",
    r"(?:^|[,;:.] ){was} foi substituíd[oa] por {now}{end}",
    r"\bem vez de {was},? (?:agora )?usamos (?:agora )?{now}{end}",
    r"\b(?:siamo passati|abbiamo migrato) da {was} a {now}{end}",
    r"(?:^|[,;:.] ){was} è stat[oa] sostituit[oa] (?:da|con) {now}{end}",
    r"\binvece di {was},? (?:ora |adesso )?usiamo (?:ora |adesso )?{now}{end}",
    r"\bvan {was} naar {now} (?:overgestapt|gegaan|verhuisd|gemigreerd)\b",
    r"(?:^|[,;:.] ){was} is vervangen door {now}{end}",
    r"\bin plaats van {was} gebruiken we (?:nu )?{now}{end}",
    r"\b(?:przeszliśmy|zmieniliśmy|migrowaliśmy) z {was} na {now}{end}",
    r"\bzamiast {was} używamy (?:teraz )?{now}{end}",
    r"\b(?:перешли|мигрировали) с {was} на {now}{end}",
    r"\bвместо {was} (?:мы )?(?:теперь )?используем (?:теперь )?{now}{end}",
)


_MAY_TELL = pattern_of(
    r" from .* to |replaced |swapped |no longer |nstead of |umgestiegen|gewechselt|umgestellt|migriert|umgezogen|ersetzt|\bstatt |anstatt |anstelle |sondern|passée?s? |migrée?s? |remplacé|au lieu de |"
    r"pasamos|cambiamos|migramos|pasado de|cambiado de|migrado de|reemplazad|sustituid|en lugar de |en vez de |sino |mudamos|passamos|trocamos|substituíd|em vez de |passati da|migrato da|"
    r"sostituit|nvece di |overgestapt|gegaan|verhuisd|gemigreerd|vervangen|plaats van |przeszliśmy|zmieniliśmy|migrowaliśmy|amiast |перешли|мигрировали|место ",
    re.IGNORECASE,
)
"""Most texts hold none of these: for those nothing else is compiled."""


@cache
def _turns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(turn.format(was=_WAS, now=_IS, end=_END), re.IGNORECASE) for turn in _TURNS)


@lru_cache(maxsize=256)
def replaced_in(text: str) -> tuple[str, str] | None:
    """What was, and what a text says is in its place; None where it says nothing of the kind."""
    if _MAY_TELL.search(text) is None:
        return None
    found = next((match for turn in _turns() if (match := turn.search(text))), None)
    return None if found is None else (found["was"].strip(), found["now"].strip())
