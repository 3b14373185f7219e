"""A pair of sentences as training sees it (notes A56-60, D329-367): the target shifted, masked, and the loss.

    target_in    <s>  I     love  …          what the decoder reads: the right pieces (teacher forcing)
    target_out   I    love  …     </s>       what it should predict at each position

All positions are predicted in one pass; the causal mask keeps each from reading its own answer. Beside it stands the
run that feeds back: the decoder reads what it predicted itself, as it must when it translates.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from attendo.decoding.options import SearchOptions
from attendo.files.arguments import check_argument, check_languages
from attendo.glass.hands import Hands
from attendo.glass.look import opened
from attendo.glass.masks import causal
from attendo.glass.reading import Glass, ReadText, read_target, read_text
from attendo.glass.search import OnStep, beam_search, nothing
from attendo.glass.trace import Array, Trace
from attendo.glass.transformer import AS_IT_IS, decode, encode
from attendo.glass.tree import SearchTree
from attendo.special_tokens import SPECIAL

GREEDY = SearchOptions(beam_size=1)


@dataclass(frozen=True)
class TrainingPass:
    """Both runs. `trace` is of the teacher-forced one: its log_probs are [target, vocab]."""

    glass: Glass
    read: ReadText
    hands: Hands
    target_out: tuple[int, ...]  # pieces, </s>
    trace: Trace
    fed_back: SearchTree  # greedy: the decoder reads its own pieces

    @property
    def target_in(self) -> tuple[int, ...]:
        return (SPECIAL.bos, *self.target_out[:-1])

    @property
    def own(self) -> tuple[int, ...]:
        """What it wrote when it was fed its own pieces."""
        return self.fed_back.best.ids

    @cached_property
    def may_attend(self) -> Array:
        """Who may look at whom in the decoder's self-attention, [target, target]."""
        length = len(self.target_out)
        return causal(length) if self.hands.causal_mask else np.ones((length, length), dtype=bool)

    @cached_property
    def log_probs(self) -> Array:
        """log p(target_out[n]) after the right pieces, [target]."""
        return of_pieces(self.trace["log_probs"], self.target_out)

    @property
    def losses(self) -> Array:
        """-log p at each position: the cross-entropy, in nats, without label smoothing."""
        return -self.log_probs

    @property
    def loss(self) -> float:
        """The mean over the positions: what training makes smaller."""
        return float(self.losses.mean())

    @cached_property
    def fed_back_log_probs(self) -> Array:
        """log p(target_out[n]) after its own pieces instead; it ends where they do, or where the target does."""
        shorter = min(len(self.own), len(self.target_out))
        own_in = np.array([SPECIAL.bos, *self.own[:-1]])
        log_probs = decode(self.glass.model, own_in, self.trace["memory"], hands=self.hands)
        return of_pieces(log_probs[:shorter], self.target_out[:shorter])

    @property
    def predicted(self) -> list[int]:
        """The likeliest piece at each position after the right pieces."""
        return [int(piece) for piece in self.trace["log_probs"].argmax(axis=-1)]


def training_pass(
    text: str,
    target: str,
    to: str | None = None,
    from_: str | None = None,
    model: str | Path | Glass | None = None,
    hands: Hands = AS_IT_IS,
) -> TrainingPass:
    """The source as `look` reads it, the target as `attendo score` does. No dropout: the model is as it is used."""
    check_argument("text", text, str, "a sentence")
    check_argument("hands", hands, Hands, "Hands")
    check_languages(to, from_)
    glass = opened(model)
    read = read_text(glass, text, to, from_)
    hands.check(glass.model.config, len(read.request.ids))
    trace = Trace()
    encode(glass.model, np.array(read.request.ids), trace, hands)
    return pass_over_pair(glass, read, read_target(glass, target, read.request.max_length), trace, hands)


def pass_over_pair(
    glass: Glass, read: ReadText, target_out: tuple[int, ...], trace: Trace, hands: Hands, on_step: OnStep = nothing
) -> TrainingPass:
    """`trace` has what the encoder gave, and gets what the decoder gives."""
    memory = trace["memory"]
    decode(glass.model, np.array([SPECIAL.bos, *target_out[:-1]]), memory, trace, hands)
    fed_back = beam_search(glass.model, memory, read.request.max_length, GREEDY, hands, on_step)
    return TrainingPass(glass, read, hands, target_out, trace, fed_back)


def of_pieces(log_probs: Array, pieces: tuple[int, ...]) -> Array:
    """log_probs [n, vocab] of one piece at each position -> [n]"""
    return log_probs[np.arange(len(pieces)), list(pieces)]
