"""L44: what must be exact, and a rule that can say each verdict."""

import pytest
import torch

from attendo.lab.softmax import l44_large_as_a_whole as l44
from tests.lab.planted import small_runs, verdict


def test_l44_adding_changes_nothing_and_multiplying_does():
    numbers = small_runs(l44.EXPERIMENT)[0]
    assert numbers["change"] < 1e-12
    assert numbers["times_most"] == pytest.approx(1)
    assert [numbers[f"example_{i}"] for i in (1, 2, 3)] == pytest.approx([0.3006, 0.3322, 0.3672], abs=1e-4)
    assert numbers["overflows"] == 1
    assert l44.as_written(torch.tensor([1.0, 2.0])).tolist() == pytest.approx([0.2689, 0.7311], abs=1e-4)


def test_l44_can_say_all():
    assert verdict("L44", added_most=0.3, times_most=1.0, change=0.0) == "holds only if"
    assert verdict("L44", added_most=1.0, times_most=1.0, change=0.5) == "holds"
    assert verdict("L44", added_most=0.3, times_most=0.5, change=0.0) == "does not hold"
    assert verdict("L44", added_most=0.5, times_most=1.0, change=0.2) == "undecided"
