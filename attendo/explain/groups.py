"""The tensors of a look in groups, for a page that fetches them when they are to be seen: a layer at a time.

    source      source.embedding, source.positions
    encoder.0   encoder.0.self_attention.Q …, encoder.layers.0.around_self_attention.norm.gain …
    target      target.embedding, target.positions
    decoder.0   …

A group has what weights made (stored.py says which), and of a layer the numbers of its norms; all else follows from
these by equations that the page computes itself.
"""

from attendo.explain.stored import is_stored
from attendo.glass.linear import Weights
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig

STACKS = ("encoder.", "decoder.")
Group = dict[str, Array]  # by the tensor's name in the trace, or the weights' in the model folder


def tensor_groups(trace: Trace, config: TransformerConfig, weights: Weights) -> dict[str, Group]:
    """By the group's name, in the order in which they are computed."""
    groups: dict[str, Group] = {}
    for name in filter(is_stored, trace):
        side, layer, _ = name.split(".", 2) if name.startswith(STACKS) else (name.partition(".")[0], "", "")
        groups.setdefault(f"{side}.{layer}" if layer else side, {})[name] = trace[name]
    for name, array in weights.arrays.items():
        if name.startswith(STACKS) and name.rpartition(".")[0].endswith("norm"):
            groups[group_of_norm(name, config)][name] = array
    return groups


def group_of_norm(name: str, config: TransformerConfig) -> str:
    """Of its layer; the norm after a whole pre-norm stack goes with the last one."""
    side, kind, layer, *_ = name.split(".")
    if kind == "layers":
        return f"{side}.{layer}"
    return f"{side}.{(config.encoder_layers if side == 'encoder' else config.decoder_layers) - 1}"
