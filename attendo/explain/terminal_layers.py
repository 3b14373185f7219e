"""One encoder layer and one step of the decoder, written out in lines: each tensor with the row that is looked at."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from attendo.explain.explain import Explanation
from attendo.explain.terminal_tables import heading, number_text, table, tensor_line
from attendo.explain.view import View, sharpest_head
from attendo.glass.trace import Array, Trace
from attendo.report.language import Tr

FACTORS_SHOWN = 4  # of a dot product
LOOKS_SHOWN = 4


def encoder_layer_lines(found: Explanation, view: View, tr: Tr) -> Iterator[str]:
    config, prefix = found.config, f"encoder.{view.layer}"
    labels, number = found.source_labels, view.layer + 1
    words = tr(
        f"Encoder, layer {number} of {config.encoder_layers}, the row of {labels[view.position]}",
        f"编码器，第 {number} 层（共 {config.encoder_layers} 层），所示行：{labels[view.position]}",
    )
    yield from heading(3, words)
    yield from attention_lines(found, found.shown.trace, f"{prefix}.self_attention", view, view.position, labels, tr)
    yield from feed_forward_lines(found.shown.trace, f"{prefix}.feed_forward", view.position, tr)


def decoder_step_lines(found: Explanation, view: View, tr: Tr) -> Iterator[str]:
    step = view.step
    read, layers = " ".join(found.target_in_labels[: step + 1]), found.config.decoder_layers
    layer = min(view.layer, layers - 1)
    words = tr(
        f"Decoder, layer {layer + 1} of {layers}, step {step + 1}: it has read {read}",
        f"解码器，第 {layer + 1} 层（共 {layers} 层），第 {step + 1} 步：已读入 {read}",
    )
    yield from heading(5, words)
    prefix, trace, target = f"decoder.{layer}", found.shown.trace, found.target_in_labels
    if not found.shown.hands.causal_mask:  # later pieces change earlier rows: only what was read by now may be there
        trace, target = found.shown.at_step(step + 1), target[: step + 1]
    yield from attention_lines(found, trace, f"{prefix}.self_attention", view, step, target, tr)
    yield from attention_lines(found, trace, f"{prefix}.cross_attention", view, step, found.source_labels, tr)
    yield from feed_forward_lines(trace, f"{prefix}.feed_forward", step, tr)
    yield ""
    yield tr(f"   after layer {layers}, the last:", f"   第 {layers} 层（最后一层）之后：")
    yield tensor_line("decoder.out", trace["decoder.out"], trace["decoder.out"][step])


def attention_lines(
    found: Explanation, trace: Trace, prefix: str, view: View, row: int, keys: Sequence[str], tr: Tr
) -> Iterator[str]:
    """Q, K, V, the row of scores through softmax, the weighted sum, W_O, Add & Norm."""
    config = found.config
    weights = trace[f"{prefix}.weights"]
    head = sharpest_head(weights) if view.head is None else view.head
    yield ""
    which = tr("the sharpest", "最集中的") if view.head is None else tr("chosen", "选定的")
    equation = "softmax(Q Kᵀ / √d_k) V" if config.compatibility == "dot" else "softmax(w · tanh(q + k)) V"
    yield tr(
        f"   {prefix}, head {head + 1} of {config.num_heads} ({which})    {equation}",
        f"   {prefix}，第 {head + 1} 个头（共 {config.num_heads} 个，{which}）    {equation}",
    )
    for name in ("norm", "in"):
        if f"{prefix}.{name}" in trace and (name != "norm" or config.norm_order == "pre"):
            yield tensor_line(name, trace[f"{prefix}.{name}"], trace[f"{prefix}.{name}"][row])
            break
    cross = prefix.endswith("cross_attention")
    for name in ("Q", "K", "V", "Q_rotated", "K_rotated"):
        if f"{prefix}.{name}" in trace:
            tensor = trace[f"{prefix}.{name}"]
            yield tensor_line(name, tensor, tensor[head, 0 if cross and name[0] in "KV" else row])
    yield from table(keys, score_rows(trace, prefix, head, row, len(keys)))
    yield from unfolded(trace, prefix, head, row, keys, config.head_dim)
    heads = trace[f"{prefix}.heads"]
    yield tensor_line("heads", heads, heads[head, row])
    for name in ("concat", "out", "add", "norm"):
        if f"{prefix}.{name}" in trace and (name != "norm" or config.norm_order == "post"):
            yield tensor_line(name, trace[f"{prefix}.{name}"], trace[f"{prefix}.{name}"][row])


def score_rows(trace: Trace, prefix: str, head: int, row: int, num_keys: int) -> list[tuple[str, list[str]]]:
    """scores, scaled, masked, weights of one query: a number for each key."""
    rows = []
    for name in ("scores", "scaled", "masked", "weights"):
        if f"{prefix}.{name}" in trace and (name != "masked" or f"{prefix}.may_attend" in trace):
            tensor = trace[f"{prefix}.{name}"]
            rows.append((name, [number_text(float(one)) for one in tensor[head, row, :num_keys]]))
    return rows


def unfolded(trace: Trace, prefix: str, head: int, row: int, keys: Sequence[str], d_k: int) -> Iterator[str]:
    """The weight of the key most looked at, down to its factors."""
    weights = trace[f"{prefix}.weights"][head, row]
    key = int(weights.argmax())
    turned = "_rotated" if f"{prefix}.Q_rotated" in trace else ""
    q, k = trace[f"{prefix}.Q{turned}"][head, row], trace[f"{prefix}.K{turned}"][head, key]
    masked = trace[f"{prefix}.masked"][head, row]
    score, entering = float(trace[f"{prefix}.scores"][head, row, key]), float(masked[key])
    additive = f"{prefix}.w" in trace
    name = f"w·tanh(q + k({keys[key]}))" if additive else f"q·k({keys[key]})"
    left = trace[f"{prefix}.w"][head] if additive else q
    right = np.tanh(q + k) if additive else k
    pairs = zip(left[:FACTORS_SHOWN], right[:FACTORS_SHOWN], strict=True)
    first = " + ".join(f"{number_text(float(one))}·{number_text(float(other))}" for one, other in pairs)
    yield f"   {name} = {first} + … = {number_text(score)}"
    total = sum(math.exp(float(one) - float(masked.max())) for one in masked)
    largest = number_text(float(masked.max()))
    divided = f"/ √{d_k} = {number_text(entering)};  " if entering != score else ""
    weight = number_text(float(weights[key]))
    yield f"   {divided}exp({number_text(entering)} - {largest}) / {number_text(total)} = {weight}"


def feed_forward_lines(trace: Trace, prefix: str, row: int, tr: Tr) -> Iterator[str]:
    yield ""
    gated = f"{prefix}.gate" in trace
    equation = "(SiLU(x W_gate) ⊙ x W_up) W_down" if gated else "activation(x W_1 + b_1) W_2 + b_2"
    yield f"   {prefix}    {equation}"
    for name in ("in", "gate", "up", "inner", "hidden", "out", "add", "norm"):
        if f"{prefix}.{name}" in trace and not (name == "norm" and norm_is_in(trace, prefix)):
            tensor = trace[f"{prefix}.{name}"]
            yield tensor_line(name, tensor, tensor[row])
    hidden = trace[f"{prefix}.hidden"]
    active = int((hidden[row] > 0).sum())
    yield tr(
        f"   {active} of {hidden.shape[-1]} hidden numbers are above 0 here.",
        f"   {hidden.shape[-1]} 个隐藏单元中，此处有 {active} 个大于 0。",
    )


def norm_is_in(trace: Trace, prefix: str) -> bool:
    """Pre-norm: the norm is what the part reads."""
    return trace[f"{prefix}.norm"] is trace[f"{prefix}.in"]


def looks_at(weights: Array, labels: Sequence[str]) -> str:
    """我 0.83, 爱 0.10: the most looked at first."""
    order = (-weights).argsort(kind="stable")[:LOOKS_SHOWN]
    return ", ".join(f"{labels[one]} {weights[one]:.2f}" for one in order if weights[one] >= 0.005)
