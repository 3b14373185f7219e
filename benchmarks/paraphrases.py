"""Which layer makes the best sentence vectors: Chinese sentences that translate one English sentence, found again.

    python -m benchmarks.paraphrases MODEL [--to en] [--pairs zh-en/tatoeba.train.tsv.xz] [--queries 500] [--pool 5000]

Tatoeba has several Chinese sentences for some English ones. Each of the queries is such a sentence; the pool holds
another translation of the same English sentence for each, and others. Right is a query whose nearest neighbour in the
pool, by cosine, is such a translation. No model was told which belong together, though it has read the sentences.

Layers count from 1; 0 is what goes into the first. "all" is the mean over all tokens, "pieces" leaves out </s> and the
language tag that an encoder-decoder reads (--to); "centred" takes the pool's mean vector away first. At the end the
same by characters in common, without any model.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attendo.data.lines import ignore, read_lines
from attendo.decoding.length import group_by_length
from attendo.model.encoder_only import EncoderOnly
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.reading.sentence_vectors import unit_length
from attendo.special_tokens import SPECIAL, pad_rows
from attendo.text.tokenizer import Tokenizer
from benchmarks.machine import data_folder

TOKENS = 8_000  # a batch


def paraphrases(path: Path) -> dict[str, list[str]]:
    """English sentence -> its Chinese ones, where there are several."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in read_lines(path, ignore):
        chinese, english = line.split("\t")[:2]
        if chinese not in found[english]:
            found[english].append(chinese)
    return {english: each for english, each in found.items() if len(each) > 1}


def task(path: Path, num_queries: int, size: int) -> tuple[list[str], list[str], list[set[int]]]:
    """Queries, the pool, and for each query the indices in the pool that are right."""
    rng = random.Random(1)
    groups = sorted(paraphrases(path).items())
    rng.shuffle(groups)
    chosen = [each for _, each in groups[:num_queries]]
    queries = [each[0] for each in chosen]
    pool = list(dict.fromkeys(text for each in chosen for text in each[1:] if text not in set(queries)))
    others = sorted({line.split("\t")[0] for line in read_lines(path, ignore)} - {*pool, *queries})
    pool += rng.sample(others, max(0, size - len(pool)))
    index = {text: number for number, text in enumerate(pool)}
    right = [{index[text] for text in each[1:] if text in index} for each in chosen]
    kept = [number for number, each in enumerate(right) if each]
    return [queries[number] for number in kept], pool, [right[number] for number in kept]


@torch.inference_mode()
def vectors(
    model: EncoderOnly | Transformer, tokenizer: Tokenizer, tag: list[int], texts: list[str]
) -> dict[tuple[int, str], NDArray[np.float32]]:
    """(layer, which tokens) -> [texts, d_model]."""
    rows = [[*tag, *tokenizer.encode(text), SPECIAL.eos] for text in texts]
    found = {
        (layer, kind): np.zeros((len(rows), model.config.d_model), dtype=np.float32)
        for layer in range(len(model.encoder.layers) + 1)
        for kind in ("all", "pieces")
    }
    for indices in group_by_length([len(row) for row in rows], TOKENS):
        tokens = torch.tensor(pad_rows([rows[index] for index in indices]))
        for layer, hidden in enumerate(layers_of(model, tokens)):
            for kind, real in (("all", tokens != SPECIAL.pad), ("pieces", tokens >= tokenizer.layout.first_byte)):
                mean = (hidden * real[..., None]).sum(1) / real.sum(1, keepdim=True)
                found[layer, kind][indices] = mean.numpy()
    return found


def layers_of(model: EncoderOnly | Transformer, tokens: Tensor) -> Iterator[Tensor]:
    """What goes into the first layer, and what comes out of each; of the last after the last norm."""
    seen: list[Tensor] = []
    hooks = [
        layer.register_forward_hook(lambda _, inputs, output: seen.append(output)) for layer in model.encoder.layers
    ]
    hooks.append(model.encoder.layers[0].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0])))
    last = model.encode(tokens)
    for hook in hooks:
        hook.remove()
    return iter([*seen[:-1], last])


def share_right(queries: NDArray[np.float32], pool: NDArray[np.float32], right: list[set[int]]) -> float:
    nearest = (unit_length(queries) @ unit_length(pool).T).argmax(1).tolist()
    return sum(found in each for found, each in zip(nearest, right, strict=True)) / len(right)


def by_characters(queries: list[str], pool: list[str], right: list[set[int]]) -> float:
    """Cosine of the counts of characters."""
    letters = {letter: column for column, letter in enumerate(sorted(set("".join([*queries, *pool]))))}
    counts = []
    for texts in (queries, pool):
        table = np.zeros((len(texts), len(letters)), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter, count in Counter(text).items():
                table[row, letters[letter]] = count
        counts.append(table)
    return share_right(counts[0], counts[1], right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--to", default="en")
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--pool", type=int, default=5_000)
    options = parser.parse_args()
    bundle = read_bundle(model_folder(options.model))
    model, tokenizer = load_model(bundle), bundle.tokenizer()
    assert isinstance(model, EncoderOnly | Transformer), "expected a model with an encoder of attention layers"
    tag = [] if isinstance(model, EncoderOnly) else [tokenizer.tag(options.to)]
    pairs = options.pairs or data_folder() / "zh-en" / "tatoeba.train.tsv.xz"
    queries, pool, right = task(pairs, options.queries, options.pool)
    asked, among = (vectors(model, tokenizer, tag, texts) for texts in (queries, pool))
    print(f"{len(queries)} queries, a pool of {len(pool):,}: nearest neighbours that are right")
    print("layer  tokens    as they are  centred")
    for (layer, kind), every in among.items():
        centre = every.mean(0)
        plain = share_right(asked[layer, kind], every, right)
        centred = share_right(asked[layer, kind] - centre, every - centre, right)
        print(f"{layer:>5}  {kind:<8}  {plain:11.1%}  {centred:7.1%}")
    print(f"characters in common    {by_characters(queries, pool, right):.1%}")


if __name__ == "__main__":
    main()
