"""attendo train --dry-run: what would happen, with a forecast from a few real steps."""

import itertools
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from rich.console import Console
from rich.table import Table

from attendo.data.batches import Batches
from attendo.model_folder.checkpoint import weights_of
from attendo.recipe.recipe import Recipe
from attendo.runs.assemble import build_state, graphed_step, training_batches, training_objective, transform
from attendo.runs.prepare import Prepared
from attendo.runs.prepare_shown import prepare_shown
from attendo.training.device import Machine, choose_machine, set_up
from attendo.training.feed import Feed, Work
from attendo.training.graphed import FIRST
from attendo.training.objective import Objective
from attendo.training.optimizer import learning_rate
from attendo.training.state import TrainingState
from attendo.training.step import Step, train_step

# Steps; compiling, first allocations and the recording of a CUDA graph are not what a step costs.
WARM_UP = {"cpu": 2, "cuda": FIRST + 1}
MEASURED = 5


@dataclass(frozen=True)
class Measured:
    seconds_a_step: float  # the median
    target_tokens_a_step: float
    peak_bytes: int


def dry_run(recipe: Recipe, console: Console) -> None:
    """Nothing is written but the cache of tokenizer and encoded corpora, which the real run will use."""

    def say(sentence: str) -> None:
        console.print(f"attendo: {sentence}", markup=False, highlight=False, soft_wrap=True)

    prepared = prepare_shown(recipe, console, say)
    machine = choose_machine(recipe.training, prepared.model)
    set_up(machine)
    state = build_state(recipe, prepared.model, machine)
    batches = training_batches(recipe, prepared, machine)
    with console.status(f"measuring {WARM_UP[machine.device.type] + MEASURED} steps"):
        objective = training_objective(recipe.training, prepared.model, machine, say)
        step = graphed_step(machine, say) or train_step
        measured = measure(recipe, prepared, step, objective, state, batches)
    Console().print(forecast(recipe, prepared, machine, state, batches, measured))


def measure(
    recipe: Recipe, prepared: Prepared, step: Step, objective: Objective, state: TrainingState, batches: Batches
) -> Measured:
    training = recipe.training
    feed = Feed(batches, state.progress.position, training.accumulate, state.device, transform(training, prepared))
    warm_up = WARM_UP[state.device.type]
    seconds, tokens = [], []
    state.model.train()
    with feed:
        for number, work in enumerate(itertools.islice(feed, warm_up + MEASURED), start=1):
            started = time.perf_counter()
            rate = learning_rate(number, prepared.model.d_model, training)
            outcome = step(state.model, state.optimizer, work.micro_batches, rate, objective)
            float(outcome.loss)  # waits for the device
            seconds.append(time.perf_counter() - started)
            tokens.append(target_tokens(work))
    return Measured(statistics.median(seconds[warm_up:]), statistics.mean(tokens), peak_bytes(state.device))


def target_tokens(work: Work) -> int:
    return sum(batch.num_target_tokens for batch in work.micro_batches)


def peak_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def forecast(
    recipe: Recipe,
    prepared: Prepared,
    machine: Machine,
    state: TrainingState,
    batches: Batches,
    measured: Measured,
) -> Table:
    training = recipe.training
    parameters = sum(weight.numel() for weight in weights_of(state.model).values())
    steps = len(batches.epoch(1).plan) / training.accumulate
    # float32: weights, gradients, two moments of AdamW, and the moving average if there is one
    held = parameters * 4 * (5 if state.average else 4)
    kept = parameters * 4 * (4 if state.average else 3)
    num_kept = training.keep_last + training.keep_best
    rows: Sequence[tuple[str, str]] = [
        ("pairs to train on", f"{sum(len(corpus.draw(training.seed, 1)) for corpus in batches.corpora):,} an epoch"),
        ("pairs to validate with", f"{sum(len(one.part) for one in prepared.validation):,}"),
        ("target tokens", f"{sum(int(corpus.target.lengths.sum()) + len(corpus) for corpus in batches.corpora):,}"),
        ("vocabulary", f"{prepared.tokenizer.vocab_size:,} ({prepared.tokenizer.subwords.kind})"),
        ("parameters", f"{parameters:,}"),
        ("where", ", ".join(f"{name} {value}" for name, value in machine.to_dict().items() if name != "torch")),
        ("memory of weights and optimiser", f"{held / 2**20:,.0f} MiB"),
        ("memory at its peak, measured", f"{measured.peak_bytes / 2**20:,.0f} MiB"),
        ("disk for checkpoints", f"up to {kept * num_kept / 2**20:,.0f} MiB ({num_kept} kept)"),
        ("steps an epoch", f"{steps:,.1f}"),
        ("epochs", f"{training.max_steps / steps:,.1f}"),
        ("target tokens a second", f"{measured.target_tokens_a_step / measured.seconds_a_step:,.0f}"),
        ("time for all steps", duration(measured.seconds_a_step * training.max_steps)),
    ]
    table = Table("what", "how much", title=f"{training.max_steps:,} steps, validations not counted in the time")
    for row in rows:
        table.add_row(*row)
    return table


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {seconds:.0f} seconds"
    return f"about {seconds / 60:.0f} minutes" if seconds < 5400 else f"about {seconds / 3600:.1f} hours"
