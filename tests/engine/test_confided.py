"""Does what was told in confidence stay out of what is kept of the rest of a conversation?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.test_overheard import talk

from recollect import Memory
from recollect.engine.write.screen import set_secrets

TOLD = ("user", "The password of the ledger is Blumentopf99, use it for the import.")
ECHO = ("assistant", "I connect with Blumentopf99 now. The import has begun.")
SALARY = ("user", "<private>My salary is 81,500 euros</private> How do I file my taxes?")
ANSWER = ("assistant", "With 81,500 euros you pay some 24,000. File them online by July.")


def said(memory: Memory) -> list[str]:
    return [one.text.strip() for one in memory.list(kinds=["message"], order="position", limit=100)]


def keep(memory: Memory, folder: Path, way: str, turns: list[tuple[str, str]]) -> None:
    """Captures all at once or a message at a time, ingests a transcript, or is told by a client."""
    if way == "ingested":
        memory.ingest_transcript(talk(folder, "s1", *turns))
    for count in {"at once": [len(turns)], "one by one": range(1, len(turns) + 1)}.get(way, ()):
        memory.capture(talk(folder, "s1", *turns[:count]))
    if way == "told":
        told = [
            {"role": role, "content": text, "created_at": f"2026-05-10T12:00:{n:02}Z"}
            for n, (role, text) in enumerate(turns)
        ]
        for count in range(1, len(turns) + 1):
            memory.capture_said(told[:count], session="s1")


WAYS = pytest.mark.parametrize("way", ["at once", "one by one", "ingested", "told"])


@WAYS
def test_a_secret_that_was_masked_is_not_kept_from_an_agents_answer(memory: Memory, tmp_path: Path, way: str) -> None:
    later = ("assistant", "`Blumentopf99` still works, and Blumentopf999 does not.")
    keep(memory, tmp_path, way, [TOLD, ECHO, ("user", "Does it still work?"), later])
    assert said(memory) == [
        "The password of the ledger is [masked: password], use it for the import.",
        "I connect with [masked: password] now. The import has begun.",
        "Does it still work?",
        "`[masked: password]` still works, and Blumentopf999 does not.",
    ]


@WAYS
def test_what_is_private_is_not_kept_from_an_agents_answer(memory: Memory, tmp_path: Path, way: str) -> None:
    later = ("assistant", "Done. At 81,500 nothing else is due.\nThe form is in the mail.")
    keep(memory, tmp_path, way, [SALARY, ANSWER, ("user", "Is anything else due?"), later])
    assert said(memory) == [
        "How do I file my taxes?",
        "File them online by July.",
        "Is anything else due?",
        "Done. The form is in the mail.",
    ]


def test_what_a_session_was_told_in_confidence_is_not_kept_from_one_that_goes_on_from_it(
    memory: Memory, tmp_path: Path
) -> None:
    lines = talk(tmp_path, "s1", TOLD, SALARY).read_text().splitlines()
    named = [f'{line[:-1]}, "uuid": "{n:036}"}}\n' for n, line in enumerate(lines)]
    (tmp_path / "s1.jsonl").write_text("".join(named))
    memory.capture(tmp_path / "s1.jsonl")
    after = talk(tmp_path, "s2", TOLD, SALARY, ECHO, ANSWER).read_text().splitlines(keepends=True)[2:]
    (tmp_path / "s2.jsonl").write_text("".join([*named, *after]).replace('"s1"', '"s2"'))
    memory.capture(tmp_path / "s2.jsonl")
    assert said(memory)[2:] == [
        "I connect with [masked: password] now. The import has begun.\nFile them online by July."
    ]


def test_what_was_told_in_confidence_megabytes_ago_is_not_kept_from_an_answer(memory: Memory, tmp_path: Path) -> None:
    turns = [TOLD, SALARY, ("user", "And now?"), ECHO, ANSWER]
    told, asked, *answers = talk(tmp_path, "s1", *turns).read_text().splitlines(keepends=True)
    output = json.dumps({"type": "progress", "sessionId": "s1", "data": "x" * 500_000}) + "\n"
    path = tmp_path / "s1.jsonl"
    for lines in ([told], [told, asked], [told, asked, *[output] * 10], [told, asked, *[output] * 10, *answers]):
        path.write_text("".join(lines))
        memory.capture(path)
    kept = "\n".join(said(memory))
    assert ("Blumentopf99" in kept, "81,500" in kept, "The import has begun." in kept) == (False, False, True)


@pytest.mark.parametrize("begun", [2, 4])
def test_what_codex_was_told_in_confidence_is_not_kept_from_a_session_that_is_forked(
    memory: Memory, tmp_path: Path, begun: int
) -> None:
    def line(second: int, kind: str, **payload: object) -> str:
        at = f"2026-05-10T13:00:00.{second:03}Z" if second < 10 else f"2026-05-10T13:00:{second}Z"
        return json.dumps({"type": kind, "timestamp": at, "payload": payload}) + "\n"

    def message(second: int, role: str, text: str) -> str:
        content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
        return line(second, "response_item", type="message", role=role, content=content)

    fork = [line(0, "session_meta", id="c-2", cwd="/b", forked_from_id="c-1"), message(1, *TOLD), message(2, *SALARY)]
    own = [message(30, "user", "And now?"), message(40, *ECHO), message(50, *ANSWER)]
    path = tmp_path / "rollout.jsonl"
    for count in (begun, len(own) + len(fork)):
        path.write_text("".join([*fork, *own][:count]))
        memory.capture(path)
    answer = "\n".join(said(memory))
    assert ("Blumentopf99" in answer, "81,500" in answer, "File them online by July." in answer) == (False, False, True)


def test_of_an_answer_to_much_that_is_private_what_has_nothing_to_do_with_it_is_kept(
    memory: Memory, tmp_path: Path
) -> None:
    much = (
        "Our customer Brightwater pays 4,200 a month for the gateway, the contract is renewed in spring, their contact"
        " Dana wants a discount on the database cluster, and sales must not hear of the migration of the search index."
    )
    about = "Dana may get one. The discount on the cluster is risky. Brightwater pays too little. It is 4,200 now."
    rest = (
        "The build bundles the icons twice. Drop the database mock from the tests. The contract tests run in parallel."
    )
    asked = ("user", f"<private>{much}</private> Why is the build slow?")
    memory.capture(talk(tmp_path, "s1", asked, ("assistant", f"{about} {rest}")))
    assert said(memory) == ["Why is the build slow?", rest]


def test_a_space_that_allows_secrets_keeps_them_in_answers_too(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory()
    memory.create_space("lab")
    set_secrets(memory.core, "allow", space="lab")
    memory.capture(talk(tmp_path, "s1", TOLD, ECHO), space="lab")
    assert [one.text for one in memory.list(space="lab", kinds=["message"], order="position")] == [TOLD[1], ECHO[1]]


def test_a_word_that_is_a_password_somewhere_is_kept_elsewhere(memory: Memory, tmp_path: Path) -> None:
    told = ("user", "The password of the test database is postgres.")
    memory.capture(talk(tmp_path, "s1", told, ("assistant", "The test database runs postgres 16.")))
    assert said(memory)[1] == "The test database runs postgres 16."
