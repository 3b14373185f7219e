"""Models small enough to learn a toy task in seconds, many of them in one pass: those of all seeds.

A model of a few thousand weights keeps a processor busy with starting operations rather than with arithmetic. Here the
weights of k models lie in one tensor [k, ...] and every operation is started once for all of them (torch.func). What
each model learns is what it would learn alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from attendo.data.batch import Batch
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.training.optimizer import cosine_learning_rate
from attendo.training.step import train_step

Draw = Callable[[int, torch.Generator], Batch]  # number of pairs, generator -> a batch of one shape


def toy_config(num_symbols: int, d_model: int, d_ff: int, num_heads: int, **others: Any) -> TransformerConfig:
    """One layer on each side and no dropout, if nothing else is said; an id for each symbol, after the special ones."""
    usual = {"encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}
    sizes = {"vocab_size": FIRST_SYMBOL + num_symbols, "d_model": d_model, "d_ff": d_ff, "num_heads": num_heads}
    return TransformerConfig(**{**usual, **sizes, **others})


class EncoderAlone(Transformer):
    """Called like every model: logits for the target at each position of the source, by what the encoder sees there."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        del self.decoder

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:  # type: ignore[override]
        return self.output(self.encode(source))


@dataclass(frozen=True)
class Budget:
    """What both sides of a comparison get."""

    steps: int
    pairs: int  # a step, for each model
    learning_rate: float  # the peak of a cosine
    warmup: float = 0.1  # the share of the steps that lead up to the peak; with 0, the first step is the peak
    device: str = "cpu"  # where they learn; they are built on the CPU, and come back to it

    def rate_at(self, step: int) -> float:
        return cosine_learning_rate(step, self.learning_rate, max(1, round(self.steps * self.warmup)), self.steps)


def train_together(models: Sequence[nn.Module], draw: Draw, seeds: Sequence[int], budget: Budget) -> Tensor:
    """Trains the models where they are; returns the losses [steps, models]. The seed of each draws its data."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    for model in models:
        model.to(budget.device)
    weights, buffers = stack_module_state(list(models))
    optimizer = torch.optim.AdamW(weights.values(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    pattern = models[0]

    def loss_of(own: dict[str, Tensor], fixed: dict[str, Tensor], source: Tensor, fed: Tensor, right: Tensor) -> Tensor:
        logits = functional_call(pattern, (own, fixed), (source, fed))
        return F.cross_entropy(logits.flatten(0, 1), right.flatten(), ignore_index=SPECIAL.pad)

    of_all = torch.vmap(loss_of, randomness="different")
    losses = []
    for step in range(1, budget.steps + 1):
        batches = [draw(budget.pairs, generator) for generator in generators]
        source, fed, right = (
            torch.stack([getattr(batch, side) for batch in batches]).to(budget.device)
            for side in ("source", "target_in", "target_out")
        )
        with sdpa_kernel(SDPBackend.MATH):  # the fused one would run model after model
            each = of_all(weights, buffers, source, fed, right)  # [models]
        each.sum().backward()  # no model's loss depends on another's weights
        clip_each(list(weights.values()))
        for group in optimizer.param_groups:
            group["lr"] = budget.rate_at(step)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(each.detach())
    with torch.no_grad():
        for index, model in enumerate(models):
            for name, weight in model.named_parameters():
                weight.copy_(weights[name][index])
            model.cpu()
    return torch.stack(losses).cpu()


def train_one_by_one(models: Sequence[nn.Module], draw: Draw, seeds: Sequence[int], budget: Budget) -> Tensor:
    """Like train_together, for models that cannot learn in one pass (torch.vmap), such as PyTorch's LSTM."""
    losses = []
    for model, seed in zip(models, seeds, strict=True):
        model.to(budget.device).train()
        generator = torch.Generator().manual_seed(seed)
        optimizer = torch.optim.AdamW(model.parameters(), 0.0, (0.9, 0.98), 1e-9, weight_decay=0.0, fused=True)
        own = []
        for step in range(1, budget.steps + 1):
            batch = draw(budget.pairs, generator).to(budget.device)
            own.append(train_step(model, optimizer, [batch], budget.rate_at(step)).loss)
        model.cpu().eval()
        losses.append(torch.stack(own))
    return torch.stack(losses, dim=1).cpu()


def clip_each(weights: Sequence[Tensor], longest: float = 1.0) -> None:
    """The gradient of every model has a length of its own, [models]."""
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    lengths = torch.stack([gradient.flatten(1).norm(dim=1) for gradient in gradients]).norm(dim=0)
    shorter = (longest / (lengths + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(shorter.view(-1, *[1] * (gradient.dim() - 1)))


@torch.no_grad()
def accuracy(model: nn.Module, batch: Batch) -> float:
    """The share of target tokens that are the likeliest ones, fed the right ones before them."""
    model.eval()
    output = model(batch.source, batch.target_in).argmax(-1)
    real = batch.target_out != SPECIAL.pad
    return float((output == batch.target_out)[real].float().mean())
