"""What may be given to the functions of agentos?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

DAY_MS = 86_400_000
RELATED = "related_to"

AgentId = Annotated[str, Meta(min_length=1, max_length=200, description="Whose memories these are")]
SessionId = Annotated[str, Meta(min_length=1, max_length=1000, description="The session that is meant")]


class Params(Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What all of them share: names are written as agentos writes them, and an unknown one is an error."""


class Store(Params):
    content: Annotated[str, Meta(min_length=1, description="The text to keep, at most 1 MB")]
    agent_id: AgentId | None = None
    role: Annotated[Literal["user", "assistant", "system"] | None, Meta(description="Who said it (user)")] = None
    session_id: Annotated[str | None, Meta(description="The session that it belongs to, if any")] = None


class Recall(Params):
    query: Annotated[str, Meta(min_length=1, description="What to look for, in plain words")]
    agent_id: AgentId | None = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most so many memories")] = 10


class Evict(Params):
    max_age: Annotated[float, Meta(ge=0, description="Milliseconds; what is older may be stale")] = 30 * DAY_MS
    min_importance: Annotated[float, Meta(ge=0, le=1, description="What is old and less important is stale")] = 0.2
    cap: Annotated[int, Meta(ge=0, description="At most so many memories for each agent")] = 10_000


class Consolidate(Params):
    decay_rate: Annotated[float, Meta(ge=0, le=1, description="The share of its confidence that each loses")] = 0.05


class Relation(Params):
    target: Annotated[str, Meta(min_length=1, max_length=200, description="The id of the other entity")]
    type: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1000)] | None, Meta(description="Such as works_on (related_to)")
    ] = None


class Node(Params):
    id: Annotated[str, Meta(min_length=1, max_length=200, description="Unique for the agent, such as person:alice")]
    type: Annotated[str | None, Meta(description="Such as person, project or concept")] = None
    properties: Annotated[dict[str, Any] | None, Meta(description="What is known of it; joins what was known")] = None
    relations: Annotated[list[Relation] | None, Meta(description="Where it leads; the way back is kept too")] = None


class KgAdd(Params):
    entity: Annotated[Node, Meta(description="The entity to add, or to add to")]
    agent_id: AgentId | None = None


class KgQuery(Params):
    entity_id: Annotated[str, Meta(min_length=1, max_length=1000, description="Where the walk begins")]
    agent_id: AgentId | None = None
    depth: Annotated[int, Meta(ge=0, le=99, description="How many steps to go at most")] = 2


class SessionList(Params):
    agent_id: AgentId | None = None


class SessionCompact(Params):
    session_id: SessionId
    agent_id: AgentId | None = None
    threshold: Annotated[int, Meta(ge=1, le=1_000_000, description="A session with fewer messages is left alone")] = 30
    keep_recent: Annotated[int, Meta(ge=0, le=1_000_000, description="So many of the last messages stay")] = 10


class SessionRepair(Params):
    session_id: SessionId
    agent_id: AgentId | None = None
