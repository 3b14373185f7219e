"""An inspection for programs: everything the command shows, as values that JSON knows."""

import math
from collections.abc import Sequence
from pathlib import Path

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.trace import Step
from attendo.inspection.alignment import Alignment, AttentionMaps
from attendo.inspection.inspection import Inspection
from attendo.inspection.readable import pieces, token_labels
from attendo.text.tokenizer import Tokenizer


def inspection_table(
    found: Inspection, tokenizer: Tokenizer, maps: Sequence[AttentionMaps], aligned: Alignment, files: Sequence[Path]
) -> dict[str, object]:
    """Of the maps their shapes and labels, for the numbers would fill the screen; of the alignment all."""
    return {
        "source": {"text": found.text, "ids": list(found.source), "tokens": tokens(found.source, tokenizer)},
        "translation": hypothesis_table(found.best, tokenizer)
        | {"tokens": tokens(found.best.ids, tokenizer), "token_log_probs": list(found.best.token_log_probs)},
        "beam_size": found.options.beam_size,
        "steps": [step_table(step, tokenizer) for step in found.steps],
        "attention": {
            one.name: {"shape": list(one.weights.shape), "rows": list(one.rows), "columns": list(one.columns)}
            for one in maps
        },
        "alignment": {
            "of": "cross-attention" if found.record.cross else "self-attention",
            "mean_over": ["layers", "heads"],
            "rows": list(aligned.rows),
            "columns": list(aligned.columns),
            "weights": aligned.weights.tolist(),
        },
        "files": [str(path) for path in files],
    }


def step_table(step: Step, tokenizer: Tokenizer) -> dict[str, object]:
    named = token_labels((one.token for one in step.contenders), tokenizer)
    return {
        "step": step.number,
        "live": [{"ids": list(one.ids), "text": tokenizer.decode(one.ids), "total": one.total} for one in step.live],
        "contenders": [
            {
                "hypothesis": one.parent,  # place in `live`, from 0
                "id": one.token,
                "token": named[one.token],
                "probability": math.exp(one.log_prob),
                "log_prob": one.log_prob,
                "total": one.total,
                "fate": one.fate,
            }
            for one in step.contenders
        ],
        "finished": [hypothesis_table(one, tokenizer) for one in step.finished],
        "done": step.done,
    }


def hypothesis_table(one: Hypothesis, tokenizer: Tokenizer) -> dict[str, object]:
    return {
        "text": tokenizer.decode(one.ids),
        "ids": list(one.ids),
        "log_prob": one.log_prob,
        "score": one.score,
        "ended": one.ended,
    }


def tokens(ids: Sequence[int], tokenizer: Tokenizer) -> list[str]:
    """Bytes are joined into characters, so there may be fewer than ids."""
    return [unit.piece_label for unit in pieces(ids, tokenizer)]
