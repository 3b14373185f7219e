"""Steps of a search as CUDA graphs.

A step of a Transformer is hundreds of small programs, and the host takes longer to start them one by one than a fast
GPU takes to run them. Its tensors have few shapes and lie where they lay before, so for each shape the row of programs
is recorded once; after that a single call starts them all, with other numbers in the same places.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock

import torch
from torch import nn

from attendo.engines.cuda.buffers import Buffers

MOST_GRAPHS = 128  # they share their memory, so that each is small


class Workspace:
    """Memory for a search, and a way to run its steps: here as they are."""

    def __init__(self, device: torch.device) -> None:
        self.buffers = Buffers(device)

    @contextmanager
    def used_for(self, model: nn.Module) -> Iterator[None]:
        yield

    def run(self, key: Hashable, step: Callable[[], None]) -> None:
        """The step of this key reads and writes the same tensors at every call, but for their numbers."""
        step()


class GraphedWorkspace(Workspace):
    """Kept from search to search. The first step of a key runs as it is, the second is recorded, and then replayed."""

    def __init__(self, device: torch.device) -> None:
        super().__init__(device)
        self.lock = Lock()  # one search at a time: they share the memory
        self.stream = torch.cuda.Stream(device)  # nothing can be recorded on the default one
        self.weights: list[int] = []
        self.forget()

    def forget(self) -> None:
        self.graphs: OrderedDict[Hashable, torch.cuda.CUDAGraph | None] = OrderedDict()
        self.pool = torch.cuda.graph_pool_handle()
        self.moves = self.buffers.moves

    @contextmanager
    def used_for(self, model: nn.Module) -> Iterator[None]:
        with self.lock, torch.cuda.device(self.buffers.device):
            weights = [parameter.data_ptr() for parameter in model.parameters()]
            if weights != self.weights:  # a graph reads the weights, too, by their addresses
                self.forget()
            self.weights = weights
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                yield
            torch.cuda.current_stream().wait_stream(self.stream)

    def run(self, key: Hashable, step: Callable[[], None]) -> None:
        if self.moves != self.buffers.moves:
            self.forget()
        if key not in self.graphs:
            step()  # libraries make their choices at the first call
            self.graphs[key] = None
            if len(self.graphs) > MOST_GRAPHS:
                self.graphs.popitem(last=False)
            return
        graph = self.graphs[key]
        if graph is None:
            graph = self.graphs[key] = self.record(step)
        self.graphs.move_to_end(key)
        graph.replay()

    def record(self, step: Callable[[], None]) -> torch.cuda.CUDAGraph:
        graph = torch.cuda.CUDAGraph()
        # Not by `torch.cuda.graph`, which waits for the device and empties its memory each time.
        # thread_local: other threads may go on with their own work meanwhile.
        graph.capture_begin(pool=self.pool, capture_error_mode="thread_local")
        try:
            step()
        finally:
            graph.capture_end()
        return graph


def workspace_on(device: torch.device) -> Workspace:
    """Whoever searches often keeps it, with all that it has recorded."""
    return GraphedWorkspace(device) if device.type == "cuda" else Workspace(device)
