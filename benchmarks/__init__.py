"""Measurements, never tests: each prints a table for the docs and says on what machine and data it was made."""
