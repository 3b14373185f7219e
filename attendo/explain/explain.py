"""From a text to all that is shown of it: with hands and without, and the training pass of the pair. No torch."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attendo.explain.comparison import Touched, compare_looks
from attendo.explain.hand_words import HandWords
from attendo.explain.labels import labels_of
from attendo.explain.passes import seen_by_search
from attendo.explain.teacher_forcing import PairInTraining, teacher_forcing
from attendo.glass.hands import Hands
from attendo.glass.look import Look, look, opened
from attendo.glass.reading import Glass, read_target
from attendo.glass.search import OnStep, nothing
from attendo.glass.trace import Array, Trace
from attendo.glass.training_pass import pass_over_pair
from attendo.model.config import TransformerConfig
from attendo.text.tokenizer import Tokenizer

UNTOUCHED = HandWords()


@dataclass(frozen=True)
class Explanation:
    """`shown` is what all tensors are of: with the hands, if there are any; `plain` is without."""

    plain: Look
    shown: Look
    log_probs: Array  # [target, vocab]: what the search saw at each step of `shown`
    training: PairInTraining
    touched: Touched | None  # None: there is no hand

    @property
    def config(self) -> TransformerConfig:
        return self.shown.glass.model.config

    @property
    def tokenizer(self) -> Tokenizer:
        return self.shown.glass.tokenizer

    @property
    def model_name(self) -> str:
        return self.shown.glass.bundle.folder.resolve().name

    @cached_property
    def source_labels(self) -> list[str]:
        return labels_of(self.shown.source, self.tokenizer)

    @cached_property
    def target_in_labels(self) -> list[str]:
        return labels_of(self.shown.target_in, self.tokenizer)

    @cached_property
    def target_labels(self) -> list[str]:
        return labels_of(self.shown.best.ids, self.tokenizer)


def explain(
    text: str,
    to: str | None = None,
    from_: str | None = None,
    model: str | Path | Glass | None = None,
    *,
    target: str | None = None,
    beam: int = 4,
    hands: HandWords | Hands = UNTOUCHED,
    plain: Look | None = None,
    on_step: OnStep = nothing,
) -> Explanation:
    """`target` is what the translation should be, for the training pass; without it, it is the model's own.

    `plain` is a look at the same text without hands, for who has one already; `on_step` may raise, as in `look`.
    """
    glass = opened(model)
    plain = plain or look(text, to, from_, glass, beam, on_step=on_step)
    touch = hands
    if isinstance(touch, HandWords):
        touch = touch.for_sentence(glass.model.config, plain.source, glass.tokenizer)
    shown = plain if touch == Hands() else look(text, to, from_, glass, beam, touch, on_step=on_step)
    pair = plain.best.ids if target is None else read_target(glass, target, plain.read.request.max_length)
    training = pass_over_pair(glass, shown.read, tuple(pair), Trace(dict(shown.trace.tensors)), touch, on_step)
    return Explanation(
        plain=plain,
        shown=shown,
        log_probs=seen_by_search(shown, on_step),
        training=teacher_forcing(training, given=target is not None, on_step=on_step),
        touched=None if shown is plain else compare_looks(plain, shown, on_step),
    )
