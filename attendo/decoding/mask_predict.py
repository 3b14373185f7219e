"""Mask-predict: all words at once, then the least sure of them again (Ghazvininejad et al. 2019).

With n words and k passes, pass t = 0, 1, …, k - 1 hides the n · (k - t) / k least sure words, at first all of them, and
guesses them anew, seeing the others:

    t = 0   _ _ _ _         ->  the dog dog runs
    t = 1   the _ _ runs    ->  the black dog runs

How many words there are is guessed, too. The likeliest lengths are tried side by side, and the translation with the
highest mean log-probability of its tokens is the answer. </s> is one of them: saying it is saying the length, so its
log-probability is log p(length | x). (The paper leaves it out. Then, of a text to be copied, a part copied without
doubt is as good as the whole.)
"""

import torch
from torch import Tensor

from attendo.decoding.constraints import log_probabilities
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import check_whole
from attendo.model.non_autoregressive import NUM_LENGTHS, NonAutoregressive
from attendo.special_tokens import MASK, SPECIAL

MOST_PASSES = 1_000
FIRST_WORD = 1 + max(SPECIAL.pad, SPECIAL.bos, SPECIAL.eos, MASK)  # ids below it are no words


@torch.inference_mode()
def mask_predict(model: NonAutoregressive, source: Tensor, passes: int, num_lengths: int = 3) -> list[Hypothesis]:
    """source ids [batch, source] -> one hypothesis for each sentence, in so many passes of the decoder.

    The log-probability of a word is that of the pass that chose it.
    """
    check_whole("passes", passes, 1, MOST_PASSES)
    check_whole("num_lengths", num_lengths, 1, NUM_LENGTHS)
    read = model.read(source)
    likeliest = log_probabilities(model.length_logits(read)).topk(num_lengths)  # [batch, num_lengths]
    lengths = model.lengths_of(likeliest.indices, read).flatten()
    target = blank(lengths)  # [batch × num_lengths, longest]
    words = target == MASK
    log_probs = likeliest.values.flatten()[:, None] * (target == SPECIAL.eos)  # of what stands there, so far only </s>
    for t in range(passes):
        hidden = least_sure(log_probs, words, words.sum(1) * (passes - t) // passes)
        guess = log_probabilities(model.guess(target.masked_fill(hidden, MASK), read))
        guess[..., :FIRST_WORD] = -torch.inf
        best = guess.max(-1)
        target = torch.where(hidden, best.indices, target)
        log_probs = torch.where(hidden, best.values, log_probs)
    rows = zip(target.tolist(), log_probs.tolist(), lengths.tolist(), strict=True)
    tried = [Hypothesis.of(ids[:length], of_each[:length], alpha=1.0) for ids, of_each, length in rows]
    return [surest(tried[first : first + num_lengths]) for first in range(0, len(tried), num_lengths)]


def blank(lengths: Tensor) -> Tensor:
    """Targets of which nothing is known but how long they are, </s> included.

    [4, 2]  ->  MASK MASK MASK </s>
                MASK </s> pad  pad
    """
    position = torch.arange(int(lengths.max()), device=lengths.device)
    last = lengths[:, None] - 1
    target = torch.full((len(lengths), len(position)), SPECIAL.pad, device=lengths.device)
    return target.masked_fill(position < last, MASK).masked_fill(position == last, SPECIAL.eos)


def least_sure(log_probs: Tensor, words: Tensor, count: Tensor) -> Tensor:
    """Of each row [rows, target] so many words [rows]; of equals the first. True = one of them."""
    rank = log_probs.masked_fill(~words, torch.inf).argsort(dim=1, stable=True).argsort(dim=1)
    return rank < count[:, None]


def surest(hypotheses: list[Hypothesis]) -> Hypothesis:
    return max(hypotheses, key=lambda hypothesis: hypothesis.score)
