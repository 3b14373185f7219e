# %% words
words = ["我", "爱", "机器", "学习"]
X = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 2.0], [0.0, 2.0]])

# %% by_hand
print("我 · 爱   =", 2 * 1 + 0 * 1)
print("我 · 学习 =", 2 * 0 + 0 * 2)
print("我 · 机器 =", 2 * -1 + 0 * 2)

# %% all_pairs
scores = X @ X.T
print(scores)

# %% shares
print(softmax(scores).round(2))

# %% variance
generator = np.random.default_rng(1)
for d_k in (4, 16, 64, 256):
    q, k = generator.normal(size=(2, 20_000, d_k))
    products = (q * k).sum(axis=-1)
    print(f"d_k = {d_k:3}   {products.var():6.1f}   {(products / math.sqrt(d_k)).var():.2f}")

# %% check
from attendo.glass.attention import attention as glass_attention
from attendo.glass.trace import Trace

Q, K, V = generator.normal(size=(3, 5, 64))
trace = Trace()
glass_attention(Q, K, V, trace=trace)
np.testing.assert_allclose(Q @ K.T, trace["scores"], rtol=1e-5)
np.testing.assert_allclose(Q @ K.T / math.sqrt(64), trace["scaled"], rtol=1e-5)
print("✓ Q Kᵀ and Q Kᵀ / √d_k = attendo.glass.attention")

# %% picture
sizes = [2**n for n in range(1, 11)]
plain, scaled = [], []
for d_k in sizes:
    q = generator.normal(size=(500, 1, d_k))
    K = generator.normal(size=(500, 10, d_k))
    scores = (q @ K.swapaxes(-2, -1))[:, 0]
    plain.append(softmax(scores).max(axis=-1).mean())
    scaled.append(softmax(scores / math.sqrt(d_k)).max(axis=-1).mean())

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
for word, (x, y) in zip(words, X, strict=True):
    left.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": BLUE, "lw": 2})
    left.text(1.08 * x + 0.05, 1.08 * y, word)
left.set(xlim=(-1.6, 2.6), ylim=(-0.4, 2.5), aspect="equal")
left.grid(color="#e4e4e4")
right.semilogx(sizes, plain, "o-", base=2, color=ORANGE, label="$q\\cdot k$")
right.semilogx(sizes, scaled, "o-", base=2, color=BLUE, label="$q\\cdot k\\,/\\,\\sqrt{d_k}$")
right.set(xlabel="$d_k$", ylabel="max softmax", ylim=(0, 1))
right.legend(frameon=False, loc="upper left")
figure.tight_layout()
plt.show()

# %% answer
longer = X * np.array([[1.0], [2.0], [1.0], [1.0]])
print(longer @ longer.T)

lengths = np.sqrt((longer**2).sum(axis=-1))
print((longer @ longer.T / np.outer(lengths, lengths)).round(2))
