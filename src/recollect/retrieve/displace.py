"""Does a text really take the place of an older one that it differs from, or does it speak of another thing?

"Send the invoice to Moreau" says nothing against "Send the invoice to Berg", however alike they are: what differs is
what they are about. A value alone (a number, a day, a month, one of a few that exclude each other) is another one of
the same thing, where no number is a name, as that of an issue is. Whoever says that something changed is believed.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.pattern import pattern_of
from recollect.replaced import replaced_in
from recollect.retrieve.asking import stated_in
from recollect.retrieve.called import go_other_ways
from recollect.retrieve.change import read_said
from recollect.retrieve.contradict import contradicts, set_the_same
from recollect.retrieve.decided import takes_back
from recollect.retrieve.restate import (
    CHANGING,
    LONGEST,
    Statement,
    are_values,
    is_number,
    read_statement,
    terms_among,
)
from recollect.retrieve.todo import stands_open

_CHANGING = frozenset(CHANGING.split())
_NOW = frozenset("now jetzt nunmehr ab désormais maintenant ahora adesso ora agora nu teraz już уже теперь".split())
"""What tells of a change in what is so, and of none in what is to be done."""
_OPPOSED = """
enabled|disabled allowed|forbidden allowed|banned public|private required|optional open|closed on|off true|false
always|never all|none accepted|rejected included|excluded mandatory|optional up|down
aktiviert|deaktiviert erlaubt|verboten offen|geschlossen immer|nie activé|désactivé ouvert|fermé toujours|jamais
activado|desactivado abierto|cerrado siempre|nunca aperto|chiuso sempre|mai aberto|fechado altijd|nooit open|gesloten
"""
_NUMBERED = pattern_of(
    r"(?:[#№]|\b(?:n(?:o|r|um)\b\.?|number|nummer|numéro|número|numero|номер) ?)(\d+)\b|"
    r"\b(?:issue|bug|ticket|pr|mr|pull request|merge request|request|exam|test|quiz|lesson|chapter|page|invoice|order|"
    r"case|task|step|item|module|unit|part|phase|sprint|milestone|group|"
    r"team|class|grade|question|exercise|section|article|paragraph|appendix|episode|season|volume|level|host|node pool|"
    r"server|machine|shard|worker|sensor|stage|draft|lot|batch|box|"
    r"rechnung|auftrag|aufgabe|prüfung|klausur|lektion|kapitel|seite|gruppe|"
    r"klasse|frage|übung|abschnitt|artikel|folge|staffel|band|teil|phase|schritt|"
    r"facture|commande|examen|leçon|chapitre|groupe|classe|exercice|ligne|étape|partie|"
    r"factura|pedido|tarea|lección|capítulo|grupo|clase|ejercicio|línea|paso|parte|"
    r"fattura|ordine|compito|esame|lezione|capitolo|gruppo|classe|esercizio|linea|passo|"
    r"fatura|tarefa|exame|lição|turma|exercício|linha|"
    r"factuur|opdracht|taak|toets|les|hoofdstuk|groep|klas|oefening|lijn|stap|"
    r"faktura|zadanie|egzamin|lekcja|rozdział|grupa|klasa|linia|"
    r"счёт|счет|задача|экзамен|урок|глава|группа|класс|линия)s? ?#?(\d+)\b(?![.,:]\d)|"
    r"\b([^\W\d_]+-\d+)\b|第(\d+)",
    re.IGNORECASE,
)
"""A number by which something is called. That of a room or a floor tells where something else is as often."""
_WORD = pattern_of(r"[^\W\d_]+")
_SUBJECT = pattern_of(
    r"\A\W*(?:[^\W\d_]+: )?(?:(?:the|our|my|der|die|das|unser|unsere|le|la|notre|el|nuestro|il|o|de|het|onze) )?"
    r"(?:[^\W\d_]+ )?(?!(?:has|have|needs?|is|are|was|takes?|costs?|must|allows?|weighs?|lasts?|at|by|for|in|of|to|hat|"
    r"haben|braucht|ist|sind|kostet|dauert|um|bis|a|ont|est|coûte|dure|à|de|es|tiene|cuesta|dura|è|ha|costa|tem|is|"
    r"heeft|kost|duurt)\b)[^\W\d_]+ (\d+) (?!(?:second|minute|hour|day|week|month|year|euro|dollar|pound|percent|"
    r"people|times?|stunde|tag|woche|monat|jahr|prozent|uhr|heure|jour|semaine|mois|hora|día|semana|gior|ore|mes|uur|"
    r"dag|[gmtk]b|kg|km|cm|mm|ml|am|pm|a|an|at|in|on|per|for|of|from|to|by|and|or|im|am|bei|für|pro|von|und|par|pour|de|"
    r"et|por|para|y|di|e|op|per|voor|en)\w{0,2}\b)[^\W\d_]{2,}",
    re.IGNORECASE,
)
"""What a text begins with, where it is called by a number: "Line 4 stops", "Exam 1 is on Monday"."""


def displaces(newer: str, older: str) -> bool:
    """Does a text surely say something else of the thing that an older one speaks of, and of no other?"""
    return contradicts(newer, older) and speaks_of_the_same(newer, older)


def speaks_of_the_same(newer: str, older: str) -> bool:
    """Of two texts that are alike and differ: is it the value of one thing that differs, or says the newer that
    something changed?
    """
    if max(len(newer), len(older)) > LONGEST:
        return False
    said = stated_in(newer)
    if replaced_in(said) is not None:
        return takes_back(said, older)
    is_open = stands_open(newer) or stands_open(older)
    if _tells_of_a_change(said, older, is_open=is_open):
        return True
    if is_open or go_other_ways(said, older) or _names(said) != _names(older) or _are_of_other_kinds(said, older):
        return False  # what is to be done on two days is to be done twice
    return _differ_in_values(read_statement(said), read_statement(older))


def _tells_of_a_change(newer: str, older: str, *, is_open: bool) -> bool:
    """Has a text a word by which it tells of a change, which the older one has not?"""
    signs = [_signs_of(text, is_open=is_open) for text in (newer, older)]
    if signs[0] - signs[1]:
        return True
    own, its = read_said(newer), read_said(older)
    return not is_open and own.changing.changing and not its.changing.changing and not own.kinds.isdisjoint(its.kinds)


def _signs_of(text: str, *, is_open: bool) -> frozenset[str]:
    """The words by which a text tells of a change."""
    if not read_statement(text).changing:
        return frozenset()
    said = frozenset(_WORD.findall(text.casefold()))
    return said.intersection(_CHANGING.difference(_NOW) if is_open else _CHANGING)


def _names(text: str) -> frozenset[str]:
    """The numbers by which a text calls something."""
    named = {part.casefold() for found in _NUMBERED.findall(text) for part in found if part}
    return frozenset(named.union(_SUBJECT.findall(text)))


def _are_of_other_kinds(newer: str, older: str) -> bool:
    """Gives one a day and the other an hour?"""
    own, its = (read_said(text).kinds - {"number"} for text in (newer, older))
    return bool(own) and bool(its) and own.isdisjoint(its)


def _differ_in_values(new: Statement, old: Statement) -> bool:
    """Has each of two but values of its own, or two words of which one thing has but one?"""
    words, values = _own(new, old)
    its_words, its_values = _own(old, new)
    if _are_opposed(words, its_words) or set_the_same(new, old):
        return True
    if its_words or len(words) > old.changing:  # who "moved to" a place before "lives in" another
        return False
    return bool(values and its_values) or new.negated != old.negated


def _own(one: Statement, other: Statement) -> tuple[list[str], list[str]]:
    """What only one of two says: words, and values."""
    others = {part for said in other.order for part in said.split()}
    own = [part for said in one.order for part in said.split() if part not in others]
    words = [part for part in own if not _is_value(part)]
    return words, [part for part in own if _is_value(part)]


def _is_value(said: str) -> bool:
    return is_number(said) or are_values(said, said)


def _are_opposed(own: list[str], its: list[str]) -> bool:
    return len(own) == len(its) == 1 and (own[0], its[0]) in _opposed()


@cache
def _opposed() -> frozenset[tuple[str, str]]:
    pairs = [[terms_among(word) for word in pair.split("|")] for pair in _OPPOSED.split()]
    each = [(one, other) for before, after in pairs for one in before for other in after]
    return frozenset(pair for one, other in each for pair in ((one, other), (other, one)))
