"""Pairs that people translated, from $ATTENDO_DATA; a test that needs what is not there is skipped and says so."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("ATTENDO_DATA", "data"))


def pairs(name):
    """(source language, target language, source, target), both ways, of such a file as zh-en/tatoeba.dev.tsv."""
    if not (DATA / name).is_file():
        pytest.skip(f"no {name} in {DATA}: set ATTENDO_DATA")
    here, there = name.split("/")[0].split("-")
    rows = (line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").split("\n"))
    one_way = [(here, there, row[0], row[1]) for row in rows if len(row) >= 2]
    return [*one_way, *((target, source, b, a) for source, target, a, b in one_way)]
