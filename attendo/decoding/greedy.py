"""One hypothesis a sentence, one token after another: greedy search, whole or as it goes; `sampling` draws instead.

All of them are the generator `decode_one_by_one` with another choice of the next token.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attendo.decoding.candidates import best_tokens
from attendo.decoding.constraints import Constraint, Rows, constrained
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.length import max_lengths
from attendo.decoding.trace import Contender, Fate, Growing, OnStep, SearchStep
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL, pad_rows

# Log-probabilities [rows, vocab] (-inf is forbidden), the sentence of each row [rows], tokens so far -> ids [rows].
Choice = Callable[[Tensor, Tensor, int], Tensor]

SHOWN = 8  # of the likeliest tokens, in the trace of a step


class ChosenToken(NamedTuple):
    """One sentence goes on by one token."""

    sentence: int
    token: int
    log_prob: float  # the model's
    ranked: float  # what the search ranks it by
    is_last: bool
    row: int  # of the step's log-probabilities


class ChosenStep(NamedTuple):
    """A token for each sentence that was open, in their order; and what it was chosen from."""

    chosen: list[ChosenToken]
    log_probs: Tensor  # [rows, vocab]: the model's
    ranked: Tensor  # [rows, vocab]


def decode_one_by_one(
    model: AutoregressiveModel[State],
    source: Tensor,
    longest: Sequence[int],
    choose: Choice,
    constraints: Sequence[Constraint] = (),
    beginning: Tensor | None = None,
) -> Iterator[ChosenStep]:
    """Choose a token, feed it, go on, until </s> or the maximum length. A sentence that has ended leaves the batch.

    One whose every next token is forbidden leaves it without a last one. `beginning` [batch, n] is what is fed before
    the first choice, instead of <s> alone.
    """
    with torch.inference_mode():
        state = model.start_decoding(source)
    open_sentences = list(range(len(source)))  # the sentence of each row
    tokens = source.new_full((len(source), 1), SPECIAL.bos) if beginning is None else beginning
    output = tokens[:, :0]
    sentence = torch.arange(len(source), device=source.device)
    length = 0
    while open_sentences:
        # Entered anew at each step: whoever takes the tokens may stop in between, and must not be left in this mode.
        with torch.inference_mode():
            rows = None
            if constraints:
                room = torch.tensor([longest[each] - length for each in open_sentences], device=source.device)
                rows = Rows(output, sentence, room)
            log_probs, ranked = constrained(model.next_token_logits(tokens, state), constraints, rows)
            tokens = choose(ranked, sentence, length)[:, None]
            length += 1
            columns = (tokens, log_probs.gather(1, tokens), ranked.gather(1, tokens))
            ids, own, ranks = (column.squeeze(1).tolist() for column in columns)
            chosen, staying = [], []
            for row, at in enumerate(open_sentences):
                if ranks[row] == -torch.inf:  # every token is forbidden: the sentence is cut here
                    continue
                if ranks[row] != ranks[row]:
                    raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
                is_last = ids[row] == SPECIAL.eos or length == longest[at]
                chosen.append(ChosenToken(at, ids[row], own[row], ranks[row], is_last, row))
                if not is_last:
                    staying.append(row)

            if constraints:
                output = torch.cat((output, tokens), dim=1)
            if len(staying) < len(open_sentences):
                open_sentences = [open_sentences[row] for row in staying]
                if open_sentences:
                    index = torch.tensor(staying, device=source.device)
                    state.reorder(index)
                    tokens, sentence, output = tokens[index], sentence[index], output[index]
        yield ChosenStep(chosen, log_probs, ranked)


def gather_hypotheses(
    steps: Iterable[ChosenStep], sentences: int, length_penalty: float = 1.0, on_step: OnStep | None = None
) -> list[Hypothesis]:
    """What became of each sentence."""
    ids: list[list[int]] = [[] for _ in range(sentences)]
    log_probs: list[list[float]] = [[] for _ in range(sentences)]
    ranked_totals = [0.0] * sentences
    for step in steps:
        for one in step.chosen:
            ids[one.sentence].append(one.token)
            log_probs[one.sentence].append(one.log_prob)
            ranked_totals[one.sentence] += one.ranked
            if on_step is not None:
                total = ranked_totals[one.sentence]
                now = Hypothesis.of(ids[one.sentence], log_probs[one.sentence], length_penalty, total)
                on_step(search_step(one, now, total - one.ranked, step))
    columns = zip(ids, log_probs, ranked_totals, strict=True)
    return [Hypothesis.of(its_ids, each, length_penalty, total) for its_ids, each, total in columns]


def search_step(one: ChosenToken, now: Hypothesis, total_before: float, step: ChosenStep) -> SearchStep:
    """For the trace: the likeliest tokens, the chosen one among them."""
    log_probs, ranked = step.log_probs[one.row], step.ranked[one.row]
    values, ids = (row[0] for row in best_tokens(ranked[None], SHOWN))
    order = values.argsort(descending=True, stable=True)
    columns = (column[order].tolist() for column in (ids, log_probs[ids], values))
    fate: Fate = "ended" if one.is_last else "live"
    contenders = [
        Contender(0, token, log_prob, total_before + value, fate if token == one.token else "lost")
        for token, log_prob, value in zip(*columns, strict=True)
        if value > -torch.inf
    ]
    before = Growing(now.ids[:-1], total_before)
    finished = (now,) if one.is_last else ()
    return SearchStep(one.sentence, len(now.ids), (before,), tuple(contenders), finished, one.is_last)


def likeliest(log_probs: Tensor, sentence: Tensor, length: int) -> Tensor:
    """Of equals, the lowest id."""
    return log_probs.argmax(-1)


@torch.inference_mode()
def greedy_search(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    constraints: Sequence[Constraint] = (),
    length_penalty: float = 1.0,
    on_step: OnStep | None = None,
) -> list[Hypothesis]:
    """source ids [batch, source] -> one hypothesis for each sentence: at every step the likeliest token."""
    longest = max_lengths(max_length, len(source))
    steps = decode_one_by_one(model, source, longest, likeliest, constraints)
    return gather_hypotheses(steps, len(source), length_penalty, on_step)


def greedy_decode(model: AutoregressiveModel[State], source: Tensor, max_length: int | Sequence[int]) -> Tensor:
    """source ids [batch, source] -> target ids [batch, <= max_length]; each ends with </s> and padding, if it ended."""
    return source.new_tensor(pad_rows([hypothesis.ids for hypothesis in greedy_search(model, source, max_length)]))


def greedy_tokens(
    model: AutoregressiveModel[State], source: Tensor, max_length: int, constraints: Sequence[Constraint] = ()
) -> Iterator[int]:
    """source ids [1, source] -> the ids that `greedy_search` finds, each as soon as it is known; </s> is the last."""
    for step in decode_one_by_one(model, source, max_lengths(max_length, 1), likeliest, constraints):
        for one in step.chosen:
            yield one.token
