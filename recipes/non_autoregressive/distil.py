"""What a teacher makes of the sources of a corpus, as a corpus for a student (Kim and Rush 2016).

python -m recipes.non_autoregressive.distil --model runs/non-autoregressive/teacher/model \\
    --corpus en-de/multi30k.train.tsv.xz --languages en de --out runs/non-autoregressive/distilled.tsv

A person's translations of one sentence differ in words and order, a teacher's are alike. A model that guesses all words
at once, none knowing the others, learns far better from these (Gu et al. 2018). The corpus is looked for in
$ATTENDO_DATA, too. What the teacher could not translate is left out, and how much that is, said at the end.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import attendo
from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.files.durable import write_file
from attendo.recipe.read import find_file

BEAM = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the teacher's folder")
    parser.add_argument("--corpus", required=True, help="a .tsv of source<TAB>target, maybe packed")
    parser.add_argument("--languages", nargs=2, required=True, metavar=("FROM", "TO"))
    parser.add_argument("--out", type=Path, required=True, help="the .tsv to write")
    options = parser.parse_args()
    corpus = Path(find_file(options.corpus, Path().absolute(), "--corpus"))
    kept, read = distil(options.model, corpus, tuple(options.languages), options.out)
    print(f"{options.out}: {kept:,} pairs of {read:,}")


def distil(model: Path, corpus: Path, languages: tuple[str, str], out: Path, device: str = "auto") -> tuple[int, int]:
    """How many pairs were written, and how many sources there were."""
    source, target = languages
    translator = attendo.load(model, engine="torch", device=device)
    sources = [pair.source for pair in CorpusFile(corpus, languages).pairs(ignore)]
    # What the teacher says by itself, without another attempt where a number was lost: that is what can be learnt.
    options = attendo.TranslationOptions(beam=BEAM, wider_retry=False, doubt=False)
    pairs = list(told(translator.translate_lines(sources, target, source, options), sources))
    write_file(out.resolve(), "".join(f"{one}\t{other}\n" for one, other in pairs).encode())
    return len(pairs), len(sources)


def told(answers: Iterator[attendo.Translation], sources: list[str]) -> Iterator[tuple[str, str]]:
    for one, answer in zip(sources, answers, strict=True):
        if answer.text.strip() and not answer.ledger.untranslated:
            yield one, answer.to_line()


if __name__ == "__main__":
    main()
