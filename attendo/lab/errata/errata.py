"""The page of errata: slips of the notes and places where they disagree, each with what is right and what backs it.

The words stand in errata.en.md and errata.zh.md, a section `## id` for each:

    ## sum-of-exponentials
    **What is right, in a few words**
    > [B133] The note's own words: verbatim in the Chinese file, translated in the English one.

    What is right, and why; «name» is a number of its computation.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attendo.errors import InputError
from attendo.lab.errata import attention_checks, heads_checks, layers_checks, softmax_checks, training_checks
from attendo.lab.errata.backing import Backing
from attendo.lab.page import place
from attendo.lab.tools.texts import SECTION, Language, Quote, fill_in, one_line_each, split_quotes

Check = Callable[[], Backing]

TITLE = re.compile(r"\*\*(.+)\*\*")
CLAIM = re.compile(r"(?<![\w/])L(\d+)\b")
RAW_TEX = re.compile(
    r"\\(?:sum|frac|cdot|text|times|left)(?![a-z])"
)  # of a formula that is quoted without its dollar signs


POINTERS: Mapping[Language, str] = {
    "en": "A to E are the five notes; [all claims](README.md) says which. Claims that have an experiment of their own "
    "are there, too, and not repeated here; sentences that need no correction are among "
    "[the others](other-sentences.md). [中文](../zh/errata.md)",
    "zh": "A 到 E 是五份讲义的代号，说明见[全部论断](README.md)；已有专门实验的论断也列在那里，此处不再重复；"
    "不需要更正的句子见[其他说法](other-sentences.md)。"
    "[English](../en/errata.md)",
}


@dataclass(frozen=True)
class Erratum:
    """Backed by computations, by claims of the lab, or by both."""

    id: str
    checks: tuple[Check, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class ErratumText:
    title: str
    quotes: tuple[Quote, ...]
    text: str


TOPICS: Mapping[tuple[str, str], tuple[Erratum, ...]] = {
    ("Softmax and its derivative", "softmax 及其导数"): (
        Erratum("sum-of-exponentials", (softmax_checks.sum_of_exponentials,)),
        Erratum("jacobian-cases", (softmax_checks.jacobian_cases,), ("L2",)),
        Erratum("gradient-of-the-loss", (softmax_checks.gradient_of_the_loss,)),
        Erratum(
            "large-inputs", (softmax_checks.large_inputs, softmax_checks.large_absolute_value), ("L44", "L1", "L38")
        ),
        Erratum("ratios-grow", (softmax_checks.ratios_grow,)),
        Erratum("gradients-that-stay", (softmax_checks.gradients_that_stay,), ("L3",)),
    ),
    ("Scores: q·k and its size", "分数：q·k 及其大小"): (
        Erratum("not-normal", (softmax_checks.scaled_product_is_not_normal,), ("L4",)),
        Erratum("component-and-vector", (softmax_checks.component_and_vector,), ("L4",)),
        Erratum("products-spread", (softmax_checks.products_spread,), ("L4",)),
        Erratum("which-dimension", (softmax_checks.which_dimension,)),
        Erratum("product-is-not-cosine", (attention_checks.product_is_not_cosine,), ("L53",)),
        Erratum("right-angle", (attention_checks.right_angle,)),
    ),
    ("Attention", "注意力"): (
        Erratum("row-times-column", (attention_checks.row_times_column,)),
        Erratum("transposed-scores", (attention_checks.transposed_scores,), ("L4",)),
        Erratum("own-word-highest", (attention_checks.own_word_highest,), ("L43",)),
        Erratum("itself-included", (attention_checks.itself_included,)),
        Erratum("gradient-by-weight", (attention_checks.gradient_by_weight,), ("L72",)),
        Erratum("same-source", (attention_checks.same_source_other_numbers,)),
        Erratum("where-q-comes-from", (attention_checks.where_q_comes_from,)),
    ),
    ("Heads", "多头"): (
        Erratum("cut-after-projection", (heads_checks.cut_after_projection,), ("L57",)),
        Erratum("concat-and-project", (heads_checks.concat_and_project,)),
        Erratum("z-is-no-weight", (heads_checks.z_is_no_weight,)),
        Erratum("weight-shape", (heads_checks.weight_shape,)),
        Erratum("head-width", (heads_checks.head_width,)),
        Erratum("heads-for-speed", (attention_checks.multiplications,)),
        Erratum("why-heads", (), ("L7",)),
    ),
    ("Layers and norms", "各层与归一化"): (
        Erratum("linear-is-linear", (layers_checks.linear_is_linear, layers_checks.linear_turns), ("L51",)),
        Erratum("width-of-attention", (heads_checks.width_of_attention,), ("L52", "L40")),
        Erratum("either-can", (), ("L14", "L41")),
        Erratum("norm-of-what", (layers_checks.norm_of_what,)),
        Erratum("norm-per-token", (layers_checks.norm_per_token,), ("L17",)),
        Erratum("more-than-two-norms", (layers_checks.more_than_two_norms,)),
        Erratum("pairs-remain", (attention_checks.pairs_remain,), ("L15", "L68")),
    ),
    ("Embeddings and positions", "词嵌入与位置"): (
        Erratum("skip-gram", (layers_checks.learned_with_the_rest,)),
        Erratum("moved-along", (layers_checks.moved_along,), ("L18",)),
        Erratum("absolute-is-added", (layers_checks.absolute_is_added,), ("L19", "L20")),
        Erratum("added-once", (layers_checks.added_once,)),
        Erratum("counted-from-zero", (layers_checks.counted_from_zero,), ("L19",)),
        Erratum("one-period-repeats", (layers_checks.one_period_repeats,), ("L21",)),
        Erratum("reasons-of-the-paper", (), ("L19", "L21")),
    ),
    ("Masks and padding", "掩码与填充"): (
        Erratum("padding-is-a-row", (layers_checks.padding_is_a_row,), ("L54",)),
        Erratum("two-masks", (attention_checks.two_masks,)),
        Erratum("mask-on-scores", (attention_checks.mask_on_scores, attention_checks.mask_on_keys), ("L24",)),
        Erratum("one-row-is-enough", (training_checks.one_row_is_enough,), ("L24",)),
    ),
    ("Training", "训练"): (
        Erratum("shifted-right", (training_checks.shifted_right,)),
        Erratum("teacher-forcing-table", (training_checks.encoder_knows_no_target,), ("L25",)),
        Erratum("true-or-predicted", (training_checks.true_words_or_predicted,), ("L24", "L25")),
        Erratum("cross-entropy-of-what", (training_checks.cross_entropy_of_what,)),
        Erratum("terms-of-the-loss", (training_checks.terms_of_the_loss,), ("L46",)),
    ),
    ("Decoding, and other models", "推理与其他模型"): (
        Erratum("one-more-step", (training_checks.one_more_step, training_checks.one_new_position), ("L32",)),
        Erratum("self-attention-is-parallel", (attention_checks.rows_in_any_order,), ("L32", "L67")),
        Erratum("attention-not-heads", (attention_checks.one_head_sees_all,), ("L31",)),
        Erratum("markov", (training_checks.state_is_all_it_knows,)),
        Erratum("only-what-was-hidden", (training_checks.only_what_was_hidden,), ("L33",)),
    ),
}
ERRATA = tuple(erratum for errata in TOPICS.values() for erratum in errata)


def read_errata(language: Language) -> tuple[str, str, dict[str, ErratumText]]:
    """Title, introduction, and the words of each erratum by its id."""
    return read_entries(Path(__file__).with_suffix(f".{language}.md"))


def read_entries(path: Path) -> tuple[str, str, dict[str, ErratumText]]:
    """Of a file that is written as this module says."""
    begin, *rest = SECTION.split(path.read_text(encoding="utf-8"))
    title, _, introduction = begin.strip().removeprefix("# ").partition("\n")
    texts = {}
    for name, section in zip(rest[::2], rest[1::2], strict=True):
        first, _, after = section.strip().partition("\n")
        heading, (quotes, text) = TITLE.fullmatch(first), split_quotes(after)
        if heading is None or not quotes or not text:
            raise InputError(f"{path}: expected '**title**', lines '> [A12] words' and a text after '## {name}'")
        texts[name.strip()] = ErratumText(heading.group(1), quotes, one_line_each(text))
    return title, one_line_each(introduction), texts


@cache
def outcome(check: Check) -> Backing:
    """It takes a moment, and both languages show it."""
    return check()


def errata_page(language: Language) -> str:
    """docs/lab/LANGUAGE/errata.md"""
    title, introduction, texts = read_errata(language)
    originals = read_errata("zh")[2]
    pointer = POINTERS[language]
    contents, entries = [], []
    for names, errata in TOPICS.items():
        topic = names[language == "zh"]
        contents.append(f"- {topic}")
        entries.append(f"## {topic}")
        for erratum in errata:
            contents.append(f"  - [{texts[erratum.id].title}](#{erratum.id})")
            entries.append(entry_of(erratum, texts[erratum.id], originals[erratum.id], language))
    return "\n\n".join([f"# {title}", introduction, pointer, "\n".join(contents), *entries]) + "\n"


def entry_of(erratum: Erratum, text: ErratumText, original: ErratumText, language: Language) -> str:
    numbers = {name: value for check in erratum.checks for name, value in outcome(check).numbers.items()}
    words = CLAIM.sub(lambda claim: f"[{claim.group()}]({claim.group()}.md)", fill_in(text.text, [numbers]))
    parts = [f'<a id="{erratum.id}"></a>', f"### {text.title}"]
    parts += [shown_quotes(original.quotes, text.quotes, language), words]
    parts += [computation(check, language) for check in erratum.checks]
    if erratum.claims:
        links = [f"[{claim}]({claim}.md)" for claim in erratum.claims]
        parts.append(f"相关论断：{'、'.join(links)}" if language == "zh" else f"Claims: {', '.join(links)}")
    return "\n\n".join(parts)


def shown_quotes(originals: Sequence[Quote], quotes: Sequence[Quote], language: Language) -> str:
    """The note's own words with their line; on an English page with a translation."""
    lines = []
    for words_of_note, translated in zip(originals, quotes, strict=True):
        lines.append(f"> {shown(words_of_note.text)} <sub>{place(words_of_note, language)}</sub>")
        lines += [] if language == "zh" else [f"> *{translated.text.replace('<', '&lt;')}*"]
    return "\n>\n".join(lines)


def shown(words: str) -> str:
    """A formula that stands without dollar signs is shown as it is written; <bos> is no tag of the page."""
    return f"`{words}`" if RAW_TEX.search(words) and "$" not in words else words.replace("<", "&lt;")


def computation(check: Check, language: Language) -> str:
    """The lines themselves, folded away under what they gave."""
    backing = outcome(check)
    signs = ["✔" if side else "✘" for side in (backing.noted, backing.corrected)]
    verdict = "计算结果：原说法 {}，更正后 {}" if language == "zh" else "Computed: as noted {}, as corrected {}"
    numbers = "".join(f" · {name} = {value:.4g}" for name, value in backing.numbers.items())
    code = inspect.getsource(check).rstrip()
    return (
        f"<details><summary>{verdict.format(*signs)}{numbers}</summary>\n\n```python\n{code}\n```\n\n"
        f"{where_it_stands(check)}\n\n</details>"
    )


def where_it_stands(check: Callable[[], object]) -> str:
    path = check.__module__.replace(".", "/") + ".py"
    return f"[{path}](../../../{path})"
