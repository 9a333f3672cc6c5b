"""Is everything derived the same, whether it grew with the writes or was made again from what is canonical?"""

# pyright: basic
from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.conftest import Clock

from recollect import Memory
from recollect.engine.care.rebuild import is_fresh
from recollect.store.sqlite import SqliteStore
from recollect.store.terms import hash_term, terms
from recollect.types import Filter


def live_a_little(memory: Memory) -> None:
    """Writes of every kind, several times over, in an order that makes names known before and after their records."""
    memory.remember("Grace Hopper wrote the compiler; the countess read it.", id="a", title="History")
    memory.remember("word " * 300 + "ends here with `os.path`", id="long")
    memory.remember("私は東京に住んでいます。banana 🎉", id="cjk", session="s")
    memory.entity("the countess", aliases=["Ada", "🎉"])
    memory.entity("東京", description="a city")
    memory.entity("京", space="default")
    memory.remember("Ada and the countess are one; ana is another.", id="b", session="s", tags=["x"])
    memory.entity("ana")
    memory.revise("a", "Grace Hopper wrote a linker for the countess.")
    memory.revise("a", importance=0.9)
    memory.invalidate("b", superseded_by="a")
    memory.remember("A secret of Grace Hopper.", id="gone")
    memory.revise("gone", "Another secret.")
    memory.forget("gone")
    memory.undo(memory.remember("Never said by Ada.", id="undone"))
    memory.undo(memory.revise("a", "Something else entirely."))
    memory.ingest("# Guide\n\nAda wrote.\n\n## More\n\nBabbage built.\n", source="g.md", title="G")
    memory.ingest("# Guide\n\nAda wrote it.\n\n## More\n\nBabbage built.\n", source="g.md", title="G")
    claim = {"subject": "Ada", "predicate": "wrote", "value": "notes"}
    memory.remember("Ada wrote notes.", id="claim", grounds={"scopes": ["x", "y"], "subjects": ["Ada"], "claim": claim})
    memory.revise("claim", grounds={"scopes": ["y"], "claim": claim, "evidence": ["long"]})
    memory.remember("Ada wrote none.", id="rival", grounds={"claim": {**claim, "value": None}})
    memory.forget("rival")
    memory.relate("Ada", "knew", "Babbage")
    memory.relate("Ada", "knew", "Mary Somerville")
    memory.remember("Elsewhere the countess is unknown.", space="other", id="a")
    memory.entity("unknown", space="other")
    memory.undo(
        next(change for change in memory.journal(limit=100) if change.verb == "name" and change.space == "other")
    )
    memory.remember("Short-lived words of Ada.", space="brief")
    memory.delete_space("brief")
    memory.ingest_conversation([{"role": "user", "content": "Is Ada there?"}] * 2, session="t", space="other")


def dump(path: Path) -> dict[str, object]:
    """All derived tables: what each version knows, and which versions each token of the index leads to."""
    with closing(sqlite3.connect(path)) as db:
        lexis = {
            version: (blob, sorted(msgspec.json.decode(names)) if live else [])
            for version, blob, names, live in db.execute(
                "SELECT lexis.version, terms, names, retired_at IS NULL FROM lexis JOIN records USING(version)"
            )
        }
        db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
        tokens = [token for (token,) in db.execute("SELECT term FROM temp.vocabulary ORDER BY term")]
        postings = {
            token: sorted(row[0] for row in db.execute("SELECT rowid FROM words WHERE words MATCH ?", (token,)))
            for token in tokens
        }
        vectors = db.execute(
            "SELECT model > 0, space_no, version, bits, half FROM signs JOIN halves USING(vector)"
            " ORDER BY version, bits, half"
        ).fetchall()
        return {
            "lexis": lexis,
            "postings": {token: versions for token, versions in postings.items() if versions},
            "names": db.execute("SELECT * FROM names ORDER BY 1, 2, 3").fetchall(),
            "tallies": db.execute("SELECT space_no, records, length FROM tallies ORDER BY 1").fetchall(),
            "vectors": vectors,
            "refs": db.execute("SELECT * FROM refs ORDER BY 1, 2, 3").fetchall(),
            "queue": db.execute("SELECT space_no, version FROM queue ORDER BY 1, 2").fetchall(),
        }


@pytest.mark.parametrize("embedder", ["none", "bundled"])
def test_reindexing_gives_what_the_writes_had_given(
    open_memory: Callable[..., Memory], tmp_path: Path, embedder: str
) -> None:
    memory = open_memory(embedder=embedder)
    memory.recall("so that the model is known from the beginning")
    live_a_little(memory)
    memory.embed_waiting()
    before = dump(tmp_path / "home" / "recollect.db")
    steps: list[tuple[str, int, int]] = []
    count = memory.reindex(lambda *step: steps.append(step))
    after = dump(tmp_path / "home" / "recollect.db")
    for table, rows in before.items():
        assert after[table] == rows, table
    assert count == len(before["lexis"])  # type: ignore[arg-type]
    assert ("words", count, count) in steps
    assert memory.check() == []


def test_the_index_holds_every_term_of_every_live_record(memory: Memory) -> None:
    live_a_little(memory)
    with memory.core.store.read() as view:
        for record in memory.list(space=None, valid_only=False, limit=100):
            hashes = [hash_term(term) for term in terms(f"{record.title or ''}\n{record.text}")]
            held = view.words([record.space], hashes, Filter(valid_only=False), None, every=True)
            assert record.version in held[record.space].versions


def test_reindexing_again_changes_nothing_canonical(memory: Memory) -> None:
    live_a_little(memory)
    before = (memory.journal(limit=1_000), memory.list(space=None, valid_only=False, limit=100))
    memory.reindex()
    assert (memory.journal(limit=1_000), memory.list(space=None, valid_only=False, limit=100)) == before


def test_a_reindex_that_is_broken_off_leaves_the_index_as_it_was(memory: Memory, tmp_path: Path) -> None:
    live_a_little(memory)
    before = dump(tmp_path / "home" / "recollect.db")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.reindex(stop)
    assert dump(tmp_path / "home" / "recollect.db") == before
    assert memory.recall("Grace Hopper")[0].record.id == "a"


def test_in_a_new_store_there_is_nothing_to_make_anew(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    SqliteStore(tmp_path / "bare.db", clock).close()
    made: list[object] = []
    for path in (tmp_path / "bare.db", tmp_path / "home" / "recollect.db"):
        with closing(sqlite3.connect(path)) as file:
            made.append(file.execute("PRAGMA schema_version").fetchone())
    assert made[0] == made[1]
    with memory.core.store.read() as view:
        assert is_fresh(view)
