"""How are the ranker's weights fitted?

    python -m training.fit_ranker --work FOLDER --everyday everyday.jsonl.gz --reranker FILE --out ranker.json

FOLDER holds what the steps before wrote: data.npz and texts.jsonl.gz (`prepare.py`), unseen-SEED.npz (`unseen.py`: what
models said of everyday stores that they had not seen), embedded.npz (`embed_pairs.py`: what the exported model says).
Stores of 10 to some thousand records are cut and put together of these; of some the answer is taken out, of some a
signal. For each question the library's own features are computed (`retrieve/ranker.py`). The networks are fitted by two
losses at once: every candidate by itself, so that the number is a probability, and against the other candidates of its
list, so that the first is right.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, pairwise
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from recollect.embed.bundled import MODEL_FOLDER
from recollect.embed.calibrate import calibrate
from recollect.embed.multilingual import MultilingualEmbedder
from recollect.retrieve import keywords, ranker
from recollect.retrieve.asking import asks_now, asks_past
from recollect.retrieve.evidence import Evidence, Likeness
from recollect.retrieve.weights import Lacking, Layer, Meaning, Notes, Talk, Weights, Woven
from recollect.store.terms import is_pair, query_terms, terms
from training import check
from training.compare import Score
from training.lines import regress, save
from training.pack import Lists, pack_lists
from training.prepare import NOTES
from training.runtimes import open_reranker

BY_KEYWORD, BY_VECTOR, BY_TOKENS, WORLD = 240, 200, 200, 200
WOVEN = Woven(
    weight=40.0, said=0.21, woven=0.28, lead=2.28, level=-1.46, slope=0.06,
    talk=Talk(said=0.21, woven=0.28, lead=2.28, size=0.0, level=-2.44),
)  # fmt: skip
"""The weight was chosen on a conversation set: no pair here is a question whose answer lies in what stands beside it.
How likely that makes a hit was fitted on stores of 1,500 to 4,800 of the passages here; in talk, `fit_talk.py` does.
"""
NAME, NETWORKS, SEED = "recollect-ranker-4", 3, 1
HIDDEN = (64, 32)
EPOCHS, BATCH, RATE, DECAY, WARM = 45, 256, 2e-3, 1e-4, 100
LISTS = 1.0
"""What a list counts beside its single candidates."""
SHARPNESS, TRUST = 0.9, 0.42
"""Every number is made a little less sure of itself, and this is added: a third of the questions here have no answer
in their store, of people's questions fewer."""
AMONG_OTHERS, MOST_BESIDE = 0.2, 120
"""The share of everyday questions that are asked among conversations and pages too, and how much of each is there."""
READ = (0, 3, 5, 5, 10, 20)
MISSING = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75)
"""Shares of a store's records that have no vector yet."""
MOST_LACKING = 3_500
ANY_SHARE = 0.25
"""What telling whether any note answers counts beside telling whether the first does, where twenty are read."""
SURER = 1.2
"""People's questions are told apart more surely than those of the training stores: so everyday-dev shows."""
BY_MEANING = Meaning(said=0.5, near=1.0, lead=0.6156, over=0.1244, level=-1.7921)
"""The first two were chosen on everyday stores as the multilingual extra sees them; `--meaning` fits the others."""


@dataclass(frozen=True)
class Store:
    """Some records: their rows, their texts, when they happened, their groups, and their pooled vectors."""

    rows: list[int]
    texts: list[str]
    time: np.ndarray
    group: np.ndarray
    position: np.ndarray
    vectors: np.ndarray


@dataclass(frozen=True)
class Asked:
    """A question over a store, with the models' numbers for every record of it (NaN: not known), and the answers."""

    row: int
    text: str
    store: Store
    cosine: np.ndarray
    late: np.ndarray
    deep: np.ndarray
    gold: frozenset[int]
    kind: str = ""


@cache
def count_terms(text: str) -> Counter[str]:
    return Counter(terms(text))


@cache
def hashed(text: str) -> NDArray[np.uint32]:
    """The terms of a text as numbers, which is how stores know them."""
    return np.array([crc32(term.encode()) for term in count_terms(text)], np.uint32)


@cache
def read_floor() -> float:
    return json.loads((MODEL_FOLDER / "calibration.json").read_text())["calibration"]["floor"]


def gather(asked: Asked, read: int) -> tuple[Evidence, np.ndarray]:
    """What the library would know of the candidates, with the best `read` of them read; and which records they are."""
    store = asked.store
    distinct = list(dict.fromkeys(query_terms(asked.text)))
    held = [count_terms(text) for text in store.texts]
    tf = np.array([[counts.get(term, 0) for term in distinct] for counts in held], float).reshape(len(held), -1)
    length = np.array([max(sum(counts.values()), 1) for counts in held], float)
    df = (tf > 0).sum(0).astype(float)
    pair = np.array([is_pair(term) for term in distinct], bool)
    said = keywords.Terms(df=df, pair=pair, records=max(len(held), WORLD), mean_length=float(length.mean()))
    covered, words = keywords.relate_keywords(said, tf, length)
    near = ranker.to_near(asked.cosine, read_floor())
    kept = np.arange(len(held))
    if len(held) > BY_KEYWORD:
        best = np.argsort(-words, kind="stable")[:BY_KEYWORD]
        kept = np.union1d(best[words[best] > 0], np.argsort(-np.nan_to_num(near, nan=-9.0), kind="stable")[:BY_VECTOR])
    late = asked.late[kept].copy()
    if len(kept) > BY_TOKENS:
        late[np.argsort(-ranker.weigh_roughly(covered[kept], words[kept], near[kept], None))[BY_TOKENS:]] = np.nan
    order = np.argsort(-ranker.weigh_roughly(covered[kept], words[kept], near[kept], late), kind="stable")
    rows = order[: ranker.LIKE]
    like = None
    if not np.isnan(asked.cosine).all():
        chosen = store.vectors[kept[rows]].astype(np.float32)
        like = Likeness(rows, chosen @ chosen.T, ranker.share_words([hashed(store.texts[kept[row]]) for row in rows]))
    if np.isnan(asked.deep[kept[order[:read]]]).any():
        read = 0
    evidence = Evidence(
        covered=covered[kept], words=words[kept], near=near[kept], late=late, deep=np.full(len(kept), np.nan),
        length=length[kept], group=store.group[kept], position=store.position[kept], time=store.time[kept], like=like,
        terms=len(distinct), pairs=float(pair.mean()) if len(pair) else 0.0, records=len(held),
        asks_past=asks_past(asked.text), asks_now=asks_now(asked.text),
    )  # fmt: skip
    if read:
        evidence = read_best(evidence, asked.deep[kept], order, read)
    return evidence, kept


def read_best(evidence: Evidence, deep: np.ndarray, order: np.ndarray, read: int) -> Evidence:
    said = np.full(len(deep), np.nan)
    said[order[:read]] = deep[order[:read]]
    fields = {name: getattr(evidence, name) for name in evidence.__struct_fields__}
    return Evidence(**{**fields, "deep": said})


class Work:
    """What the steps before wrote."""

    def __init__(self, folder: Path, everyday: Path) -> None:
        self.arrays = dict(np.load(folder / "data.npz"))
        with gzip.open(folder / "texts.jsonl.gz", "rt", encoding="utf-8") as file:
            self.texts = [json.loads(line)["text"] for line in file]
        self.passages, self.questions = len(self.arrays["pool"]), len(self.arrays["fold"])
        self.answers = Lists(self.arrays, "answers")
        self.vectors: dict[int, np.ndarray] = {}
        self.tokens: dict[int, np.ndarray] = {}
        self.asked: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for path in sorted(folder.glob("embedded*.npz")):
            self._read_embedded(dict(np.load(path)))
        self.unseen = self._read_unseen(folder)
        self.at: dict[str, float] = {}
        self.kind: dict[str, str] = {}
        for row in chain(check.read_rows(everyday), check.read_rows(NOTES)):
            for note in row["notes"]:
                self.at[note["text"]] = np.datetime64(note["at"]).astype("datetime64[m]").astype(float) + note["id"]
            self.kind |= {one["q"]: one["kind"] for one in row["questions"]}

    def _read_embedded(self, found: dict[str, np.ndarray]) -> None:
        for at, row in enumerate(found["prow"].tolist()):
            if found["pe"][at] == found["pe"][at + 1]:
                continue  # in a script that the model cannot read
            self.vectors[row] = found["pv"][at]
            self.tokens[row] = found["pt"][found["pe"][at] : found["pe"][at + 1]]
        for at, row in enumerate(found["qrow"].tolist()):
            self.asked[row] = found["qv"][at], found["qt"][found["qe"][at] : found["qe"][at + 1]]

    def _read_unseen(self, folder: Path) -> dict[int, dict[int, tuple[float, float, float]]]:
        unseen: dict[int, dict[int, tuple[float, float, float]]] = defaultdict(dict)
        for path in sorted(folder.glob("unseen-*.npz")):
            found = np.load(path)
            columns = [found[name].tolist() for name in ("question", "note", "cosine", "late", "deep")]
            for question, note, *said in zip(*columns, strict=True):
                unseen[question][note] = tuple(said)
        return unseen

    def question_text(self, row: int) -> str:
        return self.texts[self.passages + row]

    def compare(self, row: int, notes: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Cosine and MaxSim by the exported model."""
        vector, tokens = self.asked[row]
        cosine = np.array([self.vectors[note].astype(np.float32) @ vector for note in notes])
        if not len(tokens):
            return cosine, np.full(len(notes), np.nan)
        flat = np.concatenate([self.tokens[note] for note in notes]).astype(np.float32)
        sizes = [max(len(self.tokens[note]), 0) for note in notes]
        starts = np.cumsum([0, *sizes[:-1]])
        late = np.maximum.reduceat(flat @ tokens.T, starts, axis=0).sum(1) / 254.0
        return cosine, late


def make_store(work: Work, notes: list[int], time: np.ndarray, grouped: np.ndarray | bool) -> Store:
    """Records of one pool that are `grouped` are a session or a source, in their order."""
    group = np.where(grouped, np.unique(work.arrays["pool"][notes], return_inverse=True)[1], -1)
    return Store(
        notes, [work.texts[note] for note in notes], time, group, np.where(group >= 0, np.array(notes), 0),
        np.stack([work.vectors[note] for note in notes]),
    )  # fmt: skip


def everyday_samples(work: Work, chance: np.random.Generator) -> list[Asked]:
    """Everyday questions over their own store, a part of it, it and others, or among conversations and pages."""
    members = defaultdict(list)
    for note in sorted({note for told in work.unseen.values() for note in told}):
        members[int(work.arrays["pool"][note])].append(note)
    pools, found = sorted(members), []
    beside = defaultdict(list)
    for note in sorted(work.vectors):
        if int(work.arrays["pool"][note]) not in members:
            beside[int(work.arrays["pool"][note])].append(note)
    foreign_pools = sorted(beside)
    for row, told in work.unseen.items():
        own = list(told)
        pool = int(work.arrays["pool"][own[0]])
        gold = set(work.answers[row].tolist()) if row < work.questions else set()
        for _ in range(3 if not gold else 2):
            notes = list(own)
            left = set() if gold and chance.random() < 0.15 else gold
            notes = [note for note in notes if note in left or note not in gold]
            size = chance.random()
            if size < 0.25:
                others = [note for note in notes if note not in left]
                taken = chance.choice(others, min(len(others), int(chance.integers(0, 25))), replace=False).tolist()
                notes = sorted([*left, *taken]) or notes[:1]
            elif size > 0.55:
                count = int(chance.integers(1, 4)) if size < 0.9 else int(chance.integers(4, 16))
                for other in chance.choice(pools, count, replace=False):
                    notes += members[other] if other != pool else []
            alone = len(notes)
            if chance.random() < AMONG_OTHERS:
                wanted = alone * chance.uniform(0.5, 8.0)
                for other in chance.permutation(foreign_pools):
                    if len(notes) - alone >= wanted:
                        break
                    notes += beside[int(other)][:MOST_BESIDE]
            foreign = [note for note in notes if note not in told]
            numbers = {note: told[note] for note in notes if note in told}
            if foreign:
                cosine, late = work.compare(row, foreign)
                numbers |= {n: (c, m, np.nan) for n, c, m in zip(foreign, cosine, late, strict=True)}
            time = np.array([work.at.get(work.texts[note], 0.0) for note in notes])
            time[alone:] = chance.uniform(time[:alone].min(), time[:alone].max() + 1.0, len(notes) - alone)
            said = np.array([numbers[note] for note in notes])
            store = make_store(work, notes, time, np.arange(len(notes)) >= alone)
            answers = frozenset(at for at, note in enumerate(notes) if note in left)
            kind = work.kind.get(work.question_text(row), "none")
            found.append(Asked(row, work.question_text(row), store, said[:, 0], said[:, 1], said[:, 2], answers, kind))
    return found


def whole_samples(work: Work) -> list[Asked]:
    """Everyday questions as they come, each over the whole of its own store."""
    found = []
    for row, told in work.unseen.items():
        notes, said = list(told), np.array(list(told.values()))
        gold = set(work.answers[row].tolist()) if row < work.questions else set()
        time = np.array([work.at.get(work.texts[note], 0.0) for note in notes])
        answers = frozenset(at for at, note in enumerate(notes) if note in gold)
        text, store = work.question_text(row), make_store(work, notes, time, False)
        found.append(Asked(row, text, store, said[:, 0], said[:, 1], said[:, 2], answers, work.kind.get(text, "none")))
    return found


def other_samples(work: Work, chance: np.random.Generator) -> list[Asked]:
    """Questions about conversations, pages and code, over stores of 40 to 2,000 records."""
    everyday = {int(work.arrays["pool"][note]) for told in work.unseen.values() for note in told}
    by_pool = defaultdict(list)
    for note in work.vectors:
        if int(work.arrays["pool"][note]) not in everyday and work.arrays["fold"].size:
            by_pool[int(work.arrays["pool"][note])].append(note)
    sources = [str(name) for name in work.arrays["sources"]]
    found = []
    for row in work.asked:
        if row >= work.questions or row in work.unseen or sources[work.arrays["source"][row]] == "everyday":
            continue
        gold = set(work.answers[row].tolist()) & work.vectors.keys()
        if not gold:
            continue
        pool = int(work.arrays["pool"][next(iter(gold))])
        talk = sources[work.arrays["source"][row]] in ("spc", "asked", "told", "chat", "molweni")
        size = int(10 ** chance.uniform(1.6, 3.1))
        notes = sorted(by_pool[pool])
        if not talk and len(notes) > size:
            notes = sorted({*gold, *chance.choice(notes, size, replace=False).tolist()})
        others = [one for one in by_pool if one != pool]
        for other in chance.permutation(others):
            if len(notes) >= size:
                break
            notes += sorted(by_pool[int(other)])[: size - len(notes)]
        if chance.random() < 0.15:
            notes, gold = [note for note in notes if note not in gold], set()
        cosine, late = work.compare(row, notes)
        time = np.array(notes, float) if talk else chance.permutation(len(notes)).astype(float)
        store = make_store(work, notes, time, talk)
        answers = frozenset(at for at, note in enumerate(notes) if note in gold)
        none = np.full(len(notes), np.nan)
        found.append(Asked(row, work.question_text(row), store, cosine, late, none, answers, "other"))
    return found


def cripple(asked: Asked, chance: np.random.Generator) -> Asked:
    """Now and then a store has no vectors, or a model gives no wordpieces."""
    draw, none = chance.random(), np.full(len(asked.cosine), np.nan)
    if draw < 0.08:
        return replace(asked, cosine=none, late=none, deep=none)
    return replace(asked, late=none) if draw < 0.16 else asked


@dataclass
class Rows:
    """Features of all candidates of all questions in a row, which of them answer, and where each list ends."""

    features: np.ndarray
    right: np.ndarray
    ends: np.ndarray
    weight: np.ndarray

    @cached_property
    def mean(self) -> np.ndarray:
        return self.features.mean(0)

    @cached_property
    def scale(self) -> np.ndarray:
        return self.features.std(0) + 1e-3


def to_rows(samples: list[Asked], chance: np.random.Generator, reads: tuple[int, ...]) -> Rows:
    features, right, weight = [], [], []
    for one in samples:
        asked = cripple(one, chance)
        depth = int(chance.choice(reads)) if not np.isnan(asked.deep).all() else 0
        evidence, kept = gather(asked, depth)
        features.append(ranker.describe(evidence).astype(np.float32))
        right.append(np.isin(kept, list(asked.gold)))
        weight.append(0.5 if asked.kind == "other" else 1.0)
    ends = np.cumsum([0, *map(len, right)])
    return Rows(np.concatenate(features), np.concatenate(right), ends, np.array(weight, np.float32))


def read_missing(work: Work, samples: list[Asked], score: Score) -> list[Asked]:
    """The samples with what the reranker says of each question's best twenty, where nobody asked it yet."""
    wanted: dict[tuple[int, int], float] = {}
    for one in samples:
        evidence, kept = gather(one, 0)
        for at in np.argsort(-ranker.weigh_roughly(evidence.covered, evidence.words, evidence.near, evidence.late))[
            : max(READ)
        ]:
            if np.isnan(one.deep[kept[at]]):
                wanted[one.row, one.store.rows[kept[at]]] = np.nan
    pairs = np.array(sorted(wanted))
    asked, at_asked = np.unique(pairs[:, 0], return_inverse=True)
    told, at_told = np.unique(pairs[:, 1], return_inverse=True)
    questions, open_ones, passages = (Lists(work.arrays, name) for name in ("questions", "unanswered", "passages"))
    lists = [questions[row] if row < work.questions else open_ones[row - work.questions] for row in asked]
    said = score(
        Lists(pack_lists("x", lists, np.uint16), "x"),
        Lists(pack_lists("x", [passages[row] for row in told], np.uint16), "x"),
        at_asked,
        at_told,
    )
    wanted = {(int(q), int(p)): float(value) for (q, p), value in zip(pairs, said, strict=True)}
    filled = []
    for one in samples:
        deep = [
            value if not np.isnan(value) else wanted.get((one.row, row), np.nan)
            for row, value in zip(one.store.rows, one.deep, strict=True)
        ]
        filled.append(replace(one, deep=np.array(deep)))
    return filled


def fit(rows: Rows, seed: int, device: str) -> nn.Sequential:
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    values = torch.from_numpy(np.clip((rows.features - rows.mean) / rows.scale, -6, 6)).to(device)
    right = torch.from_numpy(rows.right.astype(np.float32)).to(device)
    weights = torch.from_numpy(rows.weight).to(device)
    net = build_net(len(rows.mean)).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    lists = len(rows.ends) - 1
    parts = -(-lists // BATCH)
    for epoch in range(EPOCHS):
        for number, batch in enumerate(np.array_split(chance.permutation(lists), parts)):
            step = epoch * parts + number
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1.0, (step + 1) / WARM) * (1 - step / (EPOCHS * parts))
            at = np.concatenate([np.arange(rows.ends[i], rows.ends[i + 1]) for i in batch])
            owner = torch.from_numpy(np.repeat(np.arange(len(batch)), np.diff(rows.ends)[batch])).to(device)
            score, target = net(values[at])[:, 0], right[at]
            loss = lose(score, target, owner, weights[torch.from_numpy(batch).to(device)])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return net.cpu()


def build_net(features: int) -> nn.Sequential:
    parts: list[nn.Module] = []
    for into, out in pairwise((features, *HIDDEN, 1)):
        parts += [nn.Linear(into, out), nn.ReLU()]
    net = nn.Sequential(*parts[:-1])
    with torch.no_grad():
        net[-1].bias.fill_(-3.0)  # most candidates are no answer
    return net


def lose(score: torch.Tensor, target: torch.Tensor, owner: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Every candidate by itself, and the answers against the others of their list."""
    count = len(weight)
    single = nn.functional.binary_cross_entropy_with_logits(score, target, reduction="none")
    none = torch.zeros(count, device=score.device)
    top = (none - 1e9).scatter_reduce(0, owner, score.detach(), "amax")
    share = (score - top[owner]).exp()
    total, hit = none.index_add(0, owner, share), none.index_add(0, owner, share * target)
    answered = none.index_add(0, owner, target) > 0
    ranked = -(hit.clamp_min(1e-9).log() - total.log()) * weight * answered
    return ((single * weight[owner]).sum() + LISTS * ranked.sum()) / count


def fit_lacking(fitted: ranker.Fitted, samples: list[Asked], chance: np.random.Generator) -> Lacking:
    """How likely those are that have no vector, where a share of everyday stores has none; in half nothing is read.

    Of each question the best of them count: by what the networks say, and by words.
    """
    told, right = [], []
    for at in chance.permutation(len(samples))[:MOST_LACKING]:
        evidence, kept = gather(samples[at], 5)
        lacks = chance.random(len(kept)) < chance.choice(MISSING)
        hidden = {"near": lacks, "late": lacks, "deep": np.full(len(kept), chance.random() < 0.5)}
        evidence = msgspec.structs.replace(
            evidence, **{name: np.where(some, np.nan, getattr(evidence, name)) for name, some in hidden.items()}
        )
        if not lacks.any() or ranker.is_blind(evidence):
            continue
        said = ranker.say(fitted, evidence)
        rows = np.flatnonzero(lacks)
        best = sorted({int(rows[signal[rows].argmax()]) for signal in (said, evidence.covered)})
        told.append(ranker.describe_lacking(evidence, said)[best])
        right.append(np.isin(kept[best], list(samples[at].gold)))
    return Lacking(*rounded(regress(np.concatenate(told), np.concatenate(right).astype(float))))


def fit_notes(fitted: ranker.Fitted, samples: list[Asked], least: int, read: int, any_share: float) -> Notes:
    """How likely the first hit of an everyday store is, by what the networks say of it, where so many are read.

    With `any_share`, the best of the reading and of the nearness are looked at too, and what they are worth is fitted
    to whether the first is right and, by that share, to whether any note answers. How likely the first is follows then.
    """
    told, right, answered = [], [], []
    for one in samples:
        evidence, kept = gather(one, read)
        said = ranker.put_newer_first(evidence, ranker.say(fitted, evidence))
        told.append((said.max(), *(np.nanmax(s) for s in (evidence.deep, evidence.near) if any_share), 1.0))
        right.append(kept[said.argmax()] in one.gold)
        answered.append(bool(one.gold))
    rows, hits = np.array(told), np.array(right, float)
    weights = regress(rows, (1.0 - any_share) * hits + any_share * np.array(answered, float))
    if not any_share:
        return Notes(least, *rounded(SURER * weights))
    slope, level = regress(np.stack([rows @ weights, np.ones(len(rows))], axis=1), hits)
    said, deep, near, added = rounded(SURER * (slope * weights + np.array([0.0, 0.0, 0.0, level])))
    return Notes(least, said, added, deep, near)


def fit_meaning(fitted: ranker.Fitted, everyday: Path) -> Meaning:
    """How likely notes are where vectors alone can tell, as the multilingual extra sees everyday stores."""
    embedder, told, right = MultilingualEmbedder(), [], []
    floor = calibrate(embedder).floor
    with gzip.open(everyday, "rt", encoding="utf-8") as file:
        stores = [json.loads(line) for line in file]
    for row in stores:
        texts, none = [note["text"] for note in row["notes"]], np.full(len(row["notes"]), np.nan)
        alone, vectors = np.full(len(texts), -1), embedder.embed(texts)
        store = Store(list(alone), texts, np.arange(len(texts), dtype=float), alone, 1 + alone, vectors)
        asked = embedder.embed([one["q"] for one in row["questions"]], query=True)
        for one, vector in zip(row["questions"], asked, strict=True):
            gold = frozenset(at for at, note in enumerate(row["notes"]) if note["id"] in one["gold"])
            cosine = ranker.to_usual(vectors @ vector, floor)
            evidence, kept = gather(Asked(0, one["q"], store, cosine, none, none, gold), 0)
            like = evidence.like and msgspec.structs.replace(
                evidence.like, cosine=ranker.to_usual(evidence.like.cosine, floor)
            )
            evidence = msgspec.structs.replace(evidence, like=like)
            if ranker.is_told_by_meaning(evidence):
                said = ranker.say(fitted, evidence)
                worth, lead, over = ranker.weigh_by_meaning(BY_MEANING, evidence.near, said)
                told.append((lead, over, 1.0))
                right.append(kept[worth.argmax()] in gold)
    return Meaning(BY_MEANING.said, BY_MEANING.near, *rounded(regress(np.array(told), np.array(right, float))))


def pack(nets: list[nn.Sequential], rows: Rows) -> Weights:
    networks = [
        [
            Layer(rounded(part.weight.detach().numpy().T * sharp), rounded(part.bias.detach().numpy() * sharp + added))
            for part, (sharp, added) in zip(parts, [(1.0, 0.0)] * (len(parts) - 1) + [(SHARPNESS, TRUST)], strict=True)
        ]
        for parts in ([part for part in net if isinstance(part, nn.Linear)] for net in nets)
    ]
    card = {
        "made by": "training/fit_ranker.py",
        "fitted on": f"{len(rows.ends) - 1} questions over cut stores, {len(rows.right)} candidates",
        "embedder": json.loads((MODEL_FOLDER / "manifest.json").read_text())["name"],
        "licence": "Apache-2.0",
    }
    return Weights(
        name=NAME, card=card, features=list(ranker.FEATURES), mean=rounded(rows.mean), scale=rounded(rows.scale),
        networks=networks, notes=[Notes(0, 1.0, 0.0)], meaning=BY_MEANING, woven=WOVEN,
        lacking=Lacking(1.0, 0.0, 0.0, 0.0, 0.0),
    )  # fmt: skip


def rounded(values: np.ndarray) -> list[float]:
    return np.round(values.astype(float), 5).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--everyday", type=Path, required=True)
    parser.add_argument("--reranker", type=Path, help="a .npz or an .onnx of it; not asked where networks are kept")
    parser.add_argument("--out", type=Path, default=ranker.WEIGHTS)
    parser.add_argument("--limit", type=int, default=1, help="take every N-th question only, for a trial")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--keep", action="store_true", help="keep the networks: fit only what stands beside them")
    parser.add_argument("--meaning", action="store_true", help="fit anew what vectors alone tell; needs the extra")
    args = parser.parse_args()
    if args.reranker is None and not args.keep:
        parser.error("--reranker is needed, unless the networks are kept")
    chance = np.random.default_rng(SEED)
    work = Work(args.work, args.everyday)
    if args.keep:
        found = msgspec.json.decode(ranker.WEIGHTS.read_bytes(), type=Weights)
    else:
        samples = [*everyday_samples(work, chance), *other_samples(work, chance)][:: args.limit]
        samples = read_missing(work, samples, open_reranker(args.reranker, args.device))
        rows = to_rows(samples, chance, READ)
        print(f"{len(samples)} questions, {len(rows.right)} candidates", flush=True)
        found = pack([fit(rows, seed, args.device) for seed in range(1, NETWORKS + 1)], rows)
    fitted, samples = ranker.unpack(found), whole_samples(work)[:: args.limit]
    notes = [fit_notes(fitted, samples, *given) for given in ((0, 0, 0.0), (1, 5, 0.0), (6, 20, ANY_SHARE))]
    lacking = fit_lacking(fitted, samples, chance)
    meaning = fit_meaning(fitted, args.everyday) if args.meaning else BY_MEANING
    save(msgspec.structs.replace(found, notes=notes, lacking=lacking, meaning=meaning), args.out)


if __name__ == "__main__":
    main()
