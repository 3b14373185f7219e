"""A model in words: the tree of its modules as PyTorch prints it, shapes, and where its parameters are."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import nn

from attendo.inspection.hugging_face import TIED
from attendo.model.additive_attention import AdditiveAttention
from attendo.model.build import build_model
from attendo.model.config import ModelConfig
from attendo.model.embeddings import TokenEmbedding
from attendo.model.feed_forward import FeedForward, GatedFeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm, RMSNorm
from attendo.model.positions import Positions
from attendo.model.recurrence import GRULayer, LSTMLayer, RNNLayer
from attendo.model.source_attention import DotAttention

PARTS: dict[str, tuple[type[nn.Module], ...]] = {
    "embeddings": (TokenEmbedding,),
    "positions": (Positions,),
    "attention": (MultiHeadAttention, AdditiveAttention, DotAttention),
    "feed_forward": (FeedForward, GatedFeedForward),
    "recurrence": (RNNLayer, GRULayer, LSTMLayer),
    "norms": (LayerNorm, RMSNorm),
}


@dataclass(frozen=True)
class Structure:
    """`by_part` adds up to `parameters`; a tensor under two names is counted once, as an embedding."""

    tree: str
    parameters: int
    by_part: dict[str, int]

    @property
    def feed_forward_share(self) -> float:
        return self.by_part["feed_forward"] / self.parameters


def describe_model(config: ModelConfig) -> Structure:
    """Builds the model on torch's meta device, where a tensor has a shape and no memory."""
    with torch.device("meta"):
        model = build_model(config)
    by_part = dict.fromkeys([*PARTS, "output"], 0)
    for part, parameter in owned_parameters(model):
        by_part[part] += parameter.numel()
    tree = "\n".join(tree_lines("", model, shared_parameters(model)))
    return Structure(tree, sum(by_part.values()), by_part)


def owned_parameters(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Each parameter once, with the part it belongs to: the one whose module holds it, however deep inside."""
    counted: set[nn.Parameter] = set()

    def walk(module: nn.Module, part: str) -> Iterator[tuple[str, nn.Parameter]]:
        part = next((name for name, kinds in PARTS.items() if isinstance(module, kinds)), part)
        for parameter in module.parameters(recurse=False):
            if parameter not in counted:
                counted.add(parameter)
                yield part, parameter
        for child in module.children():
            yield from walk(child, part)

    # What belongs to no named part turns states into words: projections, heads, a recurrent model's bridge and readout.
    yield from walk(model, "output")


def shared_parameters(model: nn.Module) -> set[nn.Parameter]:
    """Those that stand under more than one name."""
    names = Counter(parameter for _, parameter in model.named_parameters(remove_duplicate=False))
    return {parameter for parameter, count in names.items() if count > 1}


def tree_lines(label: str, module: nn.Module, shared: set[nn.Parameter]) -> list[str]:
    """Like print(model), equal neighbours folded, with the number of parameters after each name."""
    count = sum(parameter.numel() for parameter in module.parameters())
    comment = f"  # {count:,}" if count else ""
    if isinstance(module, nn.Linear) and module.weight in shared:
        comment = f"  {TIED}"
    first = f"{label}{type(module).__name__}({module_shape(module)}"
    children = [(name, child, tree_lines("", child, shared)) for name, child in module.named_children()]
    if not children:
        return [f"{first}){comment}"]
    lines = [first + comment]
    for _, group in groupby(children, key=lambda child: (child[0].isdigit(), child[2])):
        alike = list(group)
        # Only the numbered members of a list are folded: (0-5): 6 x EncoderLayer
        folded = len(alike) > 1 and alike[0][0].isdigit()
        for name, _, inner in alike[:1] if folded else alike:
            label = f"({name}-{alike[-1][0]}): {len(alike)} x " if folded else f"({name}): "
            lines.append(f"  {label}{inner[0]}" + (" each" if folded else ""))
            lines.extend(f"  {line}" for line in inner[1:])
    return [*lines, ")"]


def module_shape(module: nn.Module) -> str:
    """What PyTorch says of a module, shorter where it says too much."""
    match module:
        case nn.Linear():
            return f"{module.in_features} -> {module.out_features}" + (", no bias" if module.bias is None else "")
        case nn.RNN() | nn.GRU() | nn.LSTM():
            return f"{module.input_size} -> {module.hidden_size}"
        case nn.Dropout():
            return f"{module.p:g}"
        case _:
            return module.extra_repr()
