"""A Transformer and an LSTM that read a stream and say something at each place, having seen what stands before.

Built as wide and as deep as each other, they have as many weights, to within a few per cent.
"""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Literal

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.tools.best_rate import best_rate
from attendo.lab.tools.toy_training import Budget, Draw
from attendo.lab.tools.tuning import train_tuned
from attendo.model.config import DecoderOnlyConfig
from attendo.model.decoder_only import DecoderOnly
from attendo.model.embeddings import TokenEmbedding, build_output
from attendo.model.initialization import initialize_lstm
from attendo.model.recurrence import LSTMLayer, LSTMState
from attendo.special_tokens import SPECIAL
from attendo.training.schedule import cosine_learning_rate
from attendo.training.step import train_step

Kind = Literal["transformer", "lstm"]
KINDS: tuple[Kind, ...] = ("transformer", "lstm")


class LSTMReader(nn.Module):
    """Layers of LSTM between an embedding and an output. Called like every model, but a stream has no source."""

    def __init__(self, vocab_size: int, d_model: int, num_layers: int) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocab_size, d_model)
        self.layers = nn.ModuleList(LSTMLayer(d_model, d_model) for _ in range(num_layers))
        self.output = build_output(self.embedding, tied=False)
        initialize_lstm(self)

    def forward(self, source: Tensor, target_in: Tensor, segments: None = None) -> Tensor:
        return self.output(self.read(target_in)[0])

    def read(self, tokens: Tensor) -> tuple[Tensor, list[LSTMState]]:
        """tokens [batch, length] -> [batch, length, d_model], and all that is kept for reading on."""
        x, states = self.embedding(tokens), []
        for layer in self.layers:
            x, state = layer(x)
            states.append(state)
        return x, states


Reader = DecoderOnly | LSTMReader


def build_reader(kind: Kind, vocab_size: int, d_model: int, num_layers: int) -> Reader:
    """With d_ff = 4/3 d_model a layer has 4 d² + 3 d d_ff = 8 d² weights, as many as the four gates of an LSTM."""
    if kind == "lstm":
        return LSTMReader(vocab_size, d_model, num_layers)
    config = DecoderOnlyConfig(
        vocab_size=vocab_size, d_model=d_model, d_ff=4 * d_model // 3, num_heads=2, num_layers=num_layers, dropout=0.0
    )
    return DecoderOnly(config)


def stream(read: Tensor, said: Tensor) -> Batch:
    """What is read and what should be said at each place, both [batch, length]; pad where nothing is asked."""
    return Batch(read[:, :0], read, said, int((said != SPECIAL.pad).sum()))


@torch.no_grad()
def right_answers(model: Reader, batch: Batch) -> Tensor:
    """The share of right answers at each place, [length]."""
    said = model(batch.source, batch.target_in).argmax(-1)
    return (said == batch.target_out).float().mean(0)


def train_readers(
    kind: Kind, build: Callable[[int], Reader], draw: Draw, seeds: Sequence[int], budgets: Sequence[Budget]
) -> tuple[list[Reader], float]:
    """One for each seed, all with the budget that ends with the lowest losses, mean over seeds; and its learning rate.

    Transformers of all seeds learn in one pass; PyTorch's LSTM cannot do that (torch.vmap), so one after the other.
    """
    if kind == "transformer":
        models, _, rate = train_tuned(build, draw, seeds, budgets)
        return models, rate
    tries = {b.learning_rate: [train_alone(build, draw, seed, b) for seed in seeds] for b in budgets}
    best = best_rate({rate: fmean(loss for _, loss in tried) for rate, tried in tries.items()})
    return [model for model, _ in tries[best]], best


def train_alone(build: Callable[[int], Reader], draw: Draw, seed: int, budget: Budget) -> tuple[Reader, float]:
    """Like train_together, for one model; and the mean loss of the last tenth of the steps, on data never seen."""
    torch.manual_seed(seed)
    model, chance = build(seed).train().to(budget.device), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), 0.0, (0.9, 0.98), 1e-9, weight_decay=0.0, fused=True)
    warmup = max(1, round(budget.steps * budget.warmup))
    losses = []
    for step in range(1, budget.steps + 1):
        rate = cosine_learning_rate(step, budget.learning_rate, warmup, budget.steps)
        batch = draw(budget.pairs, chance).to(budget.device)
        losses.append(train_step(model, optimizer, [batch], rate).loss)
    return model.cpu().eval(), float(torch.stack(losses[-max(1, budget.steps // 10) :]).mean().nan_to_num(torch.inf))
