"""How is a client asked for something, and its answer awaited?

A request of ours goes out beside the answers, while the call that needs it waits in its own thread; the client's answer
comes in through the thread that reads. The wait ends with the answer, when the caller withdraws the call, or when the
time is over; then the client is told that nobody waits any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from itertools import count

from recollect.contracts.tool import Cancellation
from recollect.errors import Cancelled, CompleterError
from recollect.serve.message import Reply, encode_notification, encode_request
from recollect.types import Json, Sample, Sampled

SAMPLE_SECONDS = 300.0
"""A person may have to read and allow the request first."""
HEARING_SECONDS = 0.05
"""A withdrawn call stops waiting within this time."""


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

    def sampler(self, cancellation: Cancellation, send: Callable[[bytes], None]) -> Sample:
        """A function that has the client's own model write something."""

        def sample(system: str, prompt: str, max_tokens: int) -> Sampled:
            params: dict[str, Json] = {
                "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
                "systemPrompt": system,
                "maxTokens": max_tokens,
            }
            return _sampled(self._ask("sampling/createMessage", params, cancellation, send))

        return sample

    def _ask(
        self, method: str, params: Mapping[str, Json], cancellation: Cancellation, send: Callable[[bytes], None]
    ) -> Reply:
        id, pending = f"recollect-{next(self._numbers)}", _Pending()
        self._open[id] = pending
        try:
            if self._deaf:
                return Reply(id, problem=CLOSED)
            send(encode_request(id, method, params))
            end = time.monotonic() + self._seconds
            while not pending.answered.wait(HEARING_SECONDS):
                if cancellation.requested or time.monotonic() > end:
                    told = {"requestId": id, "reason": "nobody waits for the answer any more"}
                    send(encode_notification("notifications/cancelled", told))
                    if cancellation.requested:
                        raise Cancelled("the caller withdrew the request")
                    raise CompleterError(f"the client's model did not answer within {self._seconds:g} seconds")
        finally:
            del self._open[id]
        assert pending.reply is not None, "an answer comes before its event is set"
        return pending.reply


def _sampled(reply: Reply) -> Sampled:
    if reply.problem is not None:
        raise CompleterError(f"the client did not lend its model: {reply.problem}")
    result = reply.result
    content = result.get("content") if isinstance(result, Mapping) else None
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    text = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(result, Mapping) or not text.strip():
        raise CompleterError("the client's model answered without a text")
    model = result.get("model")
    return Sampled(text.strip(), model if isinstance(model, str) else None)
