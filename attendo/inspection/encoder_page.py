"""The page about one text through an encoder-only model: the guesses for its masks, every head of every layer."""

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

from attendo.inspection.encoder_only import EncoderInspection
from attendo.inspection.heat_maps import draw_layers, explain_signs
from attendo.inspection.heat_tables import colour_rules
from attendo.inspection.page import INSPECT_STYLE, PAGE, contents, map_remarks, maps_html, section, signs_html
from attendo.inspection.readable import SPACE
from attendo.reading.fill import MaskCandidate
from attendo.report.columns import num_columns, padded
from attendo.report.formatting import visible
from attendo.report.language import Bilingual, Language, in_language
from attendo.report.page import fact_cards, html_heading, html_text, write_html

SIDE_BY_SIDE = Bilingual(
    "Several masks are answered side by side: each is guessed while the others stay hidden.",
    "多个掩码各自独立预测：预测每一个时，其余的仍然遮住。",
)
NO_MASK = Bilingual(
    "The text has no mask: write [MASK] for a token to be guessed.",
    "文字里没有掩码：在要预测的词元处写 [MASK]。",
)
COLUMNS = (Bilingual("token", "词元"), Bilingual("probability", "概率"), Bilingual("the text with it", "填入后"))


def write_encoder_folder(folder: Path, found: EncoderInspection, model: str, language: Language) -> EncoderInspection:
    """The page and the pictures; the inspection comes back with these files and what a reader should know of them."""
    pictures = list(draw_layers(found.maps, folder, language))
    layers, heads = found.maps.weights.shape[:2]
    facts = {
        Bilingual("model", "模型"): model,
        Bilingual("tokens", "词元"): str(len(found.ids)),
        Bilingual("masks", "掩码"): str(len(found.filled.masks) if found.filled else 0),
        Bilingual("layers", "层"): str(layers),
        Bilingual("heads", "头"): str(heads),
    }
    parts = [
        f'<h1 dir="auto">{html_text(found.text)}</h1>',
        f'<p class="translation" dir="auto">{html_text(found.filled.best)}</p>' if found.filled else "",
        fact_cards({words.on_page(language): text for words, text in facts.items()}),
        signs_html([*found.maps.rows], language),
        contents(["guesses", found.maps.name], language),
        section("guesses", guesses_html(found, language), language=language),
        section(found.maps.name, maps_html(found.maps, (None, None), language), language=language),
    ]
    write_html(folder / PAGE, found.text.strip()[:100], parts, INSPECT_STYLE + colour_rules(), language)
    remarks = (*found.remarks, *map_remarks([found.maps], set(found.maps.rows)))
    return replace(found, files=(folder / PAGE, *pictures), remarks=remarks)


def guesses_html(found: EncoderInspection, language: Language) -> str:
    if not found.filled:
        return f'<p class="note">{escape(NO_MASK.of(language))}</p>'
    head = "".join(f'<th class="text">{words.on_page(language)}</th>' for words in COLUMNS)
    tables = ""
    for number, candidates in enumerate(found.filled.masks, start=1):
        heading = html_heading(Bilingual(f"Mask {number}", f"第 {number} 个掩码"), level=3, language=language)
        rows = "".join(
            f'<tr><td class="token" dir="auto">{html_text(label_of(one))}</td><td>{one.probability:.2%}</td>'
            f'<td class="text" dir="auto">{html_text(one.text)}</td></tr>\n'
            for one in candidates
        )
        tables += (
            f'<div class="step">{heading}\n<table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n'
        )
    several = len(found.filled.masks) > 1
    note = f'<p class="note">{escape(SIDE_BY_SIDE.of(language))}</p>' if several else ""
    return f'<div class="steps">\n{tables}</div>{note}'


def label_of(candidate: MaskCandidate) -> str:
    """With its spaces made visible, for they belong to it."""
    return visible(candidate.token).replace(" ", SPACE)


def encoder_lines(found: EncoderInspection, language: Language = "en") -> Iterator[str]:
    """The same for a terminal, without the maps."""
    tr = in_language(language)
    yield f"{padded(tr('text', '文字'), 13)}{visible(found.text)}"
    yield f"{padded(tr('  tokens', '  词元'), 13)}{' '.join(found.tokens)}"
    if signs := explain_signs(found.tokens, language):
        yield f"  {signs}"
    if not found.filled:
        yield NO_MASK.of(language)
        return
    for number, candidates in enumerate(found.filled.masks, start=1):
        yield ""
        yield tr(f"mask {number} of {len(found.filled.masks)}", f"第 {number} 个掩码，共 {len(found.filled.masks)} 个")
        width = max(num_columns(label_of(one)) for one in candidates)
        for one in candidates:
            yield f"  {padded(label_of(one), width)}  {one.probability:8.2%}  {visible(one.text)}"
    if len(found.filled.masks) > 1:
        yield ""
        yield SIDE_BY_SIDE.of(language)
