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


def resources() -> tuple[Resource, ...]:
    return tuple(_document(name, description) for name, description in _DOCUMENTS.items())


def _document(name: str, description: str) -> Resource:
    def read(call: Call) -> str:
        return (Path(__file__).parent / "documents" / f"{name}.md").read_text("utf-8")

    return Resource(uri=f"memory://{name}", name=name, description=description, read=read, mime_type="text/markdown")


def prompts() -> tuple[Prompt, ...]:
    return (
        Prompt(
            name="memory_task_start",
            description="Query memory, and widen the question where the answer is weak, before work begins",
            arguments=(PromptArgument("task", "What is about to be done"),),
            get=_task_start,
        ),
        Prompt(
            name="memory_review",
            description="Go through what a task brought at its end, and keep what lasts",
            arguments=(PromptArgument("outcome", "What was done or found"),),
            get=_review,
        ),
    )


def _task_start(arguments: Mapping[str, str], call: Call) -> str:
    task = arguments.get("task", "").strip() or "(the task at hand)"
    return f"""\
Before you work on this task, see what memory holds.

Task: {task}

1. Call memory_query with mode context and this task.
2. If nothing fits, retry with query expansion: mode search with synonyms, names of parts, the words of another \
language, and the suggested_retry_terms of the answer. Stop after three tries.
3. Use expand or page for the items that you will rely on. Trust active over candidate; read both sides of what is \
contested; check stale items against the sources.
4. Say in one or two sentences what memory contributed, with ids, or that it held nothing. Then begin."""


def _review(arguments: Mapping[str, str], call: Call) -> str:
    outcome = arguments.get("outcome", "").strip() or "(what was done in this session)"
    return f"""\
The task is over. Decide what memory should keep of it.

Outcome: {outcome}

1. List what a later session needs: decisions with reasons, preferences, facts with evidence, procedures that worked, \
work that is left. Leave out what the files say by themselves.
2. For each, call memory_query search first. If it is known, supersede or contest the old one instead of writing it \
again.
3. Write the rest by memory_remember (batch, if there are several) with reason, memory_source and scope_refs; cite \
evidence_refs where a source was ingested. What you concluded yourself is agent_inferred.
4. Read possible_duplicates in each answer. Where one says the same, settle it by memory_maintain resolve_duplicates: \
supersede, keep_both with clearer scopes, or contest.
5. Report the ids that you wrote or changed, and what you left out on purpose."""
