"""The walk in a terminal: text, pieces, embedding, one layer written out, the others in a line, the decoder's steps."""

import math
from collections.abc import Iterator

from attendo.explain.explain import Explanation
from attendo.explain.stored import best_pieces
from attendo.explain.terminal_layers import decoder_step_lines, encoder_layer_lines, looks_at
from attendo.explain.terminal_tables import heading, table, tensor_line, token_names
from attendo.explain.terminal_training import comparison_lines, training_lines
from attendo.explain.view import View, sharpest_head
from attendo.report.columns import padded
from attendo.report.formatting import visible
from attendo.report.language import Language, Tr, in_language

BEST_SHOWN = 5  # pieces of a step


def explanation_lines(found: Explanation, view: View, language: Language = "en") -> Iterator[str]:
    tr = in_language(language)
    yield from head_lines(found, tr)
    if found.touched:
        yield from comparison_lines(found, tr)
    yield from piece_lines(found, tr)
    yield from embedding_lines(found, view, tr)
    yield from encoder_layer_lines(found, view, tr)
    yield from other_layers(found, view, tr)
    yield from decoder_step_lines(found, view, tr)
    yield from step_lines(found, tr)
    yield from training_lines(found, tr)


def summary_lines(found: Explanation, language: Language = "en") -> Iterator[str]:
    """What stands above the walk, and the steps: for who has the page."""
    tr = in_language(language)
    yield from head_lines(found, tr)
    if found.touched:
        yield from comparison_lines(found, tr)


def head_lines(found: Explanation, tr: Tr) -> Iterator[str]:
    config, best = found.config, found.shown.best
    yield f"{visible(found.shown.text)}  →  {visible(found.shown.translation)}"
    yield tr(
        f"  {found.model_name}, {found.shown.read.languages.source}-{found.shown.read.languages.target}: "
        f"{config.encoder_layers} + {config.decoder_layers} layers, d_model {config.d_model}, "
        f"{config.num_heads} heads, d_k {config.head_dim}, d_ff {config.d_ff}, {config.vocab_size:,} pieces",
        f"  {found.model_name}，{found.shown.read.languages.source}-{found.shown.read.languages.target}："
        f"{config.encoder_layers} + {config.decoder_layers} 层，d_model {config.d_model}，"
        f"{config.num_heads} 个头，d_k {config.head_dim}，d_ff {config.d_ff}，词表 {config.vocab_size:,}",
    )
    facts = f"{best.log_prob:.4f}", f"{best.score:.4f}", found.shown.options.beam_size
    yield tr("  log-probability {}, score {}, beam {}".format(*facts), "  对数概率 {}，得分 {}，束宽 {}".format(*facts))


def piece_lines(found: Explanation, tr: Tr) -> Iterator[str]:
    yield from heading(1, tr("Text → pieces", "文本 → 词元"))
    rows = [
        (tr("position", "位置"), [str(index) for index in range(len(found.shown.source))]),
        (tr("id", "编号"), [str(one) for one in found.shown.source]),
    ]
    yield from table(found.source_labels, rows)


def embedding_lines(found: Explanation, view: View, tr: Tr) -> Iterator[str]:
    trace, config = found.shown.trace, found.config
    root = math.sqrt(config.d_model)
    added = " + PE(pos)" if "source.positions" in trace else ""
    words = tr("Embedding × √d_model + positions", "词嵌入 × √d_model + 位置编码")
    yield from heading(2, words, f"x = E[id] · √{config.d_model}{added},  √{config.d_model} = {root:g}")
    yield f"   {tr('row of', '所示行：')} {found.source_labels[view.position]}"
    for name in ("source.embedding", "source.scaled", "source.positions", "source.x"):
        if name in trace:
            yield tensor_line(name.removeprefix("source."), trace[name], trace[name][view.position])


def other_layers(found: Explanation, view: View, tr: Tr) -> Iterator[str]:
    """Of each other layer where its sharpest head looks; then what the encoder gives."""
    trace, config, labels = found.shown.trace, found.config, found.source_labels
    yield ""
    for layer in range(config.encoder_layers):
        if layer == view.layer:
            continue
        weights = trace[f"encoder.{layer}.self_attention.weights"]
        head = sharpest_head(weights)
        where = looks_at(weights[head, view.position], labels)
        yield tr(
            f"   layer {layer + 1}, head {head + 1}: {labels[view.position]} looks at {where}",
            f"   第 {layer + 1} 层，第 {head + 1} 个头：{labels[view.position]} 看 {where}",
        )
    words = tr(
        "Memory: what the encoder gives, and all the decoder will ever see of the source",
        "记忆：编码器的输出，解码器对原文的全部所见",
    )
    yield from heading(4, words)
    yield tensor_line("memory", trace["memory"], trace["memory"][view.position])


def step_lines(found: Explanation, tr: Tr) -> Iterator[str]:
    """Of each step the best pieces, and which one came."""
    temperature = found.shown.hands.temperature
    equation = "p = softmax(decoder.out Eᵀ)" if temperature == 1 else f"p = softmax(decoder.out Eᵀ / {temperature:g})"
    yield from heading(
        6, tr("Logits → softmax → the next piece, at every step", "logits → softmax → 每一步的下一个词元"), equation
    )
    ids, trace = found.shown.best.ids, found.shown.trace
    cross = trace[f"decoder.{found.config.decoder_layers - 1}.cross_attention.weights"].mean(axis=0)
    for step, piece in enumerate(ids):
        log_probs = found.log_probs[step]
        best = [int(one) for one in best_pieces(log_probs, BEST_SHOWN)]
        labels = token_names(best, found)
        shares = "  ".join(f"{label} {math.exp(log_probs[one]):.4f}" for one, label in zip(best, labels, strict=True))
        came = (
            ""
            if piece == best[0]
            else tr("   (not the likeliest: the whole won)", "   （不是概率最高的：整句得分更高）")
        )
        reads, writes = padded(found.target_in_labels[step], 10), padded(found.target_labels[step], 10)
        yield f"   {step + 1:>2}  {reads} → {writes} {shares}{came}"
        if found.shown.hands.causal_mask:  # without it the rows of earlier steps are no longer what they were
            yield f"       {tr('looks at', '看')} {looks_at(cross[step], found.source_labels)}"
