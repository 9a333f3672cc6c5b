"""Does a repository become one source, its segments and a piece of the graph, and does it keep up with its files?"""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import InvalidInput, Memory, NotFound
from recollect.engine.care.upkeep import graph_health, upkeep
from recollect.ingest import repo_files
from recollect.types import Json, Record


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "demo"
    (root / "src").mkdir(parents=True)
    (root / "README.md").write_text("# Demo\n\nHello.\n\n## Use\n\nCall hello.\n")
    (root / "src" / "demo.py").write_text("import os\nfrom src.other import X\n\ndef hello():\n    return 1\n")
    (root / "src" / "other.py").write_text("X = 1\n")
    return root


def payload(memory: Memory, id: str) -> dict[str, Json]:
    source = memory.get(id, space="default")
    assert source is not None
    held = source.metadata["payload"]
    assert isinstance(held, dict)
    return held


def test_a_repository_is_one_source_with_its_map(memory: Memory, repo: Path) -> None:
    done = memory.ingest_repo(repo)
    source = memory.get(done.source.id, space="default")
    assert isinstance(source, Record)
    assert (source.kind, source.title, source.status, source.trust) == ("source", "demo", "active", "imported")
    assert source.metadata["source_kind"] == "repo"
    assert source.metadata["fingerprint"] == done.source.fingerprint
    held = payload(memory, source.id)
    assert held["code_files"] == ["src/demo.py", "src/other.py"]
    assert held["top_level_entries"] == ["README.md", "src"]
    assert held["counts"] == {
        "code_files": 2, "code_modules": 2, "documents": 1, "document_sections": 2, "left_out": {},
    }  # fmt: skip


def test_the_sections_of_documents_and_the_beginnings_of_modules_are_segments(memory: Memory, repo: Path) -> None:
    done = memory.ingest_repo(repo)
    segments = memory.segments(done.source.id)
    assert [(one.locator or {}).get("path") for one in segments] == [
        "README.md", "README.md", "src/demo.py", "src/other.py",
    ]  # fmt: skip
    assert segments[1].text == "## Use\n\nCall hello."
    assert segments[1].locator == {
        "kind": "line", "path": "README.md", "line_start": 5, "line_end": 7, "heading_path": ["Demo", "Use"],
        "chunk_kind": "section",
    }  # fmt: skip
    sections = payload(memory, done.source.id)["document_sections"]
    assert isinstance(sections, list)
    assert [one["segment_id"] for one in sections] == ["seg-1", "seg-2"]


def test_the_graph_gets_the_repository_its_language_and_its_modules(memory: Memory, repo: Path) -> None:
    done = memory.ingest_repo(repo)
    facts = [(fact.subject, fact.predicate, fact.object) for fact in memory.facts()]
    assert facts == [
        ("demo", "written_in", "Python"),
        ("demo", "contains", "demo/src/demo.py"),
        ("demo", "contains", "demo/src/other.py"),
        ("demo/src/demo.py", "imports", "demo/src/other.py"),
    ]
    assert memory.neighbors("demo").start.id == done.nodes[0]


def test_nothing_is_written_where_nothing_has_changed(memory: Memory, repo: Path) -> None:
    first = memory.ingest_repo(repo)
    last = memory.last_entry()
    again = memory.ingest_repo(repo)
    assert (again.source.outcome, again.entries, memory.last_entry()) == ("unchanged", (), last)
    assert (again.source.id, again.nodes, again.counts) == (first.source.id, first.nodes, first.counts)


def test_what_is_gone_is_taken_back_and_what_stays_keeps_its_id(memory: Memory, repo: Path) -> None:
    first = memory.ingest_repo(repo)
    kept = memory.segments(first.source.id)[0].id
    (repo / "src" / "other.py").unlink()
    (repo / "README.md").write_text("# Demo\n\nHello.\n")
    second = memory.ingest_repo(repo)
    assert (second.source.id, second.source.outcome) == (first.source.id, "updated")
    assert memory.segments(second.source.id)[0].id == kept
    assert [fact.object for fact in memory.facts()] == ["Python", "demo/src/demo.py"]
    assert not memory.find_entities("demo/src/other.py")


def test_a_module_that_somebody_speaks_of_stays_in_the_graph(memory: Memory, repo: Path) -> None:
    memory.ingest_repo(repo)
    memory.relate("Ada", "wrote", "demo/src/other.py")
    (repo / "src" / "other.py").unlink()
    memory.ingest_repo(repo)
    assert memory.find_entities("demo/src/other.py")


def test_repositories_of_a_space_share_their_languages(memory: Memory, repo: Path, tmp_path: Path) -> None:
    known = memory.entity("Python", type="animal")
    other = tmp_path / "second"
    other.mkdir()
    (other / "main.py").write_text("x = 1\n")
    for path in (repo, other):
        assert known.id in memory.ingest_repo(path).nodes
    assert memory.neighbors("Python").start.type == "animal"


def test_evidence_goes_stale_when_a_section_changes_and_stays_when_it_moves(memory: Memory, repo: Path) -> None:
    source = memory.ingest_repo(repo).source.id
    evidence = [{"source": source, "segment": segment} for segment in ("seg-1", "seg-2")]
    memory.remember("Hello is called.", id="k1", kind="fact", grounds={"scopes": ["s"], "evidence": evidence})
    (repo / "README.md").write_text("# New\n\nFirst.\n\n# Demo\n\nHello you.\n\n## Use\n\nCall hello.\n")
    memory.ingest_repo(repo)
    record = memory.get("k1")
    assert record is not None
    assert [one.state for one in memory.evidence_state(record)] == ["changed", "current"]
    assert upkeep(memory.core, min_confidence=0.5, min_evidence=2).low_evidence == ("k1",)
    assert upkeep(memory.core, min_confidence=0.5, min_evidence=1).promotable == ("k1",)


def test_an_archived_repository_is_written_anew(memory: Memory, repo: Path) -> None:
    id = memory.ingest_repo(repo).source.id
    memory.archive_source(id, reason="a bad import")
    assert memory.ingest_repo(repo).source.outcome == "updated"
    source = memory.get(id)
    assert source is not None
    assert source.status == "active"


def test_every_entry_of_an_ingest_can_be_undone(memory: Memory, repo: Path) -> None:
    done = memory.ingest_repo(repo)
    for entry in reversed(done.entries):
        memory.undo(entry)
    assert (memory.sources(), memory.facts(), memory.entities()) == ([], [], [])


def test_a_folder_that_is_not_there_is_told(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no folder"):
        memory.ingest_repo(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="is a file; name the folder"):
        memory.ingest_repo(tmp_path / "file")


def test_a_withdrawn_ingest_leaves_nothing(memory: Memory, repo: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.ingest_repo(repo, checkpoint=stop)
    assert memory.sources() == []


def test_a_folder_of_far_too_many_files_is_refused(memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repo_files, "MOST_FILES", 2)
    with pytest.raises(InvalidInput, match="path: holds over 2 files"):
        memory.ingest_repo(repo)
    assert memory.ingest_repo(repo, include=["*.md"]).counts["documents"] == 1


def test_a_repository_is_connected_with_what_it_brought_into_the_graph(memory: Memory, repo: Path) -> None:
    done = memory.ingest_repo(repo)
    health = graph_health(memory.core)
    assert health.isolated == ()
    assert health.counts["nodes"] == len(done.nodes) + 1
