"""One page about a run, report.html: what came of it, its curves, and all that is needed to do it again."""

import json
import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from attendo.report.page import facts, shown, shown_lines, write_html
from attendo.report.quantities import score_text
from attendo.runs.training_curves import curves
from attendo.runs.training_log import TrainingLog, Validation, read_log

MOST_ROWS = 500  # of the table of validations


def write_report(
    path: Path,
    *,
    title: str,
    command: str,
    recipe_toml: str,
    environment: dict[str, Any],
    log: Sequence[dict[str, Any]],
    summary: dict[str, str],
) -> None:
    """`log` are the records of log.jsonl in their order; `summary` is what the caller wants said at the top."""
    known = read_log(log)
    parts = [
        f"<h1>{shown(title)}</h1>",
        headline(known, metric_of(recipe_toml)),
        facts(summary),
        section("Curves", curves(known)),
        section("Validations", validation_table(known)),
        section("Samples", samples(known.last_samples)),
        section("Do it again", f"<pre>{shown_lines(command)}</pre>"),
        section("Recipe", f"<pre>{shown_lines(recipe_toml)}</pre>" if recipe_toml.strip() else ""),
        section("Environment", word_table(environment)),
    ]
    write_html(path, title, parts)


def section(heading: str, content: str) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{content}\n</section>" if content else ""


def metric_of(recipe_toml: str) -> str:
    """The score that decides which validation is the best."""
    try:
        return str(tomllib.loads(recipe_toml)["validation"]["metric"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return "loss"


def headline(log: TrainingLog, metric: str) -> str:
    best = log.best
    if best is None:
        steps = "1 step" if log.last_step == 1 else f"{log.last_step:,} steps"
        state = f"{steps}, no {'best ' if log.validations else ''}validation yet" if log.last_step else "no step yet"
        return f'<p class="headline">{state}</p>'
    # the deciding score first, in large letters
    names = sorted(best.scores, key=lambda name: name != metric)
    words = [f"{shown(name)} {score_text(name, best.scores[name])}" for name in names]
    others = "".join(f", {word}" for word in words[1:])
    return f'<p class="headline"><b>{words[0]}</b> best, at step {best.step:,}{others}</p>' if words else ""


def validation_table(log: TrainingLog) -> str:
    if not log.validations:
        return ""
    names = log.score_names()
    apart = math.ceil(len(log.validations) / MOST_ROWS)
    # counted from the end: the last is always there
    rows = [one for place, one in enumerate(reversed(log.validations)) if place % apart == 0 or one is log.best]
    head = "".join(f"<th>{shown(name)}</th>" for name in ("step", *names))
    body = "".join(validation_row(one, names, one is log.best) for one in reversed(rows))
    note = f'<p class="note">{len(rows):,} of {len(log.validations):,} validations.</p>' if apart > 1 else ""
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}'


def validation_row(one: Validation, names: Iterable[str], best: bool) -> str:
    cells = "".join(f"<td>{score_text(name, one.scores.get(name))}</td>" for name in names)
    look = ' class="best"' if best else ""
    return f"<tr{look}><td>{one.step:,}</td>{cells}</tr>\n"


def samples(validation: Validation | None) -> str:
    if validation is None:
        return ""
    blocks = [
        '<dl class="sample">'
        + "".join(
            f'<dt>{label}</dt><dd dir="auto">{shown(text)}</dd>'
            for label, text in zip(("source", "reference", "translation"), sample, strict=True)
        )
        + "</dl>"
        for sample in validation.samples
    ]
    return f'<p class="note">From the validation at step {validation.step:,}.</p>\n' + "\n".join(blocks)


def word_table(words: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{shown(str(name))}</th><td>{shown(in_words(value))}</td></tr>\n" for name, value in words.items()
    )
    return f'<table class="words">{rows}</table>' if rows else ""


def in_words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
