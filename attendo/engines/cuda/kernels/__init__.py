"""Small programs for a GPU, in Triton: each does in one pass what is written out elsewhere in several."""
