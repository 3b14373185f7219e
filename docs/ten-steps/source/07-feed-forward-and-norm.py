# %% relu (kept)
def relu(x):
    """max(0, x)"""
    return np.maximum(x, np.float32(0))


def feed_forward(x, weights):
    """max(0, x W_1 + b_1) W_2 + b_2, [n, d_model] -> [n, d_model]"""
    hidden = relu(linear(x, part(weights, "inner")))
    return linear(hidden, part(weights, "outer"))


# %% alone
generator = np.random.default_rng(7)
weights = {
    "inner.weight": generator.normal(size=(32, 8)),
    "inner.bias": generator.normal(size=32),
    "outer.weight": generator.normal(size=(8, 32)),
    "outer.bias": generator.normal(size=8),
}
x = generator.normal(size=(4, 8))
other = x.copy()
other[2] += 1
print(np.abs(feed_forward(other, weights) - feed_forward(x, weights)).max(axis=-1).round(2))


# %% layer_norm (kept)
def layer_norm(x, weights, eps=1e-5):
    """gain · (x - mean(x)) / √(var(x) + ε) + bias, [n, d_model] -> [n, d_model]"""
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return weights["gain"] * ((x - mean) / np.sqrt(variance + np.float32(eps))) + weights["bias"]


# %% example
plain = {"gain": np.ones(4), "bias": np.zeros(4)}
print(layer_norm(np.array([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], [-7.0, -7.0, -7.0, -3.0]]), plain).round(3))

# %% check
import torch

from attendo.model.config import TransformerConfig
from attendo.model.feed_forward import build_feed_forward
from attendo.model.norms import build_norm


def weights_of(module):
    return {name: parameter.detach().numpy() for name, parameter in module.named_parameters()}


torch.manual_seed(1)
config = TransformerConfig(vocab_size=20, d_model=32, d_ff=128, num_heads=4)
x = 5 + 3 * torch.randn(6, 32)
theirs = build_feed_forward(config)
np.testing.assert_allclose(feed_forward(x.numpy(), weights_of(theirs)), theirs(x).detach(), rtol=1e-5, atol=1e-5)
theirs = build_norm(config)
theirs.gain.data, theirs.bias.data = torch.randn(32), torch.randn(32)
np.testing.assert_allclose(layer_norm(x.numpy(), weights_of(theirs)), theirs(x).detach(), rtol=1e-5, atol=1e-5)
print("✓ feed_forward, layer_norm = attendo.model.feed_forward, attendo.model.norms")

# %% picture
rows = np.array([generator.normal(mean, spread, 60) for mean, spread in ((0, 1), (6, 1), (-3, 4), (2, 0.3))])
plain = {"gain": np.ones(60), "bias": np.zeros(60)}
z = np.linspace(-3, 3, 61)

figure, (first, second, third) = plt.subplots(1, 3, figsize=(10, 3.2))
first.plot(z, relu(z), color=BLUE)
first.set(title="max(0, x)", xlabel="x")
for axis, numbers, title in ((second, rows, "x"), (third, layer_norm(rows, plain), "LayerNorm(x)")):
    for row, vector in enumerate(numbers):
        axis.plot(vector, np.full(60, row), "o", color=(BLUE, ORANGE)[row % 2], alpha=0.4, markersize=5)
    axis.set(yticks=range(4), title=title, xlim=(-13, 10))
    axis.invert_yaxis()
figure.tight_layout()
plt.show()

# %% answer
x = generator.normal(size=(4, 8))
two_layers = linear(linear(x, part(weights, "inner")), part(weights, "outer"))
W = weights["outer.weight"] @ weights["inner.weight"]
b = weights["outer.weight"] @ weights["inner.bias"] + weights["outer.bias"]
print(W.shape, np.allclose(two_layers, linear(x, {"weight": W, "bias": b})))
