"""What do clients read about each tool of memory-mcp?

The schemas are word for word those of the contract.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.types import Json

SCHEMAS: Mapping[str, Mapping[str, Json]] = {
    "store_memory": {
        "type": "object",
        "properties": {
            "content": {"description": "The content to store as a memory", "type": "string"},
            "memory_type": {
                "description": "Type of memory: episodic, semantic, or procedural",
                "type": "string", "enum": ["episodic", "semantic", "procedural"], "nullable": True,
            },
            "user_id": {
                "description": "Optional user ID for multi-tenant isolation",
                "type": "string", "nullable": True,
            },
            "metadata": {"description": "Optional metadata as JSON object", "type": "object", "nullable": True},
        },
        "required": ["content"],
    },
    "get_memory": {
        "type": "object",
        "properties": {
            "id": {"description": "The memory ID to retrieve", "type": "string"},
        },
        "required": ["id"],
    },
    "update_memory": {
        "type": "object",
        "properties": {
            "id": {"description": "The memory ID to update", "type": "string"},
            "content": {
                "description": "New content (optional, re-embeds if changed)",
                "type": "string", "nullable": True,
            },
            "memory_type": {"description": "New memory type (optional)", "type": "string", "nullable": True},
            "metadata": {"description": "New metadata (optional)", "type": "object", "nullable": True},
        },
        "required": ["id"],
    },
    "delete_memory": {
        "type": "object",
        "properties": {
            "id": {"description": "The memory ID to delete", "type": "string"},
        },
        "required": ["id"],
    },
    "list_memories": {
        "type": "object",
        "properties": {
            "limit": {
                "description": "Maximum number to return (default: 20, max: 100)",
                "type": "integer", "minimum": 1, "maximum": 100, "default": 20,
            },
            "offset": {
                "description": "Offset for pagination (default: 0)",
                "type": "integer", "minimum": 0, "default": 0,
            },
        },
    },
    "search": {
        "type": "object",
        "properties": {
            "query": {"description": "The search query text (will be embedded)", "type": "string"},
            "limit": {
                "description": "Maximum results (default: 10, max: 50)",
                "type": "integer", "minimum": 1, "maximum": 50, "default": 10,
            },
        },
        "required": ["query"],
    },
    "search_text": {
        "type": "object",
        "properties": {
            "query": {"description": "The keyword query for full-text search", "type": "string"},
            "limit": {
                "description": "Maximum results (default: 10, max: 50)",
                "type": "integer", "minimum": 1, "maximum": 50, "default": 10,
            },
        },
        "required": ["query"],
    },
    "recall": {
        "type": "object",
        "properties": {
            "query": {"description": "Search query", "type": "string"},
            "limit": {"description": "Maximum results (default: 10, max: 50)", "type": "integer", "default": 10},
            "include_memories": {
                "description": "Include memory results (default: true)",
                "type": "boolean", "default": True,
            },
            "include_code": {
                "description": "Include code chunk results (default: false)",
                "type": "boolean", "default": False,
            },
            "project_id": {
                "description": "Filter code results by project (optional, requires include_code=true)",
                "type": "string", "nullable": True,
            },
            "language": {
                "description": "Filter code by language: rust, python, javascript, typescript, go (optional)",
                "type": "string", "nullable": True,
            },
            "vector_weight": {
                "description": "Weight for vector similarity (default: 0.40)",
                "type": "number", "default": 0.4,
            },
            "bm25_weight": {"description": "Weight for BM25 (default: 0.15)", "type": "number", "default": 0.15},
            "ppr_weight": {
                "description": "Weight for PPR graph ranking (default: 0.45)",
                "type": "number", "default": 0.45,
            },
        },
        "required": ["query"],
    },
    "create_entity": {
        "type": "object",
        "properties": {
            "name": {"description": "Entity name", "type": "string"},
            "entity_type": {
                "description": "Type: person, project, concept, file, etc.",
                "type": "string", "nullable": True,
            },
            "description": {"description": "Optional description", "type": "string", "nullable": True},
            "user_id": {"description": "Optional user ID for isolation", "type": "string", "nullable": True},
        },
        "required": ["name"],
    },
    "create_relation": {
        "type": "object",
        "properties": {
            "from_entity": {"description": "Source entity ID", "type": "string"},
            "to_entity": {"description": "Target entity ID", "type": "string"},
            "relation_type": {"description": "Relation type: works_on, knows, uses, etc.", "type": "string"},
            "weight": {
                "description": "Relation weight (0.0-1.0, default: 1.0)",
                "type": "number", "minimum": 0, "maximum": 1, "default": 1.0,
            },
        },
        "required": ["from_entity", "to_entity", "relation_type"],
    },
    "get_related": {
        "type": "object",
        "properties": {
            "entity_id": {"description": "Entity ID to start from", "type": "string"},
            "depth": {
                "description": "Traversal depth (1-3, default: 1)",
                "type": "integer", "minimum": 1, "maximum": 3, "default": 1,
            },
            "direction": {
                "description": "Traversal direction",
                "type": "string", "enum": ["outgoing", "incoming", "both"], "default": "outgoing",
            },
        },
        "required": ["entity_id"],
    },
    "get_valid": {
        "type": "object",
        "properties": {
            "user_id": {"description": "Optional user ID filter", "type": "string", "nullable": True},
            "limit": {"description": "Maximum to return (default: 20, max: 100)", "type": "integer", "default": 20},
        },
    },
    "get_valid_at": {
        "type": "object",
        "properties": {
            "timestamp": {"description": "Timestamp in ISO 8601 format", "type": "string", "format": "date-time"},
            "user_id": {"description": "Optional user ID filter", "type": "string", "nullable": True},
            "limit": {"description": "Maximum to return (default: 20, max: 100)", "type": "integer", "default": 20},
        },
        "required": ["timestamp"],
    },
    "invalidate": {
        "type": "object",
        "properties": {
            "id": {"description": "Memory ID to invalidate", "type": "string"},
            "reason": {"description": "Optional reason for invalidation", "type": "string", "nullable": True},
            "superseded_by": {
                "description": "Optional ID of memory that supersedes this one",
                "type": "string", "nullable": True,
            },
        },
        "required": ["id"],
    },
    "index_project": {
        "type": "object",
        "properties": {
            "path": {"description": "Path to project root directory", "type": "string"},
            "watch": {
                "description": "Enable file watching for auto-reindex (optional, deferred)",
                "type": "boolean", "default": False,
            },
        },
        "required": ["path"],
    },
    "search_code": {
        "type": "object",
        "properties": {
            "query": {"description": "Search query text", "type": "string"},
            "project_id": {"description": "Filter by project (optional)", "type": "string", "nullable": True},
            "limit": {"description": "Maximum results (default: 10, max: 50)", "type": "integer", "default": 10},
        },
        "required": ["query"],
    },
    "get_index_status": {
        "type": "object",
        "properties": {
            "project_id": {"description": "Project ID to check", "type": "string"},
        },
        "required": ["project_id"],
    },
    "list_projects": {
        "type": "object",
        "properties": {},
    },
    "delete_project": {
        "type": "object",
        "properties": {
            "project_id": {"description": "Project ID to delete", "type": "string"},
        },
        "required": ["project_id"],
    },
    "get_status": {
        "type": "object",
        "properties": {},
    },
    "reset_all_memory": {
        "type": "object",
        "properties": {
            "confirm": {"description": "Must be true to confirm deletion. Safety check.", "type": "boolean"},
        },
        "required": ["confirm"],
    },
}  # fmt: skip
"""In the order in which clients see the tools."""

DESCRIPTIONS: Mapping[str, str] = {
    "store_memory": (
        "Store a new memory with automatic embedding generation. Content of 1 byte to 100 KB; answers its id. The"
        " very same memory again answers the id it has."
    ),
    "get_memory": "Get a memory by its ID, valid or not.",
    "update_memory": (
        "Update an existing memory. Only provided fields will be updated; new metadata takes the place of the"
        " old. Answers the memory as it is now."
    ),
    "delete_memory": (
        "Delete a memory by ID (hard delete): nothing of it stays. To keep it for the record, use invalidate."
        " Unknown ids answer deleted: false."
    ),
    "list_memories": "List memories with pagination, sorted by newest first, those that are no longer valid included.",
    "search": (
        "Semantic vector search over memories that are valid now: finds what means the same in other words. The"
        " score is the cosine."
    ),
    "search_text": (
        "Full-text keyword search using BM25 algorithm, over memories that are valid now. For names, numbers and"
        " exact words."
    ),
    "recall": (
        "Hybrid search combining vector similarity, BM25 keywords, and graph context (PPR). Can search memories,"
        " code, or both with Z-Score normalization. The best way to find something; a weight of 0 switches its"
        " signal off."
    ),
    "create_entity": (
        "Create a knowledge graph entity. Memories that mention it by name are linked to it. A name that is known"
        " answers the id it has."
    ),
    "create_relation": "Create a directed relation between two entities, by the ids that create_entity answered.",
    "get_related": (
        "Get entities related to a given entity via graph traversal, nearest first, with the relations that lead"
        " to them."
    ),
    "get_valid": "Get all currently valid memories, newest first.",
    "get_valid_at": "Get memories valid at a specific point in time, newest first.",
    "invalidate": (
        "Invalidate (soft-delete) a memory. Sets valid_until to now; searches leave it out from then on. Name the"
        " memory that supersedes it, if one does. Unknown ids answer invalidated: false."
    ),
    "index_project": (
        "Index a codebase for semantic search. Answers when it is done, or after ten seconds with the counts so"
        " far: then get_index_status tells the rest. Again for the same folder reads only what changed."
    ),
    "search_code": "Semantic search over indexed code: functions, methods and classes with their places.",
    "get_index_status": "Get indexing status for a project: pending, indexing, completed or failed, with progress.",
    "list_projects": "List all indexed projects.",
    "delete_project": "Delete all indexed code chunks for a project; its files stay. Unknown projects answer 0.",
    "get_status": "Get server status and health information.",
    "reset_all_memory": (
        "Delete ALL data (memories, entities, relations, code_chunks). Requires explicit confirmation. It cannot"
        " be undone."
    ),
}
