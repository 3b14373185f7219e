"""Search on a GPU: what exists for speed there."""
