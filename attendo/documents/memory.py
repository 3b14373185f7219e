"""A translation memory: texts whose translation is known, from a TMX, TSV or JSONL file.

An exact match is taken over as it is, and the report says so. Nothing is guessed from similar texts: a text that is
almost the same may mean the opposite. Of two translations of one text the last is the newest.
"""

from collections.abc import Mapping
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.errors import DataError

MOST = 2_000_000  # pairs, which are held in memory

TranslationMemory = Mapping[str, str]


def read_memory(path: Path | None, source: str, to: str) -> TranslationMemory:
    """By what they say in the source language; without a file, nothing."""
    found: dict[str, str] = {}
    if path is None or source == to:
        return found
    for pair in CorpusFile(path, (source, to)).pairs(lambda problem: None):
        if pair.source and pair.target:
            found[pair.source] = pair.target
        if len(found) > MOST:
            raise DataError(f"{path} has more than {MOST:,} pairs: expected a smaller memory")
    return found
