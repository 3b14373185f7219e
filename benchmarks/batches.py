"""How well batches are filled and how fast they are delivered, on real corpora.

python -m benchmarks.batches            the table of docs/data.md
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from attendo.data.batches import Batches, Position, WeightedCorpus
from attendo.data.corpus import CorpusFile
from attendo.data.encoded import encode_corpus
from attendo.data.filters import FilterConfig
from attendo.data.lines import ignore
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from benchmarks.machine import data_folder, describe_machine

CORPORA = [("en-de/multi30k", "en", "de"), ("zh-en/tatoeba", "zh", "en"), ("zh-en/ted", "zh", "en")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    print(f"<!-- python -m benchmarks.batches; {describe_machine()} -->\n")
    print("| corpus | pairs | tokens a batch | batches an epoch | shapes | padding | last batch full | M tokens/s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, source, target in CORPORA:
        path = data_folder() / f"{name}.train.tsv.xz"
        part = encoded(path, source, target)
        for tokens in (4_000, 12_000, 25_000):
            row(name, part, tokens, options.epochs)


def encoded(path: Path, source: str, target: str) -> WeightedCorpus:
    def texts() -> list[str]:
        return [text for pair in CorpusFile(path).pairs(ignore) for text in (pair.source, pair.target)]

    tokenizer = train_tokenizer(texts, [source, target], TokenizerConfig(8_000))
    with tempfile.TemporaryDirectory() as cache:
        # The files stay mapped after the folder is gone.
        corpus = encode_corpus(
            CorpusFile(path), tokenizer, (source, target), FilterConfig(max_length=None), Path(cache)
        )
    return WeightedCorpus(corpus.source, corpus.target, tokenizer.tag(target))


def row(name: str, part: WeightedCorpus, tokens: int, epochs: int) -> None:
    batches = Batches([part], tokens, seed=1)
    shapes, rates, padding, last = set(), [], [], []
    for epoch in range(1, epochs + 1):
        start, delivered, real, positions = time.perf_counter(), 0, 0, 0
        for batch, after in batches.stream(Position(epoch, 0)):
            shapes.add((batch.source.shape, batch.target_in.shape))
            filled = int((batch.source != 0).sum()) + int((batch.target_in != 0).sum())
            delivered += filled
            if after.epoch != epoch:
                last.append(filled / (batch.source.numel() + batch.target_in.numel()))
                break
            real += filled
            positions += batch.source.numel() + batch.target_in.numel()
        rates.append(delivered / (time.perf_counter() - start) / 1e6)
        padding.append(1 - real / positions)
    print(
        f"| {name} | {len(part.source):,} | {tokens:,} | {len(batches.epoch(1).plan):,} | {len(shapes)} | "
        f"{statistics.median(padding):.2%} | {statistics.median(last):.0%} | {statistics.median(rates):.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
