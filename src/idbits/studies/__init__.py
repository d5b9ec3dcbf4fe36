"""Studies: one file a user's question."""
