"""An engine without a model, and a translator around it: answers at once, always the same, and without torch."""

import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass, field

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.engine import Limits
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.bundle_writing import write_bundle
from attendo.special_tokens import SPECIAL
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from attendo.translation.retries import WIDER_BEAM
from attendo.translation.translator import Translator

TEXTS = [
    "我爱机器学习。机器学习很有趣！你好吗？他昨天买了三本书。",
    "I love machine learning. It is fun! How are you? He bought three books yesterday.",
]


def same(ids):
    return ids


def backwards(ids):
    return ids[::-1]


def for_ever(ids):
    return ids[:1] * 100_000


@dataclass
class FakeEngine:
    """Says what `say` makes of the source's pieces, and remembers all that it was asked."""

    say: object = same
    name: str = "fake"
    limits: Limits = field(default_factory=lambda: Limits(1_024, 6_272))
    tokens_per_batch: int = 100  # few, so that a small file has many chunks
    seconds: float = 0.0  # that each batch takes
    remembers: bool = True
    threads: int | None = None
    asked: list = field(default_factory=list)

    def search(self, requests, options, *, attention=False):
        time.sleep(self.seconds)
        if self.remembers:
            self.asked += [request.ids for request in requests]
        return [[self.answer(request, rank) for rank in range(options.n_best)] for request in requests]

    def answer(self, request, rank):
        output = tuple(self.say(request.ids[1:-1]))
        room = max(1, request.max_length - 1 - rank)
        ids = (*output[rank:], SPECIAL.eos) if len(output) - rank <= room else output[: request.max_length]
        return Hypothesis.of(ids, [-0.5] * len(ids), 1.0)


def fake_tokenizer():
    return train_tokenizer(lambda: TEXTS * 3, ("zh", "en"), TokenizerConfig(450))


@dataclass
class Beams:
    """Says `narrow`, but `wide` to an attempt with a wider beam; and remembers the beams."""

    narrow: str
    wide: list[str]
    tokenizer: object = field(default_factory=fake_tokenizer)
    name: str = "beams"
    limits: Limits = field(default_factory=lambda: Limits(1_024, 6_272))
    tokens_per_batch: int = 10_000
    threads: int | None = None
    beams: list[int] = field(default_factory=list)

    def search(self, requests, options, *, attention=False):
        self.beams += [options.beam_size] * len(requests)
        texts = self.wide if options.beam_size >= WIDER_BEAM else [self.narrow] * options.n_best
        return [[self.hypothesis(text, rank) for rank, text in enumerate(texts)] for _ in requests]

    def hypothesis(self, text, rank):
        ids = (*self.tokenizer.encode(text), SPECIAL.eos)
        return Hypothesis.of(ids, [-0.1 - rank] * len(ids), 1.0)


def write_fake_model(folder, card="# Fake\n"):
    """A model folder whose weights are none; with another card it is another model."""
    tokenizer = fake_tokenizer()
    table, directions = {"family": "transformer", "vocab_size": tokenizer.vocab_size}, [("zh", "en"), ("en", "zh")]
    write_bundle(folder, table, tokenizer, directions, card, lambda path: path.write_bytes(b"none"), needs=1)
    return folder


def fake_translator(folder, engine=None):
    bundle = read_bundle(folder)
    return Translator(bundle, bundle.tokenizer(), engine or FakeEngine())


@contextmanager
def logged():
    """The messages that attendo logs inside the block."""

    class Messages(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())

    messages, handler, logger = [], Messages(), logging.getLogger("attendo")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield messages
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


class Listener:
    """A `TranslationListener` that remembers what it heard."""

    def __init__(self):
        self.warnings, self.started_at, self.counted = [], None, None

    def passed(self, lines, num_bytes, counted="lines"):
        self.started_at, self.counted = lines, counted

    def done(self, chunk, warnings):
        self.warnings += warnings
