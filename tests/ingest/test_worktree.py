"""The project of a folder, told by git's own files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recollect.ingest.worktree import project_of, remote_name


def _git(folder: Path, *args: str) -> None:
    told = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *told, *args], cwd=folder, check=True, capture_output=True)


def test_a_repository_is_called_as_its_remote_and_without_one_as_its_folder(tmp_path: Path) -> None:
    repo = tmp_path / "here"
    (repo / "deep" / "er").mkdir(parents=True)
    _git(repo, "init")
    assert project_of(repo / "deep" / "er") == "here"
    _git(repo, "remote", "add", "upstream", "https://example.org/them/other.git")
    assert project_of(repo) == "other"
    _git(repo, "remote", "add", "origin", "git@example.org:us/ledger.git")
    assert project_of(repo / "deep") == "ledger"


def test_a_worktree_and_a_submodule_know_their_repository(tmp_path: Path) -> None:
    repo, tree = tmp_path / "main-copy", tmp_path / "elsewhere" / "tree"
    repo.mkdir()
    _git(repo, "init")
    _git(repo, "commit", "--allow-empty", "-m", "first")
    _git(repo, "worktree", "add", str(tree))
    assert project_of(tree) == "main-copy"
    _git(repo, "remote", "add", "origin", "ssh://git@example.org:2222/us/ledger")
    assert project_of(tree) == "ledger"
    inner = repo / "vendor" / "part"
    own = repo / ".git" / "modules" / "part"
    inner.mkdir(parents=True)
    own.mkdir(parents=True)
    (own / "config").write_text(
        '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.org/them/part.git\n'
    )
    (inner / ".git").write_text("gitdir: ../../.git/modules/part\n")
    assert project_of(inner) == "part"


def test_outside_of_a_repository_there_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("something else")
    assert project_of(tmp_path) is None
    assert project_of(tmp_path / "missing") is None


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a/b.git", "b"),
        ("git@example.org:a/b", "b"),
        ("/srv/git/b.git/", "b"),
        ("C:\\repos\\b", "b"),
        ("..", None),
    ],
)
def test_a_remote_is_called_by_its_last_part(url: str, name: str | None) -> None:
    assert remote_name(url) == name
