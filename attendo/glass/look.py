"""One sentence through the machine: its pieces, every tensor by its name, the tree of the search, the translation.

    from attendo.glass.look import look

    found = look("我爱机器学习", to="en")
    found.translation                                       'I love machine learning.'
    found.trace["encoder.0.self_attention.weights"].shape   (6, 6, 6)
    found.trace["decoder.1.cross_attention.weights"][0, 2]  what head 0 of layer 1 looked at, at step 3

The trace's names and shapes are in trace.py and docs/glass.md; what can be changed is in hands.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.files.arguments import check_argument, check_count, check_languages, check_path
from attendo.glass.hands import Hands
from attendo.glass.reading import Glass, ReadText, open_glass, read_text
from attendo.glass.search import OnStep, beam_search, nothing
from attendo.glass.trace import Trace
from attendo.glass.transformer import AS_IT_IS, decode, encode
from attendo.glass.tree import SearchTree
from attendo.special_tokens import SPECIAL


@dataclass(frozen=True)
class Look:
    """What was computed. Row n of a decoder's tensor is what it computed at step n + 1, which read target_in[n]."""

    glass: Glass
    read: ReadText
    hands: Hands
    options: SearchOptions
    trace: Trace  # of the encoder, and of one pass of the decoder that reads the best hypothesis
    tree: SearchTree
    translation: str  # as `translate` writes it

    @property
    def text(self) -> str:
        """As the model reads it."""
        return self.read.request.text

    @property
    def source(self) -> tuple[int, ...]:
        """>>language<<, pieces, </s>"""
        return self.read.request.ids

    @property
    def best(self) -> Hypothesis:
        return self.tree.best

    @property
    def target_in(self) -> tuple[int, ...]:
        return (SPECIAL.bos, *self.best.ids[:-1])

    @property
    def source_pieces(self) -> list[str]:
        """As a person may read them; a byte of a rare character is <0xE9>."""
        return self.glass.tokenizer.names(self.source)

    @property
    def target_pieces(self) -> list[str]:
        return self.glass.tokenizer.names(self.best.ids)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know."""
        cut = f"the translation was cut at {len(self.best.ids)} tokens, its maximum length"
        return self.read.remarks if self.best.ended else (*self.read.remarks, cut)

    def at_step(self, step: int) -> Trace:
        """The decoder as it stood at a step, counted from 1: it had read <s> and the step - 1 pieces before.

        With the causal mask these are the first rows of `trace`; without it they are not.
        """
        check_count("step", step, 1, len(self.target_in))
        trace = Trace()
        decode(self.glass.model, np.array(self.target_in[:step]), self.trace["memory"], trace, self.hands)
        return trace


def look(
    text: str,
    to: str | None = None,
    from_: str | None = None,
    model: str | Path | Glass | None = None,
    beam: int = 4,
    hands: Hands = AS_IT_IS,
    *,
    search: SearchOptions | None = None,
    on_step: OnStep = nothing,
) -> Look:
    """Translate a sentence as `attendo translate --engine torch` does at its first attempt, and keep everything.

    `to`, `from_` and `model` are as in `attendo.inspect`; the model may also be one that `open_glass` has opened.
    `search` says more of the search than `beam` does, and is then all that counts. `on_step` is told of each step of
    the search, and may raise: so ends what nobody waits for any more.
    """
    check_argument("text", text, str, "a sentence")
    check_argument("hands", hands, Hands, "Hands")
    options = SearchOptions(beam_size=beam) if search is None else search
    check_argument("search", options, SearchOptions, "SearchOptions, or None")
    check_languages(to, from_)
    glass = opened(model)
    read = read_text(glass, text, to, from_)
    hands.check(glass.model.config, len(read.request.ids))
    trace = Trace()
    memory = encode(glass.model, np.array(read.request.ids), trace, hands)
    tree = beam_search(glass.model, memory, read.request.max_length, options, hands, on_step)
    decode(glass.model, np.array([SPECIAL.bos, *tree.best.ids[:-1]]), memory, trace, hands)
    return Look(glass, read, hands, options, trace, tree, read.translation(tree.best, glass.tokenizer))


def first_difference(one: Look, other: Look) -> int | None:
    """The step, counted from 1, at which two translations part; None where they are the same to the end."""
    index = parts_at(one.best.ids, other.best.ids)
    return None if index is None else index + 1


def parts_at(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first index, from 0, at which two rows of pieces are not the same; None where they are, to the end."""
    both = zip_longest(one, other)
    return next((index for index, (first, second) in enumerate(both) if first != second), None)


def opened(model: str | Path | Glass | None) -> Glass:
    if isinstance(model, Glass):
        return model
    if model is not None:
        check_path("model", model, ", or the name of a model")
    return open_glass(model)
