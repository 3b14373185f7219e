"""One short sentence goes through few files and few types."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.walk import Walk, carriers

ROOT = Path(__file__).parent.parent.parent


def test_the_walk_is_short():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.walk"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("held", "found"), [(["'a'"], []), (["'b'"], ["Text"]), (["'a'", "'a'"], ["Text"])])
def test_a_type_carries_the_sentence_if_it_changes_with_it(held, found):
    one, other = (Walk([], [], {"Options": ["4"], "Text": texts}) for texts in (["'a'"], held))
    assert carriers(one, other) == found
