# %% part (kept)
def part(weights, name):
    """{"query.weight": …} -> {"weight": …}"""
    return {key.removeprefix(f"{name}."): array for key, array in weights.items() if key.startswith(f"{name}.")}


# %% linear (kept)
def linear(x, weights):
    """x W + b, [..., d_in] -> [..., d_out]"""
    return x @ weights["weight"].T + weights["bias"]


# %% split_heads (kept)
def split_heads(x, h):
    """[..., n, d_model] -> [..., h, n, d_k]"""
    return x.reshape(*x.shape[:-1], h, -1).swapaxes(-3, -2)


def join_heads(heads):
    """[..., h, n, d_k] -> [..., n, d_model]"""
    rows = heads.swapaxes(-3, -2)
    return rows.reshape(*rows.shape[:-2], -1)


# %% cut
x = np.arange(12).reshape(2, 6)
print(x)
print(split_heads(x, 3))
print(np.array_equal(join_heads(split_heads(x, 3)), x))


# %% multi_head (kept)
def multi_head(x, memory, weights, h, may_attend=None):
    """Concat(head_1, …, head_h) W_O, [queries, d_model] -> [queries, d_model]"""
    Q = split_heads(linear(x, part(weights, "query")), h)
    K = split_heads(linear(memory, part(weights, "key")), h)
    V = split_heads(linear(memory, part(weights, "value")), h)
    heads = attention(Q, K, V, may_attend)
    return linear(join_heads(heads), part(weights, "output"))


# %% check
import torch

from attendo.model.multi_head import MultiHeadAttention

torch.manual_seed(1)
theirs = MultiHeadAttention(d_model=32, num_heads=4)
weights = {name: parameter.detach().numpy() for name, parameter in theirs.named_parameters()}
print({name: array.shape for name, array in weights.items()})

x, memory = torch.randn(5, 32), torch.randn(7, 32)
ours = multi_head(x.numpy(), memory.numpy(), weights, h=4)
np.testing.assert_allclose(ours, theirs(x[None], memory[None])[0].detach(), rtol=1e-5, atol=1e-5)
print("✓ multi_head = attendo.model.multi_head.MultiHeadAttention")

# %% trained
from attendo.glass.look import look

found = look("我爱机器学习", to="en")
name = "encoder.2.self_attention"
weights = part(found.glass.model.weights.arrays, "encoder.layers.2.self_attention")
x = found.trace[f"{name}.in"]
print(found.source_pieces, x.shape)
np.testing.assert_allclose(multi_head(x, x, weights, h=6), found.trace[f"{name}.out"], rtol=1e-5, atol=1e-5)
print("✓ multi_head = attendo.glass")

# %% picture
pieces = found.source_pieces
figure, axes = plt.subplots(2, 2, figsize=(8.6, 8))
for head, axis in zip((0, 1, 3, 5), axes.flat, strict=True):
    heat_map(axis, found.trace[f"{name}.weights"][head], pieces, pieces, f"head {head}")
figure.tight_layout()
plt.show()

# %% answer
for h in (1, 8):
    attention_of_base = MultiHeadAttention(d_model=512, num_heads=h)
    count = sum(parameter.numel() for parameter in attention_of_base.parameters())
    print(f"h = {h}   d_k = {512 // h:3}   {count:,}   {4 * (512 * 512 + 512):,}")
