"""What several devices cost and bring: bytes and seconds of a step's messages, measured, and a forecast from them.

python -m benchmarks.scaling                       two CPU ranks beside the forecast for them, then 8 and 64 GPUs
python -m benchmarks.scaling --only forecast       the GPUs alone
torchrun --nproc-per-node=1 -m benchmarks.scaling --only here    the ranks that are there, whatever they are

The forecast of a step of N ranks, each with its own share of the tokens:

    bytes    4 a parameter; in a ring each rank sends and gets 2 (N - 1) / N of them
    sending  bytes / bandwidth, and a latency for every bucket
    step     computing + what of sending is left after the backward pass has hidden some of it
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import torch
import torch.distributed as dist

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position
from attendo.engines.cuda.training.fused import FusedTeacherForcing, fused_if_possible
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.model_folder.weights import on_meta, weights_of
from attendo.training.config import TrainingConfig
from attendo.training.device import choose_machine, set_up
from attendo.training.gradient_sum import BUCKET
from attendo.training.join import joined
from attendo.training.objective import TeacherForcing
from attendo.training.ranks import ALONE, Ranks
from attendo.training.trainer import Trainer
from benchmarks.machine import ROOT, describe_machine
from benchmarks.train import synthetic, wait_for

VOCABULARY = {"cpu": 8_000, "cuda": 32_000}
TOKENS = {"cpu": 500, "cuda": 25_000}
STEPS = {"cpu": 4, "cuda": 40}
BACKWARD = 2 / 3  # of a step's computing is the backward pass, beside which buckets can be sent
LATENCY = 30e-6  # seconds a bucket
NETWORKS = {  # bytes a second that a ring gets through, assumed
    "one machine, NVLink": 350e9,
    "machines of 8, a 400 Gbit/s card for each GPU": 320e9,
    "machines of 8, one 100 Gbit/s card for all": 10e9,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=["here", "two", "forecast"])
    parser.add_argument("--preset", default=None, help="of the ranks that are measured: tiny on a CPU, base on a GPU")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--base", type=float, default=956_000, help="target tokens a second of one GPU")
    parser.add_argument("--big", type=float, default=365_000, help="the same of the big model")
    options = parser.parse_args()
    if options.only == "here":
        measure_here(options.device, options.preset)
        return
    print(f"<!-- python -m benchmarks.scaling; {describe_machine()} -->\n", flush=True)
    if options.only != "forecast":
        two_beside_forecast()
    if options.only != "two":
        table_of_forecasts({"base": options.base, "big": options.big})


# --- measured


@dataclass(frozen=True)
class Measured:
    ranks: int
    parameters: int
    step: float  # seconds: a step of all ranks together
    computing: float  # seconds: the same share of it by a process that asks nobody
    sending: float  # seconds: all gradients added up, and nothing else
    tokens: float  # target tokens a step, of all ranks
    same_bits: bool  # of one rank alone: its weights are those of a process without ranks


def measure_here(device: str, name: str | None) -> None:
    """As one of the ranks that torchrun has started; rank 0 prints one line of JSON."""
    with joined(device) as ranks:
        kind = "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
        name = name or {"cpu": "tiny", "cuda": "base"}[kind]
        together, batches = trainer_of(ranks, name, kind)
        alone, _ = trainer_of(ALONE, name, kind, together.machine.device)
        shares = [[batch.to(together.machine.device) for batch in ranks.share([batch])] for batch in batches]
        same = compare_bits(together, alone, shares) if ranks.world == 1 else True
        # In turn, so that a slow moment of the machine falls on all.
        rounds = [(timed(together, shares), timed(alone, shares), sending(together)) for _ in range(3)]
        step, computing, message = (statistics.median(each) for each in zip(*rounds, strict=True))
        tokens = statistics.mean(batch.num_target_tokens for batch in batches)
        parameters = sum(weight.numel() for weight in together.state.model.parameters())
        if ranks.is_first:
            found = Measured(ranks.world, parameters, step, computing, message, tokens, same)
            print(json.dumps(vars(found) | {"preset": name, "device": str(together.machine.to_dict()["device"])}))


def trainer_of(ranks: Ranks, name: str, kind: str, device: torch.device | None = None) -> tuple[Trainer, list[Batch]]:
    config = preset(name, VOCABULARY[kind])
    training = TrainingConfig(device=str(device or kind), tokens_per_batch=TOKENS[kind])
    machine = ranks.placed(fused_if_possible(choose_machine(training, config), config, training))
    set_up(machine)
    torch.manual_seed(1)
    source = Batches([synthetic(20_000, mean=24, vocabulary=VOCABULARY[kind])], TOKENS[kind], 1, machine.packed)
    batches = [batch for batch, _ in islice(source.stream(Position()), STEPS[kind])]
    objective = FusedTeacherForcing(0.1) if machine.step == "fused" else TeacherForcing(0.1)
    trainer = Trainer(build_model(config), batches, objective, training, machine=machine, ranks=ranks)
    trainer.state.model.train()
    return trainer, batches


def compare_bits(one: Trainer, other: Trainer, shares: list[list[Batch]]) -> bool:
    """After some steps, dropout included. On a GPU those with a recording among them."""
    for trainer in (one, other):
        torch.manual_seed(2)
        for share in shares[:8]:
            trainer.update(share, 1e-4)
    pairs = zip(weights_of(one.state.model).values(), weights_of(other.state.model).values(), strict=True)
    return all(torch.equal(ours, theirs) for ours, theirs in pairs)


def timed(trainer: Trainer, shares: list[list[Batch]]) -> float:
    """Seconds a step."""

    def steps() -> None:
        for share in shares:
            trainer.update(share, 1e-4)

    steps() if trainer.machine.device.type == "cuda" else trainer.update(shares[0], 1e-4)  # warm
    return seconds_of(steps, trainer) / len(shares)


def sending(trainer: Trainer) -> float:
    numbers = sum(weight.numel() for weight in trainer.state.model.parameters())
    flats = [torch.zeros(size, device=trainer.machine.device) for size in bucket_sizes(numbers)]

    def send() -> None:
        for work in [dist.all_reduce(flat, async_op=True) for flat in flats]:
            work.wait()

    send()
    return min(seconds_of(send, trainer) for _ in range(3))


def bucket_sizes(numbers: int) -> list[int]:
    whole = BUCKET // 4
    return [whole] * (numbers // whole) + [numbers % whole]


def seconds_of(work: Callable[[], None], trainer: Trainer) -> float:
    wait_for(trainer.machine)
    started = time.perf_counter()
    work()
    wait_for(trainer.machine)
    return time.perf_counter() - started


# --- forecast


@dataclass(frozen=True)
class Forecast:
    computing: float  # seconds
    sending: float
    hidden: float  # of sending

    @property
    def step(self) -> float:
        return self.computing + self.sending - self.hidden


def forecast(parameters: int, computing: float, ranks: int, bandwidth: float, overlap: bool) -> Forecast:
    size = 4 * parameters
    buckets = len(bucket_sizes(parameters))
    send = 2 * (ranks - 1) / ranks * size / bandwidth + buckets * LATENCY
    # The last bucket, of the first layers, is full when the backward pass has ended: nothing hides it.
    hidden = min(send * (buckets - 1) / buckets, BACKWARD * computing) if overlap else 0.0
    return Forecast(computing, send, hidden)


def two_beside_forecast() -> None:
    """Two ranks on the cores of this machine, a thread each: nothing is hidden, as sending needs the same cores."""
    found = in_torchrun(2)
    expected = found.computing + found.sending
    print("Two CPU ranks (gloo), `tiny`, a thread each, milliseconds a step, median of three rounds:\n")
    print("| computing alone | all-reduce alone | forecast: their sum | measured | measured / forecast |")
    print("|---:|---:|---:|---:|---:|")
    numbers = [found.computing, found.sending, expected, found.step]
    print("| " + " | ".join(f"{1000 * number:.0f}" for number in numbers) + f" | {found.step / expected:.2f} |\n")
    size = 4 * found.parameters
    print(f"{size / 1e6:.1f} MB of gradients a step, {size / found.sending / 1e9:.2f} GB/s.\n", flush=True)


def in_torchrun(ranks: int) -> Measured:
    command = [
        sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", "-m", "benchmarks.scaling",
        "--only", "here", "--device", "cpu",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.split("\n") if line.startswith("{"))
    table = json.loads(line)
    return Measured(**{key: value for key, value in table.items() if key not in ("preset", "device")})


def table_of_forecasts(rates: dict[str, float]) -> None:
    print(f"Forecast for GPUs, {TOKENS['cuda']:,} target tokens on each a step, float32 gradients:\n")
    print("| model | GPUs | network | MB a step | sending, ms | step, ms | efficiency | without overlap |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for name, rate in rates.items():
        parameters = sum(weight.numel() for weight in weights_of(on_meta(preset(name, VOCABULARY["cuda"]))).values())
        computing = TOKENS["cuda"] / rate
        for (network, bandwidth), ranks in zip(NETWORKS.items(), (8, 64, 64), strict=True):
            with_it, without = (forecast(parameters, computing, ranks, bandwidth, each) for each in (True, False))
            sent = 2 * (ranks - 1) / ranks * 4 * parameters / 1e6
            print(
                f"| `{name}` | {ranks} | {network} | {sent:,.0f} | {1000 * with_it.sending:.1f} | "
                f"{1000 * with_it.step:.1f} | {computing / with_it.step:.0%} | {computing / without.step:.0%} |"
            )


if __name__ == "__main__":
    main()
