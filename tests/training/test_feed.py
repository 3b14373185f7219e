"""How much waits ahead of the steps: so many, and so many bytes."""

import threading
import time

import pytest
import torch

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position
from attendo.training import feed as training_feed
from attendo.training.feed import AHEAD, Feed, Repeated
from tests.data.test_same_batches import one_corpus

PATIENCE = 30  # seconds; more is a hang
BATCHES = [Batch.from_pairs([([5, 6, 7], [8])] * rows) for rows in (1, 2, 3, 4)]


def waiting(feed):
    """How many are ready when no more is added."""
    count, since, deadline = -1, 0.0, time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if len(feed.ready) != count:
            count, since = len(feed.ready), time.monotonic()
        elif time.monotonic() > since + 0.1:
            break
        time.sleep(0.005)
    return count


@pytest.mark.parametrize(
    ("most_bytes", "expected"),
    [(0, 1), (sum(batch.num_bytes for batch in BATCHES), 4), (2**40, AHEAD["cpu"])],
    ids=["one may always wait", "bytes", "steps"],
)
def test_so_much_waits(most_bytes, expected, monkeypatch):
    monkeypatch.setattr(training_feed, "AHEAD_BYTES", most_bytes)
    with Feed(Repeated(BATCHES), Position(), 1, torch.device("cpu")) as feed:
        assert waiting(feed) == expected
        taken = [work.micro_batches[0].num_bytes for work, _ in zip(feed, range(9), strict=False)]
        assert waiting(feed) == (1 if expected == 1 else pytest.approx(expected, abs=2))
        assert feed.bytes == sum(training_feed.bytes_of(work) for work in feed.ready)
    assert taken == [BATCHES[index % 4].num_bytes for index in range(9)]


@pytest.mark.parametrize("end", ["left", "failed", "an error of its own"])
def test_nothing_runs_on_after_training(end, monkeypatch):
    """Neither the feed's thread nor the one that plans the next epoch."""
    batches = Batches(one_corpus(), 2_000, seed=1, plans_ahead=True)
    if end == "an error of its own":
        monkeypatch.setattr(training_feed, "share_of_padding", lambda micro_batches: 1 / 0)
    try:
        with Feed(batches, Position(), 2, torch.device("cpu")) as feed:
            for count, _ in enumerate(feed):
                if end == "failed":
                    raise ZeroDivisionError
                if count == 3:
                    break
    except ZeroDivisionError:
        assert end != "left"
    assert not {"feed", "meanwhile"} & {thread.name for thread in threading.enumerate()}
