"""What did the hooks of clients do on this machine?

One line of JSON for each call in `hooks.jsonl`, beside the store: whatever befell the store, this can be written. The
file is begun anew when it is large, and the one before it is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from recollect import private
from recollect.forms import decode

FILE = "hooks.jsonl"
DISCONNECTED = "disconnected"
"""Stands in the place of an event where a client was disconnected: what it called before no longer tells anything."""
_LARGE = 1_000_000  # bytes


class HookCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a hook: who called, what came of it, and what went wrong if something did."""

    at: datetime
    client: str
    event: str
    milliseconds: int = 0
    tokens: int = 0
    records: int = 0
    captured: int = 0
    session: str | None = None
    project: str | None = None
    reason: str | None = None
    problem: str | None = None


def log_call(home: Path, call: HookCall) -> None:
    """Adds a line, where there is a folder for it. Lines of processes that write at the same time stay whole."""
    if not home.is_dir():
        return
    path = home / FILE
    line = msgspec.json.encode(call) + b"\n"
    file = private.open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, line)
        large = os.fstat(file).st_size > _LARGE
    finally:
        os.close(file)
    if large:
        os.replace(path, path.with_name(f"{FILE}.1"))


def read_calls(home: Path) -> Iterator[HookCall]:
    """All calls that are still known, the oldest first; a line that was cut short is left out."""
    for name in (f"{FILE}.1", FILE):
        path = home / name
        lines = private.read_file(path).splitlines() if path.exists() and private.is_plain(path) else []
        yield from (call for line in lines if (call := _parse(line)) is not None)


def _parse(line: bytes) -> HookCall | None:
    try:
        return decode(line, HookCall)
    except msgspec.DecodeError:
        return None


def last_calls(home: Path) -> dict[str, HookCall]:
    """The last call of each client that was not disconnected since."""
    last = {call.client: call for call in read_calls(home)}
    return {client: call for client, call in last.items() if call.event != DISCONNECTED}
