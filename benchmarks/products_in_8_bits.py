"""Would products in 8 bits (FP8) make training faster? Each matrix product of a step of `base` and `big`, in bfloat16
and in 8 bits, with what it costs to bring both sides into 8 bits, and how far the result is from that in float32.

    python -m benchmarks.products_in_8_bits [--tokens 65000] [--turns 20]

A product's sides are scaled so that the largest number of each is the largest that 8 bits can hold. What came out of a
program before could be written in 8 bits by that program; then "cast" is saved, but the largest number must be known
beforehand. Medians of the turns, in milliseconds.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from attendo.model.config import TransformerConfig
from attendo.model.presets import preset
from benchmarks.machine import describe_machine

VOCABULARY = 32_000
CHUNK = 2**29 // VOCABULARY  # tokens of which there are logits at a time (engines/cuda/training/ends.py)
EIGHT_BITS = torch.float8_e4m3fn
LARGEST = torch.finfo(EIGHT_BITS).max


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=65_000)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--preset", nargs="+", default=["base", "big"])
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    device, tokens = torch.device(options.device), options.tokens // 16 * 16
    print(f"{describe_machine()}, torch {torch.__version__}: {tokens:,} tokens\n")
    print("| preset | product | bfloat16 | 8 bits | cast | both / bfloat16 | error, bfloat16 | error, 8 bits |")
    print("|---|---|---:|---:|---:|---:|---:|---:|", flush=True)
    for name in options.preset:
        for what, rows, inner, columns in products(name, tokens):
            print(
                f"| `{name}` | {what} | {' | '.join(compared(rows, inner, columns, device, options.turns))} |",
                flush=True,
            )


def products(name: str, tokens: int) -> list[tuple[str, int, int, int]]:
    """[rows, inner] × [inner, columns] of a layer forward, of its gradients, and of the output."""
    config = cast(TransformerConfig, preset(name, VOCABULARY))
    d, d_ff, few = config.d_model, config.d_ff, min(tokens, CHUNK) // 16 * 16
    return [
        ("queries, keys, values", tokens, d, 3 * d),
        ("of attention", tokens, d, d),
        ("feed-forward, inner", tokens, d, d_ff),
        ("feed-forward, outer", tokens, d_ff, d),
        ("gradient of the inner weight", d_ff, tokens, d),
        ("logits of a chunk", few, d, VOCABULARY),
        ("back from a chunk's logits", few, VOCABULARY, d),
    ]


def compared(rows: int, inner: int, columns: int, device: torch.device, turns: int) -> list[str]:
    torch.manual_seed(1)
    x = torch.randn(rows, inner, device=device, dtype=torch.bfloat16)
    w = torch.randn(columns, inner, device=device, dtype=torch.bfloat16) / inner**0.5
    (x8, x_scale), (w8, w_scale) = in_8_bits(x), in_8_bits(w)

    def product8() -> Tensor:
        return torch._scaled_mm(x8, w8.t(), scale_a=x_scale, scale_b=w_scale, out_dtype=torch.bfloat16)

    to_8_bits = torch.compile(in_8_bits) if device.type == "cuda" else in_8_bits
    seconds = [
        median_seconds(work, device, turns)
        for work in (lambda: x @ w.t(), product8, lambda: (to_8_bits(x), to_8_bits(w)))
    ]
    exact = x[:512].float() @ w.t().float()
    errors = [((found[:512].float() - exact).norm() / exact.norm()).item() for found in (x @ w.t(), product8())]
    cells = [f"{1e3 * each:.3f}" for each in seconds]
    return [*cells, f"{(seconds[1] + seconds[2]) / seconds[0]:.2f}", *(f"{each:.2%}" for each in errors)]


def in_8_bits(x: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers, and by what they are to be multiplied afterwards."""
    scale = x.abs().amax().float().clamp(min=1e-12) / LARGEST
    return (x / scale).to(EIGHT_BITS), scale


def median_seconds(work: Callable[[], object], device: torch.device, turns: int) -> float:
    found = []
    for turn in range(turns + 3):
        if device.type == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize()
        if turn >= 3:
            found.append(time.perf_counter() - began)
    return statistics.median(found)


if __name__ == "__main__":
    main()
