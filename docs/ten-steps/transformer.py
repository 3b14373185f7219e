"""The Transformer that the ten steps write, whole. Made by `python -m benchmarks.ten_steps`."""

import math

import numpy as np


def softmax(x):
    """softmax(x)_i = exp(x_i) / Σ_j exp(x_j), [..., n] -> [..., n]"""
    highest = x.max(axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(highest), 0, highest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def attention(Q, K, V, may_attend=None):
    """softmax(Q Kᵀ / √d_k) V"""
    d_k = Q.shape[-1]
    scores = Q @ K.swapaxes(-2, -1)
    masked = scores / math.sqrt(d_k)
    if may_attend is not None:
        masked = np.where(may_attend, masked, -np.inf)
    weights = softmax(masked)
    return weights @ V


def causal(n):
    """[n, n], True = may attend"""
    return np.tril(np.ones((n, n), dtype=bool))


def part(weights, name):
    """{"query.weight": …} -> {"weight": …}"""
    return {key.removeprefix(f"{name}."): array for key, array in weights.items() if key.startswith(f"{name}.")}


def linear(x, weights):
    """x W + b, [..., d_in] -> [..., d_out]"""
    return x @ weights["weight"].T + weights["bias"]


def split_heads(x, h):
    """[..., n, d_model] -> [..., h, n, d_k]"""
    return x.reshape(*x.shape[:-1], h, -1).swapaxes(-3, -2)


def join_heads(heads):
    """[..., h, n, d_k] -> [..., n, d_model]"""
    rows = heads.swapaxes(-3, -2)
    return rows.reshape(*rows.shape[:-2], -1)


def multi_head(x, memory, weights, h, may_attend=None):
    """Concat(head_1, …, head_h) W_O, [queries, d_model] -> [queries, d_model]"""
    Q = split_heads(linear(x, part(weights, "query")), h)
    K = split_heads(linear(memory, part(weights, "key")), h)
    V = split_heads(linear(memory, part(weights, "value")), h)
    heads = attention(Q, K, V, may_attend)
    return linear(join_heads(heads), part(weights, "output"))


def sinusoidal_encoding(positions, d_model):
    """sin(pos / 10000^(2i/d_model)), cos(pos / 10000^(2i/d_model)), [n] -> [n, d_model]"""
    two_i = np.arange(0, d_model, 2)
    angles = positions[:, None] / 10_000 ** (two_i / d_model)
    pairs = np.stack((np.sin(angles), np.cos(angles)), axis=-1)
    return pairs.reshape(len(positions), d_model).astype(np.float32)


def embed(ids, weights):
    """[n] -> [n, d_model]"""
    table = weights["embedding.weight"]
    return table[ids] * np.float32(math.sqrt(table.shape[1]))


def relu(x):
    """max(0, x)"""
    return np.maximum(x, np.float32(0))


def feed_forward(x, weights):
    """max(0, x W_1 + b_1) W_2 + b_2, [n, d_model] -> [n, d_model]"""
    hidden = relu(linear(x, part(weights, "inner")))
    return linear(hidden, part(weights, "outer"))


def layer_norm(x, weights, eps=1e-5):
    """gain · (x - mean(x)) / √(var(x) + ε) + bias, [n, d_model] -> [n, d_model]"""
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return weights["gain"] * ((x - mean) / np.sqrt(variance + np.float32(eps))) + weights["bias"]


def add_and_norm(x, sublayer, config, weights):
    """post: Norm(x + Sublayer(x)); pre: x + Sublayer(Norm(x))"""
    if config.norm_order == "post":
        return layer_norm(x + sublayer(x), weights)
    return x + sublayer(layer_norm(x, weights))


def encoder_layer(x, config, weights):
    """[source, d_model] -> [source, d_model]"""
    h = config.num_heads

    def look_around(x):
        return multi_head(x, x, part(weights, "self_attention"), h)

    def think(x):
        return feed_forward(x, part(weights, "feed_forward"))

    x = add_and_norm(x, look_around, config, part(weights, "around_self_attention.norm"))
    return add_and_norm(x, think, config, part(weights, "around_feed_forward.norm"))


def last_norm(x, config, weights):
    return x if config.norm_order == "post" else layer_norm(x, weights)


def encoder(x, config, weights):
    """[source, d_model] -> memory [source, d_model]"""
    for layer in range(config.encoder_layers):
        x = encoder_layer(x, config, part(weights, f"layers.{layer}"))
    return last_norm(x, config, part(weights, "norm"))


def decoder_layer(x, memory, may_attend, config, weights):
    """[target, d_model], [source, d_model] -> [target, d_model]"""
    h = config.num_heads

    def look_back(x):
        return multi_head(x, x, part(weights, "self_attention"), h, may_attend)

    def look_at_source(x):
        return multi_head(x, memory, part(weights, "cross_attention"), h)

    def think(x):
        return feed_forward(x, part(weights, "feed_forward"))

    x = add_and_norm(x, look_back, config, part(weights, "around_self_attention.norm"))
    x = add_and_norm(x, look_at_source, config, part(weights, "around_cross_attention.norm"))
    return add_and_norm(x, think, config, part(weights, "around_feed_forward.norm"))


def decoder(x, memory, may_attend, config, weights):
    """[target, d_model], [source, d_model] -> [target, d_model]"""
    for layer in range(config.decoder_layers):
        x = decoder_layer(x, memory, may_attend, config, part(weights, f"layers.{layer}"))
    return last_norm(x, config, part(weights, "norm"))


def output_logits(x, weights):
    """[target, d_model] -> [target, vocab]"""
    return x @ weights["embedding.weight"].T


def log_softmax(x):
    """log softmax(x)_i = x_i - log Σ_j exp(x_j)"""
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def with_positions(ids, weights):
    x = embed(ids, weights)
    return x + sinusoidal_encoding(np.arange(len(ids)), x.shape[-1])


def encode(source, config, weights):
    """[source] -> memory [source, d_model]"""
    return encoder(with_positions(source, weights), config, part(weights, "encoder"))


def decode(target_in, memory, config, weights):
    """[target], [source, d_model] -> log_probs [target, vocab]"""
    x = with_positions(target_in, weights)
    x = decoder(x, memory, causal(len(target_in)), config, part(weights, "decoder"))
    return log_softmax(output_logits(x, weights))


BOS, EOS = 1, 2


def greedy(memory, config, weights, max_length):
    """memory [source, d_model] -> ids, the last is </s>"""
    target = []
    while len(target) < max_length and EOS not in target:
        log_probs = decode(np.array([BOS, *target]), memory, config, weights)
        target.append(int(log_probs[-1].argmax()))
    return target
