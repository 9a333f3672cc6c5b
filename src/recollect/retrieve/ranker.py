"""How likely does each candidate answer the question?

Every signal says something on a scale of its own, and what it is worth differs with the question, the number of records
and the model. So what is known of a candidate is written down as some forty numbers: absolute ones, its lead over the
others, how it stands among its neighbours and beside newer and older ones that say nearly the same. Small networks that
were fitted on stores of ten to some thousand records, many of which hold no answer, make one probability of them. A
signal that is missing (no vectors, wordpieces not compared, nothing read) is marked so, and they have seen that too.

Where records stand in a session or source, what they are worth lies in what stands beside them too, and no network saw
enough of that, nor of stores of thousands: there a plain weaving of all signals, neighbours included, is added, on a
scale of its own.

`ranker.json` has the weights and says what they were fitted on; `training/fit_ranker.py` makes it. Pure, numpy only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recollect.forms import decode
from recollect.retrieve.evidence import Evidence, Floats, Ints, Pairs
from recollect.retrieve.weights import Lacking, Layer, Meaning, Notes, Weights, Woven
from recollect.store.product import multiply

Columns = dict[str, Floats | NDArray[np.bool_] | float]

WEIGHTS = Path(__file__).with_name("ranker.json")
LIKE = 32
"""Of so many of the best candidates it is looked at which say nearly the same."""
_NEIGHBOUR_SHARES = (0.25, 0.1)
_NOBODY: Pairs = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
_ZEROS = np.zeros(1 << 17, np.float32)
_NEAREST_Z, _FARTHEST_Z = 14.0, -3.0
_USUAL_FLOOR, _USUAL_SPREAD = 0.057326, 0.078087  # of the bundled model, whose numbers the networks were fitted on
_FARTHEST, _FEW = 6.0, 3
_LARGE = 1_000
_BLIND, _BLIND_SAID, _BLIND_COVERED, _BLIND_LEVEL = 0.8, 0.21, 5.7, -2.9
_MOSTLY, _WORDLESS = 0.5, 0.4
_LONG, _PAIR_TERMS = 100.0, 3.0
_FORMER_GAP = 4.0
_SUCCESSORS, _SUCCESSOR_GAP, _SAME = 3, 1.0, (0.6, 0.3)  # as like as that, by their vectors or by their words
_CHANGING = 0.4, 0.2  # of one that says itself that something changed
_ANSWERING, _READ_GAP, _READ_AS_WELL = (0.3, 0.1), 0.5, (2.0, 1.0)
_COMPARED, _NEAR_SHARE, _LATE_SHARE, _LATE_FLOOR, _READ_SHARE = 10, 5.0, 2.6, 0.3, 0.5


def judge(evidence: Evidence, rows: Ints | None = None) -> Floats:
    """The probability of each candidate, or of some, to answer."""
    return 1.0 / (1.0 + np.exp(-logits(evidence, rows)))


def logits(evidence: Evidence, rows: Ints | None = None) -> Floats:
    fitted = _load()
    blind = is_blind(evidence)
    if blind:  # the few that have one would be judged by another measure than the rest
        unknown = np.full(len(evidence.near), np.nan)
        evidence = msgspec.structs.replace(evidence, near=unknown, late=unknown, deep=unknown)
    some = slice(None) if rows is None else rows
    said = say(fitted, evidence, some)
    if blind:
        said = _be_as_sure_as_words(evidence, said, some)
    else:
        said = _judge_lacking(fitted.lacking, evidence, said, some)
    single = evidence.group < 0
    count = int(np.count_nonzero(single))
    mostly = len(single) - count >= _MOSTLY * len(single)  # stand in a session or source
    if not len(single) or not (mostly or evidence.records > _LARGE):
        return _judge_notes(fitted, evidence, said, rows, blind=blind)  # a page among notes is judged as they are
    woven = _weave_in(fitted.woven, evidence, said, some, blind=blind)
    noted = round(evidence.records * count / len(single))
    if not mostly or not count or noted > _LARGE:
        return woven
    notes = _judge_notes(fitted, evidence, said, rows, blind=blind)
    own = msgspec.structs.replace(evidence.keep(single), records=count)
    notes = (notes + _judge_apart(own, single, rows)) / 2
    return np.where(single[some], notes, _leave_room(woven, notes[single[some]]))


def _judge_apart(notes: Evidence, single: NDArray[np.bool_], rows: Ints | None) -> Floats:
    """What notes are worth as if nothing stood among them; 0 for what is none.

    The networks have seen small stores of notes, and many that hold nothing else: where hundreds of passages stand
    beside them, each gives a note something to be compared with, and all of them think too little of what answers.
    """
    found = np.zeros(len(single))
    if rows is None:
        found[single] = logits(notes)
        return found
    asked = rows[single[rows]]
    found[asked] = logits(notes, (np.cumsum(single) - 1)[asked])
    return found[rows]


def _leave_room(woven: Floats, notes: Floats) -> Floats:
    """What stands in sessions and sources beside notes: it answers as far as the likeliest note leaves that open."""
    if not len(notes):
        return woven
    likely = 1.0 / (1.0 + np.exp(-woven)) / (1.0 + math.exp(float(notes.max())))
    return np.log(likely) - np.log1p(-likely)


def _judge_notes(fitted: Fitted, evidence: Evidence, said: Floats, rows: Ints | None, *, blind: bool) -> Floats:
    by_meaning = not blind and is_told_by_meaning(evidence)
    if by_meaning:
        said = _judge_by_meaning(fitted.meaning, evidence.near if rows is None else evidence.near[rows], said)
    if rows is None:
        said = put_newer_first(evidence, said)
    if blind or by_meaning:
        return said
    read = np.count_nonzero(~np.isnan(evidence.deep))
    by = next(one for one in reversed(fitted.notes) if one.read <= read)
    return by.slope * said + weigh_best(by, evidence) + by.level


def weigh_best(by: Notes, evidence: Evidence) -> float:
    """What the highest of the reading and of the nearness, of whichever notes, says of all of them."""
    told = ((by.deep, evidence.deep), (by.near, evidence.near))
    return sum(share * float(np.nanmax(signal)) for share, signal in told if share)


def is_told_by_meaning(evidence: Evidence) -> bool:
    """Can vectors alone tell what answers? No record holds much of the question's words, no wordpieces were compared,
    and nothing was read: a question in another language, as a model of many languages sees it.
    """
    wordless = len(evidence.near) > 1 and float(evidence.covered.max()) < _WORDLESS
    return wordless and bool(np.isnan(evidence.late).all() and np.isnan(evidence.deep).all())


def weigh_by_meaning(by: Meaning, near: Floats, said: Floats) -> tuple[Floats, float, float]:
    """What each is worth (NaN: no vector), the lead of the best, and how much nearer that is than the middle one."""
    worth = by.said * said + by.near * near
    known = np.flatnonzero(~np.isnan(near))
    best, *others = known[np.argsort(-worth[known], kind="stable")]
    lead = worth[best] - worth[others[0]] if others else 0.0
    return worth, min(float(lead), _FARTHEST), float(near[best] - np.median(near[known]))


def _judge_by_meaning(by: Meaning, near: Floats, said: Floats) -> Floats:
    if np.isnan(near).all():
        return said
    worth, lead, over = weigh_by_meaning(by, near, said)
    sure = by.lead * lead + by.over * over + by.level
    return np.where(np.isnan(near), said, sure + worth - np.nanmax(worth))


def is_blind(evidence: Evidence) -> bool:
    """Has hardly a candidate a vector: another script, no model, or none computed yet?"""
    count = len(evidence.near)
    return count > 0 and int(np.count_nonzero(np.isnan(evidence.near))) >= _BLIND * count


def say(fitted: Fitted, evidence: Evidence, some: slice | Ints = slice(None)) -> Floats:
    """What the networks say of the candidates, or of some: the mean of all, which are reckoned side by side."""
    values = np.empty((len(FEATURES) + 1, len(evidence.covered)), np.float32)
    values[-1] = 1.0  # what a bias is multiplied by
    known = values[:-1]
    _fill(known, evidence)
    np.maximum(np.minimum(known, fitted.most, out=known), fitted.least, out=known)
    hidden = multiply(values.T[some], fitted.first)
    _cut_at_zero(hidden)
    networks, count, width = *hidden.shape[:2], fitted.second.shape[2]
    inner = np.empty((count, networks, width), np.float32)  # what all networks say of a candidate, side by side
    multiply(hidden, fitted.second, inner.transpose(1, 0, 2))
    _cut_at_zero(inner)
    return (inner.reshape(count, networks * width) @ fitted.last).astype(np.float64) + fitted.level


def _cut_at_zero(values: Floats) -> None:
    """Numpy compares with as many zeros in a third of the time that it takes to compare with one."""
    flat = values.reshape(-1)
    np.maximum(flat, _ZEROS[: flat.size] if flat.size <= _ZEROS.size else 0.0, out=flat)


def _be_as_sure_as_words(evidence: Evidence, said: Floats, some: slice | Ints) -> Floats:
    """The networks put candidates without vectors in the right order and think too little of them: so the best is made
    as likely as its words say, and the others with it.
    """
    if not len(said):
        return said
    best = int(said.argmax())
    sure = _BLIND_SAID * said[best] + _BLIND_COVERED * evidence.covered[some][best] + _BLIND_LEVEL
    return said + (sure - said[best])


def _judge_lacking(by: Lacking, evidence: Evidence, said: Floats, some: slice | Ints) -> Floats:
    lacks = np.isnan(evidence.near[some])
    if not lacks.any():
        return said
    return np.where(lacks, describe_lacking(evidence, said, some) @ msgspec.structs.astuple(by), said)


def describe_lacking(evidence: Evidence, said: Floats, some: slice | Ints = slice(None)) -> Floats:
    """What is known of candidates that have no vector, in the order of Lacking's fields."""
    unread = np.isnan(evidence.deep)
    passed = (unread & (not unread.all()))[some].astype(np.float64)
    return np.stack([said, evidence.covered[some], passed, _known(evidence.deep[some]), np.ones(len(said))], axis=1)


def _weave_in(by: Woven, evidence: Evidence, said: Floats, some: slice | Ints, *, blind: bool) -> Floats:
    woven = _weave(evidence)
    summed = said + by.weight * woven[some]
    best = int(summed.argmax())
    at = best if isinstance(some, slice) else int(some[best])
    others = woven.copy()
    others[at] = 0.0
    lead = min(max(float(woven[at] - others.max()), -1.0), 1.0)
    told = float(said[best]), float(woven[at]), lead
    sure = told[0] if blind else _be_sure(by, evidence, told, grouped=bool(evidence.group[at] >= 0))
    return sure + by.slope * (summed - summed[best])


def _be_sure(by: Woven, evidence: Evidence, told: tuple[float, float, float], *, grouped: bool) -> float:
    """How likely the best is, by what the networks say of it, its weaving and its lead over the next."""
    said, woven, lead = told
    if not grouped:
        return by.said * said + by.woven * woven + by.lead * lead + by.level
    talk, size = by.talk, math.log10(max(evidence.records, 1))
    return talk.said * said + talk.woven * woven + talk.lead * lead + talk.size * size + talk.level


def put_newer_first(evidence: Evidence, said: Floats) -> Floats:
    """Where a newer candidate speaks of the same as the best, and answers nearly as likely, it takes its place.

    So what was changed stands before what it was, though the networks think a little more of that; unless it lacks a
    name that was asked for, and what has that name comes first. One that says itself that something changed ("from May
    on", "retired") may be less like what it changes, if that would answer, and still less one that answers as well by
    what was read of both; where reading does not say so, it must be the nearer. Where the question asks for what was,
    the last before the newest takes its place.
    """
    like, time, past = evidence.like, evidence.time, evidence.asks_past
    if like is None or len(said) < 2:
        return said
    best, *others = _highest(said, _SUCCESSORS)
    row = {candidate: at for at, candidate in enumerate(like.rows.tolist())}
    names = evidence.named if evidence.named is not None else np.zeros(len(said), np.int64)
    heir = best
    for other in others:
        if best not in row or other not in row or said[best] - said[other] > _gap(evidence, names, best, other):
            continue
        both = row[best], row[other]
        says_so = said[best] > 0.0 and _says_so(evidence, best, other)
        least = _ANSWERING if _reads_as_well(evidence, best, other) else _CHANGING if says_so else _SAME
        if like.cosine[both] < least[0] and like.shared[both] < least[1]:
            continue
        if past and time[other] > time[best]:
            return said
        if past:
            earlier = time[other] < time[best] and (heir == best or time[other] > time[heir])
            heir = other if earlier else heir
        elif (names[other], time[other]) > (names[heir], time[heir]):
            heir = other
    if heir != best:
        said = said.copy()
        said[[best, heir]] = said[[heir, best]]
    return said


def _highest(said: Floats, count: int) -> list[int]:
    """The first few, best first: what a stable sort of all of them gives, in a third of its time."""
    left, found = said.copy(), list[int]()
    for _ in range(min(count, len(said))):
        found.append(int(left.argmax()))
        left[found[-1]] = -np.inf
    return found


def _gap(evidence: Evidence, names: Ints, best: int, other: int) -> float:
    """How much less likely a candidate may be that takes the place of the best: more where it is said to be earlier."""
    known = evidence.asks_past and (
        (evidence.replaced is not None and evidence.replaced[other]) or names[best] > names[other]
    )
    if known:
        return _FORMER_GAP
    was_read = not evidence.asks_past and not np.isnan(evidence.deep[[best, other]]).any()
    return _READ_GAP if was_read and not _reads_as_well(evidence, best, other) else _SUCCESSOR_GAP


def _reads_as_well(evidence: Evidence, best: int, other: int) -> bool:
    """Was a candidate read, and answers by that nearly as surely as the best, whatever time is asked for?"""
    least, behind = _READ_AS_WELL
    deep = evidence.deep
    return not evidence.asks_past and bool(deep[other] >= max(least, deep[best] - behind))


def _says_so(evidence: Evidence, best: int, other: int) -> bool:
    """Does a newer candidate say itself that something changed, and the best does not?"""
    told, time = evidence.changing, evidence.time
    if told is None or evidence.asks_past or time[other] <= time[best]:
        return False
    return bool(told[other] > told[best])


def _weave(evidence: Evidence) -> Floats:
    """A sum of the signals of each candidate and of its neighbours.

    Words count relative to the best of them, and more the further it stands out from the tenth. A long record has more
    places in which something matches by chance, and loses a part; a word of a script without spaces makes three terms.
    What was read closely gains by what the reading said.
    """
    words = evidence.words
    best = float(words.max())
    if best > 0:
        tenth = float(np.partition(words, -_COMPARED)[-_COMPARED]) if len(words) >= _COMPARED else 0.0
        own = (1.5 - tenth / best) ** 2 * words / best
    else:
        own = np.zeros(len(words))
    near = _within(_known(evidence.near), 0.0, _NEAREST_Z)
    late = _within(_known(evidence.late), _LATE_FLOOR, 1.0) - _LATE_FLOOR
    own += _NEAR_SHARE / _NEAREST_Z**2 * (near * near) + _LATE_SHARE / (1.0 - _LATE_FLOOR) ** 2 * (late * late)
    per_word = 1.0 + (_PAIR_TERMS - 1.0) * evidence.pairs
    own /= np.sqrt(np.maximum(evidence.length / (_LONG * per_word), 1.0))
    own += _neighbours(own, evidence)
    read = np.flatnonzero(~np.isnan(evidence.deep))
    own[read] += _READ_SHARE / (1.0 + np.exp(-evidence.deep[read]))
    return own


class Fitted(Struct, frozen=True, eq=False):
    """Weights as they are reckoned with: a matrix of each network in a stack.

    `least` and `most` (columns) are how far from its mean a feature counts. What brings features to one scale is in
    `first` already. Both matrices have a layer's bias as their last row; what it is multiplied by is the last feature
    and the last that `first` makes, which are 1 always.
    """

    least: Floats
    most: Floats
    first: Floats
    second: Floats
    last: Floats
    level: float
    notes: list[Notes]
    meaning: Meaning
    lacking: Lacking
    woven: Woven


@cache
def _load() -> Fitted:
    return unpack(decode(WEIGHTS.read_bytes(), Weights))


def unpack(found: Weights) -> Fitted:
    first, second, last = zip(*found.networks, strict=True)
    mean, scale = np.array(found.mean), np.array(found.scale)
    return Fitted(
        least=_single(mean - _FARTHEST * scale)[:, None],
        most=_single(mean + _FARTHEST * scale)[:, None],
        first=_single([_unscaled(layer, mean, scale) for layer in first]),
        second=_single([[*layer.weights, layer.bias] for layer in second]),
        last=_single([layer.weights for layer in last]).ravel() / np.float32(len(last)),
        level=sum(layer.bias[0] for layer in last) / len(last),
        notes=found.notes,
        meaning=found.meaning,
        lacking=found.lacking,
        woven=found.woven,
    )


def _unscaled(layer: Layer, mean: Floats, scale: Floats) -> Floats:
    """A first layer for features as they are, its bias below, and beside it a number that is 1 whatever they are."""
    weights = np.array(layer.weights) / scale[:, None]
    rows = np.vstack([weights, np.array(layer.bias) - mean @ weights])
    one = np.zeros((len(rows), 1))
    one[-1] = 1.0
    return np.hstack([rows, one])


def _single(values: Sequence[object] | Floats) -> Floats:
    return np.array(values, dtype=np.float32)


def to_usual(cosine: Floats, floor: float) -> Floats:
    """Cosines of any model as the bundled one would give them; `floor` is that of unrelated texts.

    With some models it is 0.05 and with others 0.78: what counts is how much of the way from there to the same text a
    cosine has gone.
    """
    return _USUAL_FLOOR + (1.0 - _USUAL_FLOOR) * (cosine - floor) / max(1.0 - floor, 1e-3)


def to_near(cosine: Floats, floor: float) -> Floats:
    """How many of the bundled model's standard deviations cosines of any model lie above that of unrelated texts."""
    return (to_usual(cosine, floor) - _USUAL_FLOOR) / _USUAL_SPREAD


def weigh_roughly(covered: Floats, words: Floats, near: Floats, late: Floats | None) -> Floats:
    """A plain sum of what is known, to choose by it whom to look at more closely."""
    rough = _known(near / _NEAREST_Z) + 0.5 * covered + words
    return rough if late is None else rough + _known(late)


def share_words(held: Sequence[NDArray[np.uint32]]) -> Floats:
    """For some texts by the terms that each holds: the part of the shorter one that stands in both, rare ones first."""
    every = np.concatenate(held) if held else np.zeros(0, np.uint32)
    terms, columns = np.unique(every, return_inverse=True)
    holds = np.zeros((len(held), len(terms)))
    holds[np.repeat(np.arange(len(held)), [len(some) for some in held]), columns] = 1.0
    rarity = np.log1p(len(held) / np.maximum(holds.sum(0), 1.0))
    whole = holds @ rarity
    return multiply(holds * rarity, holds.T) / np.maximum(np.minimum.outer(whole, whole), 1e-6)


def describe(evidence: Evidence) -> Floats:
    """A row of numbers for each candidate, in the order of FEATURES."""
    rows = np.empty((len(FEATURES), len(evidence.covered)))
    _fill(rows, evidence)
    return rows.T


def _fill(rows: Floats, evidence: Evidence) -> None:
    columns = _columns(evidence)
    for at, name in enumerate(FEATURES):
        rows[at] = columns[name]


def _columns(evidence: Evidence) -> Columns:
    own = _own(evidence)
    columns = _signals(evidence)
    columns |= _in_groups(evidence, own)
    columns |= _in_time(evidence, own)
    columns["length"] = np.log1p(evidence.length)
    columns["terms"] = math.log1p(evidence.terms)
    columns["records"] = math.log10(max(evidence.records, 1))
    columns["pairs"] = evidence.pairs
    columns["asks past"] = float(evidence.asks_past)
    columns["asks now"] = float(evidence.asks_now)
    return columns


def _in_groups(evidence: Evidence, own: Floats) -> Columns:
    grouped = evidence.group >= 0
    if not grouped.any():
        return {"neighbours": 0.0, "neighbours covered": 0.0, "in a group": 0.0}
    near, covered = _neighbours(own, evidence), _neighbours(evidence.covered, evidence)
    return {"neighbours": near, "neighbours covered": covered, "in a group": grouped}


def _signals(evidence: Evidence) -> Columns:
    """Of each signal its number (0 where it is not known), its lead over the best of the others, and the best of all.

    Of meaning also where a number stands in standard deviations of all; of the reranker what it was shown.
    """
    near = _within(evidence.near, _FARTHEST_Z, _NEAREST_Z)
    told = np.array([evidence.covered, evidence.words, near, evidence.late, evidence.deep])
    unknown = np.isnan(told)
    count = told.shape[1] - unknown.sum(axis=1)
    value, lead, best = np.where(unknown, 0.0, told), *_compare(told, unknown, count)
    columns: Columns = {}
    for at, name in enumerate(("covered", "words", "near", "late", "deep")):
        columns[name], columns[f"{name} lead"], columns[f"{name} best"] = value[at], lead[at], best[at]
    for at, name in ((2, "near"), (3, "late")):
        columns[f"{name} missing"] = unknown[at]
        columns[f"{name} spread"] = _spread(value[at], unknown[at], int(count[at]))
    columns["read"], columns["any read"] = ~unknown[4], float(count[4] > 0)
    if not count[4]:
        columns |= {"deep": 0.0, "deep lead": 0.0, "read": 0.0}
    columns["share read"] = math.log1p(count[4])
    return columns


def _compare(told: Floats, unknown: NDArray[np.bool_], count: Ints) -> tuple[Floats, Floats]:
    """How far each number of a row lies above the best of the others, and the best; 0 where it is not known."""
    if not told.shape[1]:
        return told, np.zeros(len(told))
    left, rows = np.where(unknown, -np.inf, told), np.arange(len(told))
    first = left.argmax(axis=1)
    best = np.where(count > 0, left[rows, first], 0.0)
    left[rows, first] = -np.inf
    lead = told - best[:, None]
    lead[rows, first] = best - left.max(axis=1)
    lead[unknown | (count < 2)[:, None]] = 0.0
    return lead, best


def _spread(value: Floats, unknown: NDArray[np.bool_], count: int) -> Floats:
    """In standard deviations of those that are known, where each stands."""
    if count < _FEW:
        return np.zeros(len(value))
    apart = value - value.sum() / count
    apart[unknown] = 0.0
    return apart / (math.sqrt(apart @ apart / count) + 1e-3)


def _own(evidence: Evidence) -> Floats:
    """What each candidate's own text is worth to the question, by the finest signal that there is."""
    late = evidence.late
    near = _within(_known(evidence.near), _FARTHEST_Z, _NEAREST_Z) / _NEAREST_Z
    return np.where(np.isnan(late), near, late)


def neighbours_of(evidence: Evidence) -> Floats:
    """What the neighbours of each candidate in its session or source are worth, by their meaning or their words."""
    worth = np.maximum(_own(evidence), evidence.covered)
    return _neighbours(worth, evidence)


def _within(signal: Floats, least: float, most: float) -> Floats:
    """What numpy's own `clip` does, which takes three times as long for so few."""
    return np.minimum(np.maximum(signal, least), most)


def _known(signal: Floats, otherwise: float = 0.0) -> Floats:
    """A signal, and something else where it is not known."""
    return np.where(np.isnan(signal), otherwise, signal)


def pair_neighbours(group: Ints, position: Ints) -> Pairs:
    """Which candidates stand one or two places apart in their group: each pair once in either direction."""
    if not (group >= 0).any():
        return _NOBODY
    found: list[tuple[Ints, Ints, Floats]] = []
    order = np.lexsort((position, group))
    for apart in range(1, len(_NEIGHBOUR_SHARES) + 1):
        before, after = order[:-apart], order[apart:]
        together = (group[before] == group[after]) & (group[after] >= 0)
        distance = position[after] - position[before]
        for places, share in enumerate(_NEIGHBOUR_SHARES, 1):
            pairs = np.flatnonzero(together & (distance == places))
            found.append((before[pairs], after[pairs], np.full(len(pairs), share)))
            found.append((after[pairs], before[pairs], np.full(len(pairs), share)))
    to, giver, share = (np.concatenate(some) for some in zip(*found, strict=True))
    return to, giver, share


def _neighbours(own: Floats, evidence: Evidence) -> Floats:
    """What stands one and two places from each candidate in its group."""
    pairs = evidence.beside
    to, giver, share = pair_neighbours(evidence.group, evidence.position) if pairs is None else pairs
    return np.bincount(to, share * own[giver], len(own)).astype(np.float64, copy=False)


def _in_time(evidence: Evidence, own: Floats) -> Columns:
    """How each stands in time, and beside newer and older candidates that speak of the same."""
    count = len(own)
    place = np.empty(count)
    place[np.argsort(evidence.time, kind="stable")] = np.arange(count) / max(count - 1, 1)
    columns: Columns = {f"{side} {name}": 0.0 for side in _SIDES for name in _BESIDE}
    columns["place in time"], columns["like all"] = place, 0.0
    like = evidence.like
    if like is None or len(like.rows) < 2 or np.isnan(evidence.near).all():
        return columns
    worth, both = own[like.rows], (like.cosine + like.shared) / 2
    answers = _within(worth[:, None] / np.maximum(worth, 1e-3), 0.0, 1.0)
    time = evidence.time[like.rows]
    newer = np.greater.outer(time, time)
    there = np.array([newer, newer.T])  # what is compared stands below, whom it is compared with beside: quicker so
    rival = np.maximum(both.T * answers, 0.0)
    planes = np.where(there[:, None], np.array([like.cosine.T, like.shared.T, rival, both.T]), -1.0)
    told = planes.max(axis=2)
    any_there = told[:, 1:2] >= 0.0  # a share of words is never less
    told[:, 3] = worth[planes[:, 3].argmax(axis=1)] - worth
    beside = np.zeros((len(_SIDES), len(_BESIDE), count))
    beside[:, :, like.rows] = np.where(any_there, told, 0.0)
    for (to, side), (at, name) in product(enumerate(_SIDES), enumerate(_BESIDE)):
        columns[f"{side} {name}"] = beside[to, at]
    columns["like all"] = everywhere = np.zeros(count)
    everywhere[like.rows] = (like.cosine.sum(axis=1) - 1.0) / (len(like.rows) - 1)
    return columns


_SIDES, _BESIDE = ("newer", "older"), ("like", "shared", "rival", "gain")
FEATURES = (
    "covered", "covered lead", "covered best", "words", "words lead", "words best", "near", "near lead", "near best",
    "near spread", "near missing", "late", "late lead", "late best", "late spread", "late missing", "neighbours",
    "neighbours covered", "in a group", "deep", "deep lead", "deep best", "read", "any read", "share read",
    "newer like", "newer shared", "newer gain", "newer rival", "older like", "older shared", "older gain",
    "older rival", "place in time", "like all", "length", "terms", "records", "pairs", "asks past", "asks now",
)  # fmt: skip
