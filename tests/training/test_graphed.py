"""The graphed objective on the CPU, with a recording that recomputes where a GPU would replay; and on a GPU itself."""

from dataclasses import replace

import pytest
import torch

from attendo.data.batch import Batch
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.training import graphed
from attendo.training.graphed import FIRST, Graphed, Recording
from attendo.training.objective import TeacherForcing
from attendo.training.step import train_step


def small_model():
    torch.manual_seed(1)
    return build_model(replace(preset("multi30k", 40), dropout=0.0)).train()


def batches(number, rows=4):
    torch.manual_seed(2)
    ids = torch.randint(5, 40, (number, 2, rows, 6)).tolist()
    return [Batch.from_pairs(list(zip(source, target, strict=True))) for source, target in ids]


def recomputing(objective, model, batch):
    """What `record` gives on a GPU: the same places are written by every replay."""
    parameters = list(model.parameters())
    place = batch.each(torch.clone)
    loss, gradients = torch.zeros(()), [torch.zeros_like(parameter) for parameter in parameters]

    def replay():
        with torch.enable_grad():
            now = objective(model, place)
            for there, gradient in zip(gradients, torch.autograd.grad(now, parameters), strict=True):
                there.copy_(gradient)
            loss.copy_(now.detach())

    return Recording(place, parameters, loss, gradients, replay)


def trained(objective, given, micro=1, device="cpu"):
    model = small_model().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)  # AdamW would blow up what is zero but for rounding
    given = [batch.to(device) for batch in given]
    groups = [given[place : place + micro] for place in range(0, len(given), micro)]
    outcomes = [train_step(model, optimizer, group, 0.5, objective) for group in groups]
    return [outcome.loss.item() for outcome in outcomes], [p.detach().cpu() for p in model.parameters()]


@pytest.mark.parametrize("micro", [1, 2])
def test_training_is_the_same_with_and_without(monkeypatch, micro):
    recorded = []

    def noted(*arguments):
        recorded.append(recomputing(*arguments))
        return recorded[-1]

    monkeypatch.setattr(graphed, "record", noted)
    given = batches(12)
    losses, weights = trained(Graphed(TeacherForcing(0.1), pytest.fail), given, micro)
    plain_losses, plain_weights = trained(TeacherForcing(0.1), given, micro)
    assert len(recorded) == 1
    torch.testing.assert_close(losses, plain_losses)
    torch.testing.assert_close(weights, plain_weights, rtol=1e-4, atol=1e-6)


def test_nothing_is_recorded_before_compilers_have_made_their_choices(monkeypatch):
    calls = []
    monkeypatch.setattr(graphed, "record", lambda *arguments: calls.append(1) or recomputing(*arguments))
    objective, model = Graphed(TeacherForcing(), pytest.fail), small_model()
    seen = []
    for batch in batches(FIRST + 2):
        objective(model, batch)
        seen.append(len(calls))
    assert seen == [0] * FIRST + [1, 1]


def test_halved_batches_are_computed_without_the_recording(monkeypatch):
    monkeypatch.setattr(graphed, "record", recomputing)
    objective, model = Graphed(TeacherForcing(), pytest.fail), small_model()
    for batch in batches(FIRST + 1):
        objective(model, batch)
    assert objective.recording is not None
    half = batches(1)[0].halves()[0]
    assert objective(model, half).item() == pytest.approx(TeacherForcing()(model, half).item())
    assert objective.recording is None


def test_where_nothing_can_be_recorded_training_goes_on_and_says_so(monkeypatch):
    def fail(*_):
        raise RuntimeError("CUDA error: operation not permitted when stream is capturing\nmore")

    monkeypatch.setattr(graphed, "record", fail)
    said = []
    given = batches(FIRST + 3)
    losses, _ = trained(Graphed(TeacherForcing(), said.append), given)
    assert losses == trained(TeacherForcing(), given)[0]
    assert len(said) == 1
    assert "operation not permitted" in said[0]
    assert "\n" not in said[0]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu_a_replay_is_what_was_recorded():
    given = batches(10)
    losses, weights = trained(Graphed(TeacherForcing(0.1), pytest.fail), given, device="cuda")
    plain_losses, plain_weights = trained(TeacherForcing(0.1), given, device="cuda")
    torch.testing.assert_close(losses, plain_losses, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(weights, plain_weights, rtol=1e-3, atol=1e-5)
