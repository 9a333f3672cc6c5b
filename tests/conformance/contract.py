"""The contract that the official conformance suite expects of a server: every name and text here is the suite's."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from recollect.contracts.tool import (
    Annotations,
    Answer,
    Audio,
    Call,
    Content,
    Contract,
    Embedded,
    Image,
    Prompt,
    PromptArgument,
    PromptMessage,
    Question,
    Resource,
    ResourceTemplate,
    ResourceText,
    Text,
    Tool,
)
from recollect.errors import RecollectError
from recollect.types import Json

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
READS = Annotations(read_only=True)


class Nothing(Struct):
    """Takes no arguments."""


class Prompted(Struct):
    prompt: Annotated[str, Meta(description="What the model is asked")] = "Say hello"


class Messaged(Struct):
    message: Annotated[str, Meta(description="What the person is asked")] = "Please answer"


def content(*parts: Content) -> Callable[[Nothing, Call], Answer]:
    return lambda _, __: Answer(content=parts)


def fail(params: Nothing, call: Call) -> Answer:  # noqa: ARG001
    raise RecollectError("This tool intentionally returns an error for testing")


def walk(params: Nothing, call: Call) -> str:  # noqa: ARG001
    for done in (0, 50, 100):
        call.progress(done, 100, f"{done} of 100")
    return "Tool execution completed"


def elicitation(message: str, **properties: Json) -> Question:
    wanted: Json = {"type": "object", "properties": properties, "required": list(properties)}
    return Question("elicitation/create", {"message": message, "requestedSchema": wanted})


def sampling(prompt: str) -> Question:
    said: Json = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return Question("sampling/createMessage", {"messages": said, "maxTokens": 100})


NAME: Json = {"type": "string", "description": "Your name"}
ROOTS = Question("roots/list", {})


def asks(first: Mapping[str, Question], *rounds: Mapping[str, Question]) -> Callable[[Any, Call], str]:
    """A tool that puts questions, one round after the other, and says what it heard."""

    def ask(_: object, call: Call) -> str:
        assert call.ask is not None
        heard = [dict(call.ask(questions)) for questions in (first, *rounds)]
        return f"Heard: {heard}"

    return ask


def streaming(_: Nothing, call: Call) -> str:
    assert call.ask is not None
    call.progress(1, 2, "halfway")
    return f"Heard: {dict(call.ask({'user_name': YOUR_NAME}))}"


def sample(params: Prompted, call: Call) -> str:
    assert call.ask is not None
    said = call.ask({"sample": sampling(params.prompt)})["sample"]
    return f"LLM response: {said}"


def elicit(params: Messaged, call: Call) -> str:
    assert call.ask is not None
    wanted: Json = {"type": "string", "description": "User's response"}
    email: Json = {"type": "string", "description": "User's email address"}
    said = call.ask({"asked": elicitation(params.message, username=wanted, email=email)})["asked"]
    return f"User response: {said}"


def elicit_defaults(params: Nothing, call: Call) -> str:  # noqa: ARG001
    assert call.ask is not None
    question = elicitation(
        "Please review",
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return f"Elicitation completed: {call.ask({'asked': question})['asked']}"


def elicit_enums(params: Nothing, call: Call) -> str:  # noqa: ARG001
    assert call.ask is not None
    titled: Json = [{"const": f"value{n}", "title": f"{name} Option"} for n, name in ((1, "First"), (2, "Second"))]
    plain: Json = ["option1", "option2", "option3"]
    question = elicitation(
        "Please choose",
        untitledSingle={"type": "string", "enum": plain},
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        untitledMulti={"type": "array", "items": {"type": "string", "enum": plain}},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return f"Elicitation completed: {call.ask({'asked': question})['asked']}"


def by_ability(_: Nothing, call: Call) -> str:
    """Asks only what the client can answer."""
    assert call.ask is not None
    kinds = {"sampling": sampling("Say hello"), "elicitation": elicitation("Your name?", name=NAME), "roots": ROOTS}
    questions = {name: question for name, question in kinds.items() if name in call.can}
    return f"Heard: {dict(call.ask(questions)) if questions else {}}"


def tool(name: str, call: Callable[[Any, Call], object], params: type = Nothing) -> Tool[Any]:
    return Tool(name, f"For the suite: {name}", params, call, READS)


EMBEDDED = Embedded(ResourceText("test://embedded-resource", "This is an embedded resource content.", "text/plain"))
YOUR_NAME = elicitation("What is your name?", name=NAME)
SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
TOOLS = (
    tool("test_simple_text", lambda _, __: "This is a simple text response for testing."),
    tool("test_image_content", content(Image(PNG, "image/png"))),
    tool("test_audio_content", content(Audio(WAV, "audio/wav"))),
    tool("test_embedded_resource", content(EMBEDDED)),
    tool(
        "test_multiple_content_types",
        content(
            Text("Multiple content types test:"), Image(PNG, "image/png"),
            Embedded(ResourceText("test://mixed-content-resource", '{"test":"data"}', "application/json")),
        ),
    ),
    tool("test_error_handling", fail),
    tool("test_tool_with_progress", walk),
    tool("test_reconnection", lambda _, __: "Reconnection test completed successfully."),
    tool("test_logging_tool", lambda _, __: "Nothing is logged."),
    tool("test_missing_capability", asks({"sample": sampling("Say hello")})),
    tool("test_streaming_elicitation", streaming),
    tool("test_sampling", sample, Prompted),
    tool("test_elicitation", elicit, Messaged),
    tool("test_elicitation_sep1034_defaults", elicit_defaults),
    tool("test_elicitation_sep1330_enums", elicit_enums),
    tool("test_input_required_result_elicitation", asks({"user_name": YOUR_NAME})),
    tool("test_input_required_result_sampling", asks({"capital_question": sampling("What is the capital of France?")})),
    tool("test_input_required_result_list_roots", asks({"client_roots": ROOTS})),
    tool("test_input_required_result_request_state", asks({"confirm": elicitation("Go on?", ok={"type": "boolean"})})),
    tool(
        "test_input_required_result_multiple_inputs",
        asks({"user_name": YOUR_NAME, "greeting": sampling("Greet somebody"), "client_roots": ROOTS}),
    ),
    tool(
        "test_input_required_result_multi_round",
        asks({"step1": YOUR_NAME}, {"step2": elicitation("Your colour?", color={"type": "string"})}),
    ),
    tool("test_input_required_result_tampered_state", asks({"confirm": elicitation("Go on?", ok={"type": "boolean"})})),
    tool("test_input_required_result_capabilities", by_ability),
    Tool("json_schema_2020_12_tool", "For the suite: a schema as it is", Nothing, lambda _, __: "ok", READS,
         schema=SCHEMA, read=lambda _: Nothing()),
)  # fmt: skip


def image_prompt(_: Mapping[str, str], __: Call) -> tuple[PromptMessage, ...]:
    return (PromptMessage(Image(PNG, "image/png")), PromptMessage(Text("Please analyze the image above.")))


def embedded_prompt(given: Mapping[str, str], _: Call) -> tuple[PromptMessage, ...]:
    resource = ResourceText(given["resourceUri"], "Embedded resource content for testing.", "text/plain")
    return (
        PromptMessage(Embedded(resource)),
        PromptMessage(Text("Please process the embedded resource above.")),
    )


def asking_prompt(_: Mapping[str, str], call: Call) -> str:
    assert call.ask is not None
    return f"Context: {dict(call.ask({'user_context': elicitation('What is it about?', context={'type': 'string'})}))}"


PROMPTS = (
    Prompt(name="test_simple_prompt", description="A prompt", get=lambda _, __: "This is a simple prompt for testing."),
    Prompt(
        name="test_prompt_with_arguments", description="A prompt with arguments",
        get=lambda given, _: f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'",
        arguments=(PromptArgument("arg1", "The first", True), PromptArgument("arg2", "The second", True)),
    ),
    Prompt(
        name="test_prompt_with_embedded_resource", description="A prompt with a resource", get=embedded_prompt,
        arguments=(PromptArgument("resourceUri", "Which", True),),
    ),
    Prompt(name="test_prompt_with_image", description="A prompt with an image", get=image_prompt),
    Prompt(name="test_input_required_result_prompt", description="A prompt that asks", get=asking_prompt),
)  # fmt: skip
RESOURCES = (
    Resource(
        uri="test://static-text", name="Static text", description="A text", mime_type="text/plain",
        read=lambda _: "This is the content of the static text resource.",
    ),
    Resource(
        uri="test://static-binary", name="Static bytes", description="Bytes", mime_type="image/png", read=lambda _: PNG
    ),
    Resource(
        uri="test://watched-resource", name="Watched", description="A text", mime_type="text/plain",
        read=lambda _: "Watched resource content",
    ),
)  # fmt: skip
TEMPLATES = (
    ResourceTemplate(
        uri_template="test://template/{id}/data", name="Template", description="By id",
        read=lambda given, _: {"id": given["id"], "templateTest": True, "data": f"Data for ID: {given['id']}"},
    ),
)  # fmt: skip
CONTRACT = Contract(
    name="conformance", tools=TOOLS, prompts=PROMPTS, resources=RESOURCES, templates=TEMPLATES, structured=False
)
