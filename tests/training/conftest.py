"""What tests of training share: a cache of their own, and for each module the run that nobody disturbed."""

import pytest

from tests.training.tiny_run import result, run


@pytest.fixture(scope="package", autouse=True)
def own_cache(tmp_path_factory):
    """Corpora and tokenizers that tests make are kept apart from the user's, and made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TOKENIZERS_PARALLELISM", "false")  # the library warns of threads when a process forks
        yield


@pytest.fixture(scope="module")
def finished(request, tmp_path_factory):
    """A run of the module's RECIPE. It also loads whatever torch loads late, so that children start at once."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    assert run(folder, request.module.RECIPE)[0] == 0
    return folder


@pytest.fixture(scope="module")
def reference(finished):
    return result(finished)
