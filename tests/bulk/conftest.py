"""A job to translate."""

import pytest

from tests.bulk.job import Job, lines_of_text
from tests.translation.fake_engine import write_fake_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("bulk") / "model")


@pytest.fixture
def job(model, tmp_path):
    (tmp_path / "in.txt").write_bytes(lines_of_text(200))
    return Job(model, tmp_path / "in.txt", tmp_path / "work")
