"""Decoding in few programs, on a GPU: each program against what it stands for, and the whole search against the other.

The programs are Triton's; where there is no GPU these tests are skipped, and `python -m pytest tests/engines` on a
machine that has one runs them.
"""

import pytest
import torch
from torch.nn import functional as F

from attendo.decoding.candidates import best_candidates, best_tokens
from attendo.decoding.constraints import constrained
from attendo.decoding.options import SearchOptions
from attendo.engines.cuda import search as device_search
from attendo.engines.cuda.fused import can_be_fused
from attendo.engines.cuda.graphs import GraphedWorkspace, Workspace
from attendo.engines.cuda.search import device_beam_search
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from tests.decoding.families import padded, sentences

HALF = torch.float16
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
CUDA = torch.device("cuda")
KINDS = {
    "post-norm": {},
    "pre-norm, RMS": {"norm_order": "pre", "norm": "rms"},
    "pre-norm, gelu, no bias": {"norm_order": "pre", "activation": "gelu", "bias": False},
    "learned positions": {"positions": "learned", "max_length": 256},
    "two tables, output bias": {"activation": "swish", "shared_embedding": False, "output_bias": True},
}
SEARCHES = [
    SearchOptions(beam_size=4, stop="early"),
    SearchOptions(beam_size=4, stop="exact", n_best=3),
    SearchOptions(beam_size=1),
    SearchOptions(beam_size=3, stop="exact", length_penalty=0.0),
    SearchOptions(beam_size=5, n_best=5, stop="exact", length_penalty=0.6),
    SearchOptions(beam_size=8, n_best=2, stop="early"),
]


def model_of(dtype=HALF, **kind):
    torch.manual_seed(1)
    settings = {"vocab_size": 2_000, "d_model": 128, "d_ff": 256, "num_heads": 4, "encoder_layers": 2}
    config = TransformerConfig(**{**settings, "decoder_layers": 2, "dropout": 0.0, **kind})
    model = build_model(config).eval()
    with torch.no_grad():
        model.output.weight.mul_(4.0)  # a confident model: few candidates are equal but for rounding
    return model.to(CUDA, dtype)


def randn(*shape):
    return torch.randn(*shape, device=CUDA, dtype=HALF)


def test_only_what_the_programs_compute_is_given_to_them():
    """On a CPU nothing is; the written-out step takes every model."""
    torch.manual_seed(1)
    model = build_model(TransformerConfig(vocab_size=100, d_model=32, num_heads=2, d_ff=64))
    assert not can_be_fused(model, 4)


@needs_gpu
@pytest.mark.parametrize(
    ("lines", "beams", "heads", "width", "steps"),
    [(5, 4, 8, 64, 7), (64, 1, 8, 64, 20), (3, 3, 4, 32, 0), (2, 5, 4, 64, 90), (7, 16, 2, 128, 11)],
)
def test_attention_over_the_past(lines, beams, heads, width, steps):
    from attendo.engines.cuda.kernels.attend import attend_past

    room = 128
    past, qkv = randn(lines, 2, heads, room * beams, width), randn(lines * beams, 3 * heads * width)
    own = torch.rand(lines, 1, beams, room * beams, device=CUDA) < 0.3
    found = attend_past(qkv, past, own, torch.full((lines,), steps, device=CUDA))
    q, k, v = (x.view(lines, beams, heads, width).transpose(1, 2) for x in qkv.chunk(3, 1))
    new = slice(steps * beams, (steps + 1) * beams)
    assert torch.equal(past[:, 0, :, new], k)
    assert torch.equal(past[:, 1, :, new], v)
    own[..., steps * beams :] = False
    own[..., new] = torch.eye(beams, dtype=torch.bool, device=CUDA)
    heads_out = F.scaled_dot_product_attention(q.float(), past[:, 0].float(), past[:, 1].float(), attn_mask=own)
    torch.testing.assert_close(found.float(), heads_out.transpose(1, 2).reshape(found.shape), atol=3e-3, rtol=3e-3)


@needs_gpu
def test_attention_over_the_memory():
    from attendo.engines.cuda.kernels.attend import attend_memory

    lengths = torch.tensor([0, 1, 31, 32, 7, 17], device=CUDA)  # the first has nothing to look at: zeros
    memory, queries = randn(6, 2, 4, 32, 64), randn(24, 256)
    real = (torch.arange(32, device=CUDA) < lengths[:, None])[:, None, None]
    q = queries.view(6, 4, 4, 64).transpose(1, 2).float()
    expected = F.scaled_dot_product_attention(q, memory[:, 0].float(), memory[:, 1].float(), attn_mask=real)
    expected = expected.nan_to_num().transpose(1, 2).reshape(queries.shape)
    torch.testing.assert_close(attend_memory(queries, memory, lengths).float(), expected, atol=3e-3, rtol=3e-3)


@needs_gpu
@pytest.mark.parametrize("width", [128, 512, 1000])
def test_sum_and_norm(width):
    from attendo.engines.cuda.kernels.add_and_norm import add_and_norm

    x, y, gain, bias = randn(33, width), randn(33, width), randn(width), randn(width)
    added, normed = add_and_norm(x, y, gain, bias, 1e-5, keep_sum=True)
    assert torch.equal(added, x + y)
    wide = (x + y).float()
    expected = F.layer_norm(wide, (width,), gain.float(), bias.float(), 1e-5)
    torch.testing.assert_close(normed.float(), expected, atol=8e-3, rtol=2e-3)
    _, normed = add_and_norm(x, y, gain, None, 1e-6, keep_sum=False)
    torch.testing.assert_close(normed.float(), F.rms_norm(wide, (width,), gain.float(), 1e-6), atol=8e-3, rtol=2e-3)


@needs_gpu
@pytest.mark.parametrize(("vocab", "count"), [(32_000, 8), (16_000, 2), (1_100, 6), (40, 8), (1_024, 16)])
def test_the_best_tokens_with_equals_among_them(vocab, count):
    from attendo.engines.cuda.kernels.best_tokens import best_tokens_of

    logits = randn(64, vocab) * 4
    logits[:, ::7] = logits[:, 3:4]
    values, ids = best_tokens(constrained(logits, (), None)[1], count)
    found, found_ids = best_tokens_of(logits, count)
    found_ids, order = found_ids.sort(1)
    assert torch.equal(found_ids, ids)
    torch.testing.assert_close(found.gather(1, order), values, atol=1e-5, rtol=1e-5)
    assert (found[:, 1:] <= found[:, :-1]).all()


def written_out(decoder, tree, beams, options):
    """A step whose rules are `Beams.grow` and `Tree.reorder`, with the same logits."""
    from attendo.engines.cuda.kernels.best_tokens import best_tokens_of

    values, ids = best_tokens_of(decoder.next_logits(beams.tokens, tree), 2 * options.beam_size)
    size = options.beam_size
    index = torch.arange(size, device=CUDA)
    itself = (index[:, None] == index).expand(len(tree.length), 1, size, size)
    tree.own_past.index_copy_(3, (tree.length[:1] - 1) * size + index, itself.contiguous())
    tree.reorder(beams.grow(best_candidates(values, ids, values, beams.totals, 2 * size), tree.length, options))


@needs_gpu
@pytest.mark.parametrize("options", SEARCHES, ids=str)
def test_the_rules_are_the_same_to_the_last_bit(options, monkeypatch):
    model, source = model_of(), padded(sentences(40)).to(CUDA)
    found = device_beam_search(model, source, 60, options, Workspace(CUDA))
    monkeypatch.setattr(device_search, "take_fused_step", written_out)
    assert device_beam_search(model, source, 60, options, Workspace(CUDA)) == found


@needs_gpu
@pytest.mark.parametrize("kind", KINDS)
def test_the_search_is_the_written_out_one_to_rounding(kind, monkeypatch):
    model, source = model_of(**KINDS[kind]), padded(sentences(40)).to(CUDA)
    assert can_be_fused(model, 4)
    options, graphed = SearchOptions(beam_size=4, stop="early"), GraphedWorkspace(CUDA)
    fused = [device_beam_search(model, source, 60, options, graphed) for _ in range(3)][-1]
    monkeypatch.setattr(device_search, "can_be_fused", lambda model, beams: False)
    plain = device_beam_search(model, source, 60, options, Workspace(CUDA))
    same = sum(one[0].ids == other[0].ids for one, other in zip(fused, plain, strict=True))
    assert same >= 0.8 * len(plain)
    for one, other in zip(fused, plain, strict=True):
        assert abs(one[0].score - other[0].score) < 0.05


@needs_gpu
def test_numbers_that_are_none_are_told():
    from attendo.errors import InputError

    model = model_of()
    with torch.no_grad():
        model.output.weight[7] = float("nan")
    with pytest.raises(InputError, match="NaN"):
        device_beam_search(model, padded(sentences(5)).to(CUDA), 20, SearchOptions(beam_size=4), Workspace(CUDA))


@needs_gpu
def test_other_weights_are_read_anew():
    """The copies of what is read together follow their model."""
    model, source, options = model_of(), padded(sentences(9)).to(CUDA), SearchOptions(beam_size=4)
    workspace = GraphedWorkspace(CUDA)
    for _ in range(3):
        device_beam_search(model, source, 30, options, workspace)
    with torch.no_grad():
        for layer in model.decoder.layers:
            layer.self_attention.query.weight.neg_()
    again = device_beam_search(model, source, 30, options, workspace)
    assert again == device_beam_search(model, source, 30, options, Workspace(CUDA))
