"""Half an hour of mixed load: what 20 seconds of `make test` may be too short to show."""

import os

import pytest

from tests.server.live_server import fake
from tests.server.test_load import soak


@pytest.mark.slow
def test_half_an_hour_of_mixed_load_leaves_nothing_behind(tmp_path, evidence):
    echo = fake(tmp_path / "fake", tokens_per_batch=2_000)
    soak(echo, evidence, seconds=float(os.environ.get("ATTENDO_SOAK_SECONDS", "1800")))
