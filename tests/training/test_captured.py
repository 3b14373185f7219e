"""What a checkpoint holds is the state at one moment, whatever the next steps do to the tensors it was copied from."""

import gc
import weakref

import pytest
import torch

from attendo.training import loop as training_loop
from attendo.training import state as training_state
from attendo.training.config import TrainingConfig
from attendo.training.optimizer import build_optimizer
from attendo.training.progress import TrainingProgress
from attendo.training.state import TrainingState, capture, in_host_memory

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


def trained(device):
    torch.manual_seed(1)
    model = torch.nn.Linear(64, 64).to(device)
    state = TrainingState(model, build_optimizer(model, TrainingConfig()), None, TrainingProgress())
    take_steps(state)
    return state


def take_steps(state, count=3):
    for _ in range(count):
        state.model(torch.ones(8, 64, device=state.device)).square().sum().backward()
        state.optimizer.step()


@pytest.mark.parametrize("room", [False, True])
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_gpu)])
def test_steps_that_follow_change_nothing_of_it(device, room, monkeypatch):
    monkeypatch.setattr(training_state, "fit_beside", lambda groups, where: room)
    if device == "cpu":
        monkeypatch.setattr(training_state, "wait_for_copies", lambda where: None)
    state = trained(device)
    now = training_state.tensors_of(state)
    wanted = [{name: tensor.detach().cpu().clone() for name, tensor in group.items()} for group in now]
    captured = capture(state)
    assert all(tensor.device.type == (device if room else "cpu") for tensor in captured.weights.values())
    take_steps(state)
    found = in_host_memory(captured)
    for ours, theirs in zip(found.tensors, wanted, strict=True):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[name], theirs[name]) and not ours[name].is_cuda for name in theirs)


def test_a_cpu_needs_no_copy_beside():
    state = trained("cpu")
    assert not training_state.fit_beside(training_state.tensors_of(state), state.device)


def test_what_was_captured_is_given_up_before_it_is_written(monkeypatch):
    """Or a GPU would hold it until the disk is done."""

    class Held:
        pass

    held = Held()
    gone = weakref.ref(held)
    monkeypatch.setattr(training_loop, "in_host_memory", lambda snapshot: "fetched")

    class Disk:
        def save(self, snapshot, fingerprint):
            gc.collect()
            assert snapshot == "fetched"
            assert gone() is None
            return 1, 0.0

    captured = [held]
    del held
    assert training_loop.write_captured(Disk(), captured, None) == (1, 0.0)
