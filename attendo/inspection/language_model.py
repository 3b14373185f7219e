"""One text through a language model: what every head of every layer looks at, and how well each token is foretold."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from attendo.decoding.constraints import log_probabilities
from attendo.errors import InputError
from attendo.generation.load import check_is_language_model
from attendo.inspection.alignment import AttentionMaps, label_maps
from attendo.inspection.readable import pieces, token_labels
from attendo.model.decoder_only import DecoderOnly
from attendo.model.record import AttentionRecord
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.report.language import Language
from attendo.report.page import folder_for_pages
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, repair
from attendo.text.tokenizer import Tokenizer

LONGEST = 512  # tokens: weights grow with the square, and nobody reads a map of more
USE = "language-model"  # what its self-attention is called among the uses of attention
TOP = 5  # candidates of a token


@dataclass(frozen=True)
class Foretold:
    """One token of the text, and what the model thought would come."""

    token: str
    probability: float  # that the model gave it
    rank: int  # among all tokens, the likeliest being 1
    candidates: tuple[tuple[str, float], ...]  # the likeliest tokens and their probabilities


@dataclass(frozen=True)
class TextInspection:
    """What the model read, how it foretold every token, and the weights of one pass."""

    text: str  # as the model reads it
    ids: tuple[int, ...]  # <s>, pieces
    foretold: tuple[Foretold, ...]  # pieces, </s>
    log_prob: float  # of the whole text, natural
    maps: AttentionMaps
    remarks: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # that were written, the page first

    def to_dict(self) -> dict[str, Any]:
        """Of the maps shapes and labels, for the numbers would fill the screen."""
        shape, rows = list(self.maps.weights.shape), list(self.maps.rows)
        return {
            "text": self.text,
            "ids": list(self.ids),
            "log_prob": self.log_prob,
            "tokens": [
                {"token": one.token, "probability": one.probability, "rank": one.rank, "candidates": one.candidates}
                for one in self.foretold
            ],
            "attention": {self.maps.name: {"shape": shape, "rows": rows, "columns": list(self.maps.columns)}},
            "files": [str(path) for path in self.files],
            "remarks": list(self.remarks),
        }


def inspect_language_model(
    text: str, model: str | Path, out: Path | None = None, *, language: Language = "en", top: int = TOP
) -> TextInspection:
    """Of a model folder; with `out`, a folder, a page and pictures of all heads are written there."""
    folder = model_folder(model)
    bundle = read_bundle(folder)
    check_is_language_model(bundle)
    loaded = load_model(bundle)
    assert isinstance(loaded, DecoderOnly)  # noqa: S101 - what check_is_language_model says
    with nullcontext() if out is None else folder_for_pages(out):
        found = inspect_plain_text(loaded, bundle.tokenizer(), text, top)
        if out is None:
            return found
        from attendo.inspection.language_model_page import write_text_folder  # matplotlib, only for pictures

        return write_text_folder(out, found, folder.resolve().name, language)


@torch.inference_mode()
def inspect_plain_text(model: DecoderOnly, tokenizer: Tokenizer, text: str, top: int = TOP) -> TextInspection:
    whole = for_model(repair(text)[0])
    if not whole:
        raise InputError("there is no text to look at")
    ids = (SPECIAL.bos, *tokenizer.encode(whole))
    longest = min(LONGEST, model.config.max_length if model.config.positions == "learned" else LONGEST)
    if len(ids) > longest:
        raise InputError(f"the text has {len(ids):,} tokens: expected at most {longest:,}")
    record = AttentionRecord()
    log_probs = log_probabilities(model.language_model(torch.tensor([ids]), record)[0])  # [tokens, vocab]
    target = torch.tensor([*ids[1:], SPECIAL.eos])
    own = log_probs.gather(1, target[:, None])  # [tokens, 1]
    ranks = (log_probs > own).sum(1) + 1
    best = log_probs.topk(min(top, log_probs.shape[1]))
    labels = token_labels([*target.tolist(), *best.indices.flatten().tolist()], tokenizer)
    foretold = tuple(
        Foretold(
            labels[token],
            probability,
            rank,
            tuple((labels[other], p) for other, p in zip(others, each, strict=True)),
        )
        for token, probability, rank, others, each in zip(
            target.tolist(), own.exp().squeeze(1).tolist(), ranks.tolist(), best.indices.tolist(),
            best.values.exp().tolist(), strict=True,
        )
    )  # fmt: skip
    units = pieces(ids, tokenizer)
    maps = label_maps(USE, record.decoder_self, units, units)
    return TextInspection(whole, ids, foretold, float(own.sum()), maps)
