"""The lab's report: a page a claim and a front page with all verdicts, in English and in Chinese, as Markdown."""

import inspect
import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import get_args

from attendo.files.durable import write_file
from attendo.lab.claim import Tr, Verdict, row
from attendo.lab.run import ClaimResult, code_behind
from attendo.lab.tools.chart import style
from attendo.lab.tools.measuring import SAME, interval
from attendo.lab.tools.texts import ClaimText, Language, fill_in, read_text
from attendo.lab.tools.tuning import GRID, read_rows

VERDICTS: dict[Verdict, tuple[str, str, str]] = {  # sign, English, Chinese
    "holds": ("✔", "holds", "成立"),
    "holds only if": ("◐", "holds only if …", "有条件成立"),
    "does not hold": ("✘", "does not hold", "不成立"),
    "undecided": ("?", "undecided", "尚无定论"),
}
SIZES = {
    "small": ("far too small: a test of the lab itself", "规模太小，仅用于测试实验程序本身"),
    "quick": ("quick", "快速模式"),
    "full": ("full", "完整模式"),
}
HOW_TO_READ = (
    "On each page A to E are the notes that the claim comes from. a ± b is the mean over seeds and half the width of "
    "its 95 % interval (Student's t), which may reach beyond what is possible, such as an accuracy above 1. In the "
    "tables numbers have the names that they have in the code; of a curve, with its number of points, the two ends are "
    "shown.",
    "各页上的 A 到 E 是论断所出自的讲义。a ± b 是各随机种子的均值及其 95% 置信区间的半宽（Student t 分布），"
    "区间有时会超出可能的范围，例如准确率大于 1。结果表中的名称就是代码里的变量名；"
    "曲线只列首末两点，括号里是点数。",
)  # fmt: skip


def in_language(language: Language) -> Tr:
    return lambda english, chinese: chinese if language == "zh" else english


def why(result: ClaimResult, text: ClaimText) -> str:
    """The paragraph of the verdict, with the numbers it stands on."""
    return fill_in(text.why[result.verdict], result.runs)


def write_report(folder: Path, results: Sequence[ClaimResult]) -> None:
    for language in get_args(Language):
        tr = in_language(language)
        (folder / language).mkdir(parents=True, exist_ok=True)
        (folder / "figures").mkdir(exist_ok=True)
        for result in results:
            name = result.experiment.id
            write_file(folder / "figures" / f"{name}.{language}.png", picture(result, tr))
            text = page(result, read_text(result.experiment, language), language)
            write_file(folder / language / f"{name}.md", text.encode())
        write_file(folder / language / "README.md", front(results, language).encode())


def picture(result: ClaimResult, tr: Tr) -> bytes:
    with style():
        figure = result.experiment.draw(result.runs, tr)
        kept = io.BytesIO()
        figure.savefig(kept, format="png", metadata={"Software": None})  # the same picture is the same file
    return kept.getvalue()


def page(result: ClaimResult, text: ClaimText, language: Language) -> str:
    tr = in_language(language)
    experiment, size, code = result.experiment, result.evidence.size, result.evidence.code
    sign, *verdict = VERDICTS[result.verdict]
    where = "attendo/" + "/".join(experiment.module.split(".")[1:]) + ".py"
    parts = [
        f"# {experiment.id} · {text.claim}",
        f"**{sign} {tr(*verdict)}**{mark(result, tr)} · {tr('notes ', '出处：')}{experiment.source} · "
        f"[{tr('all claims', '全部论断')}](README.md)",
        fill_in(text.method, result.runs),
        f"```python\n{lines_that_matter(result)}```",
        f"![{experiment.id}](../figures/{experiment.id}.{language}.png)",
        f"*{fill_in(text.picture, result.runs)}*",
        f"## {tr('What came out', '结果')}",
        numbers(result, tr),
        f"## {tr('Why', '为什么')}",
        why(result, text),
        tr(
            f"Seeds {seeds(result)}, {SIZES[size][0]}, {result.seconds:.1f} s, code `{code}`. "
            f"The whole experiment: [{where}](../../../{where}).",
            f"随机种子 {seeds(result)}，{SIZES[size][1]}，用时 {result.seconds:.1f} 秒，"
            f"代码 `{code}`。完整实验：[{where}](../../../{where})。",
        ),
        *([origin(result, tr)] if result.stored else []),
        *([learning_rates(result, tr)] if experiment.tunes else []),
    ]
    return "\n\n".join(parts) + "\n"


def mark(result: ClaimResult, tr: Tr) -> str:
    """Behind a verdict that was not measured when the page was made."""
    if not result.stored:
        return ""
    return tr(" · stored, stale", " · 存档数据（已过时）") if result.stale else tr(" · stored", " · 存档数据")


def origin(result: ClaimResult, tr: Tr) -> str:
    """Of stored evidence: what made it, when, on what, from which data."""
    evidence, again = result.evidence, f"`attendo lab run {result.claim_id} --full --store`"
    files = ", ".join(f"{name} (sha256 `{digest[:16]}…`)" for name, digest in (evidence.data or {}).items())
    changed = tr(
        " **Stale**: the code this experiment uses has changed since; the rule and the picture are today's.",
        "**已过时**：此后该实验用到的代码有改动；判定规则和图是当前代码的。",
    )
    return tr(
        f"Stored evidence: these numbers were not measured for this page but on {evidence.date}, {evidence.machine}, "
        f"by the code `{evidence.code}`, from {files}.{changed if result.stale else ''} {again} measures them again.",
        f"存档数据：以上数字并非生成本页时所测，测于 {evidence.date}，{evidence.machine}，代码 `{evidence.code}`，"
        f"数据 {files}。{changed if result.stale else ''}重新测量：{again}。",
    )


def learning_rates(result: ClaimResult, tr: Tr) -> str:
    """How they were found, and that both sides had the same choice."""
    grid = ", ".join(f"{rate:g}" for rate in GRID)
    rule = tr(f"of those within {SAME} nats of it the smallest", f"损失相差不到 {SAME} nat 的，取最小的")
    row = read_rows().get(result.claim_id)
    if result.evidence.size != "quick" or row is None:
        return tr(
            f"Learning rates (`rate_…`): for each side the best of {grid} ({rule}), with the same seeds.",
            f"学习率（`rate_…`）：每一方都用同样的随机种子从 {grid} 中选出自己的最佳值（{rule}）。",
        )
    again = f"`attendo lab tune {result.claim_id}`"
    changed = row.code != code_behind(result.experiment, "tuning")
    first, last = row.seeds[0], row.seeds[-1]
    return tr(
        f"Learning rates (`rate_…`): for each side the best of {grid} ({rule}), found beforehand with seeds "
        f"{first}–{last} by {again} ({row.date}, code `{row.code}`"
        f"{'; the code has changed since' if changed else ''}).",
        f"学习率（`rate_…`）：每一方各用自己的最佳值（{rule}），事先用随机种子 {first}–{last} 从 {grid} 中选出"
        f"（{again}，{row.date}，代码 `{row.code}`{'，此后代码有改动' if changed else ''}）。",
    )


def lines_that_matter(result: ClaimResult) -> str:
    measure = result.experiment.measure
    return textwrap.dedent(inspect.getsource(getattr(measure, "__wrapped__", measure)))


def numbers(result: ClaimResult, tr: Tr) -> str:
    """One row a number; a curve, the mean of the seeds' curves, is shown by its ends."""
    several = len(result.runs) > 1
    more = f" {tr('95 % interval', '95% 区间')} |" if several else ""
    rows = [f"| {tr('number', '量')} | {tr('mean', '均值')} |{more}", "|---|---:|" + ("---:|" if several else "")]
    for name, first in result.runs[0].items():
        values = [run[name] for run in result.runs]
        if isinstance(first, int | float):
            around = interval([float(value) for value in values if isinstance(value, int | float)])
            spread = f" {around.low:.6g} … {around.high:.6g} |" if several else ""
            rows.append(f"| `{name}` | {around.mean:.8g} |{spread}")
        else:
            curves = [row(run, name) for run in result.runs]
            rows.append(f"| `{name}` ({len(first)}) | {ends(curves)} |" + (" |" if several else ""))
    return "\n".join(rows)


def ends(curves: Sequence[Sequence[float]]) -> str:
    return " … ".join(f"{fmean(curve[end] for curve in curves):.4g}" for end in (0, -1)) if curves[0] else "–"


def seeds(result: ClaimResult) -> str:
    first, last = result.seeds[0], result.seeds[-1]
    return str(first) if first == last else f"{first}–{last}"


def front(results: Sequence[ClaimResult], language: Language) -> str:
    tr = in_language(language)
    counts = {verdict: sum(result.verdict == verdict for result in results) for verdict in VERDICTS}
    total = tr(", ", "，").join(
        f"{sign} {tr(*words)} {counts[verdict]}" for verdict, (sign, *words) in VERDICTS.items()
    )
    rows = [
        f"| [{result.experiment.id}]({result.experiment.id}.md) | {read_text(result.experiment, language).claim} "
        f"| {VERDICTS[result.verdict][0]} {tr(*VERDICTS[result.verdict][1:])}{mark(result, tr)} |"
        for result in results
    ]
    title = tr("The lab: what lectures say of the Transformer, run", "实验室：把讲义里关于 Transformer 的说法跑一遍")
    return "\n".join(
        [
            f"# {title}",
            "",
            tr(
                "Each claim has an experiment and a rule, stated in its code, by which the verdict is computed from "
                "the numbers. `make lab` makes these pages; nothing here is edited by hand. [中文](../zh/README.md)",
                "每条论断对应一个实验和一条写在代码里的判定规则，结论由规则根据数字算出。"
                "本目录由 `make lab` 生成，从不手工修改。[English](../en/README.md)",
            ),
            "",
            total,
            "",
            tr(*HOW_TO_READ),
            "",
            f"| | {tr('claim', '论断')} | {tr('verdict', '结论')} |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
