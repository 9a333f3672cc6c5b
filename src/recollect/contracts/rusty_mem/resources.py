"""What can be read from a rusty-mem server without calling a tool?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.contracts.rusty_mem.calls import filter_project
from recollect.contracts.rusty_mem.params import DEFAULT_PROJECT, Defaults
from recollect.contracts.tool import Call, Resource, ResourceTemplate
from recollect.engine.read.stats import distinct
from recollect.errors import StoreError
from recollect.types import MEMORY_TYPES, Json

USAGE: Mapping[str, Json] = {
    "title": "Rusty Memory MCP Usage",
    "policy": [
        "Do not paste or concatenate large documents in prompts.",
        "Index text with `push` first; use `search` to retrieve.",
        "Prefer filters: project_id, memory_type, tags, time_range.",
        "Keep query_text concise (<= 512 chars).",
        "Use summarize to consolidate episodic → semantic summaries.",
    ],
    "flows": [
        {
            "name": "Ingest & Retrieve",
            "steps": [
                "push({ text, project_id?, memory_type?, tags? })",
                "search({ query_text, project_id?, memory_type?, tags?, time_range? })",
            ],
        },
        {
            "name": "Summarize",
            "steps": [
                "search episodic within time_range",
                "summarize({ project_id, time_range, tags?, limit?, max_words? })",
            ],
        },
    ],
}
"""Word for word what the contract's document gives."""


def list_resources(server: Defaults) -> tuple[Resource, ...]:
    return (
        _resource("memory-types", "Memory Types", "Supported memory_type values and default.", _memory_types),
        _resource(
            "health", "Health", "Embedding configuration, and whether the store can be reached.",
            lambda call: _health(server, call),
        ),
        _resource("projects", "Projects", "Distinct project_id values observed, in all collections.", _projects),
        _resource("settings", "Settings", "Effective search defaults.", lambda _: _settings(server)),
        _resource("usage", "Usage", "Usage policy and recommended flows.", lambda _: USAGE),
    )  # fmt: skip


def _resource(name: str, title: str, description: str, read: Callable[[Call], object]) -> Resource:
    return Resource(uri=f"mcp://{name}", name=name, title=title, description=description, read=read)


def list_templates() -> tuple[ResourceTemplate, ...]:
    return (
        ResourceTemplate(
            uri_template="mcp://{project_id}/tags",
            name="project-tags",
            title="Project Tags",
            description="Distinct tags for a specific project, in all collections.",
            read=_tags,
        ),
    )


def _memory_types(call: Call) -> object:
    return {"memory_types": list(MEMORY_TYPES), "default": "semantic"}


def _health(server: Defaults, call: Call) -> object:
    """`qdrant` is what the contract calls the store; its URL is the store's file."""
    try:
        state = call.memory.semantics.state()
        model, dimension, reachable = state.model, state.dim, True
        present = call.memory.has_space(call.space)
    except StoreError:
        model, dimension, reachable, present = None, None, False, False
    return {
        "embedding": {
            "provider": call.memory.settings.embedder,
            "model": model,
            "dimension": dimension or server.dimension,
        },
        "qdrant": {
            "url": location if "://" in (location := call.memory.location) else f"file://{location}",
            "reachable": reachable,
            "defaultCollection": call.space,
            "defaultCollectionPresent": present,
        },
    }


def _projects(call: Call) -> object:
    names = distinct(call.memory.core, "project", space=None)
    return {"projects": sorted({name or DEFAULT_PROJECT for name in names})}


def _settings(server: Defaults) -> object:
    return {
        "search": {
            "default_limit": server.limit,
            "max_limit": server.max_limit,
            "default_score_threshold": server.score_threshold,
        }
    }


def _tags(parts: Mapping[str, str], call: Call) -> object:
    project = parts["project_id"]
    found = distinct(call.memory.core, "tag", space=None, project=filter_project(project))
    return {"project_id": project, "tags": found}
