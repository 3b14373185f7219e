"""What a shortlist is worth: attendo with it from text to text, beside raw CTranslate2 with the same model and the full
vocabulary; how many answers it changes; and their BLEU with and without.

    python -m benchmarks.shortlist
    python -m recipes.default.shortlist --recipe recipes/default/corpora.toml --languages zh,en,de --out LISTED
    python -m benchmarks.shortlist LISTED --only answers

The first is the default model with what it has, the second what it would say with a list for each language.
The two take turns on the same sentences, as in benchmarks.text: raw CTranslate2 is called plainly, and in the smaller
batches in which attendo shares the work among its threads. Sentences that attendo decodes again are left out there.
Answers and BLEU are of the whole of Tatoeba's test sets. Some answers differ from one batch to another anyhow, in the
last bits of an 8-bit number: so the share that differs is also given for the full vocabulary in other batches.
"""

import argparse
import statistics
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sacrebleu import corpus_bleu

import attendo
from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.engines.ct2.engine import batch_size, token_names
from attendo.text.normalize import for_model
from attendo.translation.options import TranslationOptions
from benchmarks.machine import data_folder, describe_machine
from benchmarks.text import decoded_again, in_turn, spread

DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))
SENTENCES = 128
BATCHES = (1, 32)
REPEATS = 7
IN_OTHER_BATCHES = 7  # sentences

Pairs = list[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", help="a folder with a shortlist; without it the default model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=["speed", "answers"])
    options = parser.parse_args()
    listed, full = (
        attendo.load(options.model, engine="ct2", threads=options.threads, full_vocabulary=whole)
        for whole in (False, True)
    )
    directions = [each for each in DIRECTIONS if each[1] in listed_languages(listed)]
    if not directions:
        parser.error(f"{listed.bundle.folder} has no shortlist")
    print(f"<!-- python -m benchmarks.shortlist; {describe_machine()}, {listed.engine.name}, ", end="")
    print(f"{options.threads} threads -->\n", flush=True)
    if options.only != "answers":
        print("| direction | batch | beam | ours, sentences/s | ours / raw | ours / raw, our batches | by CPU time |")
        print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
        for direction in directions:
            texts = [source for source, _ in islice(pairs_of(direction, "dev"), SENTENCES)]
            for batch in BATCHES:
                for beam in (1, 4):
                    cells = duel(listed, full, texts, direction[1], batch, beam)
                    print(f"| {' → '.join(direction)} | {batch} | {beam} | {cells} |", flush=True)
        print()
    if options.only != "speed":
        print("| direction | beam | answers that differ | in other batches | BLEU, full vocabulary | with the list |")
        print("|---|---:|---:|---:|---:|---:|", flush=True)
        for direction in directions:
            for beam in (1, 4):
                cells = answers(listed, full, pairs_of(direction, "test"), direction[1], beam)
                print(f"| {' → '.join(direction)} | {beam} | {cells} |", flush=True)


def listed_languages(translator: attendo.Translator) -> list[str]:
    return list(translator.bundle.listed_tags().values())


def pairs_of(direction: tuple[str, str], part: str) -> Pairs:
    """Of Tatoeba: source and reference."""
    swapped = direction[0] == "en"
    languages = direction[::-1] if swapped else direction
    pairs = CorpusFile(data_folder() / Path("-".join(languages), f"tatoeba.{part}.tsv")).pairs(ignore)
    return [(pair.target, pair.source) if swapped else (pair.source, pair.target) for pair in pairs]


def duel(
    listed: attendo.Translator, full: attendo.Translator, texts: Sequence[str], to: str, batch: int, beam: int
) -> str:
    options, engine = TranslationOptions(beam=beam), full.engine
    both = zip(*(one.translate(list(texts), to=to, options=options) for one in (listed, full)), strict=True)
    texts = [text for text, found in zip(texts, both, strict=True) if not any(map(decoded_again, found))]
    tokens = [token_names(full.tokenizer.source_ids(for_model(text), to)) for text in texts]

    def ours(start: int) -> None:
        listed.translate(list(texts[start : start + batch]), to=to, options=options)

    def raw(start: int, **settings: int) -> None:
        found = translator.translate_batch(
            tokens[start : start + batch],
            beam_size=beam,
            max_decoding_length=256,
            max_input_length=0,
            return_scores=True,
            **settings,
        )
        _ = [(one.hypotheses, one.scores) for one in found]

    def shared(start: int) -> None:
        raw(start, max_batch_size=batch_size(min(batch, len(texts) - start), engine.threads))

    translator: Any = engine.translator  # type: ignore[attr-defined]  # CTranslate2's
    rounds = [in_turn((ours, raw, shared), range(0, len(texts), batch)) for _ in range(REPEATS + 1)][1:]
    rate = len(texts) / statistics.median(one[0].wall for one in rounds)
    to_raw, to_shared = (spread([one[side].wall / one[0].wall for one in rounds]) for side in (1, 2))
    by_cpu = spread([one[2].cpu / one[0].cpu for one in rounds])
    return f"{rate:,.0f} | {to_raw} | {to_shared} | {by_cpu}"


def answers(listed: attendo.Translator, full: attendo.Translator, pairs: Pairs, to: str, beam: int) -> str:
    options, sources = TranslationOptions(beam=beam), [source for source, _ in pairs]
    whole, short = ([one.text for one in of.translate(sources, to=to, options=options)] for of in (full, listed))
    parts = [sources[start : start + IN_OTHER_BATCHES] for start in range(0, len(sources), IN_OTHER_BATCHES)]
    again = [one.text for part in parts for one in full.translate(part, to=to, options=options)]
    differ, anyhow = (sum(map(str.__ne__, whole, other)) / len(whole) for other in (short, again))
    references, cut = [[reference for _, reference in pairs]], "zh" if to == "zh" else "13a"
    scores = (float(corpus_bleu(found, references, tokenize=cut).score) for found in (whole, short))
    return f"{differ:.1%} | {anyhow:.1%} | {' | '.join(f'{score:.2f}' for score in scores)}"


if __name__ == "__main__":
    main()
