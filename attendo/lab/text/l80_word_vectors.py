"""L80: word vectors of a small language model, of counts cut down by SVD, and of skip-gram, from the same sentences.

The text is the English half of a fixed, open corpus. The words by kind are in l80_word_vectors.tsv, chosen for this
claim.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from string import ascii_lowercase

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.lines import ignore, read_lines
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, Size, by_size
from attendo.lab.tools.chart import figure, grouped_points, legend_below
from attendo.lab.tools.data_files import data_file
from attendo.lab.tools.measuring import interval, is_more
from attendo.lab.tools.word_vectors import (
    count_vectors,
    cut,
    frequent_words,
    in_sentences,
    mean_loss,
    passes_of,
    share_of_kind,
    skip_gram_vectors,
    train_language_model,
)
from attendo.model.config import DecoderOnlyConfig
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 3, 3)  # each takes other sentences, and other numbers to start from
CORPUS = "de-en/tatoeba.train.tsv.xz"
FILE = Path(__file__).with_suffix(".tsv")
KNOBS = (
    Knob("sentences", by_size((100, 500), (15_000, 80_000), (15_000, 80_000)), 20, 150_000),
    Knob("steps", by_size(4, 1_500, 1_500), 1, 100_000),
    Knob("dimensions", by_size(8, 32, 32), 8, 512),
    Knob("window", by_size(2, 2, 2), 1, 20),
    Knob("neighbours", by_size(4, 4, 4), 1, 10),
)
WORDS = {"small": 300, "tuning": 2_500, "quick": 2_500, "full": 2_500}  # in the vocabulary, the most frequent ones
HELD_OUT = {"small": 20, "tuning": 2_000, "quick": 2_000, "full": 2_000}  # sentences to try the language model on
READ = 20_000  # sentences, at most, in which a word's vectors are averaged
SKIP_GRAM_PASSES, SKIP_GRAM_SENTENCES = 12.0, 300_000  # through the text, at most; and sentences in all
RATE, SKIP_GRAM_RATE = 5e-3, 1e-2  # usual ones; not tuned for this text
# A row of the table by which words come in, of that by which they go out, and the mean over sentences of what the model
# makes of the word at its end.
LANGUAGE_MODEL = ("embedding", "output", "context")
OTHERS = ("svd", "skip_gram")
SIDES = (*LANGUAGE_MODEL, *OTHERS)
MORE = 0.03  # of the neighbours: by so much the best way should be better


def words_by_kind() -> list[list[str]]:
    return [line.split("\t")[1].split() for line in read_lines(FILE, ignore)][1:]


def made_up() -> list[tuple[str, str]]:
    """Each word, four times, with one of two signs that only its kind has."""
    signs = [(f"{letter}q", f"{letter}x") for letter in ascii_lowercase]
    return [
        (word, sign) for words, both in zip(words_by_kind(), signs, strict=False) for word in words for sign in both
    ] * 2


@cache
def all_sentences(size: Size) -> list[list[str]]:
    """Each once. Tests, which have no corpus, read sentences made up of the words by kind."""
    if size == "small":
        return [cut(f"{sign} {word} {sign}.") for word, sign in made_up()]
    texts = dict.fromkeys(line.split("\t")[1] for line in read_lines(data_file(CORPUS), ignore))
    return [words for text in texts if (words := cut(text))]


def one_seed(seed: int, at: Settings) -> Numbers:
    texts = all_sentences(at.size)
    ids = frequent_words(texts, WORDS[at.size])
    kinds = [[ids[word] for word in words if word in ids] for words in words_by_kind()]
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(seed)).tolist()
    lines = [[ids.get(word, SPECIAL.unk) for word in texts[line]] for line in order]
    held_out, rest = lines[: HELD_OUT[at.size]], lines[HELD_OUT[at.size] :]
    numbers: dict[str, float | Sequence[float]] = {
        "listed": sum(map(len, kinds)), "kinds": len(kinds), "chance": chance(kinds), "vocabulary": len(ids),
    }  # fmt: skip
    for amount in at.wholes("sentences"):
        vectors, numbers[f"loss_{amount}"] = all_vectors(rest[:amount], held_out, SPECIAL.unk + 1 + len(ids), seed, at)
        numbers[f"passes_{amount}"] = passes_of(amount, at.whole("steps"))
        shares = {side: of_its_kind(vectors[side], kinds, at.whole("neighbours")) for side in SIDES}
        numbers |= {f"{side}_{amount}": share for side, share in shares.items()}
        model, others = (max(shares[side] for side in sides) for sides in (LANGUAGE_MODEL, OTHERS))
        numbers |= {f"model_{amount}": model, f"others_{amount}": others, f"gain_{amount}": model - others}
    return numbers


def all_vectors(
    lines: Sequence[Sequence[int]], held_out: Sequence[Sequence[int]], vocab_size: int, seed: int, at: Settings
) -> tuple[dict[str, Tensor], float]:
    """side -> vectors [vocabulary, dimensions]; and the loss of the language model on sentences held out."""
    dimensions, window, steps = at.whole("dimensions"), at.whole("window"), at.whole("steps")
    config = DecoderOnlyConfig(
        vocab_size=vocab_size, d_model=dimensions, d_ff=3 * dimensions, num_heads=4, num_layers=2
    )
    model = train_language_model(lines, config, steps, RATE, seed)
    passes = min(SKIP_GRAM_PASSES, SKIP_GRAM_SENTENCES / len(lines))
    vectors = {
        "embedding": model.embedding.weight.detach(),
        "output": model.output.weight.detach(),
        "context": in_sentences(model, lines[:READ]),
        "svd": count_vectors(lines, vocab_size, window, dimensions, seed),
        "skip_gram": skip_gram_vectors(lines, vocab_size, window, dimensions, passes, SKIP_GRAM_RATE, seed),
    }
    return vectors, mean_loss(model, held_out)


def of_its_kind(vectors: Tensor, kinds: Sequence[Sequence[int]], neighbours: int) -> float:
    """Vectors of the whole vocabulary; only the listed words are looked at."""
    listed = torch.tensor([word for words in kinds for word in words])
    kind = torch.tensor([index for index, words in enumerate(kinds) for _ in words])
    return share_of_kind(vectors[listed], kind, neighbours)


def chance(kinds: Sequence[Sequence[int]]) -> float:
    """The share that neighbours drawn at random would have."""
    listed = sum(map(len, kinds))
    return sum(len(words) * (len(words) - 1) for words in kinds) / (listed * (listed - 1))


def judge(runs: Runs) -> Verdict:
    """Better: of a word's neighbours more are of its kind, by MORE of all of them, and the interval of the difference,
    seed by seed, lies above 0. The best of the language model's vectors against the better of counts and skip-gram.

    Better with every amount of text: holds. With some amount: only if. With none, and all intervals below MORE: does
    not hold. Otherwise undecided.
    """
    answers = [is_better(runs, amount) for amount in amounts(runs)]
    if any(answers):
        return "holds" if all(answers) else "holds only if"
    return "undecided" if None in answers else "does not hold"


def amounts(runs: Runs) -> list[int]:
    return sorted({int(amount) for amount in row(runs[0], "sentences")})


def is_better(runs: Runs, amount: int) -> bool | None:
    gain = interval(over_seeds(runs, f"gain_{amount}"))
    return is_more(gain.mean, gain.low, gain.high, MORE, 0.0)


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=12.5, height=4.8)
    sides = {
        "embedding": tr("model: input", "模型：输入"),
        "output": tr("model: output", "模型：输出"),
        "context": tr("model: in sentences", "模型：句中"),
        "svd": tr("counts, SVD", "共现矩阵 SVD"),
        "skip_gram": "skip-gram",
    }
    groups = [tr(f"{amount:,} sentences", f"{amount:,} 个句子") for amount in amounts(runs)]
    shares = [[over_seeds(runs, f"{side}_{amount}") for side in sides] for amount in amounts(runs)]
    grouped_points(axes, groups, list(sides.values()), shares)
    by_chance = fmean(number(run, "chance") for run in runs)
    axes.axhline(by_chance, color="grey", ls=":", lw=1.5, label=tr("random", "随机"))
    axes.set(ylabel=tr("neighbours of the same kind", "同类近邻的比例"), ylim=(0, None))
    legend_below(picture, axes)
    return picture


EXPERIMENT = Experiment("L80", for_each_seed(one_seed), judge, draw, KNOBS, SEEDS, evidence="real", data=(CORPUS,))
