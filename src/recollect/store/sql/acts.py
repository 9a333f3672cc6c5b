"""Which entries of the journal belong together?

An act is what one thread does in one space, in one transaction or in the several that it says are one. Its first entry
names it, and the others refer to that.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from recollect.store.sql.database import Row
from recollect.types import Act, Change


class Acts(threading.local):
    """The first entry, by space, of what each thread is doing."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        self._depth = 0

    @contextmanager
    def one(self, of: Mapping[str, int] | None = None) -> Generator[Mapping[str, int]]:
        """Whatever is written meanwhile is one act, or belongs to one `of` another thread: its first entry by space.

        What was taken back with its transaction never began.
        """
        before = dict(self.first)
        self.first.update(of or {})
        self._depth += 1
        try:
            yield self.first
        except BaseException:
            self.first.clear()
            self.first.update(before)
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self.first.clear()


def to_act(first: Change, others: Sequence[Row], about: str | None) -> Act:
    """An act, of its first entry and how many others there are. A note among them says what all of them are."""
    verbs, verb, reason = Counter({first.verb: 1}), first.verb, first.reason
    for name, type_, count, _, told in others:
        verbs[name] += count
        if type_ == "space" and first.object_type != "space":
            verb, reason = name, told
    last = max([first.entry, *(row[3] for row in others)])
    return Act(
        entry=first.entry, last=last, at=first.at, space=first.space, verb=verb, count=verbs.total(), verbs=verbs,
        actor=first.actor,
        object_type=first.object_type, object_id=first.object_id, reason=reason, about=about,
    )  # fmt: skip
