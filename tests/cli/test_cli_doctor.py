from __future__ import annotations

import json
import os
import platform
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

import recollect
from recollect import __version__
from recollect.cli import bytecode
from recollect.cli.doctor import share_not_latin, told_here
from recollect.engine.care.backups import back_up
from recollect.engine.known import PROJECTS
from recollect.errors import StoreDamaged


def test_doctor_makes_nothing_where_there_is_no_store(shell):
    report = shell.json("doctor")
    assert report["versions"]["recollect"] == __version__
    assert report["versions"]["Python"] == platform.python_version()
    assert report["versions"]["SQLite"] == sqlite3.sqlite_version
    assert (report["store"]["exists"], report["store"]["writable"], report["problems"]) == (False, True, [])
    assert "not there yet" in shell("doctor").out
    assert not shell.store.exists()


def test_doctor_counts_what_there_is_and_finds_it_well(shell):
    shell.remember("One.")
    shell("relate", "Alice", "knows", "Bob")
    report = shell.json("doctor")
    store = report["store"]
    assert (store["records"], store["spaces"], store["entities"], store["relations"]) == (1, 1, 2, 1)
    assert store["file"] == str(shell.store / "recollect.db")
    assert "All is well" in shell("doctor").out


def test_doctor_says_that_a_store_is_on_a_network_file_system(shell, monkeypatch, tmp_path):
    shell.remember("One.")
    assert shell.json("doctor")["advice"] == []
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 8:1 / / rw - ext4 x rw\n40 22 0:35 / {shell.store.resolve()} rw - nfs4 server:/x rw\n")
    monkeypatch.setattr("recollect.store.sqlite.file._MOUNTS", mounts)
    (told,) = shell.json("doctor")["advice"]
    assert told.startswith(f"{shell.store} is on a network file system (nfs4)")
    outcome = shell("doctor")
    assert (outcome.code, "is on a network file system (nfs4)" in outcome.out) == (0, True)


SPOILT = {
    "missing": None, "empty": b"", "cut off": 3_000, "no database": b"nothing of ours" * 500,
    "another program's": b"SQLite format 3\0" + bytes(8_000),
}  # fmt: skip


def backed_up(shell, *texts):
    """A store of some texts, each of which was backed up before the next came."""
    for text in texts:
        shell.remember(text)
        with recollect.open() as memory:
            path = Path(back_up(memory.core).path)
            made = path.name.split("-")
            made[1] = f"2026010{len(list(path.parent.iterdir()))}"
            path.rename(path.with_name("-".join(made)))
    return sorted(path.parent.iterdir())


def spoil(shell, how):
    for log in shell.store.glob("recollect.db-*"):
        log.unlink()
    file, left = shell.store / "recollect.db", SPOILT[how]
    if left is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:left] if isinstance(left, int) else left)


@pytest.mark.parametrize("folder", [None, "else where"])
@pytest.mark.parametrize("how", SPOILT)
def test_doctor_tells_the_command_by_which_a_backup_takes_the_place_of_a_store(shell, monkeypatch, how, folder):
    if folder is not None:
        monkeypatch.setenv("RECOLLECT_BACKUP_FOLDER", str(shell.home / folder))
    *_, newest = backed_up(shell, "One.", "Two.")
    spoil(shell, how)
    outcome = shell("doctor", "--json")
    assert outcome.code == 1
    (told,) = json.loads(outcome.out)["advice"]
    command, rest = told.removeprefix("`").split("` puts the newest backup that can be read in its place: ")
    assert (str(newest) in shlex.split(command), rest.endswith(" days old, with 2 versions of records")) == (True, True)
    assert shell(*shlex.split(command)[1:]).code == 0
    assert sorted(one["text"] for one in shell.json("list")["records"]) == ["One.", "Two."]


def test_doctor_finds_a_copy_by_hand_in_the_folder_of_a_store_that_is_gone(shell):
    shell.remember("One.")
    (shell.store / "bk").mkdir()
    assert shell("backup", str(shell.store / "bk")).code == 0
    [copy] = (shell.store / "bk").iterdir()
    spoil(shell, "missing")
    outcome = shell("doctor")
    assert (outcome.code, "not there yet" in outcome.out, "All is well" in outcome.out) == (1, False, False)
    report = json.loads(shell("doctor", "--json").out)
    assert report["problems"] == [
        f"there is nothing at {shell.store / 'recollect.db'}, but there are backups of what was there"
    ]
    assert str(copy) in report["advice"][0]


def test_doctor_tells_of_what_was_kept_aside_of_a_store_that_is_gone(shell):
    shell.remember("One.")
    shell("backup", str(shell.home / "one.db"))
    assert shell("restore", str(shell.home / "one.db"), "--over").code == 0
    [aside] = shell.store.glob("recollect-replaced-*")
    spoil(shell, "missing")
    report = json.loads(shell("doctor", "--json").out)
    assert report["problems"] == [
        f"there is nothing at {shell.store / 'recollect.db'}, but what was there once was kept aside: {aside}"
    ]
    assert "`recollect restore FILE`" in report["advice"][0]


@pytest.mark.skipif(os.name == "nt", reason="whoever makes a link needs a right of his own there")
def test_doctor_tells_of_a_link_to_a_store_that_leads_nowhere(shell):
    shell.remember("One.")
    spoil(shell, "missing")
    (shell.store / "recollect.db").symlink_to(shell.home / "away" / "recollect.db")
    outcome = shell("doctor", "--json")
    [problem] = json.loads(outcome.out)["problems"]
    assert (outcome.code, "is a link to" in problem) == (1, True)
    assert "not there yet" not in shell("doctor").out


def test_doctor_passes_over_backups_that_are_broken_themselves(shell):
    first, second = backed_up(shell, "One.", "Two.")
    spoil(shell, "no database")
    second.write_bytes(second.read_bytes()[:3_000])
    advice = json.loads(shell("doctor", "--json").out)["advice"]
    assert (str(first) in advice[0], "with 1 version of records" in advice[0]) == (True, True)
    assert advice[1].startswith(f"a backup cannot take its place: {second} is damaged")
    first.write_bytes(b"")
    assert (
        json.loads(shell("doctor", "--json").out)["advice"][-1] == f"none of the backups in {first.parent} can be read"
    )


def test_doctor_says_which_model_and_who_chose_it(shell, monkeypatch):
    assert shell.json("doctor")["model"]["chosen_by"] == "RECOLLECT_EMBEDDER"
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    shell.remember("One.")
    model = shell.json("doctor")["model"]
    assert (model["chosen_by"], model["dim"], model["waiting"]) == ("the default", 384, 1)
    (shell.store / "config.toml").write_text('embedder = "none"\n')
    assert shell.json("doctor")["model"]["chosen_by"] == str(shell.store / "config.toml")


def test_a_model_that_cannot_be_used_is_wrong(shell, monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "ollama")
    outcome = shell("doctor")
    assert outcome.code == 1
    assert "RECOLLECT_EMBED_MODEL" in outcome.out


def test_a_file_that_is_no_store_is_wrong_and_stays(shell):
    shell.store.mkdir()
    file = shell.store / "recollect.db"
    file.write_bytes(b"not a database at all, but long enough to look at" * 50)
    before = file.read_bytes()
    outcome = shell("doctor")
    assert outcome.code == 1
    assert "is not a Recollect store" in outcome.out
    assert file.read_bytes() == before


def test_of_what_cannot_be_opened_nothing_is_told_that_nobody_knows_and_how_to_go_on_is(shell):
    shell.remember("One.")
    path = shell.store / "recollect.db"
    for name in path.parent.glob("recollect.db-*"):
        name.unlink()
    path.write_text("This is no database, and it is long enough to have been one." * 20)
    told = shell("doctor")
    assert told.code == 1
    assert "backup_schedule" not in told.out
    assert "holds" not in told.out
    [hint] = json.loads(shell("doctor", "--json").out)["advice"]
    assert "`recollect restore FILE --over`" in hint


def test_the_doctor_does_not_say_that_the_doctor_is_to_be_asked():
    told = "x.db is damaged (cut); run `recollect doctor`. `recollect doctor --repair` saves what can be read"
    assert told_here(StoreDamaged(told)) == "x.db is damaged (cut); `recollect doctor --repair` saves what can be read"
    told = "entry 3 is not as it was written; run `recollect doctor`, which tells what is damaged and how to go on"
    assert told_here(StoreDamaged(told)) == (
        "entry 3 is not as it was written; `recollect doctor --repair` saves what can be read"
    )


@pytest.mark.parametrize("name", ["backup_schedule", "evict_schedule", "consolidate_schedule"])
def test_a_schedule_that_cannot_be_read_is_wrong(shell, name):
    shell.remember("One.")
    (shell.store / "config.toml").write_text(f'{name} = "whenever"\n')
    [problem] = json.loads(shell("doctor", "--json").out)["problems"]
    assert name in problem


def test_a_damaged_index_is_wrong_until_it_is_made_anew(shell):
    shell.remember("One.")
    with sqlite3.connect(shell.store / "recollect.db") as connection:
        connection.execute("DELETE FROM lexis")
    connection.close()
    outcome = shell("doctor")
    assert outcome.code == 1
    assert "recollect reindex" in outcome.out
    shell("reindex")
    assert shell("doctor").code == 0


def test_doctor_suggests_the_multilingual_model_for_other_scripts(shell, monkeypatch):
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    shell.remember("Gateway notes.")
    assert shell.json("doctor")["advice"] == []
    shell.remember("网关使用 RS256 验证令牌，密钥每九十天轮换一次。")
    [hint] = shell.json("doctor")["advice"]
    assert "not in Latin script" in hint
    assert "RECOLLECT_EMBEDDER=multilingual" in hint


def test_accents_are_latin_and_other_alphabets_are_not():
    assert share_not_latin(["Straße, naïve, Łódź, Tiếng Việt"]) == 0
    assert share_not_latin(["привет"]) == 1
    assert share_not_latin(["ab вг"]) == 0.5
    assert share_not_latin(["123 !?"]) == 0


def test_welcome_remembers_recalls_and_leaves_no_trace(shell, monkeypatch, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    outcome = shell("welcome")
    assert outcome.code == 0
    assert "RS256" in outcome.out
    assert '"mcpServers"' in outcome.out
    assert str(Path(shell.store, "recollect.db")) in outcome.out
    assert not shell.store.exists()
    assert list(scratch.iterdir()) == []


def test_a_project_whose_indexing_did_not_end_is_told_with_the_way_to_go_on(shell, tmp_path):
    root = tmp_path / "half done"
    root.mkdir()
    (root / "a.py").write_text("def a():\n    return 1\n")
    shell("index", str(root), "--later")
    with recollect.open(shell.store) as memory, memory.core.store.write(actor="test") as edit:
        [(id, project)] = edit.kept(PROJECTS, space="default").items()
        edit.keep(PROJECTS, {id: msgspec.structs.replace(project, state="indexing")}, space="default")
    [advice] = shell.json("doctor")["advice"]
    assert advice.endswith(f"`recollect index '{root}' --space default` does so")
    shell("index", str(root), "--later")
    assert shell.json("doctor")["advice"] == []


@pytest.mark.parametrize("state", ["written", "to be written", "told not to", "not allowed to"])
def test_doctor_and_connect_say_where_hooks_are_compiled_each_time(shell, monkeypatch, tmp_path, state):
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr(sys, "pycache_prefix", None if state == "written" else str(kept))
    monkeypatch.setattr(sys, "dont_write_bytecode", state == "told not to")
    if state == "written":
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(Path(recollect.__file__).parent)], check=True)
    if state == "not allowed to":
        monkeypatch.setattr(bytecode, "os", SimpleNamespace(access=lambda *_: False, W_OK=os.W_OK))
    told = state in ("told not to", "not allowed to")
    shell.remember("The harbour is quiet.")
    assert ("no bytecode" in shell("connect", "claude", "--auto", "--yes").out) is told
    assert ("no bytecode" in " ".join(shell("doctor").out.split())) is told
