"""From scores and labels to thresholds, and what thresholds are worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from attendo.decoding.hypothesis import Hypothesis
from attendo.model_folder.optional_keys import DoubtThresholds
from attendo.translation.doubt import corrected_score
from benchmarks.doubt.labelled import LabelledAnswer

GOOD_FLAGGED = 0.06  # so many of the good answers that calibrate may lie below the threshold
TRIED = range(7)  # extra tokens
LENGTHS = ((1, 4), (5, 8), (9, 16), (17, 1_000))  # tokens of an answer


@dataclass(frozen=True)
class ScoredAnswer:
    labelled: LabelledAnswer
    hypotheses: tuple[Hypothesis, ...]  # of its sentences

    @property
    def tokens(self) -> int:
        return sum(len(one.ids) for one in self.hypotheses)

    def score(self, extra_tokens: float) -> float:
        """That of the worst sentence: one is enough for doubt."""
        return min(corrected_score(one, extra_tokens) for one in self.hypotheses)


@dataclass(frozen=True)
class FlaggedCounts:
    bad_flagged: int
    bad: int
    good_flagged: int
    good: int


def calibrate(answers: Sequence[ScoredAnswer], good_flagged: float = GOOD_FLAGGED) -> DoubtThresholds:
    """The correction for length that best tells good from bad, and for each direction the score below which a stated
    share of the good answers lies."""
    directions = list(dict.fromkeys(one.labelled.direction for one in answers))
    groups = [[one for one in answers if one.labelled.direction == direction] for direction in directions]
    extra = max(TRIED, key=lambda tried: fmean(told_apart(group, tried) for group in groups))
    below = {}
    for direction, group in zip(directions, groups, strict=True):
        good = [one.score(extra) for one in group if not one.labelled.bad]
        below[direction] = round(quantile(good, good_flagged), 2)
    return DoubtThresholds(below=below, extra_tokens=float(extra))


def told_apart(answers: Sequence[ScoredAnswer], extra_tokens: float) -> float:
    """How often a good answer has a better score than a bad one (the area under the ROC curve)."""
    good = [one.score(extra_tokens) for one in answers if not one.labelled.bad]
    bad = [one.score(extra_tokens) for one in answers if one.labelled.bad]
    return fmean(float(ours > theirs) for ours in good for theirs in bad)


def quantile(values: Sequence[float], share: float) -> float:
    """Between neighbours, in a straight line."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def count_flagged(answers: Sequence[ScoredAnswer], thresholds: DoubtThresholds) -> FlaggedCounts:
    flags = [
        (one.labelled.bad, one.score(thresholds.extra_tokens) < thresholds.below[one.labelled.direction])
        for one in answers
    ]
    bad = [flagged for is_bad, flagged in flags if is_bad]
    good = [flagged for is_bad, flagged in flags if not is_bad]
    return FlaggedCounts(sum(bad), len(bad), sum(good), len(good))
