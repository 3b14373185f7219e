"""How well the model that came with the package, or a changed copy of it, predicts translations that are given.

The sentences are the hand-aligned ones, in both directions. A copy is changed in its weights alone: a head whose
columns of W_O are 0 adds nothing, and scores are divided by something else if W_Q is multiplied accordingly.
"""

import copy
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.tools.hand_aligned import hand_aligned
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

# Where a Transformer attends, and the name its attention has there.
PLACES = {"encoder": ("encoder", "self_attention"), "decoder": ("decoder", "self_attention"),
          "cross": ("decoder", "cross_attention")}  # fmt: skip


def given_translations(tokenizer: Tokenizer, pairs: int) -> Batch:
    """So many pairs of Chinese and English, and of German and English, each in both directions."""
    chosen = [pair for of_language in hand_aligned().values() for pair in of_language[:pairs]]
    both = [*chosen, *(pair.swapped for pair in chosen)]
    return Batch.from_pairs(
        [
            (tokenizer.source_ids(pair.source.text, pair.target.language)[:-1], tokenizer.encode(pair.target.text))
            for pair in both
        ]
    )


@torch.inference_mode()
def sentence_losses(model: Transformer, batch: Batch) -> Tensor:
    """Of each sentence the sum of its losses, the number of its tokens, and how many of them are the likeliest:
    [sentences, 3]."""
    logits = model(batch.source, batch.target_in)
    real = batch.target_out != SPECIAL.pad
    losses = F.cross_entropy(logits.transpose(1, 2), batch.target_out, reduction="none") * real
    right = (logits.argmax(-1) == batch.target_out) & real
    return torch.stack((losses.sum(1), real.sum(1), right.sum(1)), dim=1).double()


def mean_loss(losses: Tensor) -> float:
    """Of a token."""
    return float(losses[:, 0].sum() / losses[:, 1].sum())


def share_right(losses: Tensor) -> float:
    return float(losses[:, 2].sum() / losses[:, 1].sum())


def changed_copy(
    model: Transformer, places: Sequence[str], change: Callable[[MultiHeadAttention], None]
) -> Transformer:
    """Of these PLACES, every layer's attention is changed; the model itself stays as it is."""
    changed = copy.deepcopy(model)
    for side, name in (PLACES[place] for place in places):
        for layer in getattr(changed, side).layers:
            change(getattr(layer, name))
    return changed


@torch.no_grad()
def leave_heads(left: Sequence[int], attention: MultiHeadAttention) -> None:
    """The others say nothing: Concat(head_1, …, head_h) W_O without them."""
    width = attention.output.in_features // attention.num_heads
    for head in set(range(attention.num_heads)) - set(left):
        attention.output.weight[:, head * width : (head + 1) * width] = 0


@torch.no_grad()
def divide_by(divisor: float, attention: MultiHeadAttention) -> None:
    """Attention divides q·k by √d_k; √d_k / divisor · q makes that q·k / divisor."""
    d_k = attention.output.in_features // attention.num_heads
    for part in attention.query.parameters():
        part.mul_(d_k**0.5 / divisor)
