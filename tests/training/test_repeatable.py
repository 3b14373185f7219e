"""On a GPU a step takes programs that add up in a fixed order, and leaves torch as it was."""

import os
from functools import partial

import pytest
import torch

from attendo.data.batch import Batch
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, in_family
from attendo.model.presets import preset
from attendo.training.config import TrainingConfig
from attendo.training.graphed import GraphedStep
from attendo.training.masked_tokens import MaskPredict
from attendo.training.objective import Compiled, RDrop, TeacherForcing, in_precision
from attendo.training.optimizer import build_optimizer
from attendo.training.repeatable import FIXED_SIZES, WORKSPACE, repeatable
from attendo.training.step import train_step

GPU = torch.device("cuda")


def mode():
    return (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
    )


@pytest.fixture(autouse=True)
def workspace(monkeypatch):
    monkeypatch.setenv(WORKSPACE, "")  # so that it is put back as it was
    monkeypatch.delenv(WORKSPACE)


def test_a_fixed_order_is_asked_for_inside_alone():
    before = mode()
    with repeatable(GPU):
        assert mode() == (True, False, False)
        assert os.environ[WORKSPACE] in FIXED_SIZES
    assert mode() == before == (False, False, True)


def test_torch_is_as_it_was_also_after_an_error():
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with pytest.raises(ZeroDivisionError), repeatable(GPU):
            raise ZeroDivisionError
        assert mode() == (True, True, True)
    finally:
        torch.use_deterministic_algorithms(False)


def test_a_cpu_needs_nothing():
    with repeatable(torch.device("cpu")):
        assert mode() == (False, False, True)
    assert WORKSPACE not in os.environ


@pytest.mark.parametrize(("before", "becomes"), [(":16:8", ":16:8"), (":4096:2", ":4096:8")])
def test_a_workspace_that_torch_takes_for_fixed_is_left_and_another_replaced(monkeypatch, before, becomes):
    monkeypatch.setenv(WORKSPACE, before)
    with repeatable(GPU):
        assert os.environ[WORKSPACE] == becomes


SMALL = preset("multi30k", 40)
NARROW = DecoderOnlyConfig(vocab_size=40, d_model=64, d_ff=128, num_heads=4, num_layers=2, dropout=0.3)
TRAININGS = {
    "a Transformer": (partial(build_model, SMALL), TeacherForcing(0.1)),
    "with R-Drop": (partial(build_model, SMALL), RDrop(5.0, 0.1)),
    "an LSTM": (partial(build_model, preset("lstm", 40)), TeacherForcing(0.1)),
    "a decoder alone": (partial(build_model, NARROW), TeacherForcing(0.1)),
    "all words at once": (partial(build_model, in_family(SMALL, "non-autoregressive")), MaskPredict(0.1)),
}


def weights_after(build, objective, device, steps=20, rows=32, length=256, take_step=train_step, wrapped=None):
    """Many rows of the same few tokens, and long ones: many threads add to the same numbers."""
    torch.manual_seed(1)
    model = build().to(device).train()
    optimizer = build_optimizer(model, TrainingConfig())
    lower = in_precision(objective, device, torch.bfloat16)
    lower = wrapped(lower) if wrapped else lower
    ids = torch.randint(5, 40, (steps, 2, rows, length)).tolist()
    for source, target in ids:
        batch = Batch.from_pairs(list(zip(source, target, strict=True))).to(device)
        take_step(model, optimizer, [batch], 1e-3, lower)
    return [weight.detach().cpu() for weight in model.parameters()]


@pytest.mark.parametrize("training", TRAININGS)
def test_training_repeats_itself_to_the_last_bit(training):
    """On a GPU at a size at which its threads come in each other's way; the CPU's is for the test itself."""
    build, objective = TRAININGS[training]
    where = (GPU, 20, 32, 256) if torch.cuda.is_available() else (torch.device("cpu"), 2, 4, 12)
    first, second = (weights_after(build, objective, *where) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
    torch.manual_seed(1)
    assert not all(torch.equal(one, start.detach()) for one, start in zip(first, build().parameters(), strict=True))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.filterwarnings("ignore:.*torch.jit.script_method:DeprecationWarning")  # what compiles uses it itself
@pytest.mark.parametrize("wrapped", [None, Compiled], ids=["not compiled", "compiled"])
def test_on_a_gpu_a_recorded_step_repeats_itself(wrapped):
    build, objective = TRAININGS["with R-Drop"]
    first, second = (weights_after(build, objective, GPU, take_step=GraphedStep(), wrapped=wrapped) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
