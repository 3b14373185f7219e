"""A model in shards: of every weight, its gradient and its moments each rank holds a part (FSDP2, `training.shard`).

For models whose training does not fit on one device: weights, gradients and moments are 16 bytes a parameter, which
N ranks share. A layer's weights are put together just before they are used, and given up after. A shard is a DTensor,
which knows of the parts that others hold; the functions below take such a tensor, or a plain one, which is a whole.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from attendo.errors import ConfigError
from attendo.model_folder.weights import give_weights_, weights_of


def is_sharded(tensor: Tensor) -> bool:
    return hasattr(tensor, "to_local")  # what a DTensor has: to import it takes a second, which few runs should pay


def whole(tensor: Any) -> Tensor:
    """All of it, on every rank: all must ask."""
    return tensor.full_tensor() if is_sharded(tensor) else tensor


def local(tensor: Any) -> Tensor:
    """The part that lies here, in its own memory."""
    return tensor.to_local() if is_sharded(tensor) else tensor


def part_like(tensor: Any, full: Tensor) -> Tensor:
    """A copy of what of `full` belongs here, if it is laid out as `tensor` is."""
    full = full.to(tensor.device, copy=True)
    if not is_sharded(tensor):
        return full
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(full, tensor.device_mesh, tensor.placements, src_data_rank=None)  # every rank has it all


def copy_whole_(tensor: Any, full: Tensor) -> None:
    local(tensor).copy_(local(part_like(tensor, full)))


def shard_(model: nn.Module) -> "Shell":
    """Each rank keeps its part. What comes back can be looked at as a whole."""
    import torch.distributed as dist

    if not dist.is_initialized():
        raise ConfigError(
            "shard = true in [training] shares a model among processes, and this one is alone: start it with torchrun, "
            "or set shard = false"
        )
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FSDPModule, fully_shard

    shell = Shell(model)
    mesh = init_device_mesh(next(model.parameters()).device.type, (dist.get_world_size(),))
    layers = [layer for part in model.modules() if isinstance(part, nn.ModuleList) for layer in part]
    for part in [*layers, model]:  # from the inside out; what is in no layer, such as embeddings, is a part together
        if any(True for _ in part.parameters()):
            fully_shard(part, mesh=mesh)
    for part in model.modules():
        if isinstance(part, FSDPModule):  # sums, not means: our mean is over the tokens of all ranks
            part.set_gradient_divide_factor(1.0)
            part.set_force_sum_reduction_for_comms(True)
    return shell


class Shell:
    """A copy of a model with everything but the weights, which it gets for as long as somebody looks at it whole.

    Search and validation call parts of a model in ways of their own, which FSDP2 does not follow.
    """

    def __init__(self, model: nn.Module) -> None:
        nothing = {weight: nn.Parameter(torch.empty_like(weight, device="meta")) for weight in model.parameters()}
        memo = {id(weight): empty for weight, empty in nothing.items()}
        self.model = copy.deepcopy(model, memo)
        self.empty = dict(self.model.named_parameters())

    @contextmanager
    def filled(self, model: nn.Module) -> Iterator[nn.Module]:
        """With the weights of the sharded `model`. Of training's memory this needs a quarter on every rank."""
        give_weights_(self.model, {name: whole(weight) for name, weight in weights_of(model).items()})
        try:
            yield self.model
        finally:
            give_weights_(self.model, self.empty)
