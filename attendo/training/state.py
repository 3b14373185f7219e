"""All that is needed to go on as if never stopped."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor, nn

from attendo.errors import InputError
from attendo.model_folder.weights import weights_of
from attendo.training.average import MovingAverage
from attendo.training.progress import TrainingProgress
from attendo.training.ranks import ALONE, Ranks
from attendo.training.sharded import copy_whole_, local, part_like, whole

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

    @property
    def tensors(self) -> tuple[dict[str, Tensor], dict[str, Tensor], dict[str, Tensor]]:
        return self.weights, self.optimizer, self.average


NOTHING = Snapshot({}, {}, {}, {}, TrainingProgress())  # what a rank has that has read no checkpoint


def capture(state: TrainingState, ranks: Ranks = ALONE) -> Snapshot:
    """Copies, so that training can go on while they are written. Rank 0 has all; it needs the others for their random
    generators, and for what lies in shards.

    Where a GPU has room they are made there, in a hundredth of the time; `in_host_memory` fetches them.
    """
    groups = tensors_of(state)
    beside = fit_beside(groups, state.device)
    weights, optimizer, average = (whole_copies(group, keep=ranks.is_first, beside=beside) for group in groups)
    if beside:
        wait_for_copies(state.device)
    progress = replace(state.progress, history=dict(state.progress.history))
    return Snapshot(weights, optimizer, average, of_all_ranks(ranks.gather(random_states(state.device))), progress)


def fit_beside(groups: Sequence[dict[str, Tensor]], device: torch.device) -> bool:
    """There is memory that no step has needed yet, for a copy and for as much again that may be computed meanwhile."""
    if device.type != "cuda":
        return False
    needs = sum(tensor.nbytes for group in groups for tensor in group.values())
    return torch.cuda.mem_get_info(device)[0] > 2 * needs


def whole_copies(tensors: dict[str, Tensor], keep: bool, beside: bool) -> dict[str, Tensor]:
    """In the host's memory, or beside what is copied; what lies in shards is put together, and never beside them."""
    copies = {}
    for name, tensor in tensors.items():  # one at a time: all may be more than fits
        full = whole(tensor)
        if keep:
            copies[name] = full.detach().clone() if beside and full is tensor else full.to("cpu", copy=True)
    return copies


def wait_for_copies(device: torch.device) -> None:
    """Then who fetches them need not wait for anything."""
    torch.cuda.current_stream(device).synchronize()


def in_host_memory(snapshot: Snapshot) -> Snapshot:
    """Fetched by another thread than the one that trains, beside what is computed meanwhile."""
    on_gpu = [tensor for group in snapshot.tensors for tensor in group.values() if tensor.is_cuda]
    if not on_gpu:
        return snapshot
    with torch.cuda.stream(fetching_stream(on_gpu[0].device)):
        weights, optimizer, average = ({name: each.cpu() for name, each in one.items()} for one in snapshot.tensors)
    return replace(snapshot, weights=weights, optimizer=optimizer, average=average)


@cache
def fetching_stream(device: torch.device) -> torch.cuda.Stream:
    return torch.cuda.Stream(device)


def is_finite(state: TrainingState) -> bool:
    """Asked of the device once, not once for every tensor."""
    tensors = [*state.model.parameters(), *optimizer_tensors(state.model, state.optimizer).values()]
    tensors += state.average.weights.values() if state.average else ()
    return bool(torch.stack([local(tensor).isfinite().all() for tensor in tensors]).all())


def tensors_of(state: TrainingState) -> tuple[dict[str, Tensor], dict[str, Tensor], dict[str, Tensor]]:
    """Weights, optimiser, moving average: the state's own tensors."""
    average = state.average.weights if state.average else {}
    return weights_of(state.model), optimizer_tensors(state.model, state.optimizer), average


def restore(state: TrainingState, snapshot: Snapshot, ranks: Ranks = ALONE) -> None:
    """As it was. Rank 0 alone need have read the snapshot: the others get of it what they need."""
    shapes = expected_weights(state.model)
    weights = weights_of(state.model)
    for name, tensor in ranks.handed_out(snapshot.weights, shapes):
        copy_whole_(weights[name], tensor)
    restore_optimizer(state.model, state.optimizer, snapshot.optimizer, ranks)
    if state.average and ranks.told(bool(snapshot.average)):
        for name, tensor in ranks.handed_out(snapshot.average, shapes):
            copy_whole_(state.average.weights[name], tensor)
    random = of_rank(ranks.told(snapshot.random), ranks.rank)
    if random or ranks.is_first:
        restore_random(random, state.device)
    state.progress = TrainingProgress.from_dict(json.loads(json.dumps(ranks.told(snapshot.progress.to_dict()))))


def optimizer_tensors(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """AdamW's moments and step counts by the names of the weights: "encoder.layers.0.….weight/exp_avg"."""
    return {
        f"{name}/{kind}": optimizer.state[weight][kind]
        if weight in optimizer.state
        else weight.detach().new_zeros(weight.shape if kind in MOMENTS else ())  # frozen or unused: as AdamW begins
        for name, weight in model.named_parameters()
        for kind in KINDS
    }


def restore_optimizer(
    model: nn.Module, optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor], ranks: Ranks = ALONE
) -> None:
    optimizer.state.clear()
    if not ranks.told(bool(tensors)):
        return
    weights = dict(model.named_parameters())
    for key, tensor in ranks.handed_out(tensors, expected_optimizer(model)):
        name, _, kind = key.rpartition("/")
        weight = weights[name]
        own = part_like(weight, tensor) if kind in MOMENTS else tensor.to(weight.device, copy=True)
        optimizer.state[weight][kind] = own


def expected_weights(model: nn.Module) -> Expected:
    return {name: (tuple(weight.shape), weight.dtype) for name, weight in weights_of(model).items()}


def expected_optimizer(model: nn.Module) -> Expected:
    weights = expected_weights(model)
    moments = {f"{name}/{kind}": weights[name] for name in weights for kind in MOMENTS}
    return moments | {f"{name}/step": ((), torch.float32) for name in weights}


def of_all_ranks(states: list[dict[str, str]]) -> dict[str, str]:
    """Those of rank 0 by the plain name, as of a process alone: {"cpu": …, "cpu/1": …, "cpu/2": …}."""
    return {
        f"{name}/{rank}" if rank else name: state for rank, each in enumerate(states) for name, state in each.items()
    }


def of_rank(states: dict[str, str], rank: int) -> dict[str, str]:
    """Nothing for a rank that was not there when they were saved: it draws on as it began."""
    number = str(rank) if rank else ""
    return {name.partition("/")[0]: state for name, state in states.items() if name.partition("/")[2] == number}


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
