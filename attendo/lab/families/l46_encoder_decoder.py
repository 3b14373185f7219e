"""L46: pairs of sequences learnt by an encoder-decoder, and as the continuation of one text, with as many weights."""

import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Literal

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, points
from attendo.lab.tools.measuring import (
    count_weights,
    curve,
    curve_steps,
    difference,
    is_more,
    log_ratio,
    settled,
    unseen_generator,
)
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import DecoderOnlyConfig
from attendo.model.decoder_only import DecoderOnly
from attendo.model.embeddings import ScaledEmbedding
from attendo.model.initialization import initialize_like_the_paper
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

Kind = Literal["pair", "continued"]
SEEDS = by_size(2, 20, 24)
KNOBS = (Knob("steps", by_size(4, 1_000, 3_000), 2, 100_000), Knob("words", by_size(4, 6, 6), 2, 64))
KINDS: tuple[Kind, ...] = ("pair", "continued")
TASKS = ("word", "context")
ENOUGH = {"word": 300, "context": 100_000}  # steps: word for word is learnt long before, so it gets no more than that
D_MODEL, HEADS = 32, 4
SYMBOLS = 16  # words of a language
SENSES = 4  # of a word; the last symbol of the source tells which is meant
BLIND = math.log(SYMBOLS)  # of each word; </s> costs nothing, once its place is known
LEARNT = 0.1 * BLIND
POINTS = 24  # of a curve
BETTER = 0.1  # in the loss: the right word is given a probability higher by a tenth
SOONER = 1.1  # times as many steps


class Continuer(DecoderOnly):
    """A decoder alone, of the Transformer's own parts and with its start: the two differ in their plan alone."""

    def __init__(self, config: DecoderOnlyConfig) -> None:
        super().__init__(config, Parts(embedding=lambda config: ScaledEmbedding(config.vocab_size, config.d_model)))
        initialize_like_the_paper(self)


def build(kind: Kind, seed: int) -> Transformer | Continuer:
    """An encoder and a decoder layer have 4 d² + 8 d² weights in attention and 2 · 2 d · d_ff outside; two layers of a
    decoder alone have 8 d² and 2 · 2 d · d_ff. So d_ff = 2 d and 3 d give 20 d² on both sides."""
    both = toy_config(2 * SYMBOLS, D_MODEL, 2 * D_MODEL, HEADS, tied_output=False)
    if kind == "pair":
        return Transformer(both)
    return Continuer(
        DecoderOnlyConfig(
            vocab_size=both.vocab_size,
            d_model=D_MODEL,
            d_ff=3 * D_MODEL,
            num_heads=HEADS,
            num_layers=2,
            dropout=0.0,
            positions="sinusoidal",
            norm="layer",
            norm_eps=both.norm_eps,
            norm_order="post",
            activation="relu",
            bias=True,
        )
    )


@cache
def dictionary() -> Tensor:
    """The same for all: [senses, symbols], which word of the other language a word becomes."""
    generator = torch.Generator().manual_seed(0)
    return torch.stack([torch.randperm(SYMBOLS, generator=generator) for _ in range(SENSES)])


def translations(task: str, words: int, pairs: int, generator: torch.Generator) -> Batch:
    """Words of one language to words of another, in the opposite order; then </s>.

    word:     x₁ x₂ x₃    </s>  ->  D(x₃) D(x₂) D(x₁) </s>
    context:  x₁ x₂ x₃ s  </s>  ->  D_s(x₃) D_s(x₂) D_s(x₁) </s>       s, at the end, says which sense is meant
    """
    x = torch.randint(0, SYMBOLS, (pairs, words), generator=generator)
    sense = torch.randint(0, SENSES, (pairs, 1), generator=generator)
    if task == "word":
        sense = torch.zeros_like(sense)
    y = dictionary()[sense, x].flip(1) + FIRST_SYMBOL + SYMBOLS
    begin, end = (torch.full((pairs, 1), token) for token in (SPECIAL.bos, SPECIAL.eos))
    source = torch.cat((x + FIRST_SYMBOL, *([sense + FIRST_SYMBOL] if task == "context" else []), end), dim=1)
    return Batch(source, torch.cat((begin, y), dim=1), torch.cat((y, end), dim=1), pairs * (words + 1))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, blind=BLIND)
    for task in TASKS:
        sentences, steps = partial(translations, task, at.whole("words")), min(at.whole("steps"), ENOUGH[task])
        for kind in KINDS:
            name, make = f"{task}_{kind}", partial[nn.Module](build, kind)
            side = train_side("L46", name, at, seeds, make, sentences, pairs=16, steps=steps)
            side.add_to(runs, name, LEARNT)
            for run, seed, model, losses in zip(runs, seeds, side.models, side.losses.T, strict=True):
                run[f"{name}_loss"] = curve(losses, POINTS)
                run[f"{name}_right"] = accuracy(model, sentences(200, unseen_generator(seed)))
                run[f"weights_{kind}"] = count_weights(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Seed by seed. Better: at the end the loss of the continued text is higher by more than BETTER, though it has
    stopped improving. Sooner: the continued text takes more than SOONER times the steps until it has learnt. Both in
    the mean, and not by chance (95 % interval above 0, or above 1 times).

    Better on both tasks: holds. Better or sooner on at least one: only if. Neither on either: does not hold; undecided
    where an interval allows both, or the loss still improves.
    """
    better, sooner = [], []
    for task in TASKS:
        ends, learnt = ([over_seeds(runs, f"{task}_{kind}{what}") for kind in KINDS] for what in ("", "_learnt"))
        gain = difference(ends[1], ends[0])
        higher = is_more(gain.mean, gain.low, gain.high, BETTER, nothing=0.0)
        better.append(higher if not higher or settled(runs, f"{task}_continued") else None)
        sooner.append(is_more(*log_ratio(learnt[1], learnt[0]), SOONER, nothing=1.0))
    if all(better):
        return "holds"
    if any(better + sooner):
        return "holds only if"
    return "undecided" if None in better + sooner else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, rows=2, height=3.6)
    titles = {
        "word": tr("word for word, order reversed", "逐词翻译，词序颠倒"),
        "context": tr("the last word decides the sense", "词义由句末的词决定"),
    }
    labels = [tr("encoder-decoder", "编码器-解码器"), tr("decoder only", "仅解码器")]
    for column, (task, title) in enumerate(titles.items()):
        for index, (kind, label) in enumerate(zip(KINDS, labels, strict=True)):
            curves = [row(run, f"{task}_{kind}_loss") for run in runs]
            steps = curve_steps(min(int(number(runs[0], "steps")), ENOUGH[task]), POINTS)
            band(axes[column], steps[: len(curves[0])], curves, label, index)
        axes[column].set(title=title, xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
        points(axes[2 + column], labels, [over_seeds(runs, f"{task}_{kind}_learnt") for kind in KINDS])
        axes[2 + column].set(ylabel=tr("steps until learnt", "学会所需步数"), ylim=(0, None))
    axes[1].legend()
    return picture


EXPERIMENT = Experiment("L46", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
