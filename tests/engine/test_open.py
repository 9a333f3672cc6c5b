"""Where is a memory opened, and where never?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import recollect
from recollect import ConfigError, InvalidInput, Memory, NotAStore, ReadOnlyStore, Settings, load_settings
from recollect.config import default_home


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory and a home of the test's own, with nothing set."""
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "XDG_"))]:
        monkeypatch.delenv(name)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    return work


def test_a_folder_is_made_with_its_parents_and_holds_the_store(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a" / "b") as memory:
        assert memory.location == str(tmp_path / "a" / "b" / "recollect.db")
        assert memory.remember("kept").stored
    with recollect.open(str(tmp_path / "a" / "b")) as memory:
        assert [record.text for record in memory.list()] == ["kept"]


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_HOME", "~/memories")
    with recollect.open() as memory:
        assert memory.location == str(tmp_path / "me" / "memories" / "recollect.db")
    monkeypatch.setenv("RECOLLECT_HOME", "here")
    assert default_home() == tmp_path / "work" / "here"


@pytest.mark.parametrize("unset", ["", "  "])
def test_an_empty_setting_means_the_platforms_folder_and_never_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unset: str
) -> None:
    monkeypatch.setenv("RECOLLECT_HOME", unset)
    with recollect.open() as memory:
        assert Path(memory.location).is_relative_to(tmp_path / "me")
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.parametrize("folder", ["", " ", "a\0b", "~no-such-user-anywhere/x"])
def test_a_folder_that_cannot_be_meant_is_refused(elsewhere: Path, folder: str) -> None:
    with pytest.raises(ConfigError, match="folder: "):
        recollect.open(folder)
    assert list(elsewhere.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(InvalidInput, match=r"folder: .*notes is a file"):
        recollect.open(tmp_path / "notes")
    with pytest.raises(ReadOnlyStore, match="cannot be made"):
        recollect.open(tmp_path / "notes" / "below")
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_foreign_file_in_place_of_the_store_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "recollect.db").write_text("mine")
    with pytest.raises(NotAStore, match=r"recollect\.db is not a Recollect store"):
        recollect.open(tmp_path)
    assert (tmp_path / "recollect.db").read_text() == "mine"


def test_a_folder_in_place_of_the_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recollect.db").mkdir()
    with pytest.raises(NotAStore, match="it is a folder"):
        recollect.open(tmp_path)


def test_a_folder_beside_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="folder: "):
        recollect.open(tmp_path / "a", settings=Settings(home=tmp_path / "b"))
    assert not (tmp_path / "a").exists()


def test_settings_come_from_the_environment_then_the_file_then_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    (tmp_path / "config.toml").write_text('embedder = "ollama"\nembed_model = "m"\nembed_delay = 2\n')
    monkeypatch.setenv("RECOLLECT_EMBED_MODEL", "n")
    monkeypatch.setenv("RECOLLECT_EMBED_THREADS", "3")
    assert load_settings(tmp_path) == Settings(
        home=tmp_path, embedder="ollama", embed_model="n", embed_delay=2.0, embed_threads=3
    )


@pytest.mark.parametrize("line", ["color = 1", "embed_threads = 'many'", "home = '/x'", "not toml", "embedder = 5\n="])
def test_a_setting_that_cannot_be_used_is_refused_by_name(tmp_path: Path, line: str) -> None:
    (tmp_path / "config.toml").write_text(line)
    with pytest.raises(ConfigError, match=str(tmp_path)):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("BACKUP_KEEP", "many", "RECOLLECT_BACKUP_KEEP must be a whole number, not 'many'"),
        ("RATE", "-1", "RECOLLECT_RATE must be at least 0.0, not '-1'"),
        ("SHARED", "maybe", "RECOLLECT_SHARED must be one of on, off, not 'maybe'"),
    ],
)
def test_a_variable_that_cannot_be_used_is_told_in_plain_words(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(f"RECOLLECT_{name}", value)
    with pytest.raises(ConfigError) as caught:
        load_settings(environment=os.environ)
    assert str(caught.value) == told


def test_settings_take_a_path_as_text_and_nothing_else(tmp_path: Path) -> None:
    assert Settings(home=str(tmp_path / "notes")).home == tmp_path / "notes"  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigError, match="home must be a path, not 7"):
        Settings(home=7)  # pyright: ignore[reportArgumentType]


def test_a_closed_memory_says_so_and_can_be_closed_again(memory: Memory) -> None:
    memory.remember("a thing")
    memory.recall("thing")
    memory.close()
    memory.close()
    with pytest.raises(recollect.StoreError, match="is closed"):
        memory.list()


def test_spaces_are_made_described_counted_and_deleted(memory: Memory) -> None:
    made = memory.create_space("work", description="Day job", metadata={"k": 1})
    assert memory.create_space("work") == made
    memory.remember("a", space="work", kind="note")
    memory.entity("Ada", space="work")
    space, stats = memory.describe_space("work")
    assert space == made
    assert (stats.records, stats.by_kind, stats.entities, stats.relations) == (1, {"note": 1}, 1, 0)
    assert memory.create_space("work", description="").description == ""
    assert memory.create_space("work").metadata == {"k": 1}
    assert memory.delete_space("work") == 1
    assert memory.spaces() == []
