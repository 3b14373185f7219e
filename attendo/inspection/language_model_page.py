"""The page about one text through a language model: how each token was foretold, every head of every layer."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from attendo.inspection.heat_maps import draw_layers, explain_signs
from attendo.inspection.heat_tables import colour_rules
from attendo.inspection.language_model import Foretold, TextInspection
from attendo.inspection.page import INSPECT_STYLE, PAGE, contents, map_remarks, maps_html, section, signs_html
from attendo.report.columns import num_columns, padded
from attendo.report.formatting import visible
from attendo.report.language import Bilingual, Language, in_language
from attendo.report.page import fact_cards, html_text, write_html

COLUMNS = (
    Bilingual("token", "词元"),
    Bilingual("probability", "概率"),
    Bilingual("rank", "名次"),
    Bilingual("the likeliest", "概率最大的词元"),
)


def write_text_folder(folder: Path, found: TextInspection, model: str, language: Language) -> TextInspection:
    """The page and the pictures; the inspection comes back with these files and what a reader should know of them."""
    pictures = list(draw_layers(found.maps, folder, language))
    layers, heads = found.maps.weights.shape[:2]
    facts = {
        Bilingual("model", "模型"): model,
        Bilingual("tokens", "词元"): str(len(found.foretold)),
        Bilingual("perplexity per token", "每个词元的困惑度"): f"{perplexity(found):,.2f}",
        Bilingual("layers", "层"): str(layers),
        Bilingual("heads", "头"): str(heads),
    }
    parts = [
        f'<h1 dir="auto">{html_text(found.text)}</h1>',
        fact_cards({words.on_page(language): text for words, text in facts.items()}),
        signs_html([*found.maps.rows], language),
        contents(["foretold", found.maps.name], language),
        section("foretold", foretold_html(found, language), language=language),
        section(found.maps.name, maps_html(found.maps, (None, None), language), language=language),
    ]
    write_html(folder / PAGE, found.text.strip()[:100], parts, INSPECT_STYLE + colour_rules(), language)
    remarks = (*found.remarks, *map_remarks([found.maps], set(found.maps.rows)))
    return replace(found, files=(folder / PAGE, *pictures), remarks=remarks)


def perplexity(found: TextInspection) -> float:
    return math.exp(-found.log_prob / len(found.foretold))


def foretold_html(found: TextInspection, language: Language) -> str:
    head = "".join(f'<th class="text">{words.on_page(language)}</th>' for words in COLUMNS)
    rows = "".join(
        f'<tr><td class="token" dir="auto">{html_text(one.token)}</td><td>{one.probability:.2%}</td>'
        f'<td>{one.rank:,}</td><td class="text" dir="auto">{html_text(candidates_text(one))}</td></tr>\n'
        for one in found.foretold
    )
    return f'<div class="step"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>'


def candidates_text(one: Foretold) -> str:
    return "  ".join(f"{token} {probability:.0%}" for token, probability in one.candidates)


def text_lines(found: TextInspection, language: Language = "en") -> Iterator[str]:
    """The same for a terminal, without the maps."""
    tr = in_language(language)
    yield f"{padded(tr('text', '文字'), 13)}{visible(found.text)}"
    yield f"{padded(tr('perplexity', '困惑度'), 13)}{perplexity(found):,.2f}" + tr(" per token", "（每个词元）")
    if signs := explain_signs(found.maps.rows, language):
        yield f"  {signs}"
    yield ""
    width = max(num_columns(one.token) for one in found.foretold)
    for one in found.foretold:
        rank = tr(f"rank {one.rank:,}", f"第 {one.rank:,} 名")
        yield f"  {padded(one.token, width)}  {one.probability:8.2%}  {padded(rank, 12)}{candidates_text(one)}"
