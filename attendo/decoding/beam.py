"""Beam search: at every step the best few hypotheses of each sentence stay (6.1); `beam_rules` has the rules.

For every model that answers to `start_decoding` and `next_token_logits`, with constraints, phrases, and someone who
looks on. A sentence that is done leaves the batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.decoding.beam_rules import Beams
from attendo.decoding.candidates import Candidates, best_candidates, best_tokens
from attendo.decoding.constraints import Constraint, Rows, constrained, constraints_of
from attendo.decoding.greedy import greedy_search
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.length import max_lengths
from attendo.decoding.options import SearchOptions
from attendo.decoding.phrases import Phrases, in_turn
from attendo.decoding.trace import Contender, Fate, Growing, OnStep, SearchStep
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL

FIRST_ROOM = 32  # steps; there is always room for a power of two


@torch.inference_mode()
def beam_search(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    options: SearchOptions,
    constraints: Sequence[Constraint] = (),
    on_step: OnStep | None = None,
) -> list[list[Hypothesis]]:
    """source ids [batch, source] -> for each sentence its n best hypotheses, the best first; fewer, if there are fewer.

    The maximum length, </s> included, is one for all sentences or one for each. `on_step` is told of every step.
    """
    constraints = [*constraints_of(options), *constraints]
    if options.beam_size == 1:  # one hypothesis, and when it ends there is none left
        return [[h] for h in greedy_search(model, source, max_length, constraints, options.length_penalty, on_step)]
    phrases = next((each for each in constraints if isinstance(each, Phrases)), None)
    constraints = [each.loosely if isinstance(each, Phrases) else each for each in constraints]

    beams = start_beams(max_lengths(max_length, len(source)), options, source.device)
    answers: list[list[Hypothesis]] = [[] for _ in source]
    sentence = torch.arange(len(source), device=source.device)  # of each line of the beams
    state = model.start_decoding(source)
    tokens = source.new_full((len(source), 1), SPECIAL.bos)
    output = tokens[:, :0]  # of each row, if anyone asks for it
    width = 1  # rows of each sentence: at first there is only one hypothesis, the empty one
    length = 0
    while len(sentence):
        rows = None
        if constraints:
            room = beams.max_lengths - length
            rows = Rows(output, sentence.repeat_interleave(width), room.repeat_interleave(width))
        logits = model.next_token_logits(tokens, state)
        found = best_continuations(logits, beams.totals[:, :width], options.beam_size, constraints, rows, phrases)
        length += 1
        beams = with_room(beams, length, options.length_penalty)
        before = beams.totals[:, :width].tolist() if on_step else []
        parents = beams.grow(found, torch.full_like(sentence, length), options)
        if on_step:
            for step in steps_of(sentence.tolist(), length, before, output.tolist(), found, parents, beams):
                on_step(step)

        index = parents + width * torch.arange(len(parents), device=source.device)[:, None]  # [sentences, beams]
        is_open = beams.is_open.tolist()
        if not all(is_open):
            done = [line for line, still in enumerate(is_open) if not still]
            for line, best in zip(done, beams.answers(done, length, options.n_best), strict=True):
                answers[int(sentence[line])] = best
            lines = beams.is_open.nonzero().squeeze(1)
            beams, sentence, index = beams.keep(lines), sentence[lines], index[lines]
        if len(sentence):
            if not (all(is_open) and width == options.beam_size and is_unchanged(index)):
                state.reorder(index)
            tokens = beams.tokens.view(-1, 1)
            if constraints or on_step:
                output = torch.cat((output[index.flatten()], tokens), dim=1)
        width = options.beam_size
    return answers


def start_beams(longest: Sequence[int], options: SearchOptions, device: torch.device) -> Beams:
    layout = Beams.layout(len(longest), options.beam_size, FIRST_ROOM, torch.float64)
    zeros = {name: torch.zeros(shape, dtype=dtype, device=device) for name, (shape, dtype) in layout.items()}
    return Beams.start(zeros, longest, options.length_penalty)


def with_room(beams: Beams, steps: int, alpha: float) -> Beams:
    """For so many steps: the same, or with twice the room."""
    room = beams.link_tokens.shape[1]
    if steps <= room:
        return beams
    larger = replace(
        beams,
        link_tokens=F.pad(beams.link_tokens, (0, 0, 0, room)),
        link_log_probs=F.pad(beams.link_log_probs, (0, 0, 0, room)),
        links_before=F.pad(beams.links_before, (0, 0, 0, room)),
        powers=F.pad(beams.powers, (0, room)),
    )
    larger.set_powers(alpha)
    return larger


def best_continuations(
    logits: Tensor,
    totals: Tensor,
    beam_size: int,
    constraints: Sequence[Constraint],
    rows: Rows | None,
    phrases: Phrases | None,
) -> Candidates:
    """Logits [sentences × width, vocab] after the live hypotheses with these totals [sentences, width].

    2 × beam_size of each row are enough for 2 × beam_size of a sentence, and of those at most beam_size are </s>.
    """
    log_probs, ranked = constrained(logits, constraints, rows)
    values, ids = best_tokens(ranked, 2 * beam_size)
    count = 2 * beam_size
    if phrases is not None and rows is not None:
        ids = phrases.with_next_tokens(ids, rows)
        values = ranked.gather(1, ids)
        count = max(count, totals.shape[1] * ids.shape[1])  # all of them: which are best is for the phrases to say
    own = values if log_probs is ranked else log_probs.gather(1, ids)
    found = best_candidates(values, ids, own, totals, count)
    if bool(found.totals[:, 0].isnan().any()):  # sorted to the front
        raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
    if phrases is not None and rows is not None:
        found = found.in_order(turns(found, rows, phrases)[:, : 2 * beam_size])
    return found


def turns(found: Candidates, rows: Rows, phrases: Phrases) -> Tensor:
    """The order [sentences, candidates] in which the phrases give places to the candidates of each sentence."""
    sentences, count = found.totals.shape
    width = len(rows.output) // sentences
    trees, standings = phrases.of_rows(rows)
    possible = (found.totals > -torch.inf).sum(1).tolist()  # the first ones
    order = []
    for line, (beams, tokens) in enumerate(zip(found.beams.tolist(), found.tokens.tolist(), strict=True)):
        tree, before = trees[line * width], standings[line * width : (line + 1) * width]
        missing = [
            tree.missing(tree.after(before[beam], token))
            for beam, token in zip(beams[: possible[line]], tokens[: possible[line]], strict=True)
        ]
        order.append([*in_turn(missing), *range(possible[line], count)])
    return found.tokens.new_tensor(order)


def is_unchanged(index: Tensor) -> bool:
    """Whether every row stays what it was."""
    return torch.equal(index.flatten(), torch.arange(index.numel(), device=index.device))


def steps_of(
    sentences: Sequence[int],
    length: int,
    totals_before: list[list[float]],
    output: list[list[int]],
    found: Candidates,
    parents: Tensor,
    beams: Beams,
) -> Iterator[SearchStep]:
    """What a step has just done to each sentence, read off the beams: the rules themselves stand in `grow` alone.

    Lines of `output` are rows, those of a sentence side by side; elsewhere a line is a sentence.
    """
    width = len(output) // len(sentences)
    all_finished = beams.answers(range(len(sentences)), length, beams.scores.shape[1])
    is_live = (beams.totals > -torch.inf).tolist()
    for line, (sentence, finished) in enumerate(zip(sentences, all_finished, strict=True)):
        rows = zip(output[line * width : (line + 1) * width], totals_before[line], strict=True)
        before = [Growing(tuple(ids), total) for ids, total in rows if total > -torch.inf]
        now = zip(parents[line].tolist(), beams.tokens[line].tolist(), strict=True)
        live = set(compress(now, is_live[line]))
        ended = {hypothesis.ids for hypothesis in finished}
        contenders = []
        for total, beam, token, log_prob in zip(*(column[line].tolist() for column in found), strict=True):
            if total > -torch.inf:
                has_ended = (*before[beam].ids, token) in ended
                fate: Fate = "live" if (beam, token) in live else "ended" if has_ended else "lost"
                contenders.append(Contender(beam, token, log_prob, total, fate))
        done = not bool(beams.is_open[line])
        yield SearchStep(sentence, length, tuple(before), tuple(contenders), tuple(finished), done)
