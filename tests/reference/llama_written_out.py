"""Llama's forward pass as plain functions of named tensors, in the precision of its input: no modules, no cache.

Written from the equations of the papers (RMSNorm, rotary embedding, SwiGLU), position by position where that is
clearer, so that it shares nothing with the code under test.
"""

import math

import torch


def rms_norm(x, gain, eps):
    return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)


def rotate(x, position, base):
    """One vector at one position; component i is paired with component i + d/2."""
    d = len(x)
    turned = x.clone()
    for i in range(d // 2):
        angle = position * base ** (-2 * i / d)
        a, b = x[i], x[i + d // 2]
        turned[i] = a * math.cos(angle) - b * math.sin(angle)
        turned[i + d // 2] = b * math.cos(angle) + a * math.sin(angle)
    return turned


def causal_attention(x, weights, prefix, num_heads, kv_heads, base):
    """Heads 0, 1, … of a group of num_heads / kv_heads look by the same keys at the same values."""
    length, d_model = x.shape
    width = d_model // num_heads
    q, k, v = (x @ weights[f"{prefix}.{name}.weight"].T for name in ("query", "key", "value"))
    heads = []
    for head in range(num_heads):
        columns = slice(head * width, (head + 1) * width)
        served_by = head * kv_heads // num_heads
        shared = slice(served_by * width, (served_by + 1) * width)
        rows = []
        for i in range(length):
            query = rotate(q[i, columns], i, base)
            scores = torch.stack([query @ rotate(k[j, shared], j, base) for j in range(i + 1)]) / math.sqrt(width)
            rows.append(torch.softmax(scores, 0) @ v[: i + 1, shared])
        heads.append(torch.stack(rows))
    return torch.cat(heads, -1) @ weights[f"{prefix}.output.weight"].T


def swiglu(x, weights, prefix):
    gate = x @ weights[f"{prefix}.gate.weight"].T
    return (gate / (1 + torch.exp(-gate)) * (x @ weights[f"{prefix}.up.weight"].T)) @ weights[f"{prefix}.down.weight"].T


def llama_logits(tokens, weights, *, num_layers, num_heads, kv_heads, eps, base):
    """tokens [length] -> logits [length, vocab]."""
    x = weights["embedding.weight"][tokens]
    for n in range(num_layers):
        layer = f"layers.{n}"
        normed = rms_norm(x, weights[f"{layer}.around_self_attention.norm.gain"], eps)
        x = x + causal_attention(normed, weights, f"{layer}.self_attention", num_heads, kv_heads, base)
        normed = rms_norm(x, weights[f"{layer}.around_feed_forward.norm.gain"], eps)
        x = x + swiglu(normed, weights, f"{layer}.feed_forward")
    return rms_norm(x, weights["norm.gain"], eps) @ weights["output.weight"].T
