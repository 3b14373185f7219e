"""Where to compute, in which precision, compiled or not, on how many threads."""

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

import torch

from attendo.device import choose_device
from attendo.model.config import ModelConfig, can_pack
from attendo.training.config import TrainingConfig
from attendo.training.repeatable import fix_workspace

# How a step is computed: by the model itself, or made for speed (engines/cpu, engines/cuda/training).
StepKind = Literal["written-out", "lean", "fused"]


@dataclass(frozen=True)
class Machine:
    """What was chosen. Another choice gives other bits, so a checkpoint remembers it."""

    device: torch.device
    precision: torch.dtype
    compiled: bool
    threads: int
    packed: bool  # batches hold many pairs in a row
    step: StepKind = "written-out"

    def to_dict(self) -> dict[str, str]:
        name = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "cpu"
        return {
            "device": name,
            "precision": str(self.precision).removeprefix("torch."),
            "compiled": "yes" if self.compiled else "no",
            "threads": str(self.threads),
            "packed": "yes" if self.packed else "no",
            # Which of the two the device tells; earlier runs, which were not, have no such line.
            **({} if self.step == "written-out" else {"fused": "yes"}),
            "torch": torch.__version__,
        }


def choose_machine(training: TrainingConfig, model: ModelConfig | None = None) -> Machine:
    """What the settings ask for; where they leave the choice, what is fastest here.

    `model`: of one of our families. About a model of one's own nothing is known: its batches are not packed.
    """
    device = choose_device(training.device, "training.device")
    on_gpu, packable = device.type == "cuda", model is not None and can_pack(model)
    match training.precision:
        case "float32":
            precision = torch.float32
        case "bfloat16":
            precision = torch.bfloat16
        case "auto":
            precision = torch.bfloat16 if on_gpu and torch.cuda.is_bf16_supported() else torch.float32
    match training.compile:
        case "on":
            compiled = True
        case "off":
            compiled = False
        case "auto":
            # Batches that are not packed have many shapes, each of which would be compiled anew; and on a CPU
            # compiling takes longer than it saves in a short run.
            # Nor does what FSDP2 does around every layer compile as one program.
            compiled = on_gpu and has_compiler() and packable and not training.shard
    # A GPU and a compiler want one shape. A CPU takes every shape alike, and would compute all the attention between
    # the sentences of a row that the mask then hides: sorted by length, one pair a row, is quicker there.
    packed = packable and (on_gpu or compiled)
    return Machine(device, precision, compiled, training.threads or free_cores(), packed)


def has_compiler() -> bool:
    """torch.compile writes code for triton, and triton a little C."""
    return find_spec("triton") is not None and any(shutil.which(name) for name in ("cc", "gcc", "clang"))


def free_cores() -> int:
    """The cores this process may use, but no more than torch finds useful: it leaves out the second half of a core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(torch.get_num_threads(), cores))


def set_up(machine: Machine) -> None:
    torch.set_num_threads(machine.threads)
    if machine.device.type == "cuda":
        fix_workspace()  # a run taken up again may validate before its first step
        # What is left in float32 may use the tensor cores' shorter numbers.
        torch.set_float32_matmul_precision("high")
