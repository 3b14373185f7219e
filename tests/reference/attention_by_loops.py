"""Attention as a child would compute it: one query, one key, one number at a time."""

import math


def attention_by_loops(q, k, v, may_attend):
    """q [queries][d], k [keys][d], v [keys][d_v], may_attend [queries][keys]; lists of numbers in and out."""
    output, weights = [], []
    for query, allowed in zip(q, may_attend, strict=True):
        scores = [sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query)) for key in k]
        largest = max((s for s, ok in zip(scores, allowed, strict=True) if ok), default=0.0)
        parts = [math.exp(s - largest) if ok else 0.0 for s, ok in zip(scores, allowed, strict=True)]
        total = sum(parts)
        row = [part / total if total else 0.0 for part in parts]
        weights.append(row)
        output.append([sum(w * value[j] for w, value in zip(row, v, strict=True)) for j in range(len(v[0]))])
    return output, weights
