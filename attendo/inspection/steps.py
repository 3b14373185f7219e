"""The steps of a search for people and programs: as lines of text, as values that JSON knows, as HTML tables.

Who was to go on, with what, and what became of each.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.trace import SearchStep
from attendo.inspection.inspect import Inspection
from attendo.inspection.readable import pieces, token_labels
from attendo.report.columns import num_columns, padded
from attendo.report.formatting import count_text, visible
from attendo.report.language import Bilingual, Language, Tr, in_english, in_language
from attendo.report.page import html_heading
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

MOST_CONTENDERS = 24  # of a step are shown: all of a beam of 12
PREFIX_WIDTH = 32  # columns for the output of a hypothesis so far
TOKEN_WIDTH = 14

COLUMNS = (
    Bilingual("from", "来自"),
    Bilingual("so far", "已说"),
    Bilingual("next", "下一个"),
    Bilingual("probability", "概率"),
    Bilingual("sum", "总和"),
)
FATES = {"live": "保留", "ended": "结束", "lost": "淘汰"}  # in Chinese
TEXT = ' class="text"'
COLUMNS_ARE_TEXT = (False, True, True, False, False)


# As lines of text


def inspection_lines(found: Inspection, language: Language = "en") -> Iterator[str]:
    """The sentence, its translation, and how it was found."""
    from attendo.inspection.heat_maps import explain_signs  # matplotlib, which JSON does without

    best, tokenizer, tr = found.best, found.tokenizer, in_language(language)
    source, target = piece_labels(found.source, tokenizer), piece_labels(best.ids, tokenizer)
    tokens = padded(tr("  tokens", "  词元"), 13)
    yield f"{padded(tr('source', '原文'), 13)}{visible(found.text)}"
    yield f"{tokens}{' '.join(source)}"
    yield f"{padded(tr('translation', '译文'), 13)}{visible(found.translation)}"
    yield f"{tokens}{' '.join(target)}"
    log_prob, score, length = f"{best.log_prob:.3f}", f"{best.score:.3f}", len(best.ids)
    yield tr(
        f"  log-probability {log_prob}, score {score}, {length} tokens",
        f"  对数概率 {log_prob}，得分 {score}，{length} 个词元",
    )
    yield f"  {explain_signs([*source, *target], language)}"
    for step in found.steps:
        yield ""
        yield from step_lines(step, tokenizer, tr)
    yield ""
    yield why_it_stopped(found.steps[-1], tr) if found.steps else tr(*GIVEN)


GIVEN = Bilingual(
    "The translation was given: nothing was searched, the model read it as it stands (teacher forcing).",
    "译文是给定的：没有搜索，模型按原样读入（teacher forcing）。",
)


def step_lines(step: SearchStep, tokenizer: Tokenizer, tr: Tr = in_english) -> Iterator[str]:
    """A table: the best first, each with the hypothesis it continues and its fate."""
    kept = sum(one.fate == "live" for one in step.contenders)
    ended = sum(one.fate == "ended" for one in step.contenders)
    live, every = len(step.live), len(step.contenders)
    lost = every - kept - ended
    yield tr(
        f"step {step.number}: {count_text(live, 'hypothesis', 'hypotheses')}, {count_text(every, 'continuation')}: "
        f"{kept} kept, {ended} ended, {lost} lost",
        f"第 {step.number} 步：{live} 个候选，{every} 个续写：保留 {kept}，结束 {ended}，淘汰 {lost}",
    )
    parent, prefix, token, probability, total = (tr(*column) for column in COLUMNS)
    yield row_text(parent, prefix, token, probability, total, "")
    for row in step_rows(step, tokenizer, tr):
        yield row_text(*row)
    if (more := every - MOST_CONTENDERS) > 0:
        yield tr(f"      … and {more} more", f"      …… 另有 {more} 个")


def step_rows(step: SearchStep, tokenizer: Tokenizer, tr: Tr) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Of each contender: the hypothesis it continues, from 1, and its output so far; token, probability, sum, fate."""
    prefixes = [ending_of(visible(tokenizer.decode(hypothesis.ids))) for hypothesis in step.live]
    labels = token_labels((one.token for one in step.contenders), tokenizer)
    for one, fate in zip(step.contenders[:MOST_CONTENDERS], fate_texts(step, tr), strict=False):
        probability, total = f"{math.exp(one.log_prob):.2%}", f"{one.total:.3f}"
        yield f"{one.parent + 1}", prefixes[one.parent], labels[one.token], probability, total, fate


def fate_texts(step: SearchStep, tr: Tr) -> Iterator[str]:
    """What became of each contender. One that stays gets its rank among the hypotheses of the next step."""
    scores = {hypothesis.ids: hypothesis.score for hypothesis in step.finished}
    rank = 0
    for one in step.contenders:
        if one.fate == "live":
            rank += 1
            yield tr(f"kept as {rank}", f"保留为第 {rank}")
        elif one.fate == "ended":
            way = tr("ended", "结束") if one.token == SPECIAL.eos else tr("cut", "截断")
            score = f"{scores[*step.live[one.parent].ids, one.token]:.3f}"
            yield tr(f"{way}, score {score}", f"{way}，得分 {score}")
        else:
            yield tr("lost", "淘汰")


def why_it_stopped(last: SearchStep, tr: Tr = in_english) -> str:
    left, ended = sum(one.fate == "live" for one in last.contenders), len(last.finished)
    best = tr(
        f"the best of {count_text(ended, 'hypothesis', 'hypotheses')} that ended is the translation",
        f"译文取 {ended} 个已结束候选中最好的",
    )
    if not left:
        return tr(
            f"The search ends: no hypothesis is left to go on; {best}.", f"搜索结束：没有可以继续的候选；{best}。"
        )
    return tr(
        f"The search ends: {count_text(left, 'hypothesis', 'hypotheses')} could go on, "
        f"but none to a better score; {best}.",
        f"搜索结束：还有 {left} 个候选可以继续，但得分都不会更好；{best}。",
    )


def row_text(parent: str, prefix: str, token: str, probability: str, total: str, fate: str) -> str:
    """Columns as a terminal shows them, where a Chinese character is two wide."""
    parent, probability, total = (
        " " * (width - num_columns(text)) + text for text, width in ((parent, 4), (probability, 11), (total, 10))
    )
    return (
        f"{parent}  {padded(prefix, PREFIX_WIDTH)}  {padded(token, TOKEN_WIDTH)}{probability}{total}  {fate}".rstrip()
    )


def ending_of(text: str) -> str:
    """Of a long output its end, which is what the next token follows."""
    room = PREFIX_WIDTH
    for index in range(len(text) - 1, -1, -1):
        room -= num_columns(text[index])
        if room < (1 if index else 0):  # the sign of what is left out needs room too
            return f"…{text[index + 1 :]}"
    return text


def piece_labels(ids: Sequence[int], tokenizer: Tokenizer) -> list[str]:
    """Bytes are joined into characters, so there may be fewer than ids."""
    return [unit.piece_label for unit in pieces(ids, tokenizer)]


# As values that JSON knows


def inspection_to_dict(found: Inspection) -> dict[str, object]:
    """Everything the command shows: of the maps shapes and labels, for the numbers would fill the screen; of the
    alignment all."""
    tokenizer, alignment, best = found.tokenizer, found.alignment, found.best
    translation = hypothesis_to_dict(best, tokenizer) | {"text": found.translation}
    translation |= {"tokens": piece_labels(best.ids, tokenizer), "token_log_probs": list(best.token_log_probs)}
    return {
        "source": {"text": found.text, "ids": list(found.source), "tokens": piece_labels(found.source, tokenizer)},
        "translation": translation,
        "beam_size": found.options.beam_size,
        "steps": [step_to_dict(step, tokenizer) for step in found.steps],
        "attention": {
            one.name: {"shape": list(one.weights.shape), "rows": list(one.rows), "columns": list(one.columns)}
            for one in found.maps
        },
        "alignment": {
            "of": "cross-attention" if found.record.cross else "self-attention",
            "mean_over": ["layers", "heads"],
            "rows": list(alignment.rows),
            "columns": list(alignment.columns),
            "weights": alignment.weights.tolist(),
        },
        "files": [str(path) for path in found.files],
        "remarks": list(found.remarks),
    }


def step_to_dict(step: SearchStep, tokenizer: Tokenizer) -> dict[str, object]:
    labels = token_labels((one.token for one in step.contenders), tokenizer)
    return {
        "step": step.number,
        "live": [{"ids": list(one.ids), "text": tokenizer.decode(one.ids), "total": one.total} for one in step.live],
        "contenders": [
            {
                "hypothesis": one.parent,  # index in `live`, from 0
                "id": one.token,
                "token": labels[one.token],
                "probability": math.exp(one.log_prob),
                "log_prob": one.log_prob,
                "total": one.total,
                "fate": one.fate,
            }
            for one in step.contenders
        ],
        "finished": [hypothesis_to_dict(one, tokenizer) for one in step.finished],
        "done": step.done,
    }


def hypothesis_to_dict(one: Hypothesis, tokenizer: Tokenizer) -> dict[str, object]:
    text = tokenizer.decode(one.ids)
    return {"text": text, "ids": list(one.ids), "log_prob": one.log_prob, "score": one.score, "ended": one.ended}


# As HTML tables; the words are those of the terminal, for readers of English with the Chinese ones beside them


def steps_html(steps: Sequence[SearchStep], tokenizer: Tokenizer, language: Language = "en") -> str:
    tables = "".join(step_html(step, tokenizer, language) for step in steps)
    why = why_it_stopped(steps[-1], in_language(language)) if steps else GIVEN.of(language)
    return f'<div class="steps">\n{tables}</div>\n<p class="note">{escape(why)}</p>'


def step_html(step: SearchStep, tokenizer: Tokenizer, language: Language) -> str:
    rows, columns = "", (step_rows(step, tokenizer, in_language(one)) for one in ("en", language))
    for one, row, chinese in zip(step.contenders, *columns, strict=False):
        parent, prefix, token, probability, total, fate = map(escape, row)
        fate = escape(chinese[-1]) if language == "zh" else f"{fate} · {FATES[one.fate]}"
        rows += (
            f'<tr class="{one.fate}"><td>{parent}</td><td class="text" dir="auto">{prefix}</td>'
            f'<td class="token" dir="auto">{token}</td><td>{probability}</td>'
            f'<td>{total}</td><td class="fate">{fate}</td></tr>\n'
        )
    more = len(step.contenders) - MOST_CONTENDERS
    left_out = Bilingual(f"… and {more} more", f"另有 {more} 个").on_page(language)
    note = f'<p class="note">{left_out}</p>' if more > 0 else ""
    heading = html_heading(Bilingual(f"Step {step.number}", f"第 {step.number} 步"), level=3, language=language)
    return f'<div class="step">{heading}\n<table>{table_head(language)}<tbody>\n{rows}</tbody></table>{note}</div>\n'


def table_head(language: Language) -> str:
    cells = (
        f"<th{TEXT if is_text else ''}>{column.on_page(language)}</th>"
        for column, is_text in zip(COLUMNS, COLUMNS_ARE_TEXT, strict=True)
    )
    return f"<thead><tr>{''.join(cells)}<th{TEXT}></th></tr></thead>"
