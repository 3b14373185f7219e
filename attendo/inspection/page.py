"""One page about one sentence, index.html: its translation, the alignment, the search, and every head of every layer.

Like the report of a run it holds everything it shows and runs nothing. Labels are text, so that every browser shows
Chinese with the fonts it has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from torch import Tensor

from attendo.inspection.alignment import Alignment, AttentionMaps
from attendo.inspection.heat_table import colour_rules, heat_table, legend
from attendo.inspection.inspection import Inspection
from attendo.inspection.page_style import INSPECT_STYLE
from attendo.inspection.page_words import CAPTIONS, HEADINGS
from attendo.inspection.steps_table import steps_table
from attendo.report.page import Words, captioned_section, fact_cards, html_text, write_html
from attendo.text.tokenizer import Tokenizer

MOST_CELLS = 40_000  # of one use of attention; a browser is slow with more


@dataclass(frozen=True)
class Shown:
    """What of a use of attention fits on the page, and in words what is left out."""

    weights: Tensor  # [layers or 1, heads or 1, rows, columns]; without layers if nothing fits
    layers: bool = True
    heads: bool = True
    note: tuple[str, str] | None = None


def write_page(
    path: Path,
    found: Inspection,
    tokenizer: Tokenizer,
    maps: Sequence[AttentionMaps],
    aligned: Alignment,
    summary: dict[str, str],
    languages: tuple[str | None, str],
) -> None:
    """`summary` is what the caller wants said at the top; the languages, of source and target, choose the glyphs."""
    source, target = languages
    of_use = {"encoder-self": (source, source), "decoder-self": (target, target), "cross": (target, source)}
    title = f"{found.text.strip()} → {tokenizer.decode(found.best.ids).strip()}"
    parts = [
        f'<h1 dir="auto">{html_text(found.text)}</h1>',
        f'<p class="translation" dir="auto">{html_text(tokenizer.decode(found.best.ids))}</p>',
        fact_cards(summary),
        contents(["alignment", *(one.name for one in maps), "steps"]),
        section("alignment", alignment_part(aligned, (target, source)), "" if found.record.cross else " of self"),
        *(section(one.name, maps_part(one, of_use.get(one.name, (None, None)))) for one in maps),
        section("steps", steps_table(found.steps, tokenizer)),
    ]
    write_html(path, title[:100], parts, INSPECT_STYLE + colour_rules())


def contents(names: Sequence[str]) -> str:
    links = (f'<a href="#{name}">{HEADINGS[name][0]} <span lang="zh">{HEADINGS[name][1]}</span></a>' for name in names)
    return f"<nav>{' '.join(links)}</nav>"


def section(name: str, content: str, variant: str = "") -> str:
    return captioned_section(name, Words(*HEADINGS[name]), Words(*CAPTIONS[name + variant]), content)


def alignment_part(aligned: Alignment, languages: tuple[str | None, str | None]) -> str:
    if aligned.weights.numel() > MOST_CELLS:
        return remark(("Too large for a page: see alignment.png.", "太大，不在网页中显示：请看 alignment.png。"))
    table = heat_table(aligned.weights, aligned.rows, aligned.columns, "", numbers=True, languages=languages)
    return f'{legend()}<div class="maps">{table}</div>'


def maps_part(one: AttentionMaps, languages: tuple[str | None, str | None]) -> str:
    fits = what_fits(one.weights, one.name)
    parts = [remark(fits.note) if fits.note else "", legend() if len(fits.weights) else ""]
    for layer, heads in enumerate(fits.weights, start=1):
        tables = [
            heat_table(
                weights, one.rows, one.columns, f"head {head}" if fits.heads else "all heads", languages=languages
            )
            for head, weights in enumerate(heads, start=1)
        ]
        chinese = f"第 {layer} 层" if fits.layers else "所有层"
        heading = f'{f"Layer {layer}" if fits.layers else "All layers"}<span class="zh" lang="zh">{chinese}</span>'
        parts.append(f'<div><h3>{heading}</h3>\n<div class="maps">\n{"".join(tables)}</div></div>\n')
    return "".join(parts)


def what_fits(weights: Tensor, name: str) -> Shown:
    """weights [layers, heads, rows, columns]: all; else the mean over heads; else over layers too; else nothing."""
    files = f"{name}-layer-1.png …"
    if weights.numel() <= MOST_CELLS:
        return Shown(weights)
    mean = weights.mean(1, keepdim=True)
    if mean.numel() <= MOST_CELLS:
        note = (
            f"Long sentence: the mean over heads; each head is in {files}",
            f"句子较长：这里是各头的平均；每个头见 {files}",
        )
        return Shown(mean, heads=False, note=note)
    mean = mean.mean(0, keepdim=True)
    if mean.numel() <= MOST_CELLS:
        note = (
            f"Long sentence: the mean over layers and heads; each head is in {files}",
            f"句子较长：这里是各层各头的平均；每个头见 {files}",
        )
        return Shown(mean, layers=False, heads=False, note=note)
    return Shown(weights[:0], note=(f"Too large for a page: see {files}", f"太大，不在网页中显示：请看 {files}"))


def remark(said: tuple[str, str]) -> str:
    return f'<p class="remark">{escape(said[0])} <span lang="zh">{escape(said[1])}</span></p>'
