"""A small contract of every kind of entry, served over stdio: what the tests of this folder talk to."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from recollect.contracts.tool import (
    INTERNAL_ERROR,
    Annotations,
    Answer,
    Call,
    Contract,
    Failure,
    Image,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    Tool,
)
from recollect.errors import CompleterError, NotFound, RecollectError
from recollect.serve.stdio import serve_stdio


class Add(Struct, forbid_unknown_fields=True):
    a: Annotated[int, Meta(description="The first number")]
    b: Annotated[int, Meta(ge=0, description="The second number")] = 0


class Sum(Struct):
    sum: int


class Say(Struct, forbid_unknown_fields=True):
    text: str
    tone: Literal["plain", "loud"] = "plain"


class Steps(Struct, forbid_unknown_fields=True):
    steps: int = 3


class Nothing(Struct, forbid_unknown_fields=True):
    """Takes no arguments."""


def add(params: Add, call: Call) -> Sum:  # noqa: ARG001
    return Sum(params.a + params.b)


def say(params: Say, call: Call) -> str:  # noqa: ARG001
    return params.text.upper() if params.tone == "loud" else params.text


def walk(params: Steps, call: Call) -> dict[str, int]:
    for step in range(1, params.steps + 1):
        call.progress(step, params.steps, f"step {step}")
    return {"steps": params.steps}


def until_cancelled(params: Nothing, call: Call) -> str:  # noqa: ARG001
    """Reports once, so that a client knows that it runs, then waits to be withdrawn."""
    call.progress(1)
    pause = threading.Event()
    while not call.cancelled:
        pause.wait(0.005)
    print("noticed the cancellation", file=sys.stderr, flush=True)
    call.checkpoint()
    return "never"


def stuck(params: Nothing, call: Call) -> str:  # noqa: ARG001
    call.progress(1)
    threading.Event().wait()
    return "never"


def fail(params: Nothing, call: Call) -> str:  # noqa: ARG001
    raise NotFound("Memory not found: 7")


def break_down(params: Nothing, call: Call) -> str:  # noqa: ARG001
    raise ZeroDivisionError("a secret detail")


def chatter(params: Nothing, call: Call) -> str:  # noqa: ARG001
    print("this must not reach the client")
    return "quiet"


def odd_text(params: Nothing, call: Call) -> dict[str, str]:  # noqa: ARG001
    return {"half": "a\ud800b", "zero": "\x00"}


def picture(params: Nothing, call: Call) -> Answer:  # noqa: ARG001
    return Answer(text="a picture", content=(Image(b"png", "image/png"),))


def numbers(params: Nothing, call: Call) -> list[int]:  # noqa: ARG001
    return [1, 2, 3]


def whoami(params: Nothing, call: Call) -> dict[str, str | None]:  # noqa: ARG001
    return {"client": call.client}


def lend(params: Say, call: Call) -> dict[str, str | None]:
    """Has the client's model answer; what went wrong is the answer too."""
    if call.sample is None:
        return {"text": None, "model": None}
    try:
        lent = call.sample("You repeat.", params.text, 50)
    except CompleterError as error:
        return {"text": str(error), "model": None}
    return {"text": lent.text, "model": lent.model}


def tags(parts: Mapping[str, str], call: Call) -> dict[str, Any]:  # noqa: ARG001
    if parts["project_id"] == "nowhere":
        raise NotFound("no project nowhere")
    return {"project_id": parts["project_id"], "tags": []}


READ = Annotations(read_only=True, idempotent=True)
TOOLS = (
    Tool(
        name="add",
        description="Add two numbers.",
        params=Add,
        call=add,
        annotations=READ,
        title="Addition",
        returns=Sum,
    ),
    Tool(name="say", description="Say it back.", params=Say, call=say, annotations=READ),
    Tool(name="walk", description="Walk in steps.", params=Steps, call=walk, annotations=READ),
    Tool(name="wait", description="Wait.", params=Nothing, call=until_cancelled, annotations=READ),
    Tool(name="stuck", description="Never end.", params=Nothing, call=stuck, annotations=READ),
    Tool(name="fail", description="Fail.", params=Nothing, call=fail, annotations=READ),
    Tool(name="break", description="Break.", params=Nothing, call=break_down, annotations=READ),
    Tool(name="chatter", description="Print.", params=Nothing, call=chatter, annotations=READ),
    Tool(name="odd", description="Odd text.", params=Nothing, call=odd_text, annotations=READ),
    Tool(name="picture", description="A picture.", params=Nothing, call=picture, annotations=READ),
    Tool(name="numbers", description="Numbers.", params=Nothing, call=numbers, annotations=READ),
    Tool(name="lend", description="Ask the client's model.", params=Say, call=lend, annotations=READ),
    Tool(name="whoami", description="Who asks.", params=Nothing, call=whoami, annotations=READ),
)

FULL = Contract(
    name="fixture",
    version="1.2.3",
    instructions="Use it to test.",
    tools=TOOLS,
    resources=(
        Resource(uri="mcp://health", name="Health", read=lambda _: {"ok": True}),
        Resource(uri="mcp://blob", name="Blob", read=lambda _: b"\x00\xff", mime_type="image/png"),
    ),
    templates=(ResourceTemplate(uri_template="mcp://{project_id}/tags", name="Tags", read=tags),),
    prompts=(
        Prompt(
            name="greet",
            description="Greet somebody.",
            arguments=(PromptArgument("who", "Whom to greet", required=True),),
            get=lambda given, _: f"Say hello to {given['who']}.",
        ),
    ),
)


def as_internal_error(tool: str, error: RecollectError) -> Failure:
    return Failure(f"{tool}: {error}", INTERNAL_ERROR)


BARE = Contract(
    name="bare",
    version="1.2.3",
    tools=TOOLS,
    structured=False,
    failure=as_internal_error,
    unknown_tool=lambda name, _: Failure(f"unknown tool: {name}", INTERNAL_ERROR),
    server_info={"default_palace": "mine"},
)


def close() -> None:
    print("closed in order", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(serve_stdio(BARE if "bare" in sys.argv else FULL, log_level="info", on_close=close))
