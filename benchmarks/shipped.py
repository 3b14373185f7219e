"""How fast the model that came with the package translates: text to text, beside raw CTranslate2 running a Transformer
`base` on ready-made tokens, both in 8 bits with the same threads, in turn.

python -m benchmarks.shipped [--model M] [--threads 2]

The base model has random weights, so it is made to say as many tokens as the shipped one said, on average of a batch.
"""

import argparse
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import attendo
from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.engines.ct2.engine import batch_size, token_names
from attendo.model.build import build_model
from attendo.model.presets import preset
from attendo.model_folder.bundle import model_folder
from attendo.model_folder.weights import save_model, weights_of
from attendo.text.normalize import for_model
from attendo.translation.options import TranslationOptions
from benchmarks.machine import data_folder, describe_machine
from benchmarks.text import fresh, in_turn, spread

SENTENCES = {1: 48, 32: 256}  # batch -> how many
REPEATS = 7


@dataclass(frozen=True)
class Direction:
    source: str
    target: str
    data: str
    swap: bool = False


DIRECTIONS = (Direction("zh", "en", "zh-en/tatoeba.dev.tsv"), Direction("en", "de", "de-en/tatoeba.dev.tsv", swap=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="a model folder, or a name (default: the one that came with the package)")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    model = model_folder(options.model)
    shipped = attendo.load(str(model), engine="ct2", threads=options.threads)
    print(
        f"<!-- python -m benchmarks.shipped; {describe_machine()}, {shipped.engine.name}, {options.threads} threads -->"
    )
    print("\n| direction | batch | beam | source tokens/s | ms a sentence | `base`, source tokens/s | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        rival = base_beside(shipped, Path(folder) / "base", options.threads)
        for direction in DIRECTIONS:
            texts = texts_of(direction)
            for batch, count in SENTENCES.items():
                for beam in (1, 4):
                    cells = duel(shipped, rival, texts[:count], direction.target, batch, beam)
                    name = f"{direction.source} → {direction.target}"
                    print(f"| {name} | {batch} | {beam} | {cells} |", flush=True)
    fresh(model, texts_of(DIRECTIONS[0])[0], DIRECTIONS[0].target)


def texts_of(direction: Direction) -> list[str]:
    pairs = CorpusFile(data_folder() / direction.data).pairs(ignore)
    return [pair.target if direction.swap else pair.source for pair in pairs][: max(SENTENCES.values())]


def base_beside(shipped: attendo.Translator, folder: Path, threads: int) -> attendo.Translator:
    """The paper's `base`, with the vocabulary of the shipped model; what it says has no meaning."""
    torch.manual_seed(1)
    model = build_model(preset("base", shipped.tokenizer.vocab_size))
    save_model(folder, model, weights_of(model), shipped.tokenizer, shipped.bundle.directions, "# Random\n")
    return attendo.load(str(folder), engine="ct2", threads=threads)


def duel(
    shipped: attendo.Translator, rival: attendo.Translator, texts: list[str], to: str, batch: int, beam: int
) -> str:
    options = TranslationOptions(beam=beam)
    engine: Any = rival.engine
    sources = [shipped.tokenizer.source_ids(for_model(text), to) for text in texts]
    tokens = [token_names(source) for source in sources]
    said_by_shipped = shipped.translate(list(texts), to=to, options=options)
    lengths = [len(shipped.tokenizer.encode(answer.text)) + 1 for answer in said_by_shipped]

    def ours(start: int) -> None:
        shipped.translate(texts[start : start + batch], to=to, options=options)

    def base(start: int) -> None:
        together = tokens[start : start + batch]
        length = round(statistics.mean(lengths[start : start + batch]))
        answers = engine.translator.translate_batch(
            together,
            max_batch_size=batch_size(len(together), engine.threads),
            beam_size=beam,
            min_decoding_length=length,
            max_decoding_length=length,
            max_input_length=0,
            return_scores=True,
        )
        _ = [(answer.hypotheses, answer.scores) for answer in answers]  # read, as anybody would

    rounds = [in_turn((ours, base), range(0, len(texts), batch)) for _ in range(REPEATS + 1)][1:]  # the first warms up
    fast, slow = (statistics.median(one.wall for one in side) for side in zip(*rounds, strict=True))
    count = sum(map(len, sources))
    ratio = spread([theirs.wall / mine.wall for mine, theirs in rounds])
    return f"{count / fast:,.0f} | {1e3 * fast / len(texts):.1f} | {count / slow:,.0f} | {ratio}"


if __name__ == "__main__":
    main()
