"""All that the page knows, as one JSON value: pieces, tensors, steps, the search, the training pass, the hands.

A server sends the head alone, and the tensors when they are asked for.
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from attendo import __version__
from attendo.explain.code_beside import code_beside
from attendo.explain.explain import Explanation
from attendo.explain.labels import labels_of, word_ranges
from attendo.explain.stored import best_pieces, embedding_rows, stored_tensors, stored_weights
from attendo.explain.teacher_forcing import SMOOTHING
from attendo.explain.view import View
from attendo.glass.look import Look
from attendo.inspection.readable import token_labels
from attendo.report.formatting import visible
from attendo.report.language import Language
from attendo.report.messages import say

LOGITS_SHOWN = 50  # of each step
LOGITS_UNFOLDED = 5  # of each step, down to their factors
DIGITS = 7  # of single numbers, which stand as text


def page_data(found: Explanation, view: View, language: Language) -> dict[str, Any]:
    weights = found.shown.glass.model.weights
    head = head_data(found, view, language)
    unfolded = (one for step in head["steps"] for one in [*step["ids"][:LOGITS_UNFOLDED], step["piece"]])
    return {
        **head,
        "tensors": stored_tensors(found.shown.trace),
        "weights": stored_weights(found.config, weights, view.dimension),
        "output_rows": embedding_rows(unfolded, weights),
        "code": {station: code._asdict() for station, code in code_beside().items()},
    }


def head_data(found: Explanation, view: View, language: Language, logits: int = LOGITS_SHOWN) -> dict[str, Any]:
    """All but the large arrays; of each step so many `logits`."""
    shown, config, names = found.shown, found.config, PieceNames()
    data = {
        "version": __version__,
        "language": language,
        "text": visible(found.shown.text),
        "translation": visible(shown.translation),
        "model": found.model_name,
        "languages": [found.shown.read.languages.source, found.shown.read.languages.target],
        "config": {**asdict(config), "d_k": config.head_dim},
        "parameters": sum(one.size for one in shown.glass.model.weights.arrays.values()),
        "beam": found.shown.options.beam_size,
        "best": {"log_prob": rounded(shown.best.log_prob), "score": rounded(shown.best.score)},
        "view": asdict(view),
        "source": {"ids": list(found.shown.source), "labels": found.source_labels},
        "target_in": {"ids": list(shown.target_in), "labels": found.target_in_labels},
        "target": {"ids": list(shown.best.ids), "labels": found.target_labels},
        "words": {
            "source": word_ranges(shown.source, found.tokenizer),
            "target": word_ranges(shown.best.ids, found.tokenizer),
        },
        "hands": shown.hands.to_dict(),
        "comparison": comparison_data(found, names),
        "steps": [step_data(found, step, names, logits) for step in range(len(shown.best.ids))],
        "search": search_data(shown, names),
        "training": training_data(found, names),
        "remarks": [{"en": one, "zh": say(one, "zh")} for one in shown.remarks],
    }
    return {**data, "pieces": token_labels(names.ids, found.tokenizer)}


class PieceNames:
    """The pieces that the page names by their ids; what each is called, it asks for once, in the end."""

    def __init__(self) -> None:
        self.ids: set[int] = set()

    def keep(self, ids: Iterable[int]) -> list[int]:
        """Gives the ids back."""
        kept = [int(one) for one in ids]
        self.ids.update(kept)
        return kept


def step_data(found: Explanation, step: int, names: PieceNames, shown_logits: int) -> dict[str, Any]:
    """The best pieces of a step; `log_sum` is log Σ exp(logit / temperature) over the whole vocabulary."""
    shown = found.shown
    piece, log_probs = shown.best.ids[step], found.log_probs[step]
    ids = best_pieces(log_probs, shown_logits)
    # Of a pass of its own, where the mask is off, logits are known but for a constant, which softmax does not see.
    logits = shown.trace["logits"][step] if shown.hands.causal_mask else log_probs * shown.hands.temperature
    first = int(ids[0])
    return {
        "piece": names.keep([piece])[0],
        "log_prob": rounded(log_probs[piece]),
        "logit": rounded(logits[piece]),
        "rank": 1 + int((log_probs > log_probs[piece]).sum()),
        "ids": names.keep(ids),
        "logits": [rounded(logits[one]) for one in ids],
        "log_sum": rounded(logits[first] / shown.hands.temperature - log_probs[first]),
    }


def search_data(shown: Look, names: PieceNames) -> dict[str, Any]:
    rows = [
        [one.parent, one.step, one.piece, rounded(one.log_prob), rounded(one.total), rounded(one.score),
         one.rank, int(one.kept), int(one.ended)]
        for one in shown.tree.nodes
    ]  # fmt: skip
    names.keep(one.piece for one in shown.tree.nodes)
    return {"nodes": rows, "finished": list(shown.tree.finished)}


def training_data(found: Explanation, names: PieceNames) -> dict[str, Any]:
    training, tokenizer = found.training, found.tokenizer
    names.keep(one.best for one in training.positions)
    return {
        "given": training.given,
        "reads": labels_of([one.reads for one in training.positions], tokenizer),
        "answers": labels_of([one.answer for one in training.positions], tokenizer),
        "positions": [
            {
                "log_prob": rounded(one.log_prob), "smoothed": rounded(one.smoothed_loss), "rank": one.rank,
                "best": one.best, "best_log_prob": rounded(one.best_log_prob),
            }
            for one in training.positions
        ],
        "smoothing": SMOOTHING,
        "loss": rounded(training.loss),
        "smoothed_loss": rounded(training.smoothed_loss),
        "fed_back": labels_of([one for one, _ in training.fed_back], tokenizer),
        "fed_back_log_probs": [rounded(one) for _, one in training.fed_back],
        "parts_at": training.parts_at,
    }  # fmt: skip


def comparison_data(found: Explanation, names: PieceNames) -> dict[str, Any] | None:
    comparison, plain = found.touched, found.plain
    if comparison is None:
        return None
    return {
        "translation": visible(plain.translation),
        "labels": labels_of(plain.best.ids, found.tokenizer),
        "words": word_ranges(plain.best.ids, found.tokenizer),
        "touched_labels": found.target_labels,
        "parts_at": comparison.parts_at,
        "forced": {str(step): names.keep([piece])[0] for step, piece in dict(found.shown.hands.force).items()},
        "steps": [
            [rounded(one.log_prob), rounded(one.touched_log_prob), rounded(one.divergence)] for one in comparison.steps
        ],
        "chosen": [rounded(found.log_probs[step, one]) for step, one in enumerate(found.shown.best.ids)],
        "score": rounded(plain.best.score),
        "looked": comparison.looked and [[rounded(one) for one in layer] for layer in comparison.looked],
    }


def rounded(value: float | np.floating[Any]) -> float:
    """Seven significant digits, which is what a float32 has."""
    return float(f"{float(value):.{DIGITS}g}")
