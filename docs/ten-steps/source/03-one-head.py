# %% dictionary
fruit = {"red": "apple", "yellow": "banana"}
print(fruit["red"])

# %% words
words = ["我", "爱", "机器", "学习"]
X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]])

# %% without_w
print(softmax(X @ X.T).round(2))

# %% matrices
W_Q = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
W_K = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
W_V = np.array([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]])

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
for word, q, k, v in zip(words, Q, K, V, strict=True):
    print(q, k, v, word)

# %% one_word
q = Q[1]
scores = np.array([q @ k for k in K])
scaled = scores / math.sqrt(2)
weights = softmax(scaled)
for word, score, number, weight, v in zip(words, scores, scaled, weights, V, strict=True):
    print(f"{score:.0f}   {number:.2f}   {weight:.2f}   {v}   {word}")

# %% new_vector
print(sum(weight * v for weight, v in zip(weights, V, strict=True)).round(2))


# %% attention (kept)
def attention(Q, K, V):
    """softmax(Q Kᵀ / √d_k) V"""
    d_k = Q.shape[-1]
    scores = Q @ K.swapaxes(-2, -1)
    scaled = scores / math.sqrt(d_k)
    weights = softmax(scaled)
    return weights @ V


# %% all_words
print(attention(Q, K, V).round(2))

# %% check
import torch

from attendo.model.attention import dot_product_attention

theirs, weights = dot_product_attention(*(torch.tensor(x)[None, None] for x in (Q, K, V)))
weights = weights[0, 0].numpy()
np.testing.assert_allclose(attention(Q, K, V), theirs[0, 0], rtol=1e-5)
print("✓ attention = attendo.model.attention.dot_product_attention")

# %% picture
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6))
heat_map(left, softmax(X @ X.T), words, words, "softmax(X Xᵀ)")
heat_map(right, weights, words, words, "softmax(Q Kᵀ / √d_k)")
figure.tight_layout()
plt.show()

# %% answer_zero
nothing = np.zeros((3, 2))
print(softmax((X @ nothing) @ (X @ nothing).T / math.sqrt(2)))
print(attention(X @ nothing, X @ nothing, V), V.mean(axis=0))

# %% answer_things
W_Q = np.array([[0.0, 0.0, 4.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
Q, K = X @ W_Q, X
print(softmax(Q @ K.T / math.sqrt(3)).round(2))
