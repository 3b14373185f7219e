"""The page of an evaluation: the scores of each test set, what lies behind them, and the commands to check them."""

from collections.abc import Sequence
from pathlib import Path

from attendo.evaluation.evaluate import Evaluation, JudgedSentence
from attendo.evaluation.metrics import PUBLISHED_NAME, Score
from attendo.evaluation.report_text import ScoreRow, fact_rows, judged_rows, metric_rows, score_rows
from attendo.report.charts import Bar, draw_bars
from attendo.report.formatting import visible
from attendo.report.page import Bilingual, captioned_section, fact_cards, html_text, labelled_texts, write_html

BEST = ' class="best"'
CLASS_WIDTH = 10  # points of chrF in the chart of all sentences
EVALUATION_STYLE = """
article + article { border-top: .2rem solid var(--rule); margin-top: 3rem; padding-top: 2rem; }
td.words, th.words { text-align: left; overflow-wrap: anywhere; }
td.signature { text-align: left; font: .8rem ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.warning { border-left: .2rem solid var(--valid); padding-left: .9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""

HEADINGS = {
    "scores": Bilingual("Scores", "得分"),
    "lengths": Bilingual("By length", "按句长"),
    "words": Bilingual("Rare and frequent words", "罕见词与常见词"),
    "sentences": Bilingual("Sentence by sentence", "逐句得分"),
    "worst": Bilingual("The worst sentences", "最差的句子"),
    "best": Bilingual("The best sentences", "最好的句子"),
    "again": Bilingual("The same without attendo", "不用 attendo 重算"),
}
CAPTIONS = {
    "scores": Bilingual(
        "By sacreBLEU. The interval holds 95 % of the bootstrap's samples; the signature says how a score was computed "
        "and belongs to it wherever it is quoted. BLEU and chrF: more is better. TER: less is better.",
        "由 sacreBLEU 计算。区间包含 95 % 的自助法样本；签名说明得分如何算出，引用得分时应一并给出。"
        "BLEU 和 chrF 越高越好，TER 越低越好。",
    ),
    "several": Bilingual(
        "Where words have no spaces between them, BLEU depends on how the text is cut. Quote the green one.",
        "词与词之间没有空格的语言，BLEU 取决于如何切分文本。引用时用绿色的那一个。",
    ),
    "lengths": Bilingual(
        "Sentences by the length of their reference: words, or characters of Chinese and Japanese. "
        "BLEU of few sentences says little.",
        "按参考译文的长度分组：以词计，中文和日文以字计。句子很少时，BLEU 说明不了什么。",
    ),
    "words": Bilingual(
        "How many words of the reference the translation of the same sentence has, by how often they occur in {text}. "
        "Words are in lower case, without punctuation; of Chinese and Japanese, characters.",
        "参考译文中的词有多少出现在同一句的译文里，按这些词在{text}中出现的次数分组。"
        "词一律小写，不含标点；中文和日文以字计。",
    ),
    "sentences": Bilingual(
        "chrF of each sentence alone: how many sentences reach which score.",
        "每个句子单独的 chrF：各分数段有多少句子。",
    ),
    "worst": Bilingual(
        "By chrF. A bad score may also mean that the reference is wrong, or says the same with other words.",
        "按 chrF 排列。得分低也可能是因为参考译文有误，或用别的词说了同样的意思。",
    ),
    "best": Bilingual("By chrF.", "按 chrF 排列。"),
    "again": Bilingual(
        "Commands for bash; scores and signatures must be the same. TRANSLATIONS stands for the file of translations "
        "(--write-translations).",
        "bash 命令；得分和签名应当相同。TRANSLATIONS 代表译文文件（--write-translations）。",
    ),
}
THE_REFERENCES = Bilingual("the references", "参考译文")
FACTS = {
    "sentences": Bilingual("sentences", "句数"),
    "direction": Bilingual("direction", "方向"),
    "references": Bilingual("references", "参考译文数"),
    "hypotheses": Bilingual("judged", "被评译文"),
    "speed": Bilingual("speed", "速度"),
    "length ratio": Bilingual("length ratio", "长度比"),
    "loops": Bilingual("loops", "原地打转"),
    "numbers kept": Bilingual("numbers kept", "保留的数字"),
    "wider beam": Bilingual("wider beam", "更宽的束"),
    "equal to a reference": Bilingual("equal to a reference", "与参考译文相同"),
    "empty": Bilingual("empty", "空译文"),
}


def write_evaluation(path: Path, evaluations: Sequence[Evaluation]) -> None:
    title = ", ".join(Path(one.name).name for one in evaluations)
    parts = [overview(evaluations), *(article(index, one) for index, one in enumerate(evaluations, start=1))]
    write_html(path, f"attendo evaluate: {title}"[:150], parts, EVALUATION_STYLE)


def overview(evaluations: Sequence[Evaluation]) -> str:
    """Of several test sets the scores to quote, in one table."""
    if len(evaluations) < 2:
        return ""
    rows = "".join(
        f'<tr><td class="words"><a href="#set-{index}">{html_text(one.name)}</a></td><td>{one.sentences:,}</td>'
        + "".join(f"<td>{score.score:.2f}</td>" for score in (one.quoted[1], one.chrf, one.ter))
        + "</tr>\n"
        for index, one in enumerate(evaluations, start=1)
    )
    head = "".join(f"<th>{name}</th>" for name in ("sentences · 句数", "BLEU", "chrF", "TER"))
    return (
        f'<div class="scroll"><table><thead><tr><th class="words">test set · 测试集</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def article(index: int, found: Evaluation) -> str:
    source = f"{found.source_language} → " if found.source_language else ""
    summary = {
        "direction": f"{source}{found.target_language}",
        "sentences": f"{found.sentences:,}",
        "references": str(found.references),
        "hypotheses": found.hypotheses,
    } | dict(fact_rows(found))

    def section(name: str, content: str) -> str:
        file = found.frequencies_of
        counted_in = Bilingual(visible(file), f" {visible(file)} ") if file else THE_REFERENCES
        captions = zip(CAPTIONS[name], counted_in, strict=True)
        caption = Bilingual(*(text.replace("{text}", where) for text, where in captions))
        return captioned_section(f"{name}-{index}", HEADINGS[name], caption, content)

    commands = [command for command in (found.command, found.published_command) if command]
    parts = [
        f'<h1>{html_text(found.name)}</h1>',
        fact_cards({FACTS[name].label: text for name, text in summary.items()} | dict(metric_rows(found))),
        *(f'<p class="warning">{html_text(warning)}</p>' for warning in found.warnings),
        section("scores", score_section(found)),
        section("lengths", f'<div class="charts bars">\n{"".join(length_charts(found))}</div>'),
        section("words", f'<div class="charts bars">\n{frequency_chart(found)}</div>'),
        section("sentences", f'<div class="charts bars">\n{sentence_chart(found.sentence_chrf)}</div>'),
        section("worst", "\n".join(map(judged_sentence, found.worst))),
        section("best", "\n".join(map(judged_sentence, found.best))),
        section("again", "".join(f"<pre>{html_text(command)}</pre>" for command in commands)),
    ]  # fmt: skip
    return f'<article id="set-{index}">\n' + "\n".join(parts) + "\n</article>"


def score_section(found: Evaluation) -> str:
    rows = score_rows(found)
    body = "".join(
        f'<tr{BEST if row.marked else ""}><td class="words">{html_text(row.label)}</td><td>{row.score.score:.2f}</td>'
        f'<td>{interval_text(row.score)}</td><td class="signature">{html_text(row.score.signature)}</td></tr>\n'
        for row in rows
    )
    several = "".join(f'<p class="note">{text}</p>' for text in CAPTIONS["several"]) if len(found.bleu) > 1 else ""
    head = '<th class="words">score · 得分</th><th></th><th>95 %</th><th class="words">signature · 签名</th>'
    chart = draw_bars("Scores with their intervals · 得分及区间", list(map(score_bar, rows)))
    return (
        f'<div class="charts bars">{chart}</div>{several}'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def score_bar(row: ScoreRow) -> Bar:
    score, label = row.score, row.label.replace("tokenisation ", "").replace(PUBLISHED_NAME, "published")
    return Bar(label, score.score, f"{score.score:.1f}", score.signature, score.interval, row.marked)


def interval_text(score: Score) -> str:
    return f"{score.interval[0]:.2f} to {score.interval[1]:.2f}" if score.interval else ""


def length_charts(found: Evaluation) -> list[str]:
    """A chart for each: BLEU, chrF, and how many sentences there are."""
    bars: dict[str, list[Bar]] = {"BLEU": [], "chrF": [], "sentences · 句数": []}
    for one in found.lengths:
        note = f"{one.sentences:,} sentences"
        bars["BLEU"].append(Bar(one.words, one.bleu, f"{one.bleu:.1f}", note))
        bars["chrF"].append(Bar(one.words, one.chrf, f"{one.chrf:.1f}", note))
        bars["sentences · 句数"].append(Bar(one.words, one.sentences, f"{one.sentences:,}"))
    return [draw_bars(title, each) for title, each in bars.items()]


def frequency_chart(found: Evaluation) -> str:
    bars = []
    for one in found.frequencies:
        note = f"{one.found:,} of {one.words:,} words"
        bars.append(Bar(one.times, 100 * one.share, f"{one.share:.0%}", note))
    return draw_bars("words found, % · 译出的词，%", bars)


def sentence_chart(scores: Sequence[float]) -> str:
    """How many reach 0 to 10, 10 to 20, …; 100 belongs to the last class."""
    counts = [0] * (100 // CLASS_WIDTH)
    for score in scores:
        counts[min(int(score / CLASS_WIDTH), len(counts) - 1)] += 1
    bars = []
    for low, count in zip(range(0, 100, CLASS_WIDTH), counts, strict=True):
        note = f"chrF from {low} to {low + CLASS_WIDTH}: {count:,} sentences"
        bars.append(Bar(str(low), count, f"{count:,}", note))
    return draw_bars("sentences by chrF · 按 chrF 分组的句数", bars)


def judged_sentence(sentence: JudgedSentence) -> str:
    return labelled_texts(judged_rows(sentence), f"<dt>line {sentence.line:,}, chrF {sentence.chrf:.2f}</dt>")
