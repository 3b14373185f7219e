"""Models small enough to learn a toy task in seconds, many of them in one pass: those of all seeds.

A model of a few thousand weights keeps a processor busy with starting operations rather than with arithmetic. Here the
weights of k models lie in one tensor [k, ...] and every operation is started once for all of them (torch.func). What
each model learns is what it would learn alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from attendo.data.batch import Batch
from attendo.lab.knobs import Size
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.model.config import TransformerConfig
from attendo.model.parts import STANDARD, Parts
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

    def __init__(self, config: TransformerConfig, parts: Parts = STANDARD) -> None:
        super().__init__(config, parts)
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


def training_device(size: Size) -> str:
    """A GPU where there is one; a few steps of a small model are sooner done without."""
    return "cuda" if size != "small" and torch.cuda.is_available() else "cpu"


def train_together(
    models: Sequence[nn.Module], draw: Draw, seeds: Sequence[int], budget: Budget, peaks: Sequence[float] = ()
) -> Tensor:
    """Trains the models where they are; returns the losses [steps, models]. The seed of each draws its data.

    `peaks`: of the learning rate, one a model, where they are not the budget's.
    """
    for model in models:
        model.to(budget.device)
    distinct = list(dict.fromkeys(seeds))
    whose = torch.tensor([distinct.index(seed) for seed in seeds], device=budget.device)
    learner = StackedLearner(models, peaks or [budget.learning_rate] * len(models), whose)
    step: Callable[..., Tensor] = ToyStepGraph(learner.step) if budget.device == "cuda" else learner.step
    factors = torch.tensor([learner.factors(number, budget) for number in range(1, budget.steps + 1)])
    batches = drawn_batches(draw, distinct, budget)
    losses = [step(*batch, now).clone() for batch, now in zip(batches, factors.to(budget.device), strict=True)]
    learner.give_back(models)
    return torch.stack(losses).cpu()


AT_ONCE = 500  # steps: the data of so many are drawn in one call


def drawn_batches(draw: Draw, seeds: Sequence[int], budget: Budget) -> Iterator[tuple[Tensor, ...]]:
    """For each step source, input and answer, each [seeds, pairs, length]."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    for begin in range(0, budget.steps, AT_ONCE):
        count = min(AT_ONCE, budget.steps - begin)
        drawn = [draw(count * budget.pairs, generator) for generator in generators]
        sides = (
            torch.stack([getattr(batch, side).unflatten(0, (count, -1)) for batch in drawn], dim=1)
            for side in ("source", "target_in", "target_out")
        )
        yield from zip(*(side.to(budget.device) for side in sides), strict=True)


class StackedLearner:
    """The weights of k models as tensors [k, ...], and Adam for them; each has a peak learning rate of its own."""

    BETAS = (0.9, 0.98)
    EPSILON = 1e-9

    def __init__(self, models: Sequence[nn.Module], peaks: Sequence[float], whose: Tensor) -> None:
        """`whose`: which of the seeds' data are a model's, [models]."""
        self.whose = whose
        self.weights, buffers = stack_module_state(list(models))
        trained = list(self.weights.values())
        self.peaks = torch.tensor(peaks, device=trained[0].device)
        self.moments = [(torch.zeros_like(weight), torch.zeros_like(weight)) for weight in trained]
        pattern = models[0]

        def loss_of(own: dict[str, Tensor], fixed: Any, source: Tensor, fed: Tensor, right: Tensor) -> Tensor:
            logits = functional_call(pattern, (own, fixed), (source, fed))
            return F.cross_entropy(logits.flatten(0, 1), right.flatten(), ignore_index=SPECIAL.pad)

        self.buffers = buffers
        self.loss_of_each: Callable[..., Tensor] = torch.vmap(loss_of, randomness="different")

    def factors(self, step: int, budget: Budget) -> tuple[float, float]:
        """Of a step: how much of its peak the learning rate is, and Adam's corrections for moments that began at 0."""
        first, second = (1 - beta**step for beta in self.BETAS)
        return budget.rate_at(step) / budget.learning_rate / first, second

    def step(self, source: Tensor, fed: Tensor, right: Tensor, factors: Tensor) -> Tensor:
        """Losses [models]; the weights have learnt."""
        with sdpa_kernel(SDPBackend.MATH):  # the fused one would run model after model
            each = self.loss_of_each(self.weights, self.buffers, *(side[self.whose] for side in (source, fed, right)))
        trained = list(self.weights.values())
        gradients = torch.autograd.grad(each.sum(), trained, allow_unused=True)  # no loss depends on another's weights
        with torch.no_grad():
            clip_each([gradient for gradient in gradients if gradient is not None])
            for weight, gradient, (mean, square) in zip(trained, gradients, self.moments, strict=True):
                if gradient is not None:
                    mean.lerp_(gradient, 1 - self.BETAS[0])
                    square.mul_(self.BETAS[1]).addcmul_(gradient, gradient, value=1 - self.BETAS[1])
                    size = (self.peaks * factors[0]).view(-1, *[1] * (weight.dim() - 1))
                    weight.sub_(size * mean / ((square / factors[1]).sqrt() + self.EPSILON))
        return each.detach()

    @torch.no_grad()
    def give_back(self, models: Sequence[nn.Module]) -> None:
        """What they have learnt; they come back to the CPU."""
        for index, model in enumerate(models):
            for name, weight in model.named_parameters():
                weight.copy_(self.weights[name][index])
            model.cpu()


class ToyStepGraph:
    """A step as one CUDA graph: the same kernels on tensors of the same place, launched all at once.

    The first calls are plain, as PyTorch asks for; what they compute counts like any other step.
    """

    PLAIN = 3

    def __init__(self, step: Callable[..., Tensor]) -> None:
        self.step = step
        self.calls = 0
        self.given: tuple[Tensor, ...] = ()

    def __call__(self, *given: Tensor) -> Tensor:
        self.calls += 1
        if self.calls <= self.PLAIN:
            aside = torch.cuda.Stream()
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                result = self.step(*given)
            torch.cuda.synchronize()
            return result
        if not self.given:
            self.given = tuple(one.clone() for one in given)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.result = self.step(*self.given)
        for place, one in zip(self.given, given, strict=True):
            place.copy_(one)
        self.graph.replay()
        return self.result


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


def clip_each(gradients: Sequence[Tensor], longest: float = 1.0) -> None:
    """The gradient of every model has a length of its own, [models]."""
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
