"""All that is needed to go on as if never stopped."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from attendo.errors import InputError
from attendo.model_folder.weights import load_weights_, weights_of
from attendo.training.average import MovingAverage
from attendo.training.progress import TrainingProgress

MOMENTS = ("exp_avg", "exp_avg_sq")  # AdamW's, one of each weight's shape
KINDS = (*MOMENTS, "step")  # and the number of its updates
Expected = dict[str, tuple[tuple[int, ...], torch.dtype]]


@dataclass
class TrainingState:
    """What a step changes. Schedule and data order are functions of (seed, step, position), so they need no state."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    average: MovingAverage | None
    progress: TrainingProgress

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device


@dataclass(frozen=True)
class Snapshot:
    """The state at one moment, as it lies on the disk. Leave out any of these and a resumed run is another run."""

    weights: dict[str, Tensor]
    optimizer: dict[str, Tensor]
    average: dict[str, Tensor]  # empty without a moving average
    random: dict[str, str]  # generator -> its state in hexadecimal digits; dropout draws from it
    progress: TrainingProgress


def capture(state: TrainingState) -> Snapshot:
    """Copies in the host's memory, so that training can go on while they are written."""
    weights, optimizer, average = (
        {name: tensor.to("cpu", copy=True) for name, tensor in group.items()} for group in tensors_of(state)
    )
    progress = replace(state.progress, history=dict(state.progress.history))
    return Snapshot(weights, optimizer, average, random_states(state.device), progress)


def is_finite(state: TrainingState) -> bool:
    """Asked of the device once, not once for every tensor."""
    tensors = [*state.model.parameters(), *optimizer_tensors(state.model, state.optimizer).values()]
    tensors += state.average.weights.values() if state.average else ()
    return bool(torch.stack([tensor.isfinite().all() for tensor in tensors]).all())


def tensors_of(state: TrainingState) -> tuple[dict[str, Tensor], dict[str, Tensor], dict[str, Tensor]]:
    """Weights, optimiser, moving average: the state's own tensors."""
    average = state.average.weights if state.average else {}
    return weights_of(state.model), optimizer_tensors(state.model, state.optimizer), average


def restore(state: TrainingState, snapshot: Snapshot) -> None:
    load_weights_(state.model, snapshot.weights)
    restore_optimizer(state.model, state.optimizer, snapshot.optimizer)
    if state.average:
        for name, weight in snapshot.average.items():
            state.average.weights[name].copy_(weight)
    restore_random(snapshot.random, state.device)
    state.progress = snapshot.progress


def optimizer_tensors(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """AdamW's moments and step counts by the names of the weights: "encoder.layers.0.….weight/exp_avg"."""
    return {
        f"{name}/{kind}": optimizer.state[weight][kind]
        if weight in optimizer.state
        else weight.detach().new_zeros(weight.shape if kind in MOMENTS else ())  # frozen or unused: as AdamW begins
        for name, weight in model.named_parameters()
        for kind in KINDS
    }


def restore_optimizer(model: nn.Module, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    optimizer.state.clear()
    if not tensors:
        return
    for name, weight in model.named_parameters():
        optimizer.state[weight] = {kind: tensors[f"{name}/{kind}"].to(weight.device, copy=True) for kind in KINDS}


def expected_weights(model: nn.Module) -> Expected:
    return {name: (tuple(weight.shape), weight.dtype) for name, weight in weights_of(model).items()}


def expected_optimizer(model: nn.Module) -> Expected:
    weights = expected_weights(model)
    moments = {f"{name}/{kind}": weights[name] for name in weights for kind in MOMENTS}
    return moments | {f"{name}/step": ((), torch.float32) for name in weights}


def random_states(device: torch.device) -> dict[str, str]:
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return {name: bytes(state.tolist()).hex() for name, state in states.items()}


def restore_random(states: dict[str, str], device: torch.device) -> None:
    """A run that moves to another kind of device has no state to restore there; it said so when it was resumed."""
    try:
        tensors = {
            name: torch.tensor(list(bytes.fromhex(digits)), dtype=torch.uint8) for name, digits in states.items()
        }
        torch.set_rng_state(tensors["cpu"])
        if device.type == "cuda" and "cuda" in tensors:
            torch.cuda.set_rng_state(tensors["cuda"], device)
    except (KeyError, ValueError, RuntimeError, AttributeError) as error:
        raise InputError(f"the state of the random generators cannot be restored: {error}") from error
