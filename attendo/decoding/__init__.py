"""Search over token ids; a model is known by its few calls."""
