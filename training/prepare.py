"""Which questions and passages are trained on?

    python -m training.prepare --pairs FOLDER --sets FOLDER --out FOLDER [--limit N]

Reads passages.jsonl.gz (id, pool, text), questions.jsonl.gz (source, pool, q, pos) and everyday.jsonl.gz (small stores
of notes with questions, some of which nothing answers), and beside these notes.jsonl.gz, more such stores, which is in
this folder. Adds the questions that conversations themselves suggest
(`dialogue.py`), the same conversations told as chats with an assistant, long answers as an assistant's turns, and
Python's own library, function by function (`functions.py`). Drops sources whose licence does not let the weights be
Apache-2.0, and every row whose text stands in a measurement set (`check.py`). Writes data.npz (wordpieces, pools, which
passages answer), texts.jsonl.gz (every text that is left, for the check) and counts.json. `--limit` keeps every N-th
question only, for a trial.

Every question has a fold. Those of FOLDS are the everyday stores: each seed leaves one of them out, so that the ranker
can be fitted on what a model says of notes that it has not seen. A share of all other pools (HELD) is left out by all.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from recollect.embed.bundled import MODEL_FOLDER
from recollect.embed.wordpiece import WordPiece
from training import check, dialogue, functions, pack

SEED = 20
LEFT_OUT = ("squad-nqg", "qmsum", "policyqa")
"""Share-alike, or no licence was found in their repositories."""
KEPT_APART = ("la",)
"""Parts of the notes that no model is trained on: the ranker is refined on what they say of those."""
FOLDS, ALWAYS, HELD = 4, 254, 255  # as in mine.py, which needs torch
HELD_SHARE = 25
"""Of so many pools one is held out."""
WINDOW = 256
RULE_MADE_KEPT = 0.5
CHATS = 0.4
NOTES = Path(__file__).with_name("notes.jsonl.gz")
ANSWERS = {"medquad": 0.4, "pypi-readme": 0.3}
RECALLED = ("{}", "{}", "Remind me: {}", "What did you tell me about this: {}", "Earlier I asked you: {}")
TOLD = ("What did you say about {}?", "What did you recommend for {}?", "What was your advice on {}?", "{}")


@dataclass
class Pairs:
    """Passages with their pools, and questions with the passages that answer them."""

    texts: list[str] = field(default_factory=list)
    pools: list[int] = field(default_factory=list)
    questions: list[tuple[str, str, tuple[int, ...]]] = field(default_factory=list)
    unanswered: list[tuple[str, int]] = field(default_factory=list)
    """Questions that nothing in their pool answers."""

    def add_pool(self, texts: list[str]) -> list[int]:
        pool = self.pools[-1] + 1 if self.pools else 0
        first = len(self.texts)
        self.texts += texts
        self.pools += [pool] * len(texts)
        return list(range(first, len(self.texts)))

    def members(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for row, pool in enumerate(self.pools):
            found[pool].append(row)
        return found


def read_pairs(folder: Path, chance: random.Random) -> Pairs:
    """The given pairs; of the questions that rules made of single turns a part, for most of them are stiff."""
    pairs, row_of = Pairs(), {}
    by_pool = defaultdict(list)
    for row in check.read_rows(folder / "passages.jsonl.gz"):
        by_pool[row["pool"]].append(row)
    for rows in by_pool.values():
        row_of |= zip((row["id"] for row in rows), pairs.add_pool([str(row["text"]) for row in rows]), strict=True)
    for row in check.read_rows(folder / "questions.jsonl.gz"):
        kept = row["source"] != "spc" or chance.random() < RULE_MADE_KEPT
        if kept and row["source"] not in LEFT_OUT:
            pairs.questions.append((str(row["source"]), str(row["q"]), tuple(row_of[one] for one in row["pos"])))
    return pairs


def add_everyday(pairs: Pairs, path: Path, words: WordPiece) -> None:
    """Small stores of notes, each a pool. Texts in a script that the model cannot read are left out."""

    def readable(text: object) -> bool:
        return words.encode(str(text), WINDOW).readable

    for store in check.read_rows(path):
        if store["part"] in KEPT_APART:
            continue
        notes = [note for note in store["notes"] if readable(note["text"])]
        row_of = dict(
            zip((note["id"] for note in notes), pairs.add_pool([str(note["text"]) for note in notes]), strict=True)
        )
        for asked in filter(lambda one: readable(one["q"]), store["questions"] if notes else ()):
            rows = tuple(row_of[one] for one in asked["gold"] if one in row_of)
            if rows:
                pairs.questions.append(("everyday", str(asked["q"]), rows))
            elif not asked["gold"]:
                pairs.unanswered.append((str(asked["q"]), pairs.pools[-1]))


def add_asked(pairs: Pairs, pools: list[list[int]]) -> None:
    """What conversations ask and tell by themselves; a question asked twice in a pool has both answers."""
    for rows in pools:
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        before = None
        for row in rows:
            turn = dialogue.parse_turn(row, pairs.texts[row])
            if turn is not None:
                asked = dialogue.ask_again(before, turn) if before is not None else None
                if asked is not None:
                    found["asked", asked].append(row)
                for question in dialogue.ask_about(turn):
                    found["told", question].append(row)
            before = turn
        pairs.questions += [(source, question, tuple(rows)) for (source, question), rows in found.items()]


def add_chats(pairs: Pairs, pools: list[list[int]], chance: random.Random) -> None:
    """Some conversations again, as a user's with an assistant, asked about in the first person."""
    about: dict[int, list[tuple[str, str, tuple[int, ...]]]] = defaultdict(list)
    for asked in pairs.questions:
        about[pairs.pools[asked[2][0]]].append(asked)
    for rows in pools:
        turns = [dialogue.parse_turn(row, pairs.texts[row]) for row in rows]
        names = Counter(turn.speaker for turn in turns if turn)
        if len(names) != 2 or chance.random() > CHATS:
            continue
        user = chance.choice(sorted(names))
        dates = [dialogue.make_date(chance) for _ in range(len(rows) // 12 + 1)]
        texts = [dialogue.tell_as_chat(pairs.texts[row], user, dates[at // 12]) for at, row in enumerate(rows)]
        copies = dict(zip(rows, pairs.add_pool(texts), strict=True))
        for _, question, answers in about[pairs.pools[rows[0]]]:
            first = dialogue.ask_as_user(question, user)
            if first is not None:
                pairs.questions.append(("chat", first, tuple(copies[row] for row in answers)))


def add_answers(pairs: Pairs, chance: random.Random) -> None:
    """Long passages as an assistant's answers, asked for as one asks for what was said before."""
    for source, share in ANSWERS.items():
        asked = [one for one in pairs.questions if one[0] == source and chance.random() < share]
        rows = sorted({row for _, _, answers in asked for row in answers})
        copies = dict(zip(rows, pairs.add_pool([f"assistant: {pairs.texts[row]}" for row in rows]), strict=True))
        for _, question, answers in asked:
            form = chance.choice(RECALLED if question.rstrip().endswith("?") else TOLD)
            pairs.questions.append(("answers", form.format(question), tuple(copies[row] for row in answers)))


def add_functions(pairs: Pairs, chance: random.Random) -> None:
    """Functions of Python's library; every second one without the words that describe it."""
    found = list(functions.read_library())
    shown = [functions.show(one, described=chance.random() < 0.5) for one in found]
    for one, row in zip(found, pairs.add_pool(shown), strict=True):
        pairs.questions.append(("python", functions.ask(one, chance), (row,)))


def drop_measured(pairs: Pairs, sets: Path) -> Counter[str]:
    """Takes out every passage and question whose text stands in a measurement set."""
    measured = check.hash_sets(sets)
    gone = {row for row, text in enumerate(pairs.texts) if check.hash_forms(text) & measured}
    dropped: Counter[str] = Counter(passages=len(gone))
    kept = []
    for source, question, answers in pairs.questions:
        left = tuple(row for row in answers if row not in gone)
        if not left or check.hash_forms(question) & measured:
            dropped[f"questions of {source}"] += 1
        else:
            kept.append((source, question, left))
    pairs.unanswered[:] = [one for one in pairs.unanswered if not check.hash_forms(one[0]) & measured]
    where = {row: at for at, row in enumerate(row for row in range(len(pairs.texts)) if row not in gone)}
    pairs.texts[:] = [pairs.texts[row] for row in where]
    pairs.pools[:] = [pairs.pools[row] for row in where]
    pairs.questions[:] = [(source, question, tuple(where[row] for row in rows)) for source, question, rows in kept]
    return dropped


def read_words() -> WordPiece:
    return WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1])


def write(pairs: Pairs, words: WordPiece, out: Path, dropped: Counter[str]) -> None:
    sources = sorted({source for source, _, _ in pairs.questions})
    arrays = pack.pack_lists("passages", (words.encode(text, WINDOW).ids for text in pairs.texts), np.uint16)
    arrays |= pack.pack_lists("questions", (words.encode(q, 64).ids for _, q, _ in pairs.questions), np.uint16)
    arrays |= pack.pack_lists("answers", (rows for _, _, rows in pairs.questions), np.int32)
    arrays |= pack.pack_lists("unanswered", (words.encode(q, 64).ids for q, _ in pairs.unanswered), np.uint16)
    arrays["unanswered_pool"] = np.array([pool for _, pool in pairs.unanswered], np.int32)
    stores = sorted({pairs.pools[rows[0]] for source, _, rows in pairs.questions if source == "everyday"})
    fold_of = {pool: at % FOLDS for at, pool in enumerate(stores)}
    pools = [pairs.pools[rows[0]] for _, _, rows in pairs.questions]
    folds = [fold_of.get(pool, HELD if pool % HELD_SHARE == 0 else ALWAYS) for pool in pools]
    arrays["fold"] = np.array(folds, np.uint8)
    arrays["unanswered_fold"] = np.array([fold_of.get(pool, HELD) for _, pool in pairs.unanswered], np.uint8)
    arrays["pool"] = np.array(pairs.pools, np.int32)
    arrays["source"] = np.array([sources.index(source) for source, _, _ in pairs.questions], np.uint8)
    arrays["sources"] = np.array(sources)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "data.npz", **arrays)
    with gzip.open(out / "texts.jsonl.gz", "wt", encoding="utf-8") as file:
        asked = [*(question for _, question, _ in pairs.questions), *(question for question, _ in pairs.unanswered)]
        for text in [*pairs.texts, *asked]:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    by_source = Counter(source for source, _, _ in pairs.questions)
    counts = {
        "passages": len(pairs.texts),
        "questions": dict(by_source.most_common()),
        "unanswered": len(pairs.unanswered),
        "dropped as measured": dict(dropped),
    }
    (out / "counts.json").write_text(json.dumps(counts, indent=2) + "\n", "utf-8")
    print(json.dumps(counts, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="passages, questions and everyday (.jsonl.gz)")
    parser.add_argument("--sets", type=Path, required=True, help="the measurement sets, of which nothing is trained on")
    parser.add_argument("--limit", type=int, default=1, help="keep every N-th question only")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    chance = random.Random(SEED)
    words = read_words()
    pairs = read_pairs(args.pairs, chance)
    talked = {pairs.pools[rows[0]] for source, _, rows in pairs.questions if source == "spc"}
    members = pairs.members()
    pools = [members[pool] for pool in sorted(talked)]
    add_asked(pairs, pools)
    add_chats(pairs, pools, chance)
    add_answers(pairs, chance)
    add_functions(pairs, chance)
    for path in (args.pairs / "everyday.jsonl.gz", NOTES):
        add_everyday(pairs, path, words)
    dropped = drop_measured(pairs, args.sets)
    pairs.questions[:] = pairs.questions[:: args.limit]
    write(pairs, words, args.out, dropped)


if __name__ == "__main__":
    main()
