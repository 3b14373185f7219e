# %% blind
generator = np.random.default_rng(6)
X = generator.normal(size=(4, 8))
order = [3, 1, 0, 2]
print(np.allclose(attention(X, X, X)[order], attention(X[order], X[order], X[order])))


# %% sinusoidal_encoding (kept)
def sinusoidal_encoding(positions, d_model):
    """sin(pos / 10000^(2i/d_model)), cos(pos / 10000^(2i/d_model)), [n] -> [n, d_model]"""
    two_i = np.arange(0, d_model, 2)
    angles = positions[:, None] / 10_000 ** (two_i / d_model)
    pairs = np.stack((np.sin(angles), np.cos(angles)), axis=-1)
    return pairs.reshape(len(positions), d_model).astype(np.float32)


# %% example
for two_i in (0, 2, 4, 6):
    angle = 2 / 10_000 ** (two_i / 8)
    print(f"2i = {two_i}   {angle:.3f}   sin {math.sin(angle):.4f}   cos {math.cos(angle):.6f}")
print(sinusoidal_encoding(np.array([2]), 8).round(4))


# %% embed (kept)
def embed(ids, weights):
    """[n] -> [n, d_model]"""
    table = weights["embedding.weight"]
    return table[ids] * np.float32(math.sqrt(table.shape[1]))


# %% sum
weights = {"embedding.weight": generator.normal(0, 8**-0.5, (20, 8)).astype(np.float32)}
ids = np.array([7, 3, 3, 7])
x = embed(ids, weights) + sinusoidal_encoding(np.arange(4), 8)
print(np.allclose(embed(ids, weights)[0], embed(ids, weights)[3]), np.allclose(x[0], x[3]))
print(np.allclose(attention(x, x, x)[order], attention(x[order], x[order], x[order])))
moved = embed(ids[order], weights) + sinusoidal_encoding(np.arange(4), 8)
print(np.allclose(attention(x, x, x)[order], attention(moved, moved, moved)))

# %% check
import torch

from attendo.model import positions
from attendo.model.embeddings import ScaledEmbedding

theirs = positions.sinusoidal_encoding(torch.arange(100)[None], 64)[0]
np.testing.assert_allclose(sinusoidal_encoding(np.arange(100), 64), theirs, rtol=1e-5, atol=1e-5)
table = ScaledEmbedding(20, 8)
table.weight.data = torch.tensor(weights["embedding.weight"])
np.testing.assert_allclose(embed(ids, weights), table(torch.tensor(ids)[None])[0].detach(), rtol=1e-5, atol=1e-5)
print("✓ sinusoidal_encoding, embed = attendo.model.positions, attendo.model.embeddings")

# %% picture
PE = sinusoidal_encoding(np.arange(101), 64)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.4), width_ratios=(3, 2))
image = left.imshow(PE[:50].T, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
left.set(xlabel="pos", ylabel="2i, 2i + 1", title="PE(pos)")
figure.colorbar(image, ax=left)
right.plot(np.arange(-50, 51), PE @ PE[50], color=BLUE)
right.set(xlabel="k", title="PE(50) · PE(50 + k)")
figure.tight_layout()
plt.show()


# %% answer
def turn(k, d_model):
    """PE(pos) @ turn(k) = PE(pos + k)"""
    M = np.zeros((d_model, d_model))
    for two_i in range(0, d_model, 2):
        angle = k / 10_000 ** (two_i / d_model)
        cos, sin = math.cos(angle), math.sin(angle)
        M[two_i : two_i + 2, two_i : two_i + 2] = [[cos, -sin], [sin, cos]]
    return M


print(turn(1, 4).round(4))
np.testing.assert_allclose(PE[:90] @ turn(7, 64), PE[7:97], rtol=1e-5, atol=1e-5)
print("✓")
