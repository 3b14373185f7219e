"""Where the time of a training step on a CPU goes: ours, ours written out and Hugging Face Marian, on the same batches.

python -m benchmarks.train_profile                          `tiny` on Multi30k, float32
python -m benchmarks.train_profile --precision bfloat16     the products of all three in bfloat16

Milliseconds a step by what torch was asked for, from torch's profiler; "the rest" is what the clock says beyond that.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import torch
from torch.profiler import ProfilerActivity, profile

from attendo.data.batch import Batch
from attendo.data.batches import Batches
from attendo.engines.cpu.training import LeanTeacherForcing
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.training.config import TrainingConfig
from attendo.training.device import choose_machine, set_up
from attendo.training.objective import TeacherForcing
from attendo.training.trainer import Trainer
from benchmarks.machine import describe_machine
from benchmarks.train import ON_CPU, SMOOTHING, marian_side, sentences, some

KINDS = {
    "matrix products": ("aten::mm", "aten::addmm", "aten::bmm"),
    "attention": ("aten::_scaled_dot_product",),
    "drawing dropout": ("aten::bernoulli_", "aten::ge"),
    "softmax and loss": ("aten::_log_softmax", "aten::_softmax", "aten::nll_loss", "aten::amax", "aten::gather"),
    "norms": ("aten::native_layer_norm",),
    "optimiser and gradient norm": ("aten::_fused_adamw", "aten::linalg_vector_norm", "aten::_foreach"),
    "casts and copies": ("aten::copy_", "aten::cat", "aten::index_select", "aten::index_copy", "aten::fill_"),
    "other sums and factors": ("aten::",),
}
ROUNDS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default="multi30k", choices=["tatoeba", "multi30k", "synthetic"])
    parser.add_argument("--precision", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--threads", type=int, default=0, help="on a machine with company one thread tells more")
    options = parser.parse_args()
    training = TrainingConfig(device="cpu", precision=options.precision, compile="off", threads=options.threads)
    config, setting = preset(ON_CPU.preset, ON_CPU.vocabulary), ON_CPU
    machine = choose_machine(training, config)
    set_up(machine)
    batches = list(some(Batches([sentences(options.data, setting.vocabulary)], setting.tokens, 1, False), setting))
    model, objective = marian_side(machine, setting, "eager")
    bare = replace(machine, precision=torch.float32)  # Marian's precision is its own
    trainers = {
        "ours": Trainer(
            build_model(config), batches, LeanTeacherForcing(SMOOTHING, machine.precision), training, machine=machine
        ),
        "ours, written out": Trainer(
            build_model(config), batches, TeacherForcing(SMOOTHING), training, machine=machine
        ),
        "Marian": Trainer(model, batches, objective, training, machine=bare),
    }
    found = {name: profiled(trainer, batches) for name, trainer in trainers.items()}
    print(f"<!-- python -m benchmarks.train_profile; {describe_machine()}, threads {machine.threads} -->\n")
    print(f"Milliseconds a step, `{setting.preset}` on {options.data}, products in {options.precision}:\n")
    print(f"| | {' | '.join(found)} |")
    print(f"|---|{'---:|' * len(found)}")
    for kind in (*KINDS, "the rest", "all"):
        print(f"| {kind} | {' | '.join(f'{each[kind]:.0f}' for each in found.values())} |")


def profiled(trainer: Trainer, batches: list[Batch]) -> Mapping[str, float]:
    trainer.state.model.train()
    for batch in batches:
        trainer.update([batch], 1e-4)
    steps = ROUNDS * len(batches)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        started = time.perf_counter()
        for _ in range(ROUNDS):
            for batch in batches:
                trainer.update([batch], 1e-4)
        taken = time.perf_counter() - started
    spent: dict[str, float] = defaultdict(float)
    for event in seen.key_averages():
        kind = next((name for name, begins in KINDS.items() if event.key.startswith(begins)), None)
        if kind is not None:
            spent[kind] += event.self_cpu_time_total / 1e3 / steps
    whole = 1e3 * taken / steps
    return spent | {"the rest": whole - sum(spent.values()), "all": whole}


if __name__ == "__main__":
    main()
