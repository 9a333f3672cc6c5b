"""Does whatever a person types as a database role that is limited to a space work, or say what the role lacks?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.pgserver import shared_server, store_url

OWNERS = "is left to the owner of the store's tables"


@pytest.fixture
def limited(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    url = store_url(tmp_path, "roles")
    schema = url.partition("schema=")[2]
    role = f"typing_{schema[-8:]}"
    monkeypatch.setenv("RECOLLECT_STORE", url)
    shell.remember("The secret of theirs.", "--space", "theirs")
    shell.remember("The harbour gate opens at six.", "--space", "ours")
    assert shell("token", "create", "--all-spaces").code == 0
    with psycopg.connect(shared_server(), autocommit=True) as server:
        server.execute(f"CREATE ROLE {role} LOGIN".encode())
        server.execute(f"SELECT {schema}.admit('{role}', 'ours')".encode())
    monkeypatch.setenv("RECOLLECT_STORE", url.replace("postgres:@", f"{role}@"))
    return shell


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("remember another note --space ours", 0, "stored"),
        ("recall harbour --space ours", 0, "The harbour gate"),
        ("recall secret --all-spaces", 0, "nothing found"),
        ("list --space ours", 0, "The harbour gate"),
        ("brief --space ours", 0, "The harbour gate"),
        ("status", 0, "capturing and injecting"),
        ("doctor", 0, "left to the owner of the tables"),
        ("dream --space ours", 0, "1 record, 0 merged"),
        ("dream", 0, "1 record, 0 merged"),
        ("maintain evict --space ours", 0, "0 records evicted"),
        ("pause", 0, "paused"),
        ("token list", 0, "no tokens"),
        ("journal", 0, "The harbour gate"),
        ("export all.jsonl", 0, "this is a part of the memory"),
        ("spaces list", 0, "ours"),
        ("remember x --space theirs", 1, OWNERS),
        ("remember x", 1, OWNERS),
        ("spaces create mine", 1, OWNERS),
        ("spaces delete ours --yes", 1, OWNERS),
        ("reindex", 1, OWNERS),
        ("compact", 1, OWNERS),
    ],
)
def test_every_command_works_or_says_what_the_role_lacks(limited: Any, words: str, code: int, said: str) -> None:
    done = limited(*(words.split() if not words.startswith("remember another") else [
        "remember", "another note", "--space", "ours",
    ]))  # fmt: skip
    assert (done.code, "Traceback" in done.err) == (code, False), done.err
    assert said in done.out + done.err
    assert "secret of theirs" not in done.out + done.err


def test_a_role_forgets_in_its_space_and_a_hook_of_it_is_answered(limited: Any) -> None:
    kept = limited.remember("The ferry leaves at nine.", "--space", "ours")
    assert limited("forget", kept, "--space", "ours", "--yes").code == 0
    assert limited.json("list", "--space", "ours")["records"][0]["text"] == "The harbour gate opens at six."
    said = limited("hook", "--preview", "claude-code")
    assert (said.code, "Traceback" in said.err) == (0, False), said.err
