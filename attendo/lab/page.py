"""The page of one claim, as Markdown: quote, questions, verdict, method, picture, numbers, reason, knobs, origin."""

import inspect
import math
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from attendo.lab.claim import Tr, row
from attendo.lab.drawings import drawing_parts
from attendo.lab.knobs import Knob, settings_of
from attendo.lab.run import ClaimResult, code_behind
from attendo.lab.tools.measuring import NEAR, SAME, WITHIN, interval
from attendo.lab.tools.texts import ClaimText, Language, Quote, fill_in, read_text
from attendo.lab.tools.tuning import GRID, TUNING_SEEDS, read_rows
from attendo.lab.verdicts import VERDICTS, beside, finding, in_language, labelled_numbers, mark, why

SIZES = {
    "small": ("far too small: a test of the lab itself", "规模太小，仅用于测试实验程序本身"),
    "quick": ("quick", "快速模式"),
    "full": ("full", "完整模式"),
}
LINE_OF_A_NOTE = re.compile(r"[A-E]\d+")


def page(result: ClaimResult, language: Language, folder: Path | None = None) -> str:
    """`folder`: where the page will lie, if it is to be a file; a drawing that can be reached from there is shown."""
    tr = in_language(language)
    text = read_text(result.experiment, language)
    name = result.claim_id
    parts = [
        f"# {name} · {text.claim}",
        *block_quotes(result, text, language),
        *predict_box(name, text, tr),
        f"**{headline(result, language)}** · {beside(result, tr)}{mark(result, tr)} · "
        f"[{tr('all claims', '全部论断')}](README.md)",
        fill_in(text.method, result.runs, bool(result.turned)),
        *drawing_parts(name, language, folder),
        f"```python\n{lines_that_matter(result)}```",
        f"![{name}](../figures/{name}.{language}.png)",
        emphasised(fill_in(text.picture, result.runs, bool(result.turned))),
        f"## {tr('What came out', '结果')}",
        *labelled(result, language),
        folded(all_numbers(result, tr), tr),
        *reason(result, language),
        *knob_table(result, text, tr),
        origin(result, tr),
        *([learning_rates(result, tr)] if result.experiment.tunes else []),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def emphasised(words: str) -> str:
    return f"*{words}*" if words else ""


def headline(result: ClaimResult, language: Language) -> str:
    sign, *words = VERDICTS[result.verdict]
    tr = in_language(language)
    verdict, found = f"{sign} {tr(*words)}", finding(result, language)
    return f"{verdict}{tr(': ', '：')}{found}" if found else verdict


# --- before the verdict


def block_quotes(result: ClaimResult, text: ClaimText, language: Language) -> list[str]:
    """The note's own sentence with its line; on an English page with a translation."""
    if language == "zh":
        lines = [f"> {quote.text} <sub>{place(quote, language)}</sub>" for quote in text.quotes]
    else:
        original = read_text(result.experiment, "zh").quotes
        lines = [
            f"> {first.text} <sub>{place(first, language)}</sub>\n>\n> *{second.text}*"
            for first, second in zip(original, text.quotes, strict=True)
        ]
    return ["\n>\n".join(lines)] if lines else []


def place(quote: Quote, language: Language) -> str:
    tr = in_language(language)
    if LINE_OF_A_NOTE.fullmatch(quote.place):
        note, line = quote.place[0], quote.place[1:]
        return tr(f"note {note}, line {line}", f"讲义 {note} 第 {line} 行")
    return quote.place.replace("paper", tr("the paper", "论文")).replace("folklore", tr("folklore", "流行说法"))


def predict_box(name: str, text: ClaimText, tr: Tr) -> list[str]:
    if not text.predict:
        return []
    title = tr("Predict, run, explain", "先预测，再运行，后解释")
    questions = "\n".join(f"> {line}".rstrip() for line in text.predict.split("\n"))
    return [f"> **{title}** (`attendo lab run {name}`)\n>\n{questions}"]


def lines_that_matter(result: ClaimResult) -> str:
    measure = result.experiment.measure
    return textwrap.dedent(inspect.getsource(getattr(measure, "__wrapped__", measure)))


# --- numbers


def labelled(result: ClaimResult, language: Language) -> list[str]:
    """A few, with words."""
    rows = [f"| {label} | {value} |" for label, value in labelled_numbers(result, language)]
    return ["\n".join(["| | |", "|---|---:|", *rows])] if rows else []


def folded(table: str, tr: Tr) -> str:
    summary = tr("All numbers, by their names in the code", "全部数字（名称与代码一致）")
    return f"<details><summary>{summary}</summary>\n\n{table}\n\n</details>"


def all_numbers(result: ClaimResult, tr: Tr) -> str:
    """One row a number; a curve, the mean of the seeds' curves, is shown by its ends."""
    several = len(result.runs) > 1
    more = f" {tr('95 % interval', '95% 区间')} |" if several else ""
    rows = [f"| {tr('number', '量')} | {tr('mean', '均值')} |{more}", "|---|---:|" + ("---:|" if several else "")]
    for name, first in result.runs[0].items():
        values = [run[name] for run in result.runs]
        if isinstance(first, int | float):
            mean, spread = around([float(value) for value in values if isinstance(value, int | float)])
            rows.append(f"| `{name}` | {mean} |{f' {spread} |' * several}")
        else:
            curves = [row(run, name) for run in result.runs]
            rows.append(f"| `{name}` ({len(first)}) | {ends(curves)} |" + (" |" if several else ""))
    return "\n".join(rows)


def around(values: Sequence[float]) -> tuple[str, str]:
    """The mean, and its interval, which infinities have not."""
    if not all(map(math.isfinite, values)):
        return f"{sum(values) / len(values):g}", "–"
    found = interval(values)
    return f"{found.mean:.8g}", f"{found.low:.6g} … {found.high:.6g}"


def ends(curves: Sequence[Sequence[float]]) -> str:
    return " … ".join(f"{fmean(curve[end] for curve in curves):.4g}" for end in (0, -1)) if curves[0] else "–"


def reason(result: ClaimResult, language: Language) -> list[str]:
    """Not where a knob has been turned: the words are about the claim as it is."""
    words = why(result, language)
    return [f"## {in_language(language)('Why', '为什么')}", words] if words else []


# --- knobs


def knob_table(result: ClaimResult, text: ClaimText, tr: Tr) -> list[str]:
    experiment = result.experiment
    if not experiment.knobs:
        return []
    head = tr("| knob | here | range | meaning |", "| 参数 | 此处取值 | 范围 | 含义 |")
    rows = [
        f"| `{knob.name}` | {value_of(knob, result)} | {knob.range} | {text.knobs.get(knob.name, '')} |"
        for knob in experiment.knobs
    ]
    first = experiment.knobs[0]
    command = f"attendo lab run {experiment.id} --set {first.name}={value_of(first, result).replace(' ', '')}"
    return [
        f"## {tr('Turn the knobs', '调整参数，再试一次')}",
        "\n".join([head, "|---|---|---|---|", *rows]),
        tr(
            f"`{command}`, with other values, measures, judges and draws again.",
            f"把 `{command}` 中的值换成别的再运行，就会重新测量、判定并作图。",
        ),
    ]


def value_of(knob: Knob, result: ClaimResult) -> str:
    value = result.runs[0].get(knob.name, knob.values["quick"])
    values = [value] if isinstance(value, int | float) else value
    return ", ".join(f"{one:g}" for one in values)


# --- where the numbers come from


def origin(result: ClaimResult, tr: Tr) -> str:
    evidence, experiment = result.evidence, result.experiment
    where = "attendo/" + "/".join(experiment.module.split(".")[1:]) + ".py"
    size = tr(*SIZES[evidence.size])
    whole = tr(
        f"Seeds {seeds(result)}, {size}, code `{evidence.code}`. The whole experiment: [{where}](../../../{where}).",
        f"随机种子 {seeds(result)}，{size}，代码的散列值 `{evidence.code}`。完整实验：[{where}](../../../{where})。",
    )
    return f"{whole}{tr(' ', '')}{stored_origin(result, tr)}" if result.stored else whole


def stored_origin(result: ClaimResult, tr: Tr) -> str:
    """Of stored evidence: when it was measured, on what, from which data, and how to do it again."""
    evidence, again = result.evidence, f"`attendo lab run {result.claim_id} --full --store`"
    files = ", ".join(f"{name} (sha256 `{digest[:16]}…`)" for name, digest in (evidence.data or {}).items())
    data = tr(f", from {files}", f"，数据 {files}") if files else ""
    here = f"`attendo lab run {result.claim_id} --quick`"
    fewer = result.experiment.seeds["quick"] < len(result.seeds)
    smaller = tr(
        f"; {here} measures on this machine{', with fewer seeds' * fewer}",
        f"；{here} 在本机{'用较少的随机种子' * fewer}测量",
    )
    changed = tr(
        " **Stale**: the code this experiment uses has changed since; the rule and the picture are today's.",
        "**已过时**：存档之后，这个实验用到的代码有过改动；判定规则和图则来自当前的代码。",
    )
    unchanged = tr(
        " The code has changed since; in a small run it still gives the same numbers (`attendo lab check`).",
        "存档之后代码有过改动，但小规模运行的结果不变（`attendo lab check`）。",
    )
    since = changed if result.stale else unchanged if result.changed else ""
    return tr(
        f"Stored evidence: measured on {evidence.date}, {evidence.machine}{data}."
        f"{since} {again} measures it again"
        f"{smaller if result.experiment.evidence == 'trained' else ''}.",
        f"存档数据：测于 {evidence.date}，{evidence.machine}{data}。{since}重新测量：{again}"
        f"{smaller if result.experiment.evidence == 'trained' else ''}。",
    )


def learning_rates(result: ClaimResult, tr: Tr) -> str:
    """How they were found, and that both sides had the same choice; and what "stopped improving" means."""
    grid = ", ".join(f"{rate:g}" for rate in GRID)
    tuning = f"{TUNING_SEEDS[0]}–{TUNING_SEEDS[-1]}"
    ending = tr(
        f" `…_half` is the loss at the end of a run with half the steps: a side has stopped improving if that is "
        f"within {WITHIN:.0%} or {NEAR} nats of the loss with all of them.",
        f"`…_half` 是步数减半时的最终损失：若它与步数不减半时的最终损失相差不到 {WITHIN:.0%} 或 {NEAR} nat，"
        "就认为这一方已不再进步。",
    )
    rule = tr(
        f"of those within {SAME} nats of it the smallest",
        f"若有几个学习率的损失与最低的相差不到 {SAME} nat，取其中最小的一个",
    )
    found = read_rows().get(result.claim_id)
    if result.evidence.size == "quick" and found is not None:
        again = f"`attendo lab tune {result.claim_id}`"
        at = settings_of(result.experiment.knobs, "tuning")
        changed = tr("; the code has changed since", "，此后代码有改动") * (
            found.code != code_behind(result.experiment, at)
        )
        seeds = f"{found.seeds[0]}–{found.seeds[-1]}"
        return tr(
            f"Learning rates (`rate_…`): for each side the best of {grid} ({rule}), found beforehand with seeds "
            f"{seeds} by {again} ({found.date}, code `{found.code}`{changed}).",
            f"学习率（`rate_…`）：每一方各用自己的最佳值（{rule}），事先用随机种子 {seeds} 从 {grid} 中选出"
            f"（{again}，{found.date}，代码 `{found.code}`{changed}）。",
        )  # fmt: skip
    return tr(
        f"Learning rates (`rate_…`): for each side the best of {grid} ({rule}), found with seeds {tuning}, by which "
        f"nothing is judged.{ending}",
        f"学习率（`rate_…`）：每一方各用自己的最佳值，由不参与判定的随机种子 {tuning} "
        f"从 {grid} 中选出（{rule}）。{ending}",
    )


def seeds(result: ClaimResult) -> str:
    first, last = result.seeds[0], result.seeds[-1]
    return str(first) if first == last else f"{first}–{last}"
