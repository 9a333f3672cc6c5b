"""What are agents told about this memory: by the server, by three documents and by two prompts?"""

from __future__ import annotations

from collections.abc import Mapping

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

POLICY = """\
# Memory policy

## What belongs here
What a later session needs and could not find out cheaply: decisions and why, preferences of the user, facts about \
the project that took work to learn, procedures that proved themselves, open work. Not: what the code says by itself, \
secrets, chatter, guesses without a mark.

## Structured Hard Governance
Knowledge with payload.subject and payload.predicate is a claim.
- The same claim (kind, overlapping scopes, subject, predicate, value or object) is rejected; the error names the one \
that stands.
- A different value for the same subject and predicate makes the new claim `contested`. Read both, then promote one, \
supersede the other, or leave both contested.

## Unstructured Soft Governance
Knowledge of title and summary alone is never rejected as a duplicate. The answer lists `possible_duplicates`: read \
them, and settle them by memory_maintain resolve_duplicates (supersede, keep_both or contest).

## Status and trust
- `agent_inferred` knowledge is a `candidate`, even where `active` was asked for. `promote` makes it active.
- `active` needs evidence unless memory_source is `user_declared` or `human_curated`.
- Evidence is checked when it is given: the source, the segment, and locator and hash if you name them. When a source \
changes later, a text that merely moved is followed by its hash; what is gone is told by `expand` and `report`.
- Nothing is lost: superseded, contested, stale and archived objects keep their history. No tool takes a change back: \
`audit` shows each with its `entry`, and a person undoes it by `recollect undo ENTRY`.
- What is stale is renewed by stating it again with new evidence, or as `user_declared` or `human_curated`.

## Query Policy
Ask before you write, and ask twice: the second time with synonyms. A weak result is no proof that nothing is known.
"""

PLAYBOOK = """\
# Agent playbook

## Tool Discovery
Four tools: memory_query, memory_ingest, memory_remember, memory_maintain. Hosts may defer them: use tool search with \
`memory-substrate`, `agent memory`, `memory_query` or `context`.

## The envelope
`{"args": {"mode": "...", "input_data": {}, "options": {}}}`. mode and input_data are required, unknown fields are \
errors, there is no root argument.

## Start of a task
1. `memory_query` context with the task in one sentence. `items` has the summaries; decisions, procedures and \
open_work point into it by id.
2. If it is weak: query expansion. `search` with other words, names, the other language, `suggested_retry_terms`; \
then filters (object_types, kinds, statuses).
3. `expand` or `page` what you will rely on. Repo pages give locators: read the local files for full text.

## New evidence
1. `memory_ingest`. `status: "noop"` means nothing changed. `status: "completed_with_pending_decisions"` means the \
clean view was written without local agent state; use it, and decide about pending_decisions apart from it.
2. Read the segments (`page` with include_segments), query what is known, and only then write.

## Durable writes
1. `search` for the same statement first.
2. `memory_remember` with kind, title, summary, reason, memory_source, scope_refs; add evidence_refs (source_id, \
segment_id) and, for facts, payload (subject, predicate, value or object).
3. Look at `status` and `possible_duplicates` in the answer. A batch is all or none.
4. When something changed: write the new knowledge, then `supersede` the old one. When it is unclear: `contest`.

## End of a task
Write outcomes worth keeping as activity, what is left as work_item, what was learnt as knowledge. Then \
`memory_maintain` report now and then; act on it with options.apply=true.
"""

API_SUMMARY = """\
# API summary

Every call: `{"args": {"mode", "input_data", "options"?}}`.

| tool | modes |
|---|---|
| memory_ingest | repo, file, markdown, web, pdf, conversation |
| memory_query | context, expand, page, recent, search, graph |
| memory_remember | activity, knowledge, work_item, promote, supersede, contest, batch |
| memory_maintain | configure, structure, audit, reindex, repair; promote_candidates, merge_duplicates, \
resolve_duplicates, archive_source, decay_stale, cycle, report |

- Ids: `src:`, `node:`, `know:`, `act:`, `work:` and 32 hexadecimal digits; `patch:` names a write, `aud:` an entry \
of the journal, `ctx:` a context pack. Segments are `seg-1`, `seg-2`, ... of their source.
- Query answers: result_type, warnings and what was asked for. `items[]` has id, object_type, kind, title, summary, \
status; search adds score, rank_score, retrieval_sources, retrieval_ranks, lexical_score, semantic_score and, for \
sources, matched_chunks.
- Filters: object_type(s), kind(s), status(es), node_id(s), source_id(s).
- Options: max_items (context 12, others 10); page: detail, include_segments (false), snippet_chars (360); expand: \
include_segments (true), snippet_chars. Others are errors.
- Remember answers: object_id, status after governance, patch_id, audit_event_ids, possible_duplicates; batch: \
created, results.
- Repo ingest statuses: completed, completed_with_pending_decisions, noop. options.force=true takes local agent state \
in.
- Maintain: configure, repair and the lifecycle modes need options.apply=true; structure, audit, reindex and report \
do not.
- Errors are results marked as errors; they name the place (`args.input_data.title`) or the missing id.
"""


def resources() -> tuple[Resource, ...]:
    return (
        _document("memory://policy", "policy", "What belongs into this memory, and the rules that writes obey", POLICY),
        _document("memory://agent-playbook", "agent-playbook", "How to work with this memory, step by step", PLAYBOOK),
        _document("memory://mcp-api-summary", "mcp-api-summary", "Tools, modes, options and answers", API_SUMMARY),
    )


def _document(uri: str, name: str, description: str, text: str) -> Resource:
    def read(call: Call) -> str:
        return text

    return Resource(uri=uri, name=name, description=description, read=read, mime_type="text/markdown")


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
