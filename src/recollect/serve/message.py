"""How do bytes become JSON-RPC messages, and answers become bytes?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast

import msgspec
from msgspec import Struct

from recollect.types import Json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

MAX_BYTES = 16 * 1024 * 1024
"""A longer message is refused before it is held in memory."""
MOST_IN_BATCH = 100

KEY = "recollect/idempotencyKey"
"""In `_meta` of a call: a change with this key is made once, and answered the same when it is asked for again."""
MAX_ERROR_TEXT = 2000

Id: TypeAlias = str | int


class Request(Struct, frozen=True):
    """A message that wants an answer. `stray` names a text in it that is not Unicode."""

    id: Id
    method: str
    params: Mapping[str, Json]
    stray: str | None = None


class Notification(Struct, frozen=True):
    """A message that gets no answer; `params` that are not an object are as good as none."""

    method: str
    params: Mapping[str, Json]


class Reply(Struct, frozen=True):
    """An answer to a request of ours: a result, or a problem in the client's words."""

    id: Id
    result: Json = None
    problem: str | None = None


class Unwanted(Struct, frozen=True):
    """An answer that does not say what it answers."""


class Problem(Struct, frozen=True):
    """An error answer. The id is None where the message did not tell it."""

    code: int
    message: str
    id: Id | None = None
    data: Json = None


Message: TypeAlias = Request | Notification | Reply | Unwanted | Problem


def decode(data: bytes) -> Message | tuple[Message, ...]:
    """One message, or those of a batch. What cannot be read becomes the `Problem` to answer with."""
    if len(data) > MAX_BYTES:
        return too_large()
    try:
        decoded = cast("Json", msgspec.json.decode(data))
    except UnicodeDecodeError:
        return Problem(PARSE_ERROR, "Parse error: not valid UTF-8")
    except RecursionError:
        return Problem(PARSE_ERROR, "Parse error: nested too deeply")
    except msgspec.DecodeError as error:
        return _decode_stray(data) or Problem(PARSE_ERROR, f"Parse error: {error}")
    if isinstance(decoded, list):
        if len(decoded) > MOST_IN_BATCH:
            told = f"Invalid Request: a batch of {len(decoded)} messages; at most {MOST_IN_BATCH} may come together"
            return Problem(INVALID_REQUEST, told)
        return tuple(_message(item) for item in decoded)
    return _message(decoded)


def too_large() -> Problem:
    return Problem(INVALID_REQUEST, f"Message too large: the limit is {MAX_BYTES} bytes")


def _decode_stray(data: bytes) -> Message | None:
    """A request that is only broken by half a surrogate pair still has an id to answer to."""
    from recollect.serve.surrogates import decode_with_surrogates  # the slow decoder, for this case alone

    found = decode_with_surrogates(data)
    if found is None:
        return None
    decoded, place = found
    message = _message(decoded)
    if not isinstance(message, Request):
        return message
    return Request(message.id, message.method, message.params, place)


def _message(decoded: Json) -> Message:
    if not isinstance(decoded, dict):
        return Problem(INVALID_REQUEST, "Invalid Request: a message is an object")
    given_id = decoded.get("id")
    if "id" in decoded and not _is_id(given_id):
        return Problem(INVALID_REQUEST, "Invalid Request: id must be a string or an integer")
    request_id = cast("Id | None", given_id)
    if decoded.get("jsonrpc") != "2.0":
        return Problem(INVALID_REQUEST, 'Invalid Request: jsonrpc must be "2.0"', request_id)
    method = decoded.get("method")
    if "method" not in decoded and ("result" in decoded or "error" in decoded):
        return Unwanted() if request_id is None else _reply(request_id, decoded)
    if not isinstance(method, str):
        return Problem(INVALID_REQUEST, "Invalid Request: method must be a string", request_id)
    params = decoded.get("params")
    if request_id is None:
        return Notification(method, params if isinstance(params, dict) else {})
    if params is not None and not isinstance(params, dict):
        return Problem(INVALID_PARAMS, "Invalid params: params must be an object", request_id)
    return Request(request_id, method, params or {})


def _reply(request_id: Id, decoded: Mapping[str, Json]) -> Reply:
    error = decoded.get("error")
    if "error" not in decoded:
        return Reply(request_id, decoded.get("result"))
    told = error.get("message") if isinstance(error, Mapping) else None
    return Reply(request_id, problem=told if isinstance(told, str) and told else "without saying why")


def _is_id(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


class _Result(Struct):
    jsonrpc: str
    id: Id
    result: object


class _ErrorBody(Struct, omit_defaults=True):
    code: int
    message: str
    data: Json = None


class _Error(Struct):
    jsonrpc: str
    id: Id | None
    error: _ErrorBody


class _Request(Struct):
    jsonrpc: str
    id: Id
    method: str
    params: object


class _Notice(Struct):
    jsonrpc: str
    method: str
    params: object


def encode_result(request_id: Id, result: object) -> bytes:
    return encode(_Result("2.0", request_id, result))


def encode_problem(problem: Problem) -> bytes:
    """An error answer; a message that quotes too much of what the client sent is cut."""
    message = problem.message
    if len(message) > MAX_ERROR_TEXT:
        message = message[:MAX_ERROR_TEXT] + "…"
    return encode(_Error("2.0", problem.id, _ErrorBody(problem.code, message, problem.data)))


def encode_request(request_id: Id, method: str, params: object) -> bytes:
    return encode(_Request("2.0", request_id, method, params))


def encode_notification(method: str, params: object) -> bytes:
    return encode(_Notice("2.0", method, params))


_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """Compact JSON on one line. Half a surrogate pair, which UTF-8 cannot carry, becomes U+FFFD."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_mend(cast("Json", msgspec.to_builtins(value, enc_hook=_unpack))))


def _unpack(value: object) -> object:
    """What is already encoded has been mended; it only has to be taken along."""
    if isinstance(value, msgspec.Raw):
        return msgspec.json.decode(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _mend(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list | tuple):
        return [_mend(item) for item in value]
    if isinstance(value, dict):
        return {cast("str", _mend(name)): _mend(item) for name, item in value.items()}
    return value
