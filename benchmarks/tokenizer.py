"""Our tokenizer beside sentencepiece on the same text: seconds to learn, speed of encoding; and how pieces get longer
as the vocabulary grows, for each kind.

    python -m benchmarks.tokenizer --pairs 250000 --repeat 3        the table of docs/tokenizer.md
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import sentencepiece

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.text.subword_models import KINDS
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from benchmarks.machine import data_folder, describe_machine

CORPORA = [("zh-en/tatoeba.train.tsv.xz", "zh"), ("zh-en/ted.train.tsv.xz", "zh"), ("de-en/tatoeba.train.tsv.xz", "de")]
LANGUAGES = ["zh", "en", "de"]
Result = TypeVar("Result")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=250_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kinds-pairs", type=int, default=50_000, help="pairs for the table of kinds")
    options = parser.parse_args()
    texts = [text for _, text in read_texts(options.pairs)]
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"<!-- python -m benchmarks.tokenizer; {describe_machine()} -->\n")
    print(f"Joint BPE of 16,000 ids on {len(texts) // 2:,} pairs ({megabytes:.1f} MB of zh, en, de), "
          f"median of {options.repeat} runs, least and most in brackets.\n")  # fmt: skip
    compare(texts, megabytes, options.repeat)
    print()
    table_of_kinds(options.kinds_pairs)


def read_texts(pairs: int) -> Iterator[tuple[str, str]]:
    """(language, text), the corpora one after the other."""
    read = 0
    for name, language in CORPORA:
        for pair in CorpusFile(data_folder() / name).pairs(ignore):
            if read == pairs:
                return
            read += 1
            yield language, pair.source
            yield "en", pair.target


def compare(texts: list[str], megabytes: float, repeat: int) -> None:
    ours_train, theirs_train, ours_encode, theirs_encode = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "text.txt"
        file.write_text("\n".join(texts), encoding="utf-8")
        for _ in range(repeat):
            seconds, ours = timed(lambda: train_tokenizer(lambda: texts, LANGUAGES, TokenizerConfig(16_000)))
            ours_train.append(seconds)
            ours_encode.append(megabytes / timed(partial(ours.encode_all, texts))[0])
            seconds, _ = timed(lambda: train_sentencepiece(file))
            theirs_train.append(seconds)
            theirs = sentencepiece.SentencePieceProcessor(model_file=str(file.with_suffix(".model")))
            theirs_encode.append(megabytes / timed(partial(theirs.encode, texts, num_threads=2))[0])
    print("| | attendo | sentencepiece | ratio of medians |")
    print("|---|---:|---:|---:|")
    for name, ours_all, theirs_all in (
        ("learning, s", ours_train, theirs_train),
        ("encoding, MB/s", ours_encode, theirs_encode),
    ):
        ratio = statistics.median(ours_all) / statistics.median(theirs_all)
        print(f"| {name} | {spread(ours_all)} | {spread(theirs_all)} | {ratio:.2f} |")


def train_sentencepiece(file: Path) -> None:
    sentencepiece.SentencePieceTrainer.train(
        input=str(file), model_prefix=str(file.with_suffix("")), vocab_size=16_000, model_type="bpe",
        character_coverage=0.9998, byte_fallback=True, split_digits=True, num_threads=2, minloglevel=2,
        normalization_rule_name="identity", remove_extra_whitespaces=False,
    )  # fmt: skip


def table_of_kinds(pairs: int) -> None:
    texts = list(read_even(pairs))
    train = [text for number, (_, text) in enumerate(texts) if number // 2 % 20]
    held_out = [(language, text) for number, (language, text) in enumerate(texts) if number // 2 % 20 == 0]
    print(f"Pieces per sentence on {len(held_out):,} held-out sentences (learned from {len(train):,} others).\n")
    print("| kind | ids asked for | ids | zh | en | de | unknown | round trip |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for kind in KINDS:
        for size in (4_000, 8_000, 16_000, 32_000) if kind != "char" else (8_000,):
            tokenizer = train_tokenizer(lambda: train, LANGUAGES, TokenizerConfig(size, kind))
            encoded = tokenizer.encode_all(text for _, text in held_out)
            means = [
                statistics.mean(
                    len(ids) for ids, (language, _) in zip(encoded, held_out, strict=True) if language == one
                )
                for one in LANGUAGES
            ]
            unknown = sum(ids.count(3) for ids in encoded) / sum(map(len, encoded))
            same = statistics.mean(
                tokenizer.decode(ids) == text for ids, (_, text) in zip(encoded, held_out, strict=True)
            )
            cells = " | ".join(f"{mean:.1f}" for mean in means)
            print(
                f"| {kind} | {size:,} | {tokenizer.vocab_size:,} | {cells} | {unknown:.2%} | {same:.1%} |", flush=True
            )


def read_even(pairs: int) -> Iterator[tuple[str, str]]:
    """As many pairs with Chinese as with German."""
    for name, language in (CORPORA[0], CORPORA[2]):
        for number, pair in enumerate(CorpusFile(data_folder() / name).pairs(ignore)):
            if number >= pairs // 2:
                break
            yield language, pair.source
            yield "en", pair.target


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} [{min(values):.1f}, {max(values):.1f}]"


if __name__ == "__main__":
    main()
