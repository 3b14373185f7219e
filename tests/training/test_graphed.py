"""The graphed step on the CPU, with a recording that recomputes where a GPU would replay; and on a GPU itself."""

from dataclasses import replace

import pytest
import torch

from attendo.data.batch import Batch
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.training import graphed
from attendo.training.config import TrainingConfig
from attendo.training.graphed import FIRST, GraphedStep, Recording, tensors_of
from attendo.training.objective import TeacherForcing
from attendo.training.optimizer import build_optimizer
from attendo.training.step import StepOutcome, train_step

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def small_model(dropout=0.0):
    torch.manual_seed(1)
    return build_model(replace(preset("multi30k", 40), dropout=dropout)).train()


def batches(number, rows=4):
    torch.manual_seed(2)
    ids = torch.randint(5, 40, (number, 2, rows, 6)).tolist()
    return [Batch.from_pairs(list(zip(source, target, strict=True))) for source, target in ids]


def recomputing(model, optimizer, micro_batches, objective, max_gradient_norm, pool=None, ranks=None):
    """What `record` gives on a GPU: every replay reads from the same places and writes to the same places."""
    places = [batch.each(torch.zeros_like) for batch in micro_batches]
    rate, outcome = torch.zeros(()), StepOutcome(torch.zeros(()), torch.zeros(()), torch.zeros((), dtype=torch.bool))

    def replay():
        now = train_step(model, optimizer, places, rate.item(), objective, max_gradient_norm=max_gradient_norm)
        for name in ("loss", "gradient_norm", "finite"):
            getattr(outcome, name).copy_(getattr(now, name))

    return Recording(places, rate, outcome, replay)


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.0)  # AdamW would blow up what is zero but for rounding


def trained(step, given, micro=1, device="cpu", optimizer=sgd, dropout=0.0, objective=TeacherForcing(0.1)):  # noqa: B008
    model = small_model(dropout).to(device)
    updates = optimizer(model)
    given = [batch.to(device) for batch in given]
    groups = [given[place : place + micro] for place in range(0, len(given), micro)]
    # A rate that changes: a recording must not keep the first one.
    outcomes = [step(model, updates, group, 0.5 / number, objective) for number, group in enumerate(groups, 1)]
    return [outcome.loss.item() for outcome in outcomes], [p.detach().cpu() for p in model.parameters()]


@pytest.mark.parametrize("micro", [1, 2])
def test_training_is_the_same_with_and_without(monkeypatch, micro, caplog):
    recorded = []

    def noted(*arguments):
        recorded.append(recomputing(*arguments))
        return recorded[-1]

    monkeypatch.setattr(graphed, "record", noted)
    given = batches(12)
    losses, weights = trained(GraphedStep(), given, micro)
    plain_losses, plain_weights = trained(train_step, given, micro)
    assert len(recorded) == 1
    assert len(recorded[0].micro_batches) == micro
    torch.testing.assert_close(losses, plain_losses)
    torch.testing.assert_close(weights, plain_weights, rtol=1e-4, atol=1e-6)
    assert caplog.messages == []


def test_nothing_is_recorded_before_compilers_have_made_their_choices(monkeypatch):
    calls = []
    monkeypatch.setattr(graphed, "record", lambda *arguments: calls.append(1) or recomputing(*arguments))
    step, model = GraphedStep(), small_model()
    seen = []
    for batch in batches(FIRST + 2):
        step(model, sgd(model), [batch], 0.1, TeacherForcing())
        seen.append(len(calls))
    assert seen == [0] * FIRST + [1, 1]


def test_halved_batches_are_computed_without_the_recording(monkeypatch):
    monkeypatch.setattr(graphed, "record", recomputing)
    step, model = GraphedStep(), small_model()
    for batch in batches(FIRST + 1):
        step(model, sgd(model), [batch], 0.1, TeacherForcing())
    assert step.recording is not None
    halves = batches(1)[0].halves()
    expected = TeacherForcing()(model, batches(1)[0]).item() / batches(1)[0].num_target_tokens
    assert step(model, sgd(model), halves, 0.1, TeacherForcing()).loss.item() == pytest.approx(expected)
    assert step.recording is None


def test_what_came_of_one_step_outlives_the_next(monkeypatch):
    monkeypatch.setattr(graphed, "record", recomputing)
    step, model = GraphedStep(), small_model()
    outcomes = [step(model, sgd(model), [batch], 0.1, TeacherForcing()) for batch in batches(FIRST + 3)]
    assert len({outcome.loss.item() for outcome in outcomes}) == len(outcomes)


def test_where_nothing_can_be_recorded_training_goes_on_and_says_so(monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("CUDA error: operation not permitted when stream is capturing\nmore")

    monkeypatch.setattr(graphed, "record", fail)
    given = batches(FIRST + 3)
    losses, _ = trained(GraphedStep(), given)
    torch.testing.assert_close(losses, trained(train_step, given)[0])
    (message,) = caplog.messages
    assert "operation not permitted" in message
    assert "\n" not in message


def test_the_places_of_a_recording_are_all_tensors_of_its_batches():
    given = batches(2)
    packed = replace(given[0], segments=(given[0].source, given[0].target_in))
    assert len(tensors_of([packed, given[1]])) == 5 + 3


def fused(model):
    """What is recorded must not ask the host. A large ε: AdamW would blow up what is zero but for rounding."""
    return build_optimizer(model, TrainingConfig(epsilon=0.01))


@needs_gpu
@pytest.mark.parametrize("micro", [1, 2])
def test_on_a_gpu_a_replay_is_what_was_recorded(micro, caplog):
    given = batches(20)
    losses, weights = trained(GraphedStep(), given, micro, device="cuda", optimizer=fused)
    plain_losses, plain_weights = trained(train_step, given, micro, device="cuda", optimizer=fused)
    torch.testing.assert_close(losses, plain_losses, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(weights, plain_weights, rtol=1e-3, atol=1e-5)
    assert caplog.messages == []


@needs_gpu
def test_on_a_gpu_adamw_is_recorded_with_it_and_a_loss_that_is_no_number_changes_nothing():
    class Spoilt:
        """A loss that is no number for batches whose first token is 39."""

        def __call__(self, model, batch):
            return TeacherForcing()(model, batch) / (batch.source[0, 0] != 39)

    given = [batch.each(lambda tensor: tensor.clamp(max=38)) for batch in batches(10)]
    given[7].source[0, 0] = 39
    step, model = GraphedStep(), small_model().to("cuda")
    optimizer, changed, finite = build_optimizer(model, TrainingConfig()), [], []
    for batch in given:
        before = [weight.detach().clone() for weight in model.parameters()]
        finite.append(bool(step(model, optimizer, [batch.to("cuda")], 1e-3, Spoilt()).finite))
        changed.append(any(not torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True)))
    assert step.recording is not None
    assert finite == changed == [number != 7 for number in range(10)]
    assert {float(optimizer.state[weight]["step"]) for weight in model.parameters()} == {9.0}


@needs_gpu
def test_on_a_gpu_dropout_differs_from_replay_to_replay():
    same = batches(1) * 12
    model = small_model(dropout=0.3).to("cuda")
    step, optimizer = GraphedStep(), fused(model)
    losses = [step(model, optimizer, [same[0].to("cuda")], 0.0, TeacherForcing()).loss.item() for _ in same]
    assert step.recording is not None
    assert len(set(losses)) == len(losses)


@needs_gpu
def test_on_a_gpu_a_recording_that_fails_leaves_dropout_working(caplog):
    class Asks:
        """Reads a number while it is recorded, which no recording allows."""

        def __call__(self, model, batch):
            loss = TeacherForcing()(model, batch)
            if torch.cuda.is_current_stream_capturing():
                loss.item()
            return loss

    losses, _ = trained(GraphedStep(), batches(8), device="cuda", optimizer=fused, dropout=0.3, objective=Asks())
    assert len(caplog.messages) == 1
    assert all(loss == loss for loss in losses)
