"""What may come next: small things that look at the output so far and forbid tokens, or make them less likely.

A constraint is a function of the logits and of the rows being decoded; it remembers nothing itself, so a search may
reorder, repeat and drop rows as it likes. It never raises a logit: the stop of the beam search relies on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.decoding.options import SearchOptions
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL, pad_rows


@dataclass(frozen=True)
class Rows:
    """The rows of one decoding step, all of the same length so far."""

    output: Tensor  # [rows, length]: the tokens so far, without <s>
    sentence: Tensor  # [rows]: the sentence of the batch that a row belongs to
    room: Tensor  # [rows]: how many tokens may still follow, </s> included; at least 1


class Constraint(Protocol):
    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        """Logits [rows, vocab] -> the same, some lower, -inf being forbidden. The argument is left as it was."""


def log_probabilities(logits: Tensor) -> Tensor:
    """log p = x - log Σ exp x, in float32 at least: half precision cannot tell close tokens apart."""
    return F.log_softmax(logits, dim=-1, dtype=torch.promote_types(logits.dtype, torch.float32))


def constrained(logits: Tensor, constraints: Sequence[Constraint], rows: Rows | None) -> tuple[Tensor, Tensor]:
    """Logits [rows, vocab] -> log-probabilities as the model has them, and as the search ranks them.

    What is forbidden gets -inf and what is penalised falls; the others keep their log-probability: it is still the
    model's, and equals what a teacher-forced pass would say.
    """
    log_probs = log_probabilities(logits)
    ranked = log_probs
    if constraints and rows is not None:
        changed = logits
        for constraint in constraints:
            changed = constraint(changed, rows)
        ranked = torch.where(changed == logits, log_probs, log_probs + (changed - logits))
    for never in (SPECIAL.pad, SPECIAL.bos):  # in place: nobody asks for the log-probability of what is never said
        ranked[:, never].fill_(-torch.inf)
    return log_probs, ranked


def constraints_of(options: SearchOptions) -> list[Constraint]:
    """Those that the options ask for."""
    wanted: list[Constraint] = []
    if options.repetition_penalty > 1:
        wanted.append(RepetitionPenalty(options.repetition_penalty))
    if options.no_repeat_ngram > 0:
        wanted.append(NoRepeatNgram(options.no_repeat_ngram))
    if options.min_length > 1:
        wanted.append(MinLength(options.min_length))
    return wanted


@dataclass(frozen=True)
class MinLength:
    """No </s> before the target, </s> included, has this length; unless there is no room for more."""

    length: int

    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        if rows.output.shape[1] + 1 >= self.length:
            return logits
        logits = logits.clone()
        logits[:, SPECIAL.eos] = -torch.inf
        return logits


@dataclass(frozen=True)
class NoRepeatNgram:
    """No n tokens in a row that stood in a row before."""

    n: int

    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        length = rows.output.shape[1]
        if length < self.n:
            return logits
        ngrams = rows.output.unfold(1, self.n, 1)  # [rows, length - n + 1, n]
        last = rows.output[:, length - self.n + 1 :]  # the n - 1 tokens that the next one would complete
        same = (ngrams[:, :, :-1] == last[:, None]).all(-1)  # [rows, length - n + 1]
        # Where they differ the ban falls on padding, which is never said anyway: no ragged rows.
        return logits.scatter(1, ngrams[:, :, -1].masked_fill(~same, SPECIAL.pad), -torch.inf)


@dataclass(frozen=True)
class RepetitionPenalty:
    """Keskar et al. 2019: the logit x of a token said before becomes x / θ if x > 0, and x · θ if not."""

    theta: float

    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        x = logits.gather(1, rows.output)
        return logits.scatter(1, rows.output, torch.where(x > 0, x / self.theta, x * self.theta))


class ForcedPrefix:
    """Each sentence begins with the tokens given for it; none may be given."""

    def __init__(self, prefixes: Sequence[Sequence[int]]) -> None:
        for sentence, prefix in enumerate(prefixes):
            for token in prefix:
                if token in (SPECIAL.pad, SPECIAL.bos, SPECIAL.eos):
                    raise InputError(f"the prefix of sentence {sentence} has token {token}, which no text contains")
        self.tokens = torch.tensor(pad_rows(prefixes))

    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        length = rows.output.shape[1]
        if length >= self.tokens.shape[1]:
            return logits
        forced = self.tokens.to(logits.device)[rows.sentence, length][:, None]  # [rows, 1]
        token = torch.arange(logits.shape[1], device=logits.device)
        return logits.masked_fill((forced != SPECIAL.pad) & (token != forced), -torch.inf)
