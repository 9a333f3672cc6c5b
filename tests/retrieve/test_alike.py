"""Do two statements say the same, as far as their words tell?"""

from __future__ import annotations

import pytest

from recollect import Draft, Evidence, Grounds
from recollect.retrieve.alike import likeness, score_alike, words_of


def draft(title: str, text: str, kind: str = "decision", **grounds: object) -> Draft:
    return Draft(text=text, title=title, kind=kind, grounds=Grounds(**grounds))  # type: ignore[arg-type]


def test_words_that_say_little_and_the_plural_do_not_count() -> None:
    assert words_of("The backends of a graph, and its Class!") == {"backend", "graph", "its", "clas"}


def test_text_without_spaces_is_compared_by_pairs() -> None:
    assert words_of("図データ") == {"図デ", "デー", "ータ"}
    assert words_of("図") == {"図"}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (draft("Use Kuzu", "One two three four"), (0.9, ("title_overlap", "summary_overlap", "same_kind"))),
        (draft("Use Kuzu", "Five six", "fact"), (0.4, ("title_overlap",))),
        (draft("Else", "One two", "fact", subjects=("n",)), (0.3, ("summary_overlap", "shared_subject"))),
        (
            draft("Else", "Nothing", evidence=(Evidence(source="s", segment="seg-1", hash="h"),)),
            (0.2, ("same_kind", "shared_evidence")),
        ),
    ],
)
def test_each_thing_in_common_adds_its_share(other: Draft, expected: tuple[float, tuple[str, ...]]) -> None:
    evidence = (Evidence(source="s", segment="seg-1"),)
    one = draft("Use Kuzu", "one two three four", subjects=("n", "m"), evidence=evidence)
    assert score_alike(likeness(one), likeness(other)) == expected


def test_without_a_title_the_first_line_is_it() -> None:
    assert likeness(Draft(text="Use Kuzu\nIt is small.")).title == {"use", "kuzu"}
