"""A store as a person with three agents might have it after some months. All of it is made up.

`python -m tools.lifelike FOLDER` writes one; `make screenshots` and the tests of the page look at it.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import recollect
from recollect import Memory, Settings

TODAY = datetime(2026, 5, 20, 9, 0, tzinfo=UTC)

NOTES: tuple[tuple[int, str, str, str, dict[str, Any]], ...] = (
    # days ago, who, space, text, what else is said
    (148, "claude-code", "work", "The orchard web shop runs on Django 5 behind Caddy, on one Hetzner machine in Falkenstein.",
     {"project": "orchard", "room": "infrastructure", "tags": ["hosting"]}),
    (147, "claude-code", "work", "Decision: orders are kept in PostgreSQL, not in SQLite, because two workers write at once.",
     {"project": "orchard", "room": "decisions", "kind": "decision", "tags": ["database"]}),
    (141, "cursor", "work", "Always run `make check` before a pull request in orchard; CI rejects unformatted code.",
     {"project": "orchard", "room": "conventions", "kind": "rule", "tags": ["pinned", "ci"], "importance": 0.9}),
    (133, "claude-code", "work", "Payment webhooks from Mollie arrive twice about once a day; the handler must be idempotent.",
     {"project": "orchard", "room": "payments", "tags": ["mollie", "webhooks"], "importance": 0.8}),
    (126, "cli", "work", "Prices are stored in cents as integers, never as floats.",
     {"project": "orchard", "room": "conventions", "kind": "rule", "tags": ["money"]}),
    (120, "codex", "work", "The nightly export to the accountant runs at 02:30 and writes DATEV CSV into /srv/export.",
     {"project": "ledger", "room": "jobs", "tags": ["datev", "cron"]}),
    (114, "claude-code", "work", "Ines prefers small pull requests with one idea each, and commit messages in plain sentences.",
     {"room": "people", "kind": "preference", "tags": ["review"]}),
    (109, "codex", "work", "Deploys of ledger happen on Fridays before lunch from the release branch.",
     {"project": "ledger", "room": "deploys", "tags": ["release"]}),
    (101, "claude-code", "work", "The staging database is refreshed from production every Sunday; mail addresses are scrambled.",
     {"project": "orchard", "room": "infrastructure", "tags": ["staging"]}),
    (95, "cursor", "work", "Feature flags live in config/flags.toml and are read at start; a change needs a restart.",
     {"project": "orchard", "room": "conventions", "tags": ["flags"]}),
    (88, "claude-code", "work", "Checkout was slow because the basket recomputed shipping for every line; caching it by postcode cut it from 900 ms to 120 ms.",
     {"project": "orchard", "room": "payments", "tags": ["performance"], "importance": 0.7}),
    (80, "codex", "work", "Decision: ledger keeps one table of bookings that is only ever appended to; corrections are bookings too.",
     {"project": "ledger", "room": "decisions", "kind": "decision", "tags": ["database"]}),
    (74, "claude-code", "work", "Mara from the accountant's office answers questions about DATEV fields within a day: mara@steuer-nord.example.",
     {"room": "people", "tags": ["datev"]}),
    (66, "cursor", "work", "The product images are resized by a worker called pomona; it holds at most two in memory.",
     {"project": "orchard", "room": "infrastructure", "tags": ["images", "pomona"]}),
    (59, "claude-code", "work", "TODO: write a runbook for restoring the orders database from the Falkenstein backup.",
     {"project": "orchard", "room": "infrastructure", "kind": "work_item", "status": "open", "tags": ["backup"]}),
    (52, "codex", "work", "Ledger's tests need TZ=Europe/Berlin; with UTC the month-end cases fail.",
     {"project": "ledger", "room": "conventions", "tags": ["tests"]}),
    (47, "claude-code", "work", "The Mollie API key is read from the systemd credential mollie-key, not from the environment.",
     {"project": "orchard", "room": "payments", "tags": ["mollie", "secrets"]}),
    (39, "cursor", "work", "Search on the shop uses trigram indexes; German compound words need the unaccent dictionary too.",
     {"project": "orchard", "room": "search", "tags": ["postgres", "search"]}),
    (33, "claude-code", "work", "When the queue of pomona is longer than 500, uploads answer with 503 and Retry-After.",
     {"project": "orchard", "room": "infrastructure", "tags": ["pomona", "limits"]}),
    (26, "codex", "work", "The VAT rate for gift baskets is the higher one as soon as one article in it has that rate.",
     {"project": "ledger", "room": "rules of tax", "tags": ["vat"], "importance": 0.8}),
    (21, "claude-code", "work", "Deploys of ledger happen on Fridays before lunch time, from the release branch.",
     {"project": "ledger", "room": "deploys", "tags": ["release"]}),
    (17, "cursor", "work", "Text from customers is shown as text: <b>bold</b> & <script>alert('no')</script> must never be markup.",
     {"project": "orchard", "room": "conventions", "tags": ["security"]}),
    (12, "claude-code", "work", "Refunds over 200 euros need Ines's approval in the admin before they are sent to Mollie.",
     {"project": "orchard", "room": "payments", "kind": "rule", "tags": ["mollie", "refunds"], "importance": 0.85}),
    (8, "codex", "work", "The accountant wants the export at 04:00 instead of 02:30 from June on.",
     {"project": "ledger", "room": "jobs", "tags": ["datev", "cron"]}),
    (5, "claude-code", "work", "Pomona was rewritten in Rust; memory fell from 900 MB to 140 MB, and the limit of two images went away.",
     {"project": "orchard", "room": "infrastructure", "tags": ["pomona", "performance"], "importance": 0.7}),
    (3, "claude-code", "work", "The shop's search box must keep what was typed when a filter is changed; customers complained twice.",
     {"project": "orchard", "room": "search", "tags": ["ux"]}),
    (1, "cursor", "work", "The new checkout is behind the flag checkout-v2 and is on for a tenth of the visitors.",
     {"project": "orchard", "room": "payments", "tags": ["flags"]}),
    (90, "claude-desktop", "home", "The boiler is serviced in October by Wendt, telephone 0431 555 0142; the contract is in the blue folder.",
     {"room": "house", "tags": ["boiler"]}),
    (70, "claude-desktop", "home", "Jonas is allergic to hazelnuts; almonds are fine.", {"room": "family", "kind": "preference", "tags": ["pinned", "food"], "importance": 0.95}),
    (41, "claude-desktop", "home", "The bike shed's code is 2291 and is changed each spring.", {"room": "house", "tags": ["codes"]}),
    (30, "claude-desktop", "home", "Library books go back on the first Saturday of the month.", {"room": "family"}),
    (9, "claude-desktop", "home", "Ferry to Langeland: take the one at 8:45, the later one is full of lorries.", {"room": "travel", "tags": ["ferry"]}),
    (2, "claude-desktop", "home", "Tomatoes do well on the south wall; the ones by the shed got blight two years running.", {"room": "garden"}),
)  # fmt: skip

PROPOSED = (
    (2, "claude-code", "work", "Customers from Austria must see prices with 20 % VAT.", {"project": "orchard", "room": "rules of tax", "status": "candidate"}),
    (1, "codex", "work", "The accountant prefers one file per month over one per week.", {"project": "ledger", "room": "jobs", "status": "candidate"}),
    (0, "claude-code", "work", "Ines wants release notes in German and English.", {"room": "people", "kind": "preference", "status": "candidate"}),
)  # fmt: skip

FACTS: tuple[tuple[int, str, str, str], ...] = (
    (140, "orchard", "runs on", "Falkenstein machine"), (140, "orchard", "uses", "PostgreSQL"), (140, "orchard", "is served by", "Caddy"),
    (133, "orchard", "takes payments with", "Mollie"), (120, "ledger", "exports to", "DATEV"), (120, "ledger", "uses", "PostgreSQL"),
    (110, "Ines", "maintains", "orchard"), (110, "Ines", "maintains", "ledger"), (105, "Tomke", "reviews", "orchard"),
    (74, "Mara", "works at", "Steuer Nord"), (74, "Steuer Nord", "receives", "DATEV"), (66, "pomona", "belongs to", "orchard"),
    (66, "pomona", "is written in", "Python"), (5, "pomona", "is written in", "Rust"), (60, "staging", "is a copy of", "orchard"),
    (58, "Falkenstein machine", "is rented from", "Hetzner"), (47, "Mollie", "signs", "webhooks"), (44, "webhooks", "are handled by", "orchard"),
    (39, "orchard", "searches with", "trigram index"), (39, "trigram index", "is part of", "PostgreSQL"), (30, "Tomke", "maintains", "pomona"),
    (26, "ledger", "follows", "VAT rules"), (20, "checkout-v2", "is a flag of", "orchard"), (12, "refunds", "are approved by", "Ines"),
    (100, "Jan", "maintains", "staging"), (15, "Tomke", "maintains", "staging"), (8, "export job", "belongs to", "ledger"),
    (120, "export job", "runs at", "02:30"), (8, "export job", "runs at", "04:00"),
)  # fmt: skip

RUNBOOK = """# Restoring the orders database

## Before you begin
Say so in the channel, and stop the workers: `systemctl stop orchard-worker@*`. Orders that come in meanwhile are kept by
Caddy for ten minutes and then refused.

## From the nightly backup
Backups lie in Falkenstein under /srv/backup/orders, one for each night of the last fourteen. Check the age before anything
else: a backup that is older than a day means that the job has failed, and that is the first thing to mend.

## Afterwards
Compare the number of orders of the last hour with Mollie's list. Every payment without an order is entered by hand.
"""


class Days:
    """A clock that is set to so many days ago, and goes on by itself a little."""

    def __init__(self, today: datetime) -> None:
        self._today = today
        self._now = today - timedelta(days=160)

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=7)
        return self._now

    def go_to(self, days_ago: float) -> None:
        self._now = max(self._now, self._today - timedelta(days=days_ago))


@contextmanager
def opened(folder: Path, embedder: str, today: datetime) -> Generator[tuple[Memory, Days]]:
    clock, numbers = Days(today), count(1)
    settings = Settings(home=folder, embedder=embedder, embed_threads=2, embed_delay=600.0)
    with recollect.open(settings=settings, clock=clock, new_id=lambda: f"m{next(numbers):05}") as memory:
        yield memory, clock


def write(folder: Path, *, embedder: str = "none", today: datetime = TODAY) -> dict[str, str]:
    """Writes the store, and answers with the id of each text by how it begins."""
    known: dict[str, str] = {}
    with opened(folder, embedder, today - timedelta(hours=2)) as (memory, clock):
        memory.create_space("work", description="The shop and its books.")
        memory.create_space("home", description="House, garden and family.")
        doings: list[tuple[float, Any]] = [(note[0], note) for note in (*NOTES, *PROPOSED)]
        doings += [(fact[0], fact) for fact in FACTS]
        for number, (days, doing) in enumerate(sorted(doings, key=lambda one: -one[0])):
            clock.go_to(days + (number * 7 % 10) / 24)
            if len(doing) == 4:
                memory.acting_as("claude-code").relate(
                    doing[1], doing[2], doing[3], space="work", replaces=doing[2] in ("is written in", "runs at")
                )
            else:
                _, actor, space, text, fields = doing
                receipt = memory.acting_as(actor).remember(text, space=space, **fields)
                known[text] = str(receipt.id)
        _change(memory, clock, known)
        if embedder != "none":
            memory.embed_waiting()
    return known


def _change(memory: Memory, clock: Days, known: dict[str, str]) -> None:
    """What was corrected, replaced, and brought in."""
    clock.go_to(1.5)
    memory.acting_as("cli").ingest(
        RUNBOOK,
        source="docs/runbook.md",
        title="Runbook: orders database",
        space="work",
        project="orchard",
        room="infrastructure",
    )
    flags = next(id for text, id in known.items() if text.startswith("Feature flags"))
    memory.acting_as("cli").revise(
        flags,
        "Feature flags live in config/flags.toml and are read again on SIGHUP; no restart is needed.",
        reason="changed with release 41",
    )
    images = next(id for text, id in known.items() if text.startswith("The product images"))
    memory.acting_as("claude-code").revise(images, tags=["images", "pomona", "queue"])
    memory.acting_as("claude-code").remember(
        "Orders are kept in PostgreSQL 17 since the move in May; the two workers write through pgbouncer.",
        space="work",
        kind="decision",
        project="orchard",
        room="decisions",
        tags=["database"],
        replaces=next(id for text, id in known.items() if text.startswith("Decision: orders")),
        reason="the move is done",
    )
    doubted = next(id for text, id in known.items() if text.startswith("Library books"))
    memory.acting_as("claude-desktop").contest(doubted, reason="the library has new hours")


if __name__ == "__main__":
    print(
        len(write(Path(sys.argv[1]), embedder=sys.argv[2] if len(sys.argv) > 2 else "bundled", today=datetime.now(UTC)))
    )
