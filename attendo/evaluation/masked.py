"""How well an encoder-only model guesses hidden tokens: of a share of each line at once, and of each token alone.

Accuracy is held against the best guess that reads nothing: the most frequent token of the same text, every time.

    pseudo-perplexity = exp(-(1/n) Σ_t log p(token t | all other tokens of its line))      (Salazar et al. 2020)

It is no perplexity: a token may be foretold from those after it, so it is lower, and only models with the same tokens
are compared by it.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attendo.decoding.length import group_by_length
from attendo.engines.encoding import EncodingEngine
from attendo.errors import DataError
from attendo.special_tokens import MASK, SPECIAL
from attendo.text.normalize import for_model
from attendo.text.tokenizer import Tokenizer

SHARE = 0.15  # of the tokens of a line are hidden, BERT's share; at least one
SEED = 1
MOST_ALONE = 1_000  # lines whose tokens are hidden one by one: each costs a pass
LIKELIEST = 5


@dataclass(frozen=True)
class MaskedScores:
    lines: int
    tokens: int  # pieces; the end of a line is never hidden
    cut: int  # lines of which only the beginning was read
    hidden: int
    right: int  # guessed at once
    among_likeliest: int  # the true token is one of the five likeliest
    log_prob: float  # of the hidden tokens
    frequent: str  # the most frequent token of the text
    frequent_right: int  # hidden tokens that it is
    lines_alone: int
    tokens_alone: int
    log_prob_alone: float  # of each token, the only one hidden

    @property
    def accuracy(self) -> float:
        return self.right / self.hidden

    @property
    def frequent_accuracy(self) -> float:
        return self.frequent_right / self.hidden

    @property
    def times(self) -> float | None:
        """As many as by the most frequent token; None where that is never right."""
        return self.right / self.frequent_right if self.frequent_right else None

    @property
    def pseudo_perplexity(self) -> float:
        return math.exp(-self.log_prob_alone / self.tokens_alone)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "lines": self.lines,
            "tokens": self.tokens,
            "lines_cut": self.cut,
            "hidden_share": SHARE,
            "seed": SEED,
            "hidden_tokens": self.hidden,
            "accuracy": self.accuracy,
            "accuracy_among_5": self.among_likeliest / self.hidden,
            "most_frequent_token": self.frequent,
            "most_frequent_accuracy": self.frequent_accuracy,
            "times_most_frequent": self.times,
            "loss": -self.log_prob / self.hidden,
            "pseudo_perplexity": self.pseudo_perplexity,
            "pseudo_perplexity_lines": self.lines_alone,
        }


@dataclass(frozen=True)
class HiddenRow:
    """A line with hidden tokens."""

    ids: list[int]
    positions: list[int]
    answers: list[int]


def hide(row: Sequence[int], positions: Sequence[int]) -> HiddenRow:
    ids = list(row)
    for position in positions:
        ids[position] = MASK
    return HiddenRow(ids, list(positions), [row[position] for position in positions])


def hide_share(row: Sequence[int], generator: np.random.Generator) -> HiddenRow:
    """Of a line's pieces; </s> stays."""
    draws = generator.random(len(row) - 1)
    return hide(row, np.flatnonzero(draws < max(SHARE, draws.min() + 1e-12)).tolist())


def measure_masked(
    tokenizer: Tokenizer,
    engine: EncodingEngine,
    texts: Sequence[str],
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> MaskedScores:
    """Of the lines that are not empty; `progress` is called with how many lines were read, of how many."""
    pieces = [row for row in tokenizer.encode_all(for_model(text) for text in texts) if row]
    if not pieces:
        raise DataError("there is no text to measure: every line is empty")
    rows = [[*row[: engine.longest - 1], SPECIAL.eos] for row in pieces]
    generator = np.random.default_rng(SEED)
    asked = [hide_share(row, generator) for row in rows]
    alone = [hide(row, [position]) for row in rows[:MOST_ALONE] for position in range(len(row) - 1)]
    done, whole = 0, len(asked) + len(alone)
    right = among = 0
    log_prob = log_prob_alone = 0.0
    for batch, log_probabilities in in_batches(engine, asked):
        for answers, found in zip((one.answers for one in batch), log_probabilities, strict=True):
            true = found[range(len(answers)), answers]
            above = (found > true[:, None]).sum(-1)  # tokens that are likelier than the true one
            right, among = right + int((above == 0).sum()), among + int((above < LIKELIEST).sum())
            log_prob += float(true.sum(dtype=np.float64))
        done += len(batch)
        progress(done, whole)
    for batch, log_probabilities in in_batches(engine, alone):
        log_prob_alone += sum(
            float(found[0, one.answers[0]]) for one, found in zip(batch, log_probabilities, strict=True)
        )
        done += len(batch)
        progress(done, whole)
    counts = Counter(token for row in rows for token in row[:-1])
    frequent = min(counts, key=lambda token: (-counts[token], token))
    return MaskedScores(
        lines=len(rows),
        tokens=sum(len(row) - 1 for row in rows),
        cut=sum(len(row) > engine.longest - 1 for row in pieces),
        hidden=sum(len(one.positions) for one in asked),
        right=right,
        among_likeliest=among,
        log_prob=log_prob,
        frequent=tokenizer.decode([frequent]) or tokenizer.names([frequent])[0],
        frequent_right=sum(one.answers.count(frequent) for one in asked),
        lines_alone=min(len(rows), MOST_ALONE),
        tokens_alone=len(alone),
        log_prob_alone=log_prob_alone,
    )


def in_batches(engine: EncodingEngine, rows: Sequence[HiddenRow]) -> Any:
    """(rows of like length, for each the log-probabilities at its hidden positions)."""
    for indices in group_by_length([len(row.ids) for row in rows], engine.tokens_per_batch):
        batch = [rows[index] for index in indices]
        yield batch, engine.guess([row.ids for row in batch], [row.positions for row in batch])
