"""Beam search that lives on the device: the same rules and answers as `beam_search`, for a Transformer on a GPU.

The host only starts steps. Every few of them it looks which sentences are still open; when half of them are done, the
others move together and go on in a smaller batch. All sizes are rounded up to a few (sentences and steps to powers of
two, the source to multiples of 16), so that few kinds of steps need to be recorded.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeGuard

import torch
from torch import Tensor, nn

from attendo.decoding.beam import beam_search
from attendo.decoding.beam_rules import Beams, TensorLayout, Trace
from attendo.decoding.candidates import best_candidates
from attendo.decoding.constraints import Constraint, constrained, constraints_of
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.length import max_lengths
from attendo.decoding.options import SearchOptions
from attendo.engines.cuda.buffers import Buffers
from attendo.engines.cuda.fused import FusedDecoder, can_be_fused
from attendo.engines.cuda.graphs import Workspace, workspace_on
from attendo.engines.cuda.selection import best_in_chunks
from attendo.engines.cuda.tree import Tree, TreeShape, next_logits, read_source, start_tree
from attendo.errors import InputError
from attendo.model.compatibility import AdditiveMultiHeadAttention
from attendo.model.decoder import DecoderLayer
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.positions import LearnedPositions
from attendo.model.transformer import Transformer

LOOK_EVERY = 4  # steps
FEWEST_ROWS = 64  # sentences × beams: a smaller batch would not be faster
FIRST_ROOM = 16  # steps, or more where the source is longer; there is always room for a power of two
SOURCE_ROUNDED_TO = 16  # tokens
MOST_RECORDED = 16_384  # tokens of a source that is read by a recording: of more the host is done before the device,
# and lines and columns that are only padding would cost more than they save
LONGEST_KEPT = 1_024  # steps for which positions are looked up: more only where an answer may be longer
WIDEST = 32  # beams: each looks at the slots of all, which for very wide beams is a waste


def suits(
    model: object, options: SearchOptions, max_length: int, constraints: Sequence[Constraint] = ()
) -> TypeGuard[Transformer]:
    """Whether this search can live on the device: a Transformer that is used, not trained, and nothing forbidden."""
    if not isinstance(model, Transformer) or model.training:
        return False
    positions = model.target_positions
    return (
        not constraints
        and not constraints_of(options)
        and options.beam_size <= WIDEST
        and not (isinstance(positions, LearnedPositions) and max_length > positions.max_length)
        and all(keeps_to_slots(layer) for layer in model.decoder.layers)
        and not torch.is_autocast_enabled(model.embedding.weight.device.type)
    )


def keeps_to_slots(layer: nn.Module) -> bool:
    """Keys of a tree stand in slots, not in the order of positions: an attention that was handed in may rely on it."""
    ours = (MultiHeadAttention, AdditiveMultiHeadAttention)
    return isinstance(layer, DecoderLayer) and {type(layer.self_attention), type(layer.cross_attention)} <= {*ours}


def device_beam_search(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    options: SearchOptions,
    workspace: Workspace | None = None,
) -> list[list[Hypothesis]]:
    """source ids [batch, source] -> for each sentence its n best hypotheses, the best first; fewer, if there are fewer.

    What does not suit it is left to `beam_search`. A workspace that is kept from call to call need not record anew.
    """
    longest = max_lengths(max_length, len(source))
    if not longest or not suits(model, options, max(longest)):
        return beam_search(model, source, longest, options)
    return search(model, source, longest, options, workspace or workspace_on(source.device))


@torch.inference_mode()
def search(
    model: Transformer, source: Tensor, longest: list[int], options: SearchOptions, workspace: Workspace
) -> list[list[Hypothesis]]:
    with workspace.used_for(model):
        return DeviceSearch(model, source, longest, options, workspace).run()[: len(source)]


def take_step(model: Transformer, tree: Tree, beams: Beams, options: SearchOptions, end: int) -> None:
    """One step of all sentences by the rules that every search has; no position reaches `end`."""
    logits = next_logits(model, beams.tokens, tree, end).flatten(0, 1)  # [sentences × beams, vocab]
    _, ranked = constrained(logits, (), None)
    values, ids = best_in_chunks(ranked, 2 * options.beam_size)
    found = best_candidates(values, ids, values, beams.totals, 2 * options.beam_size)
    tree.reorder(beams.grow(found, tree.length, options))


def take_fused_step(decoder: FusedDecoder, tree: Tree, beams: Beams, options: SearchOptions) -> None:
    """The same in few programs."""
    from attendo.engines.cuda.kernels.best_tokens import best_tokens_of
    from attendo.engines.cuda.kernels.grow import grow

    log_probs, ids = best_tokens_of(decoder.next_logits(beams.tokens, tree), 2 * options.beam_size)
    grow(beams, log_probs, ids, tree.own_past, tree.length, options)


def beams_layout(model: Transformer, shape: TreeShape) -> TensorLayout:
    log_prob = torch.promote_types(model.embedding.weight.dtype, torch.float32)
    return Beams.layout(shape.sentences, shape.beams, shape.steps, log_prob)


def start_beams(
    model: Transformer, longest: Sequence[int], shape: TreeShape, options: SearchOptions, buffers: Buffers
) -> Beams:
    return Beams.start(buffers.zeros(Beams, beams_layout(model, shape)), longest, options.length_penalty)


class DeviceSearch:
    """The host's part of one search."""

    def __init__(
        self, model: Transformer, source: Tensor, longest: list[int], options: SearchOptions, workspace: Workspace
    ) -> None:
        self.model, self.options, self.workspace = model, options, workspace
        self.longest = max(longest)
        self.length = 0  # of all hypotheses
        self.shape = TreeShape(
            sentences=power_of_two(len(source)),
            beams=options.beam_size,
            source=room_for_source(model, source.shape[1]),
            steps=power_of_two(max(FIRST_ROOM, source.shape[1] + source.shape[1] // 4)),
        )
        self.fused: FusedDecoder | None = None
        self.trace: Trace | None = None
        if can_be_fused(model, options.beam_size):
            from attendo.engines.cuda.kernels.trace_back import trace_back

            has_end = isinstance(model.target_positions, LearnedPositions)
            steps = self.longest if has_end else max(LONGEST_KEPT, self.longest)
            self.fused = FusedDecoder.of(model, steps, workspace.buffers)
            self.trace = trace_back
        self.tree = start_tree(model, source, self.shape, workspace.buffers)
        if self.shape.sentences * self.shape.source <= MOST_RECORDED:
            workspace.run(("read", self.shape.sentences, self.shape.source), partial(read_source, model, self.tree))
        else:
            read_source(model, self.tree, len(source))
        self.beams = start_beams(model, longest, self.shape, options, workspace.buffers)
        self.sentences = list(range(self.shape.sentences))  # of each line, the last perhaps of none
        self.answers: list[list[Hypothesis]] = [[] for _ in self.sentences]

    def run(self) -> list[list[Hypothesis]]:
        """One list for each line there was at first."""
        while still_open := self.lines_after(LOOK_EVERY):
            fewer = power_of_two(max(len(still_open), FEWEST_ROWS // self.shape.beams))
            if fewer < self.shape.sentences:
                self.go_on_with(still_open, fewer)
        self.collect(range(self.shape.sentences))
        return self.answers

    def lines_after(self, steps: int) -> list[int]:
        """The lines that are still open after so many steps: here alone the host waits for the device."""
        for _ in range(min(steps, self.longest - self.length)):
            if self.length == self.shape.steps:
                self.make_room()
            step = self.step()
            self.workspace.run((self.shape, self.options), step)
            self.length += 1
        is_open, is_broken = torch.stack((self.beams.is_open, self.beams.is_broken)).tolist()
        if any(is_broken):
            raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
        return [line for line, state in enumerate(is_open) if state]

    def step(self) -> Callable[[], None]:
        if self.fused:
            return partial(take_fused_step, self.fused, self.tree, self.beams, self.options)
        return partial(take_step, self.model, self.tree, self.beams, self.options, self.longest)

    def make_room(self) -> None:
        """For twice as many steps."""
        self.shape = replace(self.shape, steps=2 * self.shape.steps)
        self.tree = self.workspace.buffers.grown(self.tree, Tree.layout(self.model, self.shape))
        self.beams = self.workspace.buffers.grown(self.beams, beams_layout(self.model, self.shape))
        self.beams.set_powers(self.options.length_penalty)

    def go_on_with(self, still_open: list[int], sentences: int) -> None:
        """The open lines move to the front of a smaller batch; some that are done fill it up."""
        done = sorted(set(range(self.shape.sentences)) - set(still_open))
        fill = sentences - len(still_open)
        staying = [*still_open, *done[:fill]]
        self.collect(done[fill:])
        lines = torch.tensor(staying, device=self.tree.length.device)
        self.tree, self.beams = self.tree.keep(lines), self.beams.keep(lines)
        self.sentences = [self.sentences[line] for line in staying]
        self.shape = replace(self.shape, sentences=sentences)

    def collect(self, lines: Sequence[int]) -> None:
        """The answers of these lines, which are done."""
        answers = self.beams.answers(lines, self.length, self.options.n_best, self.trace)
        for line, of_one in zip(lines, answers, strict=True):
            self.answers[self.sentences[line]] = of_one


def room_for_source(model: Transformer, width: int) -> int:
    """Rounded up, as far as there are positions."""
    rounded = -(-width // SOURCE_ROUNDED_TO) * SOURCE_ROUNDED_TO
    positions = model.source_positions
    return min(rounded, positions.max_length) if isinstance(positions, LearnedPositions) else rounded


def power_of_two(count: int) -> int:
    """The next that is not below: 5 -> 8."""
    return 1 << (count - 1).bit_length()
