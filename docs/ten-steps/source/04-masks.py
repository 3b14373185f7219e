# %% target
words = ["<s>", "I", "love", "machine", "learning"]
generator = np.random.default_rng(4)
Q, K, V = generator.normal(size=(3, 5, 8))


# %% causal (kept)
def causal(n):
    """[n, n], True = may attend"""
    return np.tril(np.ones((n, n), dtype=bool))


# %% show_causal
print(causal(5).astype(int))

# %% minus_infinity
print(softmax(np.array([2.0, 1.0, -np.inf, -np.inf])).round(4))


# %% softmax (kept)
def softmax(x):
    """softmax(x)_i = exp(x_i) / Σ_j exp(x_j), [..., n] -> [..., n]"""
    highest = x.max(axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(highest), 0, highest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


# %% attention (kept)
def attention(Q, K, V, may_attend=None):
    """softmax(Q Kᵀ / √d_k) V"""
    d_k = Q.shape[-1]
    scores = Q @ K.swapaxes(-2, -1)
    masked = scores / math.sqrt(d_k)
    if may_attend is not None:
        masked = np.where(may_attend, masked, -np.inf)
    weights = softmax(masked)
    return weights @ V


# %% padding
PAD = 0
ids = np.array([[1, 11, 12, 13, 14], [1, 21, 22, PAD, PAD]])
real = ids != PAD
print(real.astype(int))

both = causal(5) & real[:, None, :]
print(both[1].astype(int))

# %% check
import torch

from attendo.model import masks
from attendo.model.attention import dot_product_attention

np.testing.assert_array_equal(causal(5), masks.causal(5, 5)[0, 0])
np.testing.assert_array_equal(real, masks.real(torch.tensor(ids), PAD)[:, 0, 0])
nobody = both[1] & np.array([[True], [True], [True], [True], [False]])
for may_attend in (None, causal(5), both[1], nobody):
    mask = None if may_attend is None else torch.tensor(may_attend)
    theirs, _ = dot_product_attention(torch.tensor(Q), torch.tensor(K), torch.tensor(V), mask)
    np.testing.assert_allclose(attention(Q, K, V, may_attend), theirs, rtol=1e-5)
print("✓ causal, real, attention = attendo.model.masks, attendo.model.attention")

# %% picture
figure, axes = plt.subplots(1, 3, figsize=(11, 3.9))
padded = ["<s>", "I", "love", "<pad>", "<pad>"]
for axis, title, may_attend, labels in zip(
    axes,
    ("causal", "real", "causal & real"),
    (causal(5), np.broadcast_to(real[1], (5, 5)), both[1]),
    (words, padded, padded),
    strict=True,
):
    weights = attention(Q, K, np.eye(5), may_attend)
    heat_map(axis, np.where(may_attend, weights, np.nan), labels, labels, title)
    axis.tick_params(axis="x", rotation=45)
figure.tight_layout()
plt.show()

# %% answer
other = V.copy()
other[4] += 100
changed = np.abs(attention(Q, K, other, causal(5)) - attention(Q, K, V, causal(5))).max(axis=-1)
print(changed.round(2))

zeroed = np.where(causal(5), Q @ K.T / math.sqrt(8), 0)
changed = np.abs(softmax(zeroed) @ other - softmax(zeroed) @ V).max(axis=-1)
print(changed.round(2))
