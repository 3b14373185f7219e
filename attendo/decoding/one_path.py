"""What greedy search and sampling share: one hypothesis a sentence, grown by one token at a time."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attendo.decoding.candidates import best_tokens
from attendo.decoding.constraints import Constraint, Rows, constrained
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.length import max_lengths
from attendo.decoding.trace import Contender, Fate, Growing, Step, Watch
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL

# Log-probabilities [rows, vocab] (-inf is forbidden), the sentence of each row [rows], tokens so far -> ids [rows].
Choice = Callable[[Tensor, Tensor, int], Tensor]

SHOWN = 8  # of the likeliest tokens, to those who watch


def follow(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    choose: Choice,
    constraints: Sequence[Constraint] = (),
    length_penalty: float = 1.0,
    watch: Watch | None = None,
) -> list[Hypothesis]:
    """Choose a token, say it, go on, until </s> or the maximum length. A sentence that has ended leaves the batch."""
    longest = max_lengths(max_length, len(source))
    state = model.start_decoding(source)
    open_sentences = list(range(len(source)))  # the sentence of each row
    ids: list[list[int]] = [[] for _ in longest]
    token_log_probs: list[list[float]] = [[] for _ in longest]
    ranks = [0.0] * len(longest)
    tokens = source.new_full((len(source), 1), SPECIAL.bos)
    said = tokens[:, :0]
    sentence = torch.arange(len(source), device=source.device)
    step = 0
    while open_sentences:
        rows = None
        if constraints:
            room = torch.tensor([longest[number] - step for number in open_sentences], device=source.device)
            rows = Rows(said, sentence, room)
        log_probs, ranked = constrained(model.next_token_logits(tokens, state), constraints, rows)
        tokens = choose(ranked, sentence, step)[:, None]
        step += 1

        stay = []
        spoken, raw, rank = (
            x.squeeze(1).tolist() for x in (tokens, log_probs.gather(1, tokens), ranked.gather(1, tokens))
        )
        for row, number in enumerate(open_sentences):
            if rank[row] == -torch.inf:  # every token is forbidden: the sentence is cut here
                continue
            if rank[row] != rank[row]:
                raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
            ids[number].append(spoken[row])
            token_log_probs[number].append(raw[row])
            ranks[number] += rank[row]
            if spoken[row] != SPECIAL.eos and step < longest[number]:
                stay.append(row)
            if watch is not None:
                now = Hypothesis.of(ids[number], token_log_probs[number], length_penalty, ranks[number])
                before = Growing(now.ids[:-1], ranks[number] - rank[row])
                watch(step_of(number, before, now, log_probs[row], ranked[row], done=row not in stay))

        if constraints:
            said = torch.cat((said, tokens), dim=1)
        if len(stay) < len(open_sentences):
            open_sentences = [open_sentences[row] for row in stay]
            if open_sentences:
                index = torch.tensor(stay, device=source.device)
                state.reorder(index)
                tokens, sentence, said = tokens[index], sentence[index], said[index]
    return [
        Hypothesis.of(said_ids, log_probs_of, length_penalty, rank)
        for said_ids, log_probs_of, rank in zip(ids, token_log_probs, ranks, strict=True)
    ]


def step_of(sentence: int, before: Growing, now: Hypothesis, log_probs: Tensor, ranked: Tensor, done: bool) -> Step:
    """The likeliest tokens, the chosen one among them."""
    values, ids = (row[0] for row in best_tokens(ranked[None], SHOWN))
    likeliest = values.argsort(descending=True, stable=True)
    chosen: Fate = "ended" if done else "live"
    contenders = [
        Contender(0, token, log_prob, before.total + value, chosen if token == now.ids[-1] else "lost")
        for token, log_prob, value in zip(
            *(column[likeliest].tolist() for column in (ids, log_probs[ids], values)), strict=True
        )
        if value > -torch.inf
    ]
    return Step(sentence, len(now.ids), (before,), tuple(contenders), (now,) if done else (), done)
