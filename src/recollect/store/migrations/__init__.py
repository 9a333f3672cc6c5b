"""See ARCHITECTURE.md for the question that this room answers."""
