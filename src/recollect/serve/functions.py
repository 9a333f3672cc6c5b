"""How is a contract's tool invoked as a function, and how is a failure told there?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from recollect.contracts.fit import write_fitted
from recollect.contracts.tool import Answer, Call, Cancellation, Contract, Tool
from recollect.errors import ENDING, Cancelled, InvalidInput, RecollectError
from recollect.serve.log import Log
from recollect.serve.message import KEY, MAX_ERROR_TEXT, encode
from recollect.types import Json, Sample

NOT_FOUND = "function_not_found"
FAILED = "invocation_failed"


class Problem(Struct, frozen=True):
    """Why an invocation failed."""

    code: str
    message: str


class Outcome(Struct, frozen=True):
    """What became of an invocation: a result or a problem."""

    result: object = UNSET
    error: Problem | UnsetType = UNSET


class Functions:
    """The functions that a contract offers, by their ids. `sample` asks the model of whoever invokes them."""

    def __init__(self, contract: Contract, log: Log, sample: Sample | None = None) -> None:
        tools = {tool.name: tool for tool in contract.tools}
        self._contract = contract
        self.tools: Mapping[str, Tool[Any]] = {id: tools[name] for id, name in contract.functions.items()}
        self._log = log
        self._sample = sample
        self._running: set[Cancellation] = set()

    def only_reads(self, id: object) -> bool:
        tool = self.tools.get(id) if isinstance(id, str) else None
        return tool is not None and tool.annotations.read_only

    def cancel_all(self) -> None:
        for cancellation in tuple(self._running):
            cancellation.end()

    def invoke(self, id: object, data: object) -> Outcome:
        """Runs a function. Whatever goes wrong is part of the outcome: nothing is raised."""
        tool = self.tools.get(id) if isinstance(id, str) else None
        if tool is None:
            return Outcome(error=Problem(NOT_FOUND, f"there is no function {id!r}; there are: {', '.join(self.tools)}"))
        cancellation = Cancellation()
        self._running.add(cancellation)
        try:
            call = self._contract.open_call(
                "iii", cancellation=cancellation, sample=self._sample, lends_freely=self._sample is not None
            )
            return Outcome(result=self._call(tool, data, call))
        except RecollectError as error:
            told = ENDING if isinstance(error, Cancelled) and cancellation.by_server else str(error)
            return Outcome(error=Problem(FAILED, told[:MAX_ERROR_TEXT]))
        except Exception as error:  # noqa: BLE001  the top of a transport: one invocation must not end the others
            self._log.fault(f"{id} failed", error)
            return Outcome(error=Problem(FAILED, f"internal error in {id}; the server's log says more"))
        finally:
            self._running.discard(cancellation)

    def _call(self, tool: Tool[Any], data: object, call: Call) -> object:
        if data is not None and not isinstance(data, dict):
            raise InvalidInput("data", f"must be an object, not {type(data).__name__}")
        arguments = cast("dict[str, Json]", data or {})
        about = arguments.get("_meta")
        key = about.get(KEY) if isinstance(about, dict) else None

        def write(answer: object) -> bytes:
            return write_fitted(answer.value if isinstance(answer, Answer) else answer, tool.length, encode)

        return msgspec.json.decode(self._contract.answer_once(tool, arguments, call, write, key))
