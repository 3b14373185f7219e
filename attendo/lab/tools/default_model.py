"""The model that came with the package, and one of the same shape that has learned nothing, to look into both."""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import torch

from attendo.errors import InputError
from attendo.lab.tools.weights import count
from attendo.model.build import build_model
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.checkpoint import load_model
from attendo.text.tokenizer import Tokenizer

Thing = TypeVar("Thing")


@cache
def default_model() -> tuple[Transformer, Tokenizer]:
    bundle = read_bundle(model_folder(None))
    model = load_model(bundle)
    if not isinstance(model, Transformer):
        raise InputError(f"{bundle.folder} is a {type(model).__name__}: expected a Transformer, with cross-attention")
    return model, bundle.tokenizer()


def untrained(model: Transformer, seed: int) -> Transformer:
    """Of the same shape, with weights drawn by chance."""
    torch.manual_seed(seed)
    fresh = build_model(model.config)
    assert isinstance(fresh, Transformer)  # noqa: S101 - the same configuration gives the same family
    return fresh.eval()


def size_of(model: Transformer) -> dict[str, float]:
    """Its weights as English counts them, and as Chinese does."""
    return {"millions": count(model) / 1e6, "myriads": count(model) / 1e4}


def dealt(things: Sequence[Thing], seeds: Sequence[int]) -> list[list[Thing]]:
    """Shuffled, and dealt out like cards: each seed has a part of its own, so what they find is independent."""
    order = torch.randperm(len(things), generator=torch.Generator().manual_seed(seeds[0])).tolist()
    return [[things[place] for place in order[first :: len(seeds)]] for first in range(len(seeds))]
