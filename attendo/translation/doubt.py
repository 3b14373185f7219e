"""Doubt: an answer whose score is poor is worth a look before it is used.

    score = log-probability / (tokens + extra tokens), </s> counted

It is the mean log-probability of a token, drawn to 0 where there are few: of an answer of two tokens a poor mean says
little. What is poor is found on labelled answers, by direction, and belongs to the model
(model_folder/optional_keys.py); a model without such numbers has no doubts unless the user sets a threshold. The
labelled answers were found by search. A sample has a poorer score by its nature, good or bad, so of samples nothing is
doubted unless the user sets a threshold.
"""

from dataclasses import replace

from attendo.decoding.hypothesis import Hypothesis
from attendo.model_folder.optional_keys import EXTRA_TOKENS, DoubtThresholds
from attendo.text.scripts import is_mostly_han
from attendo.translation.answer import Doubt, Sentence
from attendo.translation.options import TranslationOptions


def with_doubt(
    answer: Sentence, thresholds: DoubtThresholds | None, direction: tuple[str, str], options: TranslationOptions
) -> Sentence:
    """The answer with the doubt about it, if there is any. How it was attempted does not matter: a forced answer that
    is unlikely is doubtful as any other is."""
    if not options.doubt or not answer.hypotheses or (thresholds is None and options.doubt_below is None):
        return answer
    if is_same_word(answer.source, answer.text) or (options.sampling and options.doubt_below is None):
        return answer
    found = find_doubt(answer.hypotheses[0], thresholds, direction, options.doubt_below)
    return replace(answer, doubt=found) if found else answer


def find_doubt(
    hypothesis: Hypothesis, thresholds: DoubtThresholds | None, direction: tuple[str, str], below: float | None = None
) -> Doubt | None:
    """`below` is the user's threshold, which wins over that of the model; None where the score is not poor."""
    extra_tokens = EXTRA_TOKENS if thresholds is None else thresholds.extra_tokens
    if below is None:
        below = thresholds.below.get(direction) if thresholds else None
    score = corrected_score(hypothesis, extra_tokens)
    return Doubt(score, below) if below is not None and score < below else None


def is_same_word(source: str, translation: str) -> bool:
    """OK, Hotel, a name: of one word that stays the same a poor score says little. Chinese has no spaces to tell by."""
    return " " not in translation and source.casefold() == translation.casefold() and not is_mostly_han(translation)


def corrected_score(hypothesis: Hypothesis, extra_tokens: float) -> float:
    return hypothesis.log_prob / (len(hypothesis.ids) + extra_tokens) if hypothesis.ids else 0.0
