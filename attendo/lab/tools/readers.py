"""A Transformer, an LSTM and a plain RNN that read a stream and answer at each position from what stands before.

Built as wide and as deep as each other, the first two have as many weights, to within a few per cent, and an RNN has a
quarter of an LSTM's: it takes twice the width to have as many.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.model.config import DecoderOnlyConfig
from attendo.model.decoder_only import DecoderOnly
from attendo.model.embeddings import TokenEmbedding, build_output
from attendo.model.initialization import initialize_recurrent
from attendo.model.recurrence import LSTMLayer, RecurrentState, RNNLayer
from attendo.special_tokens import SPECIAL

Kind = Literal["transformer", "lstm", "rnn"]
KINDS: tuple[Kind, ...] = ("transformer", "lstm")


class SteppedLSTM(LSTMLayer):
    """An LSTM written out step by step, so that those of all seeds can learn in one pass (torch.vmap), which PyTorch's
    fused kernel cannot."""

    def forward(self, x: Tensor) -> tuple[Tensor, RecurrentState]:  # type: ignore[override]
        """x [batch, length, d_input] -> h of every step [batch, length, d_hidden], and the last state."""
        read = x @ self.weight_ih_l0.T + self.bias_ih_l0 + self.bias_hh_l0  # of all steps: nothing in it has to wait
        h = c = x.new_zeros(len(x), self.hidden_size)
        outputs = []
        for gates in read.unbind(1):
            i, f, g, o = (gates + h @ self.weight_hh_l0.T).chunk(4, dim=-1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            outputs.append(h)
        return torch.stack(outputs, dim=1), (h, c)


class SteppedRNN(RNNLayer):
    """The same of a plain RNN: h' = tanh(W_x x + W_h h + b)."""

    def forward(self, x: Tensor) -> tuple[Tensor, RecurrentState]:  # type: ignore[override]
        read = x @ self.weight_ih_l0.T + self.bias_ih_l0 + self.bias_hh_l0
        h = x.new_zeros(len(x), self.hidden_size)
        outputs = []
        for one in read.unbind(1):
            h = torch.tanh(one + h @ self.weight_hh_l0.T)
            outputs.append(h)
        return torch.stack(outputs, dim=1), (h,)


class RecurrentReader(nn.Module):
    """Recurrent layers between an embedding and an output. Called like every model, but a stream has no source."""

    def __init__(self, cell: Literal["lstm", "rnn"], vocab_size: int, d_model: int, num_layers: int) -> None:
        super().__init__()
        layer = SteppedLSTM if cell == "lstm" else SteppedRNN
        self.embedding = TokenEmbedding(vocab_size, d_model)
        self.layers = nn.ModuleList(layer(d_model, d_model) for _ in range(num_layers))
        self.output = build_output(self.embedding, tied=False)
        initialize_recurrent(self)

    def forward(self, source: Tensor, target_in: Tensor, segments: None = None) -> Tensor:
        return self.output(self.read(target_in)[0])

    def read(self, tokens: Tensor) -> tuple[Tensor, list[RecurrentState]]:
        """tokens [batch, length] -> [batch, length, d_model], and all that is kept for reading on."""
        x, states = self.embedding(tokens), []
        for layer in self.layers:
            x, state = layer(x)
            states.append(state)
        return x, states


Reader = DecoderOnly | RecurrentReader


def build_reader(kind: Kind, vocab_size: int, d_model: int, num_layers: int) -> Reader:
    """With d_ff = 4/3 d_model a layer has 4 d² + 3 d d_ff = 8 d² weights, as many as the four gates of an LSTM."""
    if kind != "transformer":
        return RecurrentReader(kind, vocab_size, d_model, num_layers)
    config = DecoderOnlyConfig(
        vocab_size=vocab_size, d_model=d_model, d_ff=4 * d_model // 3, num_heads=2, num_layers=num_layers, dropout=0.0
    )
    return DecoderOnly(config)


def stream(read: Tensor, answers: Tensor) -> Batch:
    """What is read and what is right at each position, both [batch, length]; pad where nothing is asked."""
    return Batch(read[:, :0], read, answers, int((answers != SPECIAL.pad).sum()))


@torch.no_grad()
def right_answers(model: Reader, batch: Batch) -> Tensor:
    """The share of right answers at each position, [length]."""
    output = model(batch.source, batch.target_in).argmax(-1)
    return (output == batch.target_out).float().mean(0)
