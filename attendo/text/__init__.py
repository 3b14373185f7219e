"""Characters and pieces of text; no torch."""
