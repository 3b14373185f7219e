"""What the server counts, for Prometheus: ok + rejected + failed + cancelled = received."""

from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

Outcome = Literal["ok", "rejected", "failed", "cancelled"]
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """Of one server; nothing is global, so that two servers of one process do not share their counts."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.received = Counter("attendo_requests_received", "Requests to translate.", ["dialect"], registry=registry)
        self.answered = Counter(
            "attendo_requests", "Requests to translate by how they ended.", ["dialect", "outcome"], registry=registry
        )
        self.seconds = Histogram(
            "attendo_request_seconds", "From a whole request to its answer.", buckets=SECONDS, registry=registry
        )
        self.characters = Counter("attendo_characters", "Characters of texts to translate.", registry=registry)
        self.batch = Histogram(
            "attendo_batch_sentences", "Sentences decoded together.", buckets=SENTENCES, registry=registry
        )
        self.busy = Counter("attendo_decoding_seconds", "Seconds in which a batch was decoded.", registry=registry)
        self.waiting = Gauge("attendo_sentences_waiting", "Sentences that wait to be decoded.", registry=registry)
        self.requests = Gauge("attendo_requests_under_way", "Requests that wait or are served.", registry=registry)

    def on_batch(self, sentences: int, seconds: float) -> None:
        self.batch.observe(sentences)
        self.busy.inc(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)
