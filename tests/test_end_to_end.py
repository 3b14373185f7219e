"""A task that must be learned: if any part were wrong in a way the equalities miss, this would not train."""

import torch

from attendo.decoding.greedy import greedy_decode
from attendo.lab.toy_tasks import FIRST_SYMBOL, reversal
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.training.schedule import cosine_learning_rate
from attendo.training.step import train_step


def test_a_small_transformer_learns_to_reverse():
    symbols, lengths, steps = 8, range(1, 7), 400
    generator = torch.Generator().manual_seed(1)
    torch.manual_seed(1)
    model = Transformer(
        TransformerConfig(
            vocab_size=FIRST_SYMBOL + symbols, d_model=48, d_ff=96, num_heads=4, encoder_layers=1, decoder_layers=1,
            dropout=0.0,
        )
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    for step in range(1, steps + 1):
        batch = reversal(64, lengths, symbols, generator)
        train_step(model, optimizer, [batch], cosine_learning_rate(step, 4e-3, 50, steps))
    drawn = reversal(300, lengths, symbols, generator)
    said = greedy_decode(model.eval(), drawn.source, max_length=8)
    said = torch.nn.functional.pad(said, (0, drawn.target_out.shape[1] - said.shape[1]))
    right = (said[:, : drawn.target_out.shape[1]] == drawn.target_out).all(1).float().mean().item()
    assert right > 0.97, f"only {right:.1%} of 300 reversals right (chance: under 10 %)"
