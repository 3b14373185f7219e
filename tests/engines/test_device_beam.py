"""The search on the device against one sentence at a time: the same hypotheses for every model, option and batch."""

from dataclasses import replace
from itertools import chain

import pytest
import torch

from attendo.decoding.constraints import NoRepeatNgram
from attendo.decoding.options import SearchOptions
from attendo.engines.cuda import search as device_beam
from attendo.engines.cuda.buffers import Buffers
from attendo.engines.cuda.graphs import GraphedWorkspace, Workspace
from attendo.engines.cuda.search import device_beam_search, start_beams, suits, take_step
from attendo.engines.cuda.tree import TreeShape, start_tree
from attendo.errors import InputError
from attendo.model.transformer import Transformer
from tests.decoding.families import model_of, padded, sentences
from tests.reference.beam_by_sentence import beam_search

ALPHAS = [-1.0, 0.0, 0.6, 1.0, 2.0]
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


@pytest.fixture(autouse=True)
def small_batches_shrink_too(monkeypatch):
    monkeypatch.setattr(device_beam, "FEWEST_ROWS", 1)


def transformer(seed=0, **changes):
    """Like `model_of`, with another configuration."""
    plain = model_of("transformer", seed=seed, eos=1.0)
    model = Transformer(replace(plain.config, **changes)).double().eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    return model


def assert_equal(found, expected, tolerance=1e-9):
    assert ids_of(found) == ids_of(expected)
    for one, other in zip(chain(*found), chain(*expected), strict=True):
        assert one.score == pytest.approx(other.score, abs=tolerance)
        assert one.log_prob == pytest.approx(other.log_prob, abs=tolerance)
        assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=tolerance)


def assert_same(model, source, longest, options, tolerance=1e-9):
    found = device_beam_search(model, source, longest, options)
    assert_equal(found, beam_search(model, source, longest, options), tolerance)
    return found


def ids_of(answers):
    return [[each.ids for each in of_one] for of_one in answers]


@pytest.mark.parametrize("size", [1, 2, 4, 5])
@pytest.mark.parametrize("stop", ["exact", "early"])
def test_the_same_hypotheses_as_one_sentence_at_a_time(size, stop):
    """Ragged sources, a maximum for each sentence, some past the first 16 steps; sentences leave at all times."""
    model, source = model_of("transformer", eos=1.0), padded(sentences(9))
    longest = [(3, 20, 9, 1, 25)[n % 5] for n in range(9)]
    lengths = set()
    for alpha in ALPHAS:
        options = SearchOptions(beam_size=size, length_penalty=alpha, stop=stop, n_best=min(size, 3))
        found = assert_same(model, source, longest, options)
        lengths |= {len(of_one[0].ids) for of_one in found}
    assert {1, 3, 9} < lengths
    assert max(lengths) > 16


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "none"])
@pytest.mark.parametrize("norm_order", ["pre", "post"])
def test_every_kind_of_transformer(positions, norm_order):
    model = transformer(positions=positions, norm_order=norm_order, max_length=20, num_heads=4)
    assert suits(model, SearchOptions(stop="exact"), 20)
    assert_same(model, padded(sentences(5, vocab=17)), 20, SearchOptions(beam_size=3, n_best=3, stop="exact"))


def test_additive_attention_needs_no_order_either():
    model = transformer(compatibility="additive")
    assert suits(model, SearchOptions(stop="exact"), 20)
    assert_same(model, padded(sentences(5, vocab=17)), 20, SearchOptions(beam_size=3, n_best=3, stop="exact"))


class Rounded(torch.nn.Module):
    """Logits of few values, so that equals are everywhere."""

    def __init__(self, output, step):
        super().__init__()
        self.output, self.step = output, step

    def forward(self, x):
        return (self.output(x) / self.step).round() * self.step


@pytest.mark.parametrize("step", [2.0, 8.0, 1000.0])
def test_equals_stand_in_the_same_order(step):
    for size, seed in ((2, 1), (3, 2), (4, 3)):
        model = model_of("transformer", vocab=40, eos=1.0, seed=seed)
        model.output = Rounded(model.output, step)
        source = padded(sentences(6, seed=seed, vocab=40))
        for alpha in (0.0, 1.0):
            assert_same(
                model, source, 9, SearchOptions(beam_size=size, n_best=size, length_penalty=alpha, stop="exact")
            )


def test_alone_as_in_a_batch():
    model, rows = model_of("transformer", eos=1.0), sentences(9)
    options = SearchOptions(beam_size=3, n_best=2, stop="exact")
    together = device_beam_search(model, padded(rows), 12, options)
    for row, expected in zip(rows, together, strict=True):
        alone = device_beam_search(model, torch.tensor([row]), 12, options)[0]
        assert [each.ids for each in alone] == [each.ids for each in expected]


class Allowing(torch.nn.Module):
    """Only these tokens have a logit above -inf."""

    def __init__(self, output, tokens):
        super().__init__()
        self.output, self.tokens = output, tokens

    def forward(self, x):
        logits = self.output(x)
        allowed = torch.full_like(logits, -torch.inf)
        allowed[..., self.tokens] = logits[..., self.tokens]
        return allowed


@pytest.mark.parametrize("tokens", [[0, 5], [0, 1], [0, 2], [0, 2, 5]])
def test_few_ways_on_and_none(tokens):
    """Padding is never said: with it and one token there are too few hypotheses, and with nothing else none at all."""
    model = model_of("transformer")
    model.output = Allowing(model.output, tokens)
    for size in (1, 3):
        assert_same(model, padded(sentences(3)), 4, SearchOptions(beam_size=size, n_best=size, stop="exact"))


def test_what_is_not_a_number_is_an_error():
    model = model_of("transformer")
    with torch.no_grad():
        model.output.weight[7] = torch.nan
    for size in (1, 2):
        with pytest.raises(InputError, match="NaN"):
            device_beam_search(model, torch.tensor([[3, 2]]), 4, SearchOptions(beam_size=size, stop="exact"))


def test_what_does_not_suit_it():
    model, options = model_of("transformer"), SearchOptions(stop="exact")
    assert suits(model, options, 100)
    assert not suits(model, options, 100, [NoRepeatNgram(2)])
    assert not suits(model, SearchOptions(min_length=3, stop="exact"), 100)
    assert not suits(model, SearchOptions(beam_size=64, stop="exact"), 100)
    assert not suits(model_of("lstm"), options, 100)
    assert not suits(model_of("transformer").train(), options, 100)
    learned = transformer(positions="learned", max_length=20)
    assert suits(learned, options, 20)
    assert not suits(learned, options, 21)
    assert_same(
        model_of("lstm", eos=1.0), padded(sentences(2)), 5, SearchOptions(beam_size=3, no_repeat_ngram=1, stop="exact")
    )
    assert device_beam_search(model, torch.empty(0, 3, dtype=torch.int64), 5, options) == []


@torch.inference_mode()
def test_a_step_can_be_recorded():
    """On a device without numbers: shapes depend on none of them, and the host asks for none."""
    nowhere = torch.device("meta")
    for size, stop, alpha in ((1, "exact", 1.0), (3, "exact", 1.0), (3, "exact", 0.0), (3, "early", 1.0)):
        options = SearchOptions(beam_size=size, stop=stop, length_penalty=alpha)
        model, buffers = model_of("transformer").to(nowhere), Buffers(nowhere)
        shape = TreeShape(sentences=4, beams=size, source=16, steps=16)
        tree = start_tree(model, torch.zeros(3, 5, dtype=torch.int64, device=nowhere), shape, buffers)
        beams = start_beams(model, [16] * 3, shape, options, buffers)
        take_step(model, tree, beams, options, 16)
        assert buffers.moves == len(tree.tensors()) + len(beams.tensors())


def test_all_searches_share_their_memory():
    """Smaller ones take the first lines of larger ones' tensors; only a larger one than ever moves anything."""
    model, workspace = model_of("transformer", eos=1.0), Workspace(torch.device("cpu"))
    options = SearchOptions(beam_size=2, stop="exact")
    large, small = padded(sentences(8)), padded(sentences(3, seed=5))
    expected = device_beam_search(model, small, 7, options)
    device_beam_search(model, large, 20, options, workspace)
    moves = workspace.buffers.moves
    assert device_beam_search(model, small, 7, options, workspace) == expected
    assert workspace.buffers.moves == moves
    device_beam_search(model, padded(sentences(9)), 20, options, workspace)
    assert workspace.buffers.moves > moves


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_replayed_as_plain_on_a_gpu(dtype):
    device = torch.device("cuda")
    model, rows = model_of("transformer", dtype=dtype, eos=1.0).to(device), sentences(40)
    graphed = GraphedWorkspace(device)
    for options in (
        SearchOptions(beam_size=1),
        SearchOptions(beam_size=4, n_best=3, stop="exact"),
        SearchOptions(stop="early"),
    ):
        for count in (40, 3, 40, 17):
            source = padded(rows[:count]).to(device)
            plain = device_beam_search(model, source, 37, options, Workspace(device))
            assert_equal(device_beam_search(model, source, 37, options, graphed), plain, 1e-5)
            assert_equal(plain, beam_search(model, source, 37, options), 1e-4)
    assert any(graphed.graphs.values())


@needs_gpu
def test_other_weights_are_noticed_on_a_gpu():
    """Weights changed in place are read where they are; weights that moved make the graphs void."""
    device, options = torch.device("cuda"), SearchOptions(beam_size=3, stop="exact")
    model, source = model_of("transformer", eos=1.0).to(device), padded(sentences(5)).to(device)
    for _ in range(2):
        device_beam_search(model, source, 12, options)
    with torch.no_grad():
        model.output.weight.mul_(-1.0)
    assert_same(model, source, 12, options)
    model.output.weight = torch.nn.Parameter(model.output.weight.detach() * -1.0)
    assert_same(model, source, 12, options)
    assert_same(model.float(), source, 12, options, 1e-4)
