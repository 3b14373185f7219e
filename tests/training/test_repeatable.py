"""On a GPU a step takes programs that add up in a fixed order, and leaves torch as it was."""

import os
from dataclasses import replace

import pytest
import torch

from attendo.data.batch import Batch
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.training.config import TrainingConfig
from attendo.training.objective import RDrop, TeacherForcing, in_precision
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
    monkeypatch.delenv(WORKSPACE, raising=False)


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


@pytest.mark.parametrize(("said", "becomes"), [(":16:8", ":16:8"), (":4096:2", ":4096:8")])
def test_a_workspace_of_another_fixed_size_is_left(monkeypatch, said, becomes):
    monkeypatch.setenv(WORKSPACE, said)
    with repeatable(GPU):
        assert os.environ[WORKSPACE] == becomes


def weights_after(config, objective, steps=20):
    """Many rows of the same few tokens, and long ones: many threads add to the same numbers."""
    torch.manual_seed(1)
    model = build_model(config).to(GPU).train()
    optimizer = build_optimizer(model, TrainingConfig())
    lower = in_precision(objective, GPU, torch.bfloat16)
    ids = torch.randint(5, 40, (steps, 2, 32, 256)).tolist()
    for source, target in ids:
        batch = Batch.from_pairs(list(zip(source, target, strict=True))).to(GPU)
        train_step(model, optimizer, [batch], 1e-3, lower)
    return [weight.detach().cpu() for weight in model.parameters()]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("objective", [TeacherForcing(0.1), RDrop(5.0, 0.1)])
@pytest.mark.parametrize("config", [preset("multi30k", 40), preset("lstm", 40)], ids=["transformer", "lstm"])
def test_on_a_gpu_training_repeats_itself_to_the_last_bit(config, objective):
    config = replace(config, dropout=0.3)
    first, second = (weights_after(config, objective) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
