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

from collections.abc import Sequence

import torch
from torch import Tensor

from attendo.decoding.constraints import log_probabilities
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import MOST_PASSES, check_whole
from attendo.errors import InputError
from attendo.model.config import NUM_LENGTHS
from attendo.model.non_autoregressive import NonAutoregressive, ReadSource, length_class
from attendo.special_tokens import MASK, SPECIAL

FIRST_WORD = 1 + max(SPECIAL.pad, SPECIAL.bos, SPECIAL.eos, MASK)  # ids below it are no words


@torch.inference_mode()
def mask_predict(model: NonAutoregressive, source: Tensor, passes: int, num_lengths: int = 3) -> list[Hypothesis]:
    """source ids [batch, source] -> one hypothesis for each sentence, in so many passes of the decoder.

    The log-probability of a word is that of the pass that chose it.
    """
    return [best for best, *_ in mask_predict_n_best(model, source, passes, num_lengths)]


@torch.inference_mode()
def mask_predict_n_best(
    model: NonAutoregressive, source: Tensor, passes: int, num_lengths: int, n_best: int = 1, alpha: float = 1.0
) -> list[list[Hypothesis]]:
    """The same, but the best of several lengths each, the best first; fewer, if there are fewer."""
    check_whole("passes", passes, 1, MOST_PASSES)
    check_whole("num_lengths", num_lengths, 1, NUM_LENGTHS)
    read = model.read(source)
    lengths, log_probs = likeliest_lengths(model, read, num_lengths)
    width = int(lengths.max()) if lengths.numel() else 0
    found = guess_words(model, read, lengths, log_probs, passes, width)
    return as_hypotheses(best_lengths(*found, lengths, n_best, alpha), alpha)


# --- what both searches are made of, this one and that of engines/cuda: the host never waits for a number


def likeliest_lengths(model: NonAutoregressive, read: ReadSource, num_lengths: int) -> tuple[Tensor, Tensor]:
    """Tokens of the target, </s> included, and their log-probabilities: [batch, num_lengths] each."""
    likeliest = log_probabilities(model.length_logits(read)).topk(num_lengths)
    return model.lengths_of(likeliest.indices, read), likeliest.values


def guess_words(
    model: NonAutoregressive, read: ReadSource, lengths: Tensor, length_log_probs: Tensor, passes: int, width: int
) -> tuple[Tensor, Tensor]:
    """For every length [batch, lengths] a target and the log-probabilities of its tokens, [batch, lengths, width]."""
    target = blank(lengths.flatten(), width)  # [batch × lengths, width]
    words = target == MASK
    number = words.sum(1)
    # Of what stands there, so far only </s>.
    log_probs = length_log_probs.flatten()[:, None] * (target == SPECIAL.eos)
    for t in range(passes):
        hidden = least_sure(log_probs, words, number * (passes - t) // passes)
        guess = log_probabilities(model.guess(target.masked_fill(hidden, MASK), read))
        guess[..., :FIRST_WORD] = -torch.inf
        best = guess.max(-1)
        target = torch.where(hidden, best.indices, target)
        log_probs = torch.where(hidden, best.values, log_probs)
    return target.view(*lengths.shape, width), log_probs.view(*lengths.shape, width)


def best_lengths(target: Tensor, log_probs: Tensor, lengths: Tensor, n_best: int, alpha: float) -> Tensor:
    """Those with the highest score, log-probability / length^α, the best first: ids and log-probabilities side by side,
    [batch, n_best, width, 2], so that a device gives them all in one piece. float64 holds both exactly."""
    log_probs = log_probs.double()
    scores = log_probs.sum(-1) / lengths.double() ** alpha
    order = scores.argsort(dim=1, descending=True, stable=True)[:, :n_best, None].expand(-1, -1, target.shape[-1])
    return torch.stack((target.gather(1, order).double(), log_probs.gather(1, order)), dim=-1)


def blank(lengths: Tensor, width: int) -> Tensor:
    """Targets of which nothing is known but how long they are, </s> included.

    [4, 2], 4  ->  MASK MASK MASK </s>
                   MASK </s> pad  pad
    """
    position = torch.arange(width, device=lengths.device)
    last = lengths[:, None] - 1
    target = torch.full((len(lengths), width), SPECIAL.pad, device=lengths.device)
    return target.masked_fill(position < last, MASK).masked_fill(position == last, SPECIAL.eos)


def least_sure(log_probs: Tensor, words: Tensor, count: Tensor) -> Tensor:
    """Of each row [rows, target] so many words [rows]; of equals the first. True = one of them."""
    rank = log_probs.masked_fill(~words, torch.inf).argsort(dim=1, stable=True).argsort(dim=1)
    return rank < count[:, None]


# --- for the host


def as_hypotheses(found: Tensor, alpha: float) -> list[list[Hypothesis]]:
    """What `best_lengths` gave; none twice, for two lengths that are too short are both taken for the shortest."""
    return [unique([hypothesis_of(tokens, alpha) for tokens in of_one]) for of_one in found.tolist()]


def hypothesis_of(tokens: Sequence[tuple[float, float]], alpha: float) -> Hypothesis:
    ids = [int(token) for token, _ in tokens]
    length = 1 + ids.index(SPECIAL.eos)
    log_probs = [log_prob for _, log_prob in tokens[:length]]
    if any(log_prob != log_prob for log_prob in log_probs):
        raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
    return Hypothesis.of(ids[:length], log_probs, alpha)


def unique(hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    return list({hypothesis.ids: hypothesis for hypothesis in reversed(hypotheses)}.values())[::-1]


# --- of given translations


@torch.inference_mode()
def score_at_once(model: NonAutoregressive, source: Tensor, target: Tensor) -> list[Hypothesis]:
    """Source ids [batch, source] and target ids [batch, target], each ended by </s>, then padded.

        log p(y | x) = log p(n | x) + Σ_i log p(y_i | x, n), all words hidden: what one pass says of it

    Only that is the probability of a sentence. After more passes each word was guessed with others in sight, which had
    been guessed with it in sight: there is no order in which the product of all would be one.
    """
    words = (target != SPECIAL.pad) & (target != SPECIAL.eos)
    logits, length_logits = model(source, target.masked_fill(words, MASK))
    of_words = log_probabilities(logits).gather(-1, target[..., None]).squeeze(-1)
    of_length = log_probabilities(length_logits).gather(1, length_class(source, target)[:, None])
    log_probs = torch.where(target == SPECIAL.eos, of_length, of_words).double()
    lengths = (target != SPECIAL.pad).sum(1).tolist()
    rows = zip(target.tolist(), log_probs.tolist(), lengths, strict=True)
    return [Hypothesis.of(ids[:length], each[:length], 1.0) for ids, each, length in rows]
