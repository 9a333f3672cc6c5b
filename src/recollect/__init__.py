"""One long-term memory for all of a person's AI agents."""

__version__ = "0.1.0"
