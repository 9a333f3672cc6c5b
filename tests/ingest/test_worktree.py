"""The project of a folder, told by git's own files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recollect.ingest.worktree import Workplace, find_workplace, remote_address, remote_name


def project_of(folder: Path) -> str | None:
    found = find_workplace(folder)
    return None if found is None or found.plain else found.name


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


def test_outside_of_a_repository_one_works_in_a_folder_but_not_in_one_that_holds_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, notes = tmp_path / "home" / "me", tmp_path / "home" / "me" / "notes"
    notes.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    assert find_workplace(notes) == Workplace("notes", str(notes), plain=True)
    assert [find_workplace(folder) for folder in (home, home.parent, "/", "/tmp", notes / "gone")] == [None] * 5


@pytest.mark.parametrize(
    "url",
    [
        "git@Example.org:team/ledger.git", "https://example.org/team/ledger", "http://me:pw@example.org/team/ledger.git/",
        "ssh://git@example.org:2222/team/ledger.git", "example.org:team/ledger",
        "https://example.org/team/ledger.git?private_token=abc#here",
    ],
)  # fmt: skip
def test_a_remote_is_the_same_however_one_gets_there(url: str) -> None:
    assert remote_address(url) == "example.org/team/ledger"


@pytest.mark.parametrize(
    ("url", "address"), [("/srv/git/b.git/", "/srv/git/b"), ("file:///srv/b", "/srv/b"), ("C:\\r\\b", "C:/r/b")]
)
def test_a_remote_in_a_folder_is_that_folder(url: str, address: str) -> None:
    assert remote_address(url) == address


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a/b.git", "b"),
        ("git@example.org:a/b", "b"),
        ("https://example.org/a/b.git?private_token=abc", "b"),
        ("git@example.org:a/b.git?access_token=abc", "b"),
        ("/srv/git/b.git/", "b"),
        ("C:\\repos\\b", "b"),
        ("..", None),
    ],
)
def test_a_remote_is_called_by_its_last_part(url: str, name: str | None) -> None:
    assert remote_name(url) == name
