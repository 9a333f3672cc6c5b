"""Are the lines of a `.gitignore` read as git reads them, and in bounded time?"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from recollect.ingest.ignore import parse_patterns
from recollect.ingest.walk_files import is_ignored, read_rules, walk_files

NAMES = ("a", "b", "ab", "aab", "a.b", "a-b", "abc", "[a]", "x y", "A", "b ", " a", "!a", "#a", "a]")
PIECES = (
    "a", "b", "c", "A", "*", "**", "***", "?", "/", "/", "[ab]", "[!a]", "[a-c]", "[^b]", "[]a]", "[a-]", "[c-a]",
    "[[:alpha:]]", "\\*", "\\a", "\\ ", ".", " ", "!", "#", "[", "]", "-",
)  # fmt: skip


def fill(root: Path, dice: random.Random) -> None:
    for _ in range(60):
        place = root.joinpath(*dice.choices(NAMES, k=dice.randint(1, 4)))
        if any(parent.is_file() for parent in place.parents) or place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")


def tree(root: Path) -> list[tuple[str, bool]]:
    found = sorted(path for path in root.rglob("*") if ".git" not in path.parts and path.name != ".gitignore")
    return [(path.relative_to(root).as_posix(), path.is_dir()) for path in found]


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to compare with")
@pytest.mark.parametrize("seed", range(3))
def test_a_hundred_ignore_files_leave_out_what_git_would(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    fill(tmp_path, dice)
    paths = tree(tmp_path)
    for _ in range(100):
        lines = ["".join(dice.choices(PIECES, k=dice.randint(1, 6))) for _ in range(dice.randint(1, 4))]
        (tmp_path / ".gitignore").write_text("\n".join(("!" if dice.random() < 0.25 else "") + one for one in lines))
        asked = "\0".join(path for path, _ in paths).encode()
        said = subprocess.run(
            ["git", "-C", str(tmp_path), "check-ignore", "-z", "--no-index", "--stdin"], input=asked,
            capture_output=True, check=False,
        )  # fmt: skip
        rules, ours = [read_rules(tmp_path, "", [])], set[str]()
        for path, folder in paths:
            if path.rpartition("/")[0] in ours or is_ignored(path, rules, folder=folder):
                ours.add(path)
        assert ours == set(said.stdout.decode().split("\0")) - {""}, lines


HOSTILE = (
    ("*a", "b", "a"), ("*a*", "", "a"), ("**/a/", "b", "a/"), ("**/*a*a/", "b", "aa/"), ("?*", "!", "a"),
    ("[a-z]*", "!", "a"), ("*[!b]", "b", "a"), ("**/", "b", "a/"), ("a**", "b", "a"),
)  # fmt: skip


@pytest.mark.parametrize(("piece", "end", "of"), HOSTILE)
def test_no_pattern_makes_a_path_hard_to_match(piece: str, end: str, of: str) -> None:
    lines = (piece * 200 + end,)
    path = (of * 1_000)[:3_000] + "!"  # with what gives something back on the way, this would not end
    assert parse_patterns(lines).decide(path, folder=False) in (None, True)


def test_a_repository_whose_pattern_was_made_to_hang_is_walked(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*a" * 60 + "*b\n" + "**/a*a*a*a*a*a*/" * 60 + "b\n")
    (tmp_path / ("a" * 200)).write_text("x = 1\n")
    (tmp_path / "ok.py").write_text("x = 1\n")
    [walked] = walk_files(tmp_path)
    assert [found.path for found in walked.files] == ["a" * 200, "ok.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("trap", ["pipe", "link to a device", "huge"])
def test_an_ignore_file_that_is_a_trap_is_named_and_passed_over(tmp_path: Path, trap: str) -> None:
    place = tmp_path / ".gitignore"
    if trap == "pipe":
        os.mkfifo(place)
    elif trap == "huge":
        with place.open("wb") as file:
            file.truncate(10**12)
    else:
        place.symlink_to("/dev/zero")
    (tmp_path / "ok.py").write_text("x = 1\n")
    [walked] = walk_files(tmp_path)
    assert [found.path for found in walked.files] == ["ok.py"]
    assert [problem.path for problem in walked.problems] == [".gitignore"]
