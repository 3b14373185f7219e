"""An examination for people: a progress display, tables, advice in sentences, and two pictures of the lengths."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from attendo.doctor.checks import find_length_outliers, log_ratios
from attendo.doctor.examine import Examination, ExaminationProgress
from attendo.doctor.finding import Finding
from attendo.doctor.repair import REASONS, Repair
from attendo.errors import DataError
from attendo.report.formatting import count_text, visible
from attendo.report.language import Bilingual, Tr, in_english

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # heavy, and needed for pictures alone

LONGEST_EXAMPLE = 60  # characters of a side
EXAMPLES = 2

DROPPED = {
    "wrong_language": Bilingual("{count} in a wrong language", "{count}语言不对"),
    "leak": Bilingual(
        "{count} of the test set, where a score would measure memory", "{count}出自测试集，会使得分变成测记忆"
    ),
    "broken_encoding": Bilingual("{count} with a broken encoding", "{count}编码损坏"),
    "empty": Bilingual("{count} with an empty side", "{count}有一侧为空"),
    "copy": Bilingual("{count} with a copy of the source", "{count}译文照抄原文"),
    "duplicate": Bilingual("{count} for the second time", "{count}重复出现"),
}
MANY = 0.01  # of all pairs: from here on a soft finding is worth a sentence
SOFT = {
    "implausible": Bilingual(
        "{count} with words that hardly translate each other: read some before you trust the rest.",
        "{count}的两侧用词对不上：先读几对，再决定其余是否可信。",
    ),
    "length_outlier": Bilingual(
        "{count} with sides of very different length: look whether sentences were cut.",
        "{count}两侧长度悬殊：请检查句子是否被截断。",
    ),
    "number_mismatch": Bilingual("{count} with a number on one side only.", "{count}只有一侧有某个数字。"),
    "mixed_script": Bilingual(
        "{count} with simplified and traditional characters: convert them to one script (OpenCC does).",
        "{count}简繁混用：请统一成一种字体（可用 OpenCC）。",
    ),
    "mixed_punctuation": Bilingual(
        "{count} with half- and full-width punctuation: a normalisation before training would help.",
        "{count}半角、全角标点混用：训练前最好统一。",
    ),
    "control_characters": Bilingual(
        "{count} with characters that nobody can see; --write takes them out.",
        "{count}含不可见字符；--write 会去掉它们。",
    ),
}
KINDS = {
    "empty": "空",
    "copy": "照抄原文",
    "broken_encoding": "编码损坏",
    "control_characters": "控制字符",
    "number_mismatch": "数字不符",
    "leak": "测试集泄漏",
    "mixed_script": "简繁混用",
    "mixed_punctuation": "标点混用",
    "duplicate": "重复",
    "swapped": "两侧对调",
    "wrong_language": "语言不对",
    "shifted_block": "整段错位",
    "implausible": "不像互译",
    "length_outlier": "长度异常",
}

MOST_POINTS = 20_000  # more would only make the picture darker
POINT, OUTLIER = "#3b528b", "#d55e00"  # told apart by colour-blind eyes, and in print

EVERY = 1_000  # pairs; telling each would cost more than reading it


def print_report(examination: Examination, console: Console, tr: Tr = in_english) -> None:
    source, target = examination.languages
    pairs = tr(f"{examination.num_pairs:,} pairs", f"{examination.num_pairs:,} 个句对")
    title = f"{examination.corpus}{tr(': ', '：')}{pairs}{tr(', ', '，')}{source} → {target}"
    console.print(Text(visible(title), style="bold"))
    if examination.findings:
        table = Table(tr("finding", "问题"), tr("lines", "行数"), tr("share", "占比"), tr("where", "位置"))
        table.columns[1].justify = table.columns[2].justify = "right"
        for finding in examination.findings:
            share = len(finding.lines) / examination.num_pairs
            table.add_row(name(finding, tr), f"{len(finding.lines):,}", f"{share:.2%}", where(finding))
        console.print(table)
        for finding in examination.findings:
            console.print(Text(f"{name(finding, tr)}{tr(', for example', '，例如')}\n{examples(finding)}\n"))
    console.print(Text(visible(recommend(examination, tr))))


def name(finding: Finding, tr: Tr = in_english) -> str:
    words = kind_name(finding.kind, tr)
    if finding.shift is None:
        return words
    return tr(f"{words} by {finding.shift:+d}", f"{words} {finding.shift:+d} 行")


def kind_name(kind: str, tr: Tr) -> str:
    return tr(kind.replace("_", " "), KINDS.get(kind, kind))


def pairs_text(count: int, tr: Tr) -> str:
    return tr(count_text(count, "pair"), f"{count:,} 个句对")


def where(finding: Finding) -> str:
    """A block by its ends; scattered lines by the first few."""
    if finding.shift is not None:
        return f"{finding.first_line}-{finding.last_line}"
    first = ", ".join(str(line) for line in finding.lines[:3])
    return first if len(finding.lines) <= 3 else f"{first}, … {finding.last_line}"


def examples(finding: Finding) -> str:
    return "\n".join(
        f"{example.line:>9}  {shorten(example.source)}\n           {shorten(example.target)}"
        for example in finding.examples[:EXAMPLES]
    )


def shorten(text: str) -> str:
    """One line of printable characters: what is invisible must not play with the terminal."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return shown if len(shown) <= LONGEST_EXAMPLE else shown[: LONGEST_EXAMPLE - 1] + "…"


def print_repair(repair: Repair, path: str, console: Console, tr: Tr = in_english) -> None:
    """An account that adds up."""
    dropped = "".join(f" + {count:,} {kind_name(kind, tr)}" for kind, count in repair.dropped.items())
    path = visible(path)
    console.print(
        Text(
            tr(
                f"Wrote {path}: {repair.pairs_in:,} pairs = {repair.kept:,} kept{dropped}.",
                f"已写入 {path}：{repair.pairs_in:,} 个句对 = 保留 {repair.kept:,}{dropped}。",
            )
        )
    )
    if repair.swapped_back or repair.paired_anew:
        back, anew = f"{repair.swapped_back:,}", f"{repair.paired_anew:,}"
        english = f"Of those kept, {back} were swapped back and {anew} paired anew."
        console.print(Text(tr(english, f"保留的句对中，{back} 个已换回两侧，{anew} 个已重新配对。")))


def recommend(examination: Examination, tr: Tr = in_english) -> str:
    """One or more sentences."""
    if examination.num_pairs == 0:
        return tr("There is nothing in it.", "语料是空的。")
    sentences = about_blocks(examination, tr)
    if count := len(examination.lines("swapped")):
        pairs = pairs_text(count, tr)
        sentences.append(
            tr(f"{pairs} with exchanged sides: --write swaps them back.", f"{pairs}两侧对调：--write 会换回来。")
        )
    sentences += about_dropping(examination, tr)
    for kind, sentence in SOFT.items():
        count = len(examination.lines(kind))
        if count > MANY * examination.num_pairs:
            sentences.append(tr(*sentence).format(count=pairs_text(count, tr)))
    if examination.num_closely < examination.num_pairs:
        closely, every = f"{examination.num_closely:,}", f"{examination.num_pairs:,}"
        sentences.append(
            tr(
                f"Languages, plausibility and shifts were checked in {closely} of {every} pairs, "
                f"in stretches spread over the corpus; expect the same elsewhere.",
                f"语言、是否互译和错位只在 {every} 个句对中的 {closely} 个上检查"
                f"（分布在全语料的若干段）；其余部分情况应当相近。",
            )
        )
    return (
        tr(" ", "").join(sentences)
        if sentences
        else tr("It looks good: use it as it is.", "看起来很好：可以直接使用。")
    )


def about_blocks(examination: Examination, tr: Tr) -> list[str]:
    found = []
    for block in examination.findings:
        if block.shift is None:
            continue
        first, last, by = f"{block.first_line:,}", f"{block.last_line:,}", abs(block.shift)
        found.append(
            tr(
                f"Lines {first} to {last} are shifted: their sources belong to the targets "
                f"{by} line{'s' if by > 1 else ''} {'below' if block.shift > 0 else 'above'}; --write pairs them anew.",
                f"第 {first} 至 {last} 行错位：其原文对应的译文在{'下方' if block.shift > 0 else '上方'} {by} 行；"
                f"--write 会重新配对。",
            )
        )
    return found


def about_dropping(examination: Examination, tr: Tr) -> list[str]:
    counts = {kind: len(examination.lines(kind)) for kind in REASONS}
    reasons = [tr(*DROPPED[kind]).format(count=pairs_text(count, tr)) for kind, count in counts.items() if count]
    if not reasons:
        return []
    listed = tr("; ", "；").join(reasons)
    return [
        tr(
            f"Drop what cannot be repaired (--write does): {listed}.",
            f"应删去无法修复的句对（--write 会这样做）：{listed}。",
        )
    ]


def draw_lengths(examination: Examination, folder: Path, tr: Tr = in_english) -> list[Path]:
    """Write two pictures into a folder, lengths.png and ratios.png, and return their paths."""
    import matplotlib as mpl

    from attendo.report import fonts

    if fonts.missing([tr("", "原文译文字符长度句对")]):
        tr = in_english  # no font has Chinese
    source, target = examination.source_lengths, examination.target_lengths
    if len(source) == 0:
        return []
    outlier = find_length_outliers(source, target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "font.family": list(fonts.families())}):
            draw_scatter(examination, outlier, tr).savefig(folder / "lengths.png", dpi=130)
            draw_histogram(examination, tr).savefig(folder / "ratios.png", dpi=130)
    except OSError as error:
        raise DataError(f"cannot write into {folder}: {error.strerror or error}") from error
    return [folder / "lengths.png", folder / "ratios.png"]


def draw_scatter(examination: Examination, outlier: np.ndarray, tr: Tr) -> "Figure":
    """A point a pair; a shifted or cut corpus shows as a cloud without a diagonal."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import ScalarFormatter, SymmetricalLogLocator

    source, target = examination.source_lengths, examination.target_lengths
    chosen = np.linspace(0, len(source) - 1, min(len(source), MOST_POINTS)).astype(np.int64)
    figure = Figure(figsize=(5, 4.6), layout="constrained")
    axis = figure.subplots()
    shown = ((False, POINT, tr("pairs", "句对")), (True, OUTLIER, tr("length outliers", "长度异常")))
    for flag, colour, label in shown:
        rows = chosen[outlier[chosen] == flag]
        if len(rows) == 0:
            continue
        axis.scatter(source[rows], target[rows], s=4, c=colour, alpha=0.4, linewidths=0, label=label)
    axis.set(
        xscale="symlog",
        yscale="symlog",
        title=tr(f"{examination.num_pairs:,} pairs", f"{examination.num_pairs:,} 个句对"),
    )
    source_language, target_language = examination.languages
    axis.set_xlabel(tr(f"source ({source_language}), characters", f"原文（{source_language}），字符数"))
    axis.set_ylabel(tr(f"target ({target_language}), characters", f"译文（{target_language}），字符数"))
    for one in (axis.xaxis, axis.yaxis):  # 10, 20, 50, 100 …, as people count
        one.set_major_locator(SymmetricalLogLocator(base=10, linthresh=2, subs=[1, 2, 5]))
        one.set_major_formatter(ScalarFormatter())
    axis.legend(loc="upper left", markerscale=3)
    return figure


def draw_histogram(examination: Examination, tr: Tr) -> "Figure":
    """How many target characters a source character becomes."""
    from matplotlib.figure import Figure

    ratios = np.exp(log_ratios(examination.source_lengths, examination.target_lengths))
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.hist(np.clip(ratios, 0, 3 * float(np.median(ratios))), bins=80, color=POINT)
    axis.axvline(float(np.median(ratios)), color=OUTLIER, label=f"{tr('median', '中位数')} {np.median(ratios):.2f}")
    axis.set(
        title=tr("target length / source length", "译文长度 / 原文长度"), ylabel=tr("pairs", "句对数"), yscale="log"
    )
    axis.set_xlabel(tr("ratio (10 added to both)", "比值（两者各加 10）"))
    axis.legend()
    return figure


@contextmanager
def show_progress(name: str, tr: Tr = in_english) -> Iterator[ExaminationProgress]:
    """Counters of the pairs read and of the texts identified; how many there will be, nobody knows yet."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}: {task.completed:,.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        shown = escape(visible(name))
        read = bars.add_task(tr(f"{shown}, pairs read", f"{shown}，已读句对"), total=None)
        identified = bars.add_task(tr("languages identified", "已识别语言"), total=None)
        waiting = {read: 0, identified: 0}

        def advance(task: TaskID, count: int) -> None:
            waiting[task] += count
            if waiting[task] >= EVERY:
                bars.advance(task, waiting[task])
                waiting[task] = 0

        yield ExaminationProgress(lambda count: advance(read, count), lambda count: advance(identified, count))
