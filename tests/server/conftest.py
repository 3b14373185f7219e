"""Servers with a model that says what it read: they measure the server, not the model."""

import pytest

from tests.server.live_server import fake, live


@pytest.fixture(scope="session")
def echo(tmp_path_factory):
    """A translator; where a test needs an engine of its own, it takes this one's bundle and tokenizer."""
    return fake(tmp_path_factory.mktemp("model") / "fake", tokens_per_batch=2_000)


@pytest.fixture(scope="module")
def server(echo):
    with live(echo) as one:
        yield one
