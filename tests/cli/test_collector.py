"""`attendo serve` has Python search for cycles less often, and what is in one goes nevertheless."""

import gc
import weakref

import pytest

from attendo.cli.serve import OBJECTS_BETWEEN_SEARCHES, search_less_for_cycles
from attendo.server import run
from tests.cli.command import command


class Ring:
    def __init__(self):
        self.itself = self


@pytest.fixture
def as_before():
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_what_is_loaded_is_searched_no_more_and_new_cycles_go(as_before):
    search_less_for_cycles()
    assert gc.get_freeze_count() > 0
    ring = weakref.ref(Ring())
    kept = []
    for _ in range(OBJECTS_BETWEEN_SEARCHES):
        kept.append([])  # as long as these are there they are counted, and their number has Python search
    assert ring() is None


def test_it_is_done_before_anybody_is_served():
    def tell(service, *_, on_loaded, **__):
        usual = gc.get_threshold()[0]
        service.start(lambda: (on_loaded(), print(service.ready, gc.get_threshold()[0] > usual)))
        print(service.ready)
        service.close()

    def watched():
        run.serve_until_told = tell

    ended = command("serve", "--port", "0", "--threads", "1", before=watched)
    assert (ended.code, ended.out.split()) == (0, ["False", "True", "True"]), ended.err
