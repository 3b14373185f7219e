"""The lab's report: a page a claim, a front page with all verdicts, and a sheet to print, in English and in Chinese."""

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from attendo.files.durable import write_file
from attendo.lab.claim import Tr
from attendo.lab.errata.errata import errata_page
from attendo.lab.page import page
from attendo.lab.run import ClaimResult
from attendo.lab.sentences.sentences import other_sentences_page
from attendo.lab.sheet import sheet
from attendo.lab.tools.chart import style, title, upright, without_empty_logs
from attendo.lab.tools.texts import Language, read_text
from attendo.lab.verdicts import VERDICTS, decided_by, finding, in_language, mark, steps_of

NOTES = (
    "A to E are five lecture notes in Chinese about the Transformer, from which this project was built; A12 is line 12 "
    "of note A. A (with its older copy B) goes through the architecture part by part, C follows the paper section by "
    "section, D collects explanations from many authors, E is about the decoder, tokenization and autoregression.",
    "A 到 E 是五份介绍 Transformer 的中文讲义，本项目即据此写成；A12 指讲义 A 的第 12 行。"
    "A（以及它的旧版 B）逐个讲解架构的各个部分，C 按论文的章节讲解，D 汇集了多位作者的解释，E 讲解码器、分词和自回归。",
)  # fmt: skip
HOW_TO_READ = (
    "a ± b is the mean over random seeds and half the width of its 95 % interval (Student's t); a (b–c) is a geometric "
    "mean with its interval, for what multiplies, such as ratios.",
    "a ± b 是各随机种子的均值及其 95% 置信区间的半宽（Student t 分布）；"
    "a (b–c) 是几何平均值及其 95% 置信区间，用于步数、比值一类的量。",
)


def write_report(folder: Path, results: Sequence[ClaimResult], whole: bool = False) -> None:
    """`whole`: of all claims; then with the errata of the notes, their other sentences, and a sheet to print."""
    for language in get_args(Language):
        (folder / language).mkdir(parents=True, exist_ok=True)
        (folder / "figures").mkdir(exist_ok=True)
        for result in results:
            name = result.claim_id
            write_file(folder / "figures" / f"{name}.{language}.png", picture(result, language))
            write_file(folder / language / f"{name}.md", page(result, language, folder / language).encode())
        if whole:
            write_file(folder / language / "errata.md", errata_page(language).encode())
            write_file(folder / language / "other-sentences.md", other_sentences_page(language).encode())
            write_file(folder / language / "sheet.html", sheet(results, language).encode())
        write_file(folder / language / "README.md", front(results, language, whole).encode())


def picture(result: ClaimResult, language: Language) -> bytes:
    """With the finding as its title."""
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Attempting to set identical")  # an axis with one value, of a turned knob
        figure = result.experiment.draw(result.runs, in_language(language))
        without_empty_logs(figure)
        upright(figure)
        title(figure, heading(result, language))
        kept = io.BytesIO()
        figure.savefig(kept, format="png", metadata={"Software": None})  # the same picture is the same file
    return kept.getvalue()


def heading(result: ClaimResult, language: Language) -> str:
    """Of a picture: L6 holds only if a position must look at several places at once; L6, heads = 1,4: holds."""
    tr = in_language(language)
    if result.turned:
        verdict, found = tr(*VERDICTS[result.verdict][1:]), finding(result, language)
        return tr(f"{result.claim_id}, {found}: {verdict}", f"{result.claim_id}，{found}：{verdict}")
    verdict, found = tr(*VERDICTS[result.verdict][1:]).removesuffix(" …"), finding(result, language)
    joint = " " if result.verdict == "holds only if" else ": "
    return tr(f"{result.claim_id} {verdict}{joint}{found}", f"{result.claim_id} {verdict}：{found}") if found else ""


def front(results: Sequence[ClaimResult], language: Language, whole: bool = False) -> str:
    tr = in_language(language)
    heading = tr("The lab: what lectures say of the Transformer, run", "实验室：检验讲义里关于 Transformer 的说法")
    intro = tr(
        "Each claim has an experiment and a rule, stated in its code, by which the verdict is computed from "
        "the numbers. `make lab` makes these pages; nothing here is edited by hand. [中文](../zh/README.md)",
        "每条论断对应一个实验和一条写在代码里的判定规则，结论由规则根据测得的数字得出。"
        "本目录由 `make lab` 生成，不做手工修改。[English](../en/README.md)",
    )
    beside = tr(
        "Beside it: [slips in the notes](errata.md), kindly put right; [their other sentences](other-sentences.md), "
        "checked, waiting, or not to be tested here; and [one sheet to print](sheet.html).",
        "另见：[讲义勘误](errata.md)，[讲义里的其他说法](other-sentences.md)（已检验的、待检验的和无法检验的），"
        "以及[可打印的一页总览](sheet.html)。",
    )
    columns = tr(
        "| | claim | verdict | what came out | the number that decides | steps | seeds |",
        "| | 论断 | 结论 | 结果 | 关键数字 | 训练步数 | 随机种子数 |",
    )
    rows = "\n".join([columns, "|---|---|---|---|---|---:|---:|", *(line(result, language) for result in results)])
    parts = [
        f"# {heading}",
        intro,
        *([beside] if whole else []),
        tr(*NOTES),
        tr(*HOW_TO_READ),
        counts(results, tr),
        rows,
    ]
    return "\n\n".join(parts) + "\n"


def counts(results: Sequence[ClaimResult], tr: Tr) -> str:
    verdicts = [result.verdict for result in results]
    found = (f"{sign} {tr(*words)} {verdicts.count(verdict)}" for verdict, (sign, *words) in VERDICTS.items())
    return tr(", ", "，").join(found)


def line(result: ClaimResult, language: Language) -> str:
    """A claim on the front page."""
    tr = in_language(language)
    text = read_text(result.experiment, language)
    sign, *verdict = VERDICTS[result.verdict]
    cells = [
        f"[{result.claim_id}]({result.claim_id}.md)", text.claim, f"{sign} {tr(*verdict)}{mark(result, tr)}",
        finding(result, language), decided_by(result, language), steps_of(result), str(len(result.seeds)),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"
