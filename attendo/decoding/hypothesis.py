"""What a search gives, and the score by which it prefers one answer to another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from attendo.special_tokens import SPECIAL


@dataclass(frozen=True)
class Hypothesis:
    """One answer. `log_prob` is what the model says of it, the sum of `token_log_probs`.

    `score` is what it was ranked by: the same divided by length^α; less, where a repetition penalty was at work.
    """

    ids: tuple[int, ...]  # without <s>; the last is </s>, if it ended
    log_prob: float
    score: float
    token_log_probs: tuple[float, ...]
    # What cross-attention looked at for each token, if that was asked for: a row for each of the ids, which sums to 1,
    # and in it a number for each token of the source.
    attention: Sequence[Sequence[float]] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls, ids: Iterable[int], token_log_probs: Iterable[float], alpha: float, ranked_by: float | None = None
    ) -> "Hypothesis":
        """With the score of its log-probability, or of another sum that the search ranked it by."""
        ids, token_log_probs = tuple(ids), tuple(token_log_probs)
        log_prob = sum(token_log_probs)
        total = log_prob if ranked_by is None else ranked_by
        return cls(ids, log_prob, score(total, len(ids), alpha), token_log_probs)

    @property
    def ended(self) -> bool:
        """False: it was cut, at its maximum length or because every next token was forbidden."""
        return self.ids[-1:] == (SPECIAL.eos,)


def score(log_prob: float, length: int, alpha: float) -> float:
    """score = log_prob / length^α, where the length counts </s> (α = 0: the log-probability itself).

    Without it (α = 0) short answers win, for every token costs; α = 1 is the mean over tokens.
    """
    return log_prob / max(length, 1) ** alpha  # an answer can be empty when every first token was forbidden
