"""Recall over the wire: a palace of sixty drawers asked in other words, its halves and quarters, by the real models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.contracts.clients import Server, Table
from tests.contracts.trusty_memory.paraphrases import ASKED, DRAWERS

import recollect
from recollect import Memory
from recollect.contracts.registry import CONTRACTS

PARTS = (1, 2, 4)
"""Into so many palaces the drawers are dealt: all of them in one, then halves, then quarters."""


def name_of(parts: int, part: int) -> str:
    return f"kiosk-{parts}-{part}"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store in which each fourth drawer is as important as can be, and code and documents of others lie between."""
    with recollect.open(tmp_path_factory.mktemp("kiosk")) as memory:
        for parts in PARTS:
            for number, (key, (room, text)) in enumerate(DRAWERS.items()):
                weight = 1.0 if number // parts % 4 == 0 else 0.5
                space = name_of(parts, number % parts)
                memory.remember(text, space=space, room=room, importance=weight, id=f"{key}-{parts}")
        memory.remember("def token_check(): return 'RS256'", space=name_of(1, 0), kind="code", importance=1.0, id="c")
        memory.remember("Chapter 4. Postgres.", space=name_of(1, 0), kind="document", importance=1.0, id="d")
        memory.embed_waiting()
        yield memory


@pytest.fixture
def usual() -> dict[str, Any]:
    return {}


@pytest.fixture
def start(kept: Memory) -> Callable[..., Table]:
    """Reaches the store by whichever contract."""
    return lambda contract, space=None: Table(CONTRACTS[contract].make(kept, space))


@pytest.fixture
def palaces(start: Callable[..., Table]) -> Table:
    return start("trusty-memory")


def questions(parts: int) -> Iterator[tuple[str, str, str]]:
    """Each question with the palace in which its answer lies, and the id of that."""
    places = {key: name_of(parts, number % parts) for number, key in enumerate(DRAWERS)}
    for question, key in ASKED.items():
        yield question, places[key], f"{key}-{parts}"


def ask(server: Table, tool: str, palace: str, query: str, **more: Any) -> list[str]:
    return [row["drawer_id"] for row in server.call(tool, palace=palace, query=query, **more)["results"]]


@pytest.mark.parametrize("parts", PARTS)
def test_recall_has_the_answer_first_as_often_as_the_search_of_another_contract(
    palaces: Table, start: Callable[..., Table], parts: int
) -> None:
    spaces = [name_of(parts, part) for part in range(parts)]
    others = {space: start("memory-mcp", space) for space in spaces}
    ours = theirs = 0
    for question, palace, id in questions(parts):
        (best,) = others[palace].call("search", query=question, limit=1)["results"]
        theirs += best["id"] == id
        ours += ask(palaces, "memory_recall", palace, question)[0] == id
    assert ours >= theirs


@pytest.mark.parametrize("tool", ["memory_recall", "memory_recall_deep"])
@pytest.mark.parametrize("parts", PARTS)
def test_nearly_every_answer_is_among_the_ten(palaces: Table, tool: str, parts: int) -> None:
    missed = [question for question, palace, id in questions(parts) if id not in ask(palaces, tool, palace, question)]
    assert len(missed) <= 2, missed


@pytest.mark.slow
@pytest.mark.parametrize("top_k", [1, 3])
def test_deep_recall_finds_as_much_as_the_plain_one(palaces: Table, top_k: int) -> None:
    plain, deep = (
        sum(id in ask(palaces, tool, palace, question, top_k=top_k) for question, palace, id in questions(1))
        for tool in ("memory_recall", "memory_recall_deep")
    )
    assert deep >= plain - 1  # of forty: where the best has a score of 0.03, which stands first is chance


def test_no_match_stands_below_what_is_only_important_nor_is_cut_off_by_it(
    palaces: Table, start: Callable[..., Table]
) -> None:
    engine = start("native")
    for question, palace, _ in questions(2):
        rows = palaces.call("memory_recall", palace=palace, query=question, top_k=5)["results"]
        found = engine.call("recall", query=question, space=palace, limit=5)["hits"]
        layers = [row["layer"] for row in rows]
        assert (layers.count(2), layers) == (len(found), sorted(layers, reverse=True))
        assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_code_and_documents_of_others_are_no_drawers_unless_their_room_is_asked_for(palaces: Table) -> None:
    palace = name_of(1, 0)
    for tool in ("memory_recall", "memory_recall_deep"):
        for question in ("def token_check RS256", "Chapter 4. Postgres", "what matters most?"):
            assert not {"c", "d"} & set(ask(palaces, tool, palace, question, top_k=100))
    listed = palaces.call("memory_list", palace=palace, room="General")["drawers"]
    assert {"c", "d"} <= {drawer["drawer_id"] for drawer in listed}


def test_likely_answers_grow_more_important_and_what_else_was_shown_does_not(
    serve: Callable[..., Server],
) -> None:
    server = serve("--as", "trusty-memory", "--palace", "p")
    for _, text in list(DRAWERS.values())[::4]:
        server.call("memory_remember", text=text)
    shown: Counter[str] = Counter()
    for question in ASKED:
        rows = server.call("memory_recall", query=question)["results"]
        shown.update(row["drawer_id"] for row in rows if row["score"] >= 0.5)
    server.close()
    listed = serve("--as", "trusty-memory", "--palace", "p").call("memory_list")["drawers"]
    grown = {drawer["drawer_id"]: drawer["importance"] for drawer in listed}
    assert {id for id, importance in grown.items() if importance > 0.5} == set(shown)
    assert all(grown[id] == pytest.approx(0.5 + min(0.05 * shown[id], 0.3), abs=0.001) for id in grown)
    assert 0 < len(shown) < len(grown)
