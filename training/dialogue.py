"""Which questions does a conversation itself suggest, and which turn answers each of them?

Rules only. A turn that asks the other speaker something becomes a question about that speaker, answered by the turn
that follows: "What do you do for work?" is "What does Carla do for work?". A turn that tells of a time, a dislike or
something never done becomes a question about just that. A conversation can also be told again as one between a user and
an assistant, with dates, and its questions in the first person.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

_TURN = re.compile(r"^([A-Z][\w .'-]{0,30}): (.+)$", re.S)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_LEADS = re.compile(
    r"^(?:so,? |and |but |oh,? |well,? |wow,? |cool,? |nice,? |then,? |by the way,? )*"
    r"((?:what|where|when|who|why|how|which|do|does|did|are|is|was|were|have|has|had|will|would|can|could|should)\b.*\?)$",
    re.I,
)
_EMPTY = re.compile(
    r"^(?:what about|how about|how are|how is it going|how's it going|what's up|what is up|what's your name|"
    r"what is your name|how have you been|are you (?:sure|serious|ok|okay|kidding)|what do you mean|how so|really|"
    r"do you know|can you tell|what do you think|how was your day|what are you up to|how's your day)\b",
    re.I,
)
_AGREE = {"do": "does", "are": "is", "were": "was", "have": "has", "'re": "'s"}
_TIME = (
    r"(?:yesterday|today|last (?:night|week|weekend|month|year|summer|winter|spring|fall|\w+day)|"
    r"this (?:morning|week|weekend|month|year|summer)|(?:a few|a couple of|two|three|four|five|\d+) "
    r"(?:days|weeks|months|years) ago|(?:a|an) (?:week|month|year|hour) ago|in (?:19|20)\d\d|"
    r"when I was [\w ]{1,25}|recently|"
    r"on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|on (?:January|February|March|April|May|June|July|August|September|"
    r"October|November|December) \d+|"
    r"for (?:a few|a couple of|two|three|four|five|ten|\d+) (?:weeks|months|years)(?: now)?)"
)
_PAST = {
    "went": "go", "got": "get", "saw": "see", "bought": "buy", "met": "meet", "took": "take", "made": "make",
    "had": "have", "did": "do", "found": "find", "read": "read", "wrote": "write", "won": "win", "ran": "run",
    "came": "come", "gave": "give", "left": "leave", "lost": "lose", "began": "begin", "became": "become",
    "grew": "grow", "ate": "eat", "drove": "drive", "flew": "fly", "taught": "teach", "learned": "learn",
    "started": "start", "visited": "visit", "moved": "move", "played": "play", "watched": "watch", "tried": "try",
    "worked": "work", "finished": "finish", "graduated": "graduate", "joined": "join", "traveled": "travel",
    "adopted": "adopt", "quit": "quit", "broke": "break", "built": "build", "sold": "sell", "lived": "live",
    "studied": "study", "cooked": "cook", "baked": "bake", "painted": "paint", "retired": "retire",
    "volunteered": "volunteer", "celebrated": "celebrate", "attended": "attend", "hiked": "hike", "helped": "help",
}  # fmt: skip
_TOLD = re.compile(
    rf"^(?:\w+[,!] )?I(?: just| recently| also| actually| finally)? ({'|'.join(_PAST)})\b(.*?)[.!]?$", re.I
)
_NEVER = re.compile(r"\bI(?:'ve| have) never (\w+ [^.,!?]{3,50})", re.I)
_DISLIKE = re.compile(
    r"\bI (?:do not|don't|can't|cannot) "
    r"(like|eat|drink|have|own|want|enjoy|play|watch|drive|swim|cook) ([^.,!?]{3,40})",
    re.I,
)
MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True)
class Turn:
    row: int
    speaker: str
    words: str


def parse_turn(row: int, text: str) -> Turn | None:
    found = _TURN.match(text)
    return Turn(row, found[1], found[2]) if found else None


def turn_to_third(question: str, asked: str, asker: str) -> str:
    """A question put to `asked` by `asker`, as a third person would put it."""
    third = question
    for verb, agreed in _AGREE.items():
        space = "" if verb.startswith("'") else r"\b"
        third = re.sub(rf"{space}{verb}(?= you\b)", lambda m, a=agreed: _like(m[0], a), third, flags=re.I)
        third = re.sub(rf"{space}{verb}(?= I\b)", lambda m, a=agreed: _like(m[0], a), third, flags=re.I)
    third = re.sub(r"\byou're\b", f"{asked} is", third, flags=re.I)
    third = re.sub(r"\byou've\b", f"{asked} has", third, flags=re.I)
    third = re.sub(r"\byour\b", f"{asked}'s", third, count=1, flags=re.I)
    third = re.sub(r"\byours?\b", "their", third, flags=re.I)
    third = re.sub(r"\byou\b", asked, third, count=1, flags=re.I)
    third = re.sub(r"\byourself\b", "themselves", third, flags=re.I)
    third = re.sub(r"\byou\b", "they", third, flags=re.I)
    third = re.sub(r"\bmy\b", f"{asker}'s", third, flags=re.I)
    return re.sub(r"\b(?:me|I)\b", asker, third)


def _like(old: str, new: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new


def ask_again(before: Turn, after: Turn) -> str | None:
    """The question that one turn asks and the next one answers, in the third person."""
    last = _SENTENCE.split(before.words)[-1]
    found = _LEADS.match(last)
    if found is None or before.speaker == after.speaker or _EMPTY.match(found[1]):
        return None
    question = found[1]
    answer = [part for part in _SENTENCE.split(after.words) if not part.endswith("?")]
    if not re.search(r"\byou", question, re.I) or len(question.split()) < 4 or len(" ".join(answer).split()) < 4:
        return None
    question = question[0].upper() + question[1:]
    return turn_to_third(question, after.speaker, before.speaker)


def ask_about(turn: Turn) -> list[str]:
    """Questions about times, dislikes and things never done that a turn answers by itself."""
    asked: list[str] = []
    for sentence in _SENTENCE.split(turn.words):
        told = _TOLD.match(sentence)
        when = told and re.search(rf"\s*,?\s*\b({_TIME})\b", told[2], re.I)
        if told and when:
            rest = _third(told[2].replace(when[0], " "), turn.speaker)
            verb = _PAST[told[1].lower()]
            if len(rest.split()) >= 2:
                asked.append(f"When did {turn.speaker} {verb} {rest}?")
            asked.append(f"What did {turn.speaker} do {_third(when[1], turn.speaker)}?")
        if found := _NEVER.search(sentence):
            asked.append(f"Has {turn.speaker} ever {_third(found[1], turn.speaker)}?")
        if found := _DISLIKE.search(sentence):
            asked.append(f"Does {turn.speaker} {found[1].lower()} {_third(found[2], turn.speaker)}?")
    return asked


def _third(words: str, speaker: str) -> str:
    words = re.sub(r"\bmy\b", "their", words, flags=re.I)
    words = re.sub(r"\bI was\b", "they were", words)
    words = re.sub(r"\b(?:I'm|I am)\b", f"{speaker} is", words)
    words = re.sub(r"\bI\b", "they", words)
    words = re.sub(r"\bme\b", "them", words)
    return " ".join(words.split()).strip(" ,.!")


def ask_as_user(question: str, name: str) -> str | None:
    """A question about `name` as that person would ask it of an assistant; None where another stays unnamed."""
    first = question
    for verb, agreed in (("does", "do"), ("is", "am"), ("has", "have"), ("did", "did"), ("was", "was")):
        first = re.sub(rf"\b{verb} {name}\b(?!')", lambda m, a=agreed: _like(m[0], a) + " I", first, flags=re.I)
    first = re.sub(rf"\b{name}'s\b", "my", first)
    first = re.sub(rf"\b{name}\b", "I", first)
    first = re.sub(r"\btheir\b", "my", first)
    return first if first != question else None


def tell_as_chat(text: str, user: str, dated: str) -> str:
    """A turn as one of a chat with an assistant."""
    turn = parse_turn(0, text)
    if turn is None:
        return text
    return f"{dated}{'user' if turn.speaker == user else 'assistant'}: {turn.words}"


def make_date(chance: random.Random) -> str:
    """How a chat may write the day before a turn; often not at all."""
    month, day, year = chance.choice(MONTHS), chance.randint(1, 28), chance.randint(2019, 2025)
    return chance.choice(
        (
            "",
            "",
            f"[{month}-{day}-{year}] ",
            f"[{month} {day}, {year}] ",
            f"[{year}-{MONTHS.index(month) + 1:02d}-{day:02d}] ",
        )
    )
