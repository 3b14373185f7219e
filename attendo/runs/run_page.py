"""The page of a run, report.html: what came of it, its curves, and all that is needed to do it again.

The lines of log.jsonl are sorted (`sort_log`), then shown (`write_report`).
"""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from attendo.report.charts import Curve, Marks, draw_curves, keep_evenly, keep_extremes, linear_axis, smooth
from attendo.report.formatting import count_text, score_text, visible
from attendo.report.language import Language, Tr, in_english, in_language
from attendo.report.page import fact_cards, html_lines, html_text, labelled_texts, write_html

SERIES = ("loss", "learning_rate", "gradient_norm", "target_tokens_per_second")
FARTHEST_STEP = 2**53  # beyond, a float cannot tell one step from the next
MOST_ROWS = 500  # of the table of validations
WINDOWS = 50  # in a run, over which its values are averaged
LEAST_WINDOW = 9  # steps
MOST_DOTS = 100  # of validations; more would be a thick line


@dataclass(frozen=True)
class LoggedValidation:
    step: int
    scores: dict[str, float]  # NaN where the log has no number
    best: bool
    samples: list[tuple[str, str, str]]  # source, reference, translation


@dataclass(frozen=True)
class TrainingLog:
    """Steps rise and each stands once: what a resumed run did again replaces what was there before."""

    steps: np.ndarray  # [steps]
    series: dict[str, np.ndarray]  # by name [steps]; NaN where the log has no number
    skipped: list[int]
    validations: list[LoggedValidation]
    resumed: list[int]

    @property
    def best(self) -> LoggedValidation | None:
        return next((validation for validation in reversed(self.validations) if validation.best), None)

    @property
    def last_samples(self) -> LoggedValidation | None:
        return next((validation for validation in reversed(self.validations) if validation.samples), None)

    @property
    def last_step(self) -> int:
        return max([*self.steps[-1:].tolist(), *(validation.step for validation in self.validations[-1:])], default=0)

    def score_names(self) -> list[str]:
        """In the order in which they first appear."""
        return list(dict.fromkeys(name for validation in self.validations for name in validation.scores))

    def scores(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Steps and values, those that are numbers."""
        pairs = [(validation.step, validation.scores.get(name, math.nan)) for validation in self.validations]
        table = np.array([pair for pair in pairs if not math.isnan(pair[1])], dtype=np.float64).reshape(-1, 2)
        return table[:, 0], table[:, 1]


def sort_log(records: Sequence[Mapping[str, Any]]) -> TrainingLog:
    """Records that are none of ours are passed over: a report must not fail for a line that somebody added."""
    steps: dict[int, Mapping[str, Any]] = {}
    validations: dict[int, LoggedValidation] = {}
    resumed = set()
    for record in records:
        step = record.get("step") if isinstance(record, Mapping) else None
        if type(step) is not int or not 0 <= step < FARTHEST_STEP:
            continue
        if isinstance(record.get("validation"), Mapping):
            validations[step] = read_validation(step, record)
        elif "event" in record:
            if record["event"] == "resumed":
                resumed.add(step)
        elif "loss" in record:
            steps[step] = record
    ordered = [steps[step] for step in sorted(steps)]
    return TrainingLog(
        steps=np.array(sorted(steps), dtype=np.int64),
        series={
            name: np.array([finite_or_nan(record.get(name)) for record in ordered], dtype=np.float64) for name in SERIES
        },
        skipped=[record["step"] for record in ordered if record.get("skipped")],
        validations=[validations[step] for step in sorted(validations)],
        resumed=sorted(resumed),
    )


def read_validation(step: int, record: Mapping[str, Any]) -> LoggedValidation:
    samples = record.get("samples")
    rows = samples if isinstance(samples, list | tuple) else []
    scores = {str(name): finite_or_nan(value) for name, value in record["validation"].items()}
    samples_read = [(one[0], one[1], one[2]) for one in rows if is_sample(one)]
    return LoggedValidation(step, scores, bool(record.get("best")), samples_read)


def is_sample(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(text, str) for text in value)


def finite_or_nan(value: object) -> float:
    """NaN for all that is no finite number: null, NaN, infinity, words."""
    if type(value) is float and math.isfinite(value):
        return value
    return float(value) if type(value) is int and abs(value) < FARTHEST_STEP else math.nan


def write_report(
    path: Path,
    *,
    title: str,
    command: str,
    recipe_toml: str,
    environment: dict[str, Any],
    log: Sequence[dict[str, Any]],
    summary: dict[str, str],
    language: Language = "en",
) -> None:
    """`log` are the records of log.jsonl in their order; `summary` stands at the top."""
    known, tr = sort_log(log), in_language(language)
    recipe = f"<pre>{html_lines(recipe_toml)}</pre>" if recipe_toml.strip() else ""
    parts = [
        f"<h1>{html_text(title)}</h1>",
        headline(known, metric_of(recipe_toml), tr),
        fact_cards(summary),
        section(tr("Curves", "曲线"), training_curves(known, tr)),
        section(tr("Validations", "验证"), validation_table(known, tr)),
        section(tr("Samples", "译例"), sample_list(known.last_samples, tr)),
        section(tr("Do it again", "重做一遍"), f"<pre>{html_lines(command)}</pre>"),
        section(tr("Recipe", "配方"), recipe),
        section(tr("Environment", "环境"), word_table(environment)),
    ]
    write_html(path, title, parts, language=language)


def section(heading: str, content: str) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{content}\n</section>" if content else ""


def metric_of(recipe_toml: str) -> str:
    """The score that decides which validation is the best."""
    try:
        return str(tomllib.loads(recipe_toml)["validation"]["metric"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return "loss"


def headline(log: TrainingLog, metric: str, tr: Tr) -> str:
    best = log.best
    if best is None:
        state = tr("no step yet", "还没有一步")
        if log.last_step:
            none = "best validation" if log.validations else "validation"
            english = f"{count_text(log.last_step, 'step')}, no {none} yet"
            state = tr(english, f"{log.last_step:,} 步，还没有{'最佳' if log.validations else ''}验证")
        return f'<p class="headline">{state}</p>'
    # the deciding score first, in large letters
    names = sorted(best.scores, key=lambda name: name != metric)
    words = [f"{html_text(name)} {score_text(name, best.scores[name])}" for name in names]
    others = "".join(f"{tr(', ', '，')}{word}" for word in words[1:])
    where = tr(f"best, at step {best.step:,}", f"最佳，第 {best.step:,} 步")
    return f'<p class="headline"><b>{words[0]}</b> {where}{others}</p>' if words else ""


def validation_table(log: TrainingLog, tr: Tr) -> str:
    if not log.validations:
        return ""
    names = log.score_names()
    apart = math.ceil(len(log.validations) / MOST_ROWS)
    # counted from the end: the last is always there
    rows = [one for index, one in enumerate(reversed(log.validations)) if index % apart == 0 or one is log.best]
    head = "".join(f"<th>{html_text(name)}</th>" for name in (tr("step", "步"), *names))
    body = ""
    for one in reversed(rows):
        cells = "".join(f"<td>{score_text(name, one.scores.get(name))}</td>" for name in names)
        look = ' class="best"' if one is log.best else ""
        body += f"<tr{look}><td>{one.step:,}</td>{cells}</tr>\n"
    shown, every = f"{len(rows):,}", f"{len(log.validations):,}"
    words = tr(f"{shown} of {every} validations.", f"共 {every} 次验证，这里列出 {shown} 次。")
    note = f'<p class="note">{words}</p>' if apart > 1 else ""
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}'


def sample_list(validation: LoggedValidation | None, tr: Tr) -> str:
    if validation is None:
        return ""
    labels = (tr("source", "原文"), tr("reference", "参考译文"), tr("translation", "译文"))
    where = tr(f"From the validation at step {validation.step:,}.", f"取自第 {validation.step:,} 步的验证。")
    blocks = [labelled_texts(zip(labels, sample, strict=True)) for sample in validation.samples]
    return f'<p class="note">{where}</p>\n' + "\n".join(blocks)


def word_table(words: Mapping[str, Any]) -> str:
    rows = ""
    for name, value in words.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        rows += f"<tr><th>{html_text(str(name))}</th><td>{html_text(text)}</td></tr>\n"
    return f'<table class="words">{rows}</table>' if rows else ""


def training_curves(log: TrainingLog, tr: Tr) -> str:
    """Nothing where nothing has happened; no chart of what has no number."""
    happened = [*log.steps[:1].tolist(), *log.steps[-1:].tolist(), *(one.step for one in log.validations)]
    if not happened:
        return ""
    first, last = min(happened), max(happened)
    steps = linear_axis(0 if first < 0.1 * last else first, last, whole=True)
    marks = Marks(log.resumed, log.skipped, ticked_steps(log))
    rate = Curve(*keep_evenly(log.steps, log.series["learning_rate"]), "train")
    draw = partial(draw_curves, steps=steps, marks=marks)
    best = tr("best", "最佳")
    trained = measured_curves(log, "loss", tr("training", "训练"))
    charts = [
        draw(tr("loss", "损失"), [*trained, *validation_curves(log, "loss", best, tr("validation", "验证"))]),
        *(draw(visible(name), validation_curves(log, name, best)) for name in log.score_names() if name != "loss"),
        draw(tr("learning rate", "学习率"), [rate], zero=True),
        draw(tr("gradient norm", "梯度范数"), measured_curves(log, "gradient_norm", log_scale=True), log=True),
        draw(tr("target tokens a second", "每秒目标词元"), measured_curves(log, "target_tokens_per_second"), zero=True),
    ]
    return f'<div class="charts">\n{"".join(charts)}</div>\n{curve_legend(log, tr)}' if any(charts) else ""


def ticked_steps(log: TrainingLog) -> list[int]:
    """The validations, as long as their ticks do not merge into a bar."""
    return [one.step for one in log.validations] if len(log.validations) <= MOST_DOTS else []


def measured_curves(log: TrainingLog, name: str, label: str = "", *, log_scale: bool = False) -> list[Curve]:
    """What was measured, faint, and its mean over neighbouring steps; on a logarithmic scale the mean of logarithms."""
    values = log.series[name]
    window = max(LEAST_WINDOW, len(values) // WINDOWS)
    if log_scale:
        values = np.where(values > 0, values, np.nan)
        mean = np.exp(smooth(np.log(values), window))
    else:
        mean = smooth(values, window)
    label = label if np.isfinite(values).any() else ""
    return [Curve(*keep_extremes(log.steps, values), "raw"), Curve(*keep_evenly(log.steps, mean), "train", label)]


def validation_curves(log: TrainingLog, name: str, best: str, label: str = "") -> list[Curve]:
    """A dot a validation, and a larger one where it was the best."""
    x, y = keep_extremes(*log.scores(name))
    curves = [Curve(x, y, "valid", label if len(x) else "", point_notes(name, x, y) if len(x) <= MOST_DOTS else ())]
    if log.best and math.isfinite(score := log.best.scores.get(name, math.nan)):
        x, y = np.array([log.best.step]), np.array([score])
        curves.append(Curve(x, y, "best", best, point_notes(name, x, y)))
    return curves


def point_notes(name: str, steps: np.ndarray, values: np.ndarray) -> list[str]:
    pairs = zip(steps.tolist(), values.tolist(), strict=True)
    return [f"step {int(step):,}: {score_text(name, value)}" for step, value in pairs]


def curve_legend(log: TrainingLog, tr: Tr) -> str:
    """What the lines and marks mean, those there are."""
    sentences = [
        tr(
            "Across: steps. Faint: each step; strong: the mean of its neighbours.",
            "横轴：步数。浅色：每一步；深色：相邻各步的平均。",
        )
    ]
    if ticked_steps(log):
        sentences.append(tr("Short grey ticks: validations.", "灰色短线：验证。"))
    if log.resumed:
        when = list_steps(log.resumed, tr)
        sentences.append(tr(f"Dashed lines: the run was resumed ({when}).", f"虚线：续训（{when}）。"))
    if log.skipped:
        when = list_steps(log.skipped, tr)
        english = f"Red ticks: updates skipped because a loss or gradient was no number ({when})."
        sentences.append(tr(english, f"红色短线：因损失或梯度不是有限数而跳过的更新（{when}）。"))
    return f'<p class="note">{tr(" ", "").join(sentences)}</p>'


def list_steps(steps: Sequence[int], tr: Tr = in_english) -> str:
    """at step 500; 7 times, at steps 500, 600, 700, 800, 900 …"""
    if len(steps) == 1:
        return tr(f"at step {steps[0]:,}", f"第 {steps[0]:,} 步")
    first = ", ".join(f"{step:,}" for step in steps[:5]) + (" …" if len(steps) > 5 else "")
    return tr(f"{len(steps):,} times, at steps {first}", f"{len(steps):,} 次，在第 {first} 步")
