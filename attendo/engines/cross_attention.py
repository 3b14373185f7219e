"""What a model looked at in the source while it said an answer, by one more pass over what was found.

A search keeps no record: it would hold the weights of every step of every hypothesis, most of which come to nothing. A
teacher-forced pass over the few that are left gives the same weights, all steps at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.decoding.hypothesis import Hypothesis
from attendo.model.decoder_only import DecoderOnly
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.model_folder.alignment_heads import AlignmentHeads
from attendo.special_tokens import SPECIAL, pad_rows


@torch.inference_mode()
def with_attention(
    model: Any, source: Tensor, found: Sequence[list[Hypothesis]], chosen: AlignmentHeads | None
) -> Iterator[list[Hypothesis]]:
    """Source ids [batch, source] and the hypotheses of each row, which come back with what these heads looked at; as
    they are, if the model has no cross-attention."""
    lengths = (source != SPECIAL.pad).sum(1).tolist()
    answers = [list(hypotheses) for hypotheses in found]
    for rank in range(max(map(len, answers), default=0)):
        rows = [row for row, hypotheses in enumerate(answers) if rank < len(hypotheses) and hypotheses[rank].ids]
        if not rows:
            continue
        target = torch.tensor(pad_rows([answers[row][rank].ids for row in rows]), device=source.device)
        weights = look(model, source[rows], target, chosen)
        if weights is None:
            break
        for row, seen in zip(rows, weights, strict=True):
            hypothesis = answers[row][rank]
            steps = seen[: len(hypothesis.ids), : lengths[row]].tolist()
            answers[row][rank] = replace(hypothesis, attention=chosen.by_token(steps) if chosen else steps)
    return iter(answers)


def look(model: Any, source: Tensor, target: Tensor, chosen: AlignmentHeads | None) -> Tensor | None:
    """[batch, target, source]: the mean over the heads; without any chosen, the first head of the last layer."""
    layers = cross_attention(model, source, target)
    if not layers:
        return None
    layer, heads = (chosen.layer, list(chosen.heads)) if chosen else (-1, [0])
    return layers[layer][:, heads].mean(1).float().cpu()


@torch.inference_mode()
def cross_attention(model: Any, source: Tensor, target: Tensor) -> list[Tensor]:
    """Of each layer [batch, heads, target, source], for given targets, which end in </s>."""
    record = AttentionRecord()
    if isinstance(model, NonAutoregressive):
        model.guess(target, model.read(source), record)
        return record.cross
    target_in = F.pad(target[:, :-1], (1, 0), value=SPECIAL.bos)
    if isinstance(model, Transformer):  # nothing is kept of the encoder, and one row of logits is made, not all
        model.next_token_logits(target_in, model.start_decoding(source), record)
    elif not isinstance(model, DecoderOnly):
        model(source, target_in, record)
    return record.cross
