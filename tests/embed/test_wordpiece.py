"""Our tokenizer against the reference implementation, built from the same vocabulary."""

from __future__ import annotations

import random
import sys
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as ReferenceWordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from recollect.embed.bundled import MODEL_FOLDER
from recollect.embed.wordpiece import CACHED_WORDS, WordPiece

VOCABULARY = (MODEL_FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:-1]
WHOLE = 1_000_000


def is_settled(char: str) -> bool:
    """Characters that every version of Unicode in use agrees on, the reference's old tables included."""
    return unicodedata.ucd_3_2_0.category(char) not in ("Cn", "Cs") and unicodedata.ucd_3_2_0.category(
        char
    ) == unicodedata.category(char)


SETTLED = [char for char in map(chr, range(sys.maxunicode)) if is_settled(char)]


def build_reference() -> Tokenizer:
    pieces = {piece: i for i, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(ReferenceWordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


OURS = WordPiece(VOCABULARY)
REFERENCE = build_reference()


def test_every_settled_character_is_cut_as_the_reference_cuts_it() -> None:
    texts = [f"a{char}b" for char in SETTLED if unicodedata.category(char) != "Co"]
    expected = [encoding.ids for encoding in REFERENCE.encode_batch(texts)]
    got = [OURS.encode(text, WHOLE).ids[1:-1] for text in texts]
    assert [t for t, e, g in zip(texts, expected, got, strict=True) if e != g] == []


def test_thousands_of_shuffled_words_are_cut_as_the_reference_cuts_them() -> None:
    dice = random.Random(7)
    glue = [" ", " ", " ", "", "-", ".", "\n", "\t", "_", "́", "​", "漢", "é", "İ", "Σ", "😀", "\x00"]
    texts = [
        "".join(
            dice.choice([str.upper, str.title, str])(dice.choice(VOCABULARY).removeprefix("##")) + dice.choice(glue)
            for _ in range(dice.randint(1, 40))
        )
        for _ in range(4000)
    ]
    expected = [encoding.ids for encoding in REFERENCE.encode_batch(texts)]
    assert [OURS.encode(text, WHOLE).ids[1:-1] for text in texts] == expected


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from(SETTLED), max_size=120))
def test_any_text_is_cut_as_the_reference_cuts_it(text: str) -> None:
    assert OURS.encode(text, WHOLE).ids[1:-1] == REFERENCE.encode(text).ids


def test_a_word_of_more_than_a_hundred_characters_is_unknown() -> None:
    unknown = VOCABULARY.index("[UNK]")
    assert OURS.encode("a" * 100, WHOLE).ids[1] != unknown
    assert OURS.encode("a" * 101, WHOLE).ids[1:-1] == [unknown]


def test_a_long_text_is_cut_to_the_window_between_its_end_marks() -> None:
    ids = OURS.encode("internationalisation " * 500, 256).ids
    assert (len(ids), VOCABULARY[ids[0]], VOCABULARY[ids[-1]]) == (256, "[CLS]", "[SEP]")


def test_names_of_special_tokens_are_plain_text() -> None:
    pieces = [VOCABULARY[i] for i in OURS.encode("[SEP]", WHOLE).ids]
    assert pieces == ["[CLS]", "[", "sep", "]", "[SEP]"]


def test_more_words_than_are_remembered_are_still_cut_the_same_way() -> None:
    before = OURS.encode("an ordinary sentence", WHOLE)
    for start in range(0, CACHED_WORDS + 1000, 1000):
        OURS.encode(" ".join(f"w{n}" for n in range(start, start + 1000)), WHOLE)
    assert OURS.encode("an ordinary sentence", WHOLE) == before


def test_lone_surrogates_are_dropped() -> None:
    assert OURS.encode("a\ud800b", WHOLE) == OURS.encode("ab", WHOLE)


def test_of_a_long_text_that_is_half_read_no_vector_is_made() -> None:
    half = "house дом "
    assert OURS.encode(half * 5, 256).readable
    assert not OURS.encode(half * 40, 256).readable
