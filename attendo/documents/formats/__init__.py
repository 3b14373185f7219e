"""A file a format: which bytes of it stand for a text."""
