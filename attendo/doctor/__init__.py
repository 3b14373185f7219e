"""Examines a parallel corpus: what is wrong with it, where, and what to do about it."""
