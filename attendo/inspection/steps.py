"""The steps of a search for people and programs: as lines of text, as values that JSON knows, as HTML tables.

Who was to go on, with what, and what became of each.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.trace import SearchStep
from attendo.inspection.inspect import Inspection
from attendo.inspection.readable import num_columns, pieces, token_labels
from attendo.report.formatting import count_text, visible
from attendo.report.page import Bilingual, html_heading
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

MOST_CONTENDERS = 24  # of a step are shown: all of a beam of 12
PREFIX_WIDTH = 32  # columns for the output of a hypothesis so far
TOKEN_WIDTH = 14

FATES = {"live": "保留", "ended": "结束", "lost": "淘汰"}  # in Chinese
TABLE_HEAD = (
    '<thead><tr><th>from</th><th class="text">so far · 已说</th><th class="text">next · 下一个</th>'
    '<th>probability · 概率</th><th>sum · 总和</th><th class="text"></th></tr></thead>'
)


# As lines of text


def inspection_lines(found: Inspection) -> Iterator[str]:
    """The sentence, its translation, and how it was found."""
    best, tokenizer = found.best, found.tokenizer
    yield f"source       {visible(found.text)}"
    yield f"  tokens     {' '.join(piece_labels(found.source, tokenizer))}"
    yield f"translation  {visible(found.translation)}"
    yield f"  tokens     {' '.join(piece_labels(best.ids, tokenizer))}"
    yield f"  log-probability {best.log_prob:.3f}, score {best.score:.3f}, {len(best.ids)} tokens"
    for step in found.steps:
        yield ""
        yield from step_lines(step, tokenizer)
    yield ""
    yield why_it_stopped(found.steps[-1])


def step_lines(step: SearchStep, tokenizer: Tokenizer) -> Iterator[str]:
    """A table: the best first, each with the hypothesis it continues and its fate."""
    kept = sum(one.fate == "live" for one in step.contenders)
    ended = sum(one.fate == "ended" for one in step.contenders)
    yield (
        f"step {step.number}: {count_text(len(step.live), 'hypothesis', 'hypotheses')}, "
        f"{count_text(len(step.contenders), 'continuation')}: {kept} kept, {ended} ended, "
        f"{len(step.contenders) - kept - ended} lost"
    )
    yield row_text("from", "so far", "next", "probability", "sum", "")
    for row in step_rows(step, tokenizer):
        yield row_text(*row)
    if len(step.contenders) > MOST_CONTENDERS:
        yield f"      … and {len(step.contenders) - MOST_CONTENDERS} more"


def step_rows(step: SearchStep, tokenizer: Tokenizer) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Of each contender: the hypothesis it continues, from 1, and its output so far; token, probability, sum, fate."""
    prefixes = [ending_of(visible(tokenizer.decode(hypothesis.ids))) for hypothesis in step.live]
    labels = token_labels((one.token for one in step.contenders), tokenizer)
    for one, fate in zip(step.contenders[:MOST_CONTENDERS], fate_texts(step), strict=False):
        probability, total = f"{math.exp(one.log_prob):.2%}", f"{one.total:.3f}"
        yield f"{one.parent + 1}", prefixes[one.parent], labels[one.token], probability, total, fate


def fate_texts(step: SearchStep) -> Iterator[str]:
    """What became of each contender. One that stays gets its rank among the hypotheses of the next step."""
    scores = {hypothesis.ids: hypothesis.score for hypothesis in step.finished}
    rank = 0
    for one in step.contenders:
        if one.fate == "live":
            rank += 1
            yield f"kept as {rank}"
        elif one.fate == "ended":
            way = "ended" if one.token == SPECIAL.eos else "cut"
            yield f"{way}, score {scores[*step.live[one.parent].ids, one.token]:.3f}"
        else:
            yield "lost"


def why_it_stopped(last: SearchStep) -> str:
    left = sum(one.fate == "live" for one in last.contenders)
    best = f"the best of {count_text(len(last.finished), 'hypothesis', 'hypotheses')} that ended is the translation"
    if not left:
        return f"The search ends: no hypothesis is left to go on; {best}."
    could = count_text(left, "hypothesis", "hypotheses")
    return f"The search ends: {could} could go on, but none to a better score; {best}."


def row_text(parent: str, prefix: str, token: str, probability: str, total: str, fate: str) -> str:
    """Columns as a terminal shows them, where a Chinese character is two wide."""
    prefix += " " * (PREFIX_WIDTH - num_columns(prefix))
    token += " " * (TOKEN_WIDTH - num_columns(token))
    return f"{parent:>4}  {prefix}  {token}{probability:>11}{total:>10}  {fate}".rstrip()


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


# As HTML tables; the words are those of the terminal, with the fates in Chinese too


def steps_html(steps: Sequence[SearchStep], tokenizer: Tokenizer) -> str:
    tables = "".join(step_html(step, tokenizer) for step in steps)
    return f'<div class="steps">\n{tables}</div>\n<p class="note">{escape(why_it_stopped(steps[-1]))}</p>'


def step_html(step: SearchStep, tokenizer: Tokenizer) -> str:
    rows = ""
    for one, row in zip(step.contenders, step_rows(step, tokenizer), strict=False):
        parent, prefix, token, probability, total, fate = map(escape, row)
        rows += (
            f'<tr class="{one.fate}"><td>{parent}</td><td class="text" dir="auto">{prefix}</td>'
            f'<td class="token" dir="auto">{token}</td><td>{probability}</td>'
            f'<td>{total}</td><td class="fate">{fate} · {FATES[one.fate]}</td></tr>\n'
        )
    more = len(step.contenders) - MOST_CONTENDERS
    note = f'<p class="note">… and {more} more · 另有 {more} 个</p>' if more > 0 else ""
    heading = html_heading(Bilingual(f"Step {step.number}", f"第 {step.number} 步"), level=3)
    return f'<div class="step">{heading}\n<table>{TABLE_HEAD}<tbody>\n{rows}</tbody></table>{note}</div>\n'
