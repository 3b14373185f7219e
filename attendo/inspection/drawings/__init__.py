"""Drawings for a lecture, made from a live model or a preset: one file a drawing."""
