"""Are two projects of one name told apart, and is each found again wherever it is worked on?"""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Memory
from recollect.engine.workplaces import NamedProject, claim_project, named_projects, project_at


def repository(folder: Path, remote: str | None = None) -> Path:
    git = folder / ".git"
    git.mkdir(parents=True, exist_ok=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("" if remote is None else f'[remote "origin"]\n\turl = {remote}\n')
    return folder


def test_of_two_repositories_by_one_name_the_second_is_called_with_its_owner(memory: Memory, tmp_path: Path) -> None:
    ours = repository(tmp_path / "ours", "git@example.org:acme/api.git")
    theirs = repository(tmp_path / "theirs", "https://example.org/other/api")
    copy = repository(tmp_path / "copy", "https://example.org/acme/api.git")
    elsewhere = repository(tmp_path / "elsewhere", "https://example.com/other/api")
    places = (ours, theirs, copy, elsewhere, theirs, ours)
    assert [memory.claim_project(place) for place in places] == [
        "api", "other/api", "api", "example.com/other/api", "other/api", "api",
    ]  # fmt: skip
    assert memory.seen_from(theirs / "src")[:2] == ("other/api", None)
    assert named_projects(memory.core) == [
        NamedProject("api", ("example.org/acme/api",)),
        NamedProject("example.com/other/api", ("example.com/other/api",)),
        NamedProject("other/api", ("example.org/other/api",)),
    ]


def test_a_name_is_free_until_something_is_stored_under_it(memory: Memory, tmp_path: Path) -> None:
    one, two = repository(tmp_path / "a" / "api"), repository(tmp_path / "b" / "api")
    assert memory.seen_from(one)[0] == memory.seen_from(two)[0] == "api"
    assert (memory.claim_project(two), memory.claim_project(one)) == ("api", "a/api")
    assert memory.seen_from(one)[0] == "a/api"
    assert memory.claim_project(tmp_path) is None


@pytest.mark.parametrize("moved", ["https://example.org/new/api", "https://example.org/new/gateway"])
def test_a_repository_that_gets_a_remote_or_moves_is_called_as_it_was(
    memory: Memory, tmp_path: Path, moved: str
) -> None:
    repo = repository(tmp_path / "local")
    assert memory.claim_project(repo) == "local"
    repository(repo, "git@example.org:acme/api.git")
    assert memory.claim_project(repo) == "local"
    assert memory.claim_project(repository(tmp_path / "clone", "https://example.org/acme/api")) == "local"
    repository(repo, moved)
    assert memory.claim_project(repo) == ("local" if moved.endswith("api") else "gateway")


def test_outside_of_a_repository_a_project_is_its_folder_and_what_is_below(memory: Memory, tmp_path: Path) -> None:
    notes, other = tmp_path / "notes", tmp_path / "other" / "notes"
    for folder in (notes / "2026" / "may", other):
        folder.mkdir(parents=True)
    assert memory.claim_project(notes) is None
    assert memory.claim_project(notes, plain=True) == "notes"
    assert memory.claim_project(notes / "2026") == "notes"
    assert claim_project(memory.core, notes / "2026" / "may", plain=True) == "notes"
    assert claim_project(memory.core, other, plain=True) == "other/notes"
    with memory.core.store.read() as view:
        assert project_at(view, other, plain=True) == "other/notes"
        assert project_at(view, other, plain=False) == "other/notes"
        assert project_at(view, tmp_path, plain=False) is None
