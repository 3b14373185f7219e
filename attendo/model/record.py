"""What each head looked at, kept when asked for: pass a record to a model and read it afterwards."""

from dataclasses import dataclass, field

from torch import Tensor


@dataclass
class AttentionRecord:
    """One tensor [batch, heads, queries, keys] per layer, in order, for each of the three uses of attention (3.2.3).

    A record belongs to one pass; a decoding step appends one tensor per layer again.
    """

    encoder_self: list[Tensor] = field(default_factory=list)
    decoder_self: list[Tensor] = field(default_factory=list)
    cross: list[Tensor] = field(default_factory=list)
