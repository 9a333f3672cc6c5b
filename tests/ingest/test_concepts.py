"""Which terms become candidates, and why are others passed over?"""

from __future__ import annotations

import pytest

from recollect.ingest.concepts import Passage, find_concepts, skip_reason


def passages(*texts: str, source: str = "src:1") -> list[Passage]:
    return [Passage(text=text, source=source, segment=f"seg-{at}") for at, text in enumerate(texts, 1)]


def test_a_term_that_several_passages_name_is_a_candidate() -> None:
    found = find_concepts(passages("The Context Pack is loaded first.", "Then the `Context Pack` is read."))
    assert [(one.title, one.occurrences, one.evidence_count) for one in found.candidates] == [("Context Pack", 2, 2)]
    assert found.candidates[0].bonuses == ("durable_memory_candidate",)


def test_a_heading_counts_once_however_many_parts_stand_below_it() -> None:
    parts = [
        Passage(text=text, headings=("Guide", "Context Pack"), source="s", segment=f"seg-{at}")
        for at, text in enumerate(("one", "two", "three"))
    ]
    assert find_concepts(parts).candidates == ()
    again = [*parts, Passage(text="A Context Pack helps.", source="s", segment="seg-9")]
    assert [one.occurrences for one in find_concepts(again).candidates] == [2]


def test_what_is_named_once_is_no_candidate() -> None:
    assert find_concepts(passages("The Context Pack is loaded.", "Nothing else.")).eligible == 0


def test_a_document_is_no_concept_of_itself() -> None:
    twice = [
        Passage(text="Concept Repo again and Concept Repo.", titles=("concept-repo",), source="s", segment=f"seg-{at}")
        for at in (1, 2)
    ]
    assert find_concepts(twice).candidates == ()


def test_what_is_a_concept_already_is_left_out() -> None:
    texts = passages("The Context Pack.", "A Context Pack.")
    assert find_concepts(texts, {"contextpack"}).candidates == ()


def test_what_people_say_counts_beside_what_sources_say() -> None:
    said = Passage(text="Use the Context Pack", object="know:1", scopes=("scope:a",))
    (one,) = find_concepts([*passages("The Context Pack is loaded."), said]).candidates
    assert (one.objects, one.scopes, one.reasons) == (
        ("know:1",),
        ("scope:a",),
        ("knowledge_text", "source_excerpt"),
    )


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        ("Current Todo", "document_artifact"),
        ("API Reference", "document_artifact"),
        ("en-us", "format_marker"),
        ("YYYY-MM-DD", "format_marker"),
        ("src/pkg/core.py", "format_marker"),
        ("--no-cache option", "format_marker"),
        ("Returns Value", "action_phrase"),
        ("Ctrl+Shift P", "shortcut_marker"),
        ("Installation", "generic_term"),
        ("Getting Started", "generic_term"),
        ("Word " * 17, "too_long"),
        ("kuzu", "weak_term"),
        ("RECOLLECT_HOME", "weak_term"),
        ("Context Pack", None),
        ("上下文包", None),
        ("Use Redis", None),
    ],
)
def test_a_term_is_passed_over_for_a_reason(term: str, reason: str | None) -> None:
    assert skip_reason(term.strip()) == reason


@pytest.mark.parametrize(
    ("title", "type_", "kind"),
    [
        ("Release Workflow", "procedure", "procedure"),
        ("Adopt Two Keys", "decision", "decision"),
        ("Payment SDK", "tool_library", "concept"),
        ("Context Pack", "concept", "concept"),
    ],
)
def test_a_term_is_told_what_it_may_become(title: str, type_: str, kind: str) -> None:
    (one,) = find_concepts(passages(f"The {title} is here.", f"A {title} again.")).candidates
    assert (one.type, one.kind) == (type_, kind)


@pytest.mark.parametrize("option", ["--space NAME", "recollect show ID", "-n"])
def test_options_of_commands_are_no_concepts(option: str) -> None:
    found = find_concepts(passages(f"Use `{option}` here.", f"And `{option}` there."))
    assert (found.candidates, [one.reason for one in found.skipped]) == ((), ["format_marker"])


def test_more_places_and_sources_raise_the_score() -> None:
    few = find_concepts(passages("The Context Pack.", "A Context Pack.")).candidates[0]
    more = find_concepts(
        [*passages("The Context Pack.", "A Context Pack."), *passages("Context Pack!", source="src:2")]
    )
    assert few.score < more.candidates[0].score <= 1


def test_lists_are_cut_and_counts_are_whole() -> None:
    texts = [f"The {first} {second} is here." for first in ("Red", "Blue") for second in ("Pack", "Rule", "Plan")]
    found = find_concepts(passages(*texts, *texts), most=2)
    assert (len(found.candidates), found.eligible) == (2, 6)
