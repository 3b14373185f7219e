"""The page of an evaluation: the scores of each test set, what lies behind them, and the commands to check them."""

from collections.abc import Sequence
from pathlib import Path

from attendo.evaluation.evaluate import Evaluation, JudgedSentence
from attendo.evaluation.metrics import Score
from attendo.evaluation.report_text import (
    FACTS,
    NO_FOUR_GRAMS,
    PUBLISHED,
    ScoreRow,
    class_name,
    fact_rows,
    has_zero_bleu,
    judged_rows,
    metric_rows,
    score_rows,
)
from attendo.report.charts import Bar, draw_bars
from attendo.report.formatting import visible
from attendo.report.language import Bilingual, Language, Tr, in_language
from attendo.report.messages import say
from attendo.report.page import captioned_section, fact_cards, html_text, labelled_texts, write_html

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
TEST_SET = Bilingual("test set", "测试集")
SCORE = Bilingual("score", "得分")
SIGNATURE = Bilingual("signature", "签名")
CHARTS = {
    "scores": Bilingual("Scores with their intervals", "得分及区间"),
    "words": Bilingual("words found, %", "译出的词，%"),
    "sentences": Bilingual("sentences by chrF", "按 chrF 分组的句数"),
}


def write_evaluation(path: Path, evaluations: Sequence[Evaluation], language: Language = "en") -> None:
    title = ", ".join(Path(one.name).name for one in evaluations)
    articles = (article(index, one, language) for index, one in enumerate(evaluations, start=1))
    parts = [overview(evaluations, language), *articles]
    write_html(path, f"attendo evaluate: {title}"[:150], parts, EVALUATION_STYLE, language)


def overview(evaluations: Sequence[Evaluation], language: Language) -> str:
    """Of several test sets the scores to quote, in one table."""
    if len(evaluations) < 2:
        return ""
    rows = "".join(
        f'<tr><td class="words"><a href="#set-{index}">{html_text(one.name)}</a></td><td>{one.sentences:,}</td>'
        + "".join(f"<td>{score.score:.2f}</td>" for score in (one.quoted[1], one.chrf, one.ter))
        + "</tr>\n"
        for index, one in enumerate(evaluations, start=1)
    )
    head = "".join(f"<th>{name}</th>" for name in (FACTS["sentences"].on_page(language), "BLEU", "chrF", "TER"))
    return (
        f'<div class="scroll"><table><thead><tr><th class="words">{TEST_SET.on_page(language)}</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def article(index: int, found: Evaluation, language: Language) -> str:
    tr = in_language(language)
    source = f"{found.source_language} → " if found.source_language else ""
    summary = {
        FACTS["direction"]: f"{source}{found.target_language}",
        FACTS["sentences"]: f"{found.sentences:,}",
        FACTS["references"]: str(found.references),
        FACTS["hypotheses"]: found.hypotheses,
    } | dict(fact_rows(found, tr))

    def section(name: str, content: str) -> str:
        file = found.frequencies_of
        counted_in = Bilingual(visible(file), f" {visible(file)} ") if file else THE_REFERENCES
        captions = zip(CAPTIONS[name], counted_in, strict=True)
        caption = Bilingual(*(text.replace("{text}", where) for text, where in captions))
        return captioned_section(f"{name}-{index}", HEADINGS[name], caption, content, language)

    commands = [command for command in (found.command, found.published_command) if command]
    cards = {words.on_page(language): text for words, text in summary.items()} | dict(metric_rows(found))
    warnings = [say(warning, language) for warning in found.warnings]
    parts = [
        f"<h1>{html_text(found.name)}</h1>",
        fact_cards(cards),
        *(f'<p class="warning">{html_text(warning)}</p>' for warning in warnings),
        section("scores", score_section(found, language)),
        section("lengths", f'<div class="charts bars">\n{"".join(length_charts(found, language))}</div>'),
        section("words", f'<div class="charts bars">\n{frequency_chart(found, language)}</div>'),
        section("sentences", f'<div class="charts bars">\n{sentence_chart(found.sentence_chrf, language)}</div>'),
        section("worst", "\n".join(judged_sentence(one, tr) for one in found.worst)),
        section("best", "\n".join(judged_sentence(one, tr) for one in found.best)),
        section("again", "".join(f"<pre>{html_text(command)}</pre>" for command in commands)),
    ]
    return f'<article id="set-{index}">\n' + "\n".join(parts) + "\n</article>"


def score_section(found: Evaluation, language: Language) -> str:
    rows = score_rows(found, in_language(language))
    body = "".join(
        f'<tr{BEST if row.marked else ""}><td class="words">{html_text(row.label)}</td><td>{row.score.score:.2f}</td>'
        f'<td>{interval_text(row.score)}</td><td class="signature">{html_text(row.score.signature)}</td></tr>\n'
        for row in rows
    )
    remarks = ([CAPTIONS["several"]] if len(found.bleu) > 1 else []) + ([NO_FOUR_GRAMS] if has_zero_bleu(found) else [])
    shown = [text for words in remarks for text in (words[1:] if language == "zh" else words)]
    notes = "".join(f'<p class="note">{html_text(text)}</p>' for text in shown)
    head = (
        f'<th class="words">{SCORE.on_page(language)}</th><th></th><th>95 %</th>'
        f'<th class="words">{SIGNATURE.on_page(language)}</th>'
    )
    chart = draw_bars(CHARTS["scores"].on_page(language), list(map(score_bar, rows)))
    return (
        f'<div class="charts bars">{chart}</div>{notes}'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def score_bar(row: ScoreRow) -> Bar:
    score = row.score
    label = row.label.replace("tokenisation ", "").replace("切分 ", "")
    label = label.replace(PUBLISHED.english, "published").replace(PUBLISHED.chinese, "切词小写")
    return Bar(label, score.score, f"{score.score:.1f}", score.signature, score.interval, row.marked)


def interval_text(score: Score) -> str:
    return f"{score.interval[0]:.2f} – {score.interval[1]:.2f}" if score.interval else ""


def length_charts(found: Evaluation, language: Language) -> list[str]:
    """A chart for each: BLEU, chrF, and how many sentences there are."""
    tr, sentences = in_language(language), FACTS["sentences"].on_page(language)
    bars: dict[str, list[Bar]] = {"BLEU": [], "chrF": [], sentences: []}
    for one in found.lengths:
        note, name = tr(f"{one.sentences:,} sentences", f"{one.sentences:,} 句"), class_name(one.words, tr)
        bars["BLEU"].append(Bar(name, one.bleu, f"{one.bleu:.1f}", note))
        bars["chrF"].append(Bar(name, one.chrf, f"{one.chrf:.1f}", note))
        bars[sentences].append(Bar(name, one.sentences, f"{one.sentences:,}"))
    return [draw_bars(title, each) for title, each in bars.items()]


def frequency_chart(found: Evaluation, language: Language) -> str:
    bars, tr = [], in_language(language)
    for one in found.frequencies:
        note = tr(f"{one.found:,} of {one.words:,} words", f"{one.words:,} 词中的 {one.found:,} 个")
        bars.append(Bar(class_name(one.times, tr), 100 * one.share, f"{one.share:.0%}", note))
    return draw_bars(CHARTS["words"].on_page(language), bars)


def sentence_chart(scores: Sequence[float], language: Language = "en") -> str:
    """How many reach 0 to 10, 10 to 20, …; 100 belongs to the last class."""
    counts = [0] * (100 // CLASS_WIDTH)
    for score in scores:
        counts[min(int(score / CLASS_WIDTH), len(counts) - 1)] += 1
    bars, tr = [], in_language(language)
    for low, count in zip(range(0, 100, CLASS_WIDTH), counts, strict=True):
        high = low + CLASS_WIDTH
        note = tr(f"chrF from {low} to {high}: {count:,} sentences", f"chrF {low} 至 {high}：{count:,} 句")
        bars.append(Bar(str(low), count, f"{count:,}", note))
    return draw_bars(CHARTS["sentences"].on_page(language), bars)


def judged_sentence(sentence: JudgedSentence, tr: Tr) -> str:
    where = tr(
        f"line {sentence.line:,}, chrF {sentence.chrf:.2f}", f"第 {sentence.line:,} 行，chrF {sentence.chrf:.2f}"
    )
    return labelled_texts(judged_rows(sentence, tr), f"<dt>{where}</dt>")
