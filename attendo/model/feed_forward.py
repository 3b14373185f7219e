"""Position-wise feed-forward (3.3): the same small network at every position, blind to its neighbours."""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from attendo.model.config import LayerConfig


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2: 512 -> 2048 -> 512 in the base model; or GELU or x σ(x) for the max."""

    def __init__(self, config: LayerConfig, activation: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.activation = activation
        self.inner = nn.Linear(config.d_model, config.d_ff, bias=config.bias)
        self.outer = nn.Linear(config.d_ff, config.d_model, bias=config.bias)
        self.dropout = nn.Dropout(config.activation_dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.dropout(self.activation(self.inner(x))))

    def extra_repr(self) -> str:
        return f"activation={self.activation.__name__}"


class GatedFeedForward(nn.Module):
    """SwiGLU (Shazeer 2020), as in Llama: (SiLU(x W_gate) ⊙ x W_up) W_down."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=config.bias)
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.bias)
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.bias)
        self.dropout = nn.Dropout(config.activation_dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.dropout(F.silu(self.gate(x)) * self.up(x)))

    def extra_repr(self) -> str:
        return "activation=silu"


def build_feed_forward(config: LayerConfig) -> FeedForward | GatedFeedForward:
    match config.activation:
        case "relu":
            return FeedForward(config, F.relu)
        case "gelu":
            return FeedForward(config, F.gelu)
        case "swish":
            return FeedForward(config, F.silu)
        case "swiglu":
            return GatedFeedForward(config)
