"""What of a memory is worth knowing before anything is asked, within a budget?

Records come in by section, each section with the most worthy first. Every section gets a share of the budget, so that
none crowds out the others; what one leaves goes to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

from msgspec import Struct

from recollect.pattern import pattern_of
from recollect.retrieve.context import cut_text, estimate_tokens, framed, render_record
from recollect.retrieve.decided import takes_back
from recollect.retrieve.displace import displaces
from recollect.retrieve.fence import HEADINGS, fence_text
from recollect.retrieve.restate import LONGEST, SURE, Statement, differ, read_statement, resemblance
from recollect.retrieve.todo import stands_open
from recollect.types import Record

Section = Literal["pinned", "rules", "decisions", "open", "important"]
SECTIONS: tuple[Section, ...] = get_args(Section)
PINNED = ("pinned", "pin")
"""Tags of what a brief begins with."""
RULE_KINDS = ("preference", "rule", "convention", "policy", "constraint", "instruction", "guideline")
DECISION_KINDS = ("decision",)
OPEN_STATUSES = ("open", "in_progress", "blocked")
RULE_NAMES = """
rule rules convention conventions policy policies guideline guidelines preference preferences
regel regeln hausregeln hausordnung règle règles consignes regla reglas normas regola regole regra regras regels
huisregels voorkeur zasada zasady правило правила
""".split()
"""What calls itself one of these is more than a text that says "never"."""
RULE_WORDS = (
    *RULE_NAMES,
    *"""
always never prefer prefers avoid insists wants likes dislikes allergic
immer nie niemals bevorzugt lieber toujours jamais préfère siempre nunca prefiere
sempre mai preferisce prefere altijd nooit zawsze nigdy woli всегда никогда предпочитает
нельзя
""".split(),
)
_NO_RULE = pattern_of(
    r"\b\d{1,2}\.? mai\b|\b(?:im|am|anfang|mitte|ende|seit|bis|ab|vor|nach|en|début|fin|du|le|depuis|avant|de) mai\b|"
    r"\bmai,? (?:19|20)\d\d\b|"
    r"\b(?:insurance|liability|life|car|home) policy\b|"
    r"\bpolicy,?(?: (?:no|nr|number|id)\b\.?)? ?[:#№]* ?[a-z]{0,3}-?\d[\d-]{3}",
    re.IGNORECASE,
)
"""A month, which means "never" elsewhere, and a contract with an insurer."""
FORBIDDING_WORDS = """
not don't mustn't forbidden banned prohibited no nicht nichts kein keine keinen verboten untersagt interdit interdite
pas geen prohibido prohibida
vietato vietata proibido proibida verboden zabronione zabroniony запрещено запрещена yasak yasaktır
""".split()
"""What forbids something says one of these, and so does much else: `_FORBIDS` tells them apart."""
MUST_WORDS = "must muss müssen doit doivent debe deben deve devono devem moet moeten нужно".split()
"""A rule beside one of the words that say of how many; else something that had to be done once."""
_OF_ALL = frozenset(
    """
all any every everyone everybody nobody no not only unless without before whenever
alle allen alles jeder jede jedes jeden niemand kein keine keinen nicht nur ohne bevor vor
tous toutes chaque personne ne pas sans avant todos todas cada nadie no sin antes tutti tutte ogni nessuno non senza
prima toda ninguém não sem alle elke ieder niemand niet geen zonder voor все всё каждый никто не без
""".split()
)
DECISION_WORDS = """
decision decided agreed chose moved switched migrated replaced entscheidung entschieden beschlossen umgestellt
gewechselt décision décidé decisión decidido decidimos decisione
deciso decisão decidiu besloten besluit decyzja решение решили
""".split()
_SHARES: Mapping[Section, float] = {"pinned": 0.4, "rules": 0.5, "decisions": 0.3, "open": 0.5}
_OF_IMPORTANCE = 0.125
_FIRST: tuple[Section, ...] = ("pinned", "rules", "open", "decisions")
_FORBIDS = pattern_of(
    r"(?:\A|[.!;:]\s+)(?:(?:please )?(?:do not|don['’]t)\b|(?:keine?n?|geen|pas de|no(?! (?:point|need|matter|answer|"
    r"reply|response|luck|news|idea|changes?|reasons?|problems?|issues?|trace|signs?|doubt|longer|one|tests?|results?|"
    r"wonder|way)\b)) [^\W\d_])|"
    r"\b(?:(?:must|should|shall) not|mustn['’]t|not (?:allowed|permitted)|may not be|forbidden|banned|prohibited|"
    r"(?:darf|dürfen|sollen?) (?:[^\W\d_]+ ){0,4}(?:nicht|keine?n?)|nicht erlaubt|verboten|untersagt|interdite?s?|"
    r"prohibid[oa]s?|vietat[oaie]|proibid[oa]s?|verboden|(?:mag|mogen) (?:[^\W\d_]+ ){0,3}niet|"
    r"zabronion[yae]|nie wolno|запрещен[оаы]?|запрещён|yasak(?:tır)?)\b",
    re.IGNORECASE,
)
_UNSPACED_RULE = pattern_of("总是|从不|不要|必须|不得|禁止|不准|偏好|喜欢|必ず|決して|好む|항상|절대|선호")
_UNSPACED_BAN = pattern_of("从不|不要|不得|禁止|不准|決して|절대")
_UNSPACED_LIKING = pattern_of("偏好|喜欢|好む|선호")
_EVER = pattern_of(
    r"(?:\A|[.!?;:]\s+)(?:[^\W\d_]+['’]? ?){0,3}?\b(?:always|never|avoid|allergic|immer|niemals|nie|toujours|"
    r"jamais|siempre|nunca|sempre|altijd|nooit|zawsze|nigdy|всегда|никогда|нельзя)\b",
    re.IGNORECASE,
)
"""Something is to be so always, or never: "We never deploy on Fridays", but not "Garlic planted, never watered"."""
_LIKING_WORDS = frozenset(
    """
prefer prefers likes dislikes wants insists allergic bevorzugt lieber préfère prefiere preferisce prefere woli
предпочитает
""".split()
)
_UNSPACED_DECISION = pattern_of("决定|決定|決め|결정")
TODO_WORDS = "todo fixme pendiente сделать".split()
_NUMBERED = pattern_of(r"^[ \t]*\d{1,3}[.)][ \t]+(?=\S)", re.MULTILINE)
_WORD = pattern_of(r"[^\W\d_]+")
_MOST_TOKENS = 60  # of one text


class Noted(Struct, frozen=True):
    """A record of a brief, in its section; `text` is as much of it as is shown."""

    section: Section
    record: Record
    text: str


def section_of(record: Record) -> Section:
    """Where a record belongs: what is pinned comes before all."""
    is_pinned = not {tag.casefold() for tag in record.tags}.isdisjoint(PINNED)
    return "pinned" if is_pinned else section_by_text(record)


def section_by_text(record: Record) -> Section:
    """Where a record belongs by what is said of it, or else by its words: of one of numbered lines those that stand
    above, since a step says what one does and not what the whole is.
    """
    text = _NO_RULE.sub(" ", _heading_of(record.text))
    words = set(_WORD.findall(text.casefold()))
    if record.status in OPEN_STATUSES or stands_open(record.text):
        return "open"
    if not _marks_of(record).isdisjoint(DECISION_KINDS):
        return "decisions"
    if _is_marked_as_rule(record):
        return "rules"
    if not words.isdisjoint(DECISION_WORDS) or _UNSPACED_DECISION.search(text):
        return "decisions"
    must = not words.isdisjoint(MUST_WORDS) and not words.isdisjoint(_OF_ALL)
    if must or not words.isdisjoint(RULE_WORDS) or _says_a_rule(text):
        return "rules"
    return "important"


def is_called_a_rule(record: Record) -> bool:
    """Is a record said to be a rule, by its fields or by a name for such in its text?"""
    text = _NO_RULE.sub(" ", _heading_of(record.text))
    return _is_marked_as_rule(record) or not set(_WORD.findall(text.casefold())).isdisjoint(RULE_NAMES)


def weight_of_rule(record: Record) -> int:
    """Of rules, which comes first where there is no room for all: what forbids something, then what is said to be a
    rule or says what is always so, then what somebody likes, and at last what merely has a word of a rule.
    """
    text = _NO_RULE.sub(" ", _heading_of(record.text))
    words = set(_WORD.findall(text.casefold()))
    if _FORBIDS.search(text) or _UNSPACED_BAN.search(text):
        return 4
    likes = not words.isdisjoint(_LIKING_WORDS)
    is_preference = not _marks_of(record).isdisjoint(("preference",))
    if not is_preference and is_called_a_rule(record):
        return 3
    must = not words.isdisjoint(MUST_WORDS) and not words.isdisjoint(_OF_ALL)
    if must or _EVER.search(text) or (_UNSPACED_RULE.search(text) and not _UNSPACED_LIKING.search(text)):
        return 3
    return 2 if likes or is_preference else 1


def asks_by_name(asked: str) -> bool:
    """Does a question name rules, conventions or preferences?"""
    return not set(_WORD.findall(asked.casefold())).isdisjoint(RULE_NAMES)


def _is_marked_as_rule(record: Record) -> bool:
    return not _marks_of(record).isdisjoint(RULE_KINDS) or record.memory_type == "procedural"


def _marks_of(record: Record) -> set[str]:
    return {record.kind.casefold(), *(tag.casefold() for tag in record.tags)}


def _says_a_rule(text: str) -> bool:
    return (_FORBIDS.search(text) or _UNSPACED_RULE.search(text)) is not None


def _heading_of(text: str) -> str:
    """What stands above numbered lines; else all of a text."""
    first, *others = [one.start() for one in _NUMBERED.finditer(text)] or [0]
    return text[:first] if others else text


def note(section: Section, record: Record) -> Noted:
    """A record as a section of a brief shows it; numbered lines whole, as many as there is room for."""
    text = " ".join(record.text.split())
    kept = cut_text(text, _MOST_TOKENS)
    begins = [one.start() for one in _NUMBERED.finditer(record.text)]
    if kept == text or len(begins) < 2:
        return Noted(section, record, kept)
    parts = [" ".join(record.text[:end].split()) for end in begins[1:]]
    whole = [part for part in parts if estimate_tokens(f"{part} …") <= _MOST_TOKENS]
    return Noted(section, record, f"{whole[-1]} …" if whole else kept)


def plan_brief(
    found: Mapping[Section, Sequence[Record]],
    limit: int,
    budget_tokens: int | None,
    newer: Callable[[Record], Record | None] | None = None,
) -> list[Noted]:
    """As many records as limit and budget allow, section by section; of two that contradict, the newer.

    `newer` knows what was said since of the thing that a record speaks of, wherever it may stand. A section whose share
    is too small for any of its records comes before what is only important, and what its share leaves over is for the
    others before that, but for an eighth.
    """
    plan = _Plan(limit, budget_tokens, newer)
    waiting = {section: list(found.get(section, ())) for section in SECTIONS}
    for section, share in _SHARES.items():
        waiting[section] = plan.take(section, waiting[section], share, most_records=plan.room(share))
    for section in _FIRST:
        if not plan.has(section):
            waiting[section] = plan.take(section, waiting[section], 1.0, most_records=1)
    some = plan.room(_OF_IMPORTANCE) if waiting["important"] else 0
    waiting["important"] = plan.take("important", waiting["important"], _OF_IMPORTANCE, most_records=some)
    for section in SECTIONS:
        plan.take(section, waiting[section], 1.0)
    return [noted for section in SECTIONS for noted in plan.notes if noted.section == section]


class _Plan:
    """A brief on its way: nothing is said twice in it, and nothing that something newer in it contradicts."""

    def __init__(self, limit: int, budget_tokens: int | None, newer: Callable[[Record], Record | None] | None) -> None:
        self.notes: list[Noted] = []
        self._newer = newer
        self._limit = limit
        self._left = None if budget_tokens is None else budget_tokens - estimate_tokens(framed([]))
        self._said: dict[int, Statement | None] = {}

    def has(self, section: Section) -> bool:
        return any(noted.section == section for noted in self.notes)

    def room(self, share: float) -> int:
        """How many records a share of what the limit leaves is, one at least."""
        return max(int((self._limit - len(self.notes)) * share), 1)

    def take(
        self, section: Section, records: Sequence[Record], share: float, most_records: int | None = None
    ) -> list[Record]:
        """Takes in what a share of the budget holds, and answers with those that are left."""
        most = None if self._left is None else int(self._left * share)
        taken = 0
        for place, told in enumerate(records):
            if len(self.notes) == self._limit:
                return []
            if taken == most_records:
                return list(records[place:])
            said, rival = self._met(told)
            if rival is not None and not _outdoes(told, said, rival.record, self._said[rival.record.version]):
                continue  # most of what is alike ends here: to look for what is newer takes longer
            since = self._newer(told) if self._newer is not None and section != "pinned" else None
            record = since or told
            if since is not None:
                said, rival = self._met(since)
            if rival is not None and not _outdoes(record, said, rival.record, self._said[rival.record.version]):
                continue
            noted = note(section, record)
            cost = self._cost(noted)
            freed = 0 if rival is None else self._cost(rival)
            if most is not None and self._left is not None:
                if cost - freed > most:
                    return list(records[place:])
                self._left, most = self._left - cost + freed, most - cost + freed
            if rival is not None:
                self.notes.remove(rival)
            self.notes.append(noted)
            self._said[record.version] = said
            taken += 1
        return []

    def _cost(self, noted: Noted) -> int:
        """Tokens of a line; the first of a section brings the heading along."""
        first = all(other.section != noted.section for other in self.notes)
        return estimate_tokens(render_noted(noted)) + 1 + (estimate_tokens(HEADINGS[noted.section]) + 1 if first else 0)

    def _met(self, record: Record) -> tuple[Statement | None, Noted | None]:
        """What a record states, and what in the brief it would meet."""
        said = read_statement(record.text) if len(record.text) <= LONGEST else None
        return said, self._rival(record, said)

    def _rival(self, record: Record, said: Statement | None) -> Noted | None:
        """What is in the brief and says the same as a record, or something else of the same thing."""
        for noted in self.notes:
            held = self._said[noted.record.version]
            if noted.record.version == record.version:
                return noted
            if said is None or held is None or held.words.isdisjoint(said.words):
                continue
            if noted.record.project != record.project and held.words != said.words:
                continue  # each holds in its own project
            is_older = noted.record.event_time >= record.event_time
            newer, older = (held, said) if is_older else (said, held)
            texts = (noted.record.text, record.text) if is_older else (record.text, noted.record.text)
            says_no_more = said.words <= held.words
            same = says_no_more and not differ(newer, older) and resemblance(newer, older, {}) >= SURE
            if same or displaces(*texts) or takes_back(*texts):
                return noted
        return None


def _outdoes(record: Record, said: Statement | None, other: Record, held: Statement | None) -> bool:
    """Is a record newer than one that it contradicts?"""
    return record.event_time > other.event_time and said is not None and held is not None and differ(said, held)


def render_noted(noted: Noted) -> str:
    return render_record(noted.record, fence_text(noted.text), noted.record.project)


def render_brief(notes: Sequence[Noted]) -> str:
    """The brief as a text for a prompt; empty where there is nothing to say."""
    lines: list[str] = []
    for section in SECTIONS:
        some = [render_noted(noted) for noted in notes if noted.section == section]
        lines += [HEADINGS[section], *some] if some else []
    return framed(lines) if lines else ""
