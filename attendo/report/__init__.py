"""Pages that tell what was done and what came of it."""
