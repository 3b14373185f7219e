"""L79: an encoder alone fills in all hidden tokens at once, or one after the other, each then seen by the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, grouped_points, legend_below
from attendo.lab.tools.measuring import difference, interval, is_more, settled, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.tuning import train_side
from attendo.model.config import EncoderOnlyConfig
from attendo.model.encoder_only import EncoderOnly
from attendo.special_tokens import MASK
from attendo.training.masked_tokens import Masking

PAIRS = 3  # of words in a sentence, after its topic
PLACES = 2 * PAIRS
TOPICS = 2
FIRST_WORD = FIRST_SYMBOL + TOPICS  # topics are neither hidden nor put in
D_MODEL = 64
HIDDEN_IN_TRAINING = 0.3  # share of the words that are to be guessed

SEEDS = by_size(2, 6, 8)
KNOBS = (
    # A full run asks for half as many, too: by 800 one seed of eight had not learnt, by 2,000 all of 16 others had.
    Knob("steps", by_size(4, 1_600, 4_000), 2, 100_000),
    Knob("hidden", by_size((2, 6), (2, 4, 6), (2, 4, 6)), 1, PLACES),
    Knob("words", by_size(4, 4, 4), 1, 16),
    Knob("favourite", by_size(0.1, 0.0, 0.0), 0.0, 1.0),
)
SIDES = ("bound", "free")
SENTENCES = by_size(8, 400, 400)  # to be filled in, of each seed
FEWER = 0.1  # of the sentences: a difference that matters
ABLE = 0.9  # of the sentences right, one token after the other: less, and the model does not know the language


@dataclass(frozen=True)
class ToyLanguage:
    """A topic, then pairs of a first and a second word, such as New York: of either a topic has a few that are its own.

    Bound: each first word has one second word that goes with it. Free: any of the topic's second words will do. Either
    way a place alone, its topic known, can have any of as many words, and each is as likely as in the other language.
    """

    bound: bool
    words: int  # of each topic, first ones; and as many second ones
    favourite: float = 0.0  # the share of places that have the topic's first word for certain; the others draw

    @property
    def vocab_size(self) -> int:
        return FIRST_WORD + 2 * TOPICS * self.words

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Sentences [count, 1 + places]."""
        topic = torch.randint(TOPICS, (count, 1), generator=generator)
        which = torch.randint(self.words, (count, PAIRS, 2), generator=generator)
        which[torch.rand(which.shape, generator=generator) < self.favourite] = 0
        if self.bound:
            which[..., 1] = which[..., 0]
        second = torch.tensor([0, TOPICS * self.words])
        words = FIRST_WORD + second + self.words * topic[..., None] + which
        return torch.cat((FIRST_SYMBOL + topic, words.flatten(1)), dim=1)

    def is_right(self, sentences: Tensor) -> Tensor:
        """Whether each belongs to the language, [count]."""
        topic = sentences[:, :1, None] - FIRST_SYMBOL
        words = sentences[:, 1:].unflatten(1, (PAIRS, 2)) - FIRST_WORD - torch.tensor([0, TOPICS * self.words])
        which = words - self.words * topic
        right = ((which >= 0) & (which < self.words)).all(2)
        if self.bound:
            right &= which[..., 0] == which[..., 1]
        return right.all(1)

    def masked(self, count: int, generator: torch.Generator) -> Batch:
        """As BERT learns: some words hidden, a few of them replaced or left. What stands in target_in are the token
        types, all of one text: an encoder's second argument."""
        tokens = self.draw(count, generator)
        seed = int(torch.randint(2**31, (1,), generator=generator))
        masking = Masking(HIDDEN_IN_TRAINING, self.vocab_size, FIRST_WORD, seed)
        batch = masking(Batch(tokens[:, :0], tokens, tokens, tokens.numel()), Position())
        return replace(batch, target_in=torch.zeros_like(tokens))


def build(vocab_size: int, seed: int) -> EncoderOnly:
    return EncoderOnly(
        EncoderOnlyConfig(
            vocab_size=vocab_size, d_model=D_MODEL, d_ff=2 * D_MODEL, num_heads=4, num_layers=1, dropout=0.0,
            attention_dropout=0.0, max_length=1 + PLACES,
        )
    )  # fmt: skip


def hide(sentences: Tensor, number: int, generator: torch.Generator) -> Tensor:
    """Both words of a pair, and of the next, in a random order of the pairs; of the last its first word, if odd."""
    order = torch.rand(len(sentences), PAIRS, generator=generator).argsort(1).argsort(1)  # of each pair its turn
    turn = torch.stack((2 * order, 2 * order + 1), dim=2).flatten(1)  # of each word
    hidden = torch.cat((torch.zeros(len(sentences), 1, dtype=torch.bool), turn < number), dim=1)
    return sentences.masked_fill(hidden, MASK)


@torch.no_grad()
def fill_at_once(model: EncoderOnly, sentences: Tensor) -> tuple[Tensor, int]:
    """At every hidden place the likeliest token, by one pass; and the number of passes."""
    return torch.where(sentences == MASK, model(sentences).argmax(2), sentences), 1


@torch.no_grad()
def fill_in_turn(model: EncoderOnly, sentences: Tensor) -> tuple[Tensor, int]:
    """Pass after pass the one token of which the model is surest, which the next pass sees; all have as many hidden."""
    hidden, filled = sentences == MASK, sentences.clone()
    rows, passes = torch.arange(len(sentences)), int(hidden[0].sum())
    for _ in range(passes):
        probability, likeliest = model(filled).softmax(2).max(2)
        surest = probability.masked_fill(~hidden, -1.0).argmax(1)
        filled[rows, surest] = likeliest[rows, surest]
        hidden[rows, surest] = False
    return filled, passes


WAYS: dict[str, Callable[[EncoderOnly, Tensor], tuple[Tensor, int]]] = {"once": fill_at_once, "turn": fill_in_turn}


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Of both languages the loss at the end; by the number of hidden places the share of sentences that are right, and
    the passes, both ways."""
    words = at.whole("words")
    topic_alone = log(words)  # the loss of who knows the topic, and guesses among its words
    runs = rows_to_fill(seeds, topic_alone=topic_alone)
    for side in SIDES:
        language = ToyLanguage(side == "bound", words, at.real("favourite"))
        trained = train_side("L79", side, at, seeds, partial(build, language.vocab_size), language.masked, pairs=32)
        trained.add_to(runs, side, topic_alone)
        for run, model, seed in zip(runs, trained.models, seeds, strict=True):
            run |= filled_in(model.eval(), language, side, at, unseen_generator(seed))
    return list(runs)


def filled_in(
    model: EncoderOnly, language: ToyLanguage, side: str, at: Settings, generator: torch.Generator
) -> dict[str, float]:
    found = {}
    sentences = language.draw(SENTENCES[at.size], generator)
    for hidden in at.wholes("hidden"):
        asked = hide(sentences, hidden, generator)
        for way, fill in WAYS.items():
            filled, passes = fill(model, asked)
            found[f"{side}_{way}_{hidden}"] = float(language.is_right(filled).float().mean())
            found[f"passes_{way}_{hidden}"] = float(passes)
    return found


def judge(runs: Runs) -> Verdict:
    """One pass always gives a token for every place, so what is judged is whether they are right. Behind, in one of
    the languages: with the most places hidden, fewer sentences are right when filled in at once than one after the
    other, by more than FEWER of all in the mean, and not by chance.

    Behind in neither language: holds. In one: only if. In both: does not hold. Undecided where an interval allows both;
    where one after the other is not right, either (less than ABLE), so that the language was not learnt; or where the
    model of a language in which one pass is behind was still improving.
    """
    most = f"{max(row(runs[0], 'hidden')):.0f}"
    behind: list[bool | None] = []
    for side in SIDES:
        once, turn = (over_seeds(runs, f"{side}_{way}_{most}") for way in WAYS)
        gap = difference(turn, once)
        less = is_more(gap.mean, gap.low, gap.high, FEWER, nothing=0.0)
        if interval(turn).mean < ABLE or (less and not settled(runs, side)):
            return "undecided"
        behind.append(less)
    if None in behind:
        return "undecided"
    if not any(behind):
        return "holds"
    return "does not hold" if all(behind) else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    """By the number of hidden places, in both languages, both ways."""
    picture, axes = figure(columns=2)
    values = [f"{hidden:.0f}" for hidden in sorted(set(row(runs[0], "hidden")))]
    titles = (
        tr("places that depend on each other", "各空互相依赖"),
        tr("places independent of each other", "各空互相独立"),
    )
    ways = (tr("all at once", "一次填完"), tr("one after the other", "逐个填入"))
    for panel, side, title in zip(axes, SIDES, titles, strict=True):
        each = [[over_seeds(runs, f"{side}_{way}_{hidden}") for way in WAYS] for hidden in values]
        grouped_points(panel, values, ways, each)
        panel.set(
            title=title, xlabel=tr("hidden places", "被遮住的位置数"),
            ylabel=tr("share of sentences that are right", "填对的句子所占比例"), ylim=(-0.05, 1.05),
        )  # fmt: skip
    legend_below(picture, axes[0])
    return picture


EXPERIMENT = Experiment("L79", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
