"""How do hits become a text that a prompt can carry?

Each hit is one line or paragraph: its id as a citation, its date, its title or speaker, how far it can be trusted and
where it comes from, and then its text, fenced (`fence.py`): the best first, as many as the budget holds, and none below
one that it does not hold. A long text is cut before it takes more than half of what is left from the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.retrieve.fence import fence_block, fence_label, fence_text
from recollect.types import Hit, Record, last_day

_WIDE = (
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]"  # slow to compile
)
_MARK = re.compile(r"[^\w\s]|_")
_PLAIN = bytes(code for code in range(128) if not _MARK.match(chr(code)))
_CHARACTERS_PER_TOKEN = 3.0
_SEEN_PER_TOKEN = 16  # characters that are looked at, of a text that may be longer than anything: a few may be hidden
_BLOCK = "recollect"
_LONGEST_LABEL = 200  # characters of a title or a source
_SHORTEST_CUT = 40  # tokens; a text that would be cut to less is left out
_BEST_TOKENS = 10  # of the best, at least
_FEWEST_TOKENS = 5  # of it, where nothing else is told but its id and date


def estimate_tokens(text: str) -> int:
    """A careful upper estimate: prose of any language stays below it with the tokenizers in use."""
    if text.isascii():  # as most of what is measured, many times in each answer: without a list of its marks
        wide, marks = 0, len(text.encode().translate(None, _PLAIN))
    else:
        wide, marks = len(re.findall(_WIDE, text)), len(_MARK.findall(text))
    other = len(text) - wide
    return int(1.5 * wide + other / _CHARACTERS_PER_TOKEN + 0.5 * marks) + 1


def pack_context(hits: Sequence[Hit], budget_tokens: int | None, projects: bool = False) -> str:
    """A prompt-ready block within the budget; empty when there is nothing to show or no room for any of it.

    With `projects` what is of a project says of which; the rest holds for all.
    """
    left = None if budget_tokens is None else budget_tokens - estimate_tokens(framed([]))
    lines: list[str] = []
    for place, hit in enumerate(hits):
        fenced = fence_text(hit.record.text if left is None else hit.record.text[: _SEEN_PER_TOKEN * max(left, 0) + 1])
        line: str | None = render_hit(hit, fenced, projects)
        if left is not None:
            whole = line
            line = _fitting(hit, fenced, whole, left, projects, last=place == len(hits) - 1)
            if line is None and not lines:
                line = _cut(
                    hit, fenced, left, projects, _BEST_TOKENS
                )  # rather the beginning of the best than the whole of a worse one
            if not lines and not projects and estimate_tokens(whole) >= left:
                line = _barely(hit, fenced, left, line)
            if line is None:
                break
            left -= estimate_tokens(line) + 1
        lines.append(line)
    return framed(lines) if lines else ""


def framed(lines: Sequence[str]) -> str:
    """Lines as a block that says where it comes from."""
    return fence_block(_BLOCK, lines)


def _fitting(hit: Hit, fenced: str, line: str, left: int, projects: bool, *, last: bool) -> str | None:
    """A line that leaves room for others, cut where it must be; nothing where too little of it would be left."""
    cost = estimate_tokens(line) + 1
    if cost <= left // 2 or (cost <= left and (last or cost <= _SHORTEST_CUT)):
        return line
    cut = _cut(hit, fenced, left // 2, projects) or _cut(hit, fenced, left, projects)
    return cut or (line if cost <= left else None)


def render_hit(hit: Hit, fenced: str | None = None, projects: bool = False) -> str:
    text = fence_text(hit.record.text) if fenced is None else fenced
    project = hit.record.project if projects else None
    return render_record(hit.record, text, project, hit.record.title, hit.record.role)


def render_record(record: Record, fenced: str, *labels: str | None) -> str:
    """What is said of a record, and then its text, which was fenced: as much of it as is to be shown."""
    marks = [record.event_time.date().isoformat()]
    marks += [fence_label(mark[:_LONGEST_LABEL]) for mark in labels if mark]
    if record.status != "active":
        marks.append(record.status)
    if record.valid_from is not None and (began := record.valid_from.astimezone().date().isoformat()) not in marks:
        marks.append(f"from {began}")
    if record.valid_until is not None:
        marks.append(f"until {last_day(record.valid_until).isoformat()}")
    trust = record.trust.replace("_", " ")
    marks.append(f"{trust}, {fence_label(record.source[:_LONGEST_LABEL])}" if record.source else trust)
    return f"- [{fence_label(record.id)}] ({' · '.join(marks)}) {fenced}"


def _barely(hit: Hit, whole: str, tokens: int, line: str | None) -> str | None:
    """The best hit with its id and date alone, if all of it is shown so, or where there is no `line` its beginning;
    nothing if too little of it would be left.
    """
    around = f"- [{fence_label(hit.record.id)}] ({hit.record.event_time.date().isoformat()}) "
    room = tokens - estimate_tokens(around) - 1
    text = cut_text(whole, room)
    if line is not None and text != whole:
        return line
    return around + text if room >= _FEWEST_TOKENS and text else None


def _cut(hit: Hit, fenced: str, tokens: int, projects: bool, least: int = _SHORTEST_CUT) -> str | None:
    """The beginning of a hit that is too long for the whole budget, or nothing if too little would be left."""
    around = estimate_tokens(render_hit(hit, "", projects))
    if tokens < around + least:
        return None
    return render_hit(hit, cut_text(fenced, tokens - around - 1), projects)


def cut_text(text: str, tokens: int) -> str:
    """As much of the beginning of a text as some tokens hold, marked where it was cut; nothing if none fits."""
    most = int(_CHARACTERS_PER_TOKEN * (tokens + 1))  # more characters never fit, whatever they are
    if len(text) <= most and estimate_tokens(text) <= tokens:
        return text
    low, high = 0, max(min(len(text), most), 0)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle] + " …") <= tokens:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low]} …" if low else ""
