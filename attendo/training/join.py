"""To join the other processes of a run, and to leave them.

    torchrun --nproc-per-node=2 -m attendo train recipes/reverse.toml --run-dir runs/reverse

On a CPU ranks talk by gloo, over TCP; GPUs by NCCL, and their hosts by gloo. What they say is neither secret nor
signed: on one machine they keep to its loopback address, and several belong on a network where everybody is trusted.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from attendo.device import choose_device
from attendo.errors import ConfigError, TrainingError
from attendo.training.launch import Launch, launched
from attendo.training.ranks import ALONE, ManyRanks, Ranks

# A rank that ends is missed at once. One that only hangs, or whose machine lost its power, is waited for so long:
# a step of any rank, or a save by rank 0, must not take longer.
PATIENCE = timedelta(minutes=10)
PREPARATION = timedelta(days=2)  # for corpora, which one rank reads while the others wait
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"


@contextmanager
def joined(device: str) -> Iterator[Ranks]:
    """All ranks of this run, on `device` as a recipe names it; a process that nobody launched with others is alone."""
    launch = launched()
    if launch is None:
        yield ALONE
        return
    backend = "gloo"
    if choose_device(device, "training.device").type == "cuda":
        take_gpu(launch)
        backend = "cpu:gloo,cuda:nccl"
    if launch.on_one_machine:
        for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"):
            os.environ.setdefault(name, LOOPBACK)
    try:
        store = meeting_point(launch)
        dist.init_process_group(backend, store=store, rank=launch.rank, world_size=launch.world, timeout=PATIENCE)
        patient = dist.new_group(backend="gloo", timeout=PREPARATION)
    except (RuntimeError, ValueError) as error:
        raise cannot_join(launch, error) from error
    yield ManyRanks(launch, patient)
    dist.destroy_process_group()  # after an error the others may be gone, and with the process goes all of it


def meeting_point(launch: Launch) -> Any:
    """Where ranks find each other's addresses.

    torchrun keeps it when it starts the ranks of one machine again, with the addresses of those that are gone: in 4 of
    8 restarts a new rank waited for a dead one. So every life has a drawer of its own. Of several machines each counts
    its own restarts; there `--rdzv-backend=c10d` makes a new meeting point every time.
    """
    store, _, _ = next(rendezvous("env://", launch.rank, launch.world, timeout=PATIENCE))
    life = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") if launch.on_one_machine else "every"
    return PrefixStore(f"attendo/{life}", store)


def take_gpu(launch: Launch) -> None:
    there = torch.cuda.device_count()
    if launch.local_world > there:
        raise ConfigError(
            f"{launch.local_world} processes on a machine with {there} GPU(s): expected at most one on each "
            f"(--nproc-per-node={there})"
        )
    torch.cuda.set_device(launch.local_rank)


def cannot_join(launch: Launch, error: Exception) -> TrainingError:
    reason = str(error).strip().partition("\n")[0]
    return TrainingError(f"rank {launch.rank} cannot join the {launch.world} processes of this run: {reason[:200]}")
