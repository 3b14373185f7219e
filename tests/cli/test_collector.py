"""`attendo serve` has Python search for cycles less often, and what is in one goes nevertheless."""

import gc
import weakref

import pytest

from attendo.cli.serve import OBJECTS_BETWEEN_SEARCHES, search_less_for_cycles


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
    assert gc.get_freeze_count() > OBJECTS_BETWEEN_SEARCHES
    ring = weakref.ref(Ring())
    many = [[] for _ in range(OBJECTS_BETWEEN_SEARCHES)]
    assert ring() is None, len(many)
