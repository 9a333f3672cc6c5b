"""How is a client asked that keeps no connection?

Its call is answered with what it is asked, and it calls again with its answers. What it answered in earlier rounds goes
back and forth as a sealed text: nobody else can write one, and it holds for the same call with the same token, for an
hour. What a person is to decide is not decided by an answer that comes without one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import time
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from recollect.contracts.tool import InputRequired, Question
from recollect.forms import decode
from recollect.serve.catalog import Refusal, Result, mapping
from recollect.serve.message import INVALID_PARAMS, MISSING_CAPABILITY
from recollect.types import Json

STATE_SECONDS = 3600
_SECRET = os.urandom(32)
_OPEN = ("_meta", "inputResponses", "requestState")
"""Parts of a request that may differ from round to round."""


class _State(Struct, frozen=True):
    """What was answered to which call, and when."""

    call: str
    at: int
    answers: dict[str, Any]


class Rounds:
    """What a client has answered to a call so far. A question that it answered is not put again."""

    def __init__(self, method: str, params: Mapping[str, Json], can: frozenset[str], who: str = "") -> None:
        self._can = can
        asked = {name: value for name, value in params.items() if name not in _OPEN}
        self._call = hashlib.sha256(msgspec.json.encode([who, method, asked], order="deterministic")).hexdigest()
        state = params.get("requestState")
        self._was_asked = state is not None
        earlier: Mapping[str, Json] = {} if state is None else self._earlier(state)
        self._answers = {**earlier, **mapping(params, "inputResponses")}

    def ask(self, questions: Mapping[str, Question]) -> Mapping[str, Json]:
        needed = sorted({one.kind for one in questions.values()} - self._can)
        if needed:
            told = f"the client must be able to answer {' and '.join(needed)}, and has not declared that it can"
            raise Refusal(MISSING_CAPABILITY, told, {"requiredCapabilities": {kind: {} for kind in needed}})
        missing = {
            name: question
            for name, question in questions.items()
            if not _fits(self._answers.get(name)) or (question.must_be_put and not self._was_asked)
        }
        if missing:
            raise InputRequired(missing)
        return {name: self._answers[name] for name in questions}

    def render(self, required: InputRequired) -> Result:
        questions = {name: {"method": one.method, "params": one.params} for name, one in required.questions.items()}
        return {"resultType": "input_required", "inputRequests": questions, "requestState": self._seal()}

    def _seal(self) -> str:
        written = msgspec.json.encode(_State(self._call, int(time.time()), self._answers))
        return base64.urlsafe_b64encode(_sign(written) + written).decode()

    def _earlier(self, state: Json) -> Mapping[str, Json]:
        try:
            sealed = base64.urlsafe_b64decode(state if isinstance(state, str) else "")
            if base64.urlsafe_b64encode(sealed).decode() != state:  # the decoder overlooks what does not belong
                raise ValueError
            signed, written = sealed[:32], sealed[32:]
            known = decode(written, _State) if hmac.compare_digest(signed, _sign(written)) else None
        except (binascii.Error, ValueError, msgspec.MsgspecError):
            known = None
        if known is None or known.call != self._call or time.time() - known.at > STATE_SECONDS:
            raise Refusal(INVALID_PARAMS, "Invalid params: requestState is not one that was given for this call")
        return known.answers


def _sign(written: bytes) -> bytes:
    return hmac.digest(_SECRET, written, "sha256")


def _fits(answer: Json) -> bool:
    """An answer is an object; whatever else stands there is asked for again."""
    return isinstance(answer, Mapping)
