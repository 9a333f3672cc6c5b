"""Makes the small store file that a test opens with every later version: `python tools/make_store.py`.

Run it once for every new format, before the release that brings it; files of earlier formats stay as they are.
"""

from __future__ import annotations

import sqlite3
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import recollect
from recollect import Settings
from recollect.store.migrations import MIGRATIONS

FOLDER = Path(__file__).parents[1] / "tests" / "store" / "stores"


def main() -> None:
    target = FOLDER / f"format_{len(MIGRATIONS)}.db"
    if target.exists():
        raise SystemExit(f"{target} is there already; a released format never changes")
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        shrink(Path(folder) / "recollect.db", target)
    print(f"{target}: {target.stat().st_size:,} bytes")


def fill(home: Path) -> None:
    """A little of all: two versions, a forgotten record, an entity, a fact, a session, a claim, a mark."""
    moments, numbers = count(), count(1)

    def clock() -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(moments))

    settings = Settings(home=home, embedder="none")
    with recollect.open(settings=settings, clock=clock, new_id=lambda: f"made{next(numbers)}") as memory:
        memory.remember("The gateway validates tokens with RS256.", id="gateway", tags=["auth"], title="Auth")
        memory.revise("gateway", "The gateway validates tokens with ES256.", reason="rotated")
        memory.remember("A secret that was forgotten.", id="secret")
        memory.forget("secret")
        memory.remember("東京の会議は金曜日です。", id="meeting", session="s1", role="user", metadata={"n": [1, None]})
        memory.entity("Ada Lovelace", id="ada", type="person", aliases=["Countess"])
        memory.relate("ada", "works on", "Analytical Engine")
        memory.remember("Elsewhere the Countess wrote notes.", id="notes", space="other")
        known = {"scopes": ["scope:work"], "claim": {"subject": "ada", "predicate": "wrote", "value": "notes"}}
        memory.remember(
            "The Countess wrote notes.", id="claim", space="other", grounds={**known, "evidence": ["notes"]}
        )
        memory.remember("What leaves nothing but a mark.", id="thinned", space="other")
        memory.forget("thinned", space="other")
        memory.remember("What is told since.", id="since", space="other")
        memory.forget("since", space="other")
        memory.thin(older_than=timedelta(seconds=2), space="other")


def shrink(made: Path, target: Path) -> None:
    connection = sqlite3.connect(made)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA page_size = 512")
    connection.execute("VACUUM")
    connection.close()
    target.write_bytes(made.read_bytes())


if __name__ == "__main__":
    main()
