"""A model with random weights that knows one thing: when to end. Its translations are about as long as their sources.

Speed does not depend on what the weights are, but for this: a random model goes on for ever, or stops anywhere.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from attendo.data.batch import padded
from attendo.model import masks
from attendo.model.config import TransformerConfig
from attendo.model.decoder import DecoderLayer
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SPREAD = 4.0  # of the logits: a confident model, to which the best is likely and a few others are possible


def sources(count: int, vocabulary: int, seed: int) -> list[list[int]]:
    """Log-normal lengths with mean 24, ids drawn evenly, </s> at the end."""
    rng, sigma = np.random.default_rng(seed), 0.5
    lengths = np.clip(np.round(rng.lognormal(np.log(24) - sigma**2 / 2, sigma, count)), 2, 120)
    return [[*rng.integers(300, vocabulary, int(length) - 1).tolist(), SPECIAL.eos] for length in lengths]


@torch.no_grad()
def model_that_ends(config: TransformerConfig) -> Transformer:
    """</s> is wired to a clock: its logit rises by one a token, and meets the others' best at the source's length.

    Three of the numbers that travel with a token come from its position alone (3.5), once embeddings are 0 there and
    no layer writes to them: sin(position / 100), nearly a straight line; 0; and 1. Norms shift and stretch all three
    alike, so with the help of `zero` and `one` the clock can be read after any layer. One head of the last
    cross-attention looks at the whole source evenly and reads the clock there, on the mean half the source's length;
    twice that is taken from the target's clock, which is then 0 when the source's length has been said.
    """
    model = Transformer(config).eval()
    clock, zero, one = wired = [config.d_model // 2, config.d_model - 2, config.d_model - 1]
    model.embedding.weight.mul_(0.5)  # so that the position has a say in what is said, or it would be one word for ever
    model.embedding.weight[:, wired] = 0.0
    for name, parameter in model.named_parameters():
        if name.endswith(("attention.output.weight", "feed_forward.outer.weight")):
            parameter.mul_(0.5)
            parameter[wired] = 0.0

    last = model.decoder.layers[-1]
    assert isinstance(last, DecoderLayer)
    memory, asking, decoded = flowing_through(model, last)
    stretch_memory, stretch_asking, stretch_said = (
        float((x[:, one] - x[:, zero]).mean()) for x in (memory, asking, decoded)
    )
    difference = torch.tensor([1.0, -1.0])  # clock - zero: what a norm has shifted comes back
    head = last.cross_attention
    assert isinstance(head, MultiHeadAttention)
    head.query.weight[: config.head_dim] = 0.0  # all keys are alike to the first head
    head.value.weight[0] = 0.0
    head.value.weight[0, [clock, zero]] = difference / stretch_memory
    head.output.weight[clock, 0] = -2 * stretch_asking

    model.output.weight.mul_(SPREAD)
    model.output.weight[SPECIAL.eos] = 0.0
    model.output.weight[SPECIAL.eos, [clock, zero]] = 100 * difference / stretch_said
    bias = torch.zeros(config.vocab_size)
    bias[SPECIAL.eos] = SPREAD * math.sqrt(2 * math.log(config.vocab_size))  # about the highest of so many normal ones
    bias[[SPECIAL.pad, SPECIAL.bos]] = -1e4
    model.output.bias = nn.Parameter(bias)
    return model


def flowing_through(model: Transformer, last: DecoderLayer) -> tuple[Tensor, Tensor, Tensor]:
    """For some sentences: the memory, what enters the last cross-attention, the decoder's output. [tokens, d_model]"""
    source = padded(sources(32, model.config.vocab_size, seed=2))
    real = masks.real(source, SPECIAL.pad)
    target_in = torch.cat((torch.full_like(source[:, :1], SPECIAL.bos), source[:, :-1]), dim=1)
    asking: list[Tensor] = []
    listening = last.around_cross_attention.register_forward_pre_hook(lambda _, given: asking.append(given[0]))
    memory = model.encode(source)
    x, _ = model.embed(target_in, model.target_positions)
    decoded = model.decoder(x, memory, masks.causal(source.shape[1], source.shape[1]), real)
    listening.remove()
    here = real[:, 0, 0]
    return memory[here], asking[0][here], decoded[here]
