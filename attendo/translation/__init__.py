"""Strings in, strings out: sentences, spaces, what must be kept, and an account of it all; no torch."""
