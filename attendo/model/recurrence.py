"""The long short-term memory (Hochreiter and Schmidhuber 1997), one layer of it, and one in both directions."""

import torch
from torch import Tensor, nn

LSTMState = tuple[Tensor, Tensor]  # h and c, each [batch, d_hidden]


class LSTMLayer(nn.LSTM):
    """A whole sequence through PyTorch's fused kernel (`forward`), or one step written out (`step`)."""

    # Named by torch when it is built; declared for readers and type checkers.
    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, d_input: int, d_hidden: int) -> None:
        super().__init__(d_input, d_hidden, batch_first=True)

    def run(self, x: Tensor, state: LSTMState | None = None) -> Tensor:
        """x [batch, length, d_input] -> h of every step [batch, length, d_hidden]."""
        start = None if state is None else (state[0][None].contiguous(), state[1][None].contiguous())
        return self(x, start)[0]

    def step(self, x: Tensor, state: LSTMState) -> LSTMState:
        """x [batch, d_input].

        i, f, g, o = σ, σ, tanh, σ of (W_x x + W_h h + b)      what to write, keep, say, show
        c' = f ⊙ c + i ⊙ g
        h' = o ⊙ tanh(c')
        """
        h, c = state
        gates = x @ self.weight_ih_l0.T + self.bias_ih_l0 + h @ self.weight_hh_l0.T + self.bias_hh_l0
        i, f, g, o = gates.chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class BidirectionalLSTMLayer(nn.Module):
    """Reads left to right and right to left, half of the width each: [batch, length, d_input] -> [.., d_output]."""

    def __init__(self, d_input: int, d_output: int) -> None:
        super().__init__()
        self.rightward = LSTMLayer(d_input, d_output // 2)
        self.leftward = LSTMLayer(d_input, d_output // 2)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        leftward = reverse_within(self.leftward.run(reverse_within(x, lengths)), lengths)
        return torch.cat((self.rightward.run(x), leftward), dim=-1)


def reverse_within(x: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sequence round inside its own length and leave its padding after it: a b c _ -> c b a _.

    So the leftward LSTM starts at the last real token, and padding changes nothing.
    """
    position = torch.arange(x.shape[1], device=x.device)[None]  # [1, length]
    source = torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)
    # Whole vectors by their place. By `gather`, a GPU that adds in a fixed order would sort every number of them.
    return x[torch.arange(len(x), device=x.device)[:, None], source]
