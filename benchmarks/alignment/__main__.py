"""How well does each head say what a word was made from? 100 pairs of sentences that were aligned by hand.

    python -m benchmarks.alignment [--model MODEL]
    python -m benchmarks.alignment --choose [--write MODEL_FOLDER]     needs $ATTENDO_DATA

Every layer and head of the decoder, in all directions and with both shifts; their means; what CTranslate2 takes by
default; and what the model's key `alignment` says. `--choose` chooses the heads anew, as `attendo train` does, by how
well both directions agree on validation pairs, which nobody has aligned; `--write` puts the choice into a model folder.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor

from attendo.errors import AttendoError, UsageError
from attendo.files.durable import write_file
from attendo.files.manifest import write_manifest
from attendo.inspection.agreement import choose_heads
from attendo.model.transformer import Transformer
from attendo.model_folder.alignment_heads import AlignmentHeads
from attendo.model_folder.bundle import CONFIG, Bundle, model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.text.tokenizer import Tokenizer
from benchmarks.alignment.by_hand import read_aligned
from benchmarks.alignment.links import LinkCounts, look_at, measure
from benchmarks.machine import describe_machine

VALIDATION = "tatoeba.dev.tsv"  # of each pair of languages in $ATTENDO_DATA
MOST_LINES = 200

Way = tuple[str, Callable[[Tensor], Tensor], int]  # its name, [layers, heads, …] -> […], shift


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.alignment", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--model", help="folder, or a name of the package; without it, the default one")
    parser.add_argument("--choose", action="store_true", help="choose the heads anew, by agreement")
    parser.add_argument("--write", type=Path, help="put the choice into this model folder")
    options = parser.parse_args()
    torch.set_num_threads(1)
    try:
        bundle = read_bundle(model_folder(options.model))
        model, tokenizer = load_model(bundle), bundle.tokenizer()
        if not isinstance(model, Transformer):
            raise UsageError("heads are chosen of a Transformer alone")
        chosen = choose(model, tokenizer, bundle) if options.choose else bundle.alignment
        if options.write and not options.choose:
            raise UsageError("--write writes what --choose has chosen")
        if options.write and chosen:
            write_choice(options.write, chosen)
        pairs = [pair for pair in read_aligned() if all(one in bundle.languages for one in pair.languages)]
        looked = look_at([*pairs, *(pair.turned() for pair in pairs)], model, tokenizer)
    except AttendoError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"<!-- python -m benchmarks.alignment; {describe_machine()} -->\n")
    print(f"Chosen: {json.dumps(chosen.to_dict()) if chosen else 'none'}; {len(pairs)} pairs aligned by hand.\n")
    measured = [(name, measure(looked, way, shift, tokenizer)) for name, way, shift in ways(model, chosen)]
    print("\n".join(report(measured)))
    return 0


def ways(model: Transformer, chosen: AlignmentHeads | None) -> Iterator[Way]:
    """Each a way to make one matrix of all heads' weights."""
    if chosen:
        yield "the choice by agreement", lambda weights: heads_of(weights, chosen.layer, chosen.heads), chosen.shift
    yield "CTranslate2's default", lambda weights: heads_of(weights, -1, (0,)), 0
    yield "mean of all heads", lambda weights: weights.mean((0, 1)), 0
    for shift in (0, 1):
        for layer in range(model.config.decoder_layers):
            every = range(model.config.num_heads)
            for heads in (*((head,) for head in every), tuple(every)):
                name = f"head {heads[0]}" if len(heads) == 1 else "all heads"
                yield f"layer {layer}, {name}, shift {shift}", bound(layer, heads), shift


def bound(layer: int, heads: Sequence[int]) -> Callable[[Tensor], Tensor]:
    return lambda weights: heads_of(weights, layer, heads)


def heads_of(weights: Tensor, layer: int, heads: Sequence[int]) -> Tensor:
    return weights[layer, list(heads)].mean(0)


def report(measured: Sequence[tuple[str, dict[tuple[str, str], LinkCounts]]]) -> list[str]:
    """A table of Markdown: the alignment error rate of each direction, and of all."""
    directions = list(measured[0][1])
    names = " | ".join(f"{source}-{target}" for source, target in directions)
    lines = [f"| alignment error rate | {names} | all | precision | recall | F1 |", "|---|" + "---:|" * 8]
    for name, counts in measured:
        total = sum(counts.values(), LinkCounts())
        rates = [*(counts[direction].error_rate for direction in directions), total.error_rate]
        cells = [f"{100 * rate:.1f}" for rate in (*rates, total.precision, total.recall, total.f1)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def choose(model: Transformer, tokenizer: Tokenizer, bundle: Bundle) -> AlignmentHeads | None:
    """By the first lines of the validation files of all languages that the model knows both ways."""
    if "ATTENDO_DATA" not in os.environ:
        raise UsageError("--choose needs validation pairs: $ATTENDO_DATA names the folder of the corpora")
    data, pairs = Path(os.environ["ATTENDO_DATA"]), {}
    for source, target in bundle.directions:
        file = data / f"{source}-{target}" / VALIDATION
        if (target, source) in bundle.directions and file.is_file():
            lines = file.read_text(encoding="utf-8").split("\n")[:MOST_LINES]
            pairs[source, target] = [(line.split("\t")[0], line.split("\t")[1]) for line in lines if "\t" in line]
    return choose_heads(model, tokenizer, pairs)


def write_choice(folder: Path, chosen: AlignmentHeads) -> None:
    """Into config.json, and its new hash into the manifest; then the folder is read as any other is."""
    read_bundle(folder)
    table = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    table["alignment"] = chosen.to_dict()
    write_file(folder / CONFIG, (json.dumps(table, indent=2) + "\n").encode())
    write_manifest(folder)
    read_bundle(folder)


if __name__ == "__main__":
    sys.exit(main())
