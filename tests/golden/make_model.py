"""How model-format-1 was made, once, and model-format-1-int8, the same with weights stored in 8 bits. A later format
gets a folder of its own beside them; these are never made again.

python -m tests.golden.make_model FOLDER [int8]
"""

import json
import sys
from pathlib import Path

import torch

from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model, save_model, weights_of
from attendo.text.subword_models import Bpe
from attendo.text.tokenizer import Tokenizer

LETTERS = "etaoinshrdlu"
JOINED = ("th", "the", "in", "an", "and", "on", "re", "he", "er", "or", "ou", "no", "at", "so", "un", "nu")
CARD = "# A model that has learnt nothing\n\nIts weights are random. It is here so that old folders stay readable.\n"
SOURCE, TARGET = "the sound of the sea", "then no one answered"


def make(folder: Path, dtype: torch.dtype) -> None:
    tokenizer = tiny_tokenizer()
    config = TransformerConfig(
        vocab_size=tokenizer.vocab_size, d_model=8, d_ff=16, num_heads=2, encoder_layers=2, decoder_layers=1
    )
    torch.manual_seed(1)
    model = build_model(config)
    with torch.no_grad():
        for weight in weights_of(model).values():
            weight.add_(torch.randn_like(weight), alpha=0.1)  # biases that are 0 would hide a mistake
    save_model(folder, model, weights_of(model), tokenizer, [("en", "pt-BR"), ("pt-BR", "en")], CARD, dtype)
    answer = json.dumps(logits(folder))
    folder.with_suffix(".json").write_text(answer + "\n", encoding="utf-8")


def tiny_tokenizer() -> Tokenizer:
    pieces = (*LETTERS, *JOINED)
    merges = [
        next(
            (pieces.index(word[:cut]), pieces.index(word[cut:]))
            for cut in range(len(word) - 1, 0, -1)
            if word[:cut] in pieces and word[cut:] in pieces
        )
        for word in JOINED
    ]
    return Tokenizer(Bpe(pieces, tuple(merges)), ["en", "pt-BR"])


def logits(folder: Path) -> dict[str, list[int] | list[float]]:
    """What the folder says today: the ids of two texts, and the logits of the last token."""
    bundle = read_bundle(folder)
    tokenizer, model = bundle.tokenizer(), load_model(bundle)
    source, target = tokenizer.encode(SOURCE), tokenizer.encode(TARGET)
    with torch.no_grad():
        last = model(torch.tensor([[tokenizer.tag("pt-BR"), *source, 2]]), torch.tensor([[1, *target]]))[0, -1]
    return {"source": source, "target": target, "logits": [round(value, 6) for value in last.tolist()]}


if __name__ == "__main__":
    make(Path(sys.argv[1]), torch.int8 if sys.argv[2:] == ["int8"] else torch.float32)
