import pytest
import torch
from torch.nn import functional as F

from attendo.errors import InputError
from attendo.model.additive_attention import AdditiveAttention
from attendo.model.attention import dot_product_attention, fused_attention
from attendo.model.multi_head import MultiHeadAttention
from tests.reference.attention_by_loops import attention_by_loops
from tests.reference.same import random_gains


def random_qkv(queries, keys, d_k=8, d_v=8):
    return tuple(
        torch.randn(2, 4, length, width, dtype=torch.float64, requires_grad=True)
        for length, width in ((queries, d_k), (keys, d_k), (keys, d_v))
    )


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (5, 5), (3, 7), (7, 3)])
def test_both_paths_agree_with_torch_and_with_loops(queries, keys):
    q, k, v = random_qkv(queries, keys)
    may_attend = torch.rand(2, 1, queries, keys) < 0.7
    may_attend[..., 0] = True  # a query with nothing to look at is tested on its own

    output, weights = dot_product_attention(q, k, v, may_attend)

    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=may_attend)
    torch.testing.assert_close(output, expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(fused_attention(q, k, v, may_attend), expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert (weights.masked_select(~may_attend) == 0).all()
    slow_output, slow_weights = attention_by_loops(
        q[1, 2].tolist(), k[1, 2].tolist(), v[1, 2].tolist(), may_attend[1, 0].tolist()
    )
    torch.testing.assert_close(output[1, 2], torch.tensor(slow_output, dtype=torch.float64), atol=1e-12, rtol=0)
    torch.testing.assert_close(weights[1, 2], torch.tensor(slow_weights, dtype=torch.float64), atol=1e-12, rtol=0)


def test_gradients_of_both_paths_agree():
    q, k, v = random_qkv(4, 6)
    may_attend = torch.rand(2, 4, 4, 6) < 0.6
    direction = torch.randn(2, 4, 4, 8, dtype=torch.float64)
    written = torch.autograd.grad((dot_product_attention(q, k, v, may_attend)[0] * direction).sum(), (q, k, v))
    fused = torch.autograd.grad((fused_attention(q, k, v, may_attend) * direction).sum(), (q, k, v))
    for ours, theirs in zip(written, fused, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)
    assert torch.autograd.gradcheck(lambda *qkv: dot_product_attention(*qkv, may_attend)[0], (q, k, v))


def test_values_may_have_another_width():
    q, k, v = random_qkv(3, 5, d_k=8, d_v=2)
    assert dot_product_attention(q, k, v)[0].shape == (2, 4, 3, 2)
    torch.testing.assert_close(dot_product_attention(q, k, v)[0], fused_attention(q, k, v), atol=1e-12, rtol=0)


DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_query_with_nothing_to_attend_to_gives_zeros(dtype, device):
    q, k, v = (t.detach().to(device, dtype).requires_grad_() for t in random_qkv(3, 5))
    may_attend = torch.ones(2, 1, 3, 5, dtype=torch.bool, device=device)
    may_attend[0, 0, 1] = False
    for output in (dot_product_attention(q, k, v, may_attend)[0], fused_attention(q, k, v, may_attend)):
        assert (output[0, :, 1] == 0).all()
        assert (output[0, :, 0] != 0).any()
        gradients = torch.autograd.grad(output.square().sum(), (q, k, v))
        assert all(gradient.isfinite().all() for gradient in gradients)
        assert (gradients[0][0, :, 1] == 0).all()


def test_an_overwhelming_masked_score_is_still_masked():
    q, k, v = (t.detach() for t in random_qkv(1, 3))
    k[:, :, 2] = q[:, :, 0] * 1e6
    may_attend = torch.tensor([True, True, False])[None, None, None]
    without, _ = dot_product_attention(q, k[:, :, :2], v[:, :, :2])
    torch.testing.assert_close(dot_product_attention(q, k, v, may_attend)[0], without)


def our_multi_head(theirs):
    """Copy torch's weights: its three input projections are stacked in one matrix."""
    ours = MultiHeadAttention(theirs.embed_dim, theirs.num_heads).double()
    with torch.no_grad():
        for index, linear in enumerate((ours.query, ours.key, ours.value)):
            linear.weight.copy_(theirs.in_proj_weight.chunk(3)[index])
            linear.bias.copy_(theirs.in_proj_bias.chunk(3)[index])
        ours.output.load_state_dict(theirs.out_proj.state_dict())
    return ours


@pytest.mark.parametrize("num_heads", [1, 2, 8])
@pytest.mark.parametrize("recorded", [False, True])
def test_multi_head_agrees_with_torch(num_heads, recorded):
    theirs = torch.nn.MultiheadAttention(32, num_heads, batch_first=True, dtype=torch.float64)
    random_gains(theirs)
    ours = our_multi_head(theirs)
    x = torch.randn(3, 5, 32, dtype=torch.float64, requires_grad=True)
    memory = torch.randn(3, 7, 32, dtype=torch.float64, requires_grad=True)
    real = torch.tensor([[True] * 7, [True] * 4 + [False] * 3, [True] + [False] * 6])
    record = [] if recorded else None

    output = ours(x, memory, real[:, None, None], record=record)
    expected, weights = theirs(x, memory, memory, key_padding_mask=~real, average_attn_weights=False)

    torch.testing.assert_close(output, expected, atol=1e-10, rtol=0)
    if recorded:
        torch.testing.assert_close(record[0], weights, atol=1e-10, rtol=0)
    output.square().sum().backward()
    ours_x, ours_memory = x.grad.clone(), memory.grad.clone()
    x.grad = memory.grad = None
    expected.square().sum().backward()
    torch.testing.assert_close(ours_x, x.grad, atol=1e-10, rtol=0)
    torch.testing.assert_close(ours_memory, memory.grad, atol=1e-10, rtol=0)
    stacked = torch.cat([linear.weight.grad for linear in (ours.query, ours.key, ours.value)])
    torch.testing.assert_close(stacked, theirs.in_proj_weight.grad, atol=1e-10, rtol=0)
    torch.testing.assert_close(ours.output.weight.grad, theirs.out_proj.weight.grad, atol=1e-10, rtol=0)


def test_one_head_is_plain_attention():
    """M3: h = 1 equals attention on the projected input."""
    ours = MultiHeadAttention(16, 1).double()
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    q, k, v = (linear(x)[:, None] for linear in (ours.query, ours.key, ours.value))
    plain = ours.output(dot_product_attention(q, k, v)[0][:, 0])
    torch.testing.assert_close(ours(x, x), plain, atol=1e-12, rtol=0)


def test_attention_dropout_only_in_training():
    attention = MultiHeadAttention(16, 2, dropout=0.5)
    x = torch.randn(2, 5, 16)
    for record in (None, []):
        assert not torch.equal(attention.train()(x, x, record=record), attention(x, x, record=record))
        assert torch.equal(attention.eval()(x, x, record=record), attention(x, x, record=record))


def test_additive_attention_by_its_formula():
    """M2: queries and keys of different widths; score(q, k) = w · tanh(W_q q + W_k k + b), one pair at a time."""
    attention = AdditiveAttention(d_query=6, d_memory=10, d_hidden=5).double()
    x, memory = torch.randn(2, 3, 6, dtype=torch.float64), torch.randn(2, 4, 10, dtype=torch.float64)
    may_attend = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    may_attend[1, ..., 2:] = False
    record = []
    output = attention(x, memory, may_attend, record=record)
    assert output.shape == (2, 3, 10)
    for row in range(2):
        keys = memory[row, : 4 - 2 * row]
        for query in range(3):
            scores = torch.stack(
                [
                    attention.score.weight[0]
                    @ torch.tanh(
                        attention.query.weight @ x[row, query] + attention.key.weight @ key + attention.key.bias
                    )
                    for key in keys
                ]
            )
            weights = scores.exp() / scores.exp().sum()
            torch.testing.assert_close(record[0][row, 0, query, : len(keys)], weights, atol=1e-12, rtol=0)
            torch.testing.assert_close(output[row, query], weights @ keys, atol=1e-12, rtol=0)
    assert (record[0][1, ..., 2:] == 0).all()


def test_additive_attention_with_nothing_to_look_at():
    attention = AdditiveAttention(6, 6, 5)
    x = torch.randn(1, 2, 6, requires_grad=True)
    output = attention(x, x, torch.zeros(1, 1, 2, 2, dtype=torch.bool))
    output.sum().backward()
    assert (output == 0).all()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("attention", [MultiHeadAttention(8, 2), AdditiveAttention(8, 8, 8)])
@pytest.mark.parametrize(
    ("mask", "complaint"),
    [
        (torch.zeros(2, 1, 3, 5), "boolean"),
        (torch.ones(2, 5, dtype=torch.bool), r"\[2, 5\] does not fit \[batch, heads, queries, keys\] = \[2, ., 3, 5\]"),
        (torch.ones(2, 1, 5, 3, dtype=torch.bool), "equal or 1"),
        (torch.ones(3, 1, 3, 5, dtype=torch.bool), "equal or 1"),
    ],
)
def test_a_wrong_mask_is_named(attention, mask, complaint):
    with pytest.raises(InputError, match=complaint):
        attention(torch.randn(2, 3, 8), torch.randn(2, 5, 8), mask)
