"""In lines: the training pass of the pair, and what a hand changes."""

import math
from collections.abc import Iterator, Sequence

from attendo.explain.explain import Explanation
from attendo.explain.labels import labels_of
from attendo.explain.terminal_tables import heading, number_text, right, token_names
from attendo.report.columns import num_columns, padded
from attendo.report.formatting import visible
from attendo.report.language import Tr


def training_lines(found: Explanation, tr: Tr) -> Iterator[str]:
    """The same pair in training: the right piece is read at each position, whatever the model would have said."""
    training = found.training
    whose = (
        tr("the target you gave", "给定的译文")
        if training.given
        else tr("the model's own translation", "模型自己的译文")
    )
    yield from heading(7, tr(f"Training on this pair ({whose})", f"用这一句对训练（{whose}）"), "loss = -log p(answer)")
    answers = labels_of([one.answer for one in training.positions], found.tokenizer)
    reads = labels_of([one.reads for one in training.positions], found.tokenizer)
    bests = token_names([one.best for one in training.positions], found)
    fed = labels_of([one for one, _ in training.fed_back], found.tokenizer)
    columns = (
        tr("reads", "读入"), tr("answer", "正确答案"), "p", tr("loss", "损失"), tr("likeliest", "最可能"),
        tr("fed back", "自回归输出"),
    )  # fmt: skip
    rows = [
        (
            reads[index], answers[index], f"{one.probability:.4f}", f"{one.loss:.4f}", bests[index],
            fed[index] if index < len(fed) else "",
        )
        for index, one in enumerate(training.positions)
    ]  # fmt: skip
    yield from word_table(columns, rows, numeric={2, 3})
    losses = f"{training.loss:.4f}", f"{training.smoothed_loss:.4f}"
    yield tr(
        "   mean loss {}; with label smoothing 0.1 {}.".format(*losses),
        "   平均损失 {}；标签平滑 0.1 时为 {}。".format(*losses),
    )
    if found.shown.hands.causal_mask:
        yield tr(
            "   One pass gives all positions: the causal mask hides from each what comes after it.",
            "   所有位置一次算完：因果掩码让每个位置都看不到它后面的词元。",
        )
    else:
        yield tr(
            "   Without the causal mask a position would read its own answer: here each got a pass up to itself.",
            "   没有因果掩码，一个位置会读到自己的答案：这里为每个位置单独算一遍，只读到它为止。",
        )
    if training.parts_at is None:
        yield tr(
            "   Fed with its own output the model writes the same: at every step its likeliest piece is the answer.",
            "   把模型自己的输出反馈给它，写出的完全相同：每一步概率最高的词元都是正确答案。",
        )
    else:
        step = training.parts_at + 1
        yield tr(
            f"   Fed with its own output the model leaves this target at step {step}, "
            "and reads its own pieces from there on.",
            f"   把模型自己的输出反馈给它，从第 {step} 步起与此译文不同，此后读入的都是它自己的词元。",
        )


def comparison_lines(found: Explanation, tr: Tr) -> Iterator[str]:
    """Both translations, where they part, and how the probability of each untouched piece fell."""
    comparison, plain = found.touched, found.plain
    if comparison is None:
        return
    yield ""
    yield tr("With the hand: ", "改动后：") + visible(found.shown.translation)
    yield tr("Without:       ", "改动前：") + visible(plain.translation)
    labels = labels_of(plain.best.ids, found.tokenizer)
    if comparison.parts_at is None:
        yield tr("  The same pieces at every step.", "  每一步的词元都相同。")
    else:
        step = comparison.parts_at
        names = [*labels, "∅"][min(step, len(labels))], [*found.target_labels, "∅"][min(step, len(found.target_labels))]
        yield tr(
            f"  They part at step {step + 1}: {names[0]} without, {names[1]} with the hand.",
            f"  从第 {step + 1} 步起不同：改动前 {names[0]}，改动后 {names[1]}。",
        )
    columns = tr("untouched piece", "改动前的词元"), tr("p without", "p（改动前）"), tr("p with", "p（改动后）"), "KL"
    rows = [
        (label, f"{math.exp(one.log_prob):.4f}", f"{math.exp(one.touched_log_prob):.4f}", number_text(one.divergence))
        for label, one in zip(labels, comparison.steps, strict=True)
    ]
    yield from word_table(columns, rows, numeric={1, 2, 3})


def word_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: set[int]) -> Iterator[str]:
    widths = [max(num_columns(row[index]) for row in (columns, *rows)) + 2 for index in range(len(columns))]
    for row in (columns, *rows):
        cells = (
            right(cell, width) + "  " if index in numeric else padded(cell, width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"   {''.join(cells)}".rstrip()
