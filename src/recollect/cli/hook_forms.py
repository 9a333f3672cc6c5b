"""How does each client tell what happens in a session, and in which form does it take an answer?

Events are spelled as each client spells them. Clients agree on most fields of their JSON and not on how to write them,
so each field is looked for under all of its names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recollect.light import TYPE_CHECKING, Plain, cast

if TYPE_CHECKING:
    from typing import Any, Literal

    Moment = Literal["start", "prompt", "turn"]
    """What an event means to a memory: a session begins, a person has asked, something was said that may be kept."""

_CLAUDE: Mapping[str, Moment] = {
    "SessionStart": "start", "UserPromptSubmit": "prompt", "Stop": "turn", "PreCompact": "turn",
}  # fmt: skip
_COPILOT: Mapping[str, Moment] = {
    "sessionStart": "start", "userPromptSubmitted": "prompt", "agentStop": "turn", "preCompact": "turn",
}  # fmt: skip
MOMENTS: Mapping[str, Mapping[str, Moment]] = {
    "claude": _CLAUDE,
    "codex": _CLAUDE,
    "cursor": {"sessionStart": "start", "stop": "turn", "preCompact": "turn"},
    "vscode": {**_CLAUDE, **_COPILOT},
    "gemini": {"SessionStart": "start", "BeforeAgent": "prompt", "AfterAgent": "turn", "PreCompress": "turn"},
    "opencode": {
        "session.created": "start", "chat.message": "prompt", "session.idle": "turn",
        "experimental.session.compacting": "turn",
    },
}  # fmt: skip
"""Every event that means something, by client. Of all others there is nothing to say."""
_FORGETFUL = ("clear", "compact")
_JSON_ONLY = ("cursor", "gemini")


class HookEvent(Plain):
    """What a client has told of a moment in a session."""

    session: str | None = None
    folder: str | None = None
    prompt: str | None = None
    transcript: str | None = None
    source: str | None = None
    said: tuple[Mapping[str, str | None], ...] = ()
    """Messages that the client tells itself: role, content, created_at."""

    @property
    def anew(self) -> bool:
        """Does the session know nothing of what it was shown before?

        One that has just begun was shown nothing, unless two hooks of its client are called: VS Code reads the file of
        Claude Code's beside its own.
        """
        return self.source in _FORGETFUL

    @property
    def resumed(self) -> bool:
        return self.source == "resume"


def parse_event(client: str, data: bytes) -> HookEvent:
    """What a client wrote to standard input. A field that is missing or of another form is None."""
    if not data.strip():
        return HookEvent()
    import json  # costs start-up time, and at the end of a turn nobody reads while the client waits

    try:
        read = json.loads(data)
    except RecursionError:
        raise ValueError("what the client wrote is nested too deeply") from None
    if not isinstance(read, dict):
        raise ValueError("what the client wrote is no JSON object")
    fields = cast("dict[str, Any]", read)
    roots = fields.get("workspace_roots")
    among = cast("list[Any]", roots) if isinstance(roots, list) else []
    told = HookEvent(
        session=_text(fields, "session_id", "sessionId", "conversation_id", "thread_id"),
        folder=_text(fields, "cwd") or next((root for root in among if isinstance(root, str)), None),
        prompt=_text(fields, "prompt", "user_prompt"),
        transcript=_text(fields, "transcript_path", "transcriptPath"),
        source=_text(fields, "source", "trigger"),
        said=tuple(_said(fields)),
    )
    if client == "cursor" and told.transcript is None and told.session and told.folder:
        return HookEvent(
            session=told.session, folder=told.folder, transcript=_cursor_transcript(told.session, told.folder)
        )
    return told


def _said(fields: Mapping[str, Any]) -> Iterator[Mapping[str, str | None]]:
    """What was said, of a client that tells it: the turn that is over (Gemini CLI), or the whole session (opencode)."""
    answer, at = _text(fields, "prompt_response"), _text(fields, "timestamp")
    if answer is not None:
        asked = _text(fields, "prompt")
        yield from [] if asked is None else [{"role": "user", "content": asked, "created_at": at}]
        yield {"role": "assistant", "content": answer, "created_at": at}
    told = fields.get("messages")
    for one in cast("list[Any]", told) if isinstance(told, list) else []:
        message = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        role, content = _text(message, "role"), _text(message, "content")
        if role is not None and content is not None:
            yield {"role": role, "content": content, "created_at": _text(message, "created_at")}


def _text(fields: Mapping[str, Any], *names: str) -> str | None:
    """The first of some fields that says something; half a character, as cutting off leaves it, is a question mark."""
    found = (fields.get(name) for name in names)
    said = next((value for value in found if isinstance(value, str) and value.strip()), None)
    return None if said is None else said.encode("utf-8", "replace").decode().replace("\0", " ")


def _cursor_transcript(session: str, folder: str) -> str:
    """Where Cursor keeps what was said, if it does not tell."""
    from pathlib import Path  # costs start-up time

    place = folder.strip("/").replace("/", "-").replace(".", "-")
    return str(Path.home() / ".cursor" / "projects" / place / "agent-transcripts" / session / f"{session}.jsonl")


def render_answer(client: str, event: str, text: str) -> str:
    """A text for the session, as the client takes it; what says "nothing" where there is no text."""
    if client == "opencode":
        return text
    if client == "cursor":
        if event == "beforeSubmitPrompt":
            return '{"continue": true}'
        return _written({"additional_context": text}) if text else "{}"
    if not text:
        return "{}" if client in _JSON_ONLY else ""
    if client == "vscode" and event in _COPILOT:
        return _written({"additionalContext": text})
    return _written({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def added_by(answer: str) -> str:
    """The text in what a running server says to a hook."""
    import json  # as above

    return json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""


def _written(answer: Mapping[str, object]) -> str:
    import json  # as above

    return json.dumps(answer, ensure_ascii=False)
