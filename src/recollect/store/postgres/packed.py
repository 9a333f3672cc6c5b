"""How do the numbers of many rows come from the server at once?

As one value, the bytes of a row behind those of another, which numpy reads as they are: to make a Python object of each
number takes longer than the server takes to find it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Kind: TypeAlias = Literal["i4", "i8", "f8", "?"]
_SENT: dict[Kind, str] = {"i4": "int4send", "i8": "int8send", "f8": "float8send", "?": "boolsend"}


class Packed:
    """Columns of numbers, none of which is ever null, by their names."""

    def __init__(self, **columns: Kind) -> None:
        self._dtype = np.dtype([(name, kind if kind == "?" else f">{kind}") for name, kind in columns.items()])
        row = " || ".join(f"{_SENT[kind]}({name})" for name, kind in columns.items())
        self.sql = f"coalesce(string_agg({row}, ''::bytea), ''::bytea)"
        """What is selected of rows, in the order in which they come."""

    def read(self, sent: bytes) -> NDArray[np.void]:
        return np.frombuffer(sent, dtype=self._dtype)
