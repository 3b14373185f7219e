"""Recipes in tests leave nothing outside their own folder."""

from tests.runs.conftest import bpe, own_folders

__all__ = ["bpe", "own_folders"]
