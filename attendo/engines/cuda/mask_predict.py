"""Mask-predict that lives on the device: the same answers as `mask_predict_n_best`, for a GPU.

All passes are one recording, and so is reading the source. The host waits twice: for the longest of the guessed
lengths, which decides how wide the targets are, and for the answer. As in the beam search beside this file all sizes
are rounded up to a few (sentences to powers of two, tokens to multiples), so that few recordings are needed; what is
there only to fill up is padding, which changes no answer.
"""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from attendo.decoding.beam_rules import PerSentence, TensorLayout
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.mask_predict import as_hypotheses, best_lengths, guess_words, likeliest_lengths
from attendo.engines.cuda.graphs import Workspace
from attendo.engines.cuda.search import SOURCE_ROUNDED_TO, power_of_two
from attendo.model import masks
from attendo.model.non_autoregressive import SHORTEST, NonAutoregressive, ReadSource
from attendo.special_tokens import SPECIAL

TARGET_ROUNDED_TO = 8  # tokens
UNLIMITED = 2**31


@dataclass(frozen=True)
class AtOnceShape:
    """Room for so many sentences, source tokens, and lengths that are tried."""

    sentences: int
    source: int
    lengths: int


@dataclass(frozen=True)
class SourceLines(PerSentence):
    """What was read: the first recording leaves it here for the second."""

    source: Tensor  # [sentences, source]
    memory: Tensor  # [sentences, source, d_model]
    lengths: Tensor  # [sentences, lengths]
    length_log_probs: Tensor  # [sentences, lengths]

    @staticmethod
    def layout(model: NonAutoregressive, shape: AtOnceShape) -> TensorLayout:
        dtype = model.length.weight.dtype
        return {
            "source": ((shape.sentences, shape.source), torch.int64),
            "memory": ((shape.sentences, shape.source, model.config.d_model), dtype),
            "lengths": ((shape.sentences, shape.lengths), torch.int64),
            "length_log_probs": ((shape.sentences, shape.lengths), torch.promote_types(dtype, torch.float32)),
        }

    def read(self, model: NonAutoregressive) -> ReadSource:
        return ReadSource(self.memory, masks.real(self.source, SPECIAL.pad), model.empty_caches())


@dataclass(frozen=True)
class AnswerLines(PerSentence):
    answers: Tensor  # [sentences, n_best, width, 2]: ids and log-probabilities


@torch.inference_mode()
def device_mask_predict(
    model: NonAutoregressive,
    source: Tensor,
    passes: int,
    num_lengths: int,
    n_best: int,
    alpha: float,
    workspace: Workspace,
) -> list[list[Hypothesis]]:
    """source ids [batch, source] -> for each sentence its n best hypotheses, the best first; fewer, if there are fewer.

    A workspace that is kept from call to call need not record anew.
    """
    if not len(source):
        return []
    most = model.config.max_length if model.config.positions == "learned" else UNLIMITED
    source_width = min(rounded_up(source.shape[1], SOURCE_ROUNDED_TO), most)
    shape = AtOnceShape(power_of_two(len(source)), source_width, num_lengths)
    with workspace.used_for(model):
        lines = SourceLines(**workspace.buffers.zeros(SourceLines, SourceLines.layout(model, shape)))
        lines.source[: len(source), : source.shape[1]] = source
        workspace.run(("read", shape), partial(read_source, model, lines))
        # Here the host waits for the device.
        width = min(rounded_up(int(lines.lengths.max()), TARGET_ROUNDED_TO), most)
        layout: TensorLayout = {"answers": ((shape.sentences, n_best, width, 2), torch.float64)}
        found = AnswerLines(**workspace.buffers.zeros(AnswerLines, layout))
        step = partial(answer, model, lines, found, passes, width, alpha)
        workspace.run(("answer", shape, width, passes, n_best, alpha), step)
        return as_hypotheses(found.answers[: len(source)], alpha)


def read_source(model: NonAutoregressive, lines: SourceLines) -> None:
    read = model.read(lines.source)
    lengths, log_probs = likeliest_lengths(model, read, lines.lengths.shape[1])
    # A line that only fills up is of no length, and must not make the others wider.
    lengths = torch.where(lines.source[:, :1] == SPECIAL.pad, SHORTEST, lengths)
    for kept, new in ((lines.memory, read.memory), (lines.lengths, lengths), (lines.length_log_probs, log_probs)):
        kept.copy_(new)


def answer(
    model: NonAutoregressive, lines: SourceLines, found: AnswerLines, passes: int, width: int, alpha: float
) -> None:
    """All passes, and the choice among the lengths."""
    words = guess_words(model, lines.read(model), lines.lengths, lines.length_log_probs, passes, width)
    found.answers.copy_(best_lengths(*words, lines.lengths, found.answers.shape[1], alpha))


def rounded_up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple
