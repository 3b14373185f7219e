"""One word for one thing (the glossary is in CONTRIBUTING.md), and what must not occur where."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "attendo"
FILES = sorted(PACKAGE.rglob("*.py"))


def classes():
    """Every class of the package by its name, with the files that define one of that name."""
    found = defaultdict(list)
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    return found


def test_class_names_are_unique():
    assert {name: paths for name, paths in classes().items() if len(paths) > 1} == {}


def test_the_papers_words_belong_to_the_paper():
    homes = {name: paths[0].split("/")[0] for name, paths in classes().items()}
    for name in ("Decoder", "Encoder", "DecoderLayer", "EncoderLayer", "Transformer", "MultiHeadAttention"):
        assert homes[name] == "model", name
    for name in ("Step", "Loop"):
        assert homes.get(name, "training") == "training", name


@pytest.mark.parametrize("room", ["model", "decoding"])
def test_no_branch_on_a_device_in_the_papers_rooms(room):
    asks = re.compile(r"torch\.cuda|is_cuda|torch\._C")
    found = [str(path) for path in (PACKAGE / room).rglob("*.py") if asks.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_remarks_are_read_by_nobody():
    """A remark is a sentence for people: no decision looks into one."""
    reads = re.compile(r"remarks?\.(startswith|endswith|find)|\bin (\w+\.)*remark\b|AGAIN")
    found = [str(path) for path in FILES if reads.search(path.read_text(encoding="utf-8"))]
    assert found == []
