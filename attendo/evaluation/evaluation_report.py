"""One page about an evaluation: the scores of each test set, what lies behind them, and the commands to check them."""

from collections.abc import Sequence
from pathlib import Path

from attendo.evaluation.evaluate import Evaluation, Judged
from attendo.evaluation.evaluation_text import ScoreRow, fact_rows, judged_rows, score_rows
from attendo.evaluation.evaluation_words import CAPTIONS, HEADINGS, LABELS, THE_REFERENCES
from attendo.evaluation.metrics import Score
from attendo.evaluation.published import NAME
from attendo.report.bars import BARS_STYLE, Bar, draw_bars
from attendo.report.page import captioned, facts, shown, write_html
from attendo.report.visible_text import visible

BEST = ' class="best"'
CLASS = 10  # points of chrF in the picture of all sentences
EVALUATION_STYLE = """
article + article { border-top: .2rem solid var(--rule); margin-top: 3rem; padding-top: 2rem; }
td.words, th.words { text-align: left; overflow-wrap: anywhere; }
td.signature { text-align: left; font: .8rem ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.warning { border-left: .2rem solid var(--valid); padding-left: .9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def write_evaluation(path: Path, found: Sequence[Evaluation]) -> None:
    title = ", ".join(Path(one.name).name for one in found)
    parts = [overview(found), *(article(number, one) for number, one in enumerate(found, start=1))]
    write_html(path, f"attendo evaluate: {title}"[:150], parts, BARS_STYLE + EVALUATION_STYLE)


def overview(found: Sequence[Evaluation]) -> str:
    """Of several test sets the scores to quote, in one table."""
    if len(found) < 2:
        return ""
    rows = "".join(
        f'<tr><td class="words"><a href="#set-{number}">{shown(one.name)}</a></td><td>{one.sentences:,}</td>'
        + "".join(f"<td>{score.score:.2f}</td>" for score in (one.quoted[1], one.chrf, one.ter))
        + "</tr>\n"
        for number, one in enumerate(found, start=1)
    )
    head = "".join(f"<th>{name}</th>" for name in ("sentences · 句数", "BLEU", "chrF", "TER"))
    return (
        f'<div class="scroll"><table><thead><tr><th class="words">test set · 测试集</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def article(number: int, found: Evaluation) -> str:
    source = f"{found.source_language} → " if found.source_language else ""
    summary = {
        "direction": f"{source}{found.target_language}",
        "sentences": f"{found.sentences:,}",
        "references": str(found.references),
        "hypotheses": found.hypotheses,
    } | dict(fact_rows(found))

    def section(name: str, content: str) -> str:
        file = found.frequencies_of
        counted_in = (visible(file), f" {visible(file)} ") if file else THE_REFERENCES
        english, chinese = (
            text.replace("{text}", place) for text, place in zip(CAPTIONS[name], counted_in, strict=True)
        )
        return captioned(f"{name}-{number}", HEADINGS[name], (english, chinese), content)

    parts = [
        f'<h1>{shown(found.name)}</h1>',
        facts({LABELS[name]: text for name, text in summary.items()}),
        *(f'<p class="warning">{shown(warning)}</p>' for warning in found.warnings),
        section("scores", scores(found)),
        section("lengths", f'<div class="charts bars">\n{"".join(lengths(found))}</div>'),
        section("words", f'<div class="charts bars">\n{frequencies(found)}</div>'),
        section("sentences", f'<div class="charts bars">\n{sentences(found.sentence_chrf)}</div>'),
        section("worst", "\n".join(map(judged, found.worst))),
        section("best", "\n".join(map(judged, found.best))),
        section("again", f"<pre>{shown(found.command)}</pre>" + published(found)),
    ]  # fmt: skip
    return f'<article id="set-{number}">\n' + "\n".join(parts) + "\n</article>"


def scores(found: Evaluation) -> str:
    rows = score_rows(found)
    body = "".join(
        f'<tr{BEST if row.marked else ""}><td class="words">{shown(row.label)}</td><td>{row.score.score:.2f}</td>'
        f'<td>{interval(row.score)}</td><td class="signature">{shown(row.score.signature)}</td></tr>\n'
        for row in rows
    )
    several = "".join(f'<p class="note">{text}</p>' for text in CAPTIONS["several"]) if len(found.bleu) > 1 else ""
    head = '<th class="words">score · 得分</th><th></th><th>95 %</th><th class="words">signature · 签名</th>'
    return (
        f'<div class="charts bars">{draw_bars("Scores with their intervals · 得分及区间", list(map(bar, rows)))}</div>'
        f'{several}<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def bar(row: ScoreRow) -> Bar:
    score, label = row.score, row.label.replace("tokenisation ", "").replace(NAME, "published")
    return Bar(label, score.score, f"{score.score:.1f}", score.signature, score.interval, row.marked)


def interval(score: Score) -> str:
    return f"{score.interval[0]:.2f} to {score.interval[1]:.2f}" if score.interval else ""


def lengths(found: Evaluation) -> list[str]:
    """A picture for each: BLEU, chrF, and how many sentences there are."""
    rows = found.lengths
    return [
        draw_bars(
            "BLEU", [Bar(one.words, one.bleu, f"{one.bleu:.1f}", f"{one.sentences:,} sentences") for one in rows]
        ),
        draw_bars(
            "chrF", [Bar(one.words, one.chrf, f"{one.chrf:.1f}", f"{one.sentences:,} sentences") for one in rows]
        ),
        draw_bars("sentences · 句数", [Bar(one.words, one.sentences, f"{one.sentences:,}") for one in rows]),
    ]


def frequencies(found: Evaluation) -> str:
    bars = [
        Bar(one.times, 100 * one.share, f"{one.share:.0%}", f"{one.found:,} of {one.words:,} words")
        for one in found.frequencies
    ]
    return draw_bars("words said, % · 译出的词，%", bars)


def sentences(scores: Sequence[float]) -> str:
    """How many reach 0 to 10, 10 to 20, …; 100 belongs to the last class."""
    counts = [0] * (100 // CLASS)
    for score in scores:
        counts[min(int(score / CLASS), len(counts) - 1)] += 1
    bars = [
        Bar(
            str(place * CLASS),
            count,
            f"{count:,}",
            f"chrF from {place * CLASS} to {(place + 1) * CLASS}: {count:,} sentences",
        )
        for place, count in enumerate(counts)
    ]
    return draw_bars("sentences by chrF · 按 chrF 分组的句数", bars)


def judged(sentence: Judged) -> str:
    rows = "".join(f'<dt>{label}</dt><dd dir="auto">{shown(text)}</dd>' for label, text in judged_rows(sentence))
    return f'<dl class="sample"><dt>line {sentence.line:,}, chrF {sentence.chrf:.2f}</dt>{rows}</dl>'


def published(found: Evaluation) -> str:
    return f"<pre>{shown(found.published_command)}</pre>" if found.published_command else ""
