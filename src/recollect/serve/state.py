"""How does somebody outside see how a service is: is it ready, what has it done, what changed?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import anyio.to_thread
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.responses import Response

from recollect.contracts.route import Feed, News
from recollect.engine.care.backups import known_backups, last_good
from recollect.engine.memory import Memory
from recollect.errors import Forbidden, InvalidInput, RecollectError
from recollect.serve.counted import Answer
from recollect.serve.http import HEADERS, Events, Exchange, only_get, write_json
from recollect.serve.log import Log
from recollect.serve.message import encode
from recollect.serve.watch import Watch
from recollect.types import Change

FOLLOWED = 1000
"""Entries that are read from the journal at once."""
_LATENCIES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Readiness:
    """`/readyz`: can it answer now? It cannot where its store cannot be read, and no more once it was told to end."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._ending = False

    def close(self) -> None:
        self._ending = True

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments != ("readyz",):
            return None
        only_get(exchange.method)
        problem = "ending" if self._ending else await anyio.to_thread.run_sync(self._look)
        found = {"ready": problem is None, "problem": problem, "model": self._memory.semantics.state().state}
        return write_json(200 if problem is None else 503, encode(found))

    def _look(self) -> str | None:
        try:
            self._memory.last_entry()
        except RecollectError as error:
            return error.code
        return None


class Journal:
    """`/events`: every change, as it is written, to those who may see its space; and what somebody missed."""

    def __init__(self, memory: Memory, log: Log) -> None:
        feed = Feed(
            hello={"type": "connected"},
            last_entry=memory.last_entry,
            follow=lambda after, seconds: memory.follow(after, seconds, limit=FOLLOWED),
            tell=_tell,
        )
        self._watch = Watch(feed, log)

    def close(self) -> None:
        self._watch.close()

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments != ("events",):
            return None
        only_get(exchange.method)
        return Events(self._watch.stream(_after(exchange), exchange.grant.sees), exchange)


def _tell(changes: Sequence[Change]) -> list[News]:
    return [News(change.entry, {"type": "change", **_fields(change)}, change.space) for change in changes]


def _fields(change: Change) -> dict[str, object]:
    return {name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not None}


def _after(exchange: Exchange) -> int | None:
    """The last entry that a listener knows of: as a browser tells it, or in the address."""
    named = {"after": exchange.request.query_params.get("after")}
    named["Last-Event-ID"] = exchange.request.headers.get("last-event-id")
    for name, said in reversed(named.items()):
        if said:
            if not (said.isascii() and said.isdigit() and len(said) < 19):
                raise InvalidInput(name, f"must be the number of an entry of the journal, not {said[:40]!r}")
            return int(said)
    return None


class Metrics:
    """`/metrics`: what Prometheus reads. It counts in all spaces, so it is for whoever sees all of them."""

    def __init__(self, memory: Memory, sessions: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        asked = ("method", "route", "status")
        self._requests = Counter("recollect_requests", "Requests that were answered.", asked, registry=self._registry)
        self._seconds = Histogram(
            "recollect_request_seconds", "Seconds until an answer begins.", ("route",), buckets=_LATENCIES,
            registry=self._registry,
        )  # fmt: skip
        self._registry.register(_Stock(memory, sessions))
        ProcessCollector(registry=self._registry)

    def close(self) -> None:
        """Nobody listens here."""

    def cancel_calls(self) -> None:
        """Nothing is called here."""

    def count(self, answer: Answer) -> None:
        self._requests.labels(answer.method, answer.route, answer.status).inc()
        self._seconds.labels(answer.route).observe(answer.seconds)

    async def answer(self, exchange: Exchange) -> Response | None:
        if exchange.segments != ("metrics",):
            return None
        only_get(exchange.method)
        if exchange.grant.spaces is not None or not exchange.grant.allows("admin"):
            raise Forbidden("/metrics tells of all spaces: it wants a token of the scope admin for --all-spaces")
        written = await anyio.to_thread.run_sync(generate_latest, self._registry)
        return Response(written, headers={**HEADERS, "Content-Type": CONTENT_TYPE_LATEST})


class _Stock(Collector):
    """What is read off the memory whenever somebody asks."""

    def __init__(self, memory: Memory, sessions: Callable[[], int]) -> None:
        self._memory = memory
        self._sessions = sessions

    def describe(self) -> list[Metric]:
        """Nothing is told before somebody asks: the store is not read while the service starts."""
        return []

    def collect(self) -> Iterator[Metric]:
        memory = self._memory
        with memory.core.store.read() as view:
            waiting, spaces = view.waiting(None).count, len(view.spaces())
        yield GaugeMetricFamily("recollect_store_bytes", "Bytes of the store on disk.", memory.size())
        backups, now = known_backups(memory.core), memory.core.clock()
        yield GaugeMetricFamily("recollect_backups", "Backups that there are.", len(backups))
        if (last := last_good(memory.core)) is not None:
            age = (now - last.at).total_seconds()
            yield GaugeMetricFamily("recollect_backup_age_seconds", "Seconds since the last good backup.", age)
        yield GaugeMetricFamily("recollect_spaces", "Spaces that there are.", spaces)
        yield GaugeMetricFamily("recollect_vectors_waiting", "Records that wait for a vector.", waiting)
        yield GaugeMetricFamily("recollect_sessions", "Sessions of the protocol that are open.", self._sessions())
        readers = memory.readers
        yield GaugeMetricFamily("recollect_readers", "Processes that answer recalls too.", len(readers.processes))
        yield CounterMetricFamily("recollect_read_elsewhere", "Recalls that those have answered.", readers.answered)
        seconds = CounterMetricFamily("recollect_model_seconds", "Seconds spent in a model.", labels=("model",))
        texts = CounterMetricFamily("recollect_model_texts", "Texts that a model has read.", labels=("model",))
        for effort in memory.semantics.efforts():
            seconds.add_metric([effort.model], effort.seconds)
            texts.add_metric([effort.model], effort.texts)
        yield from (seconds, texts)
        given = memory.unasked.injected(days=10_000)
        times = sum(day.times for day in given)
        tokens = sum(day.tokens for day in given)
        yield CounterMetricFamily("recollect_injections", "Times that a session was given something unasked.", times)
        yield CounterMetricFamily("recollect_injected_tokens", "Tokens that sessions were given unasked.", tokens)
