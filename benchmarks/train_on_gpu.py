"""Training on a GPU: target tokens a second (padding not counted), our step in few programs beside the same step as
torch.compile makes it and beside compiled Hugging Face Marian, in one process and in turn.

    python -m benchmarks.train_on_gpu                    speed and memory, base and big, 25k and 65k tokens a batch
    python -m benchmarks.train_on_gpu --only curves      losses of 500 steps, fused and written out, the same batches
    python -m benchmarks.train_on_gpu --only repeats     two runs, and one that is resumed: equal to the last bit?
    python -m benchmarks.train_on_gpu --only real        how much of the bare step's speed a run from a recipe keeps

Sentences are made up: log-normal lengths of mean 24, vocabulary 32,000, as in `benchmarks.train`; the curves are of
Multi30k.
"""

import argparse
import hashlib
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from torch import nn

from attendo.data.batches import Batches, WeightedCorpus
from attendo.engines.cuda.training.fused import FusedTeacherForcing
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.training.callback import Callback, StepRecord
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine, choose_machine, set_up
from attendo.training.objective import TeacherForcing
from attendo.training.trainer import Trainer
from benchmarks.machine import describe_machine
from benchmarks.train import (
    ON_GPU,
    SMOOTHING,
    MarianSide,
    Setting,
    marian_runner,
    marian_side,
    runner,
    sentences,
    some,
    synthetic,
    table_of_recipe,
)

VOCABULARY = 32_000
MEASURED = (("base", 65_000), ("base", 25_000), ("big", 65_000), ("big", 25_000))
TURNS = 3
STEPS = {"base": 30, "big": 12}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["real", "speed", "curves", "repeats"], default=["speed"])
    parser.add_argument("--preset", nargs="+", default=["base", "big"])
    parser.add_argument("--written-out", action="store_true", help="also the written-out step, compiled: minutes more")
    options = parser.parse_args()
    compiled = choose_machine(TrainingConfig(device="cuda"), preset("base"))
    set_up(compiled)
    print(f"<!-- {describe_machine()}, torch {torch.__version__}, {torch.cuda.get_device_name()} -->\n", flush=True)
    if "speed" in options.only:
        speed(compiled, options.preset, options.written_out)
    if "real" in options.only:
        table_of_recipe("cuda", compiled, ON_GPU, turns=1)
    if "curves" in options.only:
        curves(compiled)
    if "repeats" in options.only:
        repeats(compiled)


# --- how fast


@dataclass(frozen=True)
class Side:
    """One who trains: `run` gives target tokens a second, `memory` is the most it held."""

    run: Callable[[], float]
    memory: float  # GiB


def speed(compiled: Machine, names: list[str], with_written_out: bool) -> None:
    sides = ["ours", *(["written out"] if with_written_out else []), "Marian"]
    print(f"| preset | tokens a batch | {' | '.join(sides)} | ours / Marian | {' | '.join(sides)}, GiB |")
    print(f"|---|---:|{'---:|' * (2 * len(sides) + 1)}", flush=True)
    corpus = synthetic(100_000, mean=24, vocabulary=VOCABULARY)
    marians: dict[str, MarianSide] = {}
    for name, tokens in MEASURED:
        if name not in names:
            continue
        setting = Setting(name, VOCABULARY, tokens, STEPS[name], warm_up=8, repeats=TURNS)
        if name not in marians:
            marians = {name: marian_side(compiled, setting, "compiled")}
        builders = {
            "ours": partial(our_runner, corpus, compiled, setting, fused=True),
            "written out": partial(our_runner, corpus, compiled, setting, fused=False),
            "Marian": partial(marian_runner, corpus, compiled, setting, "compiled", marians[name]),
        }
        measure(name, tokens, {side: measured(builders[side]) for side in sides})
        torch.cuda.empty_cache()


def measure(name: str, tokens: int, sides: "dict[str, Side]") -> None:
    rates: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(TURNS):  # in turn, so that a slow moment of the machine falls on all
        for side, given in sides.items():
            rates[side].append(given.run())
    cells = [f"{statistics.median(each):,.0f} ± {(max(each) - min(each)) / 2:,.0f}" for each in rates.values()]
    ratios = [one / other for one, other in zip(rates["ours"], rates["Marian"], strict=True)]
    cells.append(f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})")
    cells += [f"{side.memory:.1f}" for side in sides.values()]
    print(f"| `{name}` | {tokens:,} | {' | '.join(cells)} |", flush=True)


def measured(build: Callable[[], Callable[[], float]]) -> Side:
    """Built and run once, which compiles and records; what others hold already is not counted."""
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    run = build()
    run()
    return Side(run, (torch.cuda.max_memory_allocated() - before) / 2**30)


def our_runner(corpus: WeightedCorpus, compiled: Machine, setting: Setting, *, fused: bool) -> Callable[[], float]:
    batches = list(some(Batches([corpus], setting.tokens, seed=1, packed=True), setting))
    torch.manual_seed(1)
    model = build_model(preset(setting.preset, VOCABULARY))
    return runner(trainer_of(model, batches, compiled, fused=fused), batches, setting)


def trainer_of(
    model: nn.Module, batches: object, compiled: Machine, *, fused: bool, training: TrainingConfig | None = None,
    folder: Path | None = None, callbacks: tuple[Callback, ...] = (),
) -> Trainer:  # fmt: skip
    return Trainer(
        model,
        batches,  # type: ignore[arg-type]
        FusedTeacherForcing(SMOOTHING) if fused else TeacherForcing(SMOOTHING),
        training or TrainingConfig(),
        machine=replace(compiled, compiled=False, step="fused") if fused else compiled,
        checkpoints=folder,
        callbacks=callbacks,
    )


# --- the same learning


class Losses(Callback):
    def __init__(self) -> None:
        self.losses: list[float] = []

    def on_step(self, record: StepRecord) -> None:
        self.losses.append(record.loss)


def curves(machine: Machine, steps: int = 500) -> None:
    """Three draws of dropout for each way: what differs between ways stands beside what differs between draws."""
    corpus = sentences("multi30k", 8_000)
    marks = [1, 10, 25, 50, 100, 150, 200, 250, 300, 400, 500]
    print(f"\n| loss, mean of ten steps up to | {' | '.join(map(str, marks))} |\n|---|{'---:|' * len(marks)}")
    for way, fused in (("fused", True), ("written out", False)):
        for seed in (1, 2, 3):
            torch.manual_seed(1)
            model = build_model(preset("base", 8_000))
            torch.manual_seed(seed)
            training = TrainingConfig(max_steps=steps, warmup_steps=200, schedule="cosine", learning_rate=7e-4)
            watch = Losses()
            batches = Batches([corpus], 12_000, seed=1, packed=True)
            # Written out and not compiled: the witness should have as little in common as it can.
            plain = replace(machine, compiled=False)
            trainer_of(model, batches, plain, fused=fused, training=training, callbacks=(watch,)).run()
            means = (statistics.mean(watch.losses[max(0, mark - 10) : mark]) for mark in marks)
            print(f"| {way}, dropout {seed} | {' | '.join(f'{mean:.3f}' for mean in means)} |", flush=True)


# --- the same bits


def repeats(compiled: Machine) -> None:
    corpus = synthetic(20_000, mean=24, vocabulary=8_000)
    print("\n| run | sha256 of weights after 60 steps |\n|---|---|")
    for way, fused in (("fused", True), ("written out, compiled", False)):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            whole = [weights_after(corpus, compiled, fused, Path(one), [60])]
            again = weights_after(corpus, compiled, fused, None, [60])
            resumed = weights_after(corpus, compiled, fused, Path(other), [25, 60])
        for run, found in ((way, whole[0]), (f"{way}, again", again), (f"{way}, resumed after step 25", resumed)):
            print(f"| {run} | {found[:16]}… |", flush=True)
        print(f"| {way}: equal | {whole[0] == again == resumed} |", flush=True)


def weights_after(corpus: WeightedCorpus, compiled: Machine, fused: bool, folder: Path | None, ends: list[int]) -> str:
    """Trained up to each of these steps in turn, each time by a new Trainer that resumes from the folder."""
    for end in ends:
        torch.manual_seed(1)
        model = build_model(preset("base", 8_000))
        training = TrainingConfig(max_steps=end, warmup_steps=20, checkpoint_every=25)
        batches = Batches([corpus], 25_000, seed=1, packed=True)
        trainer_of(model, batches, compiled, fused=fused, training=training, folder=folder).run()
    digest = hashlib.sha256()
    for weight in model.parameters():
        digest.update(weight.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    main()
