"""How does what was read become a value of ours, on whichever thread?

msgspec works out what a class is made of when it is first asked for it, and a second thread that asks for the same one
meanwhile sees half of that, which ends the process. So whoever asks for a class does so here, one after another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    from typing_extensions import Buffer

T = TypeVar("T")
_MOST = 512
_alone = threading.RLock()


def decoder(form: type[T]) -> Callable[[bytes | str], T]:
    """What makes values of a form of JSON."""
    return cast("Callable[[bytes | str], T]", _json(form))


def unpacker(form: type[T]) -> Callable[[bytes], T]:
    """What makes values of a form of MessagePack."""
    with _alone:
        return msgspec.msgpack.Decoder(form).decode


def decode(data: Buffer | str, form: type[T]) -> T:
    """A value of a form, of JSON."""
    return cast("T", _json(form)(data))


def decode_foreign(data: Buffer | str, form: type[T]) -> T:
    """A value of a form, of JSON that somebody else has written: a null that the form does not know is nothing."""
    try:
        return decode(data, form)
    except msgspec.ValidationError as error:
        if b"null" not in (data.encode() if isinstance(data, str) else bytes(data)):
            raise
        try:
            sparing = msgspec.json.encode(_but_nulls(msgspec.json.decode(data)))
        except RecursionError:
            raise error from None
        return decode(sparing, form)


def _but_nulls(value: object) -> object:
    if isinstance(value, list):
        return [_but_nulls(one) for one in cast("list[object]", value) if one is not None]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {name: _but_nulls(one) for name, one in fields.items() if one is not None}
    return value


def convert(value: object, form: type[T], **how: Any) -> T:
    """A value of a form, of plain values."""
    _json(form)
    return msgspec.convert(value, form, **how)


@lru_cache(_MOST)
def _json(form: Any) -> Callable[[Any], object]:
    with _alone:
        return msgspec.json.Decoder(form).decode
