"""Tests run two at a time on two cores, so each keeps to one thread; and each starts from the same random state."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(0)
