"""One text through an encoder-only model: what every head of every layer looks at, and the guesses for its masks."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from attendo.engines.torch_encoder import TorchEncoder
from attendo.errors import InputError
from attendo.inspection.alignment import AttentionMaps, label_maps
from attendo.inspection.readable import Unit, pieces
from attendo.model.encoder_only import EncoderOnly
from attendo.model.record import AttentionRecord
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.reading.fill import FilledText, fill_masks
from attendo.reading.load import check_can_fill
from attendo.reading.masked_text import MASK_TEXT, MaskedText, check_length, read_masked
from attendo.report.language import Language
from attendo.report.page import folder_for_pages
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, repair
from attendo.text.tokenizer import Tokenizer

LONGEST = 512  # tokens: weights grow with the square, and nobody reads a map of more
USE = "encoder-only"  # what its self-attention is called among the uses of attention
TOP = 10  # candidates of a mask


@dataclass(frozen=True)
class EncoderInspection:
    """What the model read, the candidates of each mask, and the weights of one pass."""

    text: str  # as the model reads it, masks and all
    ids: tuple[int, ...]  # pieces and masks, </s>
    tokens: tuple[str, ...]  # as people read them
    filled: FilledText | None  # None: there is no mask
    maps: AttentionMaps
    remarks: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # that were written, the page first

    def to_dict(self) -> dict[str, Any]:
        """Of the maps shapes and labels, for the numbers would fill the screen."""
        return {
            "text": self.text,
            "ids": list(self.ids),
            "tokens": list(self.tokens),
            "masks": self.filled.to_dict()["masks"] if self.filled else [],
            "attention": {
                self.maps.name: {
                    "shape": list(self.maps.weights.shape),
                    "rows": list(self.maps.rows),
                    "columns": list(self.maps.columns),
                }
            },
            "files": [str(path) for path in self.files],
            "remarks": list(self.remarks),
        }


def inspect_encoder(
    text: str, model: str | Path, out: Path | None = None, *, language: Language = "en", top: int = TOP
) -> EncoderInspection:
    """Of a model folder; with `out`, a folder, a page and pictures of all heads are written there."""
    folder = model_folder(model)
    bundle = read_bundle(folder)
    check_can_fill(bundle)
    loaded = load_model(bundle)
    assert isinstance(loaded, EncoderOnly)  # noqa: S101 - what check_can_fill says
    tokenizer = bundle.tokenizer()
    read = read_text(text, tokenizer)
    with nullcontext() if out is None else folder_for_pages(out):
        found = inspect_masked_text(loaded, tokenizer, read, top)
        if out is None:
            return found
        from attendo.inspection.encoder_page import write_encoder_folder  # matplotlib, only where pictures are drawn

        return write_encoder_folder(out, found, folder.resolve().name, language)


def read_text(text: str, tokenizer: Tokenizer) -> MaskedText:
    """With its masks; here a text may have none."""
    if MASK_TEXT in text:
        return read_masked(text, tokenizer)
    whole = for_model(repair(text)[0])
    if not whole:
        raise InputError("there is no text to look at")
    return MaskedText((*tokenizer.encode(whole), SPECIAL.eos), (), (whole,), (), MASK_TEXT)


@torch.inference_mode()
def inspect_masked_text(
    model: EncoderOnly, tokenizer: Tokenizer, text: MaskedText, top: int = TOP
) -> EncoderInspection:
    engine = TorchEncoder(model, next(model.parameters()).device)
    check_length(text.ids, min(engine.longest, LONGEST))
    record = AttentionRecord()
    model.encode(torch.tensor([text.ids], device=engine.device), record=record)
    units = named_units(text, tokenizer)
    maps = label_maps(USE, record.encoder_self, units, units)
    filled = fill_masks([text], tokenizer, engine, top)[0] if text.positions else None
    return EncoderInspection(text.text, text.ids, maps.rows, filled, maps)


def named_units(text: MaskedText, tokenizer: Tokenizer) -> list[Unit]:
    """Tokens as people read them, masks under the name they were written by."""
    units, index = [], 0
    for unit in pieces(text.ids, tokenizer):
        is_mask = index in text.positions
        units.append(replace(unit, text=text.mask, control=True) if is_mask else unit)
        index += unit.count
    return units
