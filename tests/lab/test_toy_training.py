"""Models trained in one pass learn what each would learn alone."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import Budget, accuracy, clip_each, drawn_batches, train_together
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig

CONFIG = TransformerConfig(
    vocab_size=12, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, dropout=0.0
)
BUDGET = Budget(steps=12, pairs=8, learning_rate=3e-3)


def models(seeds):
    made = []
    for seed in seeds:
        torch.manual_seed(seed)
        made.append(build_model(CONFIG).double().train())
    return made


def draw(pairs, generator):
    return reversal(pairs, range(4, 5), 8, generator)


def test_together_is_alone():
    together, alone = models([1, 2, 3]), models([2])
    losses = train_together(together, draw, [1, 2, 3], BUDGET)
    own = train_together(alone, draw, [2], BUDGET)
    torch.testing.assert_close(losses[:, 1], own[:, 0], rtol=1e-9, atol=1e-9)
    for name, weight in alone[0].named_parameters():
        torch.testing.assert_close(dict(together[1].named_parameters())[name], weight, rtol=1e-6, atol=1e-9)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_they_learn_on_a_gpu_and_come_back():
    here, there = models([1, 2]), models([1, 2])
    losses = train_together(here, draw, [1, 2], BUDGET)
    moved = train_together(there, draw, [1, 2], replace(BUDGET, device="cuda"))
    torch.testing.assert_close(moved, losses, rtol=1e-6, atol=1e-6)
    assert {weight.device.type for model in there for weight in model.parameters()} == {"cpu"}


def test_they_learn():
    (model,) = models([1])
    losses = train_together([model], draw, [1], Budget(steps=250, pairs=32, learning_rate=5e-3))
    assert losses[-1] < losses[0] / 3
    assert accuracy(model, draw(50, torch.Generator().manual_seed(99))) > 0.7


def test_each_gradient_is_clipped_by_its_own_length():
    gradients = [torch.tensor([[3.0, 0.0, 0.0], [0.1, 0.0, 0.0]]), torch.tensor([[4.0], [0.0]])]
    clip_each(gradients, longest=1.0)
    assert gradients[0][0, 0].item() == pytest.approx(0.6, rel=1e-5)
    assert gradients[1][0, 0].item() == pytest.approx(0.8, rel=1e-5)
    assert gradients[0][1, 0].item() == pytest.approx(0.1)


def test_what_they_learn_is_what_adam_of_pytorch_teaches():
    (here,), (there,) = models([1]), models([1])
    losses = train_together([here], draw, [1], BUDGET)
    optimizer = torch.optim.Adam(there.parameters(), betas=(0.9, 0.98), eps=1e-9)
    own = []
    for step, batch in enumerate(drawn_batches(draw, [1], BUDGET), start=1):
        source, fed, right = (side[0] for side in batch)
        loss = F.cross_entropy(there(source, fed).flatten(0, 1), right.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(there.parameters(), 1.0)
        optimizer.param_groups[0]["lr"] = BUDGET.rate_at(step)
        optimizer.step()
        own.append(loss.detach())
    torch.testing.assert_close(losses[:, 0], torch.stack(own), rtol=1e-6, atol=1e-6)


def test_models_of_other_rates_learn_beside_each_other():
    slow, fast, alone = *models([1, 1]), *models([1])
    losses = train_together([slow, fast], draw, [1, 1], BUDGET, [1e-4, 6e-3])
    own = train_together([alone], draw, [1], replace(BUDGET, learning_rate=6e-3))
    torch.testing.assert_close(losses[:, 1], own[:, 0], rtol=1e-9, atol=1e-9)
    assert losses[-1, 0] > losses[-1, 1] + 0.1
