"""The objective of the translator that says all words at once: which words are hidden, and what they cost."""

import pytest
import torch

from attendo.data.batch import Batch
from attendo.errors import InputError
from attendo.model.config import FURTHEST, NonAutoregressiveConfig
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.special_tokens import MASK, SPECIAL
from attendo.training.masked_tokens import MaskPredict, hidden_words
from attendo.training.step import train_step

PAIRS = [([5, 6, 7], [8]), ([5], [9, 10, 11, 12]), ([6, 7], [9, 9]), ([4, 4], []), ([4, 4, 4, 4], [5])]
BATCH = Batch.from_pairs(PAIRS)
CONFIG = NonAutoregressiveConfig(
    vocab_size=13, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, dropout=0.0
)


@pytest.fixture
def model():
    torch.manual_seed(1)
    return NonAutoregressive(CONFIG).double()


def by_loops(model, pairs, hidden, smoothing=0.0):
    """Pair by pair, word by word; no batch, no padding."""
    total = 0.0
    for (source, target), places in zip(pairs, hidden, strict=True):
        shown = [MASK if place else word for word, place in zip(target, places, strict=False)]
        logits, lengths = model(torch.tensor([[*source, 2]]), torch.tensor([[*shown, 2]]))
        for place, word in enumerate(target):
            if places[place]:
                log_p = torch.log(torch.softmax(logits[0, place], -1))
                total -= (1 - smoothing) * log_p[word] + smoothing * log_p.mean()
        total -= torch.log(torch.softmax(lengths[0], -1))[FURTHEST + len(target) - len(source)]
    return total


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_sum_is_the_written_out_one(model, smoothing):
    torch.manual_seed(7)
    hidden = hidden_words(BATCH.target_out).tolist()
    torch.manual_seed(7)
    loss = MaskPredict(smoothing)(model, BATCH)
    torch.testing.assert_close(loss, by_loops(model, PAIRS, hidden, smoothing))
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    assert all(gradient.abs().max() > 0 for gradient in gradients)


def test_how_many_words_are_hidden_and_which():
    """1 to n, equally likely, never </s> or padding; and every word as often as every other."""
    torch.manual_seed(1)
    n, rows = 4, 20_000
    target = torch.tensor([[9, 10, 11, 12, SPECIAL.eos, SPECIAL.pad]]).repeat(rows, 1)
    hidden = hidden_words(target)
    numbers = hidden.sum(1).bincount(minlength=n + 1).double() / rows
    assert numbers[0] == 0
    torch.testing.assert_close(numbers[1:], torch.full((n,), 1 / n, dtype=torch.float64), atol=0.015, rtol=0)
    often = hidden.double().mean(0)
    torch.testing.assert_close(often[:n], torch.full((n,), (n + 1) / 2 / n, dtype=torch.float64), atol=0.015, rtol=0)
    assert (often[n:] == 0).all()
    pairs = hidden[hidden.sum(1) == 2][:, :n].double()
    together = (pairs.T @ pairs / len(pairs)).triu(1)  # each of the 6 pairs as often
    torch.testing.assert_close(together[together > 0], torch.full((6,), 1 / 6, dtype=torch.float64), atol=0.02, rtol=0)


def test_each_row_has_a_number_of_its_own():
    torch.manual_seed(2)
    hidden = hidden_words(BATCH.target_out)
    words = (BATCH.target_out != SPECIAL.pad) & (BATCH.target_out != SPECIAL.eos)
    assert not (hidden & ~words).any()
    assert hidden.any(1).tolist() == [bool(target) for _, target in PAIRS], "none where there are none"


def test_rows_that_only_fill_the_sheet_count_nothing(model):
    filled = BATCH.each(lambda side: torch.cat((side, torch.zeros_like(side[:2]))))
    target = filled.target_out

    def loss(batch):
        torch.manual_seed(3)
        return MaskPredict()(model, batch)

    torch.manual_seed(3)
    hidden = hidden_words(target)[: len(PAIRS)].tolist()
    torch.testing.assert_close(loss(filled), by_loops(model, PAIRS, hidden))


def test_packed_rows_are_refused(model):
    packed = Batch(
        BATCH.source, BATCH.target_in, BATCH.target_out, BATCH.num_target_tokens, (BATCH.source, BATCH.target_out)
    )
    with pytest.raises(InputError, match="one pair a row"):
        MaskPredict()(model, packed)


def test_the_host_never_waits_for_the_device():
    """So that a step can be recorded as a CUDA graph. A meta tensor has no numbers: to read one is an error."""
    with torch.device("meta"):
        model = NonAutoregressive(CONFIG)
    loss = MaskPredict(0.1)(model, BATCH.to("meta"))
    loss.backward()
    assert loss.shape == ()
    with pytest.raises(RuntimeError, match="meta"):
        loss.item()  # the guard of the guard


def test_a_step_is_a_step(model):
    """The usual train_step takes it, and the loss falls."""
    torch.manual_seed(4)
    optimizer = torch.optim.Adam(model.parameters())
    losses = [train_step(model, optimizer, [BATCH], 1e-2, MaskPredict()).loss.item() for _ in range(60)]
    assert sum(losses[-10:]) < sum(losses[:10]) / 2
