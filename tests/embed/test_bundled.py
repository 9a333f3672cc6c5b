"""The model that ships inside the package, as it is."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from recollect.embed import bundled, files
from recollect.embed.base import Embedder
from recollect.embed.bundled import MODEL_FOLDER, BundledEmbedder
from recollect.errors import EmbedderError

READABLE = [
    "The quick brown fox jumps over the lazy dog.",
    "Great job 🎉🎉🎉 see you tomorrow 👋",
    "def parse(x: int) -> str:\n    return f'{x!r}'",
    "https://example.org/a/b?c=1&d=%20#frag",
    "deadbeef01 9f86d081884c7d659a2feaa0c55ad015",
    "550e8400-e29b-41d4-a716-446655440000",
    "2024-05-08 13:56",
    "Die Straße war überschwemmt, und die Brücke gesperrt.",
    "L'été dernier, nous avons mangé des crêpes à Orléans.",
    "El niño desayunó con su tía en la montaña.",
    "She said 你好 to everyone at the meeting.",
]
UNREADABLE = [
    "Час їхати додому, бо вже темніє",
    "今天天气很好，我们去公园散步吧。",
    "明日は東京へ行きます。",
    "カタカナとひらがな",
    "오늘은 날씨가 좋습니다.",
    "วันนี้อากาศดีมาก",
    "الطقس جميل اليوم",
    "आज मौसम अच्छा है",
    "Ο καιρός είναι καλός σήμερα",
    "מזג האוויר נעים היום",
    "Сэрвэр nginx ўпаў, журналы пустыя",
    "👍👍👍",
    "",
    " \n\t\x00",
]


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


def test_it_is_an_embedder_of_384_unit_numbers(embedder: BundledEmbedder) -> None:
    seam: Embedder = embedder
    vectors = seam.embed(["one", "two words"])
    assert (seam.dim, vectors.shape, vectors.dtype) == (384, (2, 384), np.dtype(np.float32))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert seam.embed([]).shape == (0, 384)


@pytest.mark.parametrize("text", READABLE)
def test_text_in_latin_letters_has_a_vector_whatever_stands_in_it(embedder: BundledEmbedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed([text])[0]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", UNREADABLE)
def test_text_that_the_vocabulary_cannot_read_is_a_row_of_zeros(embedder: BundledEmbedder, text: str) -> None:
    assert not embedder.embed([text]).any()


def test_meaning_decides_what_is_near(embedder: BundledEmbedder) -> None:
    vectors = embedder.embed(
        ["Where can I charge my electric car?", "The nearest EV station is in Elm Street.", "I like jazz."]
    )
    assert vectors[0] @ vectors[1] > 0.4 > 0.2 > vectors[0] @ vectors[2]


def test_a_vector_does_not_depend_on_its_neighbours_or_on_threads(embedder: BundledEmbedder) -> None:
    texts = [*READABLE, *UNREADABLE, "word " * 400]
    alone = np.stack([embedder.embed([text])[0] for text in texts])
    assert np.array_equal(embedder.embed(texts), alone)
    assert np.array_equal(BundledEmbedder(threads=1).embed(texts[::-1])[::-1], alone)


def test_threads_that_meet_at_the_first_text_get_the_same_vectors() -> None:
    fresh = BundledEmbedder()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: fresh.embed(["at the same time"]), range(8)))
    assert all(np.array_equal(answer, answers[0]) for answer in answers)


def test_words_beyond_the_window_are_not_seen(embedder: BundledEmbedder) -> None:
    short, long = embedder.embed(["cat " * 254, "cat " * 254 + "dog " * 50])
    assert np.array_equal(short, long)


def test_every_wordpiece_has_a_small_vector_of_length_one(embedder: BundledEmbedder) -> None:
    vectors, [tokens, none] = embedder.embed_tokens(["several small vectors", "数据库"])
    assert np.array_equal(vectors, embedder.embed(["several small vectors", "数据库"]))
    assert (tokens.shape, none.shape) == ((5, embedder.token_dim), (0, embedder.token_dim))
    assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-4)


def test_the_wordpieces_of_a_question_are_as_long_as_they_count(embedder: BundledEmbedder) -> None:
    _, [tokens] = embedder.embed_tokens(["where is the lighthouse?"], query=True)
    lengths = np.linalg.norm(tokens, axis=1)
    assert lengths.sum() == pytest.approx(1, abs=1e-4)
    assert lengths[4] > lengths[3]  # "lighthouse" counts for more than "the"


@pytest.mark.parametrize("file", ["model.onnx", "words.int8", "vocab.txt"])
def test_a_damaged_file_is_named_and_not_used(tmp_path: Path, file: str) -> None:
    shutil.copytree(MODEL_FOLDER, tmp_path, dirs_exist_ok=True)
    with (tmp_path / file).open("r+b") as damaged:
        damaged.seek(100)
        damaged.write(b"\x00!")
    with pytest.raises(EmbedderError, match=f"{file} is damaged"):
        BundledEmbedder(folder=tmp_path).embed(["text"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="manifest cannot be read"):
        BundledEmbedder(folder=tmp_path)
    shutil.copy(MODEL_FOLDER / "manifest.json", tmp_path)
    with pytest.raises(EmbedderError, match=r"model\.onnx cannot be read"):
        BundledEmbedder(folder=tmp_path).embed(["text"])


def test_models_that_read_one_vocabulary_share_it_and_each_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    digest = files._digest

    def note(number: int) -> str:
        read.append(number)
        return digest(number)

    for name in ("_MODELS", "_VOCABULARIES"):
        monkeypatch.setattr(bundled, name, {})
    monkeypatch.setattr(files, "_HASHES", {})
    monkeypatch.setattr(files, "_digest", note)
    manifests = [files.read_manifest(MODEL_FOLDER / name) for name in (files.EMBEDDER, files.RERANKER)]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda one: bundled.load_model(MODEL_FOLDER, one), manifests)
    assert first.tokenizer is second.tokenizer
    assert first.session is not second.session
    assert len(read) == 4  # two graphs, a table of words, a vocabulary


def test_a_file_that_is_damaged_after_it_was_read_is_not_taken_for_sound(tmp_path: Path) -> None:
    shutil.copytree(MODEL_FOLDER, tmp_path, dirs_exist_ok=True)
    digest = files.read_manifest(tmp_path / files.EMBEDDER).sha256[files.WORDS]
    files.read_ahead(files.EMBEDDER, tmp_path)
    for damage in (b"[PAD]", b""):
        (tmp_path / files.WORDS).write_bytes(damage)
        with pytest.raises(EmbedderError, match=r"vocab\.txt is damaged"):
            files.check_file(tmp_path / files.WORDS, digest)


def test_nothing_is_told_of_files_that_are_read_ahead_and_are_not_there(tmp_path: Path) -> None:
    files.read_ahead(files.RERANKER, tmp_path)
    shutil.copy(MODEL_FOLDER / files.RERANKER, tmp_path)
    files.read_ahead(files.RERANKER, tmp_path)


@pytest.mark.parametrize("file", ["model.onnx", "reranker.onnx"])
def test_a_shipped_graph_is_joined_already(file: str) -> None:
    """`python -m training.fuse` does it: else every process would."""
    assert b"DynamicQuantizeMatMul" in (MODEL_FOLDER / file).read_bytes()
