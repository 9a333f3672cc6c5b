"""What can be read from a rusty-mem server without calling a tool?"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.contracts.rusty_mem.calls import filter_project
from recollect.contracts.rusty_mem.params import DEFAULT_PROJECT, Defaults
from recollect.contracts.tool import Call, Resource, ResourceTemplate
from recollect.engine.memory import Memory
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


class Documents:
    """The documents behind the table."""

    def __init__(self, memory: Memory, defaults: Defaults) -> None:
        self._memory = memory
        self._defaults = defaults

    def memory_types(self, call: Call) -> object:  # noqa: ARG002  every document has this shape
        return {"memory_types": list(MEMORY_TYPES), "default": "semantic"}

    def health(self, call: Call) -> object:  # noqa: ARG002  every document has this shape
        """`qdrant` is what the contract calls the store; its URL is the store's file."""
        collection = self._defaults.collection
        try:
            state = self._memory.embedding()
            model, dimension, reachable = state.model, state.dim, True
            present = self._memory.has_space(collection)
        except StoreError:
            model, dimension, reachable, present = None, None, False, False
        return {
            "embedding": {
                "provider": self._memory.settings.embedder,
                "model": model,
                "dimension": dimension or self._defaults.dimension,
            },
            "qdrant": {
                "url": f"file://{self._memory.location}",
                "reachable": reachable,
                "defaultCollection": collection,
                "defaultCollectionPresent": present,
            },
        }

    def projects(self, call: Call) -> object:  # noqa: ARG002  every document has this shape
        names = self._memory.distinct("project", space=self._defaults.collection)
        return {"projects": sorted({name or DEFAULT_PROJECT for name in names})}

    def settings(self, call: Call) -> object:  # noqa: ARG002  every document has this shape
        return {
            "search": {
                "default_limit": self._defaults.limit,
                "max_limit": self._defaults.max_limit,
                "default_score_threshold": self._defaults.score_threshold,
            }
        }

    def usage(self, call: Call) -> object:  # noqa: ARG002  every document has this shape
        return USAGE

    def tags(self, parts: Mapping[str, str], call: Call) -> object:  # noqa: ARG002  every document has this shape
        project = parts["project_id"]
        found = self._memory.distinct("tags", space=self._defaults.collection, project=filter_project(project))
        return {"project_id": project, "tags": found}


def list_resources(documents: Documents) -> tuple[Resource, ...]:
    return (
        Resource(
            uri="mcp://memory-types",
            name="memory-types",
            title="Memory Types",
            description="Supported memory_type values and default.",
            read=documents.memory_types,
        ),
        Resource(
            uri="mcp://health",
            name="health",
            title="Health",
            description="Embedding configuration, and whether the store can be reached.",
            read=documents.health,
        ),
        Resource(
            uri="mcp://projects",
            name="projects",
            title="Projects",
            description="Distinct project_id values observed.",
            read=documents.projects,
        ),
        Resource(
            uri="mcp://settings",
            name="settings",
            title="Settings",
            description="Effective search defaults.",
            read=documents.settings,
        ),
        Resource(
            uri="mcp://usage",
            name="usage",
            title="Usage",
            description="Usage policy and recommended flows.",
            read=documents.usage,
        ),
    )


def list_templates(documents: Documents) -> tuple[ResourceTemplate, ...]:
    return (
        ResourceTemplate(
            uri_template="mcp://{project_id}/tags",
            name="project-tags",
            title="Project Tags",
            description="Distinct tags for a specific project.",
            read=documents.tags,
        ),
    )
