"""Wordpieces in the default recall, and the deep one: what is kept, what is read, and when a model is loaded."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory, Settings
from recollect.embed.bundled import STOCK, BundledEmbedder

pytestmark = pytest.mark.hurried

TURNS = [
    "Nina: We moved the queue to Postgres since Kafka was too much to run.",
    "Omar: Kafka, the writer, was born in Prague.",
    "Nina: The cat sleeps on the warm printer.",
    "Omar: I run every morning before work.",
]
QUESTION = "Why did we stop using Kafka?"


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path) as memory:
        memory.remember_many([{"text": text, "session": "s1"} for text in TURNS])
        memory.embed_waiting()
        yield memory


def test_a_deep_recall_reads_the_best_and_says_so(talk: Memory) -> None:
    answer = talk.recall(QUESTION, deep=True)
    assert answer[0].record.text == TURNS[0]
    assert answer.signals.reranker == "recollect-reranker-5-int8"
    assert [hit.why.deep is not None for hit in answer] == [True] * len(answer)
    assert [hit.score for hit in answer] == sorted((hit.score for hit in answer), reverse=True)


def test_the_default_recall_compares_wordpieces_and_reads_the_best_few_of_a_small_store(talk: Memory) -> None:
    answer = talk.recall(QUESTION)
    assert (answer[0].record.text, answer.signals.reranker) == (TURNS[0], "recollect-reranker-5-int8")
    best = answer[0].why
    assert best.tokens is not None
    assert best.tokens > 0.5
    assert sum(hit.why.deep is not None for hit in answer) <= 5


def test_the_default_recall_reads_nothing_in_a_large_store_nor_what_is_long(talk: Memory) -> None:
    talk.remember_many([{"text": f"Item {number} lies in hall {number % 7}."} for number in range(1_000)])
    assert talk.recall(QUESTION).signals.reranker is None
    for number in range(3):
        talk.remember(f"Chapter {number}. " + "The pier was long and the night was cold. " * 100, space="book")
    assert talk.recall("How was the night?", space="book").signals.reranker is None


def test_of_code_what_the_best_few_say_of_themselves_is_read_in_a_store_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # a busy machine reads as many
    monkeypatch.setattr("recollect.engine.embedding.semantics._WHOLE", 600.0)
    monkeypatch.setattr("recollect.engine.read.deep.SMALL", 1)
    parts = [f'def part_{n}(x):\n    """Lay brick {n} of the wall."""\n' + "    x += 1\n" * 400 for n in range(13)]
    price = 'def price(article):\n    """What an article costs, with tax."""\n    return article.net * 1.07\n'
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "till.py").write_text(price + "\n\n" + "\n\n".join(parts), "utf-8")
    with recollect.open(tmp_path / "home") as memory:
        memory.index_project(tmp_path / "shop")
        memory.embed_waiting()
        found = memory.search_code("how much is charged for a product?", limit=20)
    assert (found.signals.read, found[0].record.title) == (12, "price")


def test_reading_ends_when_its_time_is_over_and_the_answer_is_that_of_the_rest(talk: Memory) -> None:
    talk.remember_many([{"text": f"Item {number} lies in hall {number % 7}."} for number in range(1_000)])
    talk.embed_waiting()
    late = talk.recall(QUESTION, deep=True, deep_within=0.0)
    assert (late[0].record.text, late.signals.reranker) == (TURNS[0], None)
    assert [hit.why.deep for hit in late] == [None] * len(late)
    in_time, unhurried = (talk.recall(QUESTION, deep=True, deep_within=seconds) for seconds in (600.0, None))
    assert [(hit.record.id, hit.why) for hit in in_time] == [(hit.record.id, hit.why) for hit in unhurried]
    assert in_time[0].why.deep is not None
    assert in_time.signals.read > 5


def test_a_deep_recall_without_time_reads_as_much_as_a_plain_one(talk: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.engine.read.recall.FEW_SECONDS", 600.0)  # a busy machine reads as many
    monkeypatch.setattr("recollect.engine.embedding.semantics._WHOLE", 600.0)
    for question in (QUESTION, "who likes sport?", "what does the animal do?"):
        plain, late = talk.recall(question), talk.recall(question, deep=True, deep_within=0.0)
        assert [(hit.record.id, hit.why.deep) for hit in late] == [(hit.record.id, hit.why.deep) for hit in plain]


def test_deep_goes_by_words_where_the_model_cannot_read_the_question(tmp_path: Path) -> None:
    with recollect.open(tmp_path) as memory:
        memory.remember("数据库在星期五备份。")
        answer = memory.recall("什么时候备份数据库", deep=True)
        assert (len(answer), answer.signals.reranker, answer[0].why.tokens) == (1, None, None)


def test_deep_without_an_embedder_is_a_plain_recall(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.remember(TURNS[0])
        answer = memory.recall("Kafka", deep=True)
        assert (len(answer), answer.signals.reranker) == (1, None)


def test_a_long_record_is_read_where_it_answers(tmp_path: Path) -> None:
    with recollect.open(tmp_path) as memory:
        filler = "The weekly report lists numbers of visitors and tickets. " * 60
        long = memory.remember(f"{filler}\n\nThe vault code is kept by Ms Ito in room 12.\n\n{filler}")
        memory.remember("The vault of the church was painted in 1512.")
        memory.embed_waiting()
        assert memory.recall("Who keeps the code of the vault?", deep=True)[0].record.id == long.id


def test_wordpieces_go_with_the_record_and_come_back_with_a_reindex(talk: Memory, tmp_path: Path) -> None:
    talk.embed_waiting()
    gone = talk.recall(QUESTION)[0].record
    talk.revise(gone.id, tags=["queue"])  # a version with the same text keeps them
    before = talk.recall(QUESTION)[0].why.tokens
    talk.reindex()
    talk.embed_waiting()
    assert talk.recall(QUESTION)[0].why.tokens == before
    talk.forget(gone.id)
    with sqlite3.connect(tmp_path / "recollect.db") as connection:
        assert connection.execute("SELECT count(*) FROM tokens").fetchone() == (3,)
        orphans = "SELECT count(*) FROM tokens WHERE vector NOT IN (SELECT vector FROM signs)"
        assert connection.execute(orphans).fetchone() == (0,)


def test_a_store_of_the_stock_model_answers_while_it_moves_to_ours(tmp_path: Path) -> None:
    texts = [f"Item {number} of the list is stored in hall {number % 7}." for number in range(270)]
    old = Settings(home=tmp_path, embed_delay=3600)
    with recollect.open(settings=old, embedder=BundledEmbedder(stands_for=STOCK)) as memory:
        memory.remember_many([{"text": text} for text in [*texts, *TURNS]])
        memory.embed_waiting()
    with recollect.open(settings=old) as memory:
        meanwhile = memory.recall(QUESTION)
        assert (meanwhile[0].record.text, meanwhile.signals.embedder) == (TURNS[0], STOCK)
        memory.embed_waiting()
        after = memory.recall(QUESTION)
        assert (after[0].record.text, after.signals.embedder) == (TURNS[0], "recollect-minilm-5-int8")


def test_a_plain_recall_does_not_load_what_a_deep_one_needs(tmp_path: Path) -> None:
    program = (
        "import sys, recollect\n"
        "with recollect.open(sys.argv[1]) as memory:\n"
        "    memory.remember('a thing'); memory.recall('thing')\n"
        "    print('recollect.embed.rerank' in sys.modules)\n"
        "    memory.remember('another thing'); memory.recall('thing', deep=True)\n"
        "    print('recollect.embed.rerank' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
