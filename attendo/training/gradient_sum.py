"""The gradients of all ranks added up while they are still being computed.

The backward pass knows the gradients of the last layers first. They are collected into buckets, and a bucket that is
full is sent off while the layers before it are computed. Every rank sends the same buckets in the same order, so the
sums have the same bits on all of them, and in every run.

torch's DistributedDataParallel does this, too, but as a wrapper around the model that wants to own its forward pass: it
divides by the number of ranks where we need sums (our mean is over tokens), and has conditions of its own for several
micro-batches, for the compiler and for CUDA graphs. Here the model stays what it is. Where the whole backward pass is
one compiled program all gradients come at its end, and so do the buckets.
"""

import torch
import torch.distributed as dist
from torch import Tensor, nn

BUCKET = 25_000_000  # bytes: large enough to be sent at full speed, small enough for some to leave early


class GradientSum:
    def __init__(self, model: nn.Module, bucket_bytes: int = BUCKET) -> None:
        # Those in shards are added up by FSDP2 (sharded.py), each rank its own part.
        weights = [weight for weight in model.parameters() if weight.requires_grad and not hasattr(weight, "to_local")]
        self.buckets = cut(weights[::-1], bucket_bytes)
        self.bucket_of: dict[Tensor, int] = {
            weight: number for number, bucket in enumerate(self.buckets) for weight in bucket
        }
        self.missing: list[int] = []  # of each bucket, how many gradients are not there yet; empty: nobody waits
        self.sent: list[tuple[Tensor, dist.Work]] = []
        for weight in weights:
            weight.register_post_accumulate_grad_hook(self.take)

    def backward(self, loss: Tensor) -> None:
        """The gradients of `loss`, added to those that are there, and then to those of the other ranks."""
        self.missing, self.sent = [len(bucket) for bucket in self.buckets], []
        try:
            loss.backward()
            while len(self.sent) < len(self.buckets):  # what the loss does not depend on has no gradient
                self.send()
            for bucket, (flat, work) in zip(self.buckets, self.sent, strict=True):
                work.wait()
                torch._foreach_copy_(gradients(bucket), parts(flat, bucket))
        finally:
            self.missing, self.sent = [], []

    def take(self, weight: Tensor) -> None:
        """Called by autograd when a gradient is there."""
        if not self.missing:
            return
        self.missing[self.bucket_of[weight]] -= 1
        while len(self.sent) < len(self.buckets) and self.missing[len(self.sent)] == 0:
            self.send()

    def send(self) -> None:
        """The next bucket: never one before another, or ranks might send different ones."""
        flat = torch.cat([gradient.flatten() for gradient in gradients(self.buckets[len(self.sent)])])
        self.sent.append((flat, dist.all_reduce(flat, async_op=True)))


def cut(weights: list[nn.Parameter], bucket_bytes: int) -> list[list[nn.Parameter]]:
    """In order, each bucket of one type and of at most so many bytes, or of one weight.

    >>> weights = [torch.nn.Parameter(torch.zeros(size)) for size in (3, 2, 9, 1)]
    >>> [[len(weight) for weight in bucket] for bucket in cut(weights, bucket_bytes=20)]
    [[3, 2], [9], [1]]
    """
    buckets: list[list[nn.Parameter]] = []
    room = 0
    for weight in weights:
        size = weight.numel() * weight.element_size()
        if not buckets or size > room or weight.dtype != buckets[-1][0].dtype:
            buckets.append([])
            room = bucket_bytes
        buckets[-1].append(weight)
        room -= size
    return buckets


def gradients(bucket: list[nn.Parameter]) -> list[Tensor]:
    for weight in bucket:
        if weight.grad is None:
            weight.grad = torch.zeros_like(weight)
    return [weight.grad for weight in bucket if weight.grad is not None]


def parts(flat: Tensor, bucket: list[nn.Parameter]) -> list[Tensor]:
    pieces = flat.split([weight.numel() for weight in bucket])
    return [piece.view_as(weight) for piece, weight in zip(pieces, bucket, strict=True)]
