"""Does the check find a measured text among the training texts, however it is written?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from training.check import find_leaks, hash_sets


@pytest.fixture
def measured(tmp_path: Path) -> set[bytes]:
    folder = tmp_path / "talks"
    folder.mkdir()
    turn = {"cid": "1", "id": "a", "text": "Dana: I sold the red canoe in March. It was too heavy for me."}
    asked = {"qid": "1", "cid": "1", "query": "When did Dana sell the canoe?", "gold": {"a": 1}}
    (folder / "corpus.jsonl").write_text(json.dumps(turn) + "\n", "utf-8")
    (folder / "queries.jsonl").write_text(json.dumps(asked) + "\n", "utf-8")
    return hash_sets(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "Dana: I sold the red canoe in March. It was too heavy for me.",
        "I sold the red canoe in march . it was too heavy for me .",
        "Omar: It was too heavy for me!",
        "[May 3, 2024] user: I sold the red canoe in March.",
        "when did  Dana sell the canoe",
    ],
)
def test_a_measured_text_is_found_whatever_its_case_spacing_and_speaker(measured: set[bytes], text: str) -> None:
    assert find_leaks([text], measured) == [text]


def test_other_texts_and_greetings_pass(measured: set[bytes]) -> None:
    texts = ["Dana: I sold the blue canoe in March.", "Thank you!", "When did Dana buy the canoe?"]
    assert find_leaks(texts, measured) == []


def test_a_folder_without_sets_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no measurement sets"):
        hash_sets(tmp_path)
