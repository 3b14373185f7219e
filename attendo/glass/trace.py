"""Every tensor of a pass by its name, in the order in which they are computed.

    encoded   source.ids, source.position_ids [source]; source.embedding, source.scaled, source.positions, source.x
              [source, d_model]; source.angles [source, d_k / 2] for the positions where these are rotary
    layers    encoder.0.self_attention.Q … encoder.0.feed_forward.norm, encoder.1 …;  memory [source, d_model]
    decoded   target.embedding …; decoder.0.self_attention …, decoder.0.cross_attention …, decoder.0.feed_forward …
    answered  decoder.out [target, d_model], logits, log_probs [target, vocab]

    in                  what the part reads                                           [queries, d_model]
    Q, K, V             the projections, cut into heads                               [h, queries or keys, d_k]
    Q_rotated, K_rotated   after the rotation, where positions are rotary
    w                   of additive attention                                         [h, d_k]
    scores              Q Kᵀ; with additive attention w · tanh(q + k)                 [h, queries, keys]
    scaled              scores / √d_k; not with additive attention
    may_attend          the causal mask, where there is one; True = may attend        [queries, keys]
    masked              that, and -inf where the query may not look
    weights             softmax of each row
    heads               weights V                                                     [h, queries, d_k]
    concat              the heads side by side                                        [queries, d_model]
    out                 concat W_O; of a feed-forward part hidden W_2 + b_2           [queries, d_model]
    inner, hidden       x W_1 + b_1, its activation; gate, up, hidden where it is gated   [queries, d_ff]
    add                 x + out
    norm                the Norm of Add & Norm; post-norm: of add, pre-norm: of x, and then `in` is the same
    norm.mean, norm.variance (LayerNorm), norm.mean_square (RMSNorm)                  [queries, 1]

Layers and heads count from 0, as in the names of the weights. A pass over several rows, as a search makes, has a
dimension more in front. docs/glass.md has the whole list.
"""

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.tables import short_repr

Array = NDArray[Any]  # float32 wherever there are numbers to compute with; ids are int64, masks are bool


class Trace:
    """A part keeps its tensors under its own name: `trace.part("encoder.0").keep("x", x)` is encoder.0.x."""

    def __init__(self, tensors: dict[str, Array] | None = None, prefix: str = "") -> None:
        self.tensors: dict[str, Array] = {} if tensors is None else tensors
        self.prefix = prefix

    def keep(self, name: str, tensor: Array) -> Array:
        """Gives the tensor back, so that an equation stays a line."""
        self.tensors[self.prefix + name] = tensor
        return tensor

    def part(self, name: str) -> "Trace":
        """For a part of what is computed here; what it keeps is kept here, too."""
        return Trace(self.tensors, f"{self.prefix}{name}.")

    def __getitem__(self, name: str) -> Array:
        if name not in self.tensors:
            raise InputError(f"there is no tensor {short_repr(name)} in this trace: it has {len(self)} others")
        return self.tensors[name]

    def __contains__(self, name: object) -> bool:
        return name in self.tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tensor.shape for name, tensor in self.tensors.items()}


class NoTrace(Trace):
    """For a search, of which thousands of tensors would be kept that nobody asked for."""

    def keep(self, name: str, tensor: Array) -> Array:
        return tensor

    def part(self, name: str) -> Trace:
        return self


NO_TRACE = NoTrace()
