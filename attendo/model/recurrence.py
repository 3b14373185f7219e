"""Three recurrent cells, a layer of each, and a layer that reads in both directions.

- rnn: the simple recurrent network (Elman 1990), with tanh.
- gru: the gated recurrent unit (Cho et al. 2014), in the form of cuDNN and PyTorch: the reset gate closes what W_h
  made of the state; Cho et al. close the state itself, before W_h.
- lstm: the long short-term memory (Hochreiter and Schmidhuber 1997), with the forget gate of Gers et al. 2000.

Each takes a whole sequence through PyTorch's fused kernel (`run`), or one step that is written out (`step`).
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from attendo.model.config import Cell

# What a cell carries from step to step, each [batch, d_hidden]: h, and in an LSTM c. The first is what it shows.
RecurrentState = tuple[Tensor, ...]


class RNNLayer(nn.RNN):
    state_size: ClassVar[int] = 1

    # Named by torch when it is built; declared for readers and type checkers.
    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, d_input: int, d_hidden: int) -> None:
        super().__init__(d_input, d_hidden, batch_first=True)

    def run(self, x: Tensor, state: RecurrentState | None = None) -> Tensor:
        """x [batch, length, d_input] -> h of every step [batch, length, d_hidden]."""
        return self(x, None if state is None else state[0][None].contiguous())[0]

    def step(self, x: Tensor, state: RecurrentState) -> RecurrentState:
        """x [batch, d_input].

        h' = tanh(W_x x + W_h h + b)
        """
        (h,) = state
        return (torch.tanh(x @ self.weight_ih_l0.T + self.bias_ih_l0 + h @ self.weight_hh_l0.T + self.bias_hh_l0),)


class GRULayer(nn.GRU):
    state_size: ClassVar[int] = 1

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, d_input: int, d_hidden: int) -> None:
        super().__init__(d_input, d_hidden, batch_first=True)

    def run(self, x: Tensor, state: RecurrentState | None = None) -> Tensor:
        """x [batch, length, d_input] -> h of every step [batch, length, d_hidden]."""
        return self(x, None if state is None else state[0][None].contiguous())[0]

    def step(self, x: Tensor, state: RecurrentState) -> RecurrentState:
        """x [batch, d_input].

        r, z = σ of (W_x x + W_h h + b)                        what to use of the state, what to keep of it
        n = tanh(W_x x + b_x + r ⊙ (W_h h + b_h))
        h' = (1 - z) ⊙ n + z ⊙ h
        """
        (h,) = state
        from_x = (x @ self.weight_ih_l0.T + self.bias_ih_l0).chunk(3, dim=-1)
        from_h = (h @ self.weight_hh_l0.T + self.bias_hh_l0).chunk(3, dim=-1)
        r, z = (from_x[0] + from_h[0]).sigmoid(), (from_x[1] + from_h[1]).sigmoid()
        n = torch.tanh(from_x[2] + r * from_h[2])
        return ((1 - z) * n + z * h,)


class LSTMLayer(nn.LSTM):
    state_size: ClassVar[int] = 2

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(self, d_input: int, d_hidden: int) -> None:
        super().__init__(d_input, d_hidden, batch_first=True)

    def run(self, x: Tensor, state: RecurrentState | None = None) -> Tensor:
        """x [batch, length, d_input] -> h of every step [batch, length, d_hidden]."""
        start = None if state is None else (state[0][None].contiguous(), state[1][None].contiguous())
        return self(x, start)[0]

    def step(self, x: Tensor, state: RecurrentState) -> RecurrentState:
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


RecurrentLayer = RNNLayer | GRULayer | LSTMLayer
CELLS: dict[Cell, type[RNNLayer] | type[GRULayer] | type[LSTMLayer]] = {
    "rnn": RNNLayer,
    "gru": GRULayer,
    "lstm": LSTMLayer,
}


class BidirectionalLayer(nn.Module):
    """Reads left to right and right to left, half of the width each: [batch, length, d_input] -> [.., d_output]."""

    def __init__(self, cell: Cell, d_input: int, d_output: int) -> None:
        super().__init__()
        self.rightward = CELLS[cell](d_input, d_output // 2)
        self.leftward = CELLS[cell](d_input, d_output // 2)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        leftward = reverse_within(self.leftward.run(reverse_within(x, lengths)), lengths)
        return torch.cat((self.rightward.run(x), leftward), dim=-1)


def reverse_within(x: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sequence round inside its own length and leave its padding after it: a b c _ -> c b a _.

    So the leftward layer starts at the last real token, and padding changes nothing.
    """
    position = torch.arange(x.shape[1], device=x.device)[None]  # [1, length]
    source = torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)
    # Whole vectors by their place. By `gather`, a GPU that adds in a fixed order would sort every number of them.
    return x[torch.arange(len(x), device=x.device)[:, None], source]
