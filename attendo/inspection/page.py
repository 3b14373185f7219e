"""The page about one sentence, index.html: its translation, the alignment, the search, every head of every layer.

Like the report of a run it holds everything it shows and runs nothing. Labels are text, so that every browser shows
Chinese with the fonts it has. Pictures of all heads stand beside it in the folder.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from torch import Tensor

from attendo.inspection.alignment import Alignment, AttentionMaps
from attendo.inspection.heat_maps import draw_maps, explain_signs, labels_apart
from attendo.inspection.heat_tables import colour_rules, heat_table, legend
from attendo.inspection.inspect import Inspection
from attendo.inspection.steps import steps_html
from attendo.report.fonts import missing
from attendo.report.language import Bilingual, Language, in_language
from attendo.report.page import captioned_section, fact_cards, html_heading, html_text, write_html

PAGE = "index.html"
MOST_CELLS = 40_000  # of one use of attention; a browser is slow with more

HEADINGS = {
    "alignment": Bilingual("Alignment", "词对齐"),
    "steps": Bilingual("The search, step by step", "搜索的每一步"),
    "encoder-self": Bilingual("Encoder self-attention", "编码器自注意力"),
    "decoder-self": Bilingual("Decoder self-attention", "解码器自注意力"),
    "cross": Bilingual("Cross-attention", "交叉注意力"),
    "self": Bilingual("Self-attention", "自注意力"),
    "encoder-only": Bilingual("Self-attention", "自注意力"),
    "guesses": Bilingual("Guesses for the masks", "掩码的候选"),
    "language-model": Bilingual("Self-attention", "自注意力"),
    "foretold": Bilingual("How each token is foretold", "每个词元的预测"),
}
CAPTIONS = {
    "alignment": Bilingual(
        "Cross-attention, the mean over all layers and heads, in percent. Where the source has several words, pieces "
        "are joined into words: the sum over the source's pieces, the mean over the target's.",
        "交叉注意力对所有层和所有头取平均，以百分数表示。源句不止一个词时，子词合并成词：源端求和，译文端取平均。",
    ),
    "alignment of self": Bilingual(
        "What self-attention gives to the source while a word is being produced, the mean over all layers and heads, "
        "in percent; the rest of a row went to the translation itself. Where the source has several words, pieces are "
        "joined into words: the sum over the source's pieces, the mean over the target's.",
        "输出每个词时，自注意力落在源句上的部分，对所有层和所有头取平均，以百分数表示；每行其余部分落在译文自身。"
        "源句不止一个词时，子词合并成词：源端求和，译文端取平均。",
    ),
    "steps": Bilingual(
        "All continuations of all hypotheses compete by the sum of their log-probabilities; the best stay, the others "
        "are lost. A hypothesis that produces </s> has ended; its score is the sum divided by its length^α.",
        "所有候选的续写一起按对数概率之和竞争，最好的几个保留，其余淘汰。"
        "输出 </s> 的候选就此结束，得分是总和除以长度的 α 次方。",
    ),
    "encoder-self": Bilingual(
        "How the source looks at itself: each row is a source token, each column a token it looks at. A row sums to 1.",
        "源句看自己：每一行是一个源端词元，每一列是它所看的词元。每行之和为 1。",
    ),
    "decoder-self": Bilingual(
        "How the translation looks back at itself: rows and columns are the tokens that the decoder reads, the first "
        "being <s>. It cannot look ahead, so the upper right half is masked.",
        "译文回头看自己：行和列都是解码器读入的词元，第一个是 <s>。它不能看后面的词，所以右上半被掩码遮住。",
    ),
    "cross": Bilingual(
        "Which source tokens (columns) the decoder looks at while it produces each token of the translation (rows).",
        "解码器输出译文的每个词元（行）时，在看源句的哪些词元（列）。",
    ),
    "self": Bilingual(
        "To a decoder alone source and translation are one text; each row looks back at what stands before it.",
        "对仅解码器的模型来说，源句和译文是同一段文字；每一行只能回头看前面的词元。",
    ),
    "encoder-only": Bilingual(
        "How the text looks at itself, in both directions: each row is a token, each column a token it looks at. A row "
        "sums to 1.",
        "文字看自己，前后都能看：每一行是一个词元，每一列是它所看的词元。每行之和为 1。",
    ),
    "guesses": Bilingual(
        "The likeliest tokens in place of each mask. A mask stands for one token of the tokenizer.",
        "每个掩码处概率最大的词元。一个掩码代表分词器的一个词元。",
    ),
    "language-model": Bilingual(
        "How the text looks back at itself: each row is a token that the model has read, each column a token it looks "
        "at. It cannot look ahead, so the upper right half is masked.",
        "文字回头看自己：每一行是模型已读入的词元，每一列是它所看的词元。它不能看后面的词元，所以右上半被掩码遮住。",
    ),
    "foretold": Bilingual(
        "The probability that the model gives each token after those before it, its rank among all tokens, and the "
        "tokens that it finds likeliest.",
        "模型读完前文后给每个词元的概率、它在所有词元中的名次，以及概率最大的几个词元。",
    ),
}
INSPECT_STYLE = """
.translation { font-size: 1.35rem; margin: .25rem 0 1.25rem; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1.25rem; }
nav a { color: var(--train); }
.remark { border-left: .2rem solid var(--valid); padding-left: .9rem; }
.maps { display: flex; flex-wrap: wrap; gap: 1.25rem 1.75rem; align-items: flex-start; overflow-x: auto;
  padding-bottom: .5rem; }
.maps .maps { overflow: visible; padding-bottom: 0; }
.map { margin: 0; break-inside: avoid; }
.map figcaption { color: var(--quiet); font-size: .8rem; margin-bottom: .25rem; }
.map table { border-collapse: collapse; font-size: .75rem; line-height: 1.1; }
.map th { position: static; background: none; color: var(--ink); font-weight: 400; border: 0; white-space: nowrap; }
.map tbody th { padding: 0 .4rem 0 0; text-align: right; }
.map thead th { padding: 0 0 .35rem; vertical-align: bottom; text-align: center; }
.map thead span { writing-mode: vertical-rl; }
.map td { width: 1.05rem; min-width: 1.05rem; height: 1.05rem; padding: 0; border: 0; text-align: center;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.map thead td { background: none; }
.map tbody tr:hover th { font-weight: 700; }
.map td[title]:hover { outline: .14rem solid var(--valid); outline-offset: -.07rem; }
.map.numbers table { font-size: .9rem; }
.map.numbers td { width: 2.3rem; min-width: 2.3rem; height: 1.8rem; font-size: .75rem; }
.legend { margin: .25rem 0 .75rem; font-size: .7rem; }
.legend td { width: 1.6rem; min-width: 1.6rem; height: 1.1rem; padding: 0; border: 0; text-align: center;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.legend td.words { width: auto; padding-left: .4rem; white-space: nowrap; }
.steps { columns: 31rem 2; column-gap: 2.5rem; }
.step { break-inside: avoid; margin: 0 0 1.5rem; }
.step table { font-size: .85rem; width: 100%; }
.step th, .step td { padding: .1rem .6rem .1rem 0; }
.step .text { text-align: left; overflow-wrap: anywhere; }
.step .token { text-align: left; white-space: nowrap; font-weight: 600; }
.step .lost td { color: var(--quiet); font-weight: 400; }
.step .ended .fate { color: var(--good); font-weight: 600; }
.step .fate { text-align: left; white-space: nowrap; }
.step thead th { position: static; }
@media print { nav { display: none; } .steps { columns: 1; } .maps { overflow: visible; }
  .map td[title]:hover { outline: 0; }
  .map table { font-size: 6pt; } .map td { width: 7pt; min-width: 7pt; height: 7pt; }
  .map.numbers table { font-size: 8pt; } .map.numbers td { width: 15pt; min-width: 15pt; height: 12pt; } }
"""


def write_folder(folder: Path, found: Inspection, model: str, language: Language = "en") -> Inspection:
    """The page and the pictures; the inspection comes back with these files and what a reader should know of them.

    `model` is what the page calls the model.
    """
    pictures = list(draw_maps(found.maps, found.alignment, folder, language))
    facts = {
        Bilingual("model", "模型"): model,
        Bilingual("direction", "方向"): f"{found.source_language}-{found.target_language}",
        Bilingual("tokens", "词元"): f"{len(found.source)} → {len(found.best.ids)}",
        Bilingual("beam", "束宽"): str(found.options.beam_size) if found.steps else "–",
        Bilingual("log-probability", "对数概率"): f"{found.best.log_prob:.3f}",
        Bilingual("score", "得分"): f"{found.best.score:.3f}",
    }
    write_page(
        folder / PAGE, found, found.maps, {words.on_page(language): text for words, text in facts.items()}, language
    )
    remarks = (*found.remarks, *picture_remarks(found.maps, found.alignment))
    return replace(found, files=(folder / PAGE, *pictures), remarks=remarks)


def picture_remarks(maps: Sequence[AttentionMaps], alignment: Alignment) -> list[str]:
    labels = {*alignment.rows, *alignment.columns}.union(*((*one.rows, *one.columns) for one in maps))
    return map_remarks(maps, labels)


def map_remarks(maps: Sequence[AttentionMaps], labels: set[str]) -> list[str]:
    remarks = []
    if unknown := missing(labels):
        remarks.append(
            f"no installed font has {' '.join(unknown[:8])}{' …' if len(unknown) > 8 else ''}: the pictures show code "
            f"points such as U+{ord(unknown[0]):04X}, {PAGE} the characters (Noto Sans CJK has Chinese)"
        )
    longest = max(max(one.weights.shape[-2:]) for one in maps)
    if labels_apart(longest) > 1:
        remarks.append(f"{longest} tokens are many for a picture: one label in {labels_apart(longest)} is shown")
    if means := [one.name for one in maps if fit_page(one.weights, one.name).note]:
        of = ", ".join(means)
        remarks.append(f"long for {PAGE}, which shows of {of} means at most: the pictures show every head")
    return remarks


def write_page(
    path: Path, found: Inspection, maps: Sequence[AttentionMaps], facts: dict[str, str], language: Language = "en"
) -> None:
    """`facts` stand at the top. The languages of source and target choose the glyphs."""
    source, target = found.source_language, found.target_language
    languages = {"encoder-self": (source, source), "decoder-self": (target, target), "cross": (target, source)}
    title = f"{found.text.strip()} → {found.translation.strip()}"
    alignment_of = "" if found.record.cross else " of self"
    parts = [
        f'<h1 dir="auto">{html_text(found.text)}</h1>',
        f'<p class="translation" dir="auto">{html_text(found.translation)}</p>',
        fact_cards(facts),
        signs_html([label for one in found.maps for label in (*one.columns, *one.rows)], language),
        contents(["alignment", *(one.name for one in maps), "steps"], language),
        section("alignment", alignment_html(found.alignment, (target, source), language), alignment_of, language),
        *(
            section(one.name, maps_html(one, languages.get(one.name, (None, None)), language), language=language)
            for one in maps
        ),
        section("steps", steps_html(found.steps, found.tokenizer, language), language=language),
    ]
    write_html(path, title[:100], parts, INSPECT_STYLE + colour_rules(), language)


@dataclass(frozen=True)
class FittedMaps:
    """What of a use of attention fits on the page, and in words what is left out."""

    weights: Tensor  # [layers or 1, heads or 1, rows, columns]; without layers if nothing fits
    layers: bool = True
    heads: bool = True
    note: Bilingual | None = None


def signs_html(labels: Sequence[str], language: Language = "en") -> str:
    """What the signs among the labels mean, the tag of the language and the sign for a space first of all."""
    english = f"{escape(explain_signs(labels, 'en'))} " if language == "en" else ""
    return f'<p class="note">{english}<span lang="zh">{escape(explain_signs(labels, "zh"))}</span></p>'


def contents(names: Sequence[str], language: Language = "en") -> str:
    def link(words: Bilingual) -> str:
        return words.chinese if language == "zh" else f'{words.english} <span lang="zh">{words.chinese}</span>'

    links = (f'<a href="#{name}">{link(HEADINGS[name])}</a>' for name in names)
    return f"<nav>{' '.join(links)}</nav>"


def section(name: str, content: str, variant: str = "", language: Language = "en") -> str:
    return captioned_section(name, HEADINGS[name], CAPTIONS[name + variant], content, language)


def alignment_html(alignment: Alignment, languages: tuple[str | None, str | None], language: Language = "en") -> str:
    if alignment.weights.numel() > MOST_CELLS:
        words = Bilingual("Too large for a page: see alignment.png.", "太大，不在网页中显示：请看 alignment.png。")
        return remark_html(words, language)
    table = heat_table(alignment.weights, alignment.rows, alignment.columns, "", numbers=True, languages=languages)
    return f'{legend()}<div class="maps">{table}</div>'


def maps_html(one: AttentionMaps, languages: tuple[str | None, str | None], language: Language = "en") -> str:
    fits, tr = fit_page(one.weights, one.name), in_language(language)
    parts = [
        remark_html(fits.note, language) if fits.note else "",
        legend(causal=one.causal, language=language) if len(fits.weights) else "",
    ]
    for layer, heads in enumerate(fits.weights, start=1):
        numbers = range(1, len(heads) + 1)
        every = [tr(f"head {head}", f"第 {head} 头") for head in numbers] if fits.heads else [tr("all heads", "所有头")]
        tables = [
            heat_table(weights, one.rows, one.columns, name, causal=one.causal, languages=languages)
            for weights, name in zip(heads, every, strict=True)
        ]
        words = Bilingual(f"Layer {layer}", f"第 {layer} 层") if fits.layers else Bilingual("All layers", "所有层")
        heading = html_heading(words, level=3, language=language)
        parts.append(f"<div>{heading}\n{side_by_side(tables)}</div>\n")
    return "".join(parts)


def side_by_side(tables: Sequence[str]) -> str:
    """As many as fit into a row, but halved wherever they do not: four stand 4 x 1 or 2 x 2, never three and one."""
    if len(tables) > 2:
        half = (len(tables) + 1) // 2
        tables = [side_by_side(tables[:half]), side_by_side(tables[half:])]
    return f'<div class="maps">\n{"".join(tables)}</div>\n'


def fit_page(weights: Tensor, name: str) -> FittedMaps:
    """weights [layers, heads, rows, columns]: all; else the mean over heads; else over layers too; else nothing."""
    files = f"{name}-layer-1.png …"
    if weights.numel() <= MOST_CELLS:
        return FittedMaps(weights)
    mean = weights
    for dimension, over in ((1, Bilingual("heads", "各头")), (0, Bilingual("layers and heads", "各层各头"))):
        mean = mean.mean(dimension, keepdim=True)
        if mean.numel() <= MOST_CELLS:
            english = f"Long sentence: the mean over {over.english}; each head is in {files}"
            note = Bilingual(english, f"句子较长：这里是{over.chinese}的平均；每个头见 {files}")
            return FittedMaps(mean, layers=dimension == 1, heads=False, note=note)
    note = Bilingual(f"Too large for a page: see {files}", f"太大，不在网页中显示：请看 {files}")
    return FittedMaps(weights[:0], note=note)


def remark_html(words: Bilingual, language: Language = "en") -> str:
    english = f"{escape(words.english)} " if language == "en" else ""
    return f'<p class="remark">{english}<span lang="zh">{escape(words.chinese)}</span></p>'
