"""attendo train --dry-run: what would happen, with a forecast from a few real steps."""

import itertools
import resource
import statistics
import sys
import time
from dataclasses import dataclass, replace

import torch

from attendo.model_folder.weights import weights_of
from attendo.recipe.recipe import Recipe
from attendo.report.formatting import duration_text
from attendo.runs.advice import Advice, advise, facts_of
from attendo.runs.build_trainer import build_trainer, training_batches
from attendo.runs.prepare import Prepared
from attendo.training.graphed import FIRST
from attendo.training.trainer import Trainer

# Steps; compiling, first allocations and the recording of a CUDA graph are not what a step costs.
WARM_UP = {"cpu": 2, "cuda": FIRST + 1}
MEASURED = 5


@dataclass(frozen=True)
class Measured:
    seconds_a_step: float  # the median
    target_tokens_a_step: float
    peak_bytes: int


@dataclass(frozen=True)
class Forecast:
    rows: list[tuple[str, str]]  # what a run would need, by name
    advice: list[Advice]


def forecast(recipe: Recipe, prepared: Prepared) -> Forecast:
    """From a few steps of the run. Nothing is written."""
    trainer = build_trainer(recipe, prepared)
    measured = measure(trainer)
    state, training = trainer.state, recipe.training
    batches = training_batches(recipe, prepared, trainer.machine)
    parameters = sum(weight.numel() for weight in weights_of(state.model).values())
    steps = len(batches.epoch(1).plan) / training.accumulate
    # float32: weights, gradients, two moments of AdamW, and the moving average if there is one
    held = parameters * 4 * (5 if state.average else 4)
    kept = parameters * 4 * (4 if state.average else 3)
    num_kept = training.keep_last + training.keep_best
    where = trainer.machine.to_dict().items()
    facts = replace(
        facts_of(recipe, prepared, on_cpu=trainer.machine.device.type == "cpu"),
        steps_an_epoch=steps,
        seconds_a_step=measured.seconds_a_step,
        tokens_a_step=measured.target_tokens_a_step,
    )
    what = "lines" if recipe.data.is_text else "pairs"
    rows = [
        (f"{what} to train on", f"{sum(len(one.draw(training.seed, 1)) for one in batches.corpora):,} an epoch"),
        (f"{what} to validate with", f"{sum(len(one.corpus) for one in prepared.validation):,}"),
        ("target tokens", f"{sum(int(one.target.lengths.sum()) + len(one) for one in batches.corpora):,}"),
        ("vocabulary", f"{prepared.tokenizer.vocab_size:,} ({prepared.tokenizer.subwords.kind})"),
        ("parameters", f"{parameters:,}"),
        ("where", ", ".join(f"{name} {value}" for name, value in where if name != "torch")),
        ("memory of weights and optimiser", f"{held / 2**20:,.0f} MiB"),
        ("memory at its peak, measured", f"{measured.peak_bytes / 2**20:,.0f} MiB"),
        ("disk for checkpoints", f"up to {kept * num_kept / 2**20:,.0f} MiB ({num_kept} kept)"),
        ("steps an epoch", f"{steps:,.1f}"),
        ("epochs", f"{training.max_steps / steps:,.1f}" if steps else "more than can be counted: an epoch has no step"),
        ("target tokens a second", f"{measured.target_tokens_a_step / measured.seconds_a_step:,.0f}"),
        ("time for all steps", f"about {duration_text(measured.seconds_a_step * training.max_steps)}"),
    ]
    return Forecast(rows, advise(facts))


def measure(trainer: Trainer) -> Measured:
    device = trainer.machine.device
    warm_up = WARM_UP[device.type]
    seconds, tokens = [], []
    trainer.state.model.train()
    with trainer.feed() as feed:
        for step, work in enumerate(itertools.islice(feed, warm_up + MEASURED), start=1):
            started = time.perf_counter()
            outcome = trainer.update(work.micro_batches, trainer.schedule(step))
            float(outcome.loss)  # waits for the device
            seconds.append(time.perf_counter() - started)
            tokens.append(sum(batch.num_target_tokens for batch in work.micro_batches))
    return Measured(statistics.median(seconds[warm_up:]), statistics.mean(tokens), peak_bytes(device))


def peak_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
