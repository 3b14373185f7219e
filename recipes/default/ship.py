"""The student as it is given away: weights in few bits, and the card that names every source.

python -m recipes.default.ship --work runs/default --into attendo/models/default
"""

import argparse
import json
from pathlib import Path

import torch

from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.shortlist import read_shortlist
from attendo.model_folder.weights import load_model, save_model, weights_of
from recipes.default.card import card
from recipes.default.scores import read_scores

STEPS = "steps"  # a file for each step of the build: how long it took, and the sha256 of what it made
DTYPES = {"float16": torch.float16, "int8": torch.int8}  # see attendo/model_folder/storage.py
LARGEST = 24_000_000  # bytes of the folder: what a package may reasonably carry


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"))
    parser.add_argument("--into", type=Path, required=True, help="a folder that is not there yet")
    parser.add_argument("--storage", choices=DTYPES, default="int8", help="in which numbers weights are stored")
    options = parser.parse_args()
    options.into.parent.mkdir(parents=True, exist_ok=True)
    ship(options.work, options.into, options.storage)


def ship(work: Path, into: Path, storage: str = "int8") -> None:
    bundle = read_bundle(work / "listed")
    model = load_model(bundle)
    steps = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((work / STEPS).iterdir())]
    seconds = sum(step["seconds"] for step in steps if step["gpu"])
    parameters = sum(weight.numel() for weight in model.parameters())
    text = card(parameters, read_scores(sorted(work.glob("scores-*.json"))), seconds, storage)
    # It keeps {1}, {2} … where they stand, having seen many: `python -m benchmarks.verbatim` counts how often.
    tokenizer, directions, alignment = bundle.tokenizer(), bundle.directions, bundle.alignment
    save_model(
        into, model, weights_of(model), tokenizer, directions, text, DTYPES[storage],
        stand_ins=True, alignment=alignment,
        shortlist=read_shortlist(bundle),
    )  # fmt: skip
    size = sum(file.stat().st_size for file in into.iterdir())
    if size > LARGEST:
        raise SystemExit(f"{into} has {size:,} bytes: expected at most {LARGEST:,}")
    print(f"{into}: {parameters:,} parameters, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
