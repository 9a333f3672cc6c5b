"""A summary made of the texts' own sentences: within its words, in order, and without saying anything twice."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.retrieve import summarize as s
from recollect.store.terms import query_terms

FIRST = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
WORDS = st.sampled_from(
    "gateway token Mira deploy Tuesday disk 200 alert billing tea rotates writes 会议 the of".split()
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=60).map(lambda words: " ".join(words).capitalize() + ".")
TEXTS = st.lists(st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=8)


def extract(texts: list[str], max_words: int, *, dated: bool = True) -> str:
    sentences = s.split_sentences(texts)
    counted = [Counter(query_terms(sentence.text)) for sentence in sentences]
    dates = [FIRST + timedelta(days=i) for i in range(len(texts))] if dated else None
    days = None if dates is None else [date.date().isoformat() for date in dates]
    weights, likeness = s.weigh_sentences(sentences, counted), s.liken(counted, None)
    return s.lay_out(
        sentences, s.choose_sentences(sentences, weights, likeness, max_words, days=days), dates, max_words
    )


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(1, 120), st.booleans())
def test_a_summary_keeps_to_its_words_and_is_the_same_each_time(texts: list[str], max_words: int, dated: bool) -> None:
    summary = extract(texts, max_words, dated=dated)
    assert summary.strip()
    assert len(summary.split()) <= s.count_words(summary) <= max_words
    assert extract(texts, max_words, dated=dated) == summary


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.integers(20, 120))
def test_days_stand_in_order_and_every_sentence_is_one_of_the_texts(texts: list[str], max_words: int) -> None:
    lines = extract(texts, max_words).splitlines()
    days = [line.partition(": ")[0] for line in lines]
    assert days == sorted(set(days))
    for day, line in zip(days, lines, strict=True):
        number = (datetime.fromisoformat(day).date() - FIRST.date()).days
        said = line.partition(": ")[2].rstrip("…")
        known = [sentence.text for sentence in s.split_sentences([texts[number]])]
        for sentence in known:
            said = said.replace(sentence, "", 1)
        assert not said.strip() or any(sentence.startswith(said.strip()) for sentence in known)


def test_what_is_said_many_times_is_said_once() -> None:
    texts = [f"The gateway validates tokens with RS256. Note number {n} is about {topic}."
             for n, topic in enumerate(["billing disks", "tea time", "the roof", "train rides"])]  # fmt: skip
    summary = extract(texts, 40)
    assert summary.count("RS256") == 1
    assert sum(topic in summary for topic in ("billing", "tea", "roof", "train")) >= 3


def test_a_summary_covers_the_topics_rather_than_the_longest_text() -> None:
    long = " ".join(f"The migration of table number {n} to the new cluster went well." for n in range(20))
    texts = [long, "Mira was hired as the new head of design.", "The Berlin office closes in June 2026."]
    summary = extract(texts, 45)
    assert "Mira" in summary
    assert "Berlin" in summary
    assert "cluster" in summary


def test_small_talk_gives_way_to_names_and_numbers() -> None:
    texts = ["Hey! How are you doing today?", "Jon added 200 GB to the billing database on Friday.", "That is so nice!"]
    assert extract(texts, 12, dated=False) == "Jon added 200 GB to the billing database on Friday."


def test_scripts_without_spaces_are_summarised_too() -> None:
    texts = [
        "你好！最近怎么样？",
        "乔恩星期五给计费数据库，也就是账单系统所用的那一个，增加了200GB磁盘空间，并且设置了警报。",
        "太好了！",
    ]
    summary = extract(texts, 70)
    assert "200GB" in summary
    assert "怎么样" not in summary


def test_prose_goes_before_code_and_addresses() -> None:
    code = "user_id = db.Column(db.Integer, db.ForeignKey('user.id'), nullable=False)\npip install flask==2.3.1 jinja2"
    link = '<script src="https://cdn.example.com/npm/core@2.11.6/core.min.js"></script>'
    text = f"{code}\n{link}\n**Mira** decided to store the users of the shop in one table."
    assert extract([text], 14, dated=False) == "Mira decided to store the users of the shop in one table."


def test_everything_is_kept_where_it_fits() -> None:
    texts = ["One thing happened.", "Then Ada called Bo.", "The roof leaks."]
    assert extract(texts, 200) == (
        "2026-03-01: One thing happened.\n2026-03-02: Then Ada called Bo.\n2026-03-03: The roof leaks."
    )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Who met J. Smith. They left.", ["Dr. Who met J. Smith.", "They left."]),
        ("# Title\n- one item\n2. second item", ["Title", "one item", "second item"]),
        ("会议在周五。请带上报告！", ["会议在周五。", "请带上报告！"]),
        ("Version 2.4.1 is out! Is it good?", ["Version 2.4.1 is out!", "Is it good?"]),
        ("Before.\n```py\nx = 1\n```\nAfter.", ["Before.", "After."]),
        ("```\nonly code\n```", ["only code"]),
        ("--- ***", []),
    ],
)
def test_texts_fall_apart_into_sentences(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in s.split_sentences([text])] == sentences


def test_a_sentence_without_end_is_cut() -> None:
    assert max(sentence.words for sentence in s.split_sentences(["word " * 500, "字" * 500])) <= 48


def test_nothing_fits_but_the_beginning_of_a_sentence() -> None:
    assert extract(["The gateway validates tokens with RS256."], 4) == "2026-03-01: The gateway validates…"
    assert extract(["The gateway validates tokens with RS256."], 2) == "The gateway…"
    assert s.count_words(extract(["会议在周五下午三点开始"], 5)) <= 5


def test_vectors_keep_two_ways_of_saying_one_thing_apart_from_others() -> None:
    sentences = s.split_sentences(["Cats nap.", "Felines sleep.", "Rockets launch."])
    counted = [Counter(query_terms(sentence.text)) for sentence in sentences]
    vectors = np.array([[1, 0], [0.99, 0.14], [0, 1]], np.float32)
    weights = s.weigh_sentences(sentences, counted)
    two = s.choose_sentences(sentences, weights, s.liken(counted, vectors), 4)
    assert 2 in two


def test_of_many_sentences_every_text_keeps_its_best() -> None:
    sentences = s.split_sentences([" ".join(f"Alpha{n} beta{n} gamma{n}." for n in range(50)), "Tea."])
    counted = [Counter(query_terms(sentence.text)) for sentence in sentences]
    kept = s.shortlist(sentences, s.weigh_sentences(sentences, counted), 10)
    assert len(kept) == 10
    assert kept == sorted(kept)
    assert sentences[kept[-1]].text == "Tea."


@pytest.mark.parametrize(
    ("text", "words", "kept"),
    [
        ("One two. Three four. Five six.", 4, "One two. Three four."),
        ("One two. Three four.", 10, "One two. Three four."),
        ("one two three four", 2, "one two…"),
        ("First line\nsecond line here", 3, "First line"),
        ("会议在周五。请带上报告。", 6, "会议在周五。"),
        ("数据库 Postgres 在 server 上 now", 7, "数据库 Postgres 在 server 上…"),
        ("회의는 매주 화요일 열 시에", 8, "회의는 매주 화요일…"),
    ],
)
def test_what_a_model_writes_is_cut_after_a_sentence(text: str, words: int, kept: str) -> None:
    assert s.fit_words(text, words) == kept
    assert re.sub("…$", "", kept) in text
