"""Which files of a folder belong to a project?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.ingest.walk_files import LARGEST_FILE, Walked, looks_generated, read_source, walk_files
from recollect.types import FileProblem


def fill(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def walk(root: Path) -> tuple[list[str], Walked]:
    [walked] = walk_files(root)
    return [found.path for found in walked.files], walked


def test_hidden_downloaded_generated_and_binary_files_are_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "src/b.py", ".env", ".git/config", ".idea/x.py", "node_modules/m/i.js", ".venv/a.py")
    fill(tmp_path, "target/a.rs", "dist/a.js", "build/a.c", "sub/__pycache__/a.py", "vendor/v.go", "env/pyvenv.cfg")
    fill(tmp_path, "env/lib/a.py", "package-lock.json", "Cargo.lock", "x.min.js", "x.js.map", "logo.png", "m_pb2.py")
    paths, walked = walk(tmp_path)
    assert paths == ["a.py", "src/b.py"]
    assert walked.skipped == {"hidden": 1, "generated": 5, "binary": 1}


def test_gitignore_is_honoured_in_every_folder_with_its_negations(tmp_path: Path) -> None:
    fill(
        tmp_path,
        "a.log",
        "keep.log",
        "sub/b.log",
        "sub/keep.log",
        "sub/deep/c.txt",
        "sub/d.txt",
        "out/x.py",
        "lib/out.py",
    )
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/out/\n# a comment\n\n")
    (tmp_path / "sub" / ".gitignore").write_text("*.txt\n!d.txt\nkeep.log\n")
    paths, walked = walk(tmp_path)
    assert paths == ["keep.log", "lib/out.py", "sub/d.txt"]
    assert walked.skipped["ignored"] == 4


def test_a_file_below_an_ignored_folder_does_not_come_back(tmp_path: Path) -> None:
    fill(tmp_path, "data/keep.py", "a.py")
    (tmp_path / ".gitignore").write_text("data/\n!data/keep.py\n")
    assert walk(tmp_path)[0] == ["a.py"]


def test_memoryignore_adds_to_gitignore_and_can_ask_for_what_is_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "secret.py", "vendor/ours/b.go", "vendor/c.go", ".github/ci.yml", "made.py")
    (tmp_path / ".gitignore").write_text("made.py\n")
    (tmp_path / ".memoryignore").write_text("secret.py\n!made.py\n!vendor/\nvendor/c.go\n!.github/\n")
    assert walk(tmp_path)[0] == [".github/ci.yml", "a.py", "made.py", "vendor/ours/b.go"]


def test_the_repository_above_a_folder_has_a_say(tmp_path: Path) -> None:
    fill(tmp_path, "repo/.git/HEAD", "repo/app/a.py", "repo/app/b.gen.py", "repo/app/local/c.py", "repo/private/d.py")
    (tmp_path / "repo" / ".gitignore").write_text("*.gen.py\n/app/local\n/private\n")
    assert walk(tmp_path / "repo" / "app")[0] == ["a.py"]
    assert walk(tmp_path / "repo" / "private")[0] == ["d.py"]  # who names an ignored folder means it


def test_a_pattern_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    fill(tmp_path, "a.py", "b.py")
    (tmp_path / ".gitignore").write_bytes(b"[\n!\n\\\n\xff\xfe\nb.py\n")
    assert walk(tmp_path)[0] == ["a.py"]


def test_links_are_not_followed_so_there_are_no_loops(tmp_path: Path) -> None:
    fill(tmp_path, "sub/a.py")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "again.py").symlink_to(tmp_path / "sub" / "a.py")
    (tmp_path / "nowhere.py").symlink_to(tmp_path / "missing.py")
    paths, walked = walk(tmp_path)
    assert paths == ["sub/a.py"]
    assert walked.skipped == {"link": 3}


def test_a_file_that_is_too_large_is_counted_and_named(tmp_path: Path) -> None:
    with (tmp_path / "huge.js").open("wb") as file:
        file.truncate(50_000_000)
    fill(tmp_path, "data.json", text="[" + "1, " * 60_000 + "1]")
    paths, walked = walk(tmp_path)
    assert paths == []
    assert walked.skipped == {"too large": 1, "data": 1}
    assert walked.problems == [FileProblem(path="huge.js", problem="too large: 50,000,000 bytes")]
    assert LARGEST_FILE < 50_000_000


def test_a_folder_that_cannot_be_read_is_counted_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "a.py", "closed/b.py")
    really = os.scandir

    def scandir(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)  # whoever runs the tests may be allowed everything
    paths, walked = walk(tmp_path)
    assert paths == ["a.py"]
    assert walked.problems == [FileProblem(path="closed", problem="folder cannot be read: Permission denied")]
    assert walked.closed == ["closed/"]


def test_text_is_told_from_what_is_none() -> None:
    assert read_source(b"\xef\xbb\xbfa\r\nb") == "a\nb"
    assert read_source(b"MZ\0\0") is None
    assert read_source(b"x" * 100_000 + b"\0") is None
    with pytest.raises(UnicodeDecodeError):
        read_source("naïve".encode("latin-1"))


def test_what_a_program_made_is_recognised() -> None:
    assert looks_generated("a.js", "var a=1;" * 2_000)
    assert looks_generated("a.go", "// Code generated by protoc. DO NOT EDIT.\npackage a\n")
    assert not looks_generated("a.py", "# Do edit this.\n" * 2_000)
    assert not looks_generated("a.md", "One long paragraph. " * 1_000)


def test_a_name_that_is_no_text_is_counted_and_named(tmp_path: Path) -> None:
    fill(tmp_path, "a.py")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")).write_text("x = 1\n")
    except OSError:
        pytest.skip("names are text on this system")
    paths, walked = walk(tmp_path)
    assert paths == ["a.py"]
    assert walked.problems == [FileProblem(path="'caf\\udce9.py'", problem="its name cannot be read: not UTF-8")]


def test_folders_within_folders_end_somewhere(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["d"] * 400)
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("x = 1\n")
    fill(tmp_path, "a.py")
    paths, walked = walk(tmp_path)
    assert paths == ["a.py"]
    assert walked.skipped == {"too deep": 1}
