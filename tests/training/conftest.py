"""Corpora and tokenizers that tests make are kept apart from the user's, and made once."""

import pytest


@pytest.fixture(scope="package", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TOKENIZERS_PARALLELISM", "false")  # the library warns of threads when a process forks
        yield
