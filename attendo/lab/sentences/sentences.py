"""The page of the notes' other sentences: those that no claim of the lab judges, each with what is known of it.

The words stand in four pairs of files. checked.en.md and checked.zh.md are written like the errata, a section `## id`
with title, quotes and text for each; the computation is named in CHECKED below. The others are lists:

    # Judged with a claim
    What this part of the page is.

    ## L27, L36                  (judged: the claims; waits: the machine; untestable: the kind of reason)
    > [A87] The note's own words: verbatim in the Chinese file, translated in the English one.

    A remark, or nothing.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attendo.errors import InputError
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.errata.errata import CLAIM, ErratumText, read_entries, shown_quotes, where_it_stands
from attendo.lab.sentences import attention, decoding, layers, scores, shipped_model
from attendo.lab.sentences.tried import Tried
from attendo.lab.tools.texts import SECTION, Language, Quote, fill_in, one_line_each, read_text, split_quotes
from attendo.lab.verdicts import in_language

SentenceCheck = Callable[[], Tried]

LISTS = ("judged", "waits", "untestable")
TITLE = ("The notes' other sentences", "讲义里的其他说法")
INTRODUCTION = (
    "Many sentences of the five notes can be put to the test; the [claims](README.md) take up those that deserve an "
    "experiment of their own, and the [errata](errata.md) those that need a correction. This page has the rest, so "
    "that none is passed over in silence: what a computation of a few lines settles, what a claim has answered "
    "already, what waits for a machine that is still to be built, and what cannot be tested here, with the reason. "
    "B is an older copy of A: what both say is quoted from A. [中文](../zh/other-sentences.md)",
    "五份讲义里可以检验的说法很多：值得专门做实验的，列为[论断](README.md)；需要更正的，收在[勘误](errata.md)里。"
    "其余的都在这一页，一句也不悄悄略过：几行计算就能确认的，已有论断实际上回答了的，要等相应的模型做好之后再检验的，"
    "以及在这里无法检验的（并说明原因）。B 是 A 的旧版，两份都有的句子引自 A。[English](../en/other-sentences.md)",
)


@dataclass(frozen=True)
class CheckedSentence:
    """`checks` come out true; `not_in_the_model` are true elsewhere, perhaps, but not of the model that was tried."""

    id: str
    checks: tuple[SentenceCheck, ...]
    not_in_the_model: tuple[SentenceCheck, ...] = ()


@dataclass(frozen=True)
class ListedSentences:
    """Quotes that share a heading and a remark."""

    heading: str
    quotes: tuple[Quote, ...]
    remark: str


CHECKED: Mapping[tuple[str, str], tuple[CheckedSentence, ...]] = {
    ("Softmax and scores", "softmax 与分数"): (
        CheckedSentence("positive-and-one", (scores.positive_and_one,)),
        CheckedSentence("code-of-the-note", (scores.code_of_the_note,)),
        CheckedSentence("variances-add", (scores.variances_add,)),
        CheckedSentence("plain-exponentials", (scores.plain_exponentials_overflow,)),
        CheckedSentence("steepness-by-width", (scores.steepness_by_width,)),
        CheckedSentence("product-is-a-projection", (scores.product_is_a_projection,)),
        CheckedSentence("large-negative-number", (scores.large_negative_number,)),
    ),
    ("Attention", "注意力"): (
        CheckedSentence(
            "who-has-a-say",
            (attention.who_has_a_say, attention.a_key_changes_every_row, attention.a_value_changes_no_weight),
        ),
        CheckedSentence("as-wide-as-a-value", (attention.as_wide_as_a_value, attention.products_need_equal_widths)),
        CheckedSentence("additive-widths", (attention.additive_takes_other_widths,)),
        CheckedSentence("one-formula", (attention.one_formula_for_all_heads,)),
        CheckedSentence("heads-do-not-meet", (attention.heads_do_not_meet,)),
        CheckedSentence("one-matrix", (attention.one_matrix_or_row_by_row,)),
        CheckedSentence("weighted-mean", (attention.weighted_mean,)),
        CheckedSentence("as-many-numbers", (attention.as_many_numbers_as_before,)),
        CheckedSentence("no-distance", (attention.no_notion_of_distance,), (shipped_model.near_and_far,)),
        CheckedSentence("graph-network", (attention.as_a_graph_network,)),
        CheckedSentence("strengthened", (attention.what_helps_is_strengthened,)),
        CheckedSentence("transposed-linear", (attention.transposed_linear_layer, attention.rows_stay_apart)),
        CheckedSentence("too-many-weights", (attention.too_many_weights,)),
    ),
    ("Masks", "掩码"): (
        CheckedSentence("nothing-from-later-words", (attention.nothing_from_later_words,)),
        CheckedSentence("both-masks", (attention.both_masks_at_once,)),
    ),
    ("The parts of the machine", "模型的各个部分"): (
        CheckedSentence("blocks-of-the-paper", (layers.blocks_of_the_paper,)),
        CheckedSentence("widths-of-the-paper", (layers.widths_of_the_paper,)),
        CheckedSentence("sum-then-norm", (layers.sum_then_norm,)),
        CheckedSentence("same-form", (layers.same_form_own_weights,)),
        CheckedSentence("given-to-each-layer", (layers.what_each_layer_is_given,)),
        CheckedSentence("only-through-cross-attention", (layers.only_through_cross_attention,)),
        CheckedSentence("same-at-every-position", (layers.same_at_every_position,)),
        CheckedSentence("width-back", (layers.the_sum_needs_the_width_back,)),
        CheckedSentence("what-bends", (layers.what_bends_is_the_relu,)),
        CheckedSentence("column-by-column", (layers.column_by_column,)),
        CheckedSentence("no-longer-normalised", (layers.no_longer_normalised,)),
        CheckedSentence(
            "positions-of-one-width",
            (layers.sum_of_two_parts, layers.one_width_for_all_lengths, layers.between_two_positions),
        ),
        CheckedSentence("rows-of-a-table", (layers.rows_of_a_table,)),
        CheckedSentence("window-grows", (layers.window_grows_by_layers,)),
        CheckedSentence("by-recursion", (layers.computed_by_recursion,)),
        CheckedSentence("narrower-and-deeper", (layers.narrower_and_deeper,)),
        CheckedSentence("listing-of-llama", (layers.listing_of_llama,)),
    ),
    ("Decoding", "推理"): (
        CheckedSentence("encoder-once", (decoding.encoder_runs_once,)),
        CheckedSentence("gpt-looks-back", (decoding.gpt_looks_back,)),
        CheckedSentence(
            "sentence-of-the-notes", (decoding.other_sentence_of_the_notes, decoding.sentence_of_the_notes)
        ),
        CheckedSentence("four-words", (decoding.four_words_of_512,)),
        CheckedSentence("score-for-every-word", (decoding.a_score_for_every_word,)),
    ),
    ("The model that comes with attendo", "默认模型"): (
        CheckedSentence("everyone-looks", (shipped_model.every_word_looks_at_every_word,)),
        CheckedSentence("products-and-attention", (shipped_model.products_and_attention,)),
        CheckedSentence("own-matrices", (shipped_model.heads_have_their_own_matrices,)),
        CheckedSentence("meaning-by-company", (shipped_model.meaning_by_company,)),
        CheckedSentence("noun-in-it", (shipped_model.noun_in_the_vector_of_it,)),
        CheckedSentence("it-stands-for-both", (), (shipped_model.it_stands_for_both,)),
        CheckedSentence("looked-at-matters", (shipped_model.what_is_looked_at_matters,)),
        CheckedSentence("order-of-the-source", (shipped_model.order_of_the_source,)),
        CheckedSentence("place-in-every-layer", (shipped_model.place_in_every_layer,)),
        CheckedSentence("nearer-layer-by-layer", (shipped_model.nearer_layer_by_layer,)),
    ),
}
SENTENCES = tuple(sentence for sentences in CHECKED.values() for sentence in sentences)


def file_of(name: str, language: Language) -> Path:
    return Path(__file__).with_name(f"{name}.{language}.md")


def read_checked(language: Language) -> tuple[str, str, dict[str, ErratumText]]:
    """Title, introduction, and the words of each by its id."""
    return read_entries(file_of("checked", language))


def read_list(name: str, language: Language) -> tuple[str, str, tuple[ListedSentences, ...]]:
    """Title, introduction, and the quotes under their headings, in order."""
    path = file_of(name, language)
    begin, *rest = SECTION.split(path.read_text(encoding="utf-8"))
    title, _, introduction = begin.strip().removeprefix("# ").partition("\n")
    listed = []
    for heading, section in zip(rest[::2], rest[1::2], strict=True):
        for block in blocks(section):
            quotes, remark = split_quotes(block)
            if not quotes:
                raise InputError(f"{path}: expected lines '> [A12] words' under '## {heading.strip()}'")
            listed.append(ListedSentences(heading.strip(), quotes, one_line_each(remark)))
    return title, one_line_each(introduction), tuple(listed)


def blocks(section: str) -> Iterator[str]:
    """Each begins with its quotes and ends before the next ones."""
    lines: list[str] = []
    for line in section.strip().split("\n"):
        if line.startswith("> ") and lines and not lines[-1].startswith("> "):
            yield "\n".join(lines)
            lines = []
        lines.append(line)
    yield "\n".join(lines)


@cache
def tried(check: SentenceCheck) -> Tried:
    """It takes a moment, and both languages show it."""
    return check()


# --- the page


def other_sentences_page(language: Language) -> str:
    """docs/lab/LANGUAGE/other-sentences.md"""
    tr = in_language(language)
    parts = [f"# {tr(*TITLE)}", tr(*INTRODUCTION), how_many(language), *checked_part(language)]
    for name in LISTS:
        parts += list_part(name, language)
    return "\n\n".join(parts) + "\n"


def how_many(language: Language) -> str:
    """A line for each part, with a link."""
    title, _, texts = read_checked(language)
    counts = {"checked": (title, sum(len(text.quotes) for text in texts.values()))}
    for name in LISTS:
        title, _, listed = read_list(name, language)
        counts[name] = title, sum(len(one.quotes) for one in listed)
    tr = in_language(language)
    return "\n".join(
        f"- [{title}](#{name}){tr(f': {n} quotations', f'：{n} 处')}" for name, (title, n) in counts.items()
    )


def checked_part(language: Language) -> list[str]:
    title, introduction, texts = read_checked(language)
    originals = read_checked("zh")[2]
    parts = ['<a id="checked"></a>', f"## {title}", introduction]
    for names, sentences in CHECKED.items():
        parts.append(f"### {names[language == 'zh']}")
        for sentence in sentences:
            text, original = texts[sentence.id], originals[sentence.id]
            checks = (*sentence.checks, *sentence.not_in_the_model)
            numbers = {name: value for check in checks for name, value in tried(check).numbers.items()}
            parts += [
                f'<a id="{sentence.id}"></a>',
                f"**{text.title}**",
                shown_quotes(original.quotes, text.quotes, language),
                linked(fill_in(text.text, [numbers])),
                *(computation(check, language) for check in checks),
            ]
    return parts


def list_part(name: str, language: Language) -> list[str]:
    title, introduction, listed = read_list(name, language)
    originals = read_list(name, "zh")[2]
    parts, heading = [f'<a id="{name}"></a>', f"## {title}", linked(introduction)], ""
    for one, original in zip(listed, originals, strict=True):
        if one.heading != heading:
            heading = one.heading
            parts.append(f"### {claims_of(heading, language) if name == 'judged' else heading}")
        parts.append(shown_quotes(original.quotes, one.quotes, language))
        parts += [linked(one.remark)] if one.remark else []
    return parts


def claims_of(heading: str, language: Language) -> str:
    """L27, L36 -> both with links, and the first in its own words."""
    names = [f"L{number}" for number in CLAIM.findall(heading)]
    return f"{linked(heading)} · {read_text(EXPERIMENTS[names[0]], language).claim}"


def linked(words: str) -> str:
    return CLAIM.sub(lambda claim: f"[{claim.group()}]({claim.group()}.md)", words)


def computation(check: SentenceCheck, language: Language) -> str:
    """The lines themselves, folded away under what they gave."""
    found, tr = tried(check), in_language(language)
    sign = "✔" if found.holds else "✘"
    numbers = "".join(f" · {name} = {value:.4g}" for name, value in found.numbers.items())
    code = inspect.getsource(inspect.unwrap(check)).rstrip()
    return (
        f"<details><summary>{tr('Computed:', '计算结果：')} {sign}{numbers}</summary>\n\n```python\n{code}\n```\n\n"
        f"{where_it_stands(check)}\n\n</details>"
    )
