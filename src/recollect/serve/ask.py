"""How is a client asked for something, and its answer awaited?

A request of ours goes out beside the answers, while the call that needs it waits in its own thread; the client's answer
comes in through the thread that reads. The wait ends with the answer, when the caller withdraws the call, or when the
time is over; then the client is told that nobody waits any more.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from itertools import count
from urllib.parse import unquote, urlsplit

from recollect.contracts.tool import Ask, Cancellation, Question
from recollect.errors import Cancelled, CompleterError
from recollect.serve.message import Reply, encode_notification, encode_request
from recollect.types import Json, Sample, Sampled

SAMPLE_SECONDS = 300.0
"""A person may have to read and allow the request first."""
ROOTS_SECONDS = 2.0
"""A client knows its roots without asking anybody."""
HEARING_SECONDS = 0.05
"""A withdrawn call stops waiting within this time."""


SAMPLE, _SAMPLING = "sample", "sampling/createMessage"
CLOSED = "it has closed its end of the connection"


class _Pending:
    """A request of ours that is under way."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.reply: Reply | None = None


class Asking:
    """The requests that one client has not answered yet."""

    def __init__(self, seconds: float = SAMPLE_SECONDS) -> None:
        self._seconds = seconds
        self._numbers = count(1)
        self._open: dict[str | int, _Pending] = {}
        self._deaf = False

    def settle(self, reply: Reply) -> bool:
        """Takes an answer to whoever waits for it; False where nobody does."""
        pending = self._open.get(reply.id)
        if pending is None:
            return False
        pending.reply = reply
        pending.answered.set()
        return True

    def close(self) -> None:
        """No answer can come any more: whoever waits for one is told so, and whoever asks from now on."""
        self._deaf = True
        for id in tuple(self._open):
            self.settle(Reply(id, problem=CLOSED))

    def asker(self, cancellation: Cancellation, send: Callable[[bytes], None]) -> Ask:
        """A function that puts questions to the client, one after the other, and waits for what it says."""

        def ask(questions: Mapping[str, Question]) -> Mapping[str, Json]:
            return {name: self._answer(question, cancellation, send) for name, question in questions.items()}

        return ask

    def _answer(self, question: Question, cancellation: Cancellation, send: Callable[[bytes], None]) -> Json:
        reply = self._ask(question.method, question.params, cancellation, send, self._seconds)
        if reply.problem is not None:
            wanted = "lend its model" if question.method == _SAMPLING else f"answer {question.method}"
            raise CompleterError(f"the client did not {wanted}: {reply.problem}")
        return reply.result

    def roots(self, cancellation: Cancellation, send: Callable[[bytes], None]) -> tuple[str, ...]:
        """The folders that the client works in; none where it does not say so soon."""
        return _folders(self._ask("roots/list", {}, cancellation, send, min(self._seconds, ROOTS_SECONDS)))

    def _ask(
        self, method: str, params: Mapping[str, Json], cancellation: Cancellation, send: Callable[[bytes], None],
        seconds: float,
    ) -> Reply:  # fmt: skip
        id, pending = f"recollect-{next(self._numbers)}", _Pending()
        self._open[id] = pending
        try:
            if self._deaf:
                return Reply(id, problem=CLOSED)
            send(encode_request(id, method, params))
            end = time.monotonic() + seconds
            while not pending.answered.wait(HEARING_SECONDS):
                if cancellation.requested or time.monotonic() > end:
                    told = {"requestId": id, "reason": "nobody waits for the answer any more"}
                    send(encode_notification("notifications/cancelled", told))
                    if cancellation.requested:
                        raise Cancelled("the caller withdrew the request")
                    return Reply(id, problem=f"it did not answer within {seconds:g} seconds")
        finally:
            del self._open[id]
        assert pending.reply is not None, "an answer comes before its event is set"
        return pending.reply


def _folders(reply: Reply) -> tuple[str, ...]:
    """The paths of the roots that a client told; what is no file of this machine is left out."""
    result = reply.result
    told = result.get("roots") if isinstance(result, Mapping) else None
    uris = [root.get("uri") for root in told if isinstance(root, Mapping)] if isinstance(told, list) else []
    paths = [urlsplit(uri) for uri in uris if isinstance(uri, str)]
    lead = 1 if os.name == "nt" else 0  # /C:/folder
    return tuple(
        unquote(found.path)[lead:] for found in paths if found.scheme == "file" and found.netloc in ("", "localhost")
    )


def sampler(ask: Ask) -> Sample:
    """A function that has the client's own model write something."""

    def sample(system: str, prompt: str, max_tokens: int) -> Sampled:
        params: dict[str, Json] = {
            "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
            "systemPrompt": system,
            "maxTokens": max_tokens,
        }
        return _sampled(ask({SAMPLE: Question(_SAMPLING, params)})[SAMPLE])

    return sample


def _sampled(result: Json) -> Sampled:
    content = result.get("content") if isinstance(result, Mapping) else None
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    text = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(result, Mapping) or not text.strip():
        raise CompleterError("the client's model answered without a text")
    model = result.get("model")
    return Sampled(text.strip(), model if isinstance(model, str) else None)
