"""What are agents told about this memory: by the server, by three documents and by two prompts?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.contracts.tool import Call, Prompt, PromptArgument, Resource
from recollect.retrieve.fence import DATA

INSTRUCTIONS = f"""\
memory-substrate is persistent agent memory: governed knowledge with evidence, activities, work items and sources. If \
its four tools are deferred, find them by tool search for memory-substrate or memory_query. Recommended workflow. \
Task start: use memory_query context, and retry a weak result with other words. New evidence: use memory_ingest; it \
only captures, so analyze evidence outside ingest. Durable conclusions: memory_query before memory_remember, then \
write with reason, memory_source and scope_refs. Upkeep: memory_maintain report first; modes that change memory need \
options.apply=true. Do not pass memory root paths: the server knows its place. memory://agent-playbook says more. \
{DATA}"""

DESCRIPTIONS: Mapping[str, str] = {
    "memory_ingest": (
        "Capture evidence into persistent agent memory: a repo, a file, markdown, a web page, a pdf or a conversation."
        " It stores sources with citable segments and decides nothing about what is true: read memory_suggestions in"
        " the answer, analyze, then write conclusions by memory_remember. The same path or URL again replaces what it"
        " held; an unchanged repo is a noop."
    ),
    "memory_query": (
        "Read persistent agent memory. Use at task start (context: context packs for a task), before durable writes"
        " (search: what is known already), to look closer (page, expand, graph), and for what changed last (recent)."
        " Answers are compact; ids lead further. Retry a weak search with suggested_retry_terms."
    ),
    "memory_remember": (
        "Write to persistent agent memory: knowledge, activity or work_item, one or a batch (all or none); promote,"
        " supersede or contest knowledge. Creating needs reason, memory_source and scope_refs. What an agent inferred"
        " stays a candidate until promoted; active needs evidence unless the user said it. Exact duplicate claims are"
        " rejected, conflicting ones contested; check possible_duplicates in the answer."
    ),
    "memory_maintain": (
        "Keep persistent agent memory in order: report (read-only; start here), structure, audit, repair, reindex of"
        " every derived projection and index, and the lifecycle: promote_candidates, merge_duplicates,"
        " resolve_duplicates, archive_source, decay_stale, cycle, configure. Any mode that changes memory requires"
        " options.apply=true."
    ),
}

_DOCUMENTS = {
    "policy": "What belongs into this memory, and the rules that writes obey",
    "agent-playbook": "How to work with this memory, step by step",
    "mcp-api-summary": "Tools, modes, options and answers",
}


_PROMPTS = {
    "memory_task_start": (
        "Query memory, and widen the question where the answer is weak, before work begins",
        PromptArgument("task", "What is about to be done"), "(the task at hand)",
    ),
    "memory_review": (
        "Go through what a task brought at its end, and keep what lasts",
        PromptArgument("outcome", "What was done or found"), "(what was done in this session)",
    ),
}  # fmt: skip
"""What each is for, what it may be told, and what stands in that place where it is not."""


def resources() -> tuple[Resource, ...]:
    return tuple(_document(name, description) for name, description in _DOCUMENTS.items())


def _document(name: str, description: str) -> Resource:
    uri = f"memory://{name}"
    return Resource(uri=uri, name=name, description=description, read=lambda _: _read(name), mime_type="text/markdown")


def _read(name: str) -> str:
    return (Path(__file__).parent / "documents" / f"{name}.md").read_text("utf-8")


def prompts() -> tuple[Prompt, ...]:
    return tuple(_prompt(name, *told) for name, told in _PROMPTS.items())


def _prompt(name: str, description: str, argument: PromptArgument, unsaid: str) -> Prompt:
    def get(arguments: Mapping[str, str], call: Call) -> str:
        said = arguments.get(argument.name, "").strip() or unsaid
        return _read(name).rstrip().replace(f"{{{argument.name}}}", said)

    return Prompt(name=name, description=description, arguments=(argument,), get=get)
