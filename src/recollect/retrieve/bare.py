"""Does a text say nothing beyond the words of a question?

"About the boat." has every word of "where is the boat?" and answers nothing: whoever asks where, who or how much asks
for a word that the question lacks. A question that is answered by yes or no may be answered in its own words.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.pattern import pattern_of
from recollect.retrieve.asking import is_question
from recollect.retrieve.interrogative import asks_for_something, offers_choice
from recollect.store.terms import is_pair, split_words, terms, terms_of
from recollect.types import Hit, Query

_LONGEST = 80  # characters
_WORTH = 0.1  # of a hit that says nothing
_LIKELY, _SHARED, _NEAR = 0.3, 0.3, 0.5
_EMPTY = frozenset(
    """
    a an the this that these those my our your his her their about on of for to in at with and re regarding concerning
    note notes info information details detail facts topic subject heading memo
    der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren unserem
    unserer über ueber zu zum zur von vom für und betreff betrifft bezüglich notiz notizen infos thema angaben
    le la les l un une mon ma mes notre nos du de d au aux pour sur dans et à propos concernant remarque remarques sujet
    détails el los las una mi mis nuestro nuestra del al para por en y sobre acerca nota notas información tema detalles
    lo il i gli uno mio mia nostro nostra di della dello dei delle per su sul sulla riguardo appunti informazioni
    argomento o os as um uma meu minha nosso nossa do da dos das em no na e informações assunto
    het een mijn ons onze van voor over bij betreft betreffende notitie notities onderwerp
    мой моя моё мое мои наш наша наше наши о об обо про для на в и по насчёт насчет заметка заметки информация тема
    """.split()
)
_SAYS_HOW = frozenset("on in to at of for with zu an auf aus no na".split())
"""At the end of a text these say how something is ("the heating is on")."""
_UNSPACED = pattern_of(
    r"\A\W*(?:关于|關於|有关|有關)|的?(?:笔记|筆記|信息|资料|資料|事情|情况|情況|备注|備註)\W*\Z|"
    r"(?:について|に関して|に関する|のこと)?の?(?:メモ|について|に関して|のこと)\W*\Z"
)


def bare_among(hits: Sequence[Hit], question: str) -> list[Hit]:
    """The hits that say nothing beyond a question's words; none where it may be answered in those."""
    if offers_choice(question) or (is_question(question) and not asks_for_something(question)):
        return []
    said = frozenset(terms(question))
    return [hit for hit in hits if is_bare(hit.record.text, said)]


def is_bare(text: str, said: frozenset[str]) -> bool:
    """Has a text no word beside those that were `said`, and such as only announce something?"""
    if len(text) > _LONGEST:
        return False
    words = split_words(_UNSPACED.sub("", text))
    if not words or words[-1].casefold() in _SAYS_HOW:
        return False
    return all(word.casefold() in _EMPTY or _is_said(word, said) for word in words)


def _is_said(word: str, said: frozenset[str]) -> bool:
    whole, *parts = found = terms_of(word)
    if is_pair(whole):
        return said.issuperset(found)
    return whole in said or (bool(parts) and all(part in said or part in _EMPTY for part in parts))


def lower_bare(hits: Sequence[Hit], bare: Sequence[Hit], others: Sequence[Hit], query: Query) -> tuple[Hit, ...]:
    """The best of hits, of which some are `bare`, and of the `others`, which were judged without those, each once.

    What is bare stands below the best that speaks of the same. Where nothing was asked but words were looked for, that
    must have as many of them and be likely.
    """
    if not bare:
        return tuple(hits)
    away = {(hit.record.space, hit.record.id) for hit in bare}
    best: dict[tuple[str, str], Hit] = {}
    for hit in (*hits, *filter(_is_close, others)):
        held = best.get((hit.record.space, hit.record.id))
        if held is None or hit.score > held.score:
            best[hit.record.space, hit.record.id] = hit
    full = [hit for key, hit in best.items() if key not in away]
    wants = asks_for_something(query.text)
    for hit in bare:
        over = [one.score for one in full if _stands_over(one, hit, wants=wants)]
        if over or wants:
            worth = round(min(hit.score * _WORTH, max(over, default=1.0)), 6)
            best[hit.record.space, hit.record.id] = msgspec.structs.replace(hit, score=worth)
    kept = [hit for hit in best.values() if hit.score >= query.min_score]
    return tuple(sorted(kept, key=lambda hit: (-hit.score, (hit.record.space, hit.record.id) in away))[: query.limit])


def _stands_over(full: Hit, bare: Hit, *, wants: bool) -> bool:
    """Does a hit say something of what a bare one only names?"""
    has_all = full.why.keyword >= bare.why.keyword
    if wants:
        return has_all or _is_close(full)
    return has_all and full.score >= _LIKELY and _names_of(bare.record.text) <= frozenset(terms(full.record.text))


def _names_of(bare: str) -> frozenset[str]:
    """The terms of a text without those of words that say nothing."""
    return frozenset(term for word in split_words(bare) if word.casefold() not in _EMPTY for term in terms_of(word))


def _is_close(hit: Hit) -> bool:
    return hit.why.keyword >= _SHARED or (hit.why.vector or 0.0) >= _NEAR
