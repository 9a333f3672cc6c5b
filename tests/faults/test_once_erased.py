"""Who asks again after something was forgotten: do they get their first answer, without a word of what was?"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from msgspec import Raw
from tests.faults.spoken import Spoken
from tests.faults.test_once import CHANGES, Web, keyed
from tests.serve.up import Service

import recollect
from recollect import Conflict, Memory, Settings
from recollect.engine import once
from recollect.engine.care.secrets import kept_secrets, mask_kept
from recollect.engine.write.screen import set_secrets
from recollect.store.base import Shelf

FIRST, SECOND = "The cellar code is xylophone 4711.", "The cellar code is xylophone 4712."


def kept(memory: Memory) -> dict[str, once.Answered]:
    with memory.core.store.read() as view:
        return view.kept(once.ANSWERS)


def traces(home: Path, *words: str) -> list[str]:
    return [
        f"{word} in {file.name}"
        for file in sorted(home.rglob("*"))
        if file.is_file()
        for word in words
        if word.encode() in file.read_bytes()
    ]


@pytest.mark.parametrize("contract", CHANGES)
def test_a_retry_after_an_unrelated_forget_gets_the_first_answer(tmp_path: Path, contract: str) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        for number in range(3):
            memory.remember(f"A ship called number {number} leaves.", id=f"ship{number}")
    server = Spoken(tmp_path, "--as", contract)
    first = [keyed(server, f"key-{n}", *change) for n, change in enumerate(CHANGES[contract])]
    server.end()
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.forget("ship1")
    server = Spoken(tmp_path, "--as", contract)
    again = [keyed(server, f"key-{n}", *change) for n, change in enumerate(CHANGES[contract])]
    number = next(n for n, change in enumerate(CHANGES[contract]) if "reen" in str(change))
    tool, arguments = CHANGES[contract][number]
    changed = msgspec.json.decode(msgspec.json.encode(arguments).replace(b"een", b"y"))
    other = keyed(server, f"key-{number}", tool, changed)
    server.end()
    assert again == first
    assert "was used for another call" in str(other)


def test_a_retry_over_http_after_an_unrelated_forget_gets_the_first_answer(tmp_path: Path) -> None:
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.create_space("p")
        memory.remember("A ship leaves.", space="p", id="ship")
    web = Web(tmp_path)
    first = web.store("The lamp in the attic is green.", "k")
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        memory.forget("ship")
    again = web.store("The lamp in the attic is green.", "k")
    web.end()
    assert (first.status_code, again.content) == (200, first.content)


def test_a_word_in_the_inbox_is_answered_the_same_after_an_unrelated_forget(tmp_path: Path) -> None:
    twin = "Deploys happen from the release branch on Fridays after lunch"
    up = Service(tmp_path)

    def post(path: str, key: str, /, **body: str) -> httpx.Response:
        return up.web.post(f"/api/{path}", json=body, headers={"idempotency-key": key})

    try:
        texts = (f"{twin}.", f"{twin} time.", "A ship leaves.")
        stored = [post("records", f"key{number}", text=text) for number, text in enumerate(texts)]
        waiting = up.web.get("/api/inbox", params={"space": "default"}).json()
        matter = next(one for one in waiting if one["pile"] == "duplicates")["matters"][0]
        word = {"space": "default", "key": matter["key"], "answer": "newer"}
        first = post("inbox", "word", **word)
        gone = up.web.delete(f"/api/records/{stored[2].json()['id']}", headers={"idempotency-key": "gone"})
        again = [post("inbox", "word", **word), post("records", "key1", text=texts[1])]
    finally:
        up.close()
    assert (first.status_code, gone.status_code) == (200, 200)
    assert [one.content for one in again] == [first.content, stored[1].content]


def test_an_answer_keeps_its_ids_and_loses_what_it_quotes_of_what_was_forgotten(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory()
    first = memory.once("a", memory.remember, FIRST)
    second = memory.once("b", memory.remember, SECOND)
    third = memory.once("d", memory.remember, "Tea is made with hot water.")
    assert [one.text for one in second.already] == [FIRST]
    receipt = memory.once("c", memory.forget, first.id or "")
    again = memory.once("b", memory.remember, SECOND)
    quoted = tuple(msgspec.structs.replace(one, text=once.FORGOTTEN) for one in second.already)
    assert again == msgspec.structs.replace(second, already=quoted)
    assert memory.once("a", memory.remember, FIRST) == first
    assert memory.once("c", memory.forget, first.id or "") == receipt
    assert memory.once("d", memory.remember, "Tea is made with hot water.") == third
    with pytest.raises(Conflict, match="used for another call"):
        memory.once("d", memory.remember, "Tea is made with milk.")
    memory.close()
    assert traces(tmp_path, "4711") == []


@pytest.mark.parametrize("contract", ["native", "trusty-memory", "agentos", "rusty-mem"])
def test_no_hash_is_left_by_which_forgotten_text_could_be_guessed(tmp_path: Path, contract: str) -> None:
    tool, arguments = next(change for change in CHANGES[contract] if "reen" in str(change))
    server = Spoken(tmp_path, "--as", contract)
    for key in ("first", "twin"):  # the second changes nothing
        keyed(server, key, tool, {**arguments, **({"palace": "attic"} if contract == "trusty-memory" else {})})
    server.end()
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        before = [one.asked for one in kept(memory).values() if one.asked]
        assert len(before) == 2
        for record in memory.list(space=None, kinds=["memory", "document", "message"]):
            memory.forget(record.id, space=record.space)
        assert [one.asked for one in kept(memory).values() if one.asked] == []
        memory.compact()
    assert traces(tmp_path, *before) == []


def test_nothing_secret_or_private_can_be_guessed_from_what_was_asked_for() -> None:
    for secret, private in (("hunter2-Xk9", "a"), ("Zebra7-qqq", "b")):
        text = f'The password = "{secret}" of the door. <private>{private}</private>'
        assert once._print(msgspec.json.encode(["remember", [text]])) == once._print(
            msgspec.json.encode(["remember", ['The password = "hunter2-Xk9" of the door. <private>a</private>']])
        )
    assert once._print(b'["remember","one"]') != once._print(b'["remember","two"]')


def answer(memory: Memory, key: str, said: dict[str, Any]) -> dict[str, Any]:
    """What is kept, or was, as the answer of some call that quotes."""
    return msgspec.json.decode(once.do_once(memory.core, key, key.encode(), lambda: msgspec.json.encode(said)))


def test_quotations_are_found_in_any_form_and_nothing_else_is_touched(memory: Memory) -> None:
    memory.remember("Gate: 4711", id="pin")
    memory.remember("Die Losung für den Keller lautet Zwölfbärenkönigin, sagt Ännchen.", id="de", title="Losung Keller")
    memory.remember("金庫の合言葉は紫陽花の塔です", id="ja")
    memory.entity("Zerubabel", id="z", description="keeps the tower")
    memory.remember("Zerubabel has stored the kept record.", id="own")
    memory.revise("own", "Zerubabel hid it below the seventh stair.")
    said: dict[str, Any] = {
        "outcome": "stored", "id": "pin", "entry": 4711, "space": "default", "status": "kept",
        "text": "It said Gate: 4711 then.", "inner": '{"title":"Losung Keller","id":"de"}', "part": "合言葉は紫陽花の",
        "candidates": [{"name": "zerubabel"}, {"name": "Zwölfbärenkönigin"}], "old": "has stored the kept",
        "other": "The pin of the coat is silver.", "at": "2026-05-10T12:00:00Z",
    }  # fmt: skip
    assert answer(memory, "k", said) == said
    for id in ("pin", "de", "ja", "own"):
        memory.forget(id)
    gone = once.FORGOTTEN
    assert answer(memory, "k", {}) == {
        **said, "text": gone, "inner": f'{{"title":"{gone}","id":"de"}}', "part": gone,
        "candidates": [{"name": gone}, {"name": gone}], "old": gone,
    }  # fmt: skip


def test_a_word_that_others_say_too_is_no_quotation(memory: Memory) -> None:
    memory.remember("Harbour cranes are painted yellow by Ada.", id="a")
    memory.remember("Ada likes the harbour.", id="b")
    said = {"names": ["Ada", "harbour", "cranes"]}
    answer(memory, "k", said)
    memory.forget("a")
    assert answer(memory, "k", said) == {"names": ["Ada", "harbour", once.FORGOTTEN]}


def test_what_is_masked_evicted_or_a_fact_is_taken_out_of_answers_too(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = open_memory()
    memory.create_space("default")
    set_secrets(memory.core, "allow")
    memory.remember("The api_key is sk-proj-abcdEFGH1234ijklMNOP5678qrst.", id="s")
    fact = memory.relate("Ada", "guards", "Xanthippopolis", provenance="told by the old lighthouse keeper of Delft")
    said = {
        "text": "The api_key is sk-proj-abcdEFGH1234ijklMNOP5678qrst.",
        "known": "Ada is in Xanthippopolis.", "why": "told by the old lighthouse keeper of Delft",
    }  # fmt: skip
    assert answer(memory, "k", said) == said
    assert mask_kept(memory.core, kept_secrets(memory.core)) == 1
    memory.forget_fact(fact.id)
    memory.remember("The least of all notes is about a marmalade tin.", id="old", importance=0.0)
    answer(memory, "old", {"text": "It is about a marmalade tin."})
    memory.evict(cap=1, delete=True)
    assert answer(memory, "old", {}) == {"text": once.FORGOTTEN}
    assert answer(memory, "k", said) == dict.fromkeys(said, once.FORGOTTEN)
    memory.close()
    assert traces(tmp_path, "sk-proj", "Xanthippopolis", "lighthouse", "marmalade") == []


def test_a_space_takes_the_answers_along_that_were_given_in_it_and_no_others(memory: Memory) -> None:
    memory.create_space("private")
    here = memory.once("here", memory.remember, FIRST)
    memory.once("there", memory.remember, FIRST, space="private")
    memory.once("twin", memory.remember, FIRST, space="private")
    memory.clear_space("private")
    for key in ("there", "twin"):
        with pytest.raises(Conflict, match="was done; its answer was removed"):
            memory.once(key, memory.remember, FIRST, space="private")
    assert memory.once("here", memory.remember, FIRST) == here
    assert memory.list(space="private") == []


def test_work_in_steps_is_no_longer_compared_where_something_of_it_was_forgotten(
    memory: Memory, tmp_path: Path
) -> None:
    for name, text in (("a.md", FIRST), ("b.md", "Tea is made with hot water.")):
        (tmp_path / name).write_text(f"# Page\n\n{text}\n")
        memory.once(name, memory.ingest_file, tmp_path / name)
    before = memory.once("b.md", memory.ingest_file, tmp_path / "b.md")
    [page] = [one for one in memory.list(kinds=["document"]) if "4711" in one.text]
    memory.forget(page.id)
    assert {key: one.asked == "" for key, one in kept(memory).items() if one.asked is not None} == {
        "a.md": True, "b.md": False,
    }  # fmt: skip
    assert memory.once("b.md", memory.ingest_file, tmp_path / "b.md") == before


def test_answers_of_an_earlier_release_are_removed_with_the_first_that_is_erased(memory: Memory) -> None:
    old = Shelf("answers", dict)
    memory.remember(FIRST, id="a")
    with memory.core.store.write() as edit:
        told = {"at": edit.now.isoformat(), "asked": blake2b(b"x").hexdigest(), "answer": {"text": FIRST}}
        edit.keep(old, {"old": told})
    memory.once("new", memory.remember, SECOND)
    memory.forget("a")
    with pytest.raises(Conflict, match="its answer was removed"):
        memory.once("old", memory.remember, FIRST)
    assert kept(memory)["old"].answer == Raw(b"null")
    assert memory.once("new", memory.remember, SECOND).already[0].text == once.FORGOTTEN


def test_no_answer_tells_what_was_given_with_something_forgotten(tmp_path: Path) -> None:
    given = {"where": "https://in.example/plughtwo", "customer_id": "plughthree", "plughfour": 1, "role": "plughfive"}
    given |= {"pin": 84720517, "within": {"plughsix": [84720518]}, "note": "the plughseven here"}
    server = Spoken(tmp_path, "--as", "memory-mcp")
    stored = keyed(server, "k1", "store_memory", {"content": "The vault word is plughone.", "metadata": given})
    id_ = msgspec.json.decode(stored["content"][0]["text"])["id"]
    update = {"id": id_, "content": "The vault word is now plughtwo."}
    updated = keyed(server, "k2", "update_memory", update)
    keyed(server, "k3", "delete_memory", {"id": id_})
    again = keyed(server, "k2", "update_memory", update)
    server.end()
    assert all(word in str(updated) for word in ("plughfive", "84720518"))
    assert id_ in str(again)
    with recollect.open(settings=Settings(home=tmp_path, embedder="none")) as memory:
        assert memory.check() == []
    assert traces(tmp_path, "plugh", "8472051") == []


def test_a_key_of_a_call_that_changed_nothing_is_refused_for_another_after_an_unrelated_forget(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    ship = memory.remember("A ship leaves.")
    kettle = memory.remember("The kettle is blue.")
    again = memory.once("k", memory.remember, "The kettle is blue.")
    assert (again.outcome, again.id) == ("deduplicated", kettle.id)
    memory.forget(ship.id or "")
    assert memory.once("k", memory.remember, "The kettle is blue.") == again
    with pytest.raises(Conflict, match="was used for another call"):
        memory.once("k", memory.remember, "The cellar key hangs left.")
    memory.forget(kettle.id or "")
    assert "" in [one.asked for one in kept(memory).values()]
