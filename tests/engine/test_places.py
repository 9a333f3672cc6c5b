"""Folders of spaces, and the identity text in them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import InvalidInput, Memory, NotFound
from recollect.engine.care.identity import folder, identity, set_identity
from recollect.engine.places import folder_name, make_place

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=200)


def told_by(folder: Path) -> str:
    """The space that a folder's name tells, or the file in it."""
    return (folder / "space.txt").read_text("utf-8") if "~" in folder.name else unquote(folder.name)


@given(NAMES, NAMES)
def test_no_two_spaces_share_a_folder_even_where_case_is_ignored(one: str, other: str) -> None:
    names = [folder_name(space) for space in (one, other)]
    assert all(0 < len(name) <= 180 and name.isascii() and name == name.lower() for name in names)
    assert (names[0].casefold() == names[1].casefold()) == (one == other)


@given(NAMES)
def test_a_folder_tells_its_space(space: str) -> None:
    name = folder_name(space)
    assert not set(name) & set('/\\:*?"<>|\0')
    assert name[0] != "."
    assert name[-1] not in ". "
    if "~" not in name:
        assert told_by(Path("spaces") / name) == space


@pytest.mark.parametrize("space", ["a" * 200, "記" * 200, "My Project", "con", "nul.txt", "..", "a/../b", "%41", "~"])
def test_odd_names_have_folders_that_lead_back(tmp_path: Path, space: str) -> None:
    place = make_place(tmp_path, space)
    assert place.parent == tmp_path / "spaces"
    assert told_by(place) == space


def test_plain_names_stay_readable() -> None:
    assert folder_name("my-project_2.0") == "my-project_2.0"
    assert folder_name("Acme") == "%41cme"


def test_reading_makes_no_folder(memory: Memory, tmp_path: Path) -> None:
    memory.remember("a", space="work")
    assert identity(memory.core, space="work") == identity(memory.core, space="nowhere") == ""
    with pytest.raises(NotFound, match="nowhere"):
        folder(memory.core, space="nowhere")
    assert not (tmp_path / "home" / "spaces").exists()


def test_the_identity_is_set_read_and_removed(memory: Memory) -> None:
    memory.create_space("work")
    set_identity(memory.core, "  I plan.\n", space="work")
    assert identity(memory.core, space="work") == "I plan."
    assert (folder(memory.core, space="work") / "identity.txt").read_text("utf-8") == "I plan.\n"
    set_identity(memory.core, "", space="work")
    assert identity(memory.core, space="work") == ""
    with pytest.raises(InvalidInput, match="64,000"):
        set_identity(memory.core, "x" * 64_001, space="work")


def test_an_identity_that_is_not_text_is_still_read(memory: Memory) -> None:
    memory.create_space("work")
    (folder(memory.core, space="work") / "identity.txt").write_bytes(b"\xef\xbb\xbfCaf\xe9")
    assert identity(memory.core, space="work") == "Caf\N{REPLACEMENT CHARACTER}"


def test_deleting_a_space_removes_its_files_and_leaves_those_of_others(memory: Memory) -> None:
    for space in ("work", "play"):
        memory.create_space(space)
        set_identity(memory.core, "Secret.", space=space)
    (folder(memory.core, space="play") / "mine.txt").write_text("kept")
    for space in ("work", "play"):
        memory.delete_space(space)
    folders = sorted((memory.settings.home / "spaces").iterdir())
    assert [folder.name for folder in folders] == ["play"]
    assert [file.name for file in folders[0].iterdir()] == ["mine.txt"]
