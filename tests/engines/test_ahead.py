"""What is begun early for a GPU: where there is none it does nothing, and says nothing."""

import threading

from attendo.engines.cuda import ahead


def test_it_does_no_harm_where_there_is_no_gpu(capfd):
    before = set(threading.enumerate())
    ahead.begin()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_done_is_left_to_who_comes_later():
    def fails():
        raise OSError("no driver")

    ahead.quietly(fails)
