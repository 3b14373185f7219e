# %% by_hand
scores = [3, 1, -3]
e = [math.exp(x) for x in scores]
print([round(number, 4) for number in e])

shares = [number / sum(e) for number in e]
print([round(share, 4) for share in shares], sum(shares))


# %% first
def softmax(x):
    e = np.exp(x)
    return e / e.sum()


print(softmax(np.array([3.0, 1.0, -3.0])).round(4))

# %% too_large
with np.errstate(all="ignore"):
    print(np.exp(1000.0), softmax(np.array([1000.0, 1000.0, 2000.0])))


# %% softmax (kept)
def softmax(x):
    """softmax(x)_i = exp(x_i) / Σ_j exp(x_j), [..., n] -> [..., n]"""
    highest = x.max(axis=-1, keepdims=True)
    e = np.exp(x - highest)
    return e / e.sum(axis=-1, keepdims=True)


# %% rows
x = np.array([[3.0, 1.0, -3.0], [1000.0, 1000.0, 2000.0]])
print(softmax(x).round(4))
print(softmax(x).sum(axis=-1))

# %% check
import torch

from attendo.model.attention import masked_softmax

x = np.random.default_rng(1).normal(size=(5, 7))
np.testing.assert_allclose(softmax(x), masked_softmax(torch.tensor(x), None), rtol=1e-5)
print("✓ softmax = attendo.model.attention.masked_softmax")

# %% scale
for a in (1, 10, 100):
    y = softmax(np.array([a, a, 2 * a]))
    print(f"a = {a:3}   y_3 = {y[2]:.4f}   y_3 (1 - y_3) = {y[2] * (1 - y[2]):.4f}")

# %% picture
a = np.linspace(0, 10, 101)
y_3 = softmax(np.stack((a, a, 2 * a), axis=-1))[:, 2]

figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(a, y_3, color=BLUE, label="$y_3$")
axis.plot(a, y_3 * (1 - y_3), color=ORANGE, label="$y_3\\,(1 - y_3)$")
axis.set(xlabel="a", title="softmax(a, a, 2a)")
axis.legend(frameon=False)
figure.tight_layout()
plt.show()


# %% answer
def derivative(x):
    y = softmax(x)
    return np.diag(y) - np.outer(y, y)


def measured(x, step=1e-6):
    nudged = x + step * np.eye(len(x))
    return ((softmax(nudged) - softmax(x)) / step).T


for a in (1.0, 10.0):
    x = np.array([a, a, 2 * a])
    np.testing.assert_allclose(derivative(x), measured(x), rtol=1e-5, atol=1e-5)
    print(f"a = {a:2.0f}   {np.abs(derivative(x)).max():.5f}")
