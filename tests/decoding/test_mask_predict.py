"""Mask-predict: one pass is an argmax, more passes are the written-out loop, and a small model learns to use it."""

import pytest
import torch

from attendo.decoding.mask_predict import blank, least_sure, mask_predict
from attendo.errors import ConfigError
from attendo.lab.tools.toy_tasks import copying, reversal
from attendo.model.config import FURTHEST, NonAutoregressiveConfig
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.special_tokens import MASK
from attendo.training.masked_tokens import MaskPredict
from attendo.training.optimizer import cosine_learning_rate
from attendo.training.step import train_step
from tests.decoding.families import VOCAB, padded, sentences

SIZES = {"vocab_size": VOCAB, "d_model": 16, "d_ff": 24, "num_heads": 2, "dropout": 0.0}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = NonAutoregressive(NonAutoregressiveConfig(**SIZES, encoder_layers=1, decoder_layers=2)).double().eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    with torch.no_grad():  # lengths near that of the source, as in a trained model
        model.length.bias -= 0.5 * (torch.arange(-FURTHEST, FURTHEST + 1) - 2).abs()
    return model


@torch.no_grad()
def slow(model, source, passes, num_lengths):
    """One sentence, one length after the other, with lists."""
    found = []
    _, lengths = model(torch.tensor([source]), torch.tensor([[2]]))
    classes = sorted(range(len(lengths[0])), key=lambda c: -lengths[0, c].item())[:num_lengths]
    for c in classes:
        n = max(1, len(source) + c - FURTHEST - 1)  # words, without </s>
        of_length = lengths[0].log_softmax(-1)[c].item()
        words, sure = [MASK] * n, [0.0] * n
        for t in range(passes):
            order = sorted(range(n), key=lambda index: (sure[index], index))
            hidden = order[: n * (passes - t) // passes]
            for index in hidden:
                words[index] = MASK
            logits, _ = model(torch.tensor([source]), torch.tensor([[*words, 2]]))
            for index in hidden:
                log_p = logits[0, index].log_softmax(-1).tolist()
                words[index] = max(range(4, VOCAB), key=log_p.__getitem__)
                sure[index] = log_p[words[index]]
        found.append(((sum(sure) + of_length) / (n + 1), words, [*sure, of_length]))
    return max(found)


@pytest.mark.parametrize("passes", [1, 2, 3, 10])
@pytest.mark.parametrize("num_lengths", [1, 3])
def test_against_the_written_out_loop(model, passes, num_lengths):
    rows = sentences(8, seed=passes)
    found = mask_predict(model, padded(rows, width=12), passes, num_lengths)
    for row, hypothesis in zip(rows, found, strict=True):
        score, words, sure = slow(model, row, passes, num_lengths)
        assert hypothesis.ids == (*words, 2)
        assert hypothesis.token_log_probs == pytest.approx(sure)
        assert hypothesis.score == pytest.approx(score)


@torch.no_grad()
def test_one_pass_is_one_argmax(model):
    rows = sentences(5, seed=3)
    for row, hypothesis in zip(rows, mask_predict(model, padded(rows), passes=1, num_lengths=1), strict=True):
        source = torch.tensor([row])
        n = len(row) + int(model(source, source)[1].argmax()) - FURTHEST
        logits, _ = model(source, torch.tensor([[MASK] * (n - 1) + [2]]))
        assert hypothesis.ids == (*(4 + logits[0, :-1, 4:].argmax(-1)).tolist(), 2)


def test_every_pass_hides_fewer_words(model, monkeypatch):
    hidden = []
    guess = model.guess
    monkeypatch.setattr(model, "guess", lambda target, read: hidden.append(target) or guess(target, read))
    source = torch.tensor([[5, 6, 7, 8, 9, 10, 2]])
    (answer,) = mask_predict(model, source, passes=4, num_lengths=1)
    n = len(answer.ids) - 1
    assert [int((target == MASK).sum()) for target in hidden] == [n, n * 3 // 4, n // 2, n // 4]
    assert not {0, 1, 2, MASK} & set(answer.ids[:-1]), "only words are said"


def test_more_passes_change_the_answer_and_more_lengths_its_score(model):
    source = padded(sentences(20, seed=5))
    once, often = (mask_predict(model, source, passes) for passes in (1, 8))
    assert any(a.ids != b.ids for a, b in zip(once, often, strict=True))
    narrow = mask_predict(model, source, 1, num_lengths=1)
    assert all(a.score >= b.score - 1e-9 for a, b in zip(once, narrow, strict=True))


def test_a_blank_target():
    assert blank(torch.tensor([4, 2]), 4).tolist() == [[MASK, MASK, MASK, 2], [MASK, 2, 0, 0]]


def test_the_least_sure():
    log_probs = torch.tensor([[-1.0, -3.0, -2.0, 0.0], [-1.0, -1.0, 0.0, 0.0]])
    words = torch.tensor([[True, True, True, False], [True, True, False, False]])
    found = least_sure(log_probs, words, torch.tensor([2, 1]))
    assert found.tolist() == [[False, True, True, False], [True, False, False, False]]


def test_settings_are_checked(model):
    with pytest.raises(ConfigError, match="passes"):
        mask_predict(model, torch.tensor([[5, 2]]), passes=0)
    with pytest.raises(ConfigError, match="num_lengths"):
        mask_predict(model, torch.tensor([[5, 2]]), passes=1, num_lengths=0)


@pytest.mark.parametrize("task", [pytest.param(copying, marks=pytest.mark.slow), reversal])
def test_it_learns_short_words(task):
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(1)
    sizes = {**SIZES, "d_model": 32, "d_ff": 64, "num_heads": 4, "norm_order": "pre"}
    model = NonAutoregressive(NonAutoregressiveConfig(**sizes, encoder_layers=1, decoder_layers=1))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.0)
    for step in range(1, 301):
        rate = cosine_learning_rate(step, 6e-3, 50, 300)
        train_step(model, optimizer, [task(64, range(1, 6), 8, generator)], rate, MaskPredict())
    model.eval()
    unseen = task(100, range(1, 6), 8, generator)
    wanted = [[token for token in row if token] for row in unseen.target_out.tolist()]
    for passes in (1, 4):
        outputs = [list(hypothesis.ids) for hypothesis in mask_predict(model, unseen.source, passes)]
        assert sum(a == b for a, b in zip(outputs, wanted, strict=True)) >= 90, f"{passes} passes"
